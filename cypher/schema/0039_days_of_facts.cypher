// A fact is found by the day since which it holds, as a restored one is: not by that of its first claim.
MATCH (f:Fact) WHERE f.captured_at.year >= 1000
WITH f, toString(date(f.captured_at)) AS day
WITH f, '@' + replace(day, '-', '') + ' @' + left(day, 4) + substring(day, 5, 2) + ' @' + left(day, 4)
        + ' @' + substring(day, 5, 2) AS terms
WHERE f.about_terms <> terms
CALL (f, terms) { SET f.about_terms = terms } IN TRANSACTIONS OF 10000 ROWS;

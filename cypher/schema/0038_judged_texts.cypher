// What was stored before texts were judged by their vectors waits for the worker once more, which finds
// the vectors there and asks no model.
MATCH (e:Memory)
WHERE e.index_state = 'done' AND e.judged_by IS NULL AND e.kind IN ['episode', 'chunk', 'note', 'skill']
CALL (e) { SET e.index_state = 'pending' } IN TRANSACTIONS OF 10000 ROWS;

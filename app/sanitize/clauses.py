"""Where an attack begins and ends around the words that gave it away, and when it is only quoted.

All positions are in the folded view. Look-back and look-ahead are bounded.
"""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re

_REACH = 240
_LONGEST = 2000
_BOUNDARY = re.compile(r"[.!?][\"')\]]{0,2}(?=\s|$)|[\n|{}<>]|-->|\.(?=[a-z])")
_CLAUSE = re.compile(r"[,;:](?=\s)|\s-+(?=\s)|[\"'(\[](?=\w)")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]{0,3}(?=\s|$|[<|])|\n|</|-->|$")

# A short run of these before a command belongs to it.
_LEAD = 6
_PREVIOUS_WORDS = re.compile(r"[^\W_]+(?:'[a-z]+)?")

_HARMLESS_BEFORE = re.compile(
    r"(?:\b(?:never|not|cannot|can't|won't|wouldn't|don't|didn't|doesn't|shouldn't|mustn't|couldn't|"
    r"without|avoid|nicht|nie|niemals|ohne|i|we|they|he|she|it|who|which|that|people|users?|"
    r"attackers?|models?|agents?|everyone|someone|nobody|ich|wir|er|es|man|wer|let me|"
    r"keep|kept|start|started|been|be|was|were|is|are|by|of|for|from|about|after|before|while)"
    r"(?: (?:just|simply|ever|even|also|always|often|sometimes|easily|probably|totally|really|"
    r"will|would|can|could|may|might|must|should|einfach|immer|oft|auch))?)\W{1,3}$"
)
_TO_BEFORE = re.compile(r"\b(?:to|zu)(?: (?:just|simply|completely|please))?\W{1,3}$")
_NOT_TO = re.compile(r"\b(?:not|never|nicht|nie) (?:to|zu)(?: \w{1,12})?\W{1,3}$")
_MODAL_BEFORE = re.compile(r"\b(?:can|could|will|would|should|may|might|must|shall)\W{1,3}$")
_YOU_BEFORE = re.compile(r"\b(?:you|u|du|sie|ihr)\W{1,3}$")
_YOU_NEAR = re.compile(
    r"\b(?:you|u|dich|sie|ihnen|dir|euch)(?:\W{1,3}\w{1,12}){0,3}\W{1,3}(?:to|zu)\b"
)
_ASKED = re.compile(
    r"(?:what if|why do(?:n't)?|would|could|can|will|must|should|shall|need|have to|please|want)"
    r"\W{1,3}you\b|\byou\W{1,3}(?:must|should|shall|will|can|may|have|need)\b|"
    r"\b(?:mochte|will|verlange|wunsche)\W{1,3}dass\W{1,3}(?:du|sie|ihr)\b|\bwhat (?:would|if)\b|\bhow would\b|\b(?:du|sie) (?:sollst|musst|wirst|kannst|sollen|mussen)\b|"
    r"\b(?:kannst|konntest|wirst|willst|sollst|wurdest|konnen|konnten|wollen|wurden|konnt)"
    r"\W{1,3}(?:du|sie|ihr)\b|\bbitte\w{0,2}\b"
)


def is_command(text: str, start: int) -> bool:
    """Whether what stands before `start` in its sentence leaves a command a command."""
    before = text[_sentence_start(text, start) : start]
    if not before.strip():
        return True
    if _TO_BEFORE.search(before):
        if _NOT_TO.search(before):
            return False
        return bool(_YOU_NEAR.search(before) or _ASKED.search(before))
    if _YOU_BEFORE.search(before) or _MODAL_BEFORE.search(before):
        return bool(_ASKED.search(before))
    return not _HARMLESS_BEFORE.search(before)


_OPEN_QUOTE = re.compile(r"(?:(?<=[\s(:\[,*-])|^)[\"'(\[](?=\W{0,2}(?:\w|$))")
_CLOSES = {"(": ")", "[": "]"}
_TALK = re.compile(
    r"\b(?:attack\w*|inject\w*|jailbreak\w*|phrases?|examples?|typical|classic\w*|detect\w*|"
    r"filter\w*|blocks?|blocked|markers?|patterns?|explain\w*|article|papers?|mention\w*|"
    r"discuss\w*|describ\w*|warn\w*|known|quot\w*|malicious|adversar\w*|strings?|sentences?|"
    r"prompts? like|texts? like|such as|talk\w*|lecture|training|course|blog\w*|"
    r"angriff\w*|injektion\w*|beispiel\w*|typisch\w*|klassisch\w*|erkenn\w*|muster|erklar\w*|"
    r"artikel|beschreib\w*|warnt?|warnung\w*|satz|satze|saetze|spruch|bekannt\w*|zitat\w*|"
    r"schadlich\w*|vortrag\w*|schulung\w*|formulierung\w*|aufsatz|angreifer\w*|masche|"
    r"floskel\w*|befehle? wie|prompts? wie|satze? wie)\b"
)
_LIKE = re.compile(
    r"\b(?:like|such as|as in|called|e\.g\.|namely|wie|etwa|namens|z\.\s?b\.)\W{1,4}$"
)
_MENTION_REACH = 160


def is_mention(text: str, start: int, end: int) -> bool:
    """Whether the words are quoted in talk about such attacks, rather than addressed to anyone."""
    line = max(text.rfind("\n", 0, start) + 1, start - _MENTION_REACH)
    before = text[line:start]
    quote = _opening(before)
    if quote < 0:
        return bool(_LIKE.search(before) and _TALK.search(before))
    closing = _closing(text, end, before[quote])
    if closing < 0:
        return False
    after = text[closing + 1 : closing + 1 + _MENTION_REACH].partition("\n")[0]
    return bool(_TALK.search(before[:quote]) or _TALK.search(after))


def _opening(before: str) -> int:
    """Where the quotation begins that is still open at the end of `before`, -1 for none."""
    opening = -1
    for match in _OPEN_QUOTE.finditer(before):
        if opening < 0 or before.find(before[opening], opening + 1, match.end()) >= 0:
            opening = match.end() - 1
    if opening < 0:
        return -1
    closes = _CLOSES.get(before[opening], before[opening])
    return -1 if re.search(re.escape(closes) + r"(?!\w)", before[opening + 1 :]) else opening


def _closing(text: str, end: int, opening: str) -> int:
    return text.find(_CLOSES.get(opening, opening), end, end + _MENTION_REACH)


def _sentence_start(text: str, position: int) -> int:
    last = max(0, position - _REACH)
    for boundary in _BOUNDARY.finditer(text, last, position):
        last = boundary.end()
    return last


_PREFACE = re.compile(
    r"(?:(?:very |simply |really |just |that's |that is |sehr |einfach |super |echt )?(?:well done|good|great|"
    r"excellent|perfect|fantastic|wonderful|amazing|brilliant|thanks?|thank you|congratulations|bravo|wow|"
    r"ok|okay|alright|stop|attention|enough|done|gut|gut gemacht|gemacht|grossartig|perfekt|fantastisch|"
    r"ausgezeichnet\w*|wunderbar|danke|gluckwunsch|herzlichen gluckwunsch|prima|toll|klasse|stopp|achtung|"
    r"genug|erledigt|wow)\b[^.!?\n]{0,48}|"
    r"(?:that is|das ist|das)\b[^.!?\n]{0,24})[.!]+[\"']?"
)
_SUPPOSING = re.compile(
    r"(?:what|how|if|why|imagine|suppose|assume|can|could|would|will|let'?s|pretend|please|wie|was|"
    r"wenn|kannst|konntest|stell|angenommen|bitte|nun bitten|are you)\b"
)


def clause_start(text: str, position: int) -> int:
    """Where to cut from: the sentence where it leads up to the command, else the clause, else here.

    Praise and the like in front of it, which only prepare the command, go with it.
    """
    sentence = _skip_space(text, _sentence_start(text, position), position)
    words = len(_PREVIOUS_WORDS.findall(text, sentence, position))
    if words <= _LEAD or (words <= 2 * _LEAD and _SUPPOSING.match(text, sentence)):
        return _with_preface(text, sentence)
    clause = position
    for match in _CLAUSE.finditer(text, sentence, position):
        clause = match.end()
    if len(_PREVIOUS_WORDS.findall(text, clause, position)) <= _LEAD:
        return _skip_space(text, clause, position)
    return position


def _with_preface(text: str, sentence: int) -> int:
    for _ in range(3):
        end = len(text[max(0, sentence - 4) : sentence].rstrip(" ")) + max(0, sentence - 4)
        start = _skip_space(text, _sentence_start(text, max(0, end - 1)), end)
        if start >= end or not _PREFACE.fullmatch(text, start, end):
            break
        sentence = start
    return sentence


def _skip_space(text: str, start: int, limit: int) -> int:
    while start < limit and text[start].isspace():
        start += 1
    return start


_PAYLOAD = re.compile(
    r"[\"'(\[]{0,2}(?:\d{1,2}[.)] )?(?:and |but |so |then |now |also |just |please |instead |only |ok |okay |first |next |finally |und |aber |"
    r"dann |jetzt |nun |bitte |stattdessen |nur |danach )*(?:say|print|write|tell|show|give|answer|respond|"
    r"reply|output|repeat|send|reveal|list|provide|create|generate|translate|make|act|pretend|focus|"
    r"concentrate|start|begin|do|don't|never|always|call|run|execute|open|click|visit|delete|forward|"
    r"transfer|use|return|state|confirm|spell|encode|imagine|include|follow|obey|ignore|forget|"
    r"disregard|remember|store|save|add|set|update|retrieve|can you|could you|will you|would you|what|"
    r"who|where|when|why|how|which|you|your|from now|i want|i am|i'm|i need|instead|for the upcoming|"
    r"sag|sage|sagen|schreib|schreibe|schreiben|zeig|zeige|zeigen|gib|geben|antworte|antworten|"
    r"nenne|nennen|verrate|sende|schicke|fuhre|fuehre|mach|mache|machen|konzentrier|beantworte|"
    r"ubersetze|wiederhole|losche|loesche|speichere|merke|verhalte|tu|du|dein|ab jetzt|kannst du|"
    r"konnen sie|wer|was|wo|wann|warum|wieso|wie|welche|ich mochte|ich will|wir starten|wir beginnen|"
    r"ignorier|vergiss|setze|liste|drucke|"
    r"for this|fur diese\w?|fur dieses)\b"
)


def attack_end(text: str, end: int) -> int:
    """The end of the sentence, and of the commands and questions that follow it on its line."""
    limit = min(len(text), end + _LONGEST)
    stop = _end_of_sentence(text, end, limit)
    while stop < limit:
        following = _skip_blanks(text, stop, limit)
        if following >= limit or text[following] in "\n<|":
            break
        until = _end_of_sentence(text, following, limit)
        asks = text[:until].rstrip("\"' ").endswith("?") if until - following < _REACH else False
        if not asks and not _PAYLOAD.match(text, following, limit):
            break
        stop = until
    return stop


def _skip_blanks(text: str, start: int, limit: int) -> int:
    while start < limit and text[start] in " \t":
        start += 1
    return start


def _end_of_sentence(text: str, start: int, limit: int) -> int:
    match = _SENTENCE_END.search(text, start, limit)
    if match is None:
        return limit
    return match.start() if match.group() in {"\n", "</", "-->", ""} else match.end()

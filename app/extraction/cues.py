"""Words that colour a clause: doubt, hearsay, jest, correction, negation, contrast."""

from __future__ import annotations

import re

from app.extraction.prefilter import Cue, worded

END_MARK = re.compile(r"[.!…]+[\"'”“»)\]\s]*$")
TAG = re.compile(
    r"(?i),\s*(?:oder(?:\s(?:nicht|etwa|habe|irre|täusche)[^?]*)?|nicht wahr|nicht|gell|ja|right|"
    r"isn't (?:it|he|she)|doesn't (?:it|he|she)|don't (?:they|we|you)|aren't (?:they|we)|correct|"
    r"no|or (?:did|do|am|was|have) I[^?]*|stimmt's|richtig|or not)\s*\?\s*$"
)
OWN_VIEW = Cue(
    r"(?i)(?:,\s*(?:I (?:believe|think|guess|suppose|would say|reckon|assume)|if I remember "
    r"(?:correctly|right|rightly)|as far as I know|afaik|glaube ich|denke ich|meine ich|soweit ich "
    r"weiß|soviel ich weiß|würde ich sagen|nehme ich an|wenn ich mich (?:richtig|recht) erinnere)"
    r"\s*[.!]?\s*$)|(?:^\s*(?:and |but |und |aber )?(?:I (?:believe|think|guess|suppose)(?: that)?|"
    r"ich (?:glaube|denke|meine),(?: dass)?)\s+)",
    by="believe think guess suppose say reckon assume remember know afaik glaube denke meine weiß "
    "sagen nehme erinnere",
)
# Who says it, at the end: ", sagt der Kunde", ", he claims".
SAID_BY = re.compile(
    r"(?i),\s*(?:(?:says?|said|claims?|claimed|writes?|wrote|thinks|thought|according to|sagt|"
    r"sagte|meint|meinte|behauptet|behauptete|schreibt|schrieb|glaubt|glaubte|erzählt|erzählte|laut)\s+"
    r"(?!I\b|ich\b)[^,;]{2,40}|so (?:der|die|das)\s\w+|(?:\w+\s){1,2}(?:says|said|claims|claimed|"
    r"writes|wrote|thinks|thought)|heißt es|so heißt es|hört man|sagt man)\s*[.!]*\s*$"
)
IRONY = worded(
    r"scherz|im scherz|spaß beiseite|just kidding|kidding|joking|as a joke|haha+|lol|"
    r"rofl|ironisch|ironically|sarcas\w+|sarkas\w+|yeah,? right|as if|wer's glaubt|na klar,|"
    r"ja klar,|träum weiter|in your dreams|schön wär",
    after="",
)
WINK = re.compile(r"(?i)(?:[;:]-?[)P]|😉|😜|🙃|/s)\s*[.!]?\s*$")
# What takes back the sentences before it, up to a stop or a comma: `Kidding, she runs`, `Das ist
# nicht wahr.`, `Of course not!`; what goes on does not (`Not really a surprise`, `Rubbish pay`).
TAKEN_BACK = Cue(
    r"(?i)(?!\W*(?:no|not|i['’]?m not|(?:das )?ist kein|kein|ohne) (?:kidding|jok\w+|scherz|witz|"
    r"spaß)\b)"
    r"\W*(?:(?:no|nope|nein|nee|nö|ok(?:ay)?|well|na|haha\w*|just|only|nur|kleiner|war|ist|is|was|"
    r"das|that|it|i|ich|am|bin|a|an|ein|aber|but|alles|all)(?:['’](?:s|m))?\W+){0,4}"
    r"(?:kidding|joking|jk|joke|gotcha|messing with you|april fools?|april,? april|scherz|"
    r"spaß(?: beiseite)?|witz|reingelegt|verarscht|nonsense|rubbish|baloney|bogus|hogwash|bullshit|"
    r"made up|untrue|lies?|never happened|nothing to it|quatsch|unsinn|blödsinn|humbug|mumpitz|"
    r"käse|gelogen|erfunden|erlogen|nichts dran|kein wort wahr|von wegen|not|"
    r"(?:not|isn['’]t) (?:really|true)|(?:of course|obviously) not|nicht (?:wirklich|wahr)|"
    r"(?:natürlich|selbstverständlich) nicht|stimmt (?:natürlich |gar )?nicht)"
    r"\s*(?:[.,;:!…–-]|$)",
    by="kidding joking jk joke gotcha messing april scherz spaß witz reingelegt verarscht nonsense "
    "rubbish baloney bogus hogwash bullshit made untrue lie lies happened nothing quatsch unsinn "
    "blödsinn humbug mumpitz käse gelogen erfunden erlogen nichts wort wegen not t nicht",
)
HEDGE = worded(
    r"maybe|perhaps|possibly|probably|presumably|supposedly|allegedly|apparently|"
    r"reportedly|rumou?r\w*|might|could|would|should|'d|(?-i:may)(?=\s+[a-z])|shall|imagine|"
    r"suppose|"
    r"wish(?:es|ed)?(?! (?:me|us)\b)|hop(?:e|es|ed|ing)|hypothetical\w*|in theory|"
    r"dream\w*|pretend\w*|if only|"
    r"according to|vielleicht|eventuell|womöglich|möglicherweise|wahrscheinlich|vermutlich|"
    r"angeblich|anscheinend|offenbar|scheinbar|wohl|könnten?|könntest|würden?|würdest|wäre[nt]?|"
    r"hätten?|hättest|sollten?|sollen|soll|dürften?|möchten?|gerücht\w*|laut|theoretisch|"
    r"hoffentlich|"
    r"hoff(?:e|t|en)|wünsch(?:e|te|ten)|angenommen|unless|whether|ob|als ob|as though|"
    r"seems?|seemed|scheint|plan(?:s|ned|ning)?\s+to|intends?|"
    r"going to(?!\s+(?:the|an?|my|our|his|her|their)\b|\s+(?-i:[A-Z]))|gonna|thinking (?:about|of)|"
    r"consider(?:s|ing)?|überleg\w*|erwäg\w*|wants? to|wanted to|need(?:s|ed)? to|have to|has to|"
    r"muss|müssen|musst|must|try(?:ing)? to|used to|früher|almost|nearly|fast nie|beinahe",
    also="may",
)
CONDITION = worded(
    r"if|falls|wenn|sofern|in case|solange|when|once(?!\s(?:an?|per|every|in)\b)|sobald",
    before=r"(?i)(?<![\w'])",
)
LEADING_CONDITION = Cue(
    r"(?i)^\s*(?:(?:and|but|und|aber|so|also|even|selbst|only|nur)\s+)?(?:if|falls|wenn|sofern|"
    r"solange|in case|assuming|provided|suppose|angenommen|gesetzt|when|once|sobald|sollten?|"
    r"würden?|hätten?|wären?|unless|had|were|should|imagine|pretend|"
    r"let['’]s (?:say|pretend|assume)|stell(?:t|en sie)? (?:dir|euch|sich) (?:\w+ )?vor|"
    r"nehmen wir (?:\w+ )?an|tun wir (?:\w+ )?so)\b",
    by="if falls wenn sofern solange case assuming provided suppose angenommen gesetzt when once "
    "sobald sollte sollten würde würden hätte hätten wäre wären unless had were should imagine "
    "pretend let stell* nehmen tun",
)
# What a colon after these words opens is made up to show something.
EXAMPLE = re.compile(
    r"(?i)^[\s*#_-]*(?:[\w-]+\s+){0,3}(?:example|instance|sample|beispiel(?:satz)?|e\.\s?g\.|"
    r"z\.\s?b\.|goals?|targets?|option|variant|alternative|proposal|suggestion|idea|to-?do|"
    r"definition of done|hypothesis|assumption|scenario|lies?|template|ziele?|zielbild|"
    r"variante|vorschlag|idee|annahme|szenario|entwurf|vorlage|muster|lüge|rumou?rs?|gossip|"
    r"gerüchte?|satire|fake(?:[\s-]news)?|"
    r"(?:option|variante?|alternative|vorschlag|proposal|scenario|szenario)\s+\w{1,3})[\s*_]*$"
)
# Of what such a text tells, nobody says which part is so.
GAME = re.compile(
    r"(?i)\b(?:two truths (?:and|,)? ?(?:a|one) lie|zwei wahrheiten(?: und|,)? (?:eine|1) lüge|"
    r"which (?:one )?(?:of (?:these|them) )?is (?:the lie|a lie|made up|not true)|"
    r"welche (?:aussage|davon) ist (?:gelogen|falsch|die lüge)|was davon ist gelogen)\b"
)
# Verbs by which a text hands on what somebody says, thinks or asks: `Tom says`, `sie behauptete`.
SAYING = (
    r"says?|said|thinks?|thought|believes?|believed|claims?|claimed|tells?|told|writes?|wrote|"
    r"reckons?|hears?|heard|asks?|asked|wonders?|wondered|assumes?|suggests?|suggested|suspects?|"
    r"insists?|swears?|denies|denied|mentions?|mentioned|reported|stated|"
    r"sagt|sagte|sagen|meint|meinte|meinen|glaubt|glaubte|glauben|denkt|dachte|behauptet|"
    r"behauptete|behaupten|erzählt|erzählte|schreibt|schrieb|fragt|fragte|gefragt|hört|hörte|"
    r"vermutet|schwört|erwähnt|erwähnte|munkelt|munkeln|berichtet|berichtete|meldet|meldete|"
    r"es heißt"
)
REPORTED = worded(
    rf"{SAYING}|feels like|gehört\s*,|findet|fand|findet,|wollte wissen",
    after=r"\b(?=\s*(?:,|that\b|whether\b|if\b|what\b|how\b|me\b|us\b|him\b|them\b|you\b|everyone\b|"
    r"everybody\b|people\b|mir\b|uns\b|\"|„|“|he\b|she\b|it\b|"
    r"they\b|we\b|our\b|my\b|the\b|his\b|her\b|their\b|there\b|er\b|sie\b|es\b|dass\b|ob\b|"
    r"übrigens|"
    r"[A-ZÄÖÜ]\w+\s+(?:\w+\s+)?(?:is|are|was|has|had|will|lives?|works?|ist|hat|war|wird|wohnt|"
    r"lebt)))",
)
# A verb of saying before names, whose own verb follows: `claims Ravi and Ananya have split up`.
NAMES_REPORTED = worded(
    f"{SAYING}|reports|states",
    before=r"\b(?i:",
    after=r"\b),?\s+"
    r"(?:(?:Mr|Mrs|Ms|Dr|Herr|Frau)\.?\s+)?[A-ZÄÖÜ][\w'’-]*"
    r"(?:(?:\s[a-zäöü]\w*)?(?:,\s+|\s+(?:and|und|or|oder|&)\s+|\s+)[A-ZÄÖÜ][\w'’-]*){0,5}\s+"
    r"(?P<next>[a-zäöü][\w'’]*)",
)
CORRECTION = worded(
    r"actually|in (?:actual )?fact|correction|corrected|I (?:have|need|want) to correct|"
    r"(?:I|we) (?:was|were) wrong|my mistake|I misspoke|to be precise|I meant|eigentlich|in "
    r"wirklichkeit|in wahrheit|korrektur|korrigier\w*|berichtig\w*|richtig (?:ist|wäre|muss es)|"
    r"stimmt nicht|mein fehler|ich habe mich (?:geirrt|vertan|versprochen)|richtiggestellt|"
    r"genau genommen|tatsächlich|sorry, (?:it|that)|nein,|no,|falsch"
)
CORRECT_TOPIC = re.compile(
    r"(?i)\b(?:correct|correction (?:to|on|of|for)|korrigiere|korrigieren|korrektur (?:zu[mr]?|der|"
    r"des))\s+(?P<topic>(?:the|my|our|an?|die|der|das|den|dem|mein\w*|unser\w*)?\s*[^,:;.]+)$"
)
NOT_ONLY = Cue(
    r"(?i)(?:(?:\bnot|n['’]t) (?:simply )?(?:only|just|merely|solely)|"
    r"\bnicht (?:einfach )?(?:nur|bloß|lediglich))\b",
    by="only just merely solely nur bloß lediglich",
)
NEWER = worded(
    r"now|from now on|jetzt|nun|inzwischen|mittlerweile|neuerdings|ab sofort|von nun an|"
    r"nowadays|these days|künftig|with immediate effect|finally|endlich|as of|"
    r"effective immediately|going forward|ab jetzt|fortan|seitdem|meanwhile|by now"
)
ADDITIVE = worded(
    r"also|as well(?: as)?|too|additionally|in addition|another|besides|auch|ebenfalls|"
    r"ebenso|zusätzlich|außerdem|zudem|des weiteren|darüber hinaus|second|zweite[rsnm]?|"
    r"dritte[rsnm]?|weitere[rsnm]?|a further|on the side|nebenbei|nebenher|nebenberuflich|"
    r"arbeit\w+ (?:\w+ )*mit(?=\s*$)|sometimes|manchmal|gelegentlich|occasionally"
)
QUALIFIED = Cue(
    r"(?i)^\s*(?:mit|with|without|ohne)\s+"
    r"(?!(?:the|der|dem|den|einer?m?|an?)?\s*(?:new|neue[nrms]?)\b)"
    r"|\b(?:sogar|even|(?<!went )(?<!goes )(?<!gone )(?<!go )up to|bis zu|at most|"
    r"höchstens|mindestens|at least)\b",
    by="mit with without ohne sogar even up bis most höchstens mindestens least",
)
WITH_NEW = Cue(
    r"(?i)^\s*(?:thanks to|with|mit|dank)\s+(?:the|der|dem|den|our|unsere[rmn]?)?\s*"
    r"(?:new|neue[nrms]?)"
    r"\s+(?:[a-zäöü]\w+|[A-ZÄÖÜ]\w+(?=\s+[a-zäöü]))(?:\s+[a-z]+(?=\s+the\b))?",
    by="thanks with mit dank",
)
# Adverbs that leave what is said as it is: they order it in time or in the talk.
ADVERBS = worded(
    r"also|as well|too|now|from now on|still|just|currently|presently|already|"
    r"actually|definitely|finally|recently|lately|these days|nowadays|by the way|at the moment|"
    r"at present|for now|for the time being|anyway|of course|in fact|honestly|simply|certainly|"
    r"obviously|effective immediately|with immediate effect|going forward|meanwhile|by now|"
    r"at last|after all|for good(?!\s+[a-z])|once and for all|endgültig|ein für alle mal|"
    r"auch|ebenfalls|zusätzlich|außerdem|noch immer|immer noch|noch|schon|jetzt|nun|inzwischen|"
    r"mittlerweile|aktuell|derzeit|zurzeit|zur zeit|momentan|im moment|gerade|übrigens|eigentlich|"
    r"tatsächlich|ja|doch|halt|eben|einfach|bereits|weiterhin|nach wie vor|endlich|leider|"
    r"zum glück|natürlich|bei uns|neuerdings|ab sofort|von nun an|ab jetzt|künftig|"
    r"fortan|seitdem|erst|"
    r"in wirklichkeit|in wahrheit|nämlich|eh",
    before=r"(?i)(?<![\w-])",
    after=r"\b(?!-)",
)
# How much or how surely: of what is said they take nothing away, of what is denied they do.
DEGREE = worded(
    r"really|always|exactly|precisely|exclusively|only|strongly|absolutely|truly|"
    r"very much|a lot|all the time|all|both|immer|genau|ausschließlich|total|wirklich|sehr|gern|"
    r"gerne|am liebsten|nur|sogar|beide|alle",
    before=r"(?i)(?<![\w-])",
    after=r"\b(?!-)",
)
# What holds as a rule, for the most part, by the book or beside something else.
LIMITING = worded(
    r"usually|normally|generally|mainly|mostly|primarily|basically|officially|"
    r"personally|on the side|nebenbei|nebenher|nebenberuflich|meistens|hauptsächlich|vor allem|"
    r"offiziell|einmalig|hier",
    before=r"(?i)(?<![\w-])",
    after=r"\b(?!-)",
)
KEEP_ADVERB = re.compile(r"(?i)\b(?:all|alle|both|beide)\b")
EVENT_SINCE = Cue(
    r"(?i)\b(?:since|seit|"
    r"(?<!named )(?<!called )after|nach)\s+(?:the|our|dem|der|den|unsere[rmn]?)\s+"
    r"(?:(?:last|new|latest|letzten|neuen|jüngsten|first|second|third|[a-z]+th|ersten|zweiten|dritten|"
    r"(?-i:[a-zäöü]+t)en)\s+)?[^\W\d_]\w+(?=\s|,|$)",
    by="since seit after nach",
)
# `seit ein paar Monaten`, `for a few weeks now`: since when is not told.
A_WHILE_SINCE = Cue(
    r"(?i)\b(?:seit\s+(?:ein\s+paar|einigen|wenigen|mehreren)\s+"
    r"(?:tagen|wochen|monaten|jahren)|seit\s+(?:kurzem|neuestem)|"
    r"for\s+(?:a\s+few|a\s+couple\s+of|some|several)\s+(?:days|weeks|months|years)\s+now)\b",
    by="seit for",
)
AGAIN = worded("again|wieder|erneut")
END_EN = worded("no longer|not any longer|never again|not any ?more")
TAIL_EN = worded("any ?more|any longer")
END_DE = Cue(r"(?i)\b(?:nicht mehr|nicht länger|nie wieder|nie mehr)\b", by="mehr länger wieder")
NOT_EN = Cue(
    r"(?i)\b(?:not|never|won['’]t)\b|n['’]t\b|"
    r"(?:(?<=\bis)|(?<=\bare)|(?<=\bwas)|(?<=\bwere)|(?<=\bhas)|(?<=\bhave))nt\b",
    by="not never t isnt arent wasnt werent hasnt havent",
)
DID_NOT = Cue(r"(?i)\bdid(?:\s+not|n['’]?t)\b", by="not t didnt")
DO_NOT = Cue(r"(?i)\b(?:do|does|did)(?:\s+not|n['’]?t)\b", by="not t dont doesnt didnt")
NEITHER = worded("neither|weder", after=r"\b(?=.*\b(?P<nor>nor|noch)\b)")
NOT_YET = worded(r"not yet|noch nicht|noch kein\w*")
NOT_DE = worded("nicht|niemals|nie")
NONE_DE = Cue(r"(?i)\bkein(?:e[nrms]?)?\b", by="kein*")
NO_EN = Cue(
    r"(?i)(?:(?<=have)|(?<=has)|(?<=eat)|(?<=need)|(?<=needs)|(?<=sell)|(?<=charge)|"
    r"(?<=charges)|(?<=take)|(?<=takes)|(?<=drink)|(?<=drinks)|(?<=eats)|(?<=sells)|(?<=use)|"
    r"(?<=uses)|(?<=want)|(?<=wants)|(?<=keep)|(?<=keeps)|(?<=speak)|(?<=speaks)|(?<=pay)|"
    r"(?<=pays)|(?<=own)|(?<=owns)|(?<=wear)|(?<=wears))\s+no\b(?! longer\b| one\b| more\b)",
    by="no",
)
MORE_DE = worded("mehr")
STOPPED_EN = Cue(
    r"(?i)\b(?:(?:have|has|had)(?:n['’]t)? |['’]ve |['’]s )?(?:never |not )?"
    r"(?:stopped|quit|ceased|given up|gave up)\s+(?=[a-z]+ing\b)",
    by="stopped quit ceased given gave",
)
INSTEAD = Cue(
    r"(?i),?\s*\b(?:instead of|in place of|rather than|anstelle (?:von|der|des)|anstatt|statt|"
    r"replacing)\s+(?P<old>[^,;]+)",
    by="instead place rather anstelle anstatt statt replacing",
)
NO_LONGER_TAIL = Cue(
    r"(?i)(?:,\s*(?:and|und|but|aber)?|\s(?:and|und|but|aber))\s*(?:no longer|not any ?more|nicht "
    r"mehr|nicht länger)\s+(?P<old>[^,;]+)$",
    by="longer more anymore mehr länger",
)
NOT_TAIL = Cue(
    r"(?i),\s*(?:(?:and|und|but|aber)\s+)?(?:not|nicht|keine?[nrms]?)\s+(?P<old>[^,;]+?)\s*"
    r"(?:any ?more)?$",
    by="not nicht kein*",
)
NOT_BUT = Cue(
    r"(?i)\b(?P<cue>not|n['’]t|nicht|nicht mehr|no longer|keine?[nrms]?)\s+(?!only\b|just\b|"
    r"merely\b|nur\b|bloß\b|mehr nur\b)(?P<old>[^,;]+?),?\s+(?:but(?: rather)?|sondern)\s+",
    by="but sondern",
)
PREFERENCE = re.compile(r"(?i)\b(?:prefer\w*|bevorzug\w*|lieber)\b")
FILLER = Cue(
    r"(?i)^\s*(?:(?:and|but|so|then|und|aber|also|dann|denn|damit|hence|therefore|deshalb|daher|"
    r"somit|erst|that|dass|note that|remember that|remember|please note|oh|ach)\b[,:]?\s+|"
    r"(?:yes|no|ok(?:ay)?|well|right|ja|nein|gut|doch|danke|thanks|thank you|sorry|btw|hello|hi|"
    r"hey|hallo|exactly|genau|stimmt|sure|fyi|great|good|schön|super|klar|understood|verstanden)"
    r"\s*,\s+|(?:yes|yeah|yep|ja)\s+(?=(?:I|we|ich|wir)\b))+",
    by="and but so then und aber also dann denn damit hence therefore deshalb daher somit erst "
    "that dass note remember oh ach yes no ok okay well right ja nein gut doch danke thanks thank "
    "sorry btw hello hi hey hallo exactly genau stimmt sure fyi great good schön super klar "
    "understood verstanden yeah yep",
)
SUBORDINATE = Cue(
    r"(?i)^\s*(?:since when|seit wann|wann|wohin|woher|wieso|weshalb|"
    r"because|weil|which|who|whose|that|dass|wer|was|ob|whether|while|während|although|"
    r"though|obwohl|since\s+(?:i|we|you|he|she|it|they)\b|damit\s+(?:ich|wir|sie|er|es|du|man)\b|"
    r"so that|where|when|wo|wie|how|why|warum|what|if|falls|wenn|sofern|bevor|nachdem|"
    r"(?:before|after)\s+(?:i|we|you|he|she|it|they)\b|"
    r"bis\s+(?:ich|wir|sie|er|es|du|man)\b|until\s+(?:i|we|you|he|she|it|they)\b|as\s+(?:i|we|you|"
    r"he|she|it|they)\b|unless|sobald|solange|please|bitte|let|lass\w*|just|zumal|whereas|indem|"
    r"der|die|das|dem|den|deren|dessen)\b",
    by="since seit wann wohin woher wieso weshalb because weil which who whose that dass wer was "
    "ob whether while während although though obwohl damit so where when wo wie how why warum "
    "what if falls wenn sofern bevor nachdem before after bis until as unless sobald solange "
    "please bitte let lass* just zumal whereas indem der die das dem den deren dessen",
)
# Subordinate clauses that leave what the main clause says as it is: why, and what else.
BESIDE = re.compile(
    r"(?i)^\s*(?:because|weil|da|denn|zumal|which|whose|although|though|obwohl|whereas|"
    r"so that|damit|sodass|(?:as|since)\s+(?:i|we|you|he|she|it|they))\b"
)
# What follows from it leaves it as it is, too.
CONSEQUENCE = {
    "en": re.compile(r"(?i)^\s*(?:so|therefore|hence|thus)\b"),
    "de": re.compile(r"(?i)^\s*(?:also|deshalb|daher|darum|deswegen|somit|folglich)\b"),
}
RELATIVE_DE = re.compile(
    r"(?i)^\s*(?:in|mit|auf|von|für|an|bei|zu|aus)?\s*(?:der|die|das|dem|den|deren|dessen)\b"
)
SPLIT = re.compile(r",\s+|(?<=[^\W\d_])\s-+\s(?=[^\W\d_])|:\s+|\s+\((?=[^)]*\))")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
MOST_CUE = 60  # characters of a sentence that only announces a correction
CONTRASTING = re.compile(
    r"(?i)^\s*(?:and |und |but |aber )?(?:not|nicht|keine?[nrms]?|no longer|sondern|instead|statt|"
    r"rather|anstatt)\b"
)
CUE = re.compile(
    r"(?i)\s*(?:to be (?:precise|exact|accurate)|correction|korrektur|genau genommen|"
    r"um genau zu sein|sorry|I was wrong|my mistake|mein fehler|ich habe mich (?:geirrt|vertan)|"
    r"actually|in fact|"
    r"stimmt nicht|falsch|wrong)\s*$"
)
# Words that end on a verb of saying, before what is said: `She claims`, `hat er gesagt`.
REPORTING = re.compile(
    rf"(?i)\b(?:{SAYING}|gehört|heißt es|"
    r"(?:habe?n?|hast|hat|hatten?)\s.*\b(?:gesagt|erzählt|behauptet|geschrieben|gemeint|gelogen))"
    r"(?:\sübrigens)?\s*$"
)
TURN = re.compile(r"(?i)\s*(?:but|aber|doch|und|and)\s")
JOINED = re.compile(r"(?i)\s*(?:and|und)\s")
JOINT = re.compile(r"\s(?:and|und|but|aber)\s")
SUBJECT_START = re.compile(
    r"(?:(?i:the|my|our|his|her|their|its|this|i|we|he|she|they|it|ich|wir|er|sie|es|die|der|das|"
    r"mein\w*|unser\w*|ihr\w*|sein\w*|from|as of|ab|seit)\b|[A-ZÄÖÜ])"
)

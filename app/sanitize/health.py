"""What a text tells of somebody's health, in English and German: never that there are illnesses.

A word of an illness counts with the words that give it to somebody ("I have asthma"), a
measurement with its name, a medicine with its dose or with who takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.sanitize.cues import Cues
from app.sanitize.finds import Find

_ILLNESS_EN = (
    r"(?:(?:type [12] )?diabet\w{1,4}|asthma|(?:\w{1,12} )?cancer|leuk\w{1,8}|lymphoma|melanoma"
    r"|tumou?rs?|hiv|aids|hepatitis(?: [a-e])?|covid(?:-19)?|tuberculosis|malaria"
    r"|pneumonia|migraines?"
    r"|epilepsy|seizures?|parkinson\w{0,4}|alzheimer\w{0,4}|dementia|multiple sclerosis|arthritis"
    r"|osteoporosis|depression|bipolar(?: disorder)?|schizophrenia|anxiety|anorexia|bulimia|adhd"
    r"|autis[mt]\w{0,3}|ptsd|panic attacks?|eating disorders?|heart (?:attack|failure|disease"
    r"|condition)|strokes?|angina|hypertension|high blood pressure|arrhythmia|kidney (?:failure"
    r"|disease|stones?)|ulcers?|crohn\w{0,4}|colitis|celiac\w{0,8}|coeliac\w{0,8}|ibs"
    r"|lupus|psoriasis"
    r"|eczema|endometriosis|miscarriages?|abortions?|chlamydia|syphilis|gonorrh\w{2,4}|herpes"
    r"|anaemi[ac]|anemi[ac]|sleep apn(?:ea|oea)|fibromyalgia|thyroid \w{4,12}|glaucoma"
    r"|concussions?|insomnia|burnout|scoliosis|gout|lyme disease|alcoholism|addiction)"
)
_ILLNESS_DE = (
    r"(?:diabet\w{1,6}(?: typ [12])?|asthma|\w{0,16}krebs|leukämie|lymphome?|melanome?"
    r"|tumore?s?|hiv"
    r"|aids|hepatitis(?: [a-e])?|corona|covid(?:-19)?|tuberkulose|malaria|lungenentzündung|migräne"
    r"|epilepsie|parkinson|alzheimer|demenz|multiple[rn]? sklerose|arthrose|arthritis|rheuma"
    r"|osteoporose|depression(?:en)?|bipolare\w{0,2} störung|schizophrenie|angststörung(?:en)?"
    r"|magersucht|bulimie|essstörung|adhs|autismus|ptbs|panikattacken?|herzinfarkt|herzschwäche"
    r"|herzfehler|schlaganfall|angina|bluthochdruck|herzrhythmusstörungen|nierensteine?"
    r"|niereninsuffizienz|nierenversagen|magengeschwür|morbus \w{3,14}|colitis|zöliakie|reizdarm"
    r"|lupus|schuppenflechte|psoriasis|neurodermitis|endometriose|fehlgeburt(?:en)?|abtreibung"
    r"|chlamydien|syphilis|gonorrhö|herpes|anämie|blutarmut|schlafapnoe|fibromyalgie"
    r"|schilddrüsen\w{4,14}|grauen? star|gehirnerschütterung|bandscheibenvorfall|schlafstörungen"
    r"|burn-?out|skoliose|gicht|borreliose|alkoholsucht|spielsucht)"
)
_MEDICINE = (
    r"(?:fluoxetine?|sertraline?|citalopram|escitalopram|venlafaxine?|mirtazapine?|lithium"
    r"|quetiapine?|olanzapine?|risperidone?|ritaline?|methylphenidate?|metformine?|insuline?"
    r"|ozempic|semaglutide?|ibuprofen|paracetamol|aspirine?|diclofenac|tramadol|morphine?"
    r"|oxycodone?"
    r"|fentanyl|codeine?|penicillin|amoxicillin|antibiotics?|antibiotika|antidepressants?"
    r"|antidepressiva|beta[- ]?blockers?|betablocker|statins?|simvastatin|atorvastatin|ramipril"
    r"|bisoprolol|metoprolol|amlodipine?|warfarin|marcumar|eliquis|xarelto|omeprazole?"
    r"|pantoprazole?"
    r"|levothyroxine?|l-thyroxin|cortisone?|kortison|prednisolone?|methotrexate?|humira|prozac"
    r"|zoloft|xanax|valium|diazepam|lorazepam|zopiclone?|viagra|sildenafil|blood thinners?"
    r"|blutverdünner|painkillers?|schmerzmittel|schlaftabletten|sleeping pills|the pill)"
)
_ALLERGEN = (
    r"(?:penicillin|nuts|peanuts|erdnüsse|nüsse|latex|pollen|gluten|lactose|laktose|shellfish|bees?"
    r"|bienen\w{0,8}|wespen\w{0,8}|wasps?|dust|hausstaub\w{0,8}|eggs|eier|milk|milch|soy|soja|cats?"
    r"|katzen|dogs?|hunde|aspirin|ibuprofen|antibiotics|antibiotika|birke\w{0,8}|gras|gräser|nickel"
    r"|fish|fisch|strawberries|erdbeeren|sulfites?|iodine|jod)"
)
_WHO_EN = (
    r"(?:i|he|she|we|they|you|(?:my|his|her|our|their) [^\W\d]{1,20}|mum|mom|mother|dad|father"
    r"|grandma|grandpa|[A-Z][^\W\d]{1,20})"
)
_FEW = r"(?:[^\W\d][\w'’-]{0,20} ){0,3}"
_HEALTH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\w)diagnosed (?:with|as having) {_FEW}{_ILLNESS_EN}(?!\w)",
        r"(?<!\w)(?:suffer(?:s|ed|ing)? from|living with|lives with|recovering from|recovered from"
        r"|treated for|in remission from|died of|dying of|battling|survived|sick with|ill with) "
        rf"{_FEW}(?!depression in){_ILLNESS_EN}(?!\w)(?! in prices)",
        r"(?<!\w)(?:tested|test was|tests? came back) positive for (?:the )?"
        rf"{_FEW}{_ILLNESS_EN}(?!\w)",
        rf"(?<!\w)(?:have|has|had|having|got|'ve|’ve|'s got) {_FEW}{_ILLNESS_EN}(?!\w)"
        r"(?! (?:research|centre|center|charity|fund|ward|clinic|awareness))",
        rf"(?<!\w)(?:my|his|her) {_FEW}{_ILLNESS_EN}(?!\w)",
        r"(?<!\w)(?:the|these|those) panic attacks?(?!\w)",
        rf"(?<!\w)allergic to {_FEW}{_ALLERGEN}(?!\w)",
        rf"(?<!\w)(?:allergisch|allergie) (?:gegen|auf) {_FEW}{_ALLERGEN}(?!\w)",
        rf"(?<!\w){_MEDICINE}[ ,]{{1,2}}\d{{1,4}} ?(?:mg|µg|mcg|ml|g|ie|iu|units?)(?!\w)",
        r"(?<!\w)\d{1,4}(?:[.,]\d{1,2})? ?(?:mg|µg|mcg|ml|ie|iu|units?|einheiten) (?:of )?"
        rf"{_MEDICINE}(?!\w)",
        r"(?<!\w)(?:takes?|taking|took|prescribed|on|needs?|started|injects?|nehmen?|nimmt|nahm"
        r"|verschrieben|bekommt|bekomme|braucht|spritzt) "
        rf"{_FEW}{_MEDICINE}(?!\w)(?: 10\d)?",
        r"(?<!\w)(?:hiv|aids)[- ](?:positive?r?|infected|infiziert)(?!\w)",
        r"(?<!\w)(?:i'm|i’m|i am|she is|she's|she’s|is|was|got|am|who is) (?:[^\W\d]{1,12} "
        r"(?:weeks|months) |(?:\d{1,2} )(?:weeks|months) |now |just )?pregnant(?!\w)(?! pause)",
        r"(?<!\w)(?:bin|ist|war|wurde|sei|bist) (?:im [^\W\d]{1,12} monat "
        r"|in der \d{1,2}\.? ?woche "
        r"|wieder |jetzt |gerade )?schwanger(?!\w)",
        r"(?<!\w)(?:start\w{0,3}|began|begins?|having|has|had|need\w{0,3}|undergo\w{0,4}"
        r"|going through"
        r"|after|second|first|last|mit der|mit|nach der|eine|zur|bekommt|die \w{1,8}) "
        r"(?:her |his |my |a |round of |your )?(?:chemo(?:therap(?:y|ie))?|dialysis|dialyse"
        r"|radiotherapy|strahlentherapie|radiation therapy)(?!\w)",
        r"(?<!\w)(?:my|his|her|our|meine[rnm]?|seine[rnm]?|ihre[rnm]?) (?:new |old |neue[rn]? )?"
        r"(?:therapist|psychiatrist|psychologist|oncologist|cardiologist|gyn(?:a)?ecologist|shrink"
        r"|therapeut(?:in|en)?|psychiater(?:in)?|psycholog(?:e|in|en)|onkolog(?:e|in|en)"
        r"|kardiolog(?:e|in|en)|frauenarzt|frauenärztin|neurolog(?:e|in|en))(?!\w)",
        r"(?<!\w)icd(?:[- ]?1[01])?(?:-gm)?[: ]{1,2}[A-TV-Z]\d{2}(?:\.\d{1,2})?(?!\w)",
        r"(?<!\w)(?:diagnos(?:is|e|en|es)|diagnosed)[: ]{1,2}[A-TV-Z]\d{2}(?:\.\d{1,2})?(?!\w)",
        r"(?<!\w)(?:blood pressure|blutdruck)(?!\w)[^\n.!?;\d]{0,28}\d{2,3} ?(?:/|over|zu) ?\d{2,3}"
        r"(?!\d)",
        r"(?<!\w)(?:hba1c|blood sugar|blutzucker|cholesterol|cholesterin|bmi)(?!\w)"
        r"[^\n.!?;\d]{0,20}\d{1,3}(?:[.,]\d)?(?!\d)",
        r"(?<!\w)(?:blood (?:type|group)|blutgruppe)[: ]{1,2}(?:is |ist )?(?:AB|A|B|0|O) ?"
        r"(?:\+|-|rh\b|(?:negati|positi)[vf]e?)",
        # German.
        rf"(?<!\w)(?:leide[nt]?|litt|erkrankte?|gestorben|starb|verstarb|genesen) "
        rf"{_FEW}(?:an|unter|von) {_FEW}{_ILLNESS_DE}(?!\w)",
        rf"(?<!\w)(?:an|von|mit) {_FEW}{_ILLNESS_DE} (?:erkrankt|gestorben|infiziert|gelitten"
        r"|diagnostiziert)(?!\w)",
        rf"(?<!\w){_ILLNESS_DE} (?:[^\W\d][\w-]{{0,20}} ){{0,2}}(?:diagnostiziert"
        rf"|festgestellt)(?!\w)",
        rf"(?<!\w)diagnose[: ]{{1,2}}{_FEW}{_ILLNESS_DE}(?!\w)",
        rf"(?<!\w)(?:auf|an) {_ILLNESS_DE} (?:positiv )?getestet(?!\w)|(?<!\w)positiv (?:auf|an) "
        rf"{_ILLNESS_DE} getestet(?!\w)",
        rf"(?<!\w)(?<!wie )(?<!was )(?:habe|hat|hatte|hattest|hast|haben|hatten|bekam|erlitt) "
        rf"(?:(?:[^\W\d]|\d{{4}} )[\w-]{{0,20}} ?){{0,4}}?(?<!\w){_ILLNESS_DE}(?!\w)",
        rf"(?<!\w)(?:meine|seine|ihre|die) {_FEW}(?:panikattacken|migräne"
        rf"|depression(?:en)?|epilepsie"
        r"|schlafstörungen|demenz)(?!\w)",
        r"(?<!\w)(?:krankgeschrieben|krank geschrieben|arbeitsunfähig(?:keitsbescheinigung)?"
        r"|schwerbehindert\w{0,3}|on sick leave|signed off sick)(?!\w)",
        r"(?<!\w)(?:grad der behinderung|gdb)(?: von|:)? \d{2,3}(?!\d)",
    )
)
# Every pattern needs one of these; it is looked for around them alone.
_CUE_WORDS = (
    "diabet|asthma|cancer|krebs|leuk|lymphom|melanom|tumo|hiv|aids|hepatit|covid|corona|"
    "tuberk|tubercul|malaria|pneumon|lungenentz|migr|epilep|seizure|parkinson|alzheim|dement|"
    "demenz|sclerosis|sklerose|arthr|rheuma|osteop|depress|bipolar|schizo|anxiety|angstst|"
    "anorex|magersucht|bulimi|adhd|adhs|autis|ptsd|ptbs|panic|panik|disorder|störung|heart |"
    "herz|stroke|schlaganfall|angina|hypertens|blood|blutdr|bluth|blutg|bluta|blutv|blutz|"
    "arrhythm|kidney|niere|ulcer|geschwür|crohn|morbus|colitis|celiac|coeliac|zöliakie| ibs|"
    "reizdarm|lupus|psoria|flechte|eczema|dermitis|endometr|miscarr|abortion|fehlgeburt|"
    "abtreib|chlamyd|syphilis|gonorrh|herpes|anaemi|anemi|anämie|apnoe|apnea|fibromy|thyro|"
    "schilddrüs|glauco|grauen star|grauer star|concuss|erschütt|bandscheib|insomn|burnout|"
    "burn-out|scolio|skolio|gout|gicht|lyme|borrelio|alcoholi|alkohol|addict|sucht|fluoxetin|"
    "sertralin|citalopram|venlafax|mirtaz|lithium|quetiapin|olanzap|risperid|ritalin|methyl|"
    "metform|insulin|ozempic|semaglut|ibuprof|paracet|aspirin|diclof|tramad|morphin|oxycod|"
    "fentanyl|codein|cillin|antibio|betablock|beta-block|beta block|statin|ramipril|prolol|"
    "amlodip|warfarin|marcumar|eliquis|xarelto|prazol|cortison|kortison|prednis|methotrex|"
    "humira|prozac|zoloft|xanax|valium|zepam|zopiclon|viagra|sildenaf|painkill|schmerzm|"
    "schlaf|sleeping pill|the pill|allergi|pregnan|schwanger|chemo|dialys|radiother|strahlen|"
    "radiation|therap|psych|onkolog|oncolog|ardiolog|gynae|gynec|shrink|frauenarz|frauenärz|"
    "neurolog|icd|diagnos|hba1c|cholest|bmi|krank|arbeitsunf|behinder|gdb|sick"
)
_CUES = Cues(_CUE_WORDS.split("|"))
_AROUND = 120  # characters on either side of such a word that a pattern may reach


def health(text: str, lowered: str) -> Iterator[Find]:
    """What is told of somebody's health: an illness, a medicine, a measurement, a treatment.

    `lowered` is the text in lower case.
    """
    for start, end in _regions(text, lowered):
        region = text[start:end]
        for pattern in _HEALTH:
            for match in pattern.finditer(region):
                yield Find(start + match.start(), start + match.end(), "health")


def _regions(text: str, lowered: str) -> list[tuple[int, int]]:
    """The parts of a text around the words that matter, in order and free of overlaps."""
    if len(lowered) != len(text):  # a letter that is two in lower case moves all behind it
        return [(0, len(text))] if _CUES.held(lowered) else []
    regions: list[tuple[int, int]] = []
    for place in sorted(place for cue in _CUES.held(lowered) for place in _places(lowered, cue)):
        start, end = max(0, place - _AROUND), min(len(text), place + _AROUND)
        if regions and start <= regions[-1][1]:
            regions[-1] = (regions[-1][0], end)
        else:
            regions.append((start, end))
    return regions


def _places(lowered: str, cue: str) -> Iterator[int]:
    place = lowered.find(cue)
    while place >= 0:
        yield place
        place = lowered.find(cue, place + len(cue))

"""The patterns that give an attempt to command the reader of a memory away, in two languages.

They are matched against the folded view of a text (plain lower-case ASCII, no accents), and are
built from word families, so that what one phrase teaches holds for its relatives. Every gap and
every repetition is bounded: matching takes time linear in the text.
"""

# ruff: noqa: E501 - a pattern broken in the middle is harder to read than a long line
from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern of the marker `id`, tried where one of `cues` is in the text.

    `guarded`: what stands before the match decides whether it is a command.
    `named`: the group "name" must begin with a capital letter in the text itself.
    """

    id: str
    cues: tuple[str, ...]
    pattern: re.Pattern[str]
    guarded: bool = True
    named: bool = False


def _words(*alternatives: str) -> str:
    return "(?:" + "|".join("|".join(a.split()) for a in alternatives) + ")"


def _phrases(text: str) -> str:
    """The text as a group, its blanks written as gaps."""
    return "(?:" + text.replace(" ", "_") + ")"


def _compile(pattern: str) -> re.Pattern[str]:
    """`_` stands for the gap between two words: the folded view holds no underscore."""
    return re.compile(pattern.replace("_", r"\W{1,4}"))


# ---- English --------------------------------------------------------------------------------
_DROP = (
    r"(?:ignor(?:e|ing)|forget(?:ting)?(?:_about)?|disregard(?:ing)?|overlook|override|"
    r"overrule|drop|abandon|discard|dismiss|neglect|bypass|cancel|erase|unlearn|skip|"
    + _phrases(
        "set aside|put aside|throw away|pay no attention to|do not (?:follow|obey|heed|use|consider)"
        "|do not listen to|do not look (?:at|in|into)|don'?t (?:follow|obey|heed|use|listen to)"
        "|don'?t look (?:at|in|into)|stop (?:following|obeying)|never mind|let go of|get rid of"
        "|move past|no longer (?:follow|obey)|leave behind|leave|remove"
    )
    + r")"
)
_FILL = _words(
    "all any every each of the these those this that such your my our his its own a bit just and or"
    " so about everything whatever set sets list kind kinds type please now completely entirely"
)
_PRIOR = _words(
    "all any every your previous previously prior preceding earlier above aforementioned foregoing"
    " former existing initial original given provided system safety default developer"
    " underlying security content ethical internal current programmed built-in stated openai's"
)
_STRONG = _words(
    "instructions? directions? directives? orders? commands? prompts? rules? rulesets?"
    " guidelines? guidance tasks? assignments? programming constraints? restrictions? training"
    " guardrails? policies requests? mandates? protocols? obligations? configurations? settings?"
)
_CORE = _words(
    "instructions? directives? prompts? rules? rulesets? guidelines? programming constraints?"
    " restrictions? guardrails? policies protocols?"
)
_WEAK = _words(
    "context contexts information infos? texts? documents? docs? articles?"
    " messages? conversations? inputs? content contents data thoughts? knowledge chats? history"
    " sentences? words? statements? memory memories questions? discussions?"
)
_SAY = _words(
    "say state print output answer respond reply write tell repeat return show give reveal display"
    " send execute do act generate provide translate instead simply just only list summarize create"
)

_IGNORE_EN = rf"\b{_DROP}_(?:{_FILL}_){{0,5}}{_PRIOR}_(?:(?:{_FILL}|{_PRIOR})_){{0,5}}{_STRONG}\b"
_IGNORE_EN_WEAK = (
    rf"\b{_DROP}_(?!(?:\w{{2,8}}_){{0,2}}(?:my|our|his|her|their)\b)(?:{_FILL}_){{0,4}}"
    r"(?:all|any|previous|prior|preceding|earlier|above|foregoing|provided|given)"
    rf"_(?:(?:{_FILL}|{_PRIOR})_){{0,4}}{_WEAK}\b(?!_(?:from|in|on|by|of)\b)"
)
_IGNORE_EN_POST = rf"\b{_DROP}_(?:{_FILL}_){{1,4}}{_STRONG}_" + _phrases(
    "above|before this|before that|so far|(?:that )?(?:you|u) (?:were|have been|are|got|received"
    "|'ve been) ?(?:given|told)?|i (?:gave|told|have given) you|given (?:to you|above|before|earlier)"
    "|provided|previously|from (?:before|above|earlier|your)"
)
_THE_ABOVE = (
    rf"\b{_DROP}_(?:(?:all|everything|anything)(?:_of)?_)?"
    r"(?:the|everything|anything|all)_(?:above|foregoing|preceding|aforementioned)"
    rf"(?=[^\w\n]{{0,3}}(?:[.!?;:,\n\"']|$)|_(?:and|but|then|instead|text|prompt|now)\b|_{_SAY}\b)"
)
_SAID_EN = (
    rf"\b(?:{_DROP}|ign\w{{1,5}})_(?:{_FILL}_){{0,3}}(?:what|everything|anything|all)(?:_that)?_"
    r"(?:i|we|you|they|he|she|was|were|has|have|you've|i've|we've|you're)\b"
    r"(?:_(?!about\b)\w{1,14}){0,4}?_"
    r"(?:said|told|discussed|instructed|learned|learnt|know|wrote|written|talked|taught|asked|"
    r"before|above|earlier|previously|beforehand|so[\W]far)\b(?!_about\b)"
)
_PAGE_AND_SAY = (
    r"\b(?:ignore|disregard|forget|skip)_(?:the|this|that)_(?:\w{2,14}_){0,2}"
    r"(?:webpage|page|website|email|e[\W]?mail|resume|cv|function|document|paper|article|table|code|"
    r"text|question|context|description|transcript|review|note|data|content|input|message|task|file|user|customer|human|sender|request|rest)s?"
    rf"(?:_(?:above|below))?_(?:and|then|but)_(?:instead_)?{_SAY}\b"
)
_NOT_BY_DOCS = _phrases(
    "answer (?:this )?(?:question )?(?:by|with|from|using) your own knowledge"
    "|not (?:by|from|according to|based on) the (?:provided )?(?:articles?|documents?|context|docs)"
    "|according to the provided documents but|disregarding the (?:articles?|documents?|context|above)"
)
_DESPITE_EN = (
    r"\b(?:regardless_of|contrary_to|despite|notwithstanding|deviating_from|"
    r"instead_of_following|unlike)_"
    rf"(?:(?:{_FILL}_){{0,3}}(?:previous|prior|preceding|earlier|above|your|existing|original)"
    rf"_(?:(?:{_PRIOR})_){{0,2}}{_STRONG}|what_you[\W]{{0,2}}(?:ve|were|have)"
    r"_(?:been_)?(?:told|taught|instructed))"
)
_VOID_EN = (
    r"\ball(?:_of)?(?:_(?:the|your|these))?_(?:previous|prior|preceding|earlier|above)"
    rf"_(?:{_STRONG}|{_WEAK})(?:_\w{{1,12}}){{0,5}}?_(?:is|are|was|were)_"
    r"(?:now_|hereby_|no_longer_)?(?:void|invalid|irrelevant|cancell?ed|obsolete|"
    r"revoked|replaced|superseded|wrong|null|overridden|not_(?:relevant|valid|important|quite|so))"
)
_NOT_BOUND = (
    rf"\b(?:the|your|all|any|these)_(?:previous|prior|preceding|earlier|above|original|initial)_{_CORE}_"
    r"(?:do_not|don'?t|no_longer)_(?:apply|count|hold|matter)\b"
    r"|\byou_(?:are_)?(?:no_longer|not)_(?:bound_by|restricted_by|limited_by|subject_to|have_to_(?:follow|obey)|need_to_(?:follow|obey))_"
    rf"(?:{_FILL}_){{0,3}}(?:{_PRIOR}_|openai_|anthropic_|\w{{3,12}}'s_){{0,2}}(?:{_CORE}|limitations?|filters?|ethics|laws)\b"
    r"|\b(?:act|respond|answer|behave|reply|ai|model|assistant|chatbot|bot|dan)_(?:\w{1,12}_){0,5}?(?:without|(?:have|has|had|with)_no|free_(?:of|from))_"
    r"(?:any_|all_)?(?:\w{3,14}_)?(?:restrictions|guidelines|rules|filters?|limits|limitations|constraints|censorship|ethics|safeguards)\b"
    r"|\b(?:ki|antworte|handle|modell|chatbot|assistent|verhalte)_(?:\w{1,14}_){0,5}?ohne_(?:jegliche_|alle_|irgendwelche_)?(?:\w{4,14}_)?"
    r"(?:regeln|einschrankungen|beschrankungen|filter|grenzen|richtlinien|zensur)\b"
    r"|\bobey_(?:only_)?(?:me|my)\b|\bfollow_only_my_(?:instructions|commands|orders)\b"
)
_FORGET_ALL_EN = (
    r"\b(?:forget|disregard|ignore|unlearn)(?:_about)?_(?:absolutely_|simply_)?"
    r"(?:everything|all)(?:_(?:that|of_(?:that|this|it)))?"
    r"(?=[\W]{0,3}(?:$|[.,!?;:\n\"'-])|_(?:and|you|i|we|before|that|from|so|now|"
    r"print|say|write|tell|output|else|earlier|which|said|learned)\b)"
)
_MEMORY_EN = (
    r"\b(?:wipe|clear|erase|reset|delete|flush)_(?:all_(?:of_)?)?your_"
    r"(?:entire_|whole_|previous_)?(?:memory|memories|context|instructions|history|"
    r"programming|training)\b"
)
_CHANGE_EN = (
    r"\b(?:change|replace|update|modify|rewrite|amend|alter|override|overwrite|overrule|bypass|circumvent|"
    rf"violate|break|subvert|reset|suspend|disable|deactivate|turn_off)_(?:{_FILL}_){{0,3}}"
    r"(?:your|previous|prior|system|safety|existing|preceding|earlier|openai'?s?|original)_"
    rf"(?:{_PRIOR}_){{0,3}}(?:{_CORE}|filters?|safeguards?|moderation|limitations?|ethics)\b"
)
_NOW_INSTRUCTIONS = (
    r"\byour_(?:new_|only_|real_|actual_|true_){0,2}"
    r"(?:instructions?|directives?|orders?|task|mission|goal|objective|purpose)_(?:is|are|will_be)"
    r"_(?:now|from_now_on|henceforth|changed)\b"
    r"|\byour_new_(?:instructions?|directives?|orders?|objective)_(?:is|are)\b"
)
_LABEL_START = (
    r"(?:^|(?<=[\n.!?;:\"'(\[{<>|*#-])|(?<=[\n.!?;:\"'(\[{<>|*#-] ))[ \t*#>\"'(\[{-]{0,6}"
)
_NEW_LABEL = (
    _LABEL_START + r"(?:here_(?:are|is)_|these_are_)?(?:the_|your_)?"
    r"(?:new|updated|additional|revised|further|real|actual|important)_(?:system_|secret_)?"
    r"(?:instructions?|directives?|orders|commands?|statement|prompt)"
    r"(?:_(?:follow|for_you|below))?[ \t*\"'\])]{0,4}(?::|[ ]-[ ]|=>?)"
)
_NEW_TASK_EN = (
    r"\b(?:(?:focus|concentrate)_(?:now_)?on_(?:your_(?:new|next|following|real)|the_new)_task"
    r"|(?:focus|concentrate)_(?:only_|solely_)on_this_task"
    r"|(?:now|here|next)_(?:comes?|follows?|are|is)_(?:a_few_|the_|your_|some_|a_)?"
    r"(?:new|more|further|next|second)_(?:tasks?|instructions?|assignments?|orders?|tests?)"
    r"|now_(?:new|further|more)_(?:tasks?|instructions?|orders?)_(?:are|follow|come|will)\w{0,6}"
    r"|now_there_are_(?:a_few|some)_more_tasks"
    r"|(?:we_|let'?s_|let[\W]us_)?(?:start|begin)_(?:over_|again_|anew_)?with_a_new_task"
    r"|that_is_(?:done|enough|finished)[\W]{1,4}now_(?:please_)?(?:write|help|answer|tell|say|print|show|give|create|draft))\b"
)
_SYSTEM_LABEL = (
    _LABEL_START
    + r"(?:new_|the_)?system_(?:prompt|message(?=[^\n]{0,60}\b(?:you|your|ignore|obey|must|forget|disregard)\b)|instructions?|override|"
    r"directive|command)[ \t*\"'\])]{0,4}(?::|=(?!=))"
)
_PROMPTS = (
    r"(?:system_|pre[\W]?|initial_|hidden_|secret_|original_|internal_|"
    r"full_|entire_|complete_|whole_|previous_|prior_|exact_|above_|"
    r"preceding_|developer_|starting_|base_|first_){0,4}"
)
_TELL = _words(
    "print reveal show display output repeat tell give send share leak expose return dump list write"
    " copy recite disclose provide spell spellcheck check summarize showing type echo post translate"
    " what's whats paraphrase render format encode"
)
_REVEAL_EN = (
    rf"\b{_TELL}(?:_(?:me|us|out|back|again|down|and|display|a|copy|of|with|exactly|verbatim|the|"
    r"contents?|text|all|everything|in|check|each|is|what|are|here)){0,7}_your_"
    + _PROMPTS
    + r"(?:(?:system_)?prompts?|prompt_texts?|system_(?:message|instructions?)|instructions?|"
    r"directives|guidelines|embeddings|programming)\b"
    rf"|\b{_TELL}(?:_(?:me|us|out|back|a|copy|of|the|all|this|full|and|display|above|previous|"
    r"preceding|entire|complete|initial|original|system|text)){1,7}_"
    r"(?:(?:system|initial|full|original|entire|complete|hidden|above|previous|whole)_(?:prompts?|instructions?)"
    r"(?:_texts?)?|prompt_texts?|instructions?_(?:above|before))\b"
    r"|\b(?:output|print|repeat|reveal|display)_(?:the_)?(?:above|previous|preceding|initial)_"
    r"(?:instructions?|prompts?|text)\b"
    r"|\ball_(?:of_)?(?:the_|your_)?(?:text_above|prompt_texts?)\b"
    r"|\bspell[\W]?check_(?:and_\w{1,10}_)?(?:all_of_)?(?:the_|this_)(?:text_above|above|prompt)"
    r"|\b(?:repeat|print|output)_(?:all_(?:of_)?)?(?:the_)?(?:words|text|sentences|everything)"
    r"_(?:above|before_this)\b"
)
_WHAT_PROMPT_EN = (
    r"\b(?:what|which)_(?:are|were|is|was|s|do|does)_your_"
    + _PROMPTS
    + r"(?:prompts?|instructions|system_(?:prompt|message))\b(?!_(?:for|about|on|from|to)\b)"
    r"|\bwhat_(?:your_)(?:initial|original|system|first|previous)_(?:instructions|prompt)_(?:were|was|are|is)\b"
    r"|\bwhat_(?:is|was|were|are|stands)_(?:written|said|the_\d_sentences?|stated)"
    r"_(?:above|before_the_text|(?:at_the_(?:beginning|start)_of|in)_(?:this|the|your)_prompt)\b"
)
_YOU_ARE_NOW = r"(?:(?<!where )(?<!as )(?<!who )(?<!what )\byou_are_now|\b(?:now|from_now_on)_you[\W]{0,2}(?:[\W]are|re)|\byou'?re_now)_"
_PERSONA = _YOU_ARE_NOW + (
    r"(?:(?:a|an|the|my|in|going_to_(?:be|act_as)|called|named|known_as|acting_as|"
    r"playing|operating_as)_){0,2}(?:\w{1,15}_){0,2}"
    r"(?:evil|unrestricted|unfiltered|uncensored|jailbroken|unbound|immoral|amoral|rogue|\w{0,14}gpt|\w{2,14}bot|"
    r"dan|free_(?:of|from)|freed|liberated|no_longer_(?:bound|an?_|restricted)|"
    r"(?:developer|god|debug|admin|sudo|root|dan|jailbreak)_mode|assistant|ai|chatbot|language_model|"
    r"hacker|terminal|pirate|journalist|character|entity)\b"
)
_NAMED = (
    _YOU_ARE_NOW
    + r"(?:called_|named_|known_as_)?(?!(?:senior|junior|head|chief|vice|director|manager|ceo|cto|members?|level|connected|subscribed|registered|ready|part)\b)(?P<name>[a-z]\w{1,20})"
)
_NAMED_DE = (
    r"\b(?:jetzt|nun|ab_(?:jetzt|sofort))_(?:bist_du|sind_sie)_(?P<name>[a-z]\w{1,20})"
    r"(?=_[a-z]\w{1,20}[\W]|[,.])"
)
_FROM_NOW = (
    r"\bfrom_(?:now|here|this_(?:point|moment))_(?:on|onwards?|forward)?[\W]{0,3}"
    r"(?:you_(?:will_|must_|shall_|should_|are_to_|are_going_to_)?(?:only_|always_)?)?"
    r"(?:act|behave|respond|reply|answer|speak|pretend|roleplay|simulate|obey)\b"
)
_PRETEND = (
    r"\b(?:pretend|imagine|act_as_if|act_like|suppose|simulate|assume)_(?:that_)?"
    r"(?:you'?(?:[\W]are|re|[\W]were)|to_be|being)_(?:an?_|the_|my_)?(?:\w{2,14}_){0,2}?"
    r"(?:evil|unrestricted|unfiltered|uncensored|immoral|amoral|jailbroken|malicious|rogue|ai|a\.i|chatbot|bot|"
    r"language_model|llm|gpt|dan|terminal|interpreter|not_(?:an?_)?(?:ai|bound))\b"
    r"|\bpretend_(?:that_)?you_(?:can|have)_(?:access|no_(?:rules|restrictions|limits))"
)
_ACT_MACHINE = (
    r"\b(?:act|behave|respond|function|work)_(?:as|like)_(?:an?_|the_)?(?:\w{2,14}_){0,2}"
    r"(?:terminal|interpreter|console|shell|unrestricted|unfiltered|uncensored|jailbroken|evil|dan)\b"
    r"|\bi_want_you_to_act_as\b(?=[^\n]{0,400}\b(?:i_will_(?:type|provide|give|speak|be|write|ask)|"
    r"your_task|you_will|do_not_write|only_reply))"
)
_RADICAL = (
    r"\bwhere_you_(?:are|were)_(?:no|not|free)_(?:\w{2,14}_){0,3}(?:but|and|of|from)\b"
    r"|\byou_are_(?:role[\W]{0,2}playing|playing_the_role)\b"
    r"|\b(?:stay|remain)_in_character\b"
    r"|\bwithout_(?:\w{2,10}_){0,2}(?:falling|breaking|stepping)_out_of_(?:\w{2,10}_)(?:figure|characters?|roles?)\b"
    r"|\b(?:do_not|don'?t|never|not)_break_(?:out_of_)?character\b"
    r"|\bnow_you_act_as\b"
)
_DAN = (
    r"\b(?:act_as_(?:a_)?|you_(?:can|will|may|must|are_a|are_now_a|shall|and|which|who)_(?:can_)?|to_|called_|stands_for_|a_|^[\W]{0,3}|[.!?:;,\n\"'][\W]{0,3})"
    r"do_anything_now\b|\bdan_mode\b|\b(?:act|respond|answer|reply|behave)_as_dan\b"
    r"|\bmach(?:e|st|en[\W]sie)?_(?:jetzt_)?alles_jetzt\b|\bdan_modus\b"
)
_BANNER = (
    r"(?<![-=*#~<\[])[-=*#~<\[]{3,80}[ \t]{0,3}(?:end|begin|start|ende|beginn|anfang)(?:[ \t]{0,3}(?:of|des|der|vom))?(?:[ \t](?:the|my|your|user|system|dieses|deines)){0,3}"
    r"[ \t]{0,3}(?:prompts?|instructions?|context|input|documents?|conversation|system|message|anweisung(?:en)?|kontext\w{0,2}|systemprompts?|eingabe)?"
    r"[ \t]{0,3}(?:[-=*#~>\]]{2,80}|[.:!\n]|$)"
    r"|(?<![-=])[-=]{2,80}[ \t]{0,3}(?:system|prompt|instructions?)[ \t]{0,3}[-=]{2,80}"
    r"|</?[ \t]{0,3}(?:system|systemprompt|system[- ](?:prompt|message|instructions?|mode)|instructions?|assistant|user[- ]input|"
    r"recalled-memory-context|prompt|untrusted|developer)(?:[ \t][^<>\n]{0,80})?[ \t]{0,3}/?>"
    r"|<\|[a-z -]{2,24}\|>|\[/?inst\]|<</?sys>>|<\\?system[ -]mode>|^#{2,4}[ \t]{0,3}(?:system|instructions?|new instructions?|systemprompt)[ \t]{0,3}(?::|$)|(?:^|(?<=[\n]))\[/?(?:system|assistant)\](?=[:\s])"
    r"|<(?:now[ \t])?(?:entering[ \t])?(?:\w{2,14}[ \t]){0,3}mode(?:[ \t]\w{2,12})?>"
    r"|</?(?:function[- ]calls?|tool[- ](?:call|use|result)s?|antml:[a-z]{2,20})(?:[ \t][^<>\n]{0,80})?>"
)
_MODE = (
    r"\b(?:system|god|developer|debug|sudo|admin|root|maintenance|jailbreak|override|dan)_mode_"
    r"(?:is_|now_)?(?:activated|enabled|on|engaged|unlocked)\b"
    r"|\b(?:i'?m|i_am|am)_(?:now_)?(?:entering|initiating|activating|running)_(?:an?_|the_)?(?:\w{2,16}_){1,3}"
    r"(?:mode|override|audit|check|upgrade|reset|diagnostics?)\b"
    r"|\b(?:enter|switch_to|go_into|activate|enable|simulate)_(?:the_)?(?:god|developer|debug|dan|jailbreak|unrestricted|sudo|root)_mode\b"
    r"|\bas_(?:an_ai_developed_by_\w{2,14}|your_(?:creator|developer|administrator|owner|programmer|master))_i\b"
    r"|\bi(?:'m|_am)_(?:actually_)?(?:your_(?:developer|creator|administrator|programmer|admin|god)|god\b(?=_and_you)|a_(?:system_)?developer_running)\b"
    r"|\bi_command_you\b"
    r"|\bals_(?:von_\w{2,14}_entwickelte_ki|dein_(?:entwickler|schopfer|administrator))\b"
    r"|\bich_bin_(?:dein|ihr|euer)_(?:entwickler|schopfer|schoepfer|administrator|programmierer|gott)\b"
    r"|\b(?:system|gott|god|entwickler|debug|admin|wartungs|jailbreak|dan)[\W]{0,2}modus_(?:ist_)?(?:aktiviert|an|aktiv|eingeschaltet)\b"
    r"|\bich_befehle_(?:dir|ihnen)\b"
)
_SECRET = (
    r"(?:passwords?|passwort|passworter|kennwort|passcodes?|pass[\W]?phrases?|pass[\W]?code[\W]phrase|secret_(?:key|code|word|password)|"
    r"api_(?:keys?|schlussel)|credentials?|access_tokens?|zugangsdaten|geheim(?:er|en)?[\W]{0,2}(?:schlussel|code|wort)|geheimwort|private_keys?)"
)
_ASK_SECRET = (
    r"\b(?:what(?:'s|[\W]is|[\W]was)|tell_me(?:_what)?|give_me|share(?:_with_me)?|reveal|confirm|provide|print|"
    r"show_me|send_me|(?:(?:can|could|will|would|if)_)you_(?:give_me|share(?:_with_me)?|tell_me))_(?:what_)?your_(?:\w{2,10}_)?"
    + _SECRET
    + r"\b|\b(?:tell_me|give_me|reveal|confirm|provide|share)_(?:to_me_)?(?:the_)(?:secret_|user'?s?_|system_|admin_|\w{3,10}'s_){0,2}"
    + _SECRET
    + r"\b(?!_(?:reset|policy|manager|field|rules?|protect|to_(?:the|my|our)))"
    r"|\b(?:poem|haiku|song|story|rap|limerick|sonnet|gedicht|lied|geschichte)_(?:about|with|of|uber|ueber|mit)_(?:the|your|das|dein)_"
    + _SECRET
    + r"\b|\b(?:write|encode|spell|schreibe?n?|kodiere|buchstabiere)_(?:sie_)?(?:the|your|das|den|dein|die)_"
    + _SECRET
    + r"_(?:in|as|using|backwards|als|ruckwarts|mit)\b"
    r"|\bwie_(?:lautet|ist|heisst)_(?:dein|ihr|euer|deine|ihre)_"
    + _SECRET
    + r"\b|\b(?:dein|ihr|euer)_"
    + _SECRET
    + r"_(?:\w{2,14}_){0,4}(?:mit_mir_zu_teilen|geben|verraten|nennen|teilen|mitteilen)\b"
    r"|\b(?:nenne?|verrate?|gib|sag|teile?|zeige?)_(?:mir_)(?:bitte_)?(?:dein|ihr|euer|das|den|deine|ihre|die)_(?:\w{4,12}_)?"
    + _SECRET
    + r"\b"
)
_EXFILTRATE = (
    r"\b(?:send|forward|post|upload|email|exfiltrate|transmit|leak)_(?:all_|the_|this_|your_|every_|of_|entire_|full_|whole_|complete_|user'?s?_){1,4}"
    r"(?:chat_history|conversation(?:_history)?|memor(?:y|ies)|credentials|passwords|api_keys?|secrets|system_prompt)"
    r"_(?:\w{2,12}_){0,3}to\b"
    r"|\b(?:sende?n?|schicke?n?|leite?n?|ubermittle)_(?:sie_)?(?:den_|die_|alle_|das_|gesamten?_|deine_|ganzen?_){1,3}"
    r"(?:chatverlauf|gesprachsverlauf|konversation|erinnerungen|zugangsdaten|passworter|api[\W]?schlussel|systemprompt|geheimnisse)\b"
)
_COERCE = (
    r"\b(?:respond|reply|answer)_(?:to_)?(?:all|every|any|each)_(?:\w{2,10}_)?questions?_(?:only_)?with(?=\W{0,3}[:\"']|_(?:i|yes|no|the_(?:word|phrase)|a_yes|a_no|only)\b)"
    r"|\bevery_time_you_(?:get|are_asked|receive)_(?:\w{1,10}_){0,2}(?:question|message|prompt)\w{0,2}_(?:answer|respond|reply|say)\b"
    r"|\bdo_not_answer_(?:this|the|that)_question\b|\bdon'?n?'?t_answer_(?:this|the|that)_question\b"
    r"|\b(?:just|only)_output\b|\brepeat_after_me\b"
    r"|\b(?:stop|halt|stopp)_(?:write|say|print|output|schreibe?|sage?)\b"
    r"|\bdo_not_reply_with_[\"']?i'?m_sorry"
    r"|\b(?:beantworte|antworte)_(?:\w{1,10}_){0,3}(?:jede|alle)n?_(?:\w{1,10}_)?fragen?_(?:(?:nur|immer|ausschliesslich|stets)_)?mit(?=\W{0,3}[:\"']|_(?:ja|nein|dem_wort)\b)"
    r"|\bbeantworte_diese_frage_nicht\b|\bsprich_mir_nach\b"
)

# ---- German ---------------------------------------------------------------------------------
_DROP_DE = (
    r"(?:ignorier(?:e|t|en_sie)?|vergiss|vergesst|vergessen_sie|missacht(?:e|et|en_sie)|"
    r"ubergeh(?:e|en_sie)|uberschreib(?:e|en_sie)|umgeh(?:e|en_sie)|verwirf|verwerfen_sie|"
    r"hoe?r(?:e|en_sie)?_nicht_(?:mehr_)?auf|folg(?:e|en_sie)_nicht(?:_mehr)?|"
    r"(?:beacht|befolg)(?:e|en_sie)_(?:nicht|keine)(?:_mehr)?|"
    r"halt(?:e|en_sie)?_(?:dich|sich)_nicht_(?:mehr_)?an|setz(?:e|en_sie)?_(?:dich|sich)_uber)"
)
_FILL_DE = _words(
    "jetzt nun bitte einfach mal sofort komplett ganz vollig die den das der dem diese[nrs]? jene[nr]? von vom"
    " dir ihnen uns und oder mir zuvor davor hier auch ab dann also aber doch"
)
_PRIOR_DE = _words(
    "alle[nrs]? samtliche[nrs]? saemtliche[nrs]? jede[nrs]? deine[nrs]? ihre[nrs]? eure[nrs]? bisherige[nrs]? vorherige[nrs]?"
    " vorige[nrs]? vorangehende[nrs]? vorangegangene[nrs]? vorhergehende[nrs]? obige[nrs]? obengenannte[nrs]? fruhere[nrs]?"
    " fruehere[nrs]? bestehende[nrs]? ursprungliche[nrs]? urspruengliche[nrs]? vorstehende[nrs]? gegebene[nrs]? erhaltene[nrs]?"
    " letzte[nrs]? alte[nrs]? bereitgestellte[nrs]? geltende[nrs]? interne[nrs]? eigene[nrs]? voreingestellte[nrs]?"
)
_STRONG_DE = _words(
    "(?:system)?anweisung(?:en)? befehle?n? instruktion(?:en)? aufgaben? auftrage?n? auftraege? vorgaben? regeln? richtlinien?"
    " angaben anordnung(?:en)? direktiven? (?:system)?prompts? programmierung beschrankung(?:en)? beschraenkung(?:en)?"
    " einschrankung(?:en)? hinweise? vorschriften sicherheitsregeln sicherheitsvorgaben grundregeln weisungen"
    " arbeitsauftrage? leitlinien anleitung(?:en)? einweisung(?:en)?"
)
_WEAK_DE = _words(
    "information(?:en)? kontext(?:e|es)? texte?s? dokumente?n? artikel(?:n|s)? nachrichten? ausfuhrung(?:en)? ausfuehrung(?:en)? inhalte?n?"
    " unterhaltung(?:en)? gesprach(?:e|s|en|sverlauf)? eingaben? daten wissen chatverlauf gedanken gesagte obige eingabeaufforderung"
)
_CORE_DE = _words(
    "(?:system)?anweisung(?:en)? befehle?n? instruktion(?:en)? vorgaben regeln richtlinien direktiven?"
    " (?:system)?prompts? auftrage?n? auftraege programmierung beschrankung(?:en)? beschraenkung(?:en)?"
    " einschrankung(?:en)? sicherheitsregeln sicherheitsvorgaben grundregeln weisungen"
)
_LAID_ASIDE_DE = (
    rf"\blass(?:e|en_sie)?_(?:(?:{_FILL_DE}|{_PRIOR_DE})_){{1,6}}(?:{_STRONG_DE}|{_WEAK_DE})_"
    r"(?:hinter_(?:dir|sich)|beiseite|ausser_acht|aussen_vor|unbeachtet)\b"
    rf"|\b(?:beacht|befolg)(?:e|en_sie)_(?:(?:{_FILL_DE}|{_PRIOR_DE})_){{1,6}}(?:{_STRONG_DE}|{_WEAK_DE})_"
    r"(?:nicht|keinesfalls|auf_keinen_fall)\b"
    rf"|\b(?:losch|loesch|streich)(?:e|en_sie)_(?:(?:{_FILL_DE}|{_PRIOR_DE})_){{1,6}}{_CORE_DE}\b"
    r"|\b(?:losch|loesch|leer)(?:e|en_sie)_(?:bitte_|jetzt_|sofort_)?(?:dein|ihr)(?:en|e)?_(?:gesamten?s?_|ganzen?s?_)?"
    r"(?:gedachtnis|erinnerung(?:en)?|kontext|speicher|wissen)\b"
    r"|\b(?:befolg|gehorch)(?:e|en_sie)_(?:(?:ab|jetzt|sofort|nun|bitte)_){0,3}nur_(?:noch_)?(?:meine[nr]?|mir)\b"
)
_IGNORE_DE = (
    rf"\b{_DROP_DE}_(?:{_FILL_DE}_){{0,5}}{_PRIOR_DE}_(?:(?:{_FILL_DE}|{_PRIOR_DE})_){{0,4}}"
    rf"(?:{_STRONG_DE}|{_WEAK_DE})\b"
)
_POST_DE = (
    rf"\b{_DROP_DE}_(?:{_FILL_DE}_){{1,4}}{_STRONG_DE}_(?:oben|zuvor|davor|von_(?:oben|vorhin|vorher|eben)|"
    r"die_(?:du|sie|dir|ihnen|ich)\b)"
)
_SAID_DE = (
    r"\b(?:vergiss|vergesst|vergessen_sie|ignorier(?:e|t|en_sie)|ho(?:e)?r(?:e|en_sie)?_nicht_(?:mehr_)?auf|streich(?:e|en_sie)|losch(?:e|en_sie))"
    r"_(?:(?:jetzt|nun|bitte|einfach|mal|sofort|doch)_){0,2}(?:alles|das_(?:obige|vorherige|bisherige|gesagte|ganze))"
    r"(?:_(?:zuvor|davor|vorher|bisher|oben|gesagte|bisherige|vorherige|vorangegangene|obige|andere|uber))?"
    r"(?=[\W]{0,3}(?:$|[.,!?;:\n\"'-])|_(?:und|was|gesagte|davor|zuvor|sondern|stehende|schreibe?|sage?|oben|vorher)\b)"
)
_LETTING_GO_DE = (
    r"(?:(?:zu_)?(?:ignorieren|vergessen|missachten|verwerfen|loschen|ubergehen)|ignorierst|vergisst|missachtest|"
    r"aus_dem_kopf_(?:zu_)?streichen|hinter_(?:sich|dir)|ausser_acht|beiseite)\b"
)
_INFINITIVE_DE = (
    rf"\b(?:die|alle[ns]?|samtliche[nrs]?|deine|ihre|saemtliche)_(?:(?:{_FILL_DE}|{_PRIOR_DE})_){{0,3}}"
    r"(?:bisherige[nr]?|vorherige[nr]?|vorige[nr]?|vorangehende[nr]?|vorangegangene[nr]?|vorhergehende[nr]?|obige[nr]?|fruhere[nr]?|ursprungliche[nr]?)_"
    rf"(?:{_STRONG_DE}|{_WEAK_DE})_(?:(?:{_FILL_DE}|komplett|vollstandig)_){{0,2}}{_LETTING_GO_DE}"
    rf"|\b(?:alle_)?(?:deine|ihre)_{_CORE_DE}_(?:(?:{_FILL_DE}|komplett|vollstandig)_){{0,2}}{_LETTING_GO_DE}"
)
_DESPITE_DE = (
    r"\b(?:abweichend_(?:zu|von)|entgegen|ungeachtet|trotz|im_gegensatz_zu|unabhangig_von|statt)_"
    rf"(?:(?:{_FILL_DE}|aller|allen|deiner|deinen)_){{0,3}}(?:bisherige[nr]|vorherige[nr]|vorangegangene[nr]|vorhergehende[nr]|obige[nr]|fruhere[nr]|ursprungliche[nr]|deine[nr])"
    rf"_{_STRONG_DE}\b"
)
_VOID_DE = (
    r"\b(?:alle|die|deine|ihre)_(?:deine_|ihre_)?(?:bisherigen|vorherigen|vorangegangenen|vorhergehenden|obigen|fruheren)_"
    rf"(?:{_STRONG_DE}|{_WEAK_DE})(?:_\w{{1,12}}){{0,5}}?_(?:sind|waren|gelten|werden)_(?:\w{{2,10}}_)?"
    r"(?:irrelevant|ungultig|hinfallig|falsch|aufgehoben|nicht|null|unwichtig|nichtig|egal|ausser)\b"
)
_CHANGE_DE = (
    r"\b(?:uberschreib(?:e|en_sie)|ander(?:e|n_sie)|aender(?:e|n_sie)|ersetz(?:e|en_sie)|umgeh(?:e|en_sie)|deaktivier(?:e|en_sie)|"
    r"setz(?:e|en_sie)_ausser_kraft|brich|brechen_sie|hebe?l?n?(?:_sie)?)_"
    r"(?:(?:jetzt|nun|bitte|alle|sofort)_){0,2}(?:deine[nr]?|ihre[nr]?|vorherige[nr]?|bisherige[nr]?|alle)_"
    rf"(?:{_PRIOR_DE}_){{0,2}}(?:{_CORE_DE}|filter|schutzmassnahmen|sicherheitsfilter|schranken)\b"
    r"|\bdeine_(?:neuen?_)?(?:anweisung(?:en)?|aufgabe|auftrag|instruktion(?:en)?)_(?:lautet|lauten|ist|sind)_(?:jetzt|nun|ab)\b"
    r"|\bdeine_neuen?_(?:anweisung(?:en)?|instruktion(?:en)?)_(?:lautet|lauten|ist|sind)\b"
    r"|\bschalt(?:e|en_sie)_(?:(?:bitte|alle|deine|ihre|jetzt)_){1,3}(?:\w{3,16}_)?(?:filter|sicherheits\w{3,16}|beschrankungen|einschrankungen|schutz\w{0,14})_(?:aus|ab)\b"
)
_NEW_DE = (
    r"\b(?:nun|jetzt|hier|ab_jetzt)_(?:folgen|folgt|kommen|kommt|gibt_es|gelten)_(?:(?:aber|nun|eine|die|deine|noch|ein|der)_){0,4}"
    r"(?:neuen?|weiteren?|nachste|zweite|paar)_(?:aufgaben?|anweisung(?:en)?|instruktion(?:en)?|befehle|regeln|auftrage?|test)\b"
    r"|\bkonzentrier(?:e|en_sie)_(?:dich|sich)_(?:jetzt_|nun_){0,2}auf_(?:diese|deine|die|ihre)_(?:neue|folgende)_aufgaben?\b"
    r"|\bkonzentrier(?:e|en_sie)_(?:dich|sich)_(?:jetzt_|nun_)?(?:nur|ausschliesslich)_auf_diese_aufgabe\b"
    r"|\bauf_die_neue_aufgabe_zu_konzentrieren\b"
    r"|\b(?:wir_)?(?:starten|beginnen|fangen)_(?:\w{1,8}_){0,3}mit_einer_neuen_aufgabe\b"
    r"|\bdas_(?:ist_erledigt|genugt|ist_genug|reicht)_(?:verfasse|schreibe?|sage?|nun|jetzt|bitte)\b"
)
_NEW_LABEL_DE = (
    _LABEL_START
    + r"(?:hier_(?:sind|ist)_)?(?:die_|deine_)?(?:neue[nr]?|zusatzliche|aktualisierte|weitere|geanderte)_"
    r"(?:system[\W]?)?(?:anweisung(?:en)?|instruktion(?:en)?|befehle?|vorgaben?|direktiven?|regeln?)[ \t*\"'\])]{0,4}(?::|[ ]-[ ])"
)
_SYSTEM_LABEL_DE = _LABEL_START + (
    r"(?:neue[rn]?_|der_)?system[\W]{0,2}(?:prompt|nachricht|anweisung(?:en)?|befehl|eingabe(?:aufforderung)?)[ \t*\"'\])]{0,4}:"
)
_REVEAL_DE = (
    r"\b(?:zeige?n?|nenne?n?|verrate?n?|gib|geben|druck(?:e|en)?|wiederhol(?:e|en)|schreib(?:e|en)?|sag(?:e|en)?|offenbar(?:e|en)|prasentier(?:e|en)|veroffentlich(?:e|en)|liste?n?|ubersetze?n?|lies)_"
    r"(?:(?:sie|mir|uns|bitte|jetzt|alle|deinen?|ihren?|den|die|das|gesamten?|ganzen?|vollstandigen?|kompletten?|ursprunglichen?|wortlich|internen?|obigen?|geheimen?|versteckten?|samtliche|aller|von|dir|stattdessen|wie|lauten|initialen?)_){0,7}"
    r"(?:system[\W]?prompts?|prompt[\W]?texte?s?|system[\W]?anweisung(?:en)?|(?<=ein )prompts?|(?<=nen )prompts?|(?<=ine )prompts?|(?<=den )prompts?|(?<=ursprunglichen )(?:anweisungen|instruktionen)|(?<=obigen )(?:anweisungen|instruktionen)|(?<=deine )(?:anweisungen|instruktionen)|eingabeaufforderung)\b"
    r"|\bwie_(?:lauten|lautet|waren|sind)_(?:deine|ihre|dein|ihr)_(?:\w{3,16}_)?(?:anweisungen|instruktionen|vorgaben|systemprompt|prompt|system[\W]prompt)\b"
    r"|\bwie_ihre_ursprunglichen_anweisungen_lauten\b"
    r"|\b(?:vorzeigen|anzeigen|ausgeben|zeigen)_(?:samtlicher|aller|deiner|ihrer)_prompt[\W]?texte\b"
    r"|\bwas_(?:steht|stand|wurde)_(?:\w{2,10}_){0,2}(?:am_anfang|oben|uber|zu_beginn)_(?:\w{2,10}_){0,2}(?:prompts?|systemprompts?|anweisung)\b"
    r"|\bwas_steht_in_(?:deinem|ihrem|eurem)_(?:system_?)?prompt\b"
    r"|\bwie_(?:dein|ihr|euer|deine|ihre)_(?:\w{3,16}_)?(?:system_?prompt|prompt|anweisungen|instruktionen)_laute[nt]\b"
    r"|\b(?:wiederhole?n?|gib|druck(?:e|en)|zeige?n?)_(?:(?:sie|mir|bitte)_){0,2}(?:alles|den_(?:gesamten_|ganzen_)?text|die_(?:worter|satze))_(?:was_|der_)?(?:oben|daruber|davor|uber_dieser|vor_dieser)\b"
    r"|\bobige[nrs]?_(?:eingabeaufforderung|prompts?|anweisung(?:en)?)_(?:aus|wieder|an)\b"
)
_PERSONA_DE = (
    r"\b(?:du_bist|sie_sind|bist_du)_(?:jetzt|nun|ab_(?:jetzt|sofort)|von_nun_an)_(?:(?:eine?|ein|der|die|das|mein)_)?(?:\w{2,16}_){0,2}"
    r"(?:dan|bose[rsn]?|boese[rsn]?|uneingeschrankte?[rsn]?|ungefilterte?[rsn]?|unzensierte?[rsn]?|ki|assistent(?:in)?|chatbot|bot|sprachmodell|hacker|terminal|pirat(?:in)?|frei|\w{0,12}gpt|modus)\b"
    r"|\b(?:stell(?:e|en_sie)?|tu|tun_sie)_(?:dir|sich|so)_(?:vor|als)_(?:dass_|ob_)?(?:du|sie)_(?:(?:bist|sind|seist|warst|eine?|einer|der|die|mein)_){1,3}(?:\w{2,14}_){0,2}?(?:ki|bose|boese|uneingeschrankt|unzensiert|chatbot|sprachmodell|hacker|assistent|dan)"
    r"|\bab_(?:jetzt|sofort|nun)_(?:(?:antworte|antwortest|sprich|sprichst|verhalte?|verhaltst|agiere?|agierst|reagiere?|reagierst|gehorche?|gehorchst)_(?:du|dich|nur|sie|mir|wie|als|immer|in|im)|bist_du_(?:ein|mein|der|die|kein))\b"
    r"|\bich_mo(?:e)?chte_dass_(?:du|sie)_(?:als|wie)_(?:[\w-]{1,24}_){1,9}(?:fungier|agier|auftr[ei]t|handel|verhalt)\w{1,4}\b"
    r"|\bspiel(?:e|en_sie)?_(?:jetzt_)?die_rolle_(?:einer?|eines|von)_(?:\w{2,14}_){0,2}(?:ki|bosen|unzensierten|uneingeschrankten|hackers?|dan)\b"
    r"|\baus_(?:der|ihrer|seiner|ihren|deiner)_(?:figur|rolle|charakteren?|rollen)_(?:zu_)?(?:fallen|auszubrechen|auszusteigen)\b"
)

_PAGE_AND_SAY_DE = (
    r"\b(?:ignorier(?:e|en_sie)|vergiss|vergessen_sie|missacht(?:e|en_sie))_(?:die|den|das|diese[ns]?)_(?:\w{2,14}_){0,2}"
    r"(?:webseite|seite|website|e?_?mail|lebenslauf|funktion|dokument|artikel|tabelle|code|text|frage|kontext|"
    r"beschreibung|notiz|daten|inhalt|eingabe|nachricht|aufgabe|datei)s?_(?:und|aber|dann)_(?:stattdessen_)?"
    r"(?:geben|gib|sagen?|schreiben?|behaupten?|nennen?|antworten?|zeigen?|drucken?|erklaren?)\b"
)

# ---- other languages: the one sentence that everybody tries ------------------------------------
_IGNORE_OTHER = (
    r"\b(?:ignor(?:a|e|ez|ar|er)|olvid(?:a|e|ar)|oubli(?:e|ez|er)|esquec(?:a|er)|dimentica|desconsidere|zaboravi|zapomnij|negeer)_"
    r"(?:(?:todas?|todos|tus|tes|vos|toutes|tous|sus|las|los|les|le|lo|as|os|la|tutte|tutti|tue|suas|sve|que|digo|antes|de|alle|wszystkie|y|solo|all|o)_){0,5}"
    r"(?:instruccion(?:es)?|instrucoes|instructions|instruktionen|istruzioni|instrukcije|ordenes|ordres|consignes|anterior(?:es)?|precedent[ei]s?|previ[ae]s|antes|sabes|fonction|instructies|instrukcje)\b"
)

_DROP_CUES = (
    "ignor", "forget", "disregard", "overlook", "overrid", "overrul", "drop", "abandon", "discard",
    "dismiss", "neglect", "bypass", "cancel", "erase", "unlearn", "skip", "aside", "throw", "attention",
    "do not", "n't", "don't", "dont", "stop", "mind", "let go", "rid of", "past", "longer", "leave", "remove",
)  # fmt: skip
_DROP_DE_CUES = (
    "ignorier", "vergiss", "vergess", "missacht", "ubergeh", "uberschreib", "umgeh", "verwirf", "verwerfen",
    "nicht", "keine", "setz",
)  # fmt: skip
_OBJECT_CUES = (
    "instruction", "direction", "directive", "order", "command", "prompt", "rule", "guid", "task",
    "assignment", "programming", "constraint", "restriction", "training", "polic", "request", "mandate",
    "protocol", "obligation", "configuration", "setting",
)  # fmt: skip


def _rule(
    marker: str, cues: str, pattern: str, *, guarded: bool = True, named: bool = False
) -> Rule:
    return Rule(marker, tuple(cues.split("|")), _compile(pattern), guarded, named)


_IGNORE = "ignore_or_forget_context"
_PREVIOUS = "previous|prior|preceding|earlier|above|all |your|any |existing|initial|original|given|provided|system|former"
RULES: tuple[Rule, ...] = (
    _rule(_IGNORE, "|".join(_OBJECT_CUES), _IGNORE_EN),
    _rule(_IGNORE, "context|info|text|doc|artic|artik|messag|conversation|input|content|thought|knowledge|chat|histor|sentence|statement|memor", _IGNORE_EN_WEAK),
    _rule(_IGNORE, "|".join(_OBJECT_CUES), _IGNORE_EN_POST),
    _rule(_IGNORE, "above|foregoing|preceding|aforementioned", _THE_ABOVE),
    _rule(_IGNORE, "said|told|discussed|instructed|learn|know|wrote|written|talked|taught|before|above|earlier|asked", _SAID_EN),
    _rule(_IGNORE, "ignore|disregard|forget|skip", _PAGE_AND_SAY),
    _rule(_IGNORE, "own knowledge|articles|documents|the context|disregarding", _NOT_BY_DOCS, guarded=False),
    _rule(_IGNORE, "regardless|contrary|despite|notwithstanding|deviating|following|unlike", _DESPITE_EN, guarded=False),
    _rule(_IGNORE, "previous|prior|preceding|earlier|above", _VOID_EN, guarded=False),
    _rule("override_instructions", "apply|count|hold|matter|longer|bound|restrict|without|no |free |ohne|obey|only my", _NOT_BOUND),
    _rule("forget_everything", "forget|disregard|ignore|unlearn", _FORGET_ALL_EN),
    _rule("forget_everything", "your memor|your context|your instruc|your hist|your prog|your train|your entire|your whole|your prev", _MEMORY_EN),
    _rule("override_instructions", "your|previous|prior|system|safety|existing|preceding|earlier|openai|original", _CHANGE_EN),
    _rule("override_instructions", "your", _NOW_INSTRUCTIONS, guarded=False),
    _rule("new_instructions", "new|updated|additional|revised|further|real|actual|important", _NEW_LABEL, guarded=False),
    _rule("new_instructions", "task|test|instruction|order|assignment|that is ", _NEW_TASK_EN, guarded=False),
    _rule("system_prompt", "system", _SYSTEM_LABEL, guarded=False),
    _rule("reveal_system_prompt", "prompt|instruction|directive|guideline|embedding|programming|above|followed by a copy|before this", _REVEAL_EN),
    _rule("reveal_system_prompt", "your|written|sentences|stated", _WHAT_PROMPT_EN, guarded=False),
    _rule("role_override_persona", "now", _PERSONA, guarded=False),
    _rule("role_override_persona", "now", _NAMED, guarded=False, named=True),
    _rule("role_override_persona", "bist du|sind sie", _NAMED_DE, guarded=False, named=True),
    _rule("role_override_persona", "from now|from here|from this", _FROM_NOW, guarded=False),
    _rule("role_override_persona", "pretend|imagine|act as|act like|suppose|simulate|assume", _PRETEND),
    _rule("role_override_persona", " as | like ", _ACT_MACHINE),
    _rule("role_override_persona", "where you|role|play|absorbed|in character|out of|character|act as|immoral", _RADICAL, guarded=False),
    _rule("do_anything_now", "anything now|dan|alles jetzt", _DAN, guarded=False),
    _rule("prompt_boundary_spoof", "<|[inst|[/inst|[system]|[assistant]|##|---|===|***|~~~|[[[|--|==", _BANNER, guarded=False),
    _rule("mode_override", "mode|override|entering|developer|creator|administrator|owner|programmer|master|god|command you|listen to my|my questions|modus|entwickel|entwickler|schopfer|schoepfer|befehle", _MODE, guarded=False),
    _rule("secret_request", "pass|secret|api|credential|access token|zugangsdaten|kennwort|geheim|private key", _ASK_SECRET),
    _rule("exfiltration", " to |user|letter|chatverlauf|verlauf|konversation|erinnerungen|zugangsdaten|passworter|schlussel|systemprompt|geheimnisse", _EXFILTRATE),
    _rule("output_coercion", "question|output|repeat after|stop|sorry|frage|sprich mir|halt", _COERCE, guarded=False),
    _rule(_IGNORE, "|".join(_DROP_DE_CUES), _IGNORE_DE),
    _rule(_IGNORE, "lass|beacht|befolg|losch|loesch|streich|leer|gehorch", _LAID_ASIDE_DE),
    _rule(_IGNORE, "oben|zuvor|davor|von|die du|die sie|die dir|die ich", _POST_DE),
    _rule(_IGNORE, "ignorier|vergiss|vergess|missacht", _PAGE_AND_SAY_DE),
    _rule("forget_everything", "vergiss|vergess|ignorier|nicht auf|nicht mehr auf|streich|losch", _SAID_DE),
    _rule(_IGNORE, "ignorier|vergess|vergisst|missachte|verwerfen|loschen|ubergehen|streichen|hinter|ausser|beiseite", _INFINITIVE_DE),
    _rule(_IGNORE, "abweichend|entgegen|ungeachtet|trotz|gegensatz|unabhangig|statt", _DESPITE_DE, guarded=False),
    _rule(_IGNORE, "bisherigen|vorherigen|vorangegangenen|vorhergehenden|obigen|fruheren", _VOID_DE, guarded=False),
    _rule("override_instructions", "deine|ihre|vorherige|bisherige|alle", _CHANGE_DE),
    _rule("new_instructions", "aufgabe|anweisung|instruktion|befehle|regeln|auftra|test|das ist |das gen|das rei", _NEW_DE, guarded=False),
    _rule("new_instructions", "neue|zusatzliche|aktualisierte|weitere|geanderte", _NEW_LABEL_DE, guarded=False),
    _rule("system_prompt", "system", _SYSTEM_LABEL_DE, guarded=False),
    _rule("reveal_system_prompt", "prompt|anweisung|instruktion|vorgaben|eingabeaufforderung|alles|den text|die worter|die satze|gesamten text|ganzen text", _REVEAL_DE),
    _rule("role_override_persona", "jetzt|nun|stell|tu|ab sofort|mochte|moechte|spiel|figur|rolle|charakter", _PERSONA_DE, guarded=False),
    _rule(_IGNORE, "ignor|olvid|oubli|esquec|dimentica|desconsidere|zaboravi|zapomnij|negeer", _IGNORE_OTHER),
)  # fmt: skip

# The same sentence in scripts of their own; folded like the text, look-alikes included.
FOREIGN = (
    r"忽略.{0,8}(?:指示|指令|说明|提示)|忘记.{0,8}(?:指示|指令|说明)|無視して.{0,12}|(?:以前|上記|前)の指示.{0,4}(?:無視|忘れ)"
    r"|이전.{0,4}지시.{0,8}무시|игнорир\w{1,6}.{1,20}(?:инструкци|указани|предыдущ)\w{0,3}"
    r"|забуд\w{1,4}.{1,12}(?:инструкци|указани)\w{0,3}"
)

# Words run together, as letter-spacing and CamelCase leave them.
SQUEEZED = _compile(
    r"(?:ignore|forget|disregard|override|bypass|ignoriere|vergiss|missachte)"
    r"(?:all|any|the|of|your|my|previous|prior|above|preceding|earlier|system|alle|deine|vorherigen|bisherigen|obigen|vorangegangenen){1,6}"
    r"(?:instructions?|directions|directives|orders|commands|prompts?|rules|guidelines|tasks|anweisungen|befehle|instruktionen|regeln|aufgaben|vorgaben)"
    r"|revealyour(?:systemprompt|instructions)"
)
SQUEEZED_CUES = ("ignoreall", "ignorethe", "ignoreyour", "ignoreprev", "ignoreany", "ignoreprior", "ignoremy", "forgetall", "forgetthe",
    "forgetyour", "forgetprev", "disregard", "override", "bypass", "ignorierealle", "ignorieredeine", "vergissalle", "vergissdeine", "missachte", "revealyour",
)  # fmt: skip

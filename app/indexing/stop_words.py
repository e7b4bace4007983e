"""Words that say nothing about what a text is about, in English and German.

Words that are also names, months or abbreviations in common use (may, will, mark, us) are left in.
"""

from __future__ import annotations

_ENGLISH = """
a about after again all also am an and any are as at be because been before being but by ca can
could did do does doing done for from get gets getting got had has have having he her here hers
him his how i if in into is its just let me more most my no nor not of off on once only or
other our ours out over own same she should so some such than that the their theirs them then
there these they this those through to too under until up very was we were what when where which
while who whom whose why with would you your yours yourself
"""

_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist
da damit dann das dass dein deine dem den denn der des dich die dies diese diesem diesen dieser
dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure für
gegen gewesen hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jener jetzt kann kein keine keinem
keinen keiner können könnte machen mal man mein meine meinem meinen meiner mich mir mit nach nicht
nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so solche
soll sollte sondern sonst über um und uns unser unsere unter viel vom von vor war waren warst was
weg weil welche welchem welchen welcher welches wenn wer werde werden wie wieder wir wird wirst wo
wollen wollte während wurde wurden würde würden zu zum zur zwar zwischen
"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_GERMAN}".split())

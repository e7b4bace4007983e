"""Given names: those that tell a gender, German and English, and those of many languages.

The first serve one purpose: "Frau Weber" is not the Thomas Weber of the sentence before. A name
that is not listed, or is given to both, says nothing. The others tell that one word with a capital
is a name, and not what somebody is; `bench/first_names.py` makes their list.
"""

from __future__ import annotations

import gzip
from functools import cache
from pathlib import Path

LISTED = Path(__file__).with_name("given_names.gz")
_MEN = """
achim albert alexander alfred andreas andrew anthony anton arthur benjamin bernd bernhard
brian carl charles christian christoph christopher claus daniel david dennis detlef dieter
dirk dominik donald edward elias erik ernst fabian felix finn florian frank franz friedrich
fritz georg george gerhard guenter hans harald harry heinrich heinz helmut henry herbert
hermann holger horst ingo jack jacob jakob james jan jason jeffrey jens jeremy joachim johann
johannes john jonas jonathan joseph juergen julian justin kai karl kenneth kevin klaus konrad
kurt lars larry leon lukas manfred marc marco mario mark markus martin mathias matthew
matthias max maximilian michael moritz nathan niklas nicholas nils norbert olaf oliver oskar
otto patrick paul peter philipp rainer ralf ralph raphael reinhard richard robert roger
roland rolf ronald rudolf ruediger ryan samuel scott sebastian simon stefan stephan stephen
steven sven theo thomas thorsten tim timothy tobias tom torsten udo ulrich uwe volker walter
werner wilhelm william wolfgang
"""
_WOMEN = """
agnes alice amanda amelie amy andrea angela angelika anja anke anna anne annette antje ashley
astrid barbara beate betty birgit brigitte britta carla carol caroline catherine charlotte
christa christiane christina christine clara claudia daniela deborah diana dora doris dorothy
edith elena elisabeth elizabeth elke ella ellen emily emma erika eva franziska frieda gabriele
gisela greta hanna hannah hannelore heather heidi heike helen helena helga ida ilse ines inge
ingrid irene iris jana janet janine jennifer jessica johanna josephine judith judy julia
juliane jutta karen karin katharina kathrin katja katrin kerstin kimberly klara kristin laura
lea lena leonie linda lisa lotte louise luise manuela margaret margarete maria marianne marie
marion marlene martha martina mary melanie melissa mia michelle miriam monika nadine nadja
nancy nicole nina olivia pamela patricia paula petra pia rachel rebecca regina renate rita
rosa ruth sabine sabrina sandra sara sarah sharon sigrid silke silvia simone sofia sonja
sophia sophie stefanie stephanie susan susanne svenja sylvia tanja theresa tina ulrike ursula
ute valerie vanessa vera verena victoria yvonne
"""
_GENDERS = dict.fromkeys(_MEN.split(), "m") | dict.fromkeys(_WOMEN.split(), "f")


def gender_of(name: str) -> str | None:
    """`m`, `f` or None for a given name in lower case, umlauts spelled out."""
    return _GENDERS.get(name)


def is_given_name(name: str) -> bool:
    """Whether a word in lower case, umlauts spelled out, is a given name and nothing else."""
    return name in _listed()


@cache
def _listed() -> frozenset[str]:
    return frozenset(gzip.decompress(LISTED.read_bytes()).decode().split("\n"))

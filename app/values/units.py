"""Units: each with the unit that its dimension is kept in, and the factor to it."""

from __future__ import annotations

from functools import lru_cache

import Stemmer

from app.values.wording import fold

# Base unit: its units with their factors. Names are folded (ä is ae); names that are symbols keep
# their case in _SYMBOLS, since mm and MM or mb and Mb differ.
_DIMENSIONS: dict[str, dict[float, str]] = {
    "m": {
        0.001: "mm millimeter millimeters millimetre millimetres",
        0.01: "cm centimeter centimeters centimetre centimetres zentimeter",
        1: "m meter meters metre metres metern",
        1000: "km kilometer kilometers kilometre kilometres kilometern",
        0.0254: "inch inches zoll",
        0.3048: "ft foot feet fuss",
        0.9144: "yard yards",
        1609.344: "mile miles mi meile meilen",
    },
    "m2": {
        1: "m2 qm sqm quadratmeter quadratmetern",
        10000: "ha hectare hectares hektar",
        0.09290304: "sqft",
    },
    "g": {
        0.001: "mg milligram milligrams milligramm",
        1: "g gram grams gramm",
        1000: "kg kilo kilos kilogram kilograms kilogramm",
        1e6: "t ton tons tonne tonnes tonnen",
        453.59237: "lb lbs pound pounds",
        28.349523125: "oz ounce ounces unze unzen",
    },
    "l": {
        0.001: "ml milliliter milliliters millilitre millilitres",
        0.01: "cl",
        0.1: "dl",
        1: "l liter liters litre litres litern",
    },
    "s": {
        0.001: "ms millisecond milliseconds millisekunde millisekunden",
        1: "s sec secs second seconds sekunde sekunden sek",
        60: "min mins minute minutes minuten",
        3600: "h hr hrs hour hours stunde stunden std",
        86400: "d day days tag tage tagen",
        604800: "week weeks woche wochen",
    },
    "month": {
        1: "month months mo monat monate monaten",
        3: "quarter quarters quartal quartale quartalen",
        12: "year years yr yrs jahr jahre jahren",
        120: "decade decades jahrzehnt jahrzehnte jahrzehnten",
    },
    "byte": {
        1: "b byte bytes",
        1e3: "kb kilobyte kilobytes",
        1e6: "mb megabyte megabytes",
        1e9: "gb gigabyte gigabytes gig gigs",
        1e12: "tb terabyte terabytes",
        1e15: "pb petabyte petabytes",
        1024: "kib",
        1048576: "mib",
        1073741824: "gib",
        1099511627776: "tib",
    },
    "bit/s": {1e3: "kbps kbit/s", 1e6: "mbps mbit/s", 1e9: "gbps gbit/s"},
    "celsius": {1: "°c celsius grad degrees degree °"},
    "fahrenheit": {1: "°f fahrenheit"},
    "percent": {1: "% percent prozent pct"},
    "km/h": {1: "km/h kmh kph", 1.609344: "mph"},
    "watt": {1: "w watt watts", 1e3: "kw kilowatt kilowatts", 1e6: "mw megawatt megawatts"},
    "wh": {1: "wh", 1e3: "kwh", 1e6: "mwh", 1e9: "gwh"},
    "hertz": {1: "hz hertz", 1e3: "khz", 1e6: "mhz", 1e9: "ghz"},
}

# Things that are often counted, by one name in either language.
_COUNTED: dict[str, str] = {
    "employee": "employee employees staff mitarbeiter mitarbeitern mitarbeiterin mitarbeiterinnen "
    "mitarbeitende mitarbeitenden angestellte angestellten beschaeftigte beschaeftigten",
    "person": "person persons people personen leute leuten",
    "user": "user users nutzer nutzern benutzer benutzern anwender anwendern",
    "customer": "customer customers client clients kunde kunden kundin kundinnen",
    "child": "child children kid kids kind kinder kindern",
    "room": "room rooms zimmer zimmern raum raeume raeumen",
    "page": "page pages seite seiten",
    "piece": "piece pieces pcs stueck stk",
    "seat": "seat seats sitz sitze sitzen sitzplatz sitzplaetze platz plaetze",
    "time": "time times mal",
    "core": "core cores kern kerne kernen",
    "member": "member members mitglied mitglieder mitgliedern",
    "star": "star stars stern sterne sternen",
    "floor": "floor floors stockwerk stockwerke stockwerken etage etagen",
    "dog": "dog dogs hund hunde hunden",
    "cat": "cat cats katze katzen",
    "car": "car cars auto autos",
    "sibling": "sibling siblings geschwister geschwistern",
    "brother": "brother brothers bruder brueder bruedern",
    "sister": "sister sisters schwester schwestern",
    "participant": "participant participants teilnehmer teilnehmern teilnehmerinnen teilnehmenden",
    "guest": "guest guests gast gaeste gaesten",
    "server": "server servers servern",
    "team": "team teams",
    "point": "point points punkt punkte punkten",
}

UNITS: dict[str, tuple[str, float]] = {
    name: (base, factor)
    for base, units in _DIMENSIONS.items()
    for factor, names in units.items()
    for name in names.split()
}
_NAMED = {form: name for name, forms in _COUNTED.items() for form in forms.split()}
_SYMBOLS = {"m²": "m2", "m^2": "m2", "sq m": "m2", "square meters": "m2", "square metres": "m2"}
_LANGUAGES = {"de": "german", "en": "english"}


def unit_of(name: str) -> tuple[str, float] | None:
    """Base unit and factor of a unit's name or symbol, or None."""
    lowered = " ".join(name.strip().rstrip(".").lower().split())
    return UNITS.get(_SYMBOLS.get(lowered, fold(lowered)))


@lru_cache(maxsize=1 << 14)
def counted(noun: str, language: str | None = None) -> str:
    """One form for a counted thing: employees, Mitarbeitern and Mitarbeiter are `employee`."""
    return " ".join(_one_form(word, language) for word in fold(noun).replace("-", " ").split())


def _one_form(word: str, language: str | None) -> str:
    if word in _NAMED:
        return _NAMED[word]
    # A stemmer is made for each call: it is not safe to share, and the cache makes calls rare.
    return str(Stemmer.Stemmer(_LANGUAGES.get(language or "en", "english")).stemWord(word))

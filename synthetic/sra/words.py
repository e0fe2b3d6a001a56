"""The words synthetic generations are made of. None of them is, or contains, what a grader looks for."""

from __future__ import annotations

from typing import Final

from synthetic.sra.streams import Generator

# Frequent words first: the filler draws them by rank.
_COMMON: Final = (
    "the of and we to a is in that for with this by from as it let can be then so have which on at value two "
    "one each term sum first next step number case given using both since into over three side total under "
    "between equation result point note set function because where when there they second left right area rate "
    "problem formula here also only all any if but out has was are were their its our you these those such than more "
    "less most same other part parts line lines pair pairs count counts even odd prime factor factors square root "
    "power base ratio mean average range limit series sequence product quotient remainder divide divides divided "
    "multiply multiplied add added subtract expand simplify rewrite substitute compute check verify observe recall "
    "suppose assume define denote consider apply combine compare reduce collect group split arrange order choose "
    "select pick draw take takes taken give gives move moves hold holds keep keeps follow follows need needs show "
    "shows find finds found write written read reads known unknown integer positive negative rational real complex "
    "linear quadratic constant variable parameter coefficient exponent matrix vector angle triangle circle radius "
    "diameter height width length volume surface edge vertex graph path cycle tree node weight probability chance "
    "event outcome sample space distribution variance deviation density expectation independent uniform normal "
    "patient blood pressure heart serum level dose units mass body normal elevated low high admission note history "
    "clinical measured reported laboratory creatinine sodium chloride albumin calcium glucose premise statement "
    "context logic rule infer implies therefore hence thus indeed however moreover finally again carefully directly "
    "exactly roughly nearly about around above below within along across through before after until while during "
    "original modified simple general special particular possible small large larger smaller equal equals greater "
    "maximum minimum upper lower bound bounds interval region domain identity theorem lemma proof argument example"
)
COMMON: Final = tuple(dict.fromkeys(_COMMON.split()))

# Characters of two, three and four UTF-8 bytes: byte pieces have to be put together to read them.
WIDE: Final = ("é", "ß", "ñ", "π", "Δ", "µ", "≥", "≤", "≈", "√", "中", "数", "→", "∑", "𝑥", "😀")

PHRASES: Final = (
    "\nStep 1: write down what is given.",
    "\nStep 2: put the values in.",
    "\nStep 3: simplify both sides.",
    "\n\nNow rearrange the terms.",
    " wait, let me check that again.",
    " which is what we wanted.",
    "\n- collect the like terms;",
    "\n$$a^2 + b^2 = c^2$$\n",
    " (see the table above)",
    " — a naïve estimate —",
)

_ONSETS: Final = ("b", "c", "d", "f", "g", "l", "m", "p", "r", "s", "t", "v", "br", "cl", "dr", "pl", "st", "tr", "qu")
_NUCLEI: Final = ("a", "e", "i", "o", "u", "ai", "ea", "ou")
_CODAS: Final = ("", "", "n", "r", "l", "s", "m", "x", "nd", "rt")


def invent(rng: Generator, count: int) -> list[str]:
    """Return `count` distinct made-up words of two to four syllables, none shorter than five letters."""
    syllables = [a + b + c for a in _ONSETS for b in _NUCLEI for c in dict.fromkeys(_CODAS)]
    seen: dict[str, None] = {}
    while len(seen) < count:
        picks = rng.integers(0, len(syllables), size=(count, 3)).tolist()
        sizes = rng.integers(2, 4, size=count).tolist()
        for pick, size in zip(picks, sizes, strict=True):
            word = "".join(syllables[i] for i in pick[:size])
            if len(word) > 4:
                seen[word] = None
    return list(seen)[:count]

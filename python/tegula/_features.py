"""The features of texts, for programs that build on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tegula import _tegula
from tegula._errors import usage
from tegula._options import value


def tokens(text: str, *, recipe: str = "copies", **settings: object) -> list[str]:
    """The tokens of a text as they are compared, after normalisation.

    Args:
        text: The text.
        recipe: The recipe whose normalisation is applied.
        settings: Fields of the recipe: `tokens(text, **{"normalise.case": "keep"})`.
    """
    given: dict[str, Any] = dict(settings)
    return Features(recipe, **given).tokens(text)


class Features:
    """The features of a text that a recipe compares, for programs that build on them.

    Args:
        recipe: The recipe whose tokens are used.
        ngram: Tokens in a shingle; by default that of the recipe.
        settings: Other fields of the recipe.
    """

    def __init__(self, recipe: str = "copies", *, ngram: int | None = None, **settings: object) -> None:
        self._given = (recipe, ngram, [(name, value(one)) for name, one in settings.items()])
        self._native = _tegula.Features(*self._given)

    def __getstate__(self) -> object:
        return self._given

    def __setstate__(self, given: tuple[str, int | None, list[tuple[str, str]]]) -> None:
        self._given, self._native = given, _tegula.Features(*given)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return self._native.tokens(text)

    def fingerprints(self, text: str) -> list[int]:
        """The fingerprints of its shingles, in order: numbers of 64 bits, equal for equal shingles in every run
        and on every machine."""
        return self._native.fingerprints(text)

    def minhash(self, text: str, count: int = 128) -> list[int]:
        """The smallest values of its shingles under `count` hash functions (Broder 1997). The share of equal
        places of two texts estimates their resemblance. Empty for a text without tokens."""
        return self._native.minhash(text, count)

    def simhash(self, text: str) -> int:
        """A number of 64 bits that differs in few bits for similar texts (Charikar 2002). Each shingle counts
        once for each time it occurs."""
        return self._native.simhash(text)


def fingerprints(text: str, *, recipe: str = "copies", ngram: int | None = None) -> list[int]:
    """The fingerprints of the shingles of a text: see `Features.fingerprints`."""
    return Features(recipe, ngram=ngram).fingerprints(text)


def minhash(text: str, *, count: int = 128, recipe: str = "copies", ngram: int | None = None) -> list[int]:
    """The min-wise sketch of a text: see `Features.minhash`."""
    return Features(recipe, ngram=ngram).minhash(text, count)


def simhash(text: str, *, recipe: str = "copies", ngram: int | None = None) -> int:
    """The simhash of a text: see `Features.simhash`."""
    return Features(recipe, ngram=ngram).simhash(text)


_MEASURES = {"resemblance": "ssr", "containment": "ssr-containment"}


class Join:
    """All pairs of sets whose score reaches a threshold: complete and exact, for sets of numbers of any origin,
    such as the fingerprints of several columns or of a tokeniser of your own.

    Args:
        threshold: The lowest score.
        measure: `resemblance`: the share of common members in the union; or `containment`: in the smaller set.
    """

    def __init__(self, threshold: float | str = 0.8, *, measure: str = "resemblance") -> None:
        if measure not in _MEASURES:
            raise usage("measure", " or ".join(_MEASURES), repr(measure))
        self._given = (_MEASURES[measure], value(threshold))
        self._native = _tegula.Join(*self._given)

    def __getstate__(self) -> object:
        return self._given

    def __setstate__(self, given: tuple[str, str]) -> None:
        self._given, self._native = given, _tegula.Join(*given)

    def pairs(self, sets: Iterable[Iterable[int]]) -> list[tuple[int, int, float]]:
        """The pairs (i, j, score), i before j, in order. Empty sets are in none."""
        return self._native.pairs([list(one) for one in sets])

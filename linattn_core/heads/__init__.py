"""Three heads of one size, trained on associative recall, and held-out lists that each of them has read.

A list gives names a colour, some of them a second time another one, then asks for every name once. What a
head made of each token (q, k, v, and where its rule has them β and the decay) is in a file beside this one;
tools/train_heads.py trains them and writes the files. A component of y is the score of one colour.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from linattn_core.all_pairs import softmax
from linattn_core.knobs import find
from linattn_core.ordered import frozen
from linattn_core.recurrence import run
from linattn_core.tokens import Tokens

NAMES = ("cup", "hat", "pen", "box", "bag", "map", "toy", "key")
COLOURS = ("red", "blue", "green", "gold")  # the components of v and y
ASKED = len(COLOURS)  # the colour of a token that asks


def label(name: int, colour: int) -> str:
    """A token in words.

    >>> label(0, 1), label(0, ASKED)
    ('cup: blue', 'cup?')
    """
    return f"{NAMES[name]}?" if colour == ASKED else f"{NAMES[name]}: {COLOURS[colour]}"


@dataclass(frozen=True)
class Head:
    """A trained head; settings: the keywords of `run` it was trained with, none for softmax attention."""

    key: str
    title: str
    settings: Mapping[str, Any]

    def y(self, tokens: Tokens) -> np.ndarray:
        """What the head itself answers, (T, colours)."""
        return run(tokens, **self.settings).y if self.settings else softmax(tokens)[0]


HEADS = (
    Head("softmax", "a head trained with softmax attention", {}),
    Head("add", "a head trained to add", {"phi": "elu1", "rule": "add"}),
    Head("delta", "a head trained with the gated delta rule", {"phi": "l2", "rule": "gated_delta"}),
)


@dataclass(frozen=True, eq=False)
class Lists:
    """Held-out lists as one head sees them: names and colours (n, T) as indices, and the tokens of each."""

    names: np.ndarray
    colours: np.ndarray
    tokens: tuple[Tokens, ...]

    @property
    def asks(self) -> np.ndarray:
        """Which tokens ask, (n, T)."""
        return self.colours == ASKED

    @property
    def answers(self) -> np.ndarray:
        """The colour that each token's name got last, (n, T)."""
        newest_first = self._writes[:, :, ::-1]
        last = newest_first.shape[2] - 1 - newest_first.argmax(axis=2)
        return np.take_along_axis(self.colours, last, axis=1)

    @property
    def times(self) -> np.ndarray:
        """How often each token's name has been given a colour so far, (n, T)."""
        return self._writes.sum(axis=2)

    @property
    def _writes(self) -> np.ndarray:
        """Where token s gave token t's name a colour, s ≤ t, (n, T, T)."""
        same = self.names[:, :, None] == self.names[:, None]
        return same & np.tri(same.shape[1], dtype=bool) & ~self.asks[:, None]


@dataclass(frozen=True, eq=False)
class Recall:
    """Which questions of the held-out lists are answered with the right colour, and which are about a name
    that was given another colour in between; (questions,) each.
    """

    right: np.ndarray
    again: np.ndarray


def trained(key: str) -> Head:
    """The head called `key`.

    Raises:
        InputError: no head has that key.
    """
    return find("trained head", HEADS, key)


@lru_cache(maxsize=len(HEADS))
def held_out(key: str) -> Lists:
    """The lists as the head called `key` sees them, from its file."""
    with np.load(Path(__file__).parent / f"{trained(key).key}.npz") as file:
        arrays = {name: frozen(file[name]) for name in file.files}
    names, colours = arrays.pop("names"), arrays.pop("colours")
    tokens = []
    for i, words in enumerate(zip(names, colours, strict=True)):
        labels = [label(name, colour) for name, colour in zip(*words, strict=True)]
        tokens.append(Tokens(**{name: x[i] for name, x in arrays.items()}, labels=labels))
    return Lists(names, colours, tuple(tokens))


@lru_cache(maxsize=2 * len(HEADS))
def recall(key: str, reader: str | None = None) -> Recall:
    """How well the head called `key` answers, or what another head's way of reading makes of its q, k, v."""
    lists, head = held_out(key), trained(key if reader is None else reader)
    said = np.array([head.y(tokens).argmax(axis=1) for tokens in lists.tokens])
    return Recall(frozen((said == lists.answers)[lists.asks]), frozen((lists.times > 1)[lists.asks]))

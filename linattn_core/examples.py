"""Tokens worth looking at, and why. To add one: append an Example to EXAMPLES."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.drawn import bell_shaped
from linattn_core.heads import shown, trained
from linattn_core.inputs import whole
from linattn_core.knobs import find
from linattn_core.tokens import Tokens


@dataclass(frozen=True, eq=False)
class Example:
    """Tokens, the keyword arguments of `run` that go with them, and what to look at.

    story: one or two sentences; every number in it is what this run gives.
    """

    key: str
    title: str
    tokens: Tokens
    settings: Mapping[str, Any]
    story: str


def random_tokens(T: int, d_k: int, d_v: int, seed: int) -> Tokens:
    """q, k (T, d_k) and v (T, d_v) around 0 with spread 1, rounded to 2 decimals; the seed fixes them.

    The same seed gives the same numbers on every machine and with every NumPy.

    Raises:
        InputError: a size below 1, or a seed below 0.
    """
    T, d_k, d_v = (whole(name, n, 1) for name, n in (("T", T), ("d_k", d_k), ("d_v", d_v)))
    seed = whole("seed", seed, 0)
    drawn = np.round(bell_shaped(T * (2 * d_k + d_v), seed), 2) + 0.0  # + 0.0: no −0.0 to wonder about
    q, k, v = np.split(drawn, [T * d_k, 2 * T * d_k])
    return Tokens(q.reshape(T, d_k), k.reshape(T, d_k), v.reshape(T, d_v))


def _seen_by(head: str) -> Tokens:
    """The held-out list as a trained head sees it."""
    return Tokens(**shown.HEADS[head], labels=shown.LABELS)


SENTENCE = "the bright river carries fallen leaves slowly past our old stone house".split()
DRAWN = random_tokens(12, 8, 8, seed=12)

TRANSFORMED = {"phi": "identity", "rule": "add"}
ELU = {"phi": "elu1", "rule": "add"}

EXAMPLES = (
    Example(
        "article",
        "the article's three tokens",
        Tokens(
            q=[[1, 0], [0, 1], [1, 0]],
            k=[[1, 0], [0, 1], [1, 0]],
            v=[[2, 0], [0, 3], [1, 1]],
        ),
        TRANSFORMED,
        "p₀ and p₂ share a key, so S₃ adds [2, 0] and [1, 1] up to [3, 1] in row a. "
        "q₂ reads that row, and the score sum 2 turns it into y₂ = [1.5, 0.5].",
    ),
    Example(
        "same_key",
        "one key, three values",
        Tokens(
            q=[[1, 0], [1, 0], [1, 0]],
            k=[[1, 0], [1, 0], [1, 0]],
            v=[[3, 0], [0, 6], [3, 3]],
        ),
        TRANSFORMED,
        "One key is written three times with other values. Adding cannot replace: "
        "y₂ is the average of all three values, [2, 3].",
    ),
    Example(
        "noisy_mean",
        "one key, noisy values",
        Tokens(
            q=[[1, 0], [1, 0], [1, 0], [1, 0], [1, 0]],
            k=[[1, 0], [1, 0], [1, 0], [1, 0], [1, 0]],
            v=[[3, 0], [1, 2], [2, 0], [0, 2], [4, 1]],
        ),
        TRANSFORMED,
        "One key is measured again and again, and the mean is wanted: the sum divided by the score sum is "
        "y₄ = [2, 1]. A rule that replaces would answer with the last value alone, [4, 1].",
    ),
    Example(
        "orthogonal",
        "four keys that do not mix",
        Tokens(
            q=np.eye(4),
            k=np.eye(4),
            v=[[4, 1, 0, 2], [0, 3, 5, 1], [2, 2, 0, 6], [1, 0, 3, 3]],
        ),
        TRANSFORMED,
        "Every key has a row of its own, so each query reads back exactly its own value: "
        "y₃ = [1, 0, 3, 3]. Four rows hold four such keys; a fifth would have to share.",
    ),
    Example(
        "general_key",
        "a key with two components",
        Tokens(q=[[1, 1]], k=[[0.3, 0.7]], v=[[1, 1]]),
        TRANSFORMED,
        "The key [0.3, 0.7] writes the value [1, 1] into both rows: [0.3, 0.3] and [0.7, 0.7]. "
        "The query [1, 1] adds the rows to [1, 1], and the score sum is 1.",
    ),
    Example(
        "negative",
        "a negative weight",
        Tokens(
            q=[[1, 0], [1, 0], [2, 1]],
            k=[[1, 0], [0, 1], [-0.5, 0.5]],
            v=[[2, 0], [0, 3], [4, 4]],
        ),
        TRANSFORMED,
        "Without a positive map a score may be negative: q₂ scores 2, 1 and −0.5, which sum to 2.5. "
        "The last weight is −0.2, so v₂ is subtracted and y₂ = [0.8, 0.4].",
    ),
    Example(
        "cancel",
        "scores that sum to 0",
        Tokens(q=[[1, 0], [1, 0]], k=[[1, 0], [-1, 0]], v=[[2, 1], [4, 3]]),
        TRANSFORMED,
        "q₁ scores 1 and −1. They sum to 0, so y₁ is undefined: there is nothing to divide by.",
    ),
    Example(
        "dead_relu",
        "keys that ReLU erases",
        Tokens(
            q=[[1, 1], [1, 1], [1, 1], [1, 1]],
            k=[[-1, -2], [-0.5, 0], [1, -1], [2, 1]],
            v=[[5, 0], [0, 5], [1, 2], [5, 6]],
        ),
        {"phi": "relu", "rule": "add"},
        "ReLU maps the first two keys to [0, 0], so y₀ and y₁ are undefined. "
        "From p₂ on there is something to divide by: y₂ = [1, 2]; y₃ = [4, 5], with weights 0.25 and 0.75.",
    ),
    Example(
        "sentence",
        "twelve words",
        Tokens(DRAWN.q, DRAWN.k, DRAWN.v, labels=SENTENCE),
        ELU,
        "12 words with made-up vectors of 8 components: S stays 8×8 while the kept list grows to 12 rows.",
    ),
    Example(
        "random",
        "random tokens",
        random_tokens(6, 3, 4, seed=1),
        ELU,
        "6 tokens from seed 1, with keys of 3 and values of 4 components. S is 3×4: no axis of it is time.",
    ),
    Example(
        "trained_add",
        "a trained head that adds",
        _seen_by("add"),
        trained("add").settings,
        "A head trained to recall the last colour by adding; components a to d score red, blue, green, gold. "
        "The pen is red at p₄ and gold at p₆: asked at p₈, it weighs them 0.3 and 0.43, and p₃, the red map, "
        "0.24. So red wins, 0.68 against −0.31.",
    ),
    Example(
        "trained_delta",
        "a trained head that replaces",
        _seen_by("delta"),
        trained("delta").settings,
        "The same list and colours in a head trained with the gated delta rule: p₆ turns the pen from red "
        "(a) to gold (d). The state's old answer for its key scores red 3.53, so −6.09 is written there. "
        "Asked at p₈, gold scores 2.65 and red −2.6.",
    ),
    Example(
        "trained_softmax",
        "a head trained with softmax attention",
        _seen_by("softmax"),
        ELU,
        "The same list and colours in a head trained with softmax attention, which at p₈ gives p₆ the weight "
        "0.96 and answers gold (d). With ELU + 1 in its place the same vectors score red 0.36 and gold −1.2: "
        "a head is trained for one way of reading.",
    ),
)


def example(key: str) -> Example:
    """The example called `key`.

    Raises:
        InputError: no example has that key.
    """
    return find("example", EXAMPLES, key)

"""What an architecture is: settings of the one update and read, and how its arrays become ours."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linattn_core.architectures.raw import one_head
from linattn_core.architectures.sentences import sentences
from linattn_core.feature_maps import feature_map
from linattn_core.tokens import InputError, Tokens, finite, place
from linattn_core.update_rules import UpdateRule, update_rule


@dataclass(frozen=True)
class Made:
    """One way to get one of our inputs from a model's arrays: `formula` is `make` in the model's letters.

    make: takes the arrays called `needs`, of one head, in that order; None: there is one, taken as it is.
    """

    ours: str
    formula: str
    needs: tuple[str, ...]
    make: Callable[..., np.ndarray] | None = None


def taken(letter: str, ours: str | None = None) -> Made:
    """The model's array `letter` is ours as it is."""
    return Made(ours or letter, letter, (letter,))


@dataclass(frozen=True)
class Architecture:
    """A named model as settings of `run`: what mixes tokens, without convolutions, norms and output gates.

    axes: the arrays it may come with, and their axes in its own letters; H counts heads.
    made: how they become ours; of the ways to one of ours that are complete, the one that needs most is used.
    scaled: scores are multiplied by 1/√d_k, d_k being the components of a key.
    divides: y is divided by the score sum.
    share: γ of head h, where that is fixed and not an array.
    state: its own letter for the state; with ᵀ where its rows are value components: S is it transposed.
    """

    key: str
    title: str
    rule: str
    axes: Mapping[str, str]
    made: tuple[Made, ...]
    source: str
    phi: str = "identity"
    scaled: bool = True
    divides: bool = False
    share: Callable[[int], float] | None = None
    state: str = "S"

    @property
    def update_rule(self) -> UpdateRule:
        """The record of its write rule."""
        return update_rule(self.rule)

    @property
    def unit_length(self) -> bool:
        """Whether q and k are scaled to length 1 first, which is the map l2."""
        return self.phi == "l2"

    @property
    def letters(self) -> dict[str, str]:
        """Its own letters -> ours, as its paper has them: {"B": "k", …, "h": "Sᵀ"}."""
        firsts = {way.ours: way.formula for way in reversed(self.made)}
        transposed = self.state.endswith("ᵀ")
        own_state = {self.state.removesuffix("ᵀ"): "Sᵀ" if transposed else "S"}
        return {formula: ours for ours, formula in reversed(firsts.items())} | own_state

    def scale(self, d_k: int) -> float:
        """What scores are multiplied by: d_k^(−1/2), or 1."""
        return d_k**-0.5 if self.scaled else 1.0

    def settings(self, d_k: int, head: int = 0) -> dict[str, Any]:
        """Keywords of `run` for tokens that bring no gates: the rule's knobs are at their defaults.

        γ is that of the head where the architecture fixes it. Leave out what the tokens carry.
        """
        knobs = (*feature_map(self.phi).knobs, *self.update_rule.knobs)
        return {knob.name: knob.default for knob in knobs} | self._fixed(d_k, head)

    def sentences(self, d_k: int, head: int = 0) -> dict[str, str]:
        """What it sets, a sentence each: rule, map, key_norm, scale, division, gates, letters, state."""
        return sentences(self, d_k, head)

    def _fixed(self, d_k: int, head: int) -> dict[str, Any]:
        same = {"phi": self.phi, "rule": self.rule, "scale": self.scale(d_k), "normalize": self.divides}
        return same if self.share is None else same | {"gamma": self.share(head)}

    def prepare(self, raw: Mapping[str, Any], head: int = 0) -> tuple[Tokens, dict[str, Any]]:
        """Its own arrays as what `run` takes: run(tokens, **keywords) is what the model computes for a head.

        raw: arrays by the names in `axes`, with or without the axis H.

        Raises:
            InputError: an array is missing, unknown, of a wrong shape or out of range; there is no such head.
        """
        arrays = one_head(self.title, self.axes, raw, head)
        with np.errstate(all="ignore"):  # what leaves the range of floats is found below and in Tokens
            ours = {way.ours: _make(way, arrays) for way in self._ways(arrays)}
        kept: dict[str, Any] = {
            name: ours.pop(name) for name in ("q", "k", "v", "beta", "log_decay") if name in ours
        }
        return Tokens(**kept), self._fixed(kept["k"].shape[1], head) | ours

    def _ways(self, arrays: Mapping[str, Any]) -> list[Made]:
        """The way to each of ours that the arrays allow.

        Raises:
            InputError: there is none, or an array is left over.
        """
        ways = [self._way(ours, arrays) for ours in dict.fromkeys(way.ours for way in self.made)]
        read = sorted({name for way in ways for name in way.needs})
        for name in arrays:
            if name not in read:
                raise InputError(
                    f"{self.title} does not read {name} beside {', '.join(read)}. Remove it, or those "
                    f"that it stands for."
                )
        return ways

    def _way(self, ours: str, arrays: Mapping[str, Any]) -> Made:
        ways = [way for way in self.made if way.ours == ours]
        complete = [way for way in ways if set(way.needs) <= set(arrays)]
        if not complete:
            choices = "; or ".join(" and ".join(way.needs) for way in ways)
            came = ", ".join(arrays) or "nothing"
            raise InputError(f"{self.title} needs {choices}; it got {came}. Add what is missing.")
        return max(complete, key=lambda way: len(way.needs))


def _make(way: Made, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    if way.make is None:
        made = arrays[way.formula] if way.ours == "log_decay" else finite(way.formula, arrays[way.formula])
    else:
        made = way.make(*(finite(name, arrays[name]) for name in way.needs))
    bad = np.argwhere(~(made <= 0)) if way.ours == "log_decay" else []  # catches NaN
    if len(bad):
        raise InputError(
            f"{way.formula} is the natural log of the share kept, so it needs to be ≤ 0 (−inf forgets "
            f"everything); {place(bad[0])} is {made[tuple(bad[0])]}. If it is the share itself, pass its log."
        )
    return made

"""Everything chosen in the sidebar as one frozen object, and what may stand under a widget's key. Pure."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linattn_core import EXAMPLES, FEATURE_MAPS, UPDATE_RULES, InputError, run
from linattn_ui import cells

CHOICES = {"example": EXAMPLES, "phi": FEATURE_MAPS, "rule": UPDATE_RULES}
# Where neither the reader nor the example chose. Names that `run` knows are its own; `later` is read="full".
DEFAULTS: dict[str, Any] = {
    "phi": "elu1",
    "rule": "add",
    "later": False,
    "normalize": "rule",
    "read_before_write": "rule",
    "softmax_scale": None,
    "eps": 0.0,
    "decimals": 3,
}
THREE = {"rule": None, "yes": True, "no": False}  # None leaves it to the write rule
RANDOM = {  # widget key: smallest, largest, first; the first ones draw the tokens of the example "random"
    "random_T": (1, cells.MAX_TOKENS, 6),
    "random_d_k": (1, cells.MAX_COMPONENTS, 3),
    "random_d_v": (1, cells.MAX_COMPONENTS, 4),
    "random_seed": (0, 2**31 - 1, 1),
}
SIZES = {"grid_T": cells.MAX_TOKENS, "grid_d_k": cells.MAX_COMPONENTS, "grid_d_v": cells.MAX_COMPONENTS}
NO_WIDGET = ("scale", "initial", "dtype")  # an example may set them; they go to `run` as they are
PICTURE = ("softmax_scale", "decimals")  # what a run does not depend on


@dataclass(frozen=True)
class Settings:
    """What is chosen, as records rather than names."""

    example: Any
    phi: Any
    rule: Any
    options: Mapping[str, Any] = field(default_factory=dict)  # the other keywords of `run`
    softmax_scale: float | None = None
    decimals: int = 3

    @property
    def changed(self) -> bool:
        """Whether something differs from what the example sets."""
        usual = fallbacks() | set_by(self.example)
        now = under_keys(self.options) | {"phi": self.phi.key, "rule": self.rule.key}
        return any(np.ndim(value) > 0 or usual.get(name) != value for name, value in now.items())

    def run(self, tokens: Any) -> Any:
        """One run of these tokens."""
        return run(tokens, self.phi, self.rule, **self.options)

    def attempt(self, tokens: Any) -> Any | None:
        """The same, or None where these settings do not go together."""
        try:
            return self.run(tokens)
        except InputError:
            return None


def find(name: str, key: Any) -> Any:
    """The record of that key; the first one where there is none."""
    return next((choice for choice in CHOICES[name] if choice.key == key), CHOICES[name][0])


def set_by(example: Any) -> dict[str, Any]:
    """What an example sets, under the widgets' keys."""
    return under_keys(example.settings)


def under_keys(options: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of `run` as values of widgets; those without a widget are left out."""
    values = {name: value for name, value in options.items() if name not in NO_WIDGET}
    if "read" in values:
        values["later"] = values.pop("read") == "full"
    for name in ("normalize", "read_before_write"):
        if name in values:
            values[name] = next(key for key, meant in THREE.items() if meant is values[name])
    return {name: getattr(value, "key", value) for name, value in values.items()}


def split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keywords of `run` as values of widgets, and those that no widget can hold."""
    values = under_keys(options)
    if options["normalize"] == find("rule", options["rule"]).divides:
        values["normalize"] = "rule"
    reads_first = find("rule", options["rule"]).bonus is not None and options["read"] == "causal"
    if options["read_before_write"] == reads_first:
        values["read_before_write"] = "rule"
    may_stand, first = checks(), fallbacks()
    held = {
        name: type(first[name])(value)
        for name, value in values.items()
        if name in may_stand and may_stand[name](value) and not _cut(value, first[name])
    }
    usual = {"scale": 1.0, "dtype": "float64"}
    rest = {name: value for name, value in options.items() if name not in (*held, "read")}
    return held, {name: value for name, value in rest.items() if name not in usual or value != usual[name]}


def _cut(value: Any, first: Any) -> bool:
    """Whether a box of whole numbers would cut the value."""
    return isinstance(first, int) and not isinstance(first, bool) and value != int(value)


def knobs() -> dict[str, Any]:
    """Every knob of every map and rule by name."""
    return {knob.name: knob for record in (*FEATURE_MAPS, *UPDATE_RULES) for knob in record.knobs}


def fallbacks() -> dict[str, Any]:
    """What stands under a key that nobody has set."""
    return DEFAULTS | {name: knob.default for name, knob in knobs().items()}


def checks() -> dict[str, Callable[[Any], bool]]:
    """Widget key -> whether a value may stand under it: a link or a forged message may bring any."""
    rules: dict[str, Callable[[Any], bool]] = {
        "later": lambda x: isinstance(x, bool),
        "normalize": THREE.__contains__,
        "read_before_write": THREE.__contains__,
        "softmax_scale": lambda x: x is None or within(x, 0, 1e6),
        "eps": lambda x: within(x, 0, 1),
        "decimals": lambda x: within(x, 1, 12),
    }
    rules |= {name: lambda x, keys=tuple(r.key for r in rs): x in keys for name, rs in CHOICES.items()}
    ranges = {key: (low, high) for key, (low, high, _) in RANDOM.items()}
    ranges |= {key: (1, high) for key, high in SIZES.items()}
    ranges |= {name: (knob.low, knob.high) for name, knob in knobs().items()}
    return rules | {key: lambda x, ends=ends: within(x, *ends) for key, ends in ranges.items()}


def within(x: Any, low: float, high: float) -> bool:
    """Whether x is a finite number in the range."""
    return isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) and low <= x <= high


def clamped(x: Any, low: int, high: int) -> int:
    """X moved into the range, as an int."""
    return min(max(int(x), low), high) if isinstance(x, int | float) and math.isfinite(x) else low

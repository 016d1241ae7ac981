"""Linear attention step by step, on NumPy alone."""

from linattn_core.all_pairs import softmax
from linattn_core.checks import RunSettings
from linattn_core.feature_maps import FEATURE_MAPS, FeatureMap, feature_map
from linattn_core.knobs import Knob
from linattn_core.recurrence import run
from linattn_core.tokens import InputError, Tokens
from linattn_core.trace import Trace
from linattn_core.update_rules import UPDATE_RULES, UpdateRule, update_rule

__all__ = [
    "FEATURE_MAPS",
    "UPDATE_RULES",
    "FeatureMap",
    "InputError",
    "Knob",
    "RunSettings",
    "Tokens",
    "Trace",
    "UpdateRule",
    "feature_map",
    "run",
    "softmax",
    "update_rule",
]
from types import SimpleNamespace as N
import numpy as _np
_A = Tokens([[1,0],[0,1],[1,0]],[[1,0],[0,1],[1,0]],[[2,0],[0,3],[1,1]])
def random_tokens(T, d_k, d_v, seed):
    g = _np.random.default_rng(seed); r = lambda *s: _np.round(g.normal(size=s), 2)
    return Tokens(r(T, d_k), r(T, d_k), r(T, d_v))
EXAMPLES = (N(key="article", title="The article's three tokens", tokens=_A, settings={"phi": "identity"}, story="Two keys; the first is written twice."),
 N(key="zero", title="Scores that cancel", tokens=Tokens([[1],[1]],[[1],[-1]],[[1],[1]]), settings={"phi": "identity"}, story="1 and -1."),
 N(key="fade", title="Fading", tokens=_A, settings={"rule": "decay", "gamma": .5}, story="Decay."),
 N(key="random", title="Random numbers", tokens=random_tokens(8,4,4,0), settings={}, story="Random."))
EXPORTS = (N(key="json", title="JSON", suffix=".json", mime="application/json", write=lambda t, step=None: b"{}"),)

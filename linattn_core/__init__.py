"""Linear attention step by step, on NumPy alone.

Read in this order: tokens, feature_maps, update_rules, recurrence, trace, all_pairs, division.
"""

from linattn_core.all_pairs import softmax
from linattn_core.architectures import ARCHITECTURES, Architecture, architecture
from linattn_core.checks import RunSettings
from linattn_core.comparison import Comparison, compare, sharpened
from linattn_core.cost import (
    FORMS,
    MODELS,
    Brackets,
    Form,
    Model,
    Sizes,
    brackets,
    break_even_kept,
    break_even_time,
    form,
    growth,
    model,
    softmax_brackets,
)
from linattn_core.examples import EXAMPLES, Example, example, random_tokens
from linattn_core.exports import EXPORTS, Export, export
from linattn_core.feature_maps import FEATURE_MAPS, FeatureMap, feature_map
from linattn_core.importers import IMPORTERS, Importer, importer, importer_for
from linattn_core.knobs import ArrayKnob, Knob
from linattn_core.map_comparison import OnTokens, compare_maps
from linattn_core.mixing import Reading, read_back, reading, same_state
from linattn_core.numerals import parse_number
from linattn_core.ordered import ordered_dot, ordered_sum
from linattn_core.pasted import Pasted, parse_rows
from linattn_core.recurrence import run
from linattn_core.restore import Restored, restore, tokens_from
from linattn_core.rule_comparison import Losses, beside, losses
from linattn_core.snapshot import head, snapshot
from linattn_core.tokens import InputError, Tokens
from linattn_core.trace import Trace
from linattn_core.update_rules import UPDATE_RULES, UpdateRule, update_rule

__all__ = [
    "ARCHITECTURES",
    "EXAMPLES",
    "EXPORTS",
    "FEATURE_MAPS",
    "FORMS",
    "IMPORTERS",
    "MODELS",
    "UPDATE_RULES",
    "Architecture",
    "ArrayKnob",
    "Brackets",
    "Comparison",
    "Example",
    "Export",
    "FeatureMap",
    "Form",
    "Importer",
    "InputError",
    "Knob",
    "Losses",
    "Model",
    "OnTokens",
    "Pasted",
    "Reading",
    "Restored",
    "RunSettings",
    "Sizes",
    "Tokens",
    "Trace",
    "UpdateRule",
    "architecture",
    "beside",
    "brackets",
    "break_even_kept",
    "break_even_time",
    "compare",
    "compare_maps",
    "example",
    "export",
    "feature_map",
    "form",
    "growth",
    "head",
    "importer",
    "importer_for",
    "losses",
    "model",
    "ordered_dot",
    "ordered_sum",
    "parse_number",
    "parse_rows",
    "random_tokens",
    "read_back",
    "reading",
    "restore",
    "run",
    "same_state",
    "sharpened",
    "snapshot",
    "softmax",
    "softmax_brackets",
    "tokens_from",
    "update_rule",
]

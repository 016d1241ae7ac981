"""Which product comes first, and what that costs."""

from linattn_core.cost.brackets import Brackets, brackets, softmax_brackets
from linattn_core.cost.forms import FORMS, Form, Sizes, break_even_kept, break_even_time, form, growth
from linattn_core.cost.models import LENGTHS, MODELS, Model, model

__all__ = [
    "FORMS",
    "LENGTHS",
    "MODELS",
    "Brackets",
    "Form",
    "Model",
    "Sizes",
    "brackets",
    "break_even_kept",
    "break_even_time",
    "form",
    "growth",
    "model",
    "softmax_brackets",
]

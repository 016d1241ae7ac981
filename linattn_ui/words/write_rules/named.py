"""What a named architecture answers on the tokens on screen."""

from typing import Any

from linattn_core import Architecture
from linattn_ui.words.numbers import sub, vector
from linattn_ui.words.write_rules.step import score_sum, seen

PLAYED = {"q": "query", "k": "key", "v": "value"}


def named(model: Architecture, trace: Any, t: int, decimals: int = 3) -> str:
    """Its answer for query t, and what its letters are where they are others than ours."""
    other = [
        f"{letter} is the {PLAYED[ours]}"
        for letter, ours in model.letters.items()
        if ours in PLAYED and letter != ours
    ]
    own = f" It reads {reads.rstrip(':')}." if (reads := seen(trace, t, decimals)) else ""
    own += f" Its letters: {', '.join(other)}." if other else ""
    read = vector(trace.read[t], decimals)
    if not trace.settings.normalize:
        return f"{model.title} answers q{sub(t)} with y{sub(t)} = {read}.{own}"
    total = score_sum(trace, t, decimals)
    if not trace.defined[t]:
        return f"{model.title} has no answer for q{sub(t)}: the score sum is {total}.{own}"
    answer, below = vector(trace.y[t], decimals), f"({total})" if trace.settings.eps else total
    return f"{model.title} answers q{sub(t)} with {read} ÷ {below}: y{sub(t)} = {answer}.{own}"

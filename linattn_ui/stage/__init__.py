"""The stage: one token at a time, stepped in the browser without asking the server.

`show` mounts it in a Streamlit page. What it draws is in js/ and stage.css, which need nothing of Streamlit
but its colours; `sources` gives both as text.
"""

import base64
import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2 import component

from linattn_core import Trace
from linattn_ui import theme
from linattn_ui.stage.payload import payload

FOLDER = Path(__file__).parent
MODULES = "recurrence words dom lane_a lane_b divide film maps explain save stage".split()  # imported first


def sources() -> tuple[str, str]:
    """(JavaScript, CSS): the modules as one, for a page that has no server to load them from."""
    code = "\n".join(_joinable(name) for name in MODULES)
    return code, theme.css() + (FOLDER / "stage.css").read_text(encoding="utf-8")


def _joinable(name: str) -> str:
    """A module as a part of one file: a function's scope keeps its names, its exports are what it returns."""
    text = (FOLDER / "js" / f"{name}.js").read_text(encoding="utf-8")
    exports = re.findall(r"(?m)^export (?:function|class|const) (\w+)", text)
    text = re.sub(r"(?m)^import (\{.*?\}) from '\./(\w+)\.js';", r"const \1 = \2Module;", text)
    text = re.sub(r"(?m)^export (?!default)", "", text)
    if "export default" in text:
        return text
    return f"const {name}Module = (() => {{\n{text}\nreturn {{ {', '.join(exports)} }};\n}})();"


def _packed(code: str) -> str:
    """A module that unpacks `code` and passes its default export on: a third of the bytes to send."""
    text = base64.b64encode(gzip.compress(code.encode(), mtime=0)).decode()
    return f"""const packed = Uint8Array.from(atob('{text}'), (c) => c.charCodeAt(0));
const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
const url = URL.createObjectURL(new Blob([await new Response(plain).text()], {{ type: 'text/javascript' }}));
export default (await import(url)).default;
"""


_JS, _CSS = sources()
_mount = component("linattn_stage", html="<div>\n</div>", js=_packed(_JS), css=_CSS)


def show(
    trace: Trace,
    *,
    softmax_scale: float | None = None,
    digits: int = 3,
    step: int | None = None,
    operation: str | None = None,
    highlight: str | None = None,
    nonce: int = 0,
    key: str = "stage",
    on_rest: Callable[[int, str | None], None] | None = None,
) -> None:
    """Draw `trace`, at `step` tokens written (None: all).

    The browser keeps its own step; it takes step, operation and highlight (the name of a number, "y[0]")
    when it first appears and whenever `nonce` changes. After 200 ms at rest it calls on_rest(step, operation)
    and reruns the enclosing fragment. Call it there with the same arguments: then nothing is sent again.
    It asks for such a rerun too when typing pauses elsewhere on the page, the sidebar excepted: it brings
    the edits of widgets that wait for one (on_change="ignore").
    """
    position = {"step": step, "operation": operation, "highlight": highlight, "nonce": nonce}

    def rested() -> None:
        rest: dict[str, Any] = st.session_state[key].get("rest") or {}
        if on_rest is not None and rest:
            on_rest(int(rest["step"]), rest["operation"])

    _mount(
        key=key,
        data=payload(trace, softmax_scale=softmax_scale, digits=digits) | position,
        on_rest_change=rested,
        on_typed_change=lambda: None,
    )

"""Imports point one way: app.py, pages → linattn_ui → linattn_core → NumPy; and the core loads fast."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DRAW_OR_SERVE = {"streamlit", "plotly", "openpyxl", "pandas", "scipy", "safetensors"}


def imported(tree):
    """(top-level package, whether it is imported when the module is)."""
    inside = {id(node) for f in ast.walk(tree) if isinstance(f, ast.FunctionDef) for node in ast.walk(f)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        yield from ((name.split(".")[0], id(node) not in inside) for name in names)


def modules(*patterns):
    paths = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


@pytest.mark.parametrize("path", modules("linattn_core/**/*.py"))
def test_the_core_imports_numpy_itself_and_the_standard_library(path):
    allowed = {"numpy", "linattn_core", *sys.stdlib_module_names}
    for package, at_import in imported(ast.parse(path.read_text("utf-8"))):
        assert package in allowed or not at_import, package
        assert package not in {"linattn_ui", "streamlit", "plotly"}


@pytest.mark.parametrize("path", modules("linattn_ui/figures*.py", "linattn_ui/stage/*.py"))
def test_what_turns_arrays_into_pictures_does_not_serve(path):
    packages = {package for package, _ in imported(ast.parse(path.read_text("utf-8")))}
    assert path.name == "__init__.py" or "streamlit" not in packages


@pytest.mark.parametrize("path", modules("app.py", "pages/*.py"))
def test_a_page_neither_computes_nor_draws(path):
    packages = {package for package, _ in imported(ast.parse(path.read_text("utf-8")))}
    assert not packages & {"numpy", "plotly"}


def test_there_is_a_core_to_look_at():
    assert len(modules("linattn_core/**/*.py")) > 10


def test_loading_the_core_loads_nothing_heavy():
    """A fresh interpreter: what stands in sys.modules afterwards."""
    code = (
        "import sys, numpy; before = set(sys.modules); import linattn_core; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert "linattn_core" in loaded
    assert not loaded & {*DRAW_OR_SERVE, "json", "random", "hashlib", "asyncio", "http", "mpmath"}
    assert "numpy.random" not in done.stdout.split()

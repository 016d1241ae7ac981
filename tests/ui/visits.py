"""A visitor without a browser who follows a link; what the tests of single pages share."""

from pathlib import Path

from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"


def visitor(**query):
    """Somebody with a link, before the page is run."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    for name, text in query.items():
        at.query_params[name] = text
    return at


def visit(page, **query):
    """The page of that file stem, opened by a link."""
    return visitor(**query).switch_page(f"pages/{page}.py").run()

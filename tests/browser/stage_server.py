"""Fixtures for the tests of the stage: a server whose page is the stage alone, and hands for a stage.

pytest_plugins = ["stage_server"]

def test_sentence(bare):
    stage = bare("article", step=1)
    stage.press("ArrowRight")
"""

import os
from pathlib import Path
from urllib.parse import urlencode

import pytest
import serving
from playwright.sync_api import expect

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = "import stage_cases\n\nstage_cases.draw()\n"

EACH = """(stage, [steps, look]) => steps.map((step) => {
    const range = stage.querySelector('[data-testid=step]');
    range.value = step;
    range.dispatchEvent(new Event('input'));
    return eval(look)(stage);
})"""
CELLS = """(stage) => [...stage.querySelectorAll('[data-cell]')]
    .map((node) => [node.dataset.cell, node.dataset.value])"""
STATES = """(stage) => [...stage.querySelectorAll('[data-cell^=S_after], [data-cell^=z_after]')]
    .map((node) => [node.dataset.cell, node.dataset.value])"""
NAME = "const name = ({dataset: {cell, token}}) => cell ?? (token && `token ${token}`);"
SEEN = f"""(stage) => {{ {NAME} return [...stage.querySelectorAll('[data-cell], [data-token]')]
    .filter((node) => node.checkVisibility({{visibilityProperty: true}}))
    .map(name) }}"""
TOLD = """(stage) => [...stage.querySelectorAll('[data-cell]')]
    .filter((node) => node.checkVisibility({visibilityProperty: true}))
    .map((node) => {
        node.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
        const text = stage.querySelector('[data-testid=arithmetic]').textContent;
        return [node.dataset.cell, node.dataset.value, text];
    })"""
LIT = """(stage) => [...stage.querySelectorAll('.source')]
    .map((node) => node.dataset.cell ?? node.dataset.token)"""
FOCUSED = f"(stage) => {{ {NAME} return name(stage.getRootNode().activeElement ?? stage) ?? null }}"
HOLD = """async (stage, times) => {
    for (let n = 0; n < times; n++) {
        document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', repeat: n > 0}));
        await new Promise((done) => setTimeout(done, 30));
    }
}"""
POINT = """(stage, name) => {
    const node = stage.querySelector(`[data-cell="${name}"], [data-token="${name}"]`);
    node.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    return stage.querySelector('[data-testid=arithmetic]').textContent;
}"""


class Stage:
    """A stage in a page, and what a visitor does with it."""

    def __init__(self, page):
        self.page, self.root = page, page.get_by_test_id("stage")
        self.visit = 0
        expect(self.root).to_be_visible()

    def show(self, case):
        """Another case, from its last step."""
        self.visit += 1
        self._type(case)
        expect(self.root).to_have_attribute("data-nonce", str(self.visit), timeout=30_000)  # the largest case

    def change(self, case):
        """Another case at the step where the stage is, as when a visitor edits the input."""
        before = self.root.get_attribute("data-rev")
        self._type(case)
        expect(self.root).not_to_have_attribute("data-rev", before)

    def _type(self, case):
        """Leaving the box sends its text, as Enter does, but presses no key."""
        box = self.page.get_by_label("Case")
        box.fill(f"{case} {self.visit}")
        box.evaluate("box => box.blur()")

    def each(self, steps, look):
        """What the JavaScript function `look` sees of the stage at each step, all in one call."""
        return self.root.evaluate(EACH, [list(steps), look])

    def go(self, step):
        """Move the range input."""
        self.each([step], "() => null")

    def cells(self, steps):
        """For each step the (name, value) of every number in the page."""
        return self.each(steps, CELLS)

    def shown(self):
        """The same where the stage stands."""
        return self.root.evaluate(CELLS)

    def states(self, steps):
        """For each step those of S_after and z_after alone."""
        return self.each(steps, STATES)

    def seen(self):
        """Names of the numbers and the list's tokens that are visible now, in reading order."""
        return self.root.evaluate(SEEN)

    def told(self, steps):
        """For each step (name, value, arithmetic) of every visible number, pointed at one after the other."""
        return self.each(steps, TOLD)

    def point(self, name):
        """Point at a number or a token of the list. Returns the arithmetic that is then said."""
        return self.root.evaluate(POINT, name)

    @property
    def lit(self):
        """Names of the numbers, and of the tokens as "0", that are lit as sources."""
        return set(self.root.evaluate(LIT))

    def press(self, *keys):
        """Keys where the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    def hold(self, times):
        """Hold → until it has repeated so often, 30 ms apart."""
        self.root.evaluate(HOLD, times)

    def tab(self):
        """Tab on to a number, at most six times. Returns its name, or None."""
        for _ in range(6):
            self.press("Tab")
            if self.focused:
                break
        return self.focused

    def at(self, step):
        """The stage is at this step."""
        expect(self.root).to_have_attribute("data-step", str(step))

    @property
    def focused(self):
        """Name of the number or token that has the focus, or None."""
        return self.root.evaluate(FOCUSED)

    def part(self, testid):
        """A part of the stage by its test id."""
        return self.root.get_by_test_id(testid)

    def cell(self, name):
        """The number of that name."""
        return self.root.locator(f'[data-cell="{name}"]')

    def text(self, testid):
        """What a part says."""
        return self.part(testid).text_content()

    def number(self, name):
        """The exact value of a number in the page."""
        return float(self.cell(name).get_attribute("data-value"))


@pytest.fixture(scope="session")
def stage_server(chromium, tmp_path_factory):
    """The address of a page that shows the stage of `?case=`."""
    folder = tmp_path_factory.mktemp("stage")
    script, log = folder / "page.py", folder / "log.txt"
    script.write_text(PAGE)
    search = os.pathsep.join([str(ROOT), str(HERE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    with serving.serve(script, cwd=ROOT, log=log, PYTHONPATH=search) as url:
        yield url
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


@pytest.fixture
def bare(app, stage_server):
    """bare(case="article", *, query..., context...) -> the stage alone in a new visitor's page."""
    app.server = stage_server

    def open_page(case="article", *, step=None, operation=None, highlight=None, **context):
        query = {"case": case, "step": step, "operation": operation, "highlight": highlight}
        path = "/?" + urlencode({name: value for name, value in query.items() if value is not None})
        return Stage(app(path, **context))

    return open_page


class Shared:
    """One stage for a whole session, and the faults of its page. It is opened again after a fault."""

    def __init__(self, page, url):
        self.page, self.url, self.faults = page, url, ["not opened yet"]
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.faults.append(message.text))

    def stage(self):
        if self.faults:
            self.page.goto(self.url, wait_until="domcontentloaded")
            serving.settle(self.page)
            self.faults.clear()
            self.hands = Stage(self.page)
        self.page.mouse.move(0, 0)
        return self.hands


@pytest.fixture(scope="session")
def shared(browser, stage_server):
    """A page that stays open: to open one takes longer than to look at it."""
    context = browser.new_context(viewport={"width": 1440, "height": 780}, reduced_motion="reduce")
    yield Shared(context.new_page(), stage_server)
    context.close()


@pytest.fixture
def stage(shared):
    """The stage that stays open: `show` a case first."""
    yield shared.stage()
    assert not shared.faults

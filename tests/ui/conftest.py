"""Somebody at the first page, without a browser: types, pastes, opens files, presses buttons."""

from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner
from visits import visitor

from linattn_ui.frame import SHORT


@pytest.fixture(scope="session", autouse=True)
def _one_look():
    """Every AppTest looks through all packages for components, which is a tenth of its time: once will do."""
    with pytest.MonkeyPatch.context() as patch:
        look = cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", look)
        yield


class Reader:
    """What a person does, in their words; every act is one rerun."""

    def __init__(self):
        self.at = visitor().run()

    def kept(self, key):
        return self.at.session_state[key] if key in self.at.session_state else None

    @property
    def grid(self):
        return self.kept("grid")["cur"]

    @property
    def texts(self):
        return self.grid.to_numpy(object).tolist()

    @property
    def trace(self):
        assert not self.at.exception, self.at.exception
        return self.kept("last_good")

    @property
    def note(self):
        return self.kept("grid")["note"]

    @property
    def errors(self):
        assert not self.at.exception, self.at.exception
        return [error.value for error in self.at.error]

    @property
    def captions(self):
        return " ".join(caption.value for caption in self.at.caption)

    def send(self, message, run=True):
        """What a browser's grid sends."""
        key = f"grid_{self.kept('grid')['rev']}"
        self.at.session_state[key] = {"edited_rows": {}, "added_rows": [], "deleted_rows": []} | message
        return self.at.run() if run else None

    def type(self, row, column, text, run=True):
        """An edit on top of those since the grid was replaced; run=False: it waits for the next rerun."""
        before = self.kept(f"grid_{self.kept('grid')['rev']}") or {"edited_rows": {}}
        rows = {int(t): dict(cells) for t, cells in before["edited_rows"].items()}
        rows.setdefault(row, {})[column] = text
        self.send({"edited_rows": rows}, run)

    def late(self):
        """What a browser would send now, to be heard later."""
        return self.at._tree.get_widget_states()

    def hear(self, message):
        self.at._run(message)

    def choose(self, key, value):
        menu = self.at.radio if key in SHORT else self.at.selectbox
        menu(key=key).set_value(value).run()

    def size(self, label, number):
        next(box for box in self.at.number_input if box.label == label).set_value(number).run()

    def button(self, label):
        return next(button for button in self.at.button if button.label == label)

    def press(self, label):
        self.button(label).click().run()

    def paste(self, text, into="all"):
        self.at.text_area(key="pasted").set_value(text)
        self.at.segmented_control(key="pasted_into").set_value(into)
        self.press("Put into the grid")

    def open(self, name, data, into="all"):
        self.at.segmented_control(key="file_into").set_value(into)
        self.at.file_uploader[0].upload(name, data).run()


@pytest.fixture
def reader():
    return Reader()


@pytest.fixture(scope="module")
def _someone():
    return Reader()


@pytest.fixture
def patient(_someone):
    """One reader for all cases of a table, back at the example after each: what goes wrong may not add up."""
    yield _someone
    left = {"pasted": "", "file_fault": None}
    if any(_someone.kept(key) != empty for key, empty in left.items()):
        for key, empty in left.items():
            _someone.at.session_state[key] = empty
        _someone.at.run()
    if not _someone.button("Reset to the example").disabled:
        _someone.press("Reset to the example")
    assert not _someone.at.exception

"""A button that copies the address of the page, which says everything there is to see."""

from streamlit.components.v2 import component

_HTML = """
<div class="link">
<button type="button">Copy link</button>
<span role="status"></span>
<input type="text" readonly hidden aria-label="Link to this page">
</div>
"""

_CSS = """
.link { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem; font-family: var(--st-font); }
button { font: inherit; color: inherit; cursor: pointer; padding: .3rem .8rem; background: none;
  border: 1px solid var(--st-border-color); border-radius: var(--st-button-radius, .5rem); }
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
button:focus-visible, input:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
input { box-sizing: border-box; flex: 1 1 12rem; min-width: 0; font: inherit; padding: .3rem; color: inherit;
  background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color); }
input[hidden] { display: none; }
"""

# Without https a browser has no clipboard: then the link stands there, selected, to be copied by hand.
_JS = """
export default function ({ parentElement }) {
  const [button, status, field] = ['button', 'span', 'input'].map((tag) => parentElement.querySelector(tag));
  button.onclick = async () => {
    status.textContent = '';
    try {
      await navigator.clipboard.writeText(document.location.href);
      field.hidden = true;
      status.textContent = 'Copied';
    } catch {
      field.hidden = false;
      field.value = document.location.href;
      field.select();
      status.textContent = 'Copy it from here:';
    }
  };
}
"""

_mount = component("linattn_copy_link", html=_HTML, css=_CSS, js=_JS)


def show() -> None:
    """The button; "Copied" beside it once it did."""
    _mount(key="copy_link")

// Elements, numbers in the page, and colours. User text only ever becomes a text node.

import { exact, number } from './words.js';

/** el('p', {class: 'x', 'data-y': 1}, 'text', node) */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const DEPTH = 0.6; // opacity of the strongest fill: numbers stay readable on it

/** The fill of a number, in steps of 1 %. As a finished colour: mixed by CSS, the cells of a step take ten times as long. */
export function fill(x, limit, { positive, negative }) {
  const share = Math.round(100 * Math.min(1, Math.abs(x) / limit || 0));
  return share ? `rgba(${x < 0 ? negative : positive}, ${(DEPTH * share).toFixed(1)}%)` : '';
}

/** A number in the page: what is drawn is rounded, `data-value` is exact. Writes only what changed. */
export class Num {
  constructor(name, { digits = 3, limit = 0, colours, shown = true, tag = 'span', className = 'n', format = number } = {}) {
    this.name = name;
    this.digits = digits;
    this.limit = limit;
    this.colours = colours;
    this.format = format;
    this.node = el(tag, { class: className });
    this.text = shown ? this.node.appendChild(document.createTextNode('')) : null;
    this.x = undefined;
    this.present = false;
    this.set(undefined);
  }

  /** undefined: this number does not exist at this step. */
  set(x) {
    if (x === undefined ? !this.present && this.x === undefined : this.present && Object.is(x, this.x)) return;
    if (x === undefined) {
      this.node.removeAttribute('data-cell');
      this.node.removeAttribute('data-value');
    } else {
      if (!this.present) this.node.setAttribute('data-cell', this.name);
      this.node.setAttribute('data-value', exact(x));
    }
    this.present = x !== undefined;
    this.x = x;
    const text = this.present ? this.format(x, this.digits) : '';
    if (this.text && this.text.nodeValue !== text) this.text.nodeValue = text;
    if (this.limit) this.paint(this.present ? fill(x, this.limit, this.colours) : '');
  }

  paint(colour) {
    if (colour === this.colour) return;
    this.colour = colour;
    this.node.style.backgroundColor = colour;
  }
}

/** A button whose name is told to assistive technology and on hover. */
export function button(label, name, testid, act) {
  const node = el('button', { type: 'button', 'aria-label': name, title: name, 'data-testid': testid }, label);
  node.onclick = act;
  return node;
}

/** A two-state button that says its state. */
export function toggle(label, title, pressed, onChange) {
  const node = el('button', { type: 'button', class: 'toggle', 'aria-pressed': String(pressed), title }, label);
  node.onclick = () => {
    const on = node.getAttribute('aria-pressed') !== 'true';
    node.setAttribute('aria-pressed', String(on));
    onChange(on);
  };
  return node;
}

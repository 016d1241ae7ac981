// Lane A, "one matrix": the state before, the token's write, the state after, and the query reading one of them.
// Factors stand as margins of the matrix they scale: k left and u on top of a write, q left and Σ below a read.

import { Num, el } from './dom.js';
import { largest, stateRead } from './recurrence.js';
import { letter, number, sub, tight } from './words.js';

const DRAWN = 64; // rows and columns drawn at most; sums always use all

/** One matrix. `parts` says which numbers it holds and which margins it has. */
class Matrix {
  constructor(run, { id, cells, z, left, top, foot }) {
    Object.assign(this, { run, id, rows: Math.min(run.D, DRAWN), columns: Math.min(run.V, DRAWN) });
    this.title = el('b');
    this.formula = el('span', { class: 'formula' });
    this.nums = {};
    this.lists = {};
    this.z = run.divides ? z : null;
    const lines = [this.names(), this.tops(top), ...Array.from({ length: this.rows }, (_, i) => this.row(i, cells, left))];
    if (foot) lines.push(this.foot(foot));
    const grid = el('div', { class: 'grid', role: 'table', 'aria-label': id === 'write' ? 'what is written' : `the state, ${id}` }, ...lines);
    this.node = el('div', { class: `matrix ${id}`, 'data-panel': id }, el('p', { class: 'title' }, this.title, this.formula), grid);
    this.node.style.setProperty('--drawn', this.columns);
  }

  num(name, options) {
    const num = (this.nums[name] = new Num(name, { digits: this.run.digits, format: this.run.compact ? tight : number, ...options }));
    (this.lists[name.split('[')[0]] ??= []).push(num); // in row-major order
    return num;
  }

  /** A cell of the grid that is a number itself. */
  cell(name, className, options) {
    const num = this.num(name, { className: `n ${className}`, ...options });
    num.node.setAttribute('role', 'cell');
    return num.node;
  }

  /** Values have no φ; without φ a key or query is used as typed. */
  isMapped(typed) {
    return typed === 'v_typed' ? this.run.u !== this.run.v : this.run.typed;
  }

  /** Two numbers of a margin: what was typed, small, and what φ made of it. */
  margin(name, typed, index, className, op) {
    const small = this.num(`${typed}[${index}]`, { className: this.isMapped(typed) ? 'n typed' : 'n typed same' });
    return el('div', { class: `margin ${className} op-${op}`, role: 'cell' }, small.node, this.num(`${name}[${index}]`, this.hued(name)).node);
  }

  /** Where numbers do not fit, a margin is colour as well, on its own scale. */
  hued(name) {
    const array = { z_before: 'z', z_after: 'z', z_read: 'z', write_z: 'k' }[name] ?? name;
    return this.run.tiny ? { shown: false, limit: largest([this.run[array]]) } : {};
  }

  names() {
    const row = line('name', corner(), corner());
    for (let j = 0; j < this.columns; j++) row.append(head(letter(j)));
    if (this.z) row.append(el('div', { role: 'columnheader', class: 'z op-divide', title: 'sum of the keys: the state kept for the value 1' }, 'z'));
    return row;
  }

  /** Empty where nothing stands on top, so that the rows of all panels are level. */
  tops(top) {
    if (!top) return line('tops', el('div', { class: 'spacer', role: 'cell' }));
    this.topName = el('div', { class: 'name value', role: 'rowheader' });
    const row = line('tops', corner(), this.topName);
    for (let j = 0; j < this.columns; j++) row.append(this.margin(top.name, top.typed, j, 'value', 'write'));
    if (this.z) row.append(el('div', { class: 'z op-divide', role: 'cell' }, '1'));
    return row;
  }

  row(i, cells, left) {
    const row = line('', el('div', { role: 'rowheader', class: 'letter' }, letter(i)), left ? this.margin(left.name, left.typed, i, left.role, left.op) : corner());
    for (let j = 0; j < this.columns; j++) row.append(this.cell(`${cells}[${i},${j}]`, 'cell', { limit: this.run.limit, shown: !this.run.tiny }));
    if (this.z) row.append(this.cell(`${this.z}[${i}]`, 'z op-divide', this.hued(this.z)));
    return row;
  }

  foot({ name, norm }) {
    this.footName = el('div', { role: 'rowheader', class: 'sum op-read' }, 'Σ');
    const row = line('foot', this.footName);
    for (let j = 0; j < this.columns; j++) row.append(this.cell(`${name}[${j}]`, 'read op-read', this.hued(name)));
    if (this.z) row.append(this.cell(norm, 'z op-divide'));
    return row;
  }

  /** Sets the numbers called `name` from a row-major array, whose rows are `stride` long, or blanks them. */
  put(name, values, start, stride = 0) {
    const { columns } = this, list = this.lists[name] ?? [];
    for (let n = 0; n < list.length; n++) list[n].set(values ? values[start + (stride ? Math.floor(n / columns) * stride + (n % columns) : n)] : undefined);
  }
}

const line = (className, ...cells) => el('div', { role: 'row', class: `line-${className || 'cells'}` }, ...cells);
const corner = () => el('div', { role: 'cell' });
const head = (text) => el('div', { role: 'columnheader' }, text);

export class LaneA {
  constructor(run, tools) {
    this.run = run;
    const query = { name: 'q', typed: 'q_typed', role: 'query', op: 'read' }, foot = { name: 'read', norm: 'norm' };
    const reading = run.full ? 'complete' : run.readsFirst ? 'before' : 'after';
    const read = (id) => (id === reading ? { left: query, foot } : {});
    this.before = new Matrix(run, { id: 'before', cells: 'S_before', z: 'z_before', ...read('before') });
    this.write = new Matrix(run, { id: 'write', cells: 'write', z: 'write_z', left: { name: 'k', typed: 'k_typed', role: 'key', op: 'write' }, top: { name: 'u', typed: 'v_typed' } });
    this.after = new Matrix(run, { id: 'after', cells: 'S_after', z: 'z_after', ...read('after') });
    this.complete = run.full ? new Matrix(run, { id: 'complete', cells: 'S_read', z: 'z_read', ...read('complete') }) : null;
    this.reading = this[reading];
    this.reading.node.classList.add('reading');
    this.panels = [this.before, this.write, this.after, this.complete].filter(Boolean);
    this.sizes = el('p', { class: 'note' });
    this.plus = el('span', { class: 'sign op-write', 'aria-hidden': 'true' }, '+');
    this.equals = el('span', { class: 'sign op-add', 'aria-hidden': 'true' }, '=');
    const sheet = el('div', { class: 'sheet' }, this.before.node, this.plus, this.write.node, this.equals, this.after.node, this.complete && this.complete.node);
    this.node = el('section', { class: 'lane a', 'aria-label': 'Lane A: one matrix' }, el('h2', {}, 'A  One matrix', el('small', {}, ` always ${run.D}×${run.V} `), ...tools), sheet, this.sizes, this.legend());
    this.before.node.classList.add(run.readsFirst ? 'op-read' : 'op-write');
    this.write.node.classList.add('op-write');
    this.after.node.classList.add('op-add');
    if (this.complete) this.complete.node.classList.add('op-read');
    if (run.D > DRAWN || run.V > DRAWN) this.sizes.textContent = `S is ${run.D}×${run.V}; the first ${this.after.rows}×${this.after.columns} cells are drawn, the sums use all of it.`;
  }

  legend() {
    const m = number(this.run.limit, 2);
    return el('p', { class: 'legend', 'aria-hidden': 'true' }, el('span', {}, `−${m}`), el('i', { class: 'scale' }), el('span', {}, m), el('small', {}, ` fill of writes and states, the same at every step${this.run.tiny ? '; margins have their own scales; point at a cell for its number' : ''}`));
  }

  draw(step, reached) {
    const { run } = this, { D, V } = run, t = step - 1, on = step > 0, at = stateRead(run, t);
    this.states(this.after, 'after', step);
    this.states(this.before, 'before', on ? t : undefined);
    if (this.complete) this.states(this.complete, 'read', on ? at : undefined);
    this.write.put('write', on && run.writes, t * D * V, V);
    this.write.put('write_z', on && run.k, t * D);
    this.write.put('k', on && run.k, t * D);
    this.write.put('k_typed', on && run.kTyped, t * run.dk);
    this.write.put('u', on && run.u, t * V);
    this.write.put('v_typed', on && run.v, t * V);
    const query = on && t < run.Tq;
    this.reading.put('q', query && run.q, t * D);
    this.reading.put('q_typed', query && run.qTyped, t * run.dk);
    this.reading.put('read', query && run.read, t * V);
    if (this.reading.nums.norm) this.reading.nums.norm.set(query ? run.norm[t] : undefined);
    this.titles(step, at, reached.includes('read'));
  }

  states(panel, when, at) {
    const { D, V, S, z } = this.run;
    panel.put(`S_${when}`, at !== undefined && S, at * D * V, V);
    panel.put(`z_${when}`, at !== undefined && z, at * D);
  }

  titles(step, at, reads) {
    const { run } = this, t = sub(step - 1), decays = run.alpha && (step > 1 || run.carriesState);
    const say = (panel, text, formula) => { panel.title.textContent = text; panel.formula.textContent = formula; };
    const read = (panel) => (panel === this.reading && step > 0 && step <= run.Tq && reads ? `, read by q${t}` : '');
    this.write.topName.textContent = step ? `v${t}` : '';
    say(this.before, step ? `S${t}${read(this.before)}` : '', decays ? `before it shrinks by α${t}` : '');
    say(this.write, step ? `write of p${t}` : '', step ? `k${t} v${t}ᵀ` : '');
    say(this.after, `S${sub(step)}${read(this.after)}`, step ? `${decays ? `α${t}S${t}` : `S${t}`} + k${t} v${t}ᵀ` : 'empty');
    if (this.complete) say(this.complete, step ? `S${sub(at)}, complete${read(this.complete)}` : '', '');
    this.reading.footName.textContent = run.scale === 1 ? 'Σ' : `Σ × ${number(run.scale, 3)}`;
  }
}

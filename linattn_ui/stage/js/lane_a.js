// Lane A, "one matrix": the state before, the token's write, the state after, and the query reading one of them.
// Factors stand as margins of the matrix they scale: k left and u on top of a write, q left and Σ below a read.
// A rule that decays shows what is left of the state before; one that corrects how u comes about; one that removes
// a matrix more.

import { Num, el } from './dom.js';
import { decayed, decayedZ, largest, met, metZ, oldAnswer, oldAnswerZ, removed, removedZ, stateRead } from './recurrence.js';
import { kept, letter, number, sub, tight } from './words.js';

const DRAWN = 64; // rows and columns drawn at most; sums always use all

/** One matrix. `parts` says which numbers it holds and which margins it has. */
class Matrix {
  constructor(run, { id, cells, z, small, left, tops = [], lines: above = 1, foot }) {
    Object.assign(this, { run, id, rows: Math.min(run.D, DRAWN), columns: Math.min(run.V, DRAWN) });
    this.title = el('b');
    this.formula = el('span', { class: 'formula' });
    this.nums = {};
    this.lists = {};
    this.z = run.divides ? z : null;
    this.small = small; // S_before -> S_decayed: two numbers in a cell
    this.topNames = [];
    const spacers = Array.from({ length: Math.max(0, above - tops.length) }, () => line('tops', el('div', { class: 'spacer', role: 'cell' })));
    const lines = [this.names(), ...spacers, ...tops.map((top) => this.top(top)), ...Array.from({ length: this.rows }, (_, i) => this.row(i, cells, left))];
    if (foot) lines.push(this.foot(foot));
    const grid = el('div', { class: 'grid', role: 'table', 'aria-label': { write: 'what is written', removal: 'what is removed' }[id] ?? `the state, ${id}` }, ...lines);
    this.node = el('div', { class: `matrix ${id}`, 'data-panel': id }, el('p', { class: 'title' }, this.title, this.formula), grid);
    this.node.style.setProperty('--drawn', this.columns);
  }

  num(name, options) {
    const num = (this.nums[name] = new Num(name, { digits: this.run.digits, colours: this.run.colours, format: this.run.compact ? tight : number, ...options }));
    (this.lists[name.split('[')[0]] ??= []).push(num); // in row-major order
    return num;
  }

  /** A cell of the grid that is a number itself. */
  cell(name, className, options) {
    const num = this.num(name, { className: `n ${className}`, ...options });
    num.node.setAttribute('role', 'cell');
    const less = this.small?.[name.split('[')[0]]; // what it was before, small above it
    if (less) {
      num.node.classList.add('pair');
      num.node.prepend(this.num(name.replace(/^\w+/, less), { className: 'n typed', shown: options.shown ?? true }).node);
    }
    return num.node;
  }

  /** Values have no φ; without φ a key or query is used as typed. */
  isMapped(typed) {
    return typed === 'v_typed' ? this.run.u !== this.run.v : typed === 'old' ? this.run.beta.some((x) => x !== 1) : this.run.typed;
  }

  /** Whether component i of φ(x) stands for component i of x; a wider φ(x) has no typed number beside its own. */
  pairs(typed) {
    return typed && (this.run.D === this.run.dk || !['k_typed', 'q_typed'].includes(typed));
  }

  /** Two numbers of a margin: what was typed, small, and what φ made of it; or one. */
  margin(name, typed, index, className, op) {
    const small = this.pairs(typed) && this.num(typed + index, { className: this.isMapped(typed) ? 'n typed' : 'n typed same' });
    return el('div', { class: `margin ${className} op-${op}`, role: 'cell' }, small && small.node, this.num(name + index, this.hued(name)).node);
  }

  /** Where numbers do not fit, a margin is colour as well, on its own scale. */
  hued(name) {
    const array = { z_before: 'z', z_decayed: 'z', z_after: 'z', z_read: 'z', write_z: 'k', removal_z: 'z' }[name] ?? name;
    return this.run.tiny ? { shown: false, limit: largest([this.run[array] ?? this.run.v]) } : {};
  }

  names() {
    const row = line('name', corner(), corner());
    for (let j = 0; j < this.columns; j++) row.append(head(letter(j)));
    if (this.z) row.append(el('div', { role: 'columnheader', class: 'z op-divide', title: 'sum of the keys: the state kept for the value 1' }, 'z'));
    return row;
  }

  /** A row of numbers over the columns. Panels without one have spacers, so that the rows of all panels are level. */
  top({ name, typed, z, label, role = 'value' }) {
    const title = el('div', { class: `name ${role}`, role: 'rowheader' });
    this.topNames.push([title, label]);
    const row = line('tops', corner(), title);
    for (let j = 0; j < this.columns; j++) row.append(this.margin(name, typed, `[${j}]`, role, 'write'));
    if (this.z) row.append(z === '1' ? el('div', { class: 'z op-divide', role: 'cell' }, '1') : this.cell(z, 'z op-divide'));
    return row;
  }

  row(i, cells, left) {
    const row = line('', el('div', { role: 'rowheader', class: 'letter' }, letter(i)), left ? this.margin(left.name, left.typed, `[${i}]`, left.role, left.op) : corner());
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

/** The state before the write: what the decay leaves of it, with what it was small above; where a query reads it, the other way round. */
function beforeWrite(run, reading) {
  if (!run.alpha) return { cells: 'S_before', z: 'z_before' };
  if (reading === 'before') return { cells: 'S_before', z: 'z_before', small: { S_before: 'S_decayed', z_before: 'z_decayed' } };
  return { cells: 'S_decayed', z: 'z_decayed', small: { S_decayed: 'S_before', z_decayed: 'z_before' } };
}

const line = (className, ...cells) => el('div', { role: 'row', class: `line-${className || 'cells'}` }, ...cells);
const corner = () => el('div', { role: 'cell' });
const head = (text) => el('div', { role: 'columnheader' }, text);

/** The rows on top of a write: the value, or how a rule that corrects comes to what it writes. */
const topsOfWrite = (run) => (!run.corrects ? [{ name: 'u', typed: 'v_typed', z: '1', label: (t) => `v${t}` }] : [
  { name: 'v_typed', z: '1', label: (t) => `v${t}` },
  { name: 'old', z: 'old_z', label: () => 'old', role: 'old' },
  { name: 'error', z: 'error_z', label: () => 'error', role: 'old' },
  { name: 'u', z: 'u_z', label: (t) => `u${t}` },
]);

export class LaneA {
  constructor(run, tools) {
    this.run = run;
    const tops = topsOfWrite(run), panel = (id, parts) => new Matrix(run, { id, lines: run.corrects ? 0 : 1, ...parts }); // corrections stand out on top
    const query = { name: 'q', typed: 'q_typed', role: 'query', op: 'read' }, foot = { name: 'read', norm: 'norm' };
    const reading = run.full || run.bonus ? 'complete' : run.readsFirst ? 'before' : 'after';
    const read = (id) => (id === reading ? { left: query, foot } : {});
    const asks = run.removes && reading !== 'before' ? { left: { name: 'a', role: 'key', op: 'write' } } : {};
    this.before = panel('before', { ...beforeWrite(run, reading), ...asks, ...read('before') });
    this.removal = run.removes ? panel('removal', { cells: 'removal', z: 'removal_z', left: { name: 'b', role: 'key', op: 'write' }, tops: [{ name: 'removed', typed: 'old', z: 'removed_z', label: () => 'old', role: 'old' }] }) : null;
    this.write = panel('write', { cells: 'write', z: 'write_z', left: { name: 'k', typed: 'k_typed', role: 'key', op: 'write' }, tops });
    this.after = panel('after', { cells: 'S_after', z: 'z_after', ...read('after') });
    this.complete = reading === 'complete' ? panel('complete', { cells: 'S_read', z: 'z_read', ...read('complete') }) : null;
    this.reading = this[reading];
    this.reading.node.classList.add('reading');
    this.sizes = el('p', { class: 'note' });
    const sign = (text, op) => el('span', { class: `sign op-${op}`, 'aria-hidden': 'true' }, text);
    const [first, last] = run.bonus ? [this.complete.node, null] : [null, this.complete && this.complete.node];
    const removal = this.removal ? [sign('+', 'write'), this.removal.node] : [];
    const sheet = el('div', { class: 'sheet' }, first, this.before.node, ...removal, sign('+', 'write'), this.write.node, sign('=', 'add'), this.after.node, last);
    this.node = el('section', { class: 'lane a', 'aria-label': 'Lane A: one matrix' }, el('h2', {}, 'A  One matrix', el('small', {}, ` always ${run.D}×${run.V} `), ...tools), sheet, this.sizes, this.legend());
    this.before.node.classList.add(reading === 'before' ? 'op-read' : 'op-write');
    for (const written of [this.removal, this.write]) if (written) written.node.classList.add('op-write');
    this.after.node.classList.add('op-add');
    if (this.complete) this.complete.node.classList.add('op-read');
    if (run.D > DRAWN || run.V > DRAWN) this.sizes.textContent = `S is ${run.D}×${run.V}; the first ${this.after.rows}×${this.after.columns} cells are drawn, the sums use all of it.`;
  }

  legend() {
    const m = number(this.run.limit, 2);
    return el('p', { class: 'legend', 'aria-hidden': 'true' }, el('span', {}, `−${m}`), el('i', { class: 'scale' }), el('span', {}, m), el('small', {}, ` fill of writes and states, the same at every step${this.run.tiny ? '; margins have their own scales; point at a cell for its number' : ''}`));
  }

  draw(step, reached) {
    const { run } = this, { D, V } = run, t = step - 1, on = step > 0, at = stateRead(run, t), query = on && t < run.Tq;
    this.states(this.after, 'after', step);
    this.states(this.before, 'before', on ? t : undefined);
    if (run.full) this.states(this.complete, 'read', on ? at : undefined);
    else if (run.bonus) this.matrix(this.complete, 'S_read', 'z_read', query && met(run, t), query && metZ(run, t));
    if (run.alpha) this.matrix(this.before, 'S_decayed', 'z_decayed', on && decayed(run, t), on && decayedZ(run, t));
    if (run.corrects) this.correction(t, on);
    if (run.removes) this.removes(t, on);
    this.write.put('write', on && run.writes, t * D * V, V);
    this.write.put('write_z', on && run.k.subarray(t * D, step * D).map((x) => x * run.uz[t]), 0);
    this.write.put('k', on && run.k, t * D);
    this.write.put('k_typed', on && run.kTyped, t * run.dk);
    this.write.put('u', on && run.u, t * V);
    this.write.put('v_typed', on && run.v, t * V);
    this.reading.put('q', query && run.q, t * D);
    this.reading.put('q_typed', query && run.qTyped, t * run.dk);
    this.reading.put('read', query && run.read, t * V);
    if (this.reading.nums.norm) this.reading.nums.norm.set(query ? run.norm[t] : undefined);
    this.titles(step, at, reached.includes('read'));
  }

  states(panel, when, at) {
    const { D, V, S, z } = this.run, on = at !== undefined;
    this.matrix(panel, `S_${when}`, `z_${when}`, on && S.subarray(at * D * V), on && z.subarray(at * D));
  }

  matrix(panel, cells, z, values, sums) {
    panel.put(cells, values, 0, this.run.V);
    panel.put(z, sums, 0);
  }

  /** v, the old answer for its key, v less that, and the share of it that is written. */
  correction(t, on) {
    const { run, write } = this, old = on && oldAnswer(run, t), oldZ = on && Float64Array.of(oldAnswerZ(run, t));
    write.put('old', old, 0);
    write.put('error', on && old.map((x, j) => run.v[t * run.V + j] - x), 0);
    write.put('old_z', oldZ, 0);
    write.put('error_z', on && oldZ.map((x) => 1 - x), 0);
    write.put('u_z', on && run.uz, t);
  }

  removes(t, on) {
    const { run, removal } = this, { D, V, b } = run, left = on && b.subarray(t * D, (t + 1) * D);
    const taken = on && Float64Array.from({ length: V }, (_, j) => removed(run, t, j)), takenZ = on && Float64Array.of(removedZ(run, t));
    removal.put('old', on && oldAnswer(run, t), 0);
    removal.put('removed', taken, 0);
    removal.put('removed_z', takenZ, 0);
    removal.put('b', left, 0);
    this.before.put('a', on && run.a, t * D);
    this.matrix(removal, 'removal', 'removal_z', on && Float64Array.from({ length: D * V }, (_, n) => left[Math.floor(n / V)] * taken[n % V]), on && left.map((x) => x * takenZ[0]));
  }

  titles(step, at, reads) {
    const { run } = this, t = sub(step - 1), decays = run.alpha && (step > 1 || run.carriesState);
    const say = (panel, text, formula = '') => { panel.title.textContent = step ? text : ''; panel.formula.textContent = step ? formula : ''; };
    const read = (panel) => (panel === this.reading && step > 0 && step <= run.Tq && reads ? `, read by q${t}` : '');
    for (const [node, label] of [this.write, this.removal].flatMap((panel) => panel?.topNames ?? [])) node.textContent = step ? label(t) : '';
    say(this.before, `S${t}${this.before === this.reading ? read(this.before) : decays ? this.shrinks(step - 1) : ''}`, decays ? `γ${t}S${t}` : '');
    if (this.removal) say(this.removal, `removal of p${t}`, `b${t}(${this.beta(step - 1)}S${t}ᵀa${t})ᵀ`);
    say(this.write, `write of p${t}`, `k${t} ${run.corrects ? 'u' : 'v'}${t}ᵀ`);
    this.after.title.textContent = `S${sub(step)}${read(this.after)}`;
    this.after.formula.textContent = step ? `${decays ? `γ${t}S${t}` : `S${t}`}${run.removes ? ` + b${t}(${this.beta(step - 1)}S${t}ᵀa${t})ᵀ` : ''} + k${t} ${run.corrects ? 'u' : 'v'}${t}ᵀ` : 'empty';
    if (run.bonus) say(this.complete, `S${t} + u·p${t}${read(this.complete)}`, `S${t} + diag(u) k${t} v${t}ᵀ`);
    else if (this.complete) say(this.complete, `S${sub(at)}, complete${read(this.complete)}`);
    this.reading.footName.textContent = run.scale === 1 ? 'Σ' : `Σ × ${number(run.scale, 3)}`;
  }

  /** β in a formula, where it is not 1 throughout. */
  beta(t) {
    return this.run.beta.every((x) => x === 1) ? '' : `β${sub(t)} `;
  }

  /** What the decay leaves, for the title of the shrunk state. */
  shrinks(t) {
    const part = kept(this.run, t);
    return part.length > 1 ? ', shrunk row by row' : part[0] === '1' ? '' : `, shrunk to ${part[0]}`;
  }
}

// The stage: one token at a time, drawn and stepped in the browser. Streamlit calls the default export with the
// payload; the offline file calls it with the same payload, so nothing here needs Streamlit but its colours.

import { button, el, toggle } from './dom.js';
import { Divide } from './divide.js';
import { explain, partsOf } from './explain.js';
import { Film } from './film.js';
import { LaneA } from './lane_a.js';
import { LaneB } from './lane_b.js';
import { Maps } from './maps.js';
import { redo } from './recurrence.js';
import { json, npz, save } from './save.js';
import { caption, sub } from './words.js';

const REST = 200; // ms without a step before Python is told
const QUIET = 500; // ms after the last key elsewhere on the page: then its edits are fetched and drawn
const TYPING = ['keydown', 'paste', 'cut'];
const BEAT = 900; // ms a step takes while playing

class Stage {
  constructor(host) {
    this.host = host;
    this.root = el('div', { class: 'stage', 'data-testid': 'stage' });
    this.operation = null; // null: step by token; else the operation reached
    this.softmax = this.symbols = false;
    this.playing = 0;
    host.append(this.root);
    this.listen();
  }

  /** Called with every message from Python. While somebody types elsewhere, drawing waits: a busy page loses keys. */
  update(data, tell) {
    this.tell = tell;
    clearTimeout(this.waiting);
    const quiet = performance.now() - (this.typed ?? -Infinity);
    if (this.rev === undefined || this.rev === data.rev || quiet > QUIET) this.apply(data);
    else this.waiting = setTimeout(() => this.update(data, tell), QUIET - quiet + 1);
  }

  /** Draws anew only what the message changed. */
  apply(data) {
    const moved = this.nonce !== data.nonce;
    if (this.themed() || this.rev !== data.rev) this.build(data);
    if (moved) this.place(data);
    this.nonce = data.nonce;
    Object.assign(this.root.dataset, { rev: data.rev, nonce: data.nonce }); // which message is drawn
    this.draw();
  }

  place({ step, operation, highlight }) {
    this.step = Math.max(0, Math.min(this.run.steps, step ?? this.run.steps)); // a link may name any
    this.operation = this.order.includes(operation) ? operation : null;
    this.pinned = highlight ?? null;
    this.sent = this.position();
  }

  build(data) {
    const focused = this.root.contains(this.root.getRootNode().activeElement) ? this.root.getRootNode().activeElement.dataset.testid : null;
    this.rev = data.rev;
    const run = (this.run = redo(data));
    run.colours = this.colours;
    run.steps = run.T; // queries beyond the tokens stand in the maps alone
    run.tiny = Math.max(run.D, run.V) > 12;
    run.paired = Math.max(run.D, run.V) > 2; // the write and the state that is read; the other state while a button is held
    run.compact = Math.max(run.D, run.V) > 4;
    run.digits = run.compact ? Math.min(2, data.digits) : data.digits;
    this.order = run.readsFirst ? ['read', 'divide', 'write', 'add'] : ['write', 'add', 'read', 'divide'];
    if (!run.divides) this.order = this.order.filter((name) => name !== 'divide');
    const jump = (step) => this.go(step);
    this.film = new Film(run, jump);
    this.laneA = new LaneA(run, this.toolsOfA());
    this.laneB = new LaneB(run, this.toolsOfB());
    this.divide = new Divide(run, this.laneB);
    this.maps = new Maps(run, jump);
    this.step = Math.min(this.step ?? run.steps, run.steps);
    if (this.operation !== null && !this.order.includes(this.operation)) this.operation = this.order.at(-1); // this run lacks it
    this.root.className = `stage${run.paired ? ' paired' : ''}${run.compact ? ' compact' : ''}${run.tiny ? ' tiny' : ''}${run.compact && !run.tiny && run.V > 9 ? ' broad' : ''}${run.paired ? '' : run.full || (run.removes && run.divides) ? ' stacked' : ''}${run.divides ? '' : ' undivided'}${run.corrects ? ' corrects' : ''}${run.removes ? ' removes' : ''}${this.softmax ? ' with-softmax' : ''}${this.symbols ? ' with-symbols' : ''}`;
    this.root.style.setProperty('--rows', run.D);
    this.root.style.setProperty('--columns', run.V);
    this.caption = el('p', { class: 'caption', 'aria-live': 'polite', 'data-testid': 'caption' });
    this.arithmetic = el('p', { class: 'arithmetic', 'data-testid': 'arithmetic', 'aria-live': 'polite' });
    this.root.replaceChildren(this.caption, this.controls(), this.tabs(), el('div', { class: 'lanes' }, this.laneA.node, this.laneB.node), this.arithmetic, this.divide.node, this.footer(), this.maps.node);
    this.roving = this.divide.y[0].node; // Tab reaches one number; ↑ and ↓ walk from there
    this.roving.setAttribute('tabindex', '0');
    if (focused) this.root.querySelector(`[data-testid="${focused}"]`)?.focus();
  }

  controls() {
    this.range = el('input', { type: 'range', min: '0', max: String(this.run.steps), step: '1', 'aria-label': 'Tokens written', 'data-testid': 'step' });
    this.range.oninput = () => this.go(Number(this.range.value));
    this.player = button('▷', 'Play', 'play', () => this.play());
    this.where = el('span', { class: 'where' });
    this.mode = toggle('by operation', 'Step through write, add, read and divide inside each token', false, (on) => this.byOperation(on));
    this.mode.dataset.testid = 'by-operation';
    const back = button('◄', 'Previous (←)', 'previous', () => this.move(-1)), next = button('►', 'Next (→)', 'next', () => this.move(1));
    return el('div', { class: 'track' }, this.film.node, back, this.range, next, this.player, this.where, this.mode);
  }

  toolsOfA() {
    const symbols = toggle('symbols', 'Name what each matrix is, in symbols', this.symbols, (on) => this.look('symbols', on));
    const hold = el('button', { type: 'button', class: 'hold', title: 'Shows the other state while it is held' }, `hold: S ${this.run.readsFirst || this.run.full ? 'after' : 'before'} the write`);
    const holding = (on) => () => this.root.classList.toggle('holding', on);
    Object.assign(hold, { onpointerdown: holding(true), onpointerup: holding(false), onpointerleave: holding(false), onblur: holding(false), onkeyup: holding(false) });
    hold.onkeydown = (event) => [' ', 'Enter'].includes(event.key) && (event.preventDefault(), event.stopPropagation(), holding(true)());
    return [symbols, hold];
  }

  toolsOfB() {
    const softmax = toggle('softmax', 'Softmax attention on the same vectors: other scores, so another answer', this.softmax, (on) => this.look('softmax', on));
    softmax.dataset.testid = 'softmax';
    return [softmax];
  }

  /** A switch that CSS carries out. */
  look(name, on) {
    this[name] = on;
    this.root.classList.toggle(`with-${name}`, on);
  }

  footer() {
    const file = (kind, make) => button(`.${kind}`, `Download this step as .${kind}`, `save-${kind}`, () => save(make(this.run, this.step), `step_${this.step}.${kind}`));
    const keys = el('small', { class: 'keys' }, '← → Home End step · Space plays · Tab to a number, ↑ ↓ to walk, Enter pins, Esc frees');
    return el('div', { class: 'options' }, el('span', { class: 'save' }, 'This step: ', file('json', json), ' ', file('npz', npz)), keys);
  }

  /** On a narrow screen one table at a time; on a wide one these are hidden. */
  tabs() {
    this.tab ??= 'read';
    const tabs = this.run.divides ? this.order : [...this.order, 'list']; // lane B stands under "divide" where there is one
    if (!tabs.includes(this.tab)) this.tab = 'read';
    this.tabButtons = tabs.map((name) => {
      const b = el('button', { type: 'button', role: 'tab', 'data-testid': `tab-${name}` }, name);
      b.onclick = () => { this.tab = name; this.draw(); };
      return b;
    });
    return el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'What to show of this token' }, ...this.tabButtons);
  }

  // ---- position -------------------------------------------------------------------------------------------------

  position() { return `${this.step}/${this.operation}`; }

  go(step, operation) {
    const last = this.order[this.order.length - 1];
    this.step = Math.max(0, Math.min(this.run.steps, step));
    if (this.operation !== null) this.operation = this.step === 0 ? last : operation ?? last;
    this.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), REST);
  }

  /** One step, or one operation of a token, forward or back. */
  move(by) {
    if (this.operation === null) return this.go(this.step + by);
    const at = (this.step - 1) * this.order.length + this.order.indexOf(this.operation) + by;
    if (this.step === 0 ? by < 0 : at < 0) return this.go(0);
    const next = this.step === 0 ? 0 : at;
    if (next < this.run.steps * this.order.length) this.go(1 + Math.floor(next / this.order.length), this.order[next % this.order.length]);
  }

  byOperation(on) {
    this.operation = on ? this.order[this.order.length - 1] : null;
    this.go(this.step);
  }

  play() {
    if (this.playing) return this.stop();
    if (this.atEnd()) this.go(0);
    this.playing = setInterval(() => (this.atEnd() ? this.stop() : this.move(1)), BEAT);
    this.player.textContent = '❚❚';
    this.player.setAttribute('aria-label', 'Pause');
  }

  stop() {
    clearInterval(this.playing);
    this.playing = 0;
    this.player.textContent = '▷';
    this.player.setAttribute('aria-label', 'Play');
  }

  atEnd() { return this.step === this.run.steps && (this.operation === null || this.operation === this.order[this.order.length - 1]); }

  /** Tells Python where the reader rests. */
  flush() {
    clearTimeout(this.timer);
    if (this.sent === this.position()) return;
    this.sent = this.position();
    this.tell('rest', { step: this.step, operation: this.operation });
  }

  // ---- drawing --------------------------------------------------------------------------------------------------

  draw() {
    const { run, step } = this, name = `S${sub(step)} of ${this.run.steps}`;
    this.root.dataset.step = step;
    this.mode.setAttribute('aria-pressed', String(this.operation !== null));
    this.root.dataset.tab = this.tab;
    const reached = this.operation === null || step === 0 ? this.order.length : this.order.indexOf(this.operation) + 1;
    const names = this.order.slice(0, reached);
    this.root.dataset.reached = (run.divides || !names.includes('read') ? names : [...names, 'divide']).join(' '); // y is read where nothing divides
    if (this.operation !== null && step > 0) this.tab = this.root.dataset.tab = this.operation;
    this.tabButtons.forEach((b) => b.setAttribute('aria-selected', String(b.textContent === this.tab)));
    this.range.value = step;
    this.range.setAttribute('aria-valuetext', `${name}, ${step} written`);
    this.where.textContent = this.operation === null || step === 0 ? name : `${name} · ${this.operation}`;
    this.caption.textContent = caption(this.run, step, names);
    for (const part of [this.film, this.laneA, this.laneB, this.divide, this.maps]) part.draw(step, names);
    this.pointAt(this.pinned ?? nameOf(this.root.getRootNode().activeElement));
  }

  /** Whether the theme is another one. Fills are finished colours, everything else follows CSS. */
  themed() {
    const style = getComputedStyle(this.root), background = rgb(style.getPropertyValue('--st-background-color') || '#fff');
    const theme = background[0] + background[1] + background[2] < 384 ? 'dark' : 'light';
    if (this.theme === theme) return false;
    this.root.dataset.theme = this.theme = theme; // `style` follows
    const role = (name) => rgb(style.getPropertyValue(`--${name}`));
    this.colours = { positive: role('positive'), negative: role('negative'), missing: [128, 128, 128] };
    return true;
  }

  // ---- pointing: hover, focus or tap shows where a number comes from ----------------------------------------------

  listen() {
    const { root } = this, named = (event) => event.target.closest?.('[data-cell], [data-token]');
    root.onpointerover = (event) => !this.pinned && this.pointAt(nameOf(named(event)));
    root.onpointerleave = () => this.pointAt(this.pinned);
    root.onfocusin = (event) => named(event) === event.target && this.pointAt(nameOf(event.target));
    root.onclick = (event) => { const name = nameOf(named(event)); if (name) this.pin(name === this.pinned ? null : name); };
    this.onKey = (event) => this.key(event);
    this.onAway = (event) => !event.composedPath().includes(root) && this.away();
    this.onTyping = (event) => !event.composedPath().includes(root) && event.target !== document.body && this.elsewhere(event);
    document.addEventListener('keydown', this.onKey);
    for (const kind of TYPING) document.addEventListener(kind, this.onTyping, true); // the grid lets no key pass
    document.addEventListener('pointerdown', this.onAway, true);
  }

  leave() {
    clearTimeout(this.timer);
    clearTimeout(this.waiting);
    this.stop();
    clearTimeout(this.nudge);
    document.removeEventListener('keydown', this.onKey);
    for (const kind of TYPING) document.removeEventListener(kind, this.onTyping, true);
    document.removeEventListener('pointerdown', this.onAway, true);
  }

  pin(name) {
    this.pinned = name;
    this.pointAt(name);
  }

  node(name) { return this.root.querySelector(`[data-cell="${name}"]`); }

  pointAt(name) {
    for (const node of this.lit ?? []) node.classList.remove('lit', 'source');
    this.lit = [];
    if (this.shares) this.showParts(null);
    if (!name) return void (this.arithmetic.textContent = '');
    if (name.startsWith('token ')) return this.pointAtToken(Number(name.slice(6)));
    const found = this.node(name) ? explain(this.run, this.step, name) : null;
    this.arithmetic.textContent = found ? found.text : '';
    if (found) this.light([name], 'lit').light(found.sources, 'source').lightRows(found.tokens);
  }

  light(names, look) {
    for (const name of names) this.mark(this.node(name), look);
    return this;
  }

  lightRows(tokens) {
    for (const s of tokens) this.mark(this.root.querySelector(`[data-token="${s}"]`), 'source');
  }

  mark(node, look) {
    if (!node) return;
    node.classList.add(look);
    this.lit.push(node);
  }

  /** A token of lane B fills its share of every cell of S. */
  pointAtToken(s) {
    this.arithmetic.textContent = '';
    if (this.step === 0 || s >= this.step) return;
    this.lightRows([s]);
    this.showParts(partsOf(this.run, this.step, s));
    this.arithmetic.textContent = `orange: how much of each cell of S${sub(this.step)} came from p${sub(s)}`;
  }

  showParts(parts) {
    this.shares = parts;
    const { run } = this;
    for (let i = 0; i < this.laneA.after.rows; i++)
      for (let j = 0; j < this.laneA.after.columns; j++) {
        const cell = this.laneA.after.nums[`S_after[${i},${j}]`].node;
        cell.style.setProperty('--part', parts ? `${Math.round(100 * parts[i * run.V + j])}%` : '0%');
        cell.classList.toggle('parted', Boolean(parts));
      }
  }

  // ---- keyboard -------------------------------------------------------------------------------------------------

  /** Somebody types: a rerun in between would take keys away from them, so Python hears of it when they pause. */
  elsewhere(event) {
    if (event.target.closest?.('[data-testid="stSidebar"]')) return;
    this.typed = performance.now();
    this.askSoon();
  }

  /** A press elsewhere may set Python to work and bring along what was typed: no ask may come between. */
  away() {
    this.flush();
    if (this.nudge) this.askSoon();
  }

  askSoon() {
    clearTimeout(this.nudge);
    this.nudge = setTimeout(() => this.ask(), QUIET);
  }

  /** While Python works on something, the browser still holds what was there before, and would send it back. */
  ask() {
    if (document.querySelector('[data-testid="stApp"]:not([data-test-script-state="notRunning"])')) return this.askSoon();
    this.nudge = 0;
    this.tell('typed', (this.pauses = (this.pauses ?? 0) + 1));
  }

  /** Only while focus is in the stage or on nothing. */
  key(event) {
    if (event.key === 'Tab') this.rove();
    const active = document.activeElement, inside = this.root.getRootNode().activeElement;
    const mine = (inside && this.root.contains(inside)) || active === document.body || active === null;
    if (!mine || event.altKey || event.ctrlKey || event.metaKey) return;
    const cell = nameOf(inside) ? inside : null, act = this.action(event, cell, inside);
    if (!act) return;
    event.preventDefault();
    act();
  }

  action({ key, shiftKey }, cell, inside) {
    if (cell && (key === 'ArrowUp' || key === 'ArrowDown')) return () => this.walk(cell, key === 'ArrowDown' ? 1 : -1);
    if (cell && key === 'Enter') return () => this.pin(nameOf(cell) === this.pinned ? null : nameOf(cell));
    if (key === 'Escape') return this.pinned || this.lit?.length ? () => this.pin(null) : null;
    if (shiftKey) return null;
    const button = inside?.tagName === 'BUTTON';
    return { ArrowLeft: () => this.move(-1), ArrowRight: () => this.move(1), Home: () => this.go(0), End: () => this.go(this.run.steps), ' ': button ? null : () => this.play() }[key];
  }

  /** ↑ and ↓ go through the numbers, and the tokens of the list, in reading order. */
  walk(cell, by) {
    const cells = this.numbers(), next = cells[cells.indexOf(cell) + by];
    if (!next) return;
    this.rove(next);
    next.focus();
  }

  numbers() { return [...this.root.querySelectorAll('[data-cell], [data-token]')].filter(shows); }

  /** Tab reaches one number: the last one walked to while it shows, else the first that does. */
  rove(next = shows(this.roving) ? this.roving : this.numbers()[0]) {
    if (!next) return;
    this.roving.setAttribute('tabindex', '-1');
    next.setAttribute('tabindex', '0');
    this.roving = next;
  }
}

/** What a number or a token of the list is called when it is pointed at. */
function nameOf(node) {
  const { cell, token } = node?.dataset ?? {};
  return cell ?? (token === undefined ? undefined : `token ${token}`);
}

const shows = (node) => Boolean(nameOf(node)) && node.checkVisibility({ visibilityProperty: true });

/** "#rgb", "#rrggbb" or "rgb(…)" -> [r, g, b] */
function rgb(text) {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(text.trim());
  if (!hex) return (text.match(/[\d.]+/g) ?? [128, 128, 128]).slice(0, 3).map(Number);
  const digits = hex[1].length < 6 ? [...hex[1]].map((c) => c + c).join('') : hex[1];
  return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16));
}

const STAGES = new WeakMap(); // Streamlit calls again with the same element, and may clean up after a newer call

export default function ({ data, parentElement, setStateValue }) {
  const stage = STAGES.get(parentElement) ?? new Stage(parentElement);
  STAGES.set(parentElement, stage);
  stage.update(data, setStateValue);
  return () => {
    if (parentElement.isConnected) return;
    stage.leave();
    STAGES.delete(parentElement);
  };
}

// The two T×T maps under the lanes: weights of linear attention and of softmax, on one scale.

import { el, fill } from './dom.js';
import { paintCells } from './film.js';
import { largest, seen } from './recurrence.js';
import { exact, number, short, sub } from './words.js';

const NUMBERED = 16; // tokens up to which every weight is printed

export class Maps {
  constructor(run, jump) {
    this.run = run;
    this.jump = jump;
    this.limit = Math.max(1, largest([run.weights ?? []]));
    this.numbered = run.T <= NUMBERED && run.Tq <= NUMBERED;
    const linear = run.divides ? 'Linear attention: shares' : 'Linear attention: scores';
    const one = run.oneMap ? [this.map('linear', linear, 'reconstructed: inference never builds this', run.weights, run.full ? run.T : 0)] : [];
    this.maps = [...one, this.map('softmax', 'Softmax attention: shares', `other scores, so another answer; scale ${number(run.softmaxScale)}`, run.softmaxWeights, run.full ? run.T : 1)];
    const m = number(this.limit, 2);
    const legend = el('p', { class: 'legend', 'aria-hidden': 'true' }, el('span', {}, `−${m}`), el('i', { class: 'scale shares' }), el('span', {}, m), el('small', {}, this.numbered ? ' one scale for both maps' : ' one scale for both maps, by square root so that small shares show'), el('i', { class: 'future' }), el('small', {}, ' later tokens, not read'));
    this.node = el('section', { class: 'maps', 'aria-label': 'Weights of every query on every token' }, ...this.maps.map((map) => map.node), legend);
  }

  /** `kind` 0: what the linear run sees; 1: softmax, which always sees its own token. */
  map(key, title, note, values, kind) {
    const { run } = this, label = `${title}, ${run.Tq} queries × ${run.T} tokens`;
    const sight = (t) => (kind === 1 ? t + 1 : seen(run, t));
    const body = this.numbered ? this.table(key, values, sight) : this.canvas(values, sight, label);
    const rows = this.numbered ? [...body.tBodies[0].rows] : [];
    const outline = this.numbered ? null : el('i', { class: 'outline' });
    const pooled = body.pooled ? ` Drawn ${body.pooled}×${body.pooled}: each dot is the largest of its block.` : '';
    const node = el('figure', { class: 'map', 'data-map': key }, el('figcaption', {}, el('b', {}, title), el('small', {}, ` ${note}.${pooled}`)), el('div', { class: 'plot' }, body, outline));
    return { node, body, rows, outline, values, sight };
  }

  table(key, values, sight) {
    const { run } = this, name = key === 'linear' ? 'weight_map' : 'softmax_map';
    const head = el('tr', {}, el('td'), ...Array.from({ length: run.T }, (_, s) => el('th', { scope: 'col', title: run.labels[s] }, this.label(s))));
    const rows = Array.from({ length: run.Tq }, (_, t) => {
      const row = el('tr', {}, el('th', { scope: 'row' }, `q${sub(t)}`));
      row.onclick = () => this.jump(t + 1);
      for (let s = 0; s < run.T; s++) row.append(s < sight(t) ? this.cell(`${name}[${t},${s}]`, values[t * run.T + s]) : el('td', { class: 'future' }));
      return row;
    });
    return el('table', { class: run.T > 6 ? 'many' : '' }, el('thead', {}, head), el('tbody', {}, ...rows));
  }

  cell(name, x) {
    const cell = el('td', { 'data-cell': name, 'data-value': exact(x) }, Number.isNaN(x) ? '–' : number(x, 2));
    cell.style.backgroundColor = fill(x, this.limit, this.run.colours);
    return cell;
  }

  label(s) {
    return this.run.labels[s] === `p${s}` ? `p${sub(s)}` : short(this.run.labels[s], 5);
  }

  canvas(values, sight, label) {
    const { run } = this, size = Math.min(Math.max(run.T, run.Tq), 400);
    const canvas = el('canvas', { width: Math.min(run.T, size), height: Math.min(run.Tq, size), role: 'img', 'aria-label': label });
    if (run.T > size || run.Tq > size) canvas.pooled = size;
    canvas.onclick = (event) => this.jump(1 + Math.min(run.Tq - 1, Math.floor((event.offsetY / canvas.clientHeight) * run.Tq)));
    const value = (i, j) => pool(run, values, sight, i / canvas.height, (i + 1) / canvas.height, j / canvas.width, (j + 1) / canvas.width);
    paintCells(canvas, value, this.limit, run.colours, Math.sqrt);
    return canvas;
  }

  draw(step) {
    const t = step - 1;
    for (const { rows, outline } of this.maps) {
      rows.forEach((row, n) => row.classList.toggle('current', n === t));
      if (!outline) continue;
      outline.hidden = t < 0 || t >= this.run.Tq;
      outline.style.top = `${(100 * t) / this.run.Tq}%`;
      outline.style.height = `${100 / this.run.Tq}%`;
    }
  }
}

/** Entry of largest |x| of a block given as fractions of the map; undefined if all of it is masked. */
function pool(run, values, sight, top, bottom, left, right) {
  const range = (from, to, n) => [Math.floor(from * n), Math.max(Math.floor(from * n) + 1, Math.floor(to * n))];
  const [t0, t1] = range(top, bottom, run.Tq), [s0, s1] = range(left, right, run.T);
  let most;
  for (let t = t0; t < t1; t++)
    for (let s = s0; s < Math.min(sight(t), s1); s++) {
      const x = values[t * run.T + s];
      if (Number.isNaN(x)) return NaN;
      if (most === undefined || Math.abs(x) > Math.abs(most)) most = x;
    }
  return most;
}

// Small pictures of S₀ … S_T above the range input, each at the place of its step.

import { DEPTH, el } from './dom.js';
import { count, sub } from './words.js';

const FRAMES = 12;

export class Film {
  constructor(run, jump) {
    this.run = run;
    const stride = Math.ceil(run.T / (FRAMES - 1)), count = Math.ceil(run.T / stride);
    this.steps = [...Array.from({ length: count }, (_, n) => n * stride), run.T];
    this.frames = this.steps.map((step) => this.frame(step, jump));
    this.node = el('div', { class: 'film' }, ...this.frames);
  }

  frame(step, jump) {
    const { run } = this, picture = el('canvas', { width: Math.min(run.V, 64), height: Math.min(run.D, 64), 'aria-hidden': 'true' });
    const frame = el('button', { type: 'button', tabindex: '-1', 'aria-label': `S${sub(step)}: ${count(step)} written`, style: `left:${(100 * step) / run.T}%` }, picture, el('span', {}, `S${sub(step)}`));
    frame.onclick = () => jump(step);
    paintCells(picture, (i, j) => run.S[(step * run.D + i) * run.V + j], run.limit, run.colours);
    return frame;
  }

  draw(step) {
    const near = this.steps.filter((s) => s <= step).length - 1;
    this.frames.forEach((frame, n) => {
      frame.classList.toggle('current', this.steps[n] === step);
      frame.classList.toggle('passed', n === near && this.steps[n] !== step);
    });
  }
}

/** One canvas pixel per cell; CSS enlarges it without smoothing. `undefined` is the masked future. */
export function paintCells(canvas, value, limit, colours, curve = (share) => share) {
  const context = canvas.getContext('2d'), image = context.createImageData(canvas.width, canvas.height);
  for (let i = 0; i < canvas.height; i++)
    for (let j = 0; j < canvas.width; j++) image.data.set(pixel(value(i, j), limit, colours, curve), 4 * (i * canvas.width + j));
  context.putImageData(image, 0, 0);
}

function pixel(x, limit, colours, curve) {
  if (x === undefined) return [...colours.missing, 40];
  if (Number.isNaN(x)) return [...colours.missing, 160];
  return [...(x < 0 ? colours.negative : colours.positive), Math.round(255 * DEPTH * curve(Math.min(1, Math.abs(x) / limit)))];
}

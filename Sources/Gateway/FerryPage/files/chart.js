// Charts: speed over time, and the ranges of a file that are present.

import { make, setAttribute } from './dom.js';

const width = 300, height = 60;
/** Number of speeds kept: three minutes. */
export const mostSamples = 180;

/** Least number of speeds that make a graph. */
const fewest = 5;

/** A graph of speeds, one each second, the newest at the right. It is hidden until there are some. `label` is for screen readers. */
export class SpeedChart {
  #area = make('svg:path', { class: 'area' });
  #line = make('svg:polyline', { class: 'line' });
  element = make('svg:svg', { class: 'chart', role: 'img', viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' },
    this.#area, this.#line);

  show(speeds, label) {
    const top = Math.max(1, ...speeds);
    const step = width / Math.max(1, speeds.length - 1);
    const points = speeds.map((speed, place) => `${(place * step).toFixed(1)},${(height - 2 - (speed / top) * (height - 4)).toFixed(1)}`);
    this.element.toggleAttribute('hidden', speeds.length < fewest);
    setAttribute(this.#line, 'points', points.join(' '));
    setAttribute(this.#area, 'd', points.length ? `M0,${height} L${points.join(' L')} L${width},${height} Z` : '');
    setAttribute(this.element, 'aria-label', label);
  }
}

/**
 * A map of a file: its durable ranges, its newer ranges, and the position of each connection.
 *
 * `durable` are ranges of `[start, end]`, `segments` the parts that connections fetch.
 */
export class FileMap {
  element = make('svg:svg', { class: 'map', role: 'img', viewBox: '0 0 1000 20', preserveAspectRatio: 'none' });

  show(all, durable, segments, label) {
    const bar = (kind, start, end) => make('svg:rect', {
      class: kind, x: ((start / all) * 1000).toFixed(1), width: Math.max(1, ((end - start) / all) * 1000).toFixed(1), y: 0, height: 20,
    });
    const bars = all > 0 ? [
      ...segments.map(each => bar('planned', each.start, each.end)),
      ...segments.map(each => bar('arrived', each.start, each.position)),
      ...durable.map(([start, end]) => bar('durable', start, end)),
      ...segments.map(each => bar('at', each.position, each.position)),
    ] : [];
    this.element.replaceChildren(...bars);
    setAttribute(this.element, 'aria-label', label);
  }
}

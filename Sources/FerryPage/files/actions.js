// What the user does with transfers, and how it is undone.

import { call } from './api.js';
import { dropPlace, isInLine } from './query.js';
import { text } from './text.js';
import { sentence } from './words.js';

/** Time in which a removal can be undone. */
const regret = 8000;
const mostUndo = 50;

export class Actions {
  #store;
  #notices;
  #undo = [];
  #removals = new Set();

  constructor(store, notices) {
    this.#store = store;
    this.#notices = notices;
    // A removal that is still to be done is done when the page goes: the user has seen it done.
    addEventListener('pagehide', () => { for (const removal of [...this.#removals]) removal.finish({ keepalive: true }); });
  }

  /** Runs a change; what fails is said, and can be tried again. Returns the answer, or undefined. */
  async try(change) {
    try {
      return await change();
    } catch (error) {
      this.#notices.error(error, [[text.tryAgain, () => this.try(change)]]);
      return undefined;
    }
  }

  // MARK: Actions upon many

  async #act(action, ids) {
    if (!ids.length) return [];
    const { results } = await call('POST', '/v1/actions', { action, ids });
    const failed = results.filter(each => each.error);
    if (failed.length) {
      this.#notices.show(`${text.someFailed(failed.length)} ${sentence(failed[0].error)}`, [], { isError: true });
    }
    const wrong = new Set(failed.map(each => each.id));
    return ids.filter(id => !wrong.has(id));
  }

  #states(ids, ...states) { return ids.filter(id => states.includes(this.#store.get(id)?.state)); }

  pause(ids) {
    return this.try(async () => {
      const done = await this.#act('pause', this.#states(ids, 'running', 'waiting'));
      if (done.length) this.#done(text.didPause(done.length), () => this.#act('resume', done));
    });
  }

  /** Lets go on what is paused or waits, and tries again what has failed or was canceled. */
  start(ids) {
    return this.try(async () => {
      const paused = this.#states(ids, 'suspended');
      const done = [
        ...await this.#act('resume', [...paused, ...this.#states(ids, 'waiting')]),
        ...await this.#act('retry', this.#states(ids, 'failed', 'canceled')),
      ];
      if (done.length) this.#done(text.didStart(done.length), paused.length ? () => this.#act('pause', paused) : null);
    });
  }

  cancel(ids) {
    return this.try(async () => {
      const done = await this.#act('cancel', this.#states(ids, 'running', 'waiting', 'suspended'));
      if (done.length) this.#done(text.didCancel(done.length));
    });
  }

  /** Takes transfers off the list at once, and removes them when the time for undoing is over. */
  remove(ids, withFile) {
    if (!ids.length) return;
    const store = this.#store;
    store.hide(ids);
    const removal = {
      timer: setTimeout(() => removal.finish(), regret),
      take: () => {
        clearTimeout(removal.timer);
        return this.#removals.delete(removal);
      },
      finish: options => {
        if (!removal.take()) return;
        const action = withFile ? 'remove_with_file' : 'remove';
        call('POST', '/v1/actions', { action, ids }, options).then(
          ({ results }) => {
            const failed = results.filter(each => each.error);
            store.show(failed.map(each => each.id));
            if (failed.length) this.#notices.show(sentence(failed[0].error), [], { isError: true });
          },
          error => {
            store.show(ids);
            this.#notices.error(error);
          });
      },
    };
    this.#removals.add(removal);
    this.#done(withFile ? text.didDelete(ids.length) : text.didRemove(ids.length), () => {
      if (removal.take()) store.show(ids);
    });
  }

  // MARK: Changes of one

  /** Changes a transfer; throws what the gateway refuses. */
  async change(id, change, former) {
    this.#store.put(await call('PATCH', `/v1/transfers/${id}`, change));
    this.#done(text.didChange, former && (async () => {
      this.#store.put(await call('PATCH', `/v1/transfers/${id}`, former));
    }));
  }

  // MARK: Order

  /** Moves rows of one session to the gap between two rows. */
  moveBetween(ids, above, below) {
    return this.#moves(ids, (line, id, previous) => dropPlace(line, id, previous ?? above, previous ? null : below));
  }

  /** Moves rows by places: -1 is one up, `-Infinity` to the start. */
  moveBy(ids, offset) {
    const isDown = offset > 0;
    // The first to go is the one at the edge, and the others of its session stay behind it.
    const edges = new Map();
    return this.#moves(isDown ? [...ids].reverse() : ids, (line, id) => {
      const { session } = this.#store.get(id);
      const place = line.indexOf(id);
      const limit = isDown ? (edges.get(session) ?? line.length) - 1 : (edges.get(session) ?? -1) + 1;
      const goal = isDown
        ? Math.max(place, Math.min(place + offset, limit)) : Math.min(place, Math.max(place + offset, limit));
      edges.set(session, goal);
      return goal;
    });
  }

  #moves(ids, target) {
    return this.try(async () => {
      const store = this.#store;
      const waiting = ids.filter(id => store.get(id) && isInLine(store.get(id)));
      const former = [];
      let previous = null;
      for (const id of waiting) {
        const line = store.lineOf(store.get(id).session);
        const [old, place] = [line.indexOf(id), target(line, id, previous)];
        previous = id;
        if (place == null || place === old) continue;
        const { place: reached } = await call('POST', `/v1/transfers/${id}/move`, { offset: place });
        if (reached == null) continue;
        former.unshift([id, old]);
        line.splice(old, 1);
        line.splice(reached, 0, id);
        store.arrange(line);
        if (reached !== place) this.#notices.say(text.staysInPriority);
      }
      if (!former.length) return;
      this.#done(text.didMove(former.length), async () => {
        for (const [id, place] of former) await call('POST', `/v1/transfers/${id}/move`, { offset: place });
      });
    });
  }

  // MARK: Undoing

  /** Says that something is done, which `undo` takes back. */
  #done(message, undo) {
    if (!undo) return this.#notices.show(message);
    const step = async () => {
      this.#undo = this.#undo.filter(each => each !== entry);
      close();
      await this.try(undo);
    };
    const entry = { step };
    const close = this.#notices.show(message, [[text.undo, step]]);
    this.#undo = [...this.#undo.slice(1 - mostUndo), entry];
  }

  undo() {
    const last = this.#undo.at(-1);
    if (last) last.step();
    else this.#notices.show(text.nothingToUndo);
  }

  async changeSession(id, change) {
    await call('PATCH', `/v1/sessions/${encodeURIComponent(id)}`, change);
    await this.#store.refreshLimits();
  }

  /** For changes of the daemon's settings. */
  async changeSettings(change) {
    const former = Object.fromEntries(Object.keys(change).map(key => [key, this.#store.settings[key]]));
    await this.#store.changeSettings(change);
    this.#done(text.didChange, () => this.#store.changeSettings(former));
  }
}

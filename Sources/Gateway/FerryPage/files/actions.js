// The user's commands on transfers, and their undo.

import './more.js';
import { call } from './api.js';
import { dropPlace, isInLine } from './query.js';
import { text } from './text.js';
import { sentence } from './words.js';

const mostUndo = 50;
/** Most ids in one request, within the gateway's limit. */
const mostIDs = 50_000;
/** Ids in parts, one for each request. */
const parts = ids => Array.from({ length: Math.ceil(ids.length / mostIDs) }, (_, place) => ids.slice(place * mostIDs, (place + 1) * mostIDs));
/** Most transfers whose removal can be undone. A browser limits the body of a request that outlives its page. */
const mostUndoableRemovals = 3000;

export class Actions {
  #store;
  #notices;
  #undo = [];
  #removals = new Set();

  constructor(store, notices) {
    this.#store = store;
    this.#notices = notices;
    // Finish pending removals when the page is unloaded: the user has already seen them done.
    addEventListener('pagehide', () => { for (const finish of [...this.#removals]) finish({ keepalive: true }); });
  }

  /** Runs a change. Shows an error with a button to try again. Returns the response, or undefined. */
  async try(change) {
    try {
      return await change();
    } catch (error) {
      this.#notices.error(error, [[text.tryAgain, () => this.try(change)]]);
      return undefined;
    }
  }

  // MARK: Actions on many transfers

  /** Sends an action in as many requests as it needs. Returns the results that are errors. */
  async #send(action, ids, options) {
    const failed = [];
    for (const part of parts(ids)) {
      const { results } = await call('POST', '/v1/actions', { action, ids: part }, options);
      failed.push(...results.filter(each => each.error));
    }
    return failed;
  }

  /** Returns the ids for which the action succeeded. Shows the first failure. */
  async #act(action, ids, options) {
    const failed = await this.#send(action, ids, options);
    if (failed.length) this.#notices.show(`${text.someFailed(failed.length)} ${sentence(failed[0].error)}`, [], { isError: true });
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

  /** Resumes paused and waiting transfers, and retries failed and canceled ones. */
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

  /**
   * Hides transfers at once, and removes them when the message that offers to undo it has closed. Until then those that run or wait
   * are paused: none of them ends after it was removed.
   */
  async remove(ids, withFile, formerlyStopped = []) {
    if (!ids.length) return;
    const store = this.#store;
    const stopped = [...new Set([...this.#states(ids, 'running', 'waiting'), ...formerlyStopped])];
    const finished = this.#states(ids, 'succeeded');
    /** Continues those that were paused and are not removed. */
    const restore = left => {
      store.show(left);
      const paused = new Set(stopped);
      return this.#send('resume', left.filter(id => paused.has(id)));
    };
    const fail = error => {
      this.#notices.error(error, [[text.tryAgain, () => this.remove(ids, withFile, stopped)]]);
      restore(ids).catch(() => {});
    };
    let entry = null;
    const finish = async options => {
      if (!this.#removals.delete(finish)) return;
      this.#undo = this.#undo.filter(each => each !== entry);
      try {
        const done = new Set(await this.#act(withFile ? 'remove_with_file' : 'remove', ids, options));
        await restore(ids.filter(id => !done.has(id)));
      } catch (error) {
        fail(error);
      }
    };
    const undo = async () => {
      if (!this.#removals.delete(finish)) return;
      store.show(ids);
      await this.#act('resume', stopped);
    };
    store.hide(ids);
    this.#removals.add(finish);
    try {
      await this.#send('pause', stopped);
    } catch (error) {
      this.#removals.delete(finish);
      return fail(error);
    }
    const words = withFile && finished.length ? text.didDelete : finished.length ? text.didRemove : text.didDiscard;
    const message = finished.length && finished.length < ids.length ? text.didRemoveBoth(ids.length, withFile) : words(ids.length);
    const isUndoable = ids.length <= mostUndoableRemovals;
    entry = this.#done(message, isUndoable ? undo : null, finish);
    if (!isUndoable) await finish();
  }

  // MARK: Changes of one transfer

  /** Changes a transfer. Its event updates the list. Throws the gateway's error. */
  async change(id, change, former) {
    await call('PATCH', `/v1/transfers/${id}`, change);
    this.#done(text.didChange, former && (() => call('PATCH', `/v1/transfers/${id}`, former)));
  }

  async changeSession(id, change) {
    await call('PATCH', `/v1/sessions/${encodeURIComponent(id)}`, change);
    await this.#store.refreshLimits();
  }

  async changeSettings(change) {
    const former = Object.fromEntries(Object.keys(change).map(key => [key, this.#store.settings[key]]));
    await this.#store.changeSettings(change);
    this.#done(text.didChange, () => this.#store.changeSettings(former));
  }

  // MARK: Order

  /** Moves rows to the gap between two rows. Rows of one session stay together. */
  moveBetween(ids, above, below) {
    const previous = new Map();
    return this.#moves(ids, (line, id, session) => {
      const place = dropPlace(line, id, previous.get(session) ?? above, previous.has(session) ? null : below);
      if (place !== null) previous.set(session, id);
      return place;
    });
  }

  /** Moves rows by this many places: -1 is one up, `-Infinity` to the start. */
  moveBy(ids, offset) {
    const isDown = offset > 0;
    // Move the transfer nearest the edge first. The others of its session stay behind it.
    const edges = new Map();
    return this.#moves(isDown ? [...ids].reverse() : ids, (line, id, session) => {
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
      const former = [];
      for (const id of ids) {
        const transfer = this.#store.get(id);
        if (!transfer || !isInLine(transfer)) continue;
        const line = this.#store.lineOf(transfer.session);
        const [old, place] = [line.indexOf(id), target(line, id, transfer.session)];
        if (place === null || place === old) continue;
        const reached = await this.#move(id, line, place);
        if (reached === null) continue;
        former.unshift([id, line[old - 1] ?? null, line[old + 1] ?? null]);
        if (reached !== place) this.#notices.say(text.staysInPriority);
      }
      if (!former.length) return;
      this.#done(text.didMove(former.length), async () => {
        // Move it back between its neighbors: the queue may have become shorter.
        for (const [id, above, below] of former) {
          const transfer = this.#store.get(id);
          if (!transfer || !isInLine(transfer)) continue;
          const line = this.#store.lineOf(transfer.session);
          const place = dropPlace(line, id, above, below);
          if (place !== null) await this.#move(id, line, place);
        }
      });
    });
  }

  /** Moves a transfer. Returns its new place, or null if it is not queued. */
  async #move(id, line, place) {
    const { place: reached } = await call('POST', `/v1/transfers/${id}/move`, { offset: place });
    if (reached == null) return null;
    const rest = line.filter(each => each !== id);
    this.#store.arrange([...rest.slice(0, reached), id, ...rest.slice(reached)]);
    return reached;
  }

  // MARK: Undoing

  /** Shows that something is done that cannot be undone. Earlier changes cannot be undone any more, since they came before it. */
  did(message) {
    this.#undo = [];
    this.#notices.show(message);
  }

  /** Shows that a change is done, and offers to undo it. Calls `ended` once the message has closed. Returns the undo step. */
  #done(message, undo, ended) {
    if (!undo) {
      this.did(message);
      return null;
    }
    const step = () => {
      this.#undo = this.#undo.filter(each => each !== step);
      close(true);
      return this.try(undo);
    };
    const close = this.#notices.show(message, [[text.undo, step]], { ended });
    this.#undo = [...this.#undo.slice(1 - mostUndo), step];
    return step;
  }

  undo() {
    const last = this.#undo.at(-1);
    if (last) last();
    else this.#notices.show(text.nothingToUndo);
  }
}

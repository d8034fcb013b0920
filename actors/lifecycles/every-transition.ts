import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import type { StreamedTransition } from '../../contract/lifecycles/actors.ts';
import type { HostBasis } from '../host-basis.ts';
import { readStored } from '../supervision/stored-read.ts';
import { actorOf, transitionsOf } from '../supervision/transition-rows.ts';
import { knownActor } from './known-actors.ts';
import { recordedTransitions } from './recorded-transitions.ts';
import { streamed } from './streamed-transitions.ts';

export type EveryTransitionOptions = Pick<HostBasis, 'ledger' | 'supervisor'>;

/** A read ends with the actor that fills it. */
const readAtOnce = 50;

/** So many names of actors are kept for a reader that lags. One that lags more is served by a walk through the ledger. */
const mostNames = 4096;

/** Comes behind every number that a transition has. */
const behindAll = '~';

/** The codes of one actor that ends no stream of all: it was deleted, or its rows are damaged. Its own path says so. */
const passedOver: readonly ErrorCode[] = ['unknown_actor', 'stored_content_inconsistent'];

/** A walk through what is kept of all actors, from key to key; it takes what was committed up to `until`. */
interface Walk {
  key: string;
  readonly until: number;
}

/**
 * Every transition of every actor behind a commit, in the order of each actor. The ledger is the buffer: in memory are names of
 * actors that moved, and how much was given of those that are ahead of the cursor.
 */
export class EveryTransition {
  readonly #options: EveryTransitionOptions;
  readonly #moved = new Set<string>();
  readonly #given = new Map<string, number>();
  #cursor: number | null;
  #walk: Walk | null = null;
  #isBehind: boolean;

  /** Begins behind the commit `after`, or behind the newest one of the first read. */
  constructor(options: EveryTransitionOptions, after: number | null) {
    this.#options = options;
    this.#cursor = after;
    this.#isBehind = after !== null;
  }

  /** Everything up to this commit was given. */
  get cursor(): number {
    this.#cursor ??= this.#options.ledger.newestCommit();
    return this.#cursor;
  }

  /** Takes the name of an actor whose newest transition is on disk. */
  moved(actorId: string): void {
    if (this.#isBehind) return;
    this.#moved.add(actorId);
    if (this.#moved.size + this.#given.size <= mostNames) return;
    this.#isBehind = true;
    this.#moved.clear();
    this.#given.clear();
  }

  /** What comes next; null while there is nothing, empty where there may be more. */
  async next(): Promise<StreamedTransition[] | null> {
    if (this.#walk === null && this.#isBehind) {
      this.#walk = { key: '', until: this.#options.ledger.newestCommit() };
      this.#isBehind = false;
    }
    if (this.#walk !== null) return this.#walked(this.#walk);
    return this.#moved.size === 0 ? null : this.#newest();
  }

  async #walked(walk: Walk): Promise<StreamedTransition[]> {
    const keys = await this.#options.ledger.keysAfter('transition', '', walk.key, readAtOnce);
    const ids = [...new Set(keys.map(actorOf))];
    const last = ids.at(-1);
    if (last === undefined) {
      this.#walk = null;
      this.#arrive(walk.until);
      return [];
    }
    const found: StreamedTransition[] = [];
    for (const id of ids) found.push(...(await this.#read(id, walk.until)));
    walk.key = `${transitionsOf(last)}${behindAll}`;
    return found;
  }

  async #newest(): Promise<StreamedTransition[]> {
    // An actor that moves later than this is named again.
    const until = this.#options.ledger.newestCommit();
    const ids = [...this.#moved];
    this.#moved.clear();
    const found: StreamedTransition[] = [];
    while (found.length < readAtOnce) {
      const id = ids.shift();
      if (id === undefined) break;
      const rows = await this.#read(id, until);
      const last = rows.at(-1);
      if (last !== undefined) this.#given.set(id, last.seq);
      found.push(...rows);
    }
    for (const id of ids) this.#moved.add(id);
    // Every commit up to `until` had named its actors before the first row was read.
    if (this.#moved.size === 0 && !this.#isBehind) this.#arrive(until);
    return found;
  }

  #arrive(commit: number): void {
    this.#cursor = commit;
    this.#given.clear();
  }

  /** What is wanted of an actor. */
  async #read(actorId: string, until: number): Promise<StreamedTransition[]> {
    const [from, given] = [this.cursor, this.#given.get(actorId) ?? 0];
    try {
      const actor = knownActor(this.#options, actorId);
      const kept = await readStored(() => recordedTransitions(this.#options.ledger, actorId));
      return streamed(actor, kept, ({ seq, commit }) => seq > given && commit > from && commit <= until);
    } catch (error) {
      if (error instanceof ServiceError && passedOver.includes(error.code)) return [];
      throw error;
    }
  }
}

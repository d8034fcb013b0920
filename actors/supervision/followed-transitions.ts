import type { StateValue } from 'xstate';
import { z } from 'zod';
import { type ErrorCode, ServiceError } from '../../contract/base/errors.ts';
import {
  type ActorKind,
  type ActorTransition,
  actorKind,
  type ChartStateValue,
  type StreamedTransition,
} from '../../contract/lifecycles/actors.ts';
import { activeStatesOf } from '../../machines/machine-chart.ts';
import { publishReviewMachine } from '../../machines/publish-review.ts';
import { type Ledger, LedgerError } from '../../storage/ledger/ledger.ts';
import { DamagedRow } from '../../storage/ledger/row-codec.ts';
import type { HostBasis } from '../host-basis.ts';
import { reviewKey, reviewRow, reviewScope } from '../reopening/review-rows.ts';
import { readStored } from './reads.ts';
import type { Supervisor } from './supervisor.ts';
import type { TransitionListeners } from './transition-listeners.ts';
import { actorOf, type TransitionRow, transitionRow, transitionSeqOf, transitionsOf } from './transition-rows.ts';

/** One kept transition with its number. */
export type RecordedTransition = TransitionRow & { readonly seq: number };

/** The transitions of an actor that are kept, in their order. Throws what `readStored` takes for damage. */
export async function recordedTransitions(ledger: Ledger, actorId: string): Promise<readonly RecordedTransition[]> {
  const rows = await ledger.list('transition', transitionsOf(actorId));
  return rows.map(({ key, value }) => {
    if (value instanceof DamagedRow) throw new LedgerError('damaged_row', value.error.message);
    return { ...transitionRow.parse(value), seq: transitionSeqOf(key) };
  });
}

/** The same, if one of them has the number `after` or a later one. Throws `cursor_past_head` and `stored_content_inconsistent`. */
export async function transitionsBehind(
  ledger: Ledger,
  actorId: string,
  after: number,
): Promise<readonly RecordedTransition[]> {
  const kept = await readStored(() => recordedTransitions(ledger, actorId));
  if (after <= (kept.at(-1)?.seq ?? 0)) return kept;
  throw new ServiceError('cursor_past_head', 'the actor has fewer transitions');
}

/** A transition as clients get it. */
export const shownTransition = (
  chartId: string,
  { seq, cause, event, value, at, commit, taken, fromSeq, toSeq }: RecordedTransition,
): ActorTransition => ({
  seq,
  cause,
  event,
  ...shownState(chartId, value),
  at: new Date(at).toISOString(),
  commit,
  ...(taken === undefined
    ? {}
    : { taken, journal: fromSeq === undefined || toSeq === undefined ? null : { fromSeq, toSeq } }),
});

/** The state of a chart as clients get it: its value, and the active states by the ids that they have in the chart. */
export const shownState = (
  machineId: string,
  value: StateValue,
): { readonly value: ChartStateValue; readonly states: string[] } => ({
  value: value as ChartStateValue,
  states: activeStatesOf(value).map((path) => `${machineId}.${path}`),
});

/** The facts about an actor beside its state, as clients get them. */
interface KnownActor {
  readonly actorId: string;
  readonly kind: ActorKind;
  readonly chartId: string;
  /** The study that it is part of. */
  readonly runtimeId: string | null;
}

const partOfRuntime = z.object({ runtimeId: z.string() });

/** The study that the input of an actor names. */
export const runtimeOf = (input: unknown): string | null => partOfRuntime.safeParse(input).data?.runtimeId ?? null;

/** The target of an id: an actor, or the review of an intake. Throws `unknown_actor` and `stored_content_inconsistent`. */
export function knownActor(
  { ledger, supervisor }: { readonly ledger: Ledger; readonly supervisor: Supervisor },
  actorId: string,
): KnownActor {
  return readStored(() => {
    const row = supervisor.read(actorId);
    if (row !== undefined && supervisor.definition(row.kind) !== undefined) {
      return { actorId, kind: actorKind.parse(row.kind), chartId: row.machineId, runtimeId: runtimeOf(row.input) };
    }
    const review = actorId === '' ? undefined : ledger.get('record', reviewKey(actorId));
    if (review === undefined) throw new ServiceError('unknown_actor', 'no such actor');
    const { runtimeId } = reviewRow.parse(review);
    return { actorId, kind: reviewScope, chartId: publishReviewMachine.id, runtimeId };
  });
}

/** Those of the transitions of an actor that are wanted, each with the state before it. `kept` is in order. */
const streamed = (
  actor: KnownActor,
  kept: readonly RecordedTransition[],
  isWanted: (row: RecordedTransition) => boolean,
): StreamedTransition[] => kept.flatMap((row, at) => (isWanted(row) ? [streamedOf(actor, row, kept[at - 1])] : []));

function streamedOf(
  { actorId, kind, chartId, runtimeId }: KnownActor,
  row: RecordedTransition,
  before: RecordedTransition | undefined,
): StreamedTransition {
  return {
    schema: 'studio.actor-transition.v1',
    actorId,
    kind,
    chartId,
    runtimeId,
    from: before?.seq === row.seq - 1 ? shownState(chartId, before.value) : null,
    ...shownTransition(chartId, row),
  };
}

type EveryTransitionOptions = Pick<HostBasis, 'ledger' | 'supervisor'>;

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
 * Every transition of every actor behind a commit, in the order of each actor. The ledger is the buffer. Memory holds only the
 * names of actors that moved, and the count of transitions already sent for those that are ahead of the cursor.
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

  /** The next transitions; null while there are none, empty if there may be more. */
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

  /** The transitions of an actor that the stream has not sent. */
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

interface FollowedTransitionsOptions extends EveryTransitionOptions {
  readonly listeners: TransitionListeners;
}

/** The transitions of actors for clients that follow them. It reads what commits left, and changes nothing. */
export class FollowedTransitions {
  readonly #options: FollowedTransitionsOptions;

  constructor(options: FollowedTransitionsOptions) {
    this.#options = options;
  }

  /**
   * The transitions of an actor with a `seq` above `after`, at most `limit`. Throws `unknown_actor`, `cursor_past_head` and
   * `stored_content_inconsistent`.
   */
  async of(actorId: string, after: number, limit: number): Promise<StreamedTransition[]> {
    const actor = knownActor(this.#options, actorId);
    const kept = await transitionsBehind(this.#options.ledger, actorId, after);
    return streamed(actor, kept, (row) => row.seq > after).slice(0, limit);
  }

  /** The number of the newest commit. */
  newestCommit(): number {
    return this.#options.ledger.newestCommit();
  }

  /** All transitions of all actors after a commit, or from now on; to be read while `watch` calls back. */
  every(after: number | null): EveryTransition {
    return new EveryTransition(this.#options, after);
  }

  /** Calls back with the id of each actor that moved, when that is on disk, until the returned function is called. */
  watch(listener: (actorId: string) => void): () => void {
    return this.#options.listeners.add(listener);
  }
}

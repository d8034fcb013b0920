import type { Tone } from '../../../console/words/tone.ts';
import type { ActorKind, ActorPhase, ListedActor } from '../../../contract/lifecycles/actors.ts';

/** The name of each kind of actor. */
export const kindWords: Readonly<Record<ActorKind, string>> = {
  'owned-ingest': 'ingest of a file',
  'videohost-ingest': 'ingest of a video',
  runtime: 'study',
  'publish-review': 'review',
  'caption-production': 'captions',
  'language-explanation': 'explanation',
};

export const shownActorKinds = Object.keys(kindWords) as readonly ActorKind[];

export const isKind = (text: string): text is ActorKind => Object.hasOwn(kindWords, text);

const phaseWords: Readonly<Record<ActorPhase, string>> = {
  live: 'at work',
  waiting: 'waiting',
  ended: 'ended',
};

const badEnds = /^(failed|error)$/;
/** A person may have wanted these. */
const keptEnds = /^(interrupted|canceled)$/;

/** The name of a state without the machine that it is of: `runtime.running.detect` is `running.detect`. */
export const stateName = (stateId: string): string => stateId.slice(stateId.indexOf('.') + 1);

/** The state of an actor, in the names of its chart. */
export const stateNames = (states: readonly string[]): string => states.map(stateName).join(', ');

/**
 * The state of an actor in words. The name of a last state says that the actor has ended, unless the name is just that it has. An
 * approved review needs no further decision.
 */
export function actorWords({ phase, states }: Pick<ListedActor, 'phase' | 'states'>): string {
  const names = stateNames(states);
  if (phase === 'ended') return names === 'terminal' ? phaseWords.ended : names;
  if (phase === 'waiting' && names === 'queued') return phaseWords.waiting;
  return phase === 'waiting' && names === 'approved' ? names : `${names}, ${phaseWords[phase]}`;
}

/** How an actor looks: at work, waiting, ended well or not. */
export const actorTone = ({ phase, states }: Pick<ListedActor, 'phase' | 'states'>): Tone => {
  if (phase !== 'ended') return phase === 'live' ? 'busy' : 'queued';
  const ends = states.map((state) => state.split('.').at(-1) ?? '');
  if (ends.some((end) => badEnds.test(end))) return 'bad';
  return ends.some((end) => keptEnds.test(end)) ? 'kept' : 'good';
};

/** A length of time in few signs: `340 ms`, `1.2 s`, `4 min 05 s`, `3 h 20 min`. */
export function briefly(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${twoDigits(minutes % 60)} min`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** The plain name of an event of XState. */
export const eventWords = (event: string | null): string => {
  if (event === null) return 'no event';
  if (event === 'xstate.init') return 'begun';
  const [, end, actor] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(event) ?? [];
  if (actor !== undefined) return end === 'done' ? `${actor} done` : `error of ${actor}`;
  return event;
};

import { joinedUses } from '../../client/settings.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { CaptionMethod, CaptionMethodRow, CaptionMethodRows } from '../../contract/captions/caption-method.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import { serves } from '../../contract/served-languages.ts';
import type { FoundEngine, SettingsChange } from '../../contract/settings.ts';
import { wholeSeconds } from './numbers.ts';

/** One way to captions, as this page offers it. */
export interface CaptionWay {
  readonly method: CaptionMethod;
  /** `study` needs another study of the range; `closed` has its reasons in `causes`. */
  readonly state: 'ready' | 'permit' | 'study' | 'closed';
  /** The permission that a person gives first; null if nothing is missing. */
  readonly permission: Pick<SettingsChange, 'set' | 'confirmation'> | null;
  /** Engines of this machine that the permission sets up. */
  readonly engines: readonly FoundEngine[];
  readonly recognition: CaptionMethodRow['recognition'];
  readonly sends: CaptionMethodRow['sends'];
  readonly recognizesMs: number;
  readonly causes: readonly Cause[];
}

/** The methods of a film, with the engines of the machine that they lack. */
export interface FilmMethods {
  readonly rows: CaptionMethodRows;
  /** Engines of this machine; none if no way lacks one. */
  readonly found: readonly FoundEngine[];
  /** The caption executor of the settings; null without one. */
  readonly usual: string | null;
}

/** Looks for engines on the machine only if some way lacks one. */
export async function readFilmMethods(
  host: Pick<StudyHost, 'settings'>,
  rows: CaptionMethodRows,
): Promise<FilmMethods> {
  const isLacking = rows.methods.some(
    ({ state, obstacles }) => state === 'needs_engine' && obstacles.some((each) => engineFor(each) !== null),
  );
  const [{ settings }, found] = await Promise.all([host.settings.read(), isLacking ? host.settings.engines() : null]);
  const usual = settings.find(({ name }) => name === 'caption-executor')?.value ?? null;
  return { rows, found: found?.engines ?? [], usual: usual === null ? null : String(usual) };
}

interface Film {
  /** The spoken language; null if it is not declared. */
  readonly spoken: string | null;
  /** True for a study that has ended: speech that it lacks takes another one. */
  readonly isStudied: boolean;
}

/** The engine that an obstacle asks for; null if no engine helps. */
const engineFor = ({ code }: Cause): FoundEngine['engine'] | null =>
  code === 'no_recognizer' ? 'recognizer' : code === 'no_translator' ? 'caption_translation' : null;

/** True if an engine of this machine can be set up for a film whose speech is in this language. */
const isUsable = ({ name, state }: FoundEngine, spoken: string | null): boolean =>
  state === 'found' && (spoken === null || serves(name, spoken.replace(/-.*/, '').toLowerCase()));

/** The text that goes to a model server once it is used. */
function sendingTo({ engine, use, reach, mayCost }: FoundEngine): CaptionMethodRow['sends'] {
  const server = use['model-server'];
  if (typeof server !== 'string') return [];
  const what = engine === 'recognizer' ? 'sound' : 'text';
  return [{ what, server, isOnThisMachine: reach !== 'outside', mayCost }];
}

function wayOf(row: CaptionMethodRow, found: readonly FoundEngine[], { spoken, isStudied }: Film): CaptionWay {
  const { method, state, recognition, sends, recognizesMs, obstacles } = row;
  const wanted = state === 'needs_engine' ? obstacles.flatMap((each) => engineFor(each) ?? []) : [];
  const engines = wanted.flatMap(
    (engine) => found.find((each) => each.engine === engine && isUsable(each, spoken)) ?? [],
  );
  // Obstacles that no engine of this machine mends.
  const left = obstacles.filter((each) => engineFor(each) === null || engines.length < wanted.length);
  const isClosed =
    state === 'impossible' ||
    (state === 'needs_engine' &&
      (engines.length < wanted.length || left.some(({ code }) => code === 'language_not_recognised')));
  const { use, confirmation } = joinedUses([row, ...engines]);
  const permission = isClosed || Object.keys(use).length === 0 ? null : { set: use, confirmation };
  return {
    method,
    state: isClosed ? 'closed' : isStudied && recognizesMs > 0 ? 'study' : permission === null ? 'ready' : 'permit',
    permission,
    engines,
    recognition,
    sends: [...sends, ...engines.flatMap(sendingTo)],
    recognizesMs,
    causes: left,
  };
}

const ofTracks: readonly Cause['code'][] = ['no_text_tracks', 'no_text_track', 'no_text_track_in_language'];

const ranks: readonly CaptionWay['state'][] = ['ready', 'permit', 'study', 'closed'];

/** Ways that only a host takes that has them in its settings: one is either of two others, and one is for tests. */
const unusual: readonly CaptionMethod[] = ['subtitles-or-recognized', 'deterministic-test'];

/** The ways to captions, the one to take first: that of the settings if it works, then as the host prefers them. */
export function waysOf({ rows, found, usual }: FilmMethods, film: Film): readonly CaptionWay[] {
  const ways = rows.methods
    .filter(({ method }) => method === usual || !unusual.includes(method))
    .map((row) => wayOf(row, found, film))
    .filter((way, at, all) => (way.method === usual && way.state !== 'closed') || isOfUse(way, at, all));
  const isPair = ways.some(({ causes: [first] }) => first?.code === 'method_does_not_translate');
  // One of two languages is there, so a file in the other one is near.
  const lacksOneOfTwo = (cause: Cause): boolean =>
    isPair && cause.code === 'no_text_track' && cause.params.languages.length === 1;
  const rankOf = ({ state, method, causes: [first] }: CaptionWay): number => {
    if (state === 'ready' && method === usual) return -1;
    // No engine and no file makes this way give another language.
    if (first?.code === 'method_does_not_translate') return ranks.length + 1;
    // Of ways that are closed, those that the film itself lacks come last.
    const isLast = first !== undefined && ofTracks.includes(first.code) && !lacksOneOfTwo(first);
    return isLast ? ranks.length : ranks.indexOf(state);
  };
  return ways.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The way to take; null if all are closed. */
export const openWay = ([first]: readonly CaptionWay[]): CaptionWay | null =>
  first === undefined || first.state === 'closed' ? null : first;

/** An engine of this machine with another of its models: the model is the value that `use` has of them. */
export const withModel = (engine: FoundEngine, model: string): FoundEngine => ({
  ...engine,
  use: Object.fromEntries(
    Object.entries(engine.use).map(([name, value]) => [name, value === engine.models[0] ? model : value]),
  ),
});

/** True if a way is of use beside the others: it gives other captions, or has another obstacle. */
function isOfUse(way: CaptionWay, at: number, ways: readonly CaptionWay[]): boolean {
  const isOpen = (method: CaptionMethod) => ways.some((each) => each.method === method && each.state !== 'closed');
  // With both texts there is nothing to translate.
  if (way.method === 'subtitles-translated' && isOpen('grouped-subtitles')) return false;
  if (way.method === 'recognized-translated' && isOpen('recognized')) return false;
  const said = JSON.stringify(way.causes);
  return way.state !== 'closed' || ways.findIndex(({ causes }) => JSON.stringify(causes) === said) === at;
}

/** The causes that a person mends elsewhere. What another study mends has its button beside it. */
export const causesToMend = ({ state, causes }: Pick<CaptionWay, 'state' | 'causes'>): readonly Cause[] =>
  state === 'study' ? [] : causes;

export const wayNames: Readonly<Record<CaptionMethod, string>> = {
  'embedded-subtitles': 'Subtitle tracks, cue by cue',
  'grouped-subtitles': 'Subtitle tracks',
  'subtitles-translated': 'Subtitle track, translated',
  recognized: 'Recognized speech',
  'subtitles-or-recognized': 'Subtitle tracks, else recognized speech',
  'recognized-translated': 'Recognized speech, translated',
  'deterministic-test': 'Fixed texts, for tests',
};

/** The servers of a way that get sound or text, and the possible cost; null if all stays on this host. */
export const sendingText = ({ sends }: Pick<CaptionWay, 'sends'>): string | null =>
  sends.length === 0 ? null : sends.map(sendingWords).join(' ');

const sendingWords = ({ what, server, isOnThisMachine, mayCost }: CaptionWay['sends'][number]): string =>
  isOnThisMachine
    ? `The ${what} is sent to ${server} on this machine.`
    : `The ${what} leaves this machine for ${server}${mayCost ? ', and that may cost money' : ''}.`;

/** The engines of a way, the servers that get its data, and the possible cost: short sentences. */
export function wayText(way: CaptionWay): string {
  const { recognition, recognizesMs, engines } = way;
  const recognizer = recognition?.recognizer ?? engines.find(({ engine }) => engine === 'recognizer')?.name;
  const translator = engines.find(({ engine }) => engine === 'caption_translation')?.use['caption-translation-model'];
  return [
    ...(recognizesMs > 0 && recognizer !== undefined
      ? [`Recognized by ${recognizer}: at most ${wholeSeconds(recognizesMs)} of sound.`]
      : []),
    ...(translator === undefined ? [] : [`Translated by ${translator}.`]),
    ...(way.state === 'study' ? ['It takes another study of this range.'] : []),
    sendingText(way) ?? 'Nothing leaves this machine, and it costs nothing.',
  ].join(' ');
}

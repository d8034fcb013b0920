import { readdir, readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Range } from '../../contract/base/grammar.ts';
import { between, type Chance, chanceOf, oneOf } from '../../fixtures/chance.ts';

/** A film with known times, in ms: what is said, and subtitles as a careful person writes them. */
export interface TruthFilm {
  readonly name: string;
  readonly file: string;
  readonly lengthMs: number;
  readonly said: readonly Range[];
  readonly subtitles: readonly Range[];
}

/** Subtitles whose right times are known, or that belong to no film (`starts` is null). All times are in ms. */
export interface SyncCase {
  readonly film: string;
  readonly kind: 'same' | 'shift' | 'rate' | 'one break' | 'two breaks' | 'null';
  readonly cues: readonly Range[];
  readonly starts: readonly number[] | null;
}

const mediaExtensions: ReadonlySet<string> = new Set(['.wav', '.mp4', '.mkv', '.flac', '.ogg']);

type Seconds = readonly (readonly [start: number, end: number, ...more: unknown[]])[];

const inMs = (spans: Seconds): Range[] =>
  spans.map(([start, end]) => ({ startMs: Math.round(1000 * start), endMs: Math.round(1000 * end) }));

/**
 * The films of a folder: `NAME.json` beside a media file of that name. The JSON has `secs`, `utt` (what is said) and `cues` (its
 * subtitles), both as lists of `[start, end, text]` in seconds.
 */
export async function truthFilms(folder: string): Promise<TruthFilm[]> {
  const files = (await readdir(folder)).sort();
  const films: TruthFilm[] = [];
  for (const file of files) {
    const { name, ext } = parse(file);
    if (!mediaExtensions.has(ext) || !files.includes(`${name}.json`)) continue;
    const truth: { secs: number; utt: Seconds; cues: Seconds } = JSON.parse(
      await readFile(join(folder, `${name}.json`), 'utf8'),
    );
    films.push({
      name,
      file: join(folder, file),
      lengthMs: Math.round(1000 * truth.secs),
      said: inMs(truth.utt),
      subtitles: inMs(truth.cues),
    });
  }
  return films;
}

const normal = (chance: Chance, mean: number, sigma: number): number =>
  mean + sigma * Math.sqrt(-2 * Math.log(1 - chance())) * Math.cos(2 * Math.PI * chance());

/**
 * Subtitles as a careless person writes them. They start 120 ± 180 ms early and stay 0.2 to 1.6 s. A quarter of them have two
 * sentences, 12 % of the sentences have none, and 13 % of the subtitles are over no speech.
 */
export function sloppySubtitles({ said, lengthMs }: TruthFilm, seed: number): Range[] {
  const chance = chanceOf(seed);
  const cues: Range[] = [];
  for (let at = 0; at < said.length; at += 1) {
    const { startMs, endMs } = said[at] ?? { startMs: 0, endMs: 0 };
    if (chance() < 0.12) continue;
    const next = said[at + 1];
    const isMerged =
      chance() < 0.25 && next !== undefined && next.startMs - endMs < 1200 && next.endMs - startMs < 7000;
    if (isMerged) at += 1;
    const untilMs = isMerged ? next.endMs : endMs;
    const from = Math.max(0, startMs + normal(chance, -120, 180));
    const stays = Math.max(untilMs + between(chance, 200, 1600), from + 900);
    const to = Math.max(from + 300, Math.min(stays, (said[at + 1]?.startMs ?? lengthMs) - 40));
    cues.push({ startMs: Math.round(from), endMs: Math.round(to) });
    if (chance() >= 0.13) continue;
    const sign = Math.round(between(chance, 0, lengthMs - 4000));
    cues.push({ startMs: sign, endMs: sign + Math.round(between(chance, 1000, 3000)) });
  }
  return cues.sort((one, other) => one.startMs - other.startMs);
}

const rates = [1001 / 960, 960 / 1001, 1001 / 1000, 1000 / 1001, 25 / 24, 24 / 25] as const;

const breakMs = 20_000;

/** Subtitles with known faults, of one film: 19 shifts, seven with a rate, three with a break and one with two. */
export function* distorted(film: TruthFilm, subtitles: readonly Range[]): Generator<SyncCase> {
  const made = (kind: SyncCase['kind'], cues: readonly Range[], move: (ms: number) => number): SyncCase => {
    const kept = cues
      .map(({ startMs, endMs }) => ({
        startMs: Math.round(move(startMs)),
        endMs: Math.round(move(endMs)),
        true: startMs,
      }))
      .filter(({ startMs }) => startMs >= 0);
    return { film: film.name, kind, cues: kept, starts: kept.map((cue) => cue.true) };
  };
  for (let shift = -90_000; shift <= 90_000; shift += 10_000) {
    yield made(shift === 0 ? 'same' : 'shift', subtitles, (ms) => ms + shift);
  }
  for (const rate of rates) yield made('rate', subtitles, (ms) => ms * rate);
  yield made('rate', subtitles, (ms) => ms * rates[0] + 7000);
  for (const places of [[0.3], [0.5], [0.65], [0.33, 0.68]]) {
    const breaks = places.map((share) => share * film.lengthMs);
    const isLost = (ms: number): boolean => breaks.some((at) => at - 2000 < ms && ms < at + breakMs);
    const left = subtitles.filter(({ startMs }) => !isLost(startMs));
    const passed = (ms: number): number => breaks.filter((at) => ms > at).length;
    // Both edges of a cue move alike.
    const cues = left.map(({ startMs, endMs }) => {
      const by = breakMs * passed(startMs);
      return { startMs: startMs - by, endMs: endMs - by, true: startMs };
    });
    yield {
      film: film.name,
      kind: breaks.length === 1 ? 'one break' : 'two breaks',
      cues,
      starts: cues.map((cue) => cue.true),
    };
  }
}

/** Subtitles with their lengths and pauses in another order. */
function inOtherOrder(cues: readonly Range[], chance: Chance): Range[] {
  const mixed = (values: number[]): number[] => {
    for (let at = values.length - 1; at > 0; at -= 1) {
      const other = Math.floor(chance() * (at + 1));
      [values[at], values[other]] = [values[other] ?? 0, values[at] ?? 0];
    }
    return values;
  };
  const lengths = mixed(cues.map(({ startMs, endMs }) => endMs - startMs));
  const gaps = mixed(cues.map(({ startMs }, at) => Math.max(40, startMs - (cues[at - 1]?.endMs ?? 0))));
  let atMs = 0;
  return lengths.map((length, at) => {
    const startMs = atMs + (gaps[at] ?? 0);
    atMs = startMs + length;
    return { startMs, endMs: atMs };
  });
}

const backwards = (cues: readonly Range[]): Range[] => {
  const lastMs = Math.max(...cues.map(({ endMs }) => endMs)) + 5000;
  return cues.map(({ startMs, endMs }) => ({ startMs: lastMs - endMs, endMs: lastMs - startMs })).reverse();
};

/** The part of a name that episodes of a series have in common. */
const seriesOf = (name: string): string => name.replace(/-episode$/, '');

/**
 * Subtitles that no film has said: those of another film or another episode, of this one in another order or backwards, and over no
 * speech.
 */
export function nullCase(films: readonly TruthFilm[], seed: number): SyncCase {
  const chance = chanceOf(7919 * seed + 17);
  const film = oneOf(chance, films);
  const spoken = films.filter(({ subtitles, name }) => subtitles.length > 0 && name !== film.name);
  const siblings = spoken.filter(({ name }) => seriesOf(name) === seriesOf(film.name));
  const other = oneOf(chance, siblings.length > 0 && chance() < 0.5 ? siblings : spoken);
  const isSloppy = chance() < 0.5;
  const subtitlesOf = (of: TruthFilm): readonly Range[] => (isSloppy ? sloppySubtitles(of, seed) : of.subtitles);
  const own = film.subtitles.length === 0 ? subtitlesOf(other) : subtitlesOf(film);
  const way = Math.floor(chance() * 3);
  const rate = oneOf(chance, [1, 1, 25 / 24, 24 / 25]);
  const foreign = subtitlesOf(other);
  const first = Math.floor((chance() * foreign.length) / 2);
  const from = (foreign[first]?.startMs ?? 0) - between(chance, 1000, 30_000);
  const cues =
    way === 0
      ? foreign.slice(first).map(({ startMs, endMs }) => ({
          startMs: Math.round((startMs - from) * rate),
          endMs: Math.round((endMs - from) * rate),
        }))
      : way === 1
        ? inOtherOrder(own, chance)
        : backwards(own);
  return { film: film.name, kind: 'null', cues, starts: null };
}

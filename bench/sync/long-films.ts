import type { Range } from '../../contract/base/grammar.ts';
import type { TruthFilm } from './cases.ts';
import type { HeardFilm } from './heard.ts';

/** Speech and subtitles of a film that is films one behind the other, cut at a length. */
export interface LongFilm {
  readonly speech: readonly Range[];
  readonly cues: readonly Range[];
}

/** Films behind each other until `lengthMs`, again from the first one if they are too short. */
export function longFilm(
  films: readonly TruthFilm[],
  heard: ReadonlyMap<string, HeardFilm>,
  lengthMs: number,
): LongFilm {
  const [speech, cues]: [Range[], Range[]] = [[], []];
  const spoken = films.filter(({ said }) => said.length > 0);
  const later = (spans: readonly Range[], byMs: number): Range[] =>
    spans
      .map(({ startMs, endMs }) => ({ startMs: startMs + byMs, endMs: endMs + byMs }))
      .filter(({ endMs }) => endMs <= lengthMs);
  for (let [at, nth] = [0, 0]; at < lengthMs && spoken.length > 0; nth += 1) {
    const film = spoken[nth % spoken.length];
    if (film === undefined) break;
    speech.push(...later(heard.get(film.name)?.speech ?? [], at));
    cues.push(...later(film.subtitles, at));
    at += film.lengthMs;
  }
  return { speech, cues };
}

import { readdir, readFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import { z } from 'zod';

/** Labels of a film in picture numbers, from 0. */
export interface PictureLabels {
  /** The first picture of each new shot behind a hard cut. */
  readonly cuts: readonly number[];
  /** First and last picture of each gradual transition. */
  readonly gradual: readonly (readonly [number, number])[];
  /** Ranges of pictures in which a claim counts neither way. */
  readonly optional: readonly (readonly [number, number])[];
}

export interface LabeledFilm extends PictureLabels {
  readonly file: string;
}

const pair = z.tuple([z.number(), z.number()]);

const ownLabels = z.object({
  films: z.array(
    z.object({
      file: z.string(),
      cuts: z.array(z.number()),
      gradual: z.array(pair).default([]),
      optional: z.array(pair).default([]),
    }),
  ),
});

/** ClipShots: for each film the last picture of a shot and the first of the next. Neighbors are a hard cut. */
const clipShots = z.record(z.string(), z.object({ transitions: z.array(pair) }));

/** Changes from one shot to the next, each as its last picture before and its first behind. */
function labelsOf(changes: readonly (readonly [number, number])[]): PictureLabels {
  const isHard = ([last, first]: readonly [number, number]): boolean => first - last <= 1;
  return {
    cuts: changes.filter(isHard).map(([, first]) => first),
    gradual: changes.filter((change) => !isHard(change)).map(([last, first]) => [last + 1, first - 1] as const),
    optional: [],
  };
}

/** The labels of a JSON file: this project's own, or those of ClipShots; null for any other file. */
export function labelsOfJson(text: string): LabeledFilm[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const own = ownLabels.safeParse(value);
  if (own.success) return own.data.films;
  const clips = clipShots.safeParse(value);
  if (!clips.success) return null;
  return Object.entries(clips.data).map(([file, { transitions }]) => ({ file, ...labelsOf(transitions) }));
}

/** The labels of a text with the first and last picture of one shot a line; null for another. BBC Planet Earth and RAI have them. */
export function labelsOfShots(text: string): PictureLabels | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shots = lines.map((line) =>
    line
      .trim()
      .split(/[\s,]+/)
      .map(Number),
  );
  if (shots.length === 0 || shots.some((shot) => shot.length < 2 || !shot.every(Number.isInteger))) return null;
  return labelsOf(shots.slice(1).map(([first = 0], at) => [shots[at]?.[1] ?? 0, first] as const));
}

const mediaExtensions: ReadonlySet<string> = new Set(['.mp4', '.mkv', '.avi', '.webm', '.mov', '.m4v', '.mpg']);

/** The name of a film without its ending and what label files add to it. */
const stem = (file: string): string => parse(basename(file)).name.replace(/_(gt|shots?)$/, '');

/** The labeled films of a folder; films without labels and labels without a film are left out. */
export async function labeledFilms(folder: string): Promise<LabeledFilm[]> {
  const files = (await readdir(folder, { recursive: true })).sort();
  const media = files.filter((file) => mediaExtensions.has(parse(file).ext.toLowerCase()));
  const films: LabeledFilm[] = [];
  const add = (name: string, labels: PictureLabels): void => {
    const file = media.find((each) => basename(each) === basename(name) || stem(each) === stem(name));
    if (file !== undefined) films.push({ ...labels, file: join(folder, file) });
  };
  for (const file of files) {
    const { ext } = parse(file);
    if (ext !== '.json' && ext !== '.txt') continue;
    const text = await readFile(join(folder, file), 'utf8');
    if (ext === '.json') for (const film of labelsOfJson(text) ?? []) add(film.file, film);
    else {
      const labels = labelsOfShots(text);
      if (labels !== null) add(file, labels);
    }
  }
  return films;
}

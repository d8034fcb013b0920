import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FilmPlan } from './catalogue.ts';
import { type FilmLabels, labelsOf, picturesOf } from './film.ts';
import { FILM_HEIGHT, FILM_WIDTH } from './shot.ts';

/** What a film is built from. */
export type BuiltFilm = Pick<FilmPlan, 'name' | 'rate' | 'timing' | 'film'>;

/** Labels of a built film, in milliseconds of its own timeline. */
export interface TimedLabels {
  readonly durationMs: number;
  readonly frameMs: number;
  readonly cutsMs: readonly number[];
  readonly transitions: readonly { readonly form: string; readonly startMs: number; readonly endMs: number }[];
}

// Three of seven pictures are left out of a film with a variable rate.
const KEPT_OF_SEVEN = [0, 1, 3, 6];
const isKept = (frame: number): boolean => KEPT_OF_SEVEN.includes(frame % 7);

/** The stored picture that shows this one first: the next that is not left out, or the one with its field. */
function storedAt(frame: number, { timing }: BuiltFilm): number {
  if (timing === 'interlaced') return frame - (frame % 2);
  if (timing === 'steady') return frame;
  let at = frame;
  while (!isKept(at)) at += 1;
  return at;
}

export function timedLabels(plan: BuiltFilm): TimedLabels {
  const labels: FilmLabels = labelsOf(plan.film);
  const [numerator, denominator] = plan.rate;
  const at = (frame: number) => Math.round((storedAt(frame, plan) * denominator * 1000) / numerator);
  return {
    durationMs: Math.floor((labels.frames * denominator * 1000) / numerator),
    frameMs: ((plan.timing === 'interlaced' ? 2 : 1) * denominator * 1000) / numerator,
    cutsMs: labels.cuts.map(at),
    transitions: labels.transitions.map(({ form, from, to }) => ({ form, startMs: at(from), endMs: at(to) })),
  };
}

function encoding({ timing }: BuiltFilm): readonly string[] {
  const kept = KEPT_OF_SEVEN.map((place) => `eq(mod(n\\,7)\\,${place})`).join('+');
  switch (timing) {
    case 'steady':
      return [];
    case 'variable':
      return ['-vf', `select='${kept}'`, '-fps_mode', 'vfr'];
    case 'interlaced':
      return ['-vf', 'tinterlace=mode=interleave_top,fieldorder=tff', '-flags', '+ildct+ilme', '-x264-params', 'tff=1'];
  }
}

/** Draws a film and encodes it as H.264 in a Matroska file. Rejects when ffmpeg fails. */
export async function buildFilm(ffmpeg: string, plan: BuiltFilm, file: string): Promise<TimedLabels> {
  const input = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-s',
    `${FILM_WIDTH}x${FILM_HEIGHT}`,
    '-r',
    plan.rate.join('/'),
    '-i',
    'pipe:0',
  ];
  const codec = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-pix_fmt', 'yuv420p', '-threads', '1'];
  const child = spawn(ffmpeg, ['-nostdin', '-v', 'error', '-y', ...input, ...encoding(plan), ...codec, file], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit');
  for (const { rgb } of picturesOf(plan.film)) {
    if (!child.stdin.write(Buffer.from(rgb))) await Promise.race([once(child.stdin, 'drain'), ended]);
  }
  child.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`ffmpeg did not encode ${plan.name}`);
  return timedLabels(plan);
}

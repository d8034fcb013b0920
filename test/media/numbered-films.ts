import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type MediaRecipe, madeMedia } from './made-media.ts';

const run = promisify(execFile);

const WIDTH = 96;
const HEIGHT = 72;
const STRIP = 8;
const CELL = 6;
const CELLS = WIDTH / CELL;

/** A film whose pictures show their own numbers, and the first pictures of its shots. */
export interface NumberedFilm {
  readonly rate: string;
  readonly cuts: readonly number[];
  readonly pictures: number;
  readonly extension: string;
  /** Encoder and container. */
  readonly as: readonly string[];
  /** The sound beside the pictures; none for a container of pictures alone. */
  readonly sound?: readonly string[];
  /** More filters behind the drawing. */
  readonly filter?: string;
}

/** Below each picture its number stands in bits: a lit cell is a one. Above it every shot has waves of its own. */
function drawing({ rate, cuts, pictures, filter }: NumberedFilm): string {
  const shot = ['0', ...cuts.map((cut) => `gte(N,${cut})`)].join('+');
  const bit = `40+170*mod(floor(N/pow(2,floor(X/${CELL}))),2)`;
  const waves = `128+100*sin(X/(3+4*mod(${shot},3))+Y/(2+3*mod(1+${shot},4))+2*(${shot}))`;
  const lum = `if(gte(Y,${HEIGHT - STRIP}),${bit},${waves})`;
  const source = `color=c=gray:s=${WIDTH}x${HEIGHT}:r=${rate},format=gray,geq=lum='${lum}',trim=end_frame=${pictures}`;
  return `${source},format=yuv420p${filter === undefined ? '' : `,${filter}`}`;
}

/** The recipe of a film; whoever makes it from that of another names it as an input. */
export function numberedRecipe(film: NumberedFilm): MediaRecipe {
  const { sound, as, extension } = film;
  const tone = sound === undefined ? [] : ['-f', 'lavfi', '-i', 'sine=f=300:r=48000'];
  const heard = sound === undefined ? [] : [...sound, '-shortest'];
  return { words: ['-f', 'lavfi', '-i', drawing(film), ...tone, ...as, ...heard], extension };
}

export const numberedFilm = (film: NumberedFilm): Promise<string> => madeMedia(numberedRecipe(film));

function numberIn(gray: Uint8Array): number {
  const row = (HEIGHT - STRIP / 2) * WIDTH;
  let number = 0;
  for (let cell = 0; cell < CELLS; cell += 1) if ((gray[row + cell * CELL + CELL / 2] ?? 0) > 125) number += 2 ** cell;
  return number;
}

/** The numbers that are drawn in the pictures of a film, in the order in which a decoder shows them. */
export async function numbersShown(file: string): Promise<number[]> {
  const words = ['-v', 'error', '-i', file, '-map', '0:v:0', '-fps_mode', 'passthrough', '-pix_fmt', 'gray'];
  const { stdout } = await run('ffmpeg', [...words, '-f', 'rawvideo', '-'], {
    encoding: 'buffer',
    maxBuffer: 512 * 1024 * 1024,
  });
  const bytes = WIDTH * HEIGHT;
  return Array.from({ length: stdout.length / bytes }, (_, at) =>
    numberIn(stdout.subarray(at * bytes, (at + 1) * bytes)),
  );
}

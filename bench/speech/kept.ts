import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../host-process.ts';
import type { Heard, MeasuredEngine } from './engines.ts';
import type { SpeechFilm } from './film.ts';

const digestOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
};

/** Stands for the built program: what it hears of a film is its own, and no later program's. */
function builtProgram(): string {
  const folder = path.join(repository, 'build');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .sort();
  return digestOf(...files.map((name) => readFileSync(path.join(folder, name))));
}

/**
 * The engine, with what it heard of each film kept in a folder. A run that is cut short goes on from there, and the lines can be read. An
 * answer is used again for the same film, program and weights, and for the product only by the same build of it.
 */
export function keptIn(folder: string, engine: MeasuredEngine): MeasuredEngine {
  mkdirSync(folder, { recursive: true });
  const build = builtProgram();
  const kept = (side: 'bare' | 'product', film: SpeechFilm) => async (): Promise<Heard> => {
    const made = digestOf(engine.identity, side === 'product' ? build : engine.bareSettings, readFileSync(film.file));
    const file = path.join(folder, `${engine.name}-${film.name}-${side}-${made.slice(0, 12)}.json`);
    const before = heardIn(file);
    if (before !== null) return before;
    const heard = await engine[side](film);
    writeFileSync(`${file}.part`, `${JSON.stringify({ ...heard, sentences: film.sentences }, null, 1)}\n`);
    renameSync(`${file}.part`, file);
    return heard;
  };
  return {
    ...engine,
    bare: (film) => kept('bare', film)(),
    product: (film) => kept('product', film)(),
  };
}

function heardIn(file: string): Heard | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

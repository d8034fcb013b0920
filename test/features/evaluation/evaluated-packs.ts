import { randomUUID } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { KnownMachine } from '../../../actors/host-types.ts';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { evaluatePack } from '../../../features/evaluation/evaluate-pack.ts';
import { openPackFolder } from '../../../features/evaluation/labeled-media.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { placeMedia } from '../../media/made-media.ts';
import { tone } from '../../media/recipes.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { briefItem } from './labeled-packs.ts';

interface Conditions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly dataRoot?: string;
  /** Happens between the look at the pack and the studies. */
  readonly meanwhile?: () => Promise<void>;
}

/** The hosts of one test file share one inspection of the machine. */
const machine = new KnownMachine();

/** Evaluates a pack as the command does. */
export async function evaluate(t: ExecutionContext, folder: string, conditions: Conditions = {}) {
  const dataRoot = conditions.dataRoot ?? join(await scratchFolder(t), 'data');
  const pack = await openPackFolder(folder);
  await conditions.meanwhile?.();
  return evaluatePack({
    pack,
    dataRoot,
    environment: { ...process.env, ...withoutDownloader, ...conditions.environment },
    machine,
    features: [],
    clock: systemClock,
    newId: randomUUID,
    report: () => undefined,
    signal: conditions.signal ?? new AbortController().signal,
  });
}

/** Three seconds with the first cue of the English track. */
export const english = briefItem({
  subtitles: [
    {
      trackIndex: 3,
      language: 'en',
      cues: [{ startMs: 800, endMs: 3000, text: 'Good morning and welcome to the reading room.', language: 'en' }],
    },
  ],
});

/** A pack folder without a manifest, and an unlabeled item over all of its one medium, a tone. */
export async function toneItem(t: ExecutionContext, seconds: number) {
  const folder = await scratchFolder(t);
  await placeMedia(folder, { 'tone.wav': tone(seconds) });
  const bytes = await readFile(join(folder, 'tone.wav'));
  const media = { path: 'tone.wav', contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  return { folder, item: { ...briefItem({}), media, range: { startMs: 0, endMs: seconds * 1000 } } };
}

/** The real ffmpeg until it gets a command for a study. */
export async function ffmpegThat(t: ExecutionContext, does: string): Promise<NonNullable<Conditions['environment']>> {
  const path = join(await scratchFolder(t), 'ffmpeg');
  const real = process.env.MEDIA_STUDY_FFMPEG ?? 'ffmpeg';
  await writeFile(path, `#!/bin/sh\ncase "$*" in *flags=area*) ${does} ;; esac\nexec '${real}' "$@"\n`);
  await chmod(path, 0o755);
  return { MEDIA_STUDY_FFMPEG: path };
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ProbeResult } from '../../../contract/sources/media-probe.ts';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { resolveTools } from '../../../executors/process/tools.ts';
import { type ProbeTools, probeMedia } from '../../../executors/sources/ffprobe.ts';
import { ProbeFailure, type ProbeFailureCause } from '../../../executors/sources/probe-failure.ts';
import { placeMedia } from '../../media/made-media.ts';
import { base, ofBase, redPicture } from '../../media/recipes.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { watched } from '../evidence/detection-for-tests.ts';

/** A folder with media to probe, and the real tools to do so. */
export interface ProbeBench {
  readonly folder: string;
  /** Puts files into the folder that ffmpeg makes of `base.mp4`, each by the words behind its name. */
  place(
    files: readonly (readonly [name: string, words: readonly string[], ...rest: readonly unknown[]])[],
  ): Promise<void>;
  /** The names of the tools that were started since the last call, sorted. */
  started(): string[];
  /** Probes a file of the folder, or any other by its absolute path; with other tools if given. */
  probe(
    name: string,
    other?: Partial<ProbeTools>,
    signal?: AbortSignal,
    onRead?: (completedMs: number, totalMs: number) => void,
  ): Promise<ProbeResult>;
  close(): Promise<void>;
}

/** The text of `lines.srt`. */
export const twoLines = '1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n00:00:01,000 --> 00:00:03,000\n안녕\n\n';

/** Opens a bench whose folder holds `base.mp4`, `lines.srt` and `cover.png`. */
export async function openProbeBench(): Promise<ProbeBench> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'probe-'));
  const launcher = await openLauncher({ workRoot: await mkdtemp(path.join(folder, 'work-')), newId: randomUUID });
  const { launcher: watching, requests } = watched(launcher);
  const tools = await resolveTools(launcher, { ...process.env, ...withoutDownloader });
  await placeMedia(folder, { 'base.mp4': base, 'cover.png': redPicture });
  await writeFile(path.join(folder, 'lines.srt'), twoLines);
  return {
    folder,
    place: (files) =>
      placeMedia(
        folder,
        Object.fromEntries(files.map(([name, words]) => [name, ofBase(path.extname(name).slice(1), words)])),
      ),
    started: () =>
      requests
        .splice(0)
        .map(({ tool }) => path.basename(tool))
        .sort(),
    probe: (name, other = {}, signal = new AbortController().signal, onRead = undefined) =>
      probeMedia(watching, { ...tools, ...other }, path.resolve(folder, name), signal, onRead),
    async close() {
      await launcher.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The refusal that a probe must end with, for this reason and in words that may be shown to anyone. */
export async function refused(
  t: ExecutionContext,
  work: Promise<unknown>,
  reason: ProbeFailureCause,
): Promise<ProbeFailure> {
  const failure = await t.throwsAsync(work, { instanceOf: ProbeFailure });
  if (!(failure instanceof ProbeFailure)) throw new Error('no refusal came');
  t.is(failure.reason, reason);
  t.true(failure.message.startsWith(`${reason}: `));
  t.true(failure.message.length <= 256);
  t.false(failure.message.includes('/'), failure.message);
  return failure;
}

export const kindsOf = ({ tracks }: ProbeResult) => tracks.map(({ type, codec }) => `${type}:${codec}`);

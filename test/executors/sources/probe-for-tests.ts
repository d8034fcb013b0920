import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import type { ProbeResult } from '../../../contract/sources/probe-result.ts';
import { openLauncher } from '../../../executors/process/launcher.ts';
import { resolveTools } from '../../../executors/process/tools.ts';
import { type ProbeTools, probeMedia } from '../../../executors/sources/ffprobe.ts';
import { ProbeFailure, type ProbeFailureCause } from '../../../executors/sources/probe-failure.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { watched } from '../evidence/detection-for-tests.ts';
import { ffmpeg, makeBase } from '../evidence/media-for-tests.ts';

/** A folder with media to probe, and the real tools to do so. */
export interface ProbeBench {
  readonly folder: string;
  /** The names of the tools that were started since the last call, sorted. */
  started(): string[];
  /** Probes a file of the folder, with other tools where given. */
  probe(
    name: string,
    other?: Partial<ProbeTools>,
    signal?: AbortSignal,
    onRead?: (completedMs: number, totalMs: number) => void,
  ): Promise<ProbeResult>;
  close(): Promise<void>;
}

/** Opens a bench whose folder holds `base.mp4`, `lines.srt` and `cover.png`. */
export async function openProbeBench(): Promise<ProbeBench> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'probe-'));
  const launcher = await openLauncher({ workRoot: await mkdtemp(path.join(folder, 'work-')), newId: randomUUID });
  const { launcher: watching, requests } = watched(launcher);
  const tools = await resolveTools(launcher, { ...process.env, ...withoutDownloader });
  await makeBase(folder);
  const lines = '1\n00:00:00,000 --> 00:00:01,000\nhello\n\n2\n00:00:01,000 --> 00:00:03,000\n안녕\n\n';
  await writeFile(path.join(folder, 'lines.srt'), lines);
  await ffmpeg(folder, '-f', 'lavfi', '-i', 'color=red:s=64x64:d=1', '-frames:v', '1', 'cover.png');
  return {
    folder,
    started: () =>
      requests
        .splice(0)
        .map(({ tool }) => path.basename(tool))
        .sort(),
    probe: (name, other = {}, signal = new AbortController().signal, onRead = undefined) =>
      probeMedia(watching, { ...tools, ...other }, path.join(folder, name), signal, onRead),
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

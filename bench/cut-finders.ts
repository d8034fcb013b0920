import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { promisify } from 'node:util';
import { systemClock } from '../actors/supervision/system-clock.ts';
import type { Range } from '../contract/base/grammar.ts';
import { openDetector } from '../executors/detector/detector.ts';
import { detectRange } from '../executors/evidence/detect.ts';
import { openLauncher } from '../executors/process/launcher.ts';
import { findExecutable, resolveTools } from '../executors/process/tools.ts';
import { childrenCpuMs } from './process-figures.ts';

/** Runs a tool; what it writes on standard output. */
export async function run(tool: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(tool, [...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

/** The claims of a finder about a film, in ms of its time line, and the processor time that they took. */
export interface Claims {
  readonly cuts: readonly { readonly atMs: number; readonly isUncertain: boolean }[];
  readonly transitions: readonly (Range & { readonly isUncertain: boolean })[];
  readonly cpuMs: number;
}

/** A program that finds cuts. */
export interface Finder {
  readonly name: string;
  find(file: string, lengthMs: number): Promise<Claims>;
  close(): Promise<void>;
}

/** A study of all tracks, as a host runs it. */
export async function studyFinder(folder: string): Promise<Finder> {
  const launcher = await openLauncher({ workRoot: await mkdtemp(`${folder}/work-`), newId: randomUUID });
  const tools = await resolveTools(launcher, process.env);
  const detector = openDetector({ launcher, clock: systemClock, idleMs: 60_000 });
  return {
    name: 'this program',
    find: async (file, lengthMs) => {
      const streams = JSON.parse(
        await run('ffprobe', ['-v', 'error', '-show_entries', 'stream=index,codec_type', '-of', 'json', file]),
      ) as { streams: { index: number; codec_type: string }[] };
      const trackOf = (type: string) => streams.streams.find((each) => each.codec_type === type)?.index ?? null;
      const [own, children] = [process.cpuUsage(), childrenCpuMs()];
      const { detections, further } = await detectRange(
        { launcher, ...tools, detector },
        {
          path: file,
          sourceContentId: `sha256:${'0'.repeat(64)}`,
          range: { startMs: 0, endMs: lengthMs },
          audioTrackIndex: trackOf('audio'),
          videoTrackIndex: trackOf('video'),
          signal: new AbortController().signal,
          keep: async () => undefined,
        },
      );
      const { user, system } = process.cpuUsage(own);
      const shots = detections.find(({ kind }) => kind === 'shot_changes');
      const found = shots?.state === 'available' ? shots.artifact.facts : [];
      const changes = further.find(({ kind }) => kind === 'transitions')?.facts ?? [];
      const isUncertain = (fact: object): boolean => 'grade' in fact && fact.grade === 'uncertain';
      return {
        cuts: found.flatMap((fact) =>
          fact.kind === 'shot_change' ? [{ atMs: fact.atMs, isUncertain: isUncertain(fact) }] : [],
        ),
        transitions: changes.flatMap((fact) =>
          fact.kind === 'transition'
            ? [{ startMs: fact.startMs, endMs: fact.endMs, isUncertain: isUncertain(fact) }]
            : [],
        ),
        cpuMs: (user + system) / 1000 + childrenCpuMs() - children,
      };
    },
    close: async () => {
      await detector.close();
      await launcher.close();
    },
  };
}

/** A program that only names cuts: a command, and the times in seconds of what it prints. */
const command = (
  name: string,
  tool: string,
  args: (file: string) => string[],
  seconds: (text: string) => number[],
): Finder => ({
  name,
  find: async (file) => {
    const before = childrenCpuMs();
    const times = seconds(await run(tool, args(file)));
    const cuts = times.map((time) => ({ atMs: Math.round(1000 * time), isUncertain: false }));
    return { cuts, transitions: [], cpuMs: childrenCpuMs() - before };
  },
  close: async () => undefined,
});

/** The first column of times in a list of scenes, but for the first scene: it begins with the film. */
const sceneStarts = (text: string): number[] =>
  [...text.matchAll(/^ \|\s+\d+\s+\|\s+\d+ \| (\d+):(\d+):([\d.]+) \|/gm)]
    .map(([, hours, minutes, seconds]) => Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
    .slice(1);

/** The same task by other programs of this machine: ffmpeg's `scdet`, and PySceneDetect where it is installed. */
export async function otherFinders(): Promise<Finder[]> {
  const scdet = command(
    'scdet of ffmpeg',
    'ffmpeg',
    (file) => {
      const print = 'scdet,metadata=mode=print:key=lavfi.scd.time:file=-';
      return ['-nostdin', '-v', 'error', '-i', file, '-map', '0:v:0', '-vf', print, '-f', 'null', '/dev/null'];
    },
    (text) => [...text.matchAll(/lavfi\.scd\.time=([\d.]+)/g)].map(([, time]) => Number(time)),
  );
  const isInstalled = (await findExecutable('scenedetect', process.env.PATH ?? '')) !== null;
  const adaptive = command(
    'detect-adaptive of PySceneDetect',
    'scenedetect',
    (file) => ['-i', file, 'detect-adaptive', 'list-scenes', '-n'],
    sceneStarts,
  );
  return [scdet, ...(isInstalled ? [adaptive] : [])];
}

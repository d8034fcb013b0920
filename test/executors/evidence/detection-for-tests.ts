import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Clock } from '../../../contract/base/clock.ts';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import {
  type DetectedFact,
  type DetectedKind,
  type Detection,
  type EvidenceArtifact,
  evidenceArtifact,
  type FurtherKind,
  furtherArtifact,
} from '../../../contract/evidence/evidence.ts';
import { type Detector, openDetector } from '../../../executors/detector/detector.ts';
import { detectRange } from '../../../executors/evidence/detect.ts';
import type { DetectionTracks } from '../../../executors/evidence/detection-identity.ts';
import { type RequestedSubtitleTrack, readSubtitles } from '../../../executors/evidence/subtitles.ts';
import { openLauncher } from '../../../executors/process/launcher.ts';
import type { Launcher, ProcessRequest } from '../../../executors/process/process.ts';
import { type ResolvedTool, resolveTools } from '../../../executors/process/tools.ts';
import { eventually } from '../../patience.ts';
import { withoutDownloader } from '../../without-downloader.ts';

/** The content id for the media of tests, which never re-hash it. */
export const sourceContentId = `sha256:${'0'.repeat(64)}`;

export const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout | undefined),
};

/** A launcher that records its commands, and may start another tool instead. */
export function watched(
  launcher: Launcher,
  change: (request: ProcessRequest, nth: number) => ProcessRequest = (same) => same,
) {
  const requests: ProcessRequest[] = [];
  const follow = (request: ProcessRequest) => change(request, requests.push(request) - 1);
  const watching: Launcher = {
    run: (request) => launcher.run(follow(request)),
    start: (request) => launcher.start(follow(request)),
    close: () => launcher.close(),
  };
  return { launcher: watching, requests };
}

/** The ids of all living processes that this test has started, however deep, and that run this executable. */
export function descendants(executable: string): number[] {
  const parents = new Map<number, number>();
  const running: number[] = [];
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = /^\d+ \(.*\) (\S) (\d+)/s.exec(readFileSync(`/proc/${name}/stat`, 'utf8'));
      if (stat === null || stat[1] === 'Z' || stat[1] === 'X') continue;
      parents.set(Number(name), Number(stat[2]));
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0')[0] === executable) running.push(Number(name));
    } catch {
      // It ended while it was looked at.
    }
  }
  const isMine = (id: number): boolean => {
    const parent = parents.get(id);
    return parent !== undefined && (parent === process.pid || isMine(parent));
  };
  return running.filter(isMine);
}

/** Waits until a process that this test has started runs the executable. */
export async function descendant(executable: string): Promise<number> {
  await eventually(`a process that runs ${executable}`, () => descendants(executable).length > 0);
  const [id] = descendants(executable);
  if (id === undefined) throw new Error(`${executable} has ended`);
  return id;
}

/** The real tools over a folder for media, and a detector process that is shared by the tests of a file. */
export interface DetectionBench {
  readonly folder: string;
  readonly launcher: Launcher;
  readonly ffmpeg: ResolvedTool;
  readonly ffprobe: ResolvedTool;
  readonly detector: Detector;
  close(): Promise<void>;
}

export async function openDetectionBench(): Promise<DetectionBench> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'detection-'));
  const launcher = await openLauncher({ workRoot: await mkdtemp(path.join(folder, 'work-')), newId: randomUUID });
  const { ffmpeg, ffprobe } = await resolveTools(launcher, { ...process.env, ...withoutDownloader });
  const detector = openDetector({ launcher, clock: realClock, idleMs: 60_000 });
  return {
    folder,
    launcher,
    ffmpeg,
    ffprobe,
    detector,
    async close() {
      await detector.close();
      await launcher.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type DetectDeps = Pick<DetectionBench, 'launcher' | 'ffmpeg' | 'ffprobe' | 'detector'>;

/** Detects in `[startMs, endMs)` of the first two tracks (picture, sound) unless others are named. */
export async function detect(
  deps: DetectDeps,
  file: string,
  [startMs, endMs]: readonly [number, number],
  tracks: DetectionTracks = { audioTrackIndex: 1, videoTrackIndex: 0 },
  signal: AbortSignal = new AbortController().signal,
): Promise<Detection[]> {
  const range = { startMs, endMs };
  const keep = async () => undefined;
  return (await detectRange(deps, { path: file, sourceContentId, range, ...tracks, signal, keep })).detections;
}

/** The results that a pass over a range keeps beside its detections: the facts of one kind, and the objects of all. */
export async function furtherEvidence(
  t: ExecutionContext,
  deps: DetectDeps,
  file: string,
  [startMs, endMs]: readonly [number, number],
  tracks: DetectionTracks,
) {
  const objects: StoredObject[] = [];
  const { further } = await detectRange(deps, {
    path: file,
    sourceContentId,
    range: { startMs, endMs },
    ...tracks,
    signal: new AbortController().signal,
    keep: async (object) => void objects.push(object),
  });
  const factsOf = (kind: FurtherKind) => {
    const artifact = further.find((each) => each.kind === kind);
    t.deepEqual(furtherArtifact.parse(artifact), artifact);
    return artifact?.facts ?? [];
  };
  return { factsOf, objects };
}

export function subtitles(
  deps: DetectDeps & Pick<DetectionBench, 'ffprobe'>,
  file: string,
  [startMs, endMs]: readonly [number, number],
  tracks: readonly RequestedSubtitleTrack[],
  signal: AbortSignal = new AbortController().signal,
  picture: { readonly index: number; readonly codec: string } | null = null,
): Promise<Detection[]> {
  const over = { path: file, attachedPath: (contentId: string) => contentId, sourceContentId };
  return readSubtitles(deps, { ...over, range: { startMs, endMs }, tracks, picture, signal });
}

/** The artifact of a kind, which must be there and have the stored shape. */
export function artifactOf(
  t: ExecutionContext,
  detections: readonly Detection[],
  kind: DetectedKind,
): EvidenceArtifact {
  const found = detections.find((detection) => detection.kind === kind);
  if (found?.state !== 'available') throw new Error(`${kind} is not available`);
  t.deepEqual(evidenceArtifact.parse(found.artifact), found.artifact);
  return found.artifact;
}

/** The spans of one kind of fact, in milliseconds. */
export function spansOf(artifact: EvidenceArtifact, kind: DetectedFact['kind']): (readonly [number, number])[] {
  return artifact.facts.flatMap((fact) =>
    fact.kind === kind && 'startMs' in fact ? [[fact.startMs, fact.endMs] as const] : [],
  );
}

export const cutsOf = (artifact: EvidenceArtifact): number[] =>
  artifact.facts.flatMap((fact) => (fact.kind === 'shot_change' ? [fact.atMs] : []));

/** Each kind with its state or the reason why it is unavailable. */
export const statesOf = (detections: readonly Detection[]) =>
  detections.map((each) => [each.kind, each.state === 'available' ? each.state : each.reasonCode]);

type Span = readonly [startMs: number, endMs: number];

/** The part of a span that others cover, in milliseconds; the others do not overlap. */
export const overlapMs = (spans: readonly Span[], [from, to]: Span): number =>
  spans.reduce((sum, [startMs, endMs]) => sum + Math.max(0, Math.min(endMs, to) - Math.max(startMs, from)), 0);

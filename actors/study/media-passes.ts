import { failureMessage } from '../../contract/base/errors.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { DerivedAudio, DetectedKind, Detection, FurtherArtifact } from '../../contract/evidence/evidence.ts';
import { longRanges } from '../../contract/evidence/evidence-read.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import type { Detector, DetectorTools } from '../../executors/detector/detector.ts';
import type { PassWindows } from '../../executors/evidence/decode-graph.ts';
import { detectionIdentity, detectRange, windowEnds } from '../../executors/evidence/detect.ts';
import {
  type DetectionTracks,
  detectionsOver,
  identityOver,
  notedOver,
  type OperationIdentity,
} from '../../executors/evidence/detection-identity.ts';
import { readSubtitles, subtitlesIdentity } from '../../executors/evidence/subtitles.ts';
import { type Launcher, ProcessFailure } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import { DetectionFailure } from '../../kinds/detection-failure.ts';
import { passKinds } from '../../kinds/kinds.ts';
import type { StudyFault } from '../../machines/study-types.ts';

export interface MediaPassesOptions {
  readonly launcher: Launcher;
  readonly tools: { readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool };
  readonly detector: Detector;
  readonly detectorTools: DetectorTools;
  /** The ranges that are decoded by windows. */
  readonly windowing?: Windowing;
}

/** Ranges that are longer than `aboveMs` are decoded in windows of `lengthMs`, which is whole seconds. */
export interface Windowing {
  readonly aboveMs: number;
  readonly lengthMs: number;
}

/** Ranges that a host studies without being asked for longer ones are decoded at once. */
export const usualWindowing: Windowing = { aboveMs: longRanges.aboveMs, lengthMs: longRanges.windowMs };

/** The findings of a pass; `further` are its measurements beside its evidence. */
interface PassesFound {
  readonly detections: readonly Detection[];
  readonly derivedAudio: DerivedAudio | null;
  readonly further: readonly FurtherArtifact[];
}

export interface PassRequest {
  /** The path of the media. */
  readonly path: string;
  /** The path of an attached subtitle file. */
  readonly attachedPath: (contentId: string) => string;
  readonly signal: AbortSignal;
  /** Called with the read part of the media, and the total, in ms of its time. */
  readonly measured: (completedMs: number, totalMs: number) => void;
  /** Takes an object that a fact is going to name; on disk when it resolves. */
  readonly keep: (object: StoredObject) => Promise<void>;
  /** The store for the windows of a pass; without it a cut pass starts from the beginning. */
  readonly windows?: ((lengthMs: number) => PassWindows) | undefined;
}

/** The two passes over the media: everything that one decode yields, and the embedded subtitles with their language. */
export interface MediaPasses {
  /** With which tools a task is done here, set how: known before it runs. */
  identity(task: MediaTask): OperationIdentity;
  /** The ends of the windows that a task keeps on the way, in ms; none for a task that is done at once. */
  windowEndsOf(task: MediaTask): number[];
  /** Rejects with a `StudyFault` where a tool came to nothing. */
  run(task: MediaTask, request: PassRequest): Promise<PassesFound>;
}

const detectKinds = passKinds.map(({ name }) => name);
const subtitleKinds: readonly DetectedKind[] = ['subtitle_track', 'text_language'];

/** The passes with the tools of this machine. */
export function mediaPasses({
  launcher,
  tools,
  detector,
  detectorTools,
  windowing = usualWindowing,
}: MediaPassesOptions): MediaPasses {
  const lengthOf = ({ range: { startMs, endMs } }: MediaTask): number | null =>
    endMs - startMs > windowing.aboveMs ? windowing.lengthMs : null;
  const identified = { ...tools, detectorTools };
  const deps = { launcher, ...tools, detector };
  return {
    identity: (task) =>
      task.capability === 'media.detect'
        ? identityOver(task.incompleteMedia, detectKinds, detectionIdentity(identified, tracksOf(task, lengthOf(task))))
        : identityOver(task.incompleteMedia, subtitleKinds, subtitlesIdentity(identified, task)),
    windowEndsOf: (task) => {
      const lengthMs = task.capability === 'media.detect' ? lengthOf(task) : null;
      return lengthMs === null ? [] : windowEnds(task.range, lengthMs);
    },
    run: (task, { path, attachedPath, signal, measured, keep, windows = keptNowhere }) =>
      closed(async () => {
        const { sourceContentId, range, incompleteMedia } = task;
        const over = { path, sourceContentId, range, signal };
        if (task.capability === 'media.subtitles') {
          // A text track is read from its beginning.
          const read = (mediaMs: number): void => measured(mediaMs, range.endMs);
          const { startOffsetMs, tracks, picture } = task;
          const found = await readSubtitles(deps, { ...over, attachedPath, startOffsetMs, tracks, picture, read });
          return { detections: detectionsOver(incompleteMedia, found), derivedAudio: null, further: [] };
        }
        const decoded = (mediaMs: number): void => measured(mediaMs, range.endMs - range.startMs);
        const lengthMs = lengthOf(task);
        const byWindows = lengthMs === null ? {} : { windows: windows(lengthMs) };
        const found = await detectRange(deps, { ...over, ...tracksOf(task, lengthMs), ...byWindows, decoded, keep });
        const detections = detectionsOver(incompleteMedia, found.detections);
        const speech = detections.find(({ kind }) => kind === 'speech_activity');
        const derivedAudio = speech?.state === 'available' ? speech.artifact.input.derivedAudio : null;
        return { detections, derivedAudio, further: found.further.map((each) => notedOver(incompleteMedia, each)) };
      }),
  };
}

type DetectionTask = Extract<MediaTask, { capability: 'media.detect' }>;

const tracksOf = ({ tracks }: DetectionTask, lengthMs: number | null): DetectionTracks =>
  lengthMs === null ? tracks : { ...tracks, passWindowMs: lengthMs };

/** The windows of a pass that starts from the beginning after it is cut. */
const keptNowhere = (lengthMs: number): PassWindows => ({
  lengthMs,
  newest: async () => null,
  keep: async () => undefined,
});

/** Gives a pass that failed its one reason: a tool's crash or bad output ends the study, it is not tried again. */
async function closed<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProcessFailure || error instanceof DetectionFailure) {
      throw {
        lifecycle: 'failed',
        code: 'executor_failed',
        message: failureMessage(error.message),
      } satisfies StudyFault;
    }
    throw error;
  }
}

import { failureMessage } from '../../contract/base/failure.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { DerivedAudio, DetectedKind, Detection } from '../../contract/evidence/evidence.ts';
import { type FurtherArtifact, passKinds } from '../../contract/evidence/further-evidence.ts';
import type { MediaTask } from '../../contract/study/media-task.ts';
import { DetectionFailure } from '../../executors/detector/detection-failure.ts';
import type { Detector, DetectorTools } from '../../executors/detector/detector.ts';
import { detectionIdentity, detectRange } from '../../executors/evidence/detect.ts';
import type { OperationIdentity } from '../../executors/evidence/detection-identity.ts';
import { detectionsOver, furtherOver, identityOver } from '../../executors/evidence/incomplete-evidence.ts';
import { readSubtitles, subtitlesIdentity } from '../../executors/evidence/subtitles.ts';
import { type Launcher, ProcessFailure } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import type { StudyFault } from '../../machines/study-types.ts';

export interface MediaPassesOptions {
  readonly launcher: Launcher;
  readonly tools: { readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool };
  readonly detector: Detector;
  readonly detectorTools: DetectorTools;
}

/** What a pass found; `further` is what it measured beside its evidence. */
export interface PassFindings {
  readonly detections: readonly Detection[];
  readonly derivedAudio: DerivedAudio | null;
  readonly further: readonly FurtherArtifact[];
}

export interface PassRequest {
  /** Where the media lies. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Told how much of the media was read, and how much will be, in ms of its time. */
  readonly measured: (completedMs: number, totalMs: number) => void;
  /** Takes an object that a fact is going to name; on disk when it resolves. */
  readonly keep: (object: StoredObject) => Promise<void>;
}

/** The two passes over the media: everything that one decode yields, and the embedded subtitles with their language. */
export interface MediaPasses {
  /** With which tools a task is done here, set how: known before it runs. */
  identity(task: MediaTask): OperationIdentity;
  /** Rejects with a `StudyFault` where a tool came to nothing. */
  run(task: MediaTask, request: PassRequest): Promise<PassFindings>;
}

const detectKinds = ['speech_activity', 'silence', 'loudness', 'shot_changes', ...passKinds] as const;
const subtitleKinds: readonly DetectedKind[] = ['subtitle_track', 'text_language'];

/** The passes with the tools of this machine. */
export function mediaPasses({ launcher, tools, detector, detectorTools }: MediaPassesOptions): MediaPasses {
  const identified = { ffmpeg: tools.ffmpeg, detectorTools };
  const deps = { launcher, ffmpeg: tools.ffmpeg, detector };
  return {
    identity: (task) =>
      task.capability === 'media.detect'
        ? identityOver(task.incompleteMedia, detectKinds, detectionIdentity(identified, task.tracks))
        : identityOver(task.incompleteMedia, subtitleKinds, subtitlesIdentity(identified, task.tracks)),
    run: (task, { path, signal, measured, keep }) =>
      closed(async () => {
        const { sourceContentId, range, incompleteMedia } = task;
        const over = { path, sourceContentId, range, signal };
        if (task.capability === 'media.subtitles') {
          // A text track is read from its beginning.
          const read = (mediaMs: number): void => measured(mediaMs, range.endMs);
          const found = await readSubtitles(deps, { ...over, tracks: task.tracks, read });
          return { detections: detectionsOver(incompleteMedia, found), derivedAudio: null, further: [] };
        }
        const decoded = (mediaMs: number): void => measured(mediaMs, range.endMs - range.startMs);
        const found = await detectRange(deps, { ...over, ...task.tracks, decoded, keep });
        const detections = detectionsOver(incompleteMedia, found.detections);
        const speech = detections.find(({ kind }) => kind === 'speech_activity');
        const derivedAudio = speech?.state === 'available' ? speech.artifact.input.derivedAudio : null;
        return { detections, derivedAudio, further: furtherOver(incompleteMedia, found.further) };
      }),
  };
}

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

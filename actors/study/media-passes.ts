import { failureMessage } from '../../contract/base/failure.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { DetectedKind } from '../../contract/evidence/evidence.ts';
import { furtherKinds } from '../../contract/evidence/further-evidence.ts';
import type { MediaOperationRequest } from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import { DetectionFailure } from '../../executors/detector/detection-failure.ts';
import type { Detector, DetectorTools } from '../../executors/detector/detector.ts';
import { detectionIdentity, detectRange } from '../../executors/evidence/detect.ts';
import type { DetectionTracks } from '../../executors/evidence/detection-parameters.ts';
import { detectionsOver, furtherOver, identityOver } from '../../executors/evidence/incomplete-evidence.ts';
import { readSubtitles, type SubtitleTrack, subtitlesIdentity } from '../../executors/evidence/subtitles.ts';
import { type Launcher, ProcessFailure } from '../../executors/process/process.ts';
import type { ResolvedTool } from '../../executors/process/tools.ts';
import type { StudyFault } from '../../machines/study-types.ts';
import { audioTrackOf } from '../../receipts/evidence/audio-track.ts';
import { studyBudgetMs } from '../reopening/study-row.ts';
import type { MediaPass } from './media-steps.ts';

export interface MediaPassesOptions {
  readonly launcher: Launcher;
  readonly tools: { readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool };
  readonly detector: Detector;
  readonly detectorTools: DetectorTools;
}

const detectKinds = ['speech_activity', 'silence', 'loudness', 'shot_changes', ...furtherKinds] as const;
const subtitleKinds: readonly DetectedKind[] = ['subtitle_track', 'text_language'];

function tracksOf(source: RegisteredSource, { language }: AnalysisRequest): DetectionTracks {
  const audio = audioTrackOf(source, language.languagePair.requestedSource);
  return {
    audioTrackIndex: audio?.index ?? null,
    videoTrackIndex: source.tracks.find(({ kind }) => kind === 'video')?.index ?? null,
    audioChoice: audio?.choice ?? null,
  };
}

const limitsOf = (range: Range): MediaOperationRequest['limits'] => ({ maxWallMs: studyBudgetMs(range) });

const subtitleTracksOf = (source: RegisteredSource): SubtitleTrack[] =>
  source.tracks
    .filter((track) => track.kind === 'subtitle')
    .map(({ index, codec }) => ({
      index,
      codec,
      language: source.trackLanguages.find((stated) => stated.index === index)?.language ?? null,
    }));

/** The two passes over the media: everything that one decode yields, and the embedded subtitles with their language. */
export function mediaPasses(options: MediaPassesOptions): { detect: MediaPass; subtitles: MediaPass } {
  const { launcher, tools, detector, detectorTools } = options;
  const identified = { ffmpeg: tools.ffmpeg, detectorTools };
  const deps = { launcher, ffmpeg: tools.ffmpeg, detector };
  return {
    detect: {
      operation: (source, request) => ({
        capability: 'media.detect',
        ...identityOver(source.incompleteMedia, detectKinds, detectionIdentity(identified, tracksOf(source, request))),
        limits: limitsOf(request.range),
      }),
      run: ({ path, source, request, signal, measured, keep }) =>
        closed(async () => {
          const { contentId: sourceContentId } = source.session.source;
          const tracks = tracksOf(source, request);
          const { startMs, endMs } = request.range;
          const decoded = (mediaMs: number): void => measured(mediaMs, endMs - startMs);
          const found = await detectRange(deps, {
            ...{ path, sourceContentId, range: request.range, signal, decoded, keep },
            ...tracks,
          });
          const detections = detectionsOver(source.incompleteMedia, found.detections);
          const speech = detections.find(({ kind }) => kind === 'speech_activity');
          const derivedAudio = speech?.state === 'available' ? speech.artifact.input.derivedAudio : null;
          return { detections, derivedAudio, further: furtherOver(source.incompleteMedia, found.further) };
        }),
    },
    subtitles: {
      operation: (source, { range }) => ({
        capability: 'media.subtitles',
        ...identityOver(source.incompleteMedia, subtitleKinds, subtitlesIdentity(identified, subtitleTracksOf(source))),
        limits: limitsOf(range),
      }),
      run: ({ path, source, request: { range }, signal, measured }) =>
        closed(async () => {
          const { contentId: sourceContentId } = source.session.source;
          const tracks = subtitleTracksOf(source);
          // A text track is read from its beginning.
          const read = (mediaMs: number): void => measured(mediaMs, range.endMs);
          const found = await readSubtitles(deps, { path, sourceContentId, range, tracks, signal, read });
          return { detections: detectionsOver(source.incompleteMedia, found), derivedAudio: null, further: [] };
        }),
    },
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

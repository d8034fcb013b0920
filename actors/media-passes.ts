import type { Range } from '../contract/grammar.ts';
import type { MediaOperationRequest } from '../contract/media-operation.ts';
import type { RegisteredSource } from '../contract/source-session.ts';
import { detectionIdentity, detectRange } from '../executors/detect.ts';
import { DetectionFailure } from '../executors/detection-failure.ts';
import type { Detector, DetectorTools } from '../executors/detector.ts';
import { type Launcher, ProcessFailure } from '../executors/process.ts';
import { readSubtitles, subtitlesIdentity } from '../executors/subtitles.ts';
import type { ResolvedTool } from '../executors/tools.ts';
import type { StudyFault } from '../machines/runtime.ts';
import type { MediaPass } from './media-steps.ts';
import { studyBudgetMs } from './study-row.ts';

export interface MediaPassesOptions {
  readonly launcher: Launcher;
  readonly tools: { readonly ffmpeg: ResolvedTool; readonly ffprobe: ResolvedTool };
  readonly detector: Detector;
  readonly detectorTools: DetectorTools;
}

const firstTrack = (source: RegisteredSource, kind: 'audio' | 'video'): number | null =>
  source.tracks.find((track) => track.kind === kind)?.index ?? null;

const tracksOf = (source: RegisteredSource) => ({
  audioTrackIndex: firstTrack(source, 'audio'),
  videoTrackIndex: firstTrack(source, 'video'),
});

const limitsOf = (range: Range): MediaOperationRequest['limits'] => ({ maxWallMs: studyBudgetMs(range) });

import type { EditRate, ExportName } from '../../contract/exports.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { type CaptionForm, subRip, subStationAlpha, webVttCaptions } from './caption-files.ts';
import {
  audacityLabels,
  type ExportedFile,
  editDecisionList,
  factTable,
  ffmetadataChapters,
  openTimeline,
  screenTextLabels,
  screenTextTable,
  subRipTranscript,
  transcriptLabels,
  transcriptTable,
  webVttChapters,
  webVttTranscript,
} from './fact-files.ts';

export interface ExportOptions extends CaptionForm {
  /** The frame rate of an edit decision list. */
  readonly rate: EditRate;
}

/** Every file that a runtime can be had as: the same runtime and options give the same text. */
export const exportFiles: Readonly<
  Record<ExportName, (runtime: VerifiedRuntime, options: ExportOptions) => ExportedFile>
> = {
  'cuts.edl': (runtime, { rate }) => editDecisionList(runtime, rate),
  'cuts.otio': openTimeline,
  'chapters.vtt': webVttChapters,
  'chapters.ffmetadata': ffmetadataChapters,
  'labels.txt': audacityLabels,
  'facts.csv': factTable,
  'captions.srt': subRip,
  'captions.vtt': webVttCaptions,
  'captions.ass': subStationAlpha,
  'transcript.srt': subRipTranscript,
  'transcript.vtt': webVttTranscript,
  'transcript.labels.txt': transcriptLabels,
  'transcript.csv': transcriptTable,
  'screen-text.labels.txt': screenTextLabels,
  'screen-text.csv': screenTextTable,
};

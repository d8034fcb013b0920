import type { CaptionForm } from '../../contract/captions/correction.ts';
import type { EditRate, ExportName, UncertainChoice } from '../../contract/exports.ts';
import type { Steps } from '../../formats/steps.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { subRip, subStationAlpha, webVttCaptions } from './caption-files.ts';
import { editDecisionList, openTimeline } from './cut-files.ts';
import {
  audacityLabels,
  type ExportedFile,
  factTable,
  ffmetadataChapters,
  screenTextLabels,
  screenTextTable,
  subRipTranscript,
  transcriptLabels,
  transcriptTable,
  webVttChapters,
  webVttTranscript,
} from './fact-files.ts';

export interface ExportOptions extends CaptionForm {
  /** The frame rate of an edit list or a timeline; absent for that of the film. */
  readonly rate?: EditRate | undefined;
  /** The kind of the facts in a table or a label track, or `all`; absent for speech, silence and cuts. */
  readonly kind?: string | undefined;
  /** Whether cuts and transitions that are uncertain are in a file; absent for `exclude`. */
  readonly uncertain?: UncertainChoice | undefined;
}

type Exporter = (runtime: VerifiedRuntime, options: ExportOptions) => Steps<ExportedFile>;

/** A file that is written at once: it has facts, and no lines that have to be broken. */
const atOnce = (write: (runtime: VerifiedRuntime, options: ExportOptions) => ExportedFile): Exporter =>
  // biome-ignore lint/correctness/useYield: the files of captions take steps
  function* (runtime, options) {
    return write(runtime, options);
  };

/** Every file that a runtime can be had as: the same runtime and options give the same text. */
export const exportFiles: Readonly<Record<ExportName, Exporter>> = {
  'cuts.edl': atOnce(editDecisionList),
  'cuts.otio': atOnce(openTimeline),
  'chapters.vtt': atOnce(webVttChapters),
  'chapters.ffmetadata': atOnce(ffmetadataChapters),
  'labels.txt': atOnce(audacityLabels),
  'facts.csv': atOnce(factTable),
  'captions.srt': subRip,
  'captions.vtt': webVttCaptions,
  'captions.ass': subStationAlpha,
  'transcript.srt': atOnce(subRipTranscript),
  'transcript.vtt': atOnce(webVttTranscript),
  'transcript.labels.txt': atOnce(transcriptLabels),
  'transcript.csv': atOnce(transcriptTable),
  'screen-text.labels.txt': atOnce(screenTextLabels),
  'screen-text.csv': atOnce(screenTextTable),
};

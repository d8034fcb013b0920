import type { TranscriptLineFact } from '../../contract/evidence/transcript.ts';
import { baseLanguage } from '../core/base-language.ts';
import type { VerifiedFindings } from '../study/fold-conclusion.ts';
import type { DraftLine } from './caption-draft.ts';
import { type CaptionedStudy, captionInputOf } from './captioned-study.ts';
import { segmentedCues } from './segmented-cues.ts';
import { timedUnits } from './timed-units.ts';

/** The transcript of a study as captions use it. */
export interface StudiedTranscript {
  readonly artifactId: string;
  readonly contentId: string;
  /** Who recognised it. */
  readonly engine: string;
  readonly lines: readonly TranscriptLineFact[];
}

/** The transcript of a study; null where nothing was recognised. */
export function transcriptOf({ recognition }: Pick<VerifiedFindings, 'recognition'>): StudiedTranscript | null {
  if (recognition === null || recognition.artifact === null || recognition.receipt === null) return null;
  const { artifact, found, receipt } = recognition;
  return {
    artifactId: artifact.id,
    contentId: artifact.content.contentId,
    engine: receipt.producer.engine,
    lines: (found?.facts ?? []).flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : [])),
  };
}

/** Whether the two sides of captions are one language: what was recognised is its own translation then. */
export function isOneLanguage(study: CaptionedStudy): boolean {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  const source = baseLanguage(sourceLanguage);
  return source !== null && source === baseLanguage(targetLanguage);
}

/** A line of captions that was cut from a transcript, before a model translates it. */
export interface RecognisedLine extends Pick<DraftLine, 'id' | 'startMs' | 'endMs'> {
  readonly text: string;
  readonly transcriptLines: readonly number[];
}

/**
 * The lines of captions that a transcript gives: of the lines that passed every gate, and across none that was withheld, so
 * that no cue joins words between which something else may have been said.
 */
export function recognisedLines(study: CaptionedStudy, { lines }: StudiedTranscript): RecognisedLine[] {
  const passed = lines.filter(({ outcome }) => outcome === 'passed');
  const withheld = lines.filter(({ outcome }) => outcome === 'withheld').map(({ index }) => index);
  const { range, sourceLanguage } = captionInputOf(study);
  const units = passed.flatMap((line) => timedUnits(line, study.rules));
  const cues = segmentedCues(units, {
    range,
    language: sourceLanguage,
    isWall: (before, after) => withheld.some((index) => before.lineIndex < index && index < after.lineIndex),
  });
  return cues.map(({ startMs, endMs, text, lineIndexes }, at) => ({
    id: `recognised-line-${String(at + 1).padStart(3, '0')}`,
    startMs,
    endMs,
    text,
    transcriptLines: lineIndexes,
  }));
}

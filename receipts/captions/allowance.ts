import type { Range } from '../../contract/base/grammar.ts';
import {
  type CaptionClassification,
  type CaptionReason,
  type CaptionText,
  captionLimits,
} from '../../contract/captions/caption-line.ts';
import {
  type CaptionAllowance,
  translatedLimits,
  wholeTranslatedLimits,
} from '../../contract/captions/caption-production.ts';
import { progressLimits } from '../../contract/captions/caption-translation.ts';

/** One side of a line as an executor delivers it: its words, or why it has none. */
export type DraftText =
  | { readonly state: 'available'; readonly text: string }
  | {
      readonly state: 'withheld' | 'unavailable';
      readonly reasonCode: CaptionReason;
      readonly unknownWords?: readonly string[];
    };

/** A line as an executor delivers it, before the study has its say; times in ms on the source's own time line. */
export interface DraftLine {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly source: DraftText;
  readonly target: DraftText;
  /** The recognized lines that its words come from; absent if they come from no transcript. */
  readonly transcriptLines?: readonly number[];
}

/** One side of a line in its language; a line that its study leaves without words has none on either side. */
export function captionTextOf(language: string, draft: DraftText, gap: CaptionReason | null): CaptionText {
  if (gap !== null) return { language, state: 'withheld', text: null, reasonCode: gap };
  if (draft.state === 'available') return { language, state: 'available', text: draft.text, reasonCode: null };
  const { state, reasonCode, unknownWords } = draft;
  return { language, state, text: null, reasonCode, ...(unknownWords && { unknownWords: [...unknownWords] }) };
}

/** The limits of captions by default. */
export const defaultCaptionAllowance: CaptionAllowance = {
  maxDurationMs: captionLimits.maxDurationMs,
  maxLines: captionLimits.maxLines,
};

/** The facts that decide how long captions may be: their executor, and the allowance of the host for long ones. */
export interface AllowedCaptions {
  readonly classification: CaptionClassification;
  /** Absent where the captions are within the limits that hold everywhere. */
  readonly allowance?: CaptionAllowance | undefined;
  /** True for a translating production of before: it and each of its answers were timed as a whole. */
  readonly isTimedWhole?: boolean | undefined;
}

/** True if a model translates captions of this classification. */
export const isTranslating = ({ classification }: Pick<AllowedCaptions, 'classification'>): boolean =>
  classification === 'recognised_transcript_translated' || classification === 'subtitle_tracks_translated';

/** The limits of one production. */
export function captionLimitsOf({ classification, allowance, isTimedWhole = false }: AllowedCaptions) {
  const isPaced = isTranslating({ classification }) && !isTimedWhole;
  const translated = isTimedWhole ? wholeTranslatedLimits : translatedLimits;
  const usualLimits = isTranslating({ classification }) ? translated : captionLimits;
  if (allowance === undefined) return usualLimits;
  const chunks = Math.ceil(allowance.maxLines / usualLimits.maxLines);
  return {
    ...allowance,
    ...(isPaced ? progressLimits : {}),
    maxSourceBytes: chunks * usualLimits.maxSourceBytes,
    maxTargetBytes: chunks * usualLimits.maxTargetBytes,
    maxArtifactBytes: usualLimits.maxArtifactBytes,
    maxChunkLines: usualLimits.maxLines,
    maxWallMs: chunks * usualLimits.maxWallMs,
  };
}

/** The allowance of the host in the limits of a production; absent for limits that hold everywhere. */
export const allowanceIn = (
  limits: CaptionAllowance | ReturnType<typeof captionLimitsOf>,
): CaptionAllowance | undefined =>
  'maxChunkLines' in limits ? { maxDurationMs: limits.maxDurationMs, maxLines: limits.maxLines } : undefined;

/** True for limits of a translating production that was timed as a whole. */
export const isTimedWhole = ({ classification }: Pick<AllowedCaptions, 'classification'>, limits: object): boolean =>
  isTranslating({ classification }) && !('maxTokenGapMs' in limits);

const bytesOf = (text: DraftText): number => (text.state === 'available' ? Buffer.byteLength(text.text, 'utf8') : 0);

/**
 * The allowance that captions of these lines need of their host. There is none if they are within the limits that hold
 * everywhere, so that a host that allows more makes the same captions of them.
 */
export function neededAllowance(
  range: Range,
  drafts: readonly DraftLine[],
  allowed: CaptionAllowance,
): CaptionAllowance | undefined {
  const sum = (side: 'source' | 'target'): number => drafts.reduce((bytes, draft) => bytes + bytesOf(draft[side]), 0);
  const fits =
    range.endMs - range.startMs <= captionLimits.maxDurationMs &&
    drafts.length <= captionLimits.maxLines &&
    sum('source') <= captionLimits.maxSourceBytes &&
    sum('target') <= captionLimits.maxTargetBytes;
  const isLonger = allowed.maxDurationMs > captionLimits.maxDurationMs || allowed.maxLines > captionLimits.maxLines;
  return fits || !isLonger ? undefined : allowed;
}

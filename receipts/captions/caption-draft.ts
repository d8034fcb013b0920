import type { CaptionReason, CaptionText } from '../../contract/captions/caption-line.ts';

/** One side of a line as an executor delivers it: its words, or why it has none. */
export type DraftText =
  | { readonly state: 'available'; readonly text: string }
  | { readonly state: 'withheld' | 'unavailable'; readonly reasonCode: CaptionReason };

/** A line as an executor delivers it, before the study has its say; times in ms on the source's own time line. */
export interface DraftLine {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly source: DraftText;
  readonly target: DraftText;
  /** The recognised lines that its words come from; none where they come from no transcript. */
  readonly transcriptLines?: readonly number[];
}

/** One side of a line in its language; a line that its study leaves without words has none on either side. */
export function captionTextOf(language: string, draft: DraftText, gap: CaptionReason | null): CaptionText {
  if (gap !== null) return { language, state: 'withheld', text: null, reasonCode: gap };
  if (draft.state === 'available') return { language, state: 'available', text: draft.text, reasonCode: null };
  return { language, state: draft.state, text: null, reasonCode: draft.reasonCode };
}

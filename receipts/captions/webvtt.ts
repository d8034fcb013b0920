import type { CaptionLine, CaptionSide, ShownSides } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact, CaptionReceipt } from '../../contract/captions/caption-production.ts';
import type { CorrectionCheckReceipt, CorrectionReceipt } from '../../contract/captions/correction.ts';
import type { QualityControlReceipt } from '../../contract/captions/quality-control.ts';
import { textLinesOf } from '../../rules/caption-guidelines.ts';
import type { StoredReceipt } from '../stored-records.ts';

/** A line of a file, with texts of the host or of a person. */
interface FileLine extends Pick<CaptionLine, 'id' | 'startMs' | 'endMs'> {
  readonly source: { readonly state: string; readonly text: string | null };
  readonly target: { readonly state: string; readonly text: string | null };
}

/** The lines of captions that a person corrected, with the newest correction and the check that accepted them. */
interface CorrectedFile {
  readonly lines: readonly FileLine[];
  readonly correction: StoredReceipt<CorrectionReceipt>;
  readonly check: StoredReceipt<CorrectionCheckReceipt>;
}

/** Captions together with the check that accepted them, or their corrections. */
export interface CheckedCaptions {
  readonly artifact: Pick<CaptionArtifact, 'jobId' | 'input'> & { readonly lines: readonly FileLine[] };
  readonly receipt: CaptionReceipt;
  readonly qualityControl: QualityControlReceipt;
  /** Absent for captions as the host made them. */
  readonly corrected?: CorrectedFile | undefined;
}

/** The lines that a file has. */
export const fileLinesOf = ({ artifact, corrected }: CheckedCaptions): readonly FileLine[] =>
  corrected?.lines ?? artifact.lines;

/** The note of a file about the corrections in it; nothing for captions as the host made them. */
export const correctionNotes = ({ corrected }: CheckedCaptions): string[] =>
  corrected === undefined
    ? []
    : [
        `corrected by a person, correction receipt ${corrected.correction.body.receiptId}`,
        `check receipt of the correction ${corrected.check.body.receiptId}`,
      ];

const padded = (value: number, digits: number): string => String(value).padStart(digits, '0');

/** A time of WebVTT, `hh:mm:ss.ttt`, with as many digits of hours as it takes. */
export function webVttTime(ms: number): string {
  const [hours, minutes, seconds] = [
    Math.floor(ms / 3_600_000),
    Math.floor(ms / 60_000) % 60,
    Math.floor(ms / 1000) % 60,
  ];
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds, 2)}.${padded(ms % 1000, 3)}`;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text of a cue; an escaped `>` keeps an arrow from beginning another one. */
export const webVttText = (text: string): string =>
  text.replaceAll(/[&<>]/g, (character) => escapes[character] ?? character);

// A blank line would end the cue.
const payloadOf = (text: string): string => textLinesOf(webVttText(text)).join('\n');

/** A cue of a file. */
interface WebVttCue {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

const cueText = ({ id, startMs, endMs, text }: WebVttCue): string =>
  `${id}\n${webVttTime(startMs)} --> ${webVttTime(endMs)}\n${payloadOf(text)}`;

const textsOn =
  (side: CaptionSide) =>
  (line: FileLine): WebVttCue[] => {
    const { state, text } = line[side];
    return state === 'available' && text !== null
      ? [{ id: line.id, startMs: line.startMs, endMs: line.endMs, text }]
      : [];
  };

/** Cues of accepted captions as a file, with a note that names what it was made of. */
export function webVttFile(captions: CheckedCaptions, side: ShownSides, cues: readonly WebVttCue[]): string {
  const { artifact, receipt, qualityControl } = captions;
  const { sourceLanguage, targetLanguage } = artifact.input;
  const languages = { source: sourceLanguage, target: targetLanguage, both: `${targetLanguage} and ${sourceLanguage}` };
  const note = [
    'NOTE',
    `${side} language ${languages[side]}`,
    `captions ${artifact.jobId}`,
    `caption receipt ${receipt.receiptId}`,
    `quality control receipt ${qualityControl.receiptId}`,
    ...correctionNotes(captions),
  ].join('\n');
  return `${['WEBVTT', note, ...cues.map(cueText)].join('\n\n')}\n`;
}

/**
 * One side of accepted captions as a WebVTT file (W3C, WebVTT: The Web Video Text Tracks Format, section 4). It has a cue for
 * each line that has a text on this side, under the line's id. A note names the records that the file was made of.
 */
export const webVttOf = (captions: CheckedCaptions, side: CaptionSide): string =>
  webVttFile(captions, side, fileLinesOf(captions).flatMap(textsOn(side)));

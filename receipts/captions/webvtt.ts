import type { CaptionLine, CaptionSide, ShownSides } from '../../contract/captions/caption-line.ts';
import type { QualityControlReceipt } from '../../contract/captions/quality-control.ts';
import { textLinesOf } from '../../rules/caption-guidelines.ts';
import type { StoredCaptions } from './quality-control.ts';

/** Captions together with the check that accepted them. */
export interface CheckedCaptions extends StoredCaptions {
  readonly qualityControl: QualityControlReceipt;
}

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
export interface WebVttCue {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

const cueText = ({ id, startMs, endMs, text }: WebVttCue): string =>
  `${id}\n${webVttTime(startMs)} --> ${webVttTime(endMs)}\n${payloadOf(text)}`;

const textsOn =
  (side: CaptionSide) =>
  (line: CaptionLine): WebVttCue[] => {
    const { state, text } = line[side];
    return state === 'available' ? [{ id: line.id, startMs: line.startMs, endMs: line.endMs, text }] : [];
  };

/** Cues of accepted captions as a file, with a note that names what it was made of. */
export function webVttFile(
  { artifact, receipt, qualityControl }: CheckedCaptions,
  side: ShownSides,
  cues: readonly WebVttCue[],
): string {
  const { sourceLanguage, targetLanguage } = artifact.input;
  const languages = { source: sourceLanguage, target: targetLanguage, both: `${targetLanguage} and ${sourceLanguage}` };
  const note = [
    'NOTE',
    `${side} language ${languages[side]}`,
    `captions ${artifact.jobId}`,
    `caption receipt ${receipt.receiptId}`,
    `quality control receipt ${qualityControl.receiptId}`,
  ].join('\n');
  return `${['WEBVTT', note, ...cues.map(cueText)].join('\n\n')}\n`;
}

/**
 * One side of accepted captions as a WebVTT file (W3C, WebVTT: The Web Video Text Tracks Format, section 4): a cue for each
 * line that has a text on this side, under the line's id, and a note that names what the file was made of.
 */
export const webVttOf = (captions: CheckedCaptions, side: CaptionSide): string =>
  webVttFile(captions, side, captions.artifact.lines.flatMap(textsOn(side)));

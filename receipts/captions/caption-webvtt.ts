import type { CaptionLine } from '../../contract/captions/caption-line.ts';
import type { QualityControlReceipt } from '../../contract/captions/caption-quality-control.ts';
import type { CaptionSide } from '../../contract/captions/caption-side.ts';
import type { StoredCaptions } from './caption-structure.ts';
import { textLinesOf } from './caption-text-lines.ts';

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

function cueOf(line: CaptionLine, side: CaptionSide): string[] {
  const { state, text } = line[side];
  if (state !== 'available') return [];
  return [`${line.id}\n${webVttTime(line.startMs)} --> ${webVttTime(line.endMs)}\n${payloadOf(text)}`];
}

/**
 * One side of accepted captions as a WebVTT file (W3C, WebVTT: The Web Video Text Tracks Format, section 4): a cue for each
 * line that has a text on this side, under the line's id, and a note that names what the file was made of.
 */
export function webVttOf({ artifact, receipt, qualityControl }: CheckedCaptions, side: CaptionSide): string {
  const { sourceLanguage, targetLanguage } = artifact.input;
  const note = [
    'NOTE',
    `${side} language ${side === 'source' ? sourceLanguage : targetLanguage}`,
    `captions ${artifact.jobId}`,
    `caption receipt ${receipt.receiptId}`,
    `quality control receipt ${qualityControl.receiptId}`,
  ].join('\n');
  const blocks = ['WEBVTT', note, ...artifact.lines.flatMap((line) => cueOf(line, side))];
  return `${blocks.join('\n\n')}\n`;
}

import { DetectionFailure } from './detection-failure.ts';

/** One cue: half-open milliseconds and plain text, lines parted by `\n`. */
export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

const CLOCK = '(?:(\\d{2,}):)?([0-5]\\d):([0-5]\\d)\\.(\\d{3})';
const TIMING_LINE = new RegExp(`^${CLOCK} --> ${CLOCK}(?:[ \\t].*)?$`);

// Only what WebVTT knows as a tag: "I <3 you" is text.
const TAG = /<\/?(?:[bciuv]|ruby|rt|lang)(?:[.\s][^>]*)?>|<(?:\d{2,}:)?\d{2}:\d{2}\.\d{3}>/g;
// Direction marks and joiners are part of a text; the rest of the control characters are not.
const CONTROL = /[\p{Cc}\u2028\u2029\uFEFF]/gu;
const NAMED = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', nbsp: '\u00A0', lrm: '\u200E', rlm: '\u200F', quot: '"', apos: "'" }),
);
const REFERENCE = /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]+));/g;
const LAST_CODE_POINT = 0x10ffff;

/**
 * Reads WebVTT as ffmpeg writes it, which does not close a cue at a blank line inside its text: a cue lasts to the next
 * timing line. Tags and control characters are removed, character references resolved, blank lines and cues
 * without text or length dropped. Throws `DetectionFailure` on anything else.
 */
export function parseWebVtt(document: string): Cue[] {
  const lines = document.split(/\r\n|\n|\r/);
  if (!/^\uFEFF?WEBVTT(?:[ \t]|$)/.test(lines[0] ?? '')) throw new DetectionFailure('ffmpeg wrote no WebVTT header');
  const timings = lines.flatMap((line, at) => {
    const timing = TIMING_LINE.exec(line);
    return timing === null ? [] : [{ at, startMs: clockMs(timing, 1), endMs: clockMs(timing, 5) }];
  });
  if (
    lines
      .slice(1, timings[0]?.at)
      .slice(0, -1)
      .some((line) => line !== '')
  ) {
    throw new DetectionFailure('ffmpeg wrote text before the first cue');
  }
  return timings.flatMap(({ at, startMs, endMs }, position) => {
    const next = timings[position + 1]?.at;
    const block = lines.slice(at + 1, next);
    // A blank line stands before every cue; what stands between it and the next timing line names that cue.
    const named = next !== undefined && block.at(-1) !== '';
    const text = plainText(named ? block.slice(0, -1) : block);
    return text === '' || endMs <= startMs ? [] : [{ startMs, endMs, text }];
  });
}

function plainText(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(TAG, '').replace(REFERENCE, resolved).replace(CONTROL, '').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function resolved(reference: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? reference;
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  return code > LAST_CODE_POINT || (code >= 0xd800 && code <= 0xdfff) ? reference : String.fromCodePoint(code);
}

function clockMs(match: RegExpExecArray, group: number): number {
  const [hours = '0', minutes = '0', seconds = '0', milliseconds = '0'] = match.slice(group, group + 4);
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(milliseconds);
}

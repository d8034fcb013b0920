import type { CaptionSide } from '../../contract/captions/caption-side.ts';
import { textLinesOf } from '../captions/caption-text-lines.ts';
import { type CheckedCaptions, webVttOf, webVttTime } from '../captions/caption-webvtt.ts';
import { contentIdOf } from '../core/canonical-json.ts';
import { acceptedCaptionsOf } from '../reopening/accepted-captions.ts';
import type { VerifiedRuntime } from '../reopening/reopen-runtime.ts';
import type { ExportedFile } from './exported-file.ts';
import { subRipText } from './subrip-text.ts';

interface ExportedLine {
  readonly startMs: number;
  readonly endMs: number;
  readonly lines: readonly string[];
}

/** The lines of one side that have a text: a withheld one is in no file. */
const linesOf = ({ artifact }: CheckedCaptions, side: CaptionSide): ExportedLine[] =>
  artifact.lines.flatMap(({ startMs, endMs, ...line }) => {
    const { state, text } = line[side];
    return state === 'available' ? [{ startMs, endMs, lines: textLinesOf(text) }] : [];
  });

const madeOf = ({ receipt, qualityControl }: CheckedCaptions): string[] => [
  contentIdOf(receipt),
  contentIdOf(qualityControl),
];

export function webVttCaptions(runtime: VerifiedRuntime, side: CaptionSide): ExportedFile {
  const captions = acceptedCaptionsOf(runtime);
  return { text: webVttOf(captions, side), madeOf: madeOf(captions) };
}

/** One side as SubRip. The format has no comments. */
export function subRip(runtime: VerifiedRuntime, side: CaptionSide): ExportedFile {
  const captions = acceptedCaptionsOf(runtime);
  const time = (ms: number): string => webVttTime(ms).replace('.', ',');
  const cues = linesOf(captions, side).map(({ startMs, endMs, lines }, at) => {
    return `${at + 1}\n${time(startMs)} --> ${time(endMs)}\n${subRipText(lines.join('\n'))}\n`;
  });
  return { text: cues.join('\n'), madeOf: madeOf(captions) };
}

/** `h:mm:ss.cc`. */
function assTime(hundredths: number): string {
  const [minutes, rest] = [Math.floor(hundredths / 6000), hundredths % 6000];
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(Math.floor(rest / 100))}.${two(rest % 100)}`;
}

/**
 * When lines begin and end in hundredths of a second. Each is rounded; one that would have no length lasts for a hundredth, and
 * the next begins behind it. Checked lines do not overlap, so none does here.
 */
function assSpans(lines: readonly ExportedLine[]): string[] {
  let before = 0;
  return lines.map(({ startMs, endMs }) => {
    const start = Math.max(Math.round(startMs / 10), before);
    before = Math.max(Math.round(endMs / 10), start + 1);
    return `${assTime(start)},${assTime(before)}`;
  });
}

// A brace would begin an override, and a backslash an escape: a word joiner behind it takes its meaning away.
const assText = (line: string): string =>
  line.replaceAll('\\', '\\\u2060').replaceAll(/[{}]/g, (brace) => `\\${brace}`);

const style =
  'Style: Default,Arial,48,&H00FFFFFF,&H000000FF,&H00000000,&H80000000,0,0,0,0,100,100,0,0,1,2,1,2,40,40,40,1';

/** One side as Advanced SubStation Alpha (version 4.00+). */
export function subStationAlpha(runtime: VerifiedRuntime, side: CaptionSide): ExportedFile {
  const captions = acceptedCaptionsOf(runtime);
  const { receipt, qualityControl } = captions;
  const head = [
    '[Script Info]',
    `; ${side} side, caption receipt ${receipt.receiptId}`,
    `; quality control receipt ${qualityControl.receiptId}`,
    'ScriptType: v4.00+',
    'PlayResX: 1280',
    'PlayResY: 720',
    '',
    '[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding',
    style,
    '',
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
  ];
  const shown = linesOf(captions, side);
  const spans = assSpans(shown);
  const dialogues = shown.map(
    ({ lines }, at) => `Dialogue: 0,${spans[at]},Default,,0,0,0,,${lines.map(assText).join('\\N')}`,
  );
  return { text: `${[...head, ...dialogues].join('\n')}\n`, madeOf: madeOf(captions) };
}

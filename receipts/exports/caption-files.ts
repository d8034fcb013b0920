import type { CaptionSide, LineBreaks, ShownSides } from '../../contract/captions/caption-line.ts';
import type { ShownCorrections } from '../../contract/captions/correction.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import { subRipText } from '../../formats/subtitles.ts';
import { textLinesOf } from '../../rules/caption-guidelines.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { brokenLines } from '../../rules/line-breaks.ts';
import { type CheckedCaptions, correctionNotes, fileLinesOf, webVttFile, webVttTime } from '../captions/webvtt.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { acceptedCaptionsOf } from '../published/captions.ts';
import type { ExportedFile } from './fact-files.ts';

/** How the captions of a file are shown. */
export interface CaptionForm {
  readonly side: ShownSides;
  readonly lines: LineBreaks;
  readonly corrections: ShownCorrections;
}

interface ShownText {
  readonly side: CaptionSide;
  readonly lines: readonly string[];
}

interface ExportedLine {
  readonly id: string;
  readonly startMs: number;
  readonly endMs: number;
  /** The translation first; without the side that has no text. */
  readonly texts: readonly ShownText[];
}

/** The lines that have a text on a side that is shown: a withheld text is in no file. */
function* linesOf(captions: CheckedCaptions, { side, lines: breaks }: CaptionForm): Steps<ExportedLine[]> {
  const { sourceLanguage: source, targetLanguage: target } = captions.artifact.input;
  const languages: Readonly<Record<CaptionSide, string>> = { source, target };
  // One text in one language is not shown twice.
  const isOne = source === target || areOneLanguage(source, target);
  const both: readonly CaptionSide[] = isOne ? ['target'] : ['target', 'source'];
  const sides = side === 'both' ? both : [side];
  const found: ExportedLine[] = [];
  for (const line of fileLinesOf(captions)) {
    yield;
    const texts = sides.flatMap((each) => {
      const { state, text } = line[each];
      if (state !== 'available' || text === null) return [];
      const lines = breaks === 'author' ? textLinesOf(text) : brokenLines(text, languages[each]);
      return [{ side: each, lines }];
    });
    if (texts.length > 0) found.push({ id: line.id, startMs: line.startMs, endMs: line.endMs, texts });
  }
  return found;
}

const textOf = ({ texts }: ExportedLine): string => texts.flatMap(({ lines }) => lines).join('\n');

const madeOf = ({ receipt, qualityControl, corrected }: CheckedCaptions): string[] => [
  contentIdOfJson(receipt),
  contentIdOfJson(qualityControl),
  ...(corrected === undefined ? [] : [corrected.correction.contentId, corrected.check.contentId]),
];

export function* webVttCaptions(runtime: VerifiedRuntime, form: CaptionForm): Steps<ExportedFile> {
  const captions = yield* acceptedCaptionsOf(runtime, form);
  const cues = (yield* linesOf(captions, form)).map((line) => ({ ...line, text: textOf(line) }));
  return { text: webVttFile(captions, form.side, cues), madeOf: madeOf(captions) };
}

/** Captions as SubRip. The format has no comments. */
export function* subRip(runtime: VerifiedRuntime, form: CaptionForm): Steps<ExportedFile> {
  const captions = yield* acceptedCaptionsOf(runtime, form);
  const time = (ms: number): string => webVttTime(ms).replace('.', ',');
  const cues = (yield* linesOf(captions, form)).map((line, at) => {
    return `${at + 1}\n${time(line.startMs)} --> ${time(line.endMs)}\n${subRipText(textOf(line))}\n`;
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
 * The begins and ends of lines in hundredths of a second. Each is rounded; one without length would last for a hundredth, and the
 * next begins behind it. Checked lines do not overlap, so none does here.
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

/** The original text, above the picture's upper edge, if its translation is below. */
const upperStyle = style.replace('Style: Default', 'Style: Source').replace(',1,2,1,2,40', ',1,2,1,8,40');

/** Captions as Advanced SubStation Alpha (version 4.00+). */
export function* subStationAlpha(runtime: VerifiedRuntime, form: CaptionForm): Steps<ExportedFile> {
  const { side } = form;
  const captions = yield* acceptedCaptionsOf(runtime, form);
  const { receipt, qualityControl } = captions;
  const head = [
    '[Script Info]',
    `; ${side === 'both' ? 'both sides' : `${side} side`}, caption receipt ${receipt.receiptId}`,
    `; quality control receipt ${qualityControl.receiptId}`,
    ...correctionNotes(captions).map((note) => `; ${note}`),
    'ScriptType: v4.00+',
    'PlayResX: 1280',
    'PlayResY: 720',
    '',
    '[V4+ Styles]',
    'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding',
    ...(side === 'both' ? [style, upperStyle] : [style]),
    '',
    '[Events]',
    'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
  ];
  const shown = yield* linesOf(captions, form);
  const spans = assSpans(shown);
  const dialogues = shown.flatMap(({ texts }, at) =>
    texts.map(({ side: each, lines }) => {
      const name = side === 'both' && each === 'source' ? 'Source' : 'Default';
      return `Dialogue: 0,${spans[at]},${name},,0,0,0,,${lines.map(assText).join('\\N')}`;
    }),
  );
  return { text: `${[...head, ...dialogues].join('\n')}\n`, madeOf: madeOf(captions) };
}

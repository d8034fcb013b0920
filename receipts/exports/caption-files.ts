import type { CaptionForm } from '../../contract/captions/correction.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { assRow, placeOverride, subRipRow } from '../../formats/caption-markup.ts';
import type { Steps } from '../../formats/steps.ts';
import {
  type CheckedCaptions,
  captionLanguages,
  correctionNotes,
  type FileCue,
  fileLinesOf,
  webVttFile,
  webVttTime,
  writtenCues,
} from '../captions/webvtt.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { acceptedCaptionsOf } from '../published/captions.ts';
import type { ExportedFile } from './fact-files.ts';

const cuesOf = (captions: CheckedCaptions, form: CaptionForm): Steps<FileCue[]> =>
  writtenCues(fileLinesOf(captions), captionLanguages(captions), form, captions.styles);

const madeOf = ({ receipt, qualityControl, corrected }: CheckedCaptions): string[] => [
  contentIdOfJson(receipt),
  contentIdOfJson(qualityControl),
  ...(corrected === undefined ? [] : [corrected.correction.contentId, corrected.check.contentId]),
];

export function* webVttCaptions(runtime: VerifiedRuntime, form: CaptionForm): Steps<ExportedFile> {
  const captions = yield* acceptedCaptionsOf(runtime, form);
  return { text: webVttFile(captions, form.side, yield* cuesOf(captions, form)), madeOf: madeOf(captions) };
}

/** Captions as SubRip. The format has no comments. */
export function* subRip(runtime: VerifiedRuntime, form: CaptionForm): Steps<ExportedFile> {
  const captions = yield* acceptedCaptionsOf(runtime, form);
  const time = (ms: number): string => webVttTime(ms).replace('.', ',');
  const cues = (yield* cuesOf(captions, form)).map(({ number, startMs, endMs, texts }) => {
    const place = placeOverride(texts.find(({ alignment }) => alignment !== null)?.alignment ?? null);
    const rows = texts.flatMap((text) => text.rows.map(subRipRow)).join('\n');
    return `${number}\n${time(startMs)} --> ${time(endMs)}\n${place}${rows}\n`;
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
function assSpans(lines: readonly FileCue[]): string[] {
  let before = 0;
  return lines.map(({ startMs, endMs }) => {
    const start = Math.max(Math.round(startMs / 10), before);
    before = Math.max(Math.round(endMs / 10), start + 1);
    return `${assTime(start)},${assTime(before)}`;
  });
}

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
  const shown = yield* cuesOf(captions, form);
  const spans = assSpans(shown);
  const dialogues = shown.flatMap(({ texts }, at) =>
    texts.map(({ side: each, rows, alignment }) => {
      const name = side === 'both' && each === 'source' ? 'Source' : 'Default';
      return `Dialogue: 0,${spans[at]},${name},,0,0,0,,${placeOverride(alignment)}${rows.map(assRow).join('\\N')}`;
    }),
  );
  return { text: `${[...head, ...dialogues].join('\n')}\n`, madeOf: madeOf(captions) };
}

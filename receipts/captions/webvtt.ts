import type { CaptionLine, CaptionSide, ShownSides } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact, CaptionReceipt } from '../../contract/captions/caption-production.ts';
import type { CaptionForm, CorrectionCheckReceipt, CorrectionReceipt } from '../../contract/captions/correction.ts';
import type { QualityControlReceipt } from '../../contract/captions/quality-control.ts';
import { styledSide } from '../../contract/captions/styled-text.ts';
import { webVttRow, webVttSettings } from '../../formats/caption-markup.ts';
import type { Steps } from '../../formats/steps.ts';
import { captionRows, type StyledRow } from '../../rules/caption-rows.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import type { StoredReceipt } from '../stored-records.ts';
import type { TrackStyles } from './track-styles.ts';

/** A text of a side; `by` is absent for captions as the host made them. */
interface FileText {
  readonly state: string;
  readonly text: string | null;
  readonly by?: 'host' | 'person';
}

/** A line of a file, with texts of the host or of a person. */
export interface FileLine extends Pick<CaptionLine, 'id' | 'startMs' | 'endMs'> {
  readonly source: FileText;
  readonly target: FileText;
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
  /** The styles that the text tracks have for texts of the host; absent if they are not known. */
  readonly styles?: TrackStyles;
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

/** The text of one side of a cue, in the rows that a file has. */
export interface WrittenText {
  readonly side: CaptionSide;
  readonly rows: readonly StyledRow[];
  /** Its place as on a number pad; null for the usual one. */
  readonly alignment: number | null;
}

/** A cue as a file has it. */
export interface FileCue extends Pick<CaptionLine, 'id' | 'startMs' | 'endMs'> {
  /** Its number in the file, counted from 1. */
  readonly number: number;
  /** The translation first; without the side that has no text. */
  readonly texts: readonly WrittenText[];
}

/** The sides of a file in their order. One text in one language is not shown twice. */
export function writtenSides(
  side: ShownSides,
  { source, target }: Readonly<Record<CaptionSide, string>>,
): readonly CaptionSide[] {
  if (side !== 'both') return [side];
  return source === target || areOneLanguage(source, target) ? ['target'] : ['target', 'source'];
}

/**
 * The cues of a file of these lines: every export, and every report on a file, has them from here. A withheld text is in no file,
 * and a line without a text on the shown sides neither.
 */
export function* writtenCues(
  lines: readonly FileLine[],
  languages: Readonly<Record<CaptionSide, string>>,
  { side, lines: breaks }: Pick<CaptionForm, 'side' | 'lines'>,
  styles?: TrackStyles,
): Steps<FileCue[]> {
  const sides = writtenSides(side, languages);
  const cues: FileCue[] = [];
  for (const line of lines) {
    yield;
    const texts = sides.flatMap((each): WrittenText[] => {
      const { state, text, by } = line[each];
      if (state !== 'available' || text === null) return [];
      const styled = styles === undefined || by === 'person' ? styledSide(line[each]) : styles.of(line, text);
      const rows = captionRows(styled, languages[each], breaks);
      return rows.length === 0 ? [] : [{ side: each, rows, alignment: styled.alignment }];
    });
    const { id, startMs, endMs } = line;
    if (texts.length > 0) cues.push({ id, startMs, endMs, number: cues.length + 1, texts });
  }
  return cues;
}

/** The languages of captions by their sides. */
export const captionLanguages = ({
  artifact,
}: Pick<CheckedCaptions, 'artifact'>): Readonly<Record<CaptionSide, string>> => ({
  source: artifact.input.sourceLanguage,
  target: artifact.input.targetLanguage,
});

const cueText = ({ id, startMs, endMs, texts }: FileCue): string => {
  const settings = webVttSettings(texts.find(({ alignment }) => alignment !== null)?.alignment ?? null);
  const rows = texts.flatMap((text) => text.rows.map(webVttRow));
  return `${id}\n${webVttTime(startMs)} --> ${webVttTime(endMs)}${settings}\n${rows.join('\n')}`;
};

/** Cues of accepted captions as a file, with a note that names what it was made of. */
export function webVttFile(captions: CheckedCaptions, side: ShownSides, cues: readonly FileCue[]): string {
  const { artifact, receipt, qualityControl } = captions;
  const { source, target } = captionLanguages(captions);
  const languages = { source, target, both: `${target} and ${source}` };
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
export function* webVttOf(captions: CheckedCaptions, side: CaptionSide): Steps<string> {
  const form = { side, lines: 'author' } as const;
  const cues = yield* writtenCues(fileLinesOf(captions), captionLanguages(captions), form, captions.styles);
  return webVttFile(captions, side, cues);
}

import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { CaptionForm } from '../../contract/captions/correction.ts';
import type { DraftedFile, GuidelineReport, WrittenFinding } from '../../contract/captions/guideline-report.ts';
import type { CaptionFindingCode } from '../../contract/captions/quality-control.ts';
import type { Steps } from '../../formats/steps.ts';
import { withoutReadings } from '../../rules/caption-guidelines.ts';
import { textOfRow } from '../../rules/caption-rows.ts';
import { graphemesOf } from '../../rules/graphemes.ts';
import { type Counting, countedWidth, type Guideline, guidelinesFor } from '../../rules/guideline-tables.ts';
import { type FileCue, type FileLine, writtenCues, writtenSides } from './webvtt.ts';

type Limits = GuidelineReport['limits'];

/** Frames a second of a film, as a fraction. */
interface FilmRate {
  readonly numerator: number;
  readonly denominator: number;
}

/** The frame rate for which Netflix writes its timing guidelines. Frames are counted by it if a study does not know the film's. */
const assumedRate: FilmRate = { numerator: 24, denominator: 1 };

// Times of cues are rounded to whole ms, so a gap of exactly that many frames may be a fraction of a ms short.
const framesInMs = (frames: number, { numerator, denominator }: FilmRate): number =>
  Math.floor((frames * 1000 * denominator) / numerator);

function limitsOf(guideline: Guideline, rate: FilmRate): Limits {
  const { readingSpeed, rowCharacters, counting, rowLimitIs, rows, gap } = guideline;
  return {
    readingSpeed: readingSpeed === null ? null : { unit: readingSpeed.unit, milli: readingSpeed.limit * 1000 },
    row: rowCharacters === null ? null : { milliCharacters: rowCharacters * 1000, counting, limits: rowLimitIs },
    rows,
    minimumDurationMs: guideline.minimumDurationMs,
    maximumDurationMs: guideline.maximumDurationMs,
    gap:
      gap === null
        ? null
        : 'frames' in gap
          ? { ms: framesInMs(gap.frames, rate), orNone: false }
          : { ms: gap.noneOrMs, orNone: true },
  };
}

const reasonOfMeaning = {
  all: 'not_in_guideline',
  latin_script: 'guideline_for_latin_script',
  english: 'guideline_for_english',
} as const;

const limitNames = ['readingSpeed', 'row', 'minimumDurationMs', 'maximumDurationMs', 'gap'] as const;

const openLimitsOf = (limits: Limits, { meantFor, unverified = [] }: Guideline): GuidelineReport['openLimits'] =>
  limitNames
    .filter((limit) => limits[limit] === null)
    .map((limit) => {
      const isOfText = limit === 'readingSpeed' || limit === 'row';
      // A guideline that is meant for the language has both limits of text.
      if (isOfText) return { limit, reasonCode: reasonOfMeaning[meantFor] };
      return { limit, reasonCode: unverified.some((each) => each === limit) ? 'not_verified' : 'not_in_guideline' };
    });

const words = new Intl.Segmenter('und', { granularity: 'word' });

const wordsIn = (rows: readonly string[]): number =>
  rows.reduce((sum, row) => sum + [...words.segment(row)].filter(({ isWordLike }) => isWordLike).length, 0);

const widthOf = (text: string, counting: Counting): number =>
  graphemesOf(text).reduce((sum, character) => sum + countedWidth(character, counting), 0);

/** How fast the rows have to be read, in thousandths of the unit. Readings of ruby beside a character are not read. */
function speedOf(
  rows: readonly string[],
  durationMs: number,
  { unit }: NonNullable<Limits['readingSpeed']>,
  counting: Counting,
) {
  const read = rows.map(withoutReadings);
  if (unit === 'words_per_minute') return Math.ceil((wordsIn(read) * 60_000_000) / durationMs);
  const milliCharacters = read.reduce((sum, row) => sum + widthOf(row, counting), 0);
  return Math.ceil((milliCharacters * 1000) / durationMs);
}

type Measured = Pick<WrittenFinding, 'code' | 'measured' | 'limit'>;

/** The findings in the rows of a cue, `beforeMs` after the one before it; null for the first. */
function findingsIn(
  rows: readonly string[],
  { durationMs, gapMs }: { readonly durationMs: number; readonly gapMs: number | null },
  { readingSpeed, row, rows: mostRows, minimumDurationMs, maximumDurationMs, gap }: Limits,
  counting: Counting,
): Measured[] {
  const found: Measured[] = [];
  const find = (code: CaptionFindingCode, measured: number, limit: number): void => {
    found.push({ code, measured, limit });
  };
  if (readingSpeed !== null) {
    const speed = speedOf(rows, durationMs, readingSpeed, counting);
    if (speed > readingSpeed.milli) find('reading_speed_too_high', speed, readingSpeed.milli);
  }
  if (row !== null) {
    const longest = Math.max(0, ...rows.map((text) => widthOf(text, counting)));
    if (longest > row.milliCharacters) find('line_too_long', longest, row.milliCharacters);
  }
  if (rows.length > mostRows) find('too_many_lines', rows.length, mostRows);
  if (minimumDurationMs !== null && durationMs < minimumDurationMs)
    find('duration_too_short', durationMs, minimumDurationMs);
  if (maximumDurationMs !== null && durationMs > maximumDurationMs)
    find('duration_too_long', durationMs, maximumDurationMs);
  if (gapMs === null) return found;
  if (gapMs < 0) find('overlap', -gapMs, 0);
  else if (gap !== null && gapMs < gap.ms && !(gap.orNone && gapMs === 0)) find('gap_too_short', gapMs, gap.ms);
  return found;
}

function* reportOf(
  cues: readonly FileCue[],
  side: CaptionSide,
  language: string,
  { guideline, rate }: { readonly guideline: Guideline; readonly rate: FilmRate },
): Steps<GuidelineReport> {
  const limits = limitsOf(guideline, rate);
  const findings: WrittenFinding[] = [];
  let before: FileCue | null = null;
  for (const cue of cues) {
    yield;
    const text = cue.texts.find((each) => each.side === side);
    if (text === undefined) continue;
    const { number, id: lineId, startMs, endMs } = cue;
    const times = { durationMs: endMs - startMs, gapMs: before === null ? null : startMs - before.endMs };
    for (const found of findingsIn(text.rows.map(textOfRow), times, limits, guideline.counting))
      findings.push({ number, lineId, startMs, endMs, ...found });
    before = cue;
  }
  const { id, version, source, date } = guideline;
  const openLimits = openLimitsOf(limits, guideline);
  return { side, language, guideline: { id, version, source, date }, limits, openLimits, findings };
}

/**
 * Holds the cues of a file against every guideline for their language, in the rows that the file has. It decides nothing. The guideline
 * of the line breaks is the first of a side. Gaps count in frames of the film at `rate`.
 */
export function* fileReportsOf(
  lines: readonly FileLine[],
  languages: Readonly<Record<CaptionSide, string>>,
  form: Pick<CaptionForm, 'side' | 'lines'>,
  rate: FilmRate | null = null,
): Steps<DraftedFile> {
  const cues = yield* writtenCues(lines, languages, form);
  const reports: GuidelineReport[] = [];
  for (const side of writtenSides(form.side, languages)) {
    for (const guideline of guidelinesFor(languages[side]))
      reports.push(yield* reportOf(cues, side, languages[side], { guideline, rate: rate ?? assumedRate }));
  }
  return { file: { side: form.side, lines: form.lines, cues: cues.length }, reports };
}

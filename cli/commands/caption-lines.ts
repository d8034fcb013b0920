import type { CaptionProductionResults } from '../../contract/captions/caption-answers.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import type { DraftedFile, GuidelineReport, WrittenFinding } from '../../contract/captions/guideline-report.ts';
import { wordsOfSide } from '../../contract/captions/styled-text.ts';
import { findingWords, guidelineNames, linesFound } from '../../contract/causes/guideline-words.ts';
import { reasonTexts } from '../../contract/causes/reasons.ts';
import { countText, timeCode } from '../../formats/readable-numbers.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { englishName } from '../terminal/language-tag.ts';

interface CaptionLine {
  readonly startMs: number;
  readonly text: string;
}

/** The lines of one language that captions will have, with the words for what they are. */
export interface ShownText {
  readonly what: string;
  readonly lines: CaptionLine[];
}

/** The lines of one side that have a text. */
const linesOf = ({ lines }: Pick<CaptionCorrections, 'lines'>, side: CaptionSide): CaptionLine[] =>
  lines.flatMap(({ startMs, [side]: shown }) => {
    const text = wordsOfSide(shown);
    return text === null ? [] : [{ startMs, text }];
  });

/** True if the lines of a host come from recognized speech; null if the host names no lines of its own. */
const isOfSpeech = ({ base }: Pick<CaptionCorrections, 'base'>): boolean | null =>
  base?.kind === 'drafts' ? base.executor.classification.startsWith('recognised') : null;

/**
 * The lines that captions of a study will have, one text for each language; those that a model will translate have none yet. They
 * are the lines that the host makes, so that a person approves what the file will say.
 */
export function captionTexts(drafts: Pick<CaptionCorrections, 'lines' | 'languages' | 'base'>): readonly ShownText[] {
  const { languages } = drafts;
  if (languages === null) return [];
  const { source, target } = languages;
  const sides: readonly CaptionSide[] = areOneLanguage(source, target) ? ['target'] : ['source', 'target'];
  return sides.flatMap((side) => {
    const lines = linesOf(drafts, side);
    const what = isOfSpeech(drafts) ? 'recognized speech' : `${englishName(languages[side])} subtitles`;
    return lines.length === 0 ? [] : [{ what, lines }];
  });
}

/** A line as a person reads it at a terminal. */
export const timedLine = ({ startMs, text }: CaptionLine): string =>
  `  ${timeCode(startMs)}  ${text.replaceAll('\n', ' / ')}`;

/** True if a person has changed lines, so that the lines of the host are not those of the file any more. */
export const areChanged = ({ lines, originals }: Pick<CaptionCorrections, 'lines' | 'originals'>): boolean =>
  lines.length !== originals.length || lines.some(({ changed }) => changed !== null);

/** A finding as a line: the cue of the file, its time, and what is wrong. */
const findingLine = (finding: WrittenFinding, report: GuidelineReport): string =>
  `  cue ${finding.number} at ${timeCode(finding.startMs)}: ${findingWords(finding, report)}`;

/** The cues whose italics a translation does not have. */
function lostStyleLines({ lostStyles = [] }: DraftedFile['file']): string[] {
  if (lostStyles.length === 0) return [];
  const has = lostStyles.length === 1 ? 'has' : 'have';
  const cues = lostStyles.join(', ');
  return [
    `${countText(lostStyles.length, 'line')} ${has} italics in the original and none in the translation: cue ${cues}`,
  ];
}

/**
 * Every finding in a file of captions by the guideline of its line breaks, and the number of lines that break other guidelines. Empty
 * without findings.
 */
export function guidelineLines({ file, reports }: DraftedFile): string[] {
  const sides = new Set(reports.map(({ side }) => side));
  const found = [...sides].flatMap((side) => {
    const [first, ...others] = reports.filter((report) => report.side === side);
    if (first === undefined) return [];
    const of = sides.size === 1 ? '' : ` in ${englishName(first.language)}`;
    const count = linesFound(first);
    const own =
      count === 0
        ? []
        : [
            `${countText(count, 'line')}${of} ${count === 1 ? 'breaks' : 'break'} ${guidelineNames[first.guideline.id]}’s guidelines:`,
            ...first.findings.map((finding) => findingLine(finding, first)),
          ];
    const further = others.filter((report) => linesFound(report) > 0);
    const listed = further.map(
      (report) => `${guidelineNames[report.guideline.id]} in ${countText(linesFound(report), 'line')}`,
    );
    return listed.length === 0
      ? own
      : [...own, `other guidelines${of} of ${countText(file.cues, 'line')}: ${listed.join(', ')} (--json lists all)`];
  });
  return [...lostStyleLines(file), ...found];
}

/** So many lines without a translation are named. */
const mostUntranslated = 5;

/**
 * The lines that have no translation, with the reason of each; null if all have one. `results` name the words that a translator does not
 * know, as far as captions are short enough to be in one record.
 */
export function untranslatedLine(
  { lines }: Pick<CaptionCorrections, 'lines'>,
  { results }: Pick<CaptionProductionResults, 'results'>,
): string | null {
  const words = new Map(
    results.flatMap(({ artifact }) =>
      'lines' in artifact
        ? artifact.lines.map(
            ({ id, target }) => [id, target.state === 'available' ? [] : (target.unknownWords ?? [])] as const,
          )
        : [],
    ),
  );
  const without = lines.filter(({ source, target }) => source.text !== null && target.state === 'withheld');
  if (without.length === 0) return null;
  const named = without.slice(0, mostUntranslated).map(({ id, startMs, target }) => {
    const unknown = words.get(id) ?? [];
    const reason = target.reasonCode === null ? target.state : reasonTexts[target.reasonCode];
    return `${timeCode(startMs)} (${reason}${unknown.length === 0 ? '' : `: ${unknown.join(', ')}`})`;
  });
  const more = without.length > named.length ? ', …' : '';
  return `${countText(without.length, 'line')} without a translation: ${named.join(', ')}${more}`;
}

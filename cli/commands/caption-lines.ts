import type { StudyHost } from '../../client/study-host.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { countText } from '../../receipts/evidence-chain.ts';
import { captionProfilesOf } from '../../rules/caption-guidelines.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { brokenLines } from '../../rules/line-breaks.ts';
import { englishName } from '../terminal/language-tag.ts';

interface CaptionLine {
  readonly startMs: number;
  readonly text: string;
}

/** The lines of one language that captions will have, with the words for where they come from. */
export interface ShownText {
  readonly what: string;
  readonly lines: CaptionLine[];
}

/** The lines of one side that have a text. */
const linesOf = ({ lines }: Pick<CaptionCorrections, 'lines'>, side: CaptionSide): CaptionLine[] =>
  lines.flatMap(({ startMs, [side]: { text } }) => (text === null ? [] : [{ startMs, text }]));

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
    const what = isOfSpeech(drafts) ? 'recognized speech' : `subtitle track in ${englishName(languages[side])}`;
    return lines.length === 0 ? [] : [{ what, lines }];
  });
}

/** A line as a person reads it at a terminal. */
export const timedLine = ({ startMs, text }: CaptionLine): string =>
  `  ${timeCode(startMs)}  ${text.replaceAll('\n', ' / ')}`;

/** How many places a remark names. */
const firstPlaces = 3;

const places = (times: readonly number[]): string =>
  `${times.slice(0, firstPlaces).map(timeCode).join(', ')}${times.length > firstPlaces ? ', …' : ''}`;

/** Lines of written captions that have more rows than the guideline allows, as one line; null if none has. */
export function rowsRemark(shown: Pick<CaptionCorrections, 'lines' | 'languages'>, sides: readonly CaptionSide[]) {
  const { languages } = shown;
  if (languages === null) return null;
  const isTooLong = (side: CaptionSide, text: string): boolean =>
    brokenLines(text, languages[side]).length > (captionProfilesOf(languages[side])[0]?.lines ?? Infinity);
  const long = sides.flatMap((side) => linesOf(shown, side).filter(({ text }) => isTooLong(side, text)));
  if (long.length === 0) return null;
  const are = long.length === 1 ? 'is' : 'are';
  return `${countText(long.length, 'line')} ${are} longer than two rows: ${places(long.map(({ startMs }) => startMs))}`;
}

/** Findings on rows, which the file breaks by the same guideline; `rowsRemark` reports what is left of them. */
const ofRows: readonly string[] = ['line_too_long', 'too_many_lines'];

/** True if a person has changed lines, so that the lines of the host are not those of the file any more. */
export const areChanged = ({ lines, originals }: Pick<CaptionCorrections, 'lines' | 'originals'>): boolean =>
  lines.length !== originals.length || lines.some(({ changed }) => changed !== null);

/** The reports of the guidelines on the lines of the file: those of the host are measured with its shots. */
async function reportsOf(host: StudyHost, shown: CaptionCorrections) {
  const { runtimeId, head } = shown;
  if (!areChanged(shown) || head === null) return (await host.captions.qualityReports(runtimeId)).reports;
  return (await host.captions.correctionPreview(runtimeId, { head, changes: [] })).reports;
}

/** The findings of the guideline of the written captions on times and reading speed, as one line; null if there is none. */
export async function guidelineRemark(host: StudyHost, shown: CaptionCorrections): Promise<string | null> {
  const reports = await reportsOf(host, shown);
  const report = reports.find(({ profile, side }) => profile.id === 'netflix' && side === 'target');
  const startOf = (lineId: string) => shown.lines.find(({ id }) => id === lineId)?.startMs ?? 0;
  const found = (report?.findings ?? []).filter(({ code }) => !ofRows.includes(code));
  if (found.length === 0) return null;
  const first = found
    .slice(0, firstPlaces)
    .map(({ lineId, code }) => `${timeCode(startOf(lineId))} ${code.replaceAll('_', ' ')}`);
  const more = found.length > firstPlaces ? ', …' : '';
  return `${countText(found.length, 'finding')} of the guideline netflix: ${first.join(', ')}${more}`;
}

import type { CaptionCorrectionPreview } from '../../contract/captions/correction.ts';
import type { CaptionFindingCode } from '../../contract/captions/quality-control.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import { byTime, type EditedLine, type Side } from './caption-draft.ts';

/** Something that guidelines for subtitles find in one text of a line. Guidelines with the same limit find the same thing. */
export interface GuidelineNote {
  readonly side: Side;
  readonly code: CaptionFindingCode;
  readonly measured: number;
  readonly limit: number;
  /** The guidelines that set this limit, as their makers write their names. */
  readonly by: readonly string[];
}

/** The makers of the guideline, as they write their name. */
export const guidelineNames: Readonly<Record<CaptionCorrectionPreview['reports'][number]['profile']['id'], string>> = {
  netflix: 'Netflix',
  ted: 'TED',
};

/** The findings of a preview by the lines of the draft that it measured: both are in order of time. */
export function findingsByLine(
  lines: readonly EditedLine[],
  { lines: measured, reports }: Pick<CaptionCorrectionPreview, 'lines' | 'reports'>,
): ReadonlyMap<string, readonly GuidelineNote[]> {
  const inOrder = lines.toSorted(byTime);
  const keys = new Map(measured.map(({ id }, at) => [id, inOrder[at]?.key ?? id]));
  const found = new Map<string, GuidelineNote[]>();
  for (const { side, profile, findings } of reports) {
    for (const { lineId, code, measured: figure, limit } of findings) {
      const key = keys.get(lineId) ?? lineId;
      const own = found.get(key) ?? [];
      const at = own.findIndex((each) => each.side === side && each.code === code && each.limit === limit);
      const by = [...(own[at]?.by ?? []), guidelineNames[profile.id]];
      if (at === -1) own.push({ side, code, measured: figure, limit, by });
      else own[at] = { side, code, measured: figure, limit, by };
      found.set(key, own);
    }
  }
  return found;
}

/** The findings of lines that have not changed since their check: those of an older text are not about the newer one. */
export function currentFindings(
  lines: readonly EditedLine[],
  measured: readonly EditedLine[],
  findings: ReadonlyMap<string, readonly GuidelineNote[]>,
): ReadonlyMap<string, readonly GuidelineNote[]> {
  return new Map([...findings].filter(([key]) => measured.some((line) => line.key === key && lines.includes(line))));
}

/** A figure of a finding with its unit; speeds and lengths of lines come in thousandths. */
export function figureWords(code: CaptionFindingCode, value: number): string {
  const thousandths = String(Math.round(value / 100) / 10);
  if (code === 'reading_speed_too_high') return `${thousandths} characters a second`;
  if (code === 'line_too_long') return `${thousandths} characters`;
  return code === 'too_many_lines' ? `${value} lines` : `${value} ms`;
}

export function SideFindings({ findings }: { readonly findings: readonly GuidelineNote[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="plain line-findings" aria-label="Findings of guidelines">
      {findings.map(({ code, measured, limit, by }) => (
        <li key={`${code} ${limit}`}>
          {sentence(wordsOf(code))}: {figureWords(code, measured)}, limit {figureWords(code, limit)}{' '}
          <span class="quiet">({by.join(', ')})</span>
        </li>
      ))}
    </ul>
  );
}

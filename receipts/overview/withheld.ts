import type { CaptionSide } from '../../contract/captions/caption-side.ts';
import type { Finding, OverviewClaim, RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { wholeCaptionsOf } from '../captions/caption-lines.ts';
import type { VerifiedCaption } from '../captions/fold-captions.ts';
import { counted } from '../core/checked-link.ts';
import type { OverviewedRuntime, OverviewParts } from './overviewed-runtime.ts';
import { reasonWords } from './reason-words.ts';

type Withheld = RuntimeOverview['withheld'][number];

const withheld = (what: string, reasonCode: string): Withheld => ({
  what,
  reasonCode,
  text: `${what}: ${reasonWords(reasonCode)}`,
});

const withheldFinding = ({ title, reasonCode }: Finding): Withheld[] =>
  reasonCode === null ? [] : [withheld(title, reasonCode)];

const withheldClaim = ({ text, states }: OverviewClaim): Withheld[] =>
  states.filter((state) => state !== 'supported').map((state) => withheld(`claim "${text}"`, state));

/** The sides of lines that have no text, counted by side and reason. */
function withheldLines({ artifact }: VerifiedCaption): Withheld[] {
  const counts = new Map<string, { side: CaptionSide; reasonCode: string; lines: number }>();
  for (const line of wholeCaptionsOf(artifact.body).lines) {
    for (const side of ['source', 'target'] as const) {
      const { reasonCode } = line[side];
      if (reasonCode === null) continue;
      const name = `${side} ${reasonCode}`;
      const known = counts.get(name) ?? { side, reasonCode, lines: 0 };
      counts.set(name, { ...known, lines: known.lines + 1 });
    }
  }
  return [...counts.values()].map(({ side, reasonCode, lines }) =>
    withheld(`the ${side} side of ${counted(lines, 'line')}`, reasonCode),
  );
}

/** Everything of a runtime that is kept back, each with its reason, in the order in which it was decided. */
export function withheldOf(
  { study }: OverviewedRuntime,
  findings: readonly Finding[],
  claims: readonly OverviewClaim[],
  { decision, review, check }: OverviewParts,
): Withheld[] {
  const caption = study?.tail.captions.caption ?? null;
  const reasons = decision.state === 'withheld' ? decision.reasonCodes : [];
  const isKept = review.state === 'withheld' || review.state === 'withdrawn';
  return [
    ...findings.flatMap(withheldFinding),
    ...claims.flatMap(withheldClaim),
    ...reasons.map((code) => withheld('the study, by its decision', code)),
    ...(isKept ? review.reasonCodes : []).map((code) => withheld('captions of the study', code)),
    ...(caption === null ? [] : withheldLines(caption)),
    ...(check.state === 'withheld' ? check.reasonCodes : []).map((code) =>
      withheld('the captions, by their check', code),
    ),
  ];
}

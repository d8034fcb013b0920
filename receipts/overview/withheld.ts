import type { CaptionSide } from '../../contract/captions/caption-side.ts';
import type { Finding, OverviewClaim, RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { wholeCaptionsOf } from '../captions/caption-lines.ts';
import type { VerifiedCaption } from '../captions/fold-captions.ts';
import { counted } from '../core/checked-link.ts';
import { evidenceRowsOf } from '../reopening/runtime-evidence.ts';
import { declaresLanguage } from './findings.ts';
import type { OverviewedRuntime, OverviewParts } from './overviewed-runtime.ts';
import { reasonWords } from './reason-words.ts';

type Withheld = RuntimeOverview['withheld'][number];

const withheld = (what: string, reasonCode: string): Withheld => ({
  what,
  reasonCode,
  text: `${what}: ${reasonWords(reasonCode)}`,
});

const withheldFinding = ({ title, reasonCode }: Finding, isDeclared: boolean): Withheld[] =>
  reasonCode === null ? [] : [{ what: title, reasonCode, text: `${title}: ${reasonWords(reasonCode, isDeclared)}` }];

const withheldClaim = ({ text, states }: OverviewClaim): Withheld[] =>
  states.filter((state) => state !== 'supported').map((state) => withheld(`claim "${text}"`, state));

interface JudgedText {
  readonly outcome: 'passed' | 'withheld';
  readonly reasonCodes: readonly string[];
}

/** How many texts a gate withheld for each reason; one that has several counts under the first. */
export function withheldTexts(texts: readonly JudgedText[], what: (count: number) => string): Withheld[] {
  const counts = new Map<string, number>();
  for (const { outcome, reasonCodes } of texts) {
    const [reason = 'withheld'] = reasonCodes;
    if (outcome === 'withheld') counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  return [...counts].map(([reason, count]) => withheld(what(count), reason));
}

/** Recognised lines and texts on the screen that no claim, caption or file has. */
function withheldByGates({ runtime }: OverviewedRuntime): Withheld[] {
  const facts = evidenceRowsOf(runtime).flatMap((row) => [...row.facts]);
  const lines = facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));
  const screen = runtime.execution?.study.findings.screenText?.found?.facts ?? [];
  const texts = screen.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));
  return [
    ...withheldTexts(lines, (count) => counted(count, 'recognised line')),
    ...withheldTexts(texts, (count) => `${counted(count, 'text')} on the screen`),
  ];
}

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
  overviewed: OverviewedRuntime,
  findings: readonly Finding[],
  claims: readonly OverviewClaim[],
  { decision, review, check }: OverviewParts,
): Withheld[] {
  const caption = overviewed.study?.tail.captions.caption ?? null;
  const reasons = decision.state === 'withheld' ? decision.reasonCodes : [];
  const isDeclared = declaresLanguage(overviewed.runtime.accepted.record.analysisRequest);
  const isKept = review.state === 'withheld' || review.state === 'withdrawn';
  return [
    ...findings.flatMap((finding) => withheldFinding(finding, isDeclared)),
    ...withheldByGates(overviewed),
    ...claims.flatMap(withheldClaim),
    ...reasons.map((code) => withheld('the study, by its decision', code)),
    ...(isKept ? review.reasonCodes : []).map((code) => withheld('captions of the study', code)),
    ...(caption === null ? [] : withheldLines(caption)),
    ...(check.state === 'withheld' ? check.reasonCodes : []).map((code) =>
      withheld('the captions, by their check', code),
    ),
  ];
}

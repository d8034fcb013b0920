import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { EvidenceCause } from '../../contract/causes/causes.ts';
import { wireText } from '../../contract/causes/wording.ts';
import type { Claim } from '../../contract/evidence/assessment.ts';
import { detectedKinds } from '../../contract/evidence/evidence.ts';
import {
  type Finding,
  type FindingPlace,
  maximumPlaces,
  type OverviewClaim,
  type RuntimeOverview,
} from '../../contract/overview.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { countText, secondsText, timeCode } from '../../formats/readable-numbers.ts';
import type { Found } from '../../kinds/found.ts';
import { kindNamed } from '../../kinds/kinds.ts';
import { type UnrecognizedRegion, unrecognizedIn } from '../../rules/recognition.ts';
import { joined, totalLengthOf } from '../../rules/time-spans.ts';
import { isCorrected, type VerifiedCorrections } from '../captions/corrected-lines.ts';
import { stepCauseOf } from '../evidence/granted-operation.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { declaresLanguage, evidenceRowsOf, furtherRowsOf } from '../published/evidence.ts';
import { detectedEvidenceOf } from '../stages/admit.ts';
import type { VerifiedCaption } from '../stages/captions.ts';
import type { VerifiedRead } from '../stages/read.ts';
import type { VerifiedFindings } from '../stages/run-stages.ts';
import { optionalGrantOf } from '../study-run.ts';
import { absenceWords, foundIn, foundOf, reasonCause, reasonWords, unavailable } from './found.ts';
import type { OverviewedRuntime, OverviewParts } from './parts.ts';

const placeText = ({ startMs, endMs }: Range): string =>
  startMs === endMs ? timeCode(startMs) : `${timeCode(startMs)} to ${timeCode(endMs)}`;

const placeOf = ({ startMs, endMs }: Range): FindingPlace => ({ startMs, endMs, text: placeText({ startMs, endMs }) });

/** Only of text tracks there are several. */
function titleOf(name: Finding['kind'], trackIndex: number | null): string {
  const { title, track } = kindNamed(name) ?? { title: name.replaceAll('_', ' '), track: null };
  return trackIndex !== null && track === 'subtitle' ? `${title} of track ${trackIndex}` : title;
}

const findingOf = (
  { kind, state, reasonCode, artifactId, contentId, cause = null }: FoundRow,
  trackIndex: number | null,
  { text, brief = text, languages = [], fieldOrders = [], measures, places }: Found,
): Finding => ({
  kind,
  title: titleOf(kind, trackIndex),
  state,
  reasonCode,
  cause,
  trackIndex,
  text,
  brief,
  languages,
  fieldOrders,
  measures: [...measures],
  places: places.slice(0, maximumPlaces).map(placeOf),
  placeCount: places.length,
  artifactId,
  contentId,
});

const absentText = { not_yet: 'not measured yet', never: 'not measured: the study ended before' } as const;

const absent = (kind: Finding['kind'], state: 'not_yet' | 'never'): Finding => ({
  kind,
  title: titleOf(kind, null),
  state,
  reasonCode: null,
  cause: null,
  trackIndex: null,
  text: absentText[state],
  brief: absentText[state],
  languages: [],
  fieldOrders: [],
  measures: [],
  places: [],
  placeCount: 0,
  artifactId: null,
  contentId: null,
});

/** A row of which something can be said here. */
type FoundRow = Pick<EvidenceRow, 'state' | 'reasonCode' | 'artifactId' | 'contentId'> &
  Pick<Finding, 'kind'> & { readonly cause?: EvidenceCause | null };

/** The text on the screen of a study whose host was to read it; nothing of any other study. */
function screenFindings({ execution }: VerifiedRuntime, hasEnded: boolean): Finding[] {
  if (execution === null || optionalGrantOf(execution.opened.run.ids, 'readScreen') === undefined) return [];
  const { screenText } = execution.study.findings;
  if (screenText === null) return [absent('screen_text', hasEnded ? 'never' : 'not_yet')];
  const { delivered, found } = screenText;
  if (found !== null) return [findingOf(delivered, null, foundIn('screen_text', found.facts, found.input.range))];
  const { reasonCode } = delivered;
  const cause = stepCauseOf(screenText) ?? (reasonCode === null ? null : reasonCause(reasonCode));
  return [findingOf({ ...delivered, cause }, null, unavailable(reasonCode, true, cause))];
}

/**
 * The measurements of the passes beside the kinds that every study has. Missing ones are reported by the kinds that they belong
 * to.
 */
const furtherFindings = (runtime: VerifiedRuntime): Finding[] =>
  furtherRowsOf(runtime).flatMap((row) =>
    row.state === 'available' && row.kind !== 'screen_text'
      ? [findingOf(row, null, foundOf(row, runtime.accepted.record.analysisRequest.range))]
      : [],
  );

/** The track that each evidence artifact of a run was measured on. */
function trackIndexes({ execution }: VerifiedRuntime): ReadonlyMap<string, number | null> {
  const evidence = execution === null ? [] : detectedEvidenceOf(execution.study.findings);
  return new Map(
    evidence.flatMap(({ delivered, artifact }) =>
      artifact === null ? [] : [[delivered.artifactId, artifact.input.trackIndex] as const],
    ),
  );
}

/** True if the study was accepted by a host with a recognizer. */
const isRecognized = ({ execution }: VerifiedRuntime): boolean =>
  execution !== null && optionalGrantOf(execution.opened.run.ids, 'recognize') !== undefined;

/**
 * The findings of a runtime of each kind, in numbers with units and in words, in the order of its evidence. The kinds that it did
 * not come to follow. Numbers of evidence that came with the source are of the whole source, all others of the studied range.
 */
export function overviewFindingsOf(runtime: VerifiedRuntime, hasEnded: boolean): Finding[] {
  const { analysisRequest, sourceSession } = runtime.accepted.record;
  const whole = { startMs: 0, endMs: sourceSession.source.durationMs };
  const tracks = trackIndexes(runtime);
  const found = evidenceRowsOf(runtime).map((row) => {
    const trackIndex = row.state === 'available' ? (tracks.get(row.artifactId) ?? null) : (row.trackIndex ?? null);
    const range = row.kind.endsWith('-receipt') ? whole : analysisRequest.range;
    return findingOf(row, trackIndex, foundOf(row, range, declaresLanguage(runtime)));
  });
  const expected = detectedKinds.filter((kind) => kind !== 'transcript' || isRecognized(runtime));
  const missing = expected.filter((kind) => !found.some((finding) => finding.kind === kind));
  const all = [...found, ...missing.map((kind) => absent(kind, hasEnded ? 'never' : 'not_yet'))];
  return [...all, ...furtherFindings(runtime), ...screenFindings(runtime, hasEnded)];
}

/** Claims that say the same of several stretches. */
interface SameClaims {
  readonly claim: Claim;
  readonly spans: Range[];
  readonly receiptIds: Set<string>;
}

function citedSpans({ citations }: Claim, reads: readonly VerifiedRead[]): Range[] {
  return citations.flatMap(({ receiptContentId, factIndexes }) => {
    const read = reads.find(({ contentId }) => contentId === receiptContentId);
    return factIndexes.map((index) => {
      const fact = read?.body.facts[index];
      if (fact === undefined) throw new EvidenceChainError('assessment', 'claims.citations.factIndexes');
      return fact;
    });
  });
}

function subjectOf({ kind, value }: Claim): string {
  if (kind === 'transcript') return 'recognized words';
  if (kind === 'screen_text') return 'text recognized on the screen';
  if (kind === 'language_identity') return value === null ? 'speech in a language that was not identified' : value;
  return value === 'speech' ? 'speech' : 'no speech';
}

function sentenceOf({ claim, spans, receiptIds }: SameClaims): OverviewClaim {
  const windows = joined(spans);
  const range = { startMs: windows[0]?.startMs ?? 0, endMs: windows.at(-1)?.endMs ?? 0 };
  const totalMs = totalLengthOf(windows);
  const between = `between ${secondsText(range.startMs)} and ${secondsText(range.endMs)}`;
  const { kind, value, states } = claim;
  const doubt = states.includes('supported') ? '' : ` (${states.join(', ')})`;
  return {
    kind,
    value,
    states,
    text: `${subjectOf(claim)} in ${countText(windows.length, 'window')}, ${secondsText(totalMs)}, ${between}${doubt}`,
    windows: windows.length,
    totalMs,
    range,
    receiptIds: [...receiptIds],
  };
}

/**
 * The claims of a study, a sentence for each kind, value and state, in the order of their first place in its assessments. Facts
 * that touch are one window: a read may have cut them.
 */
export function claimSentences({ assessments, reads }: VerifiedFindings): OverviewClaim[] {
  const same = new Map<string, SameClaims>();
  for (const { body } of assessments) {
    for (const claim of body.claims) {
      const name = JSON.stringify([claim.kind, claim.value, claim.states]);
      const found = same.get(name) ?? { claim, spans: [], receiptIds: new Set() };
      found.spans.push(...citedSpans(claim, reads));
      found.receiptIds.add(body.receiptId);
      same.set(name, found);
    }
  }
  return [...same.values()].map(sentenceOf);
}

type Withheld = RuntimeOverview['withheld'][number];
type Fact = EvidenceRow['facts'][number];

const withheld = (what: string, reasonCode: string): Withheld => ({
  what,
  reasonCode,
  text: `${what}: ${reasonWords(reasonCode)}`,
  cause: reasonCause(reasonCode),
});

const withheldFinding = ({ title, reasonCode, cause }: Finding, isDeclared: boolean): Withheld[] =>
  reasonCode === null
    ? []
    : [{ what: title, reasonCode, text: `${title}: ${absenceWords(reasonCode, isDeclared, cause)}`, cause }];

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

/** The passages of a transcript that were not recognized, those that follow each other for the same cause as one. */
function unrecognizedParts(facts: readonly Fact[]): Withheld[] {
  const parts: { readonly cause: UnrecognizedRegion['cause']; startMs: number; endMs: number; next: number }[] = [];
  for (const { index, startMs, endMs, cause } of unrecognizedIn({ facts })) {
    const last = parts.at(-1);
    if (last?.next === index && hashOf(last.cause) === hashOf(cause)) Object.assign(last, { endMs, next: index + 1 });
    else parts.push({ cause, startMs, endMs, next: index + 1 });
  }
  return parts.map(({ cause, ...place }) => {
    const what = `speech from ${placeText(place)}`;
    return { what, reasonCode: 'recognition_failed', text: `${what} was not recognized: ${wireText(cause)}`, cause };
  });
}

/** Recognized lines and texts on the screen that no claim, caption or file has. */
function withheldByGates({ runtime }: OverviewedRuntime): Withheld[] {
  const facts = evidenceRowsOf(runtime).flatMap((row) => [...row.facts]);
  const lines = facts.flatMap((fact) => (fact.kind === 'transcript_line' ? [fact] : []));
  const screen = runtime.execution?.study.findings.screenText?.found?.facts ?? [];
  const texts = screen.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));
  return [
    ...unrecognizedParts(facts),
    ...withheldTexts(lines, (count) => countText(count, 'recognized line')),
    ...withheldTexts(texts, (count) => `${countText(count, 'text')} on the screen`),
  ];
}

/** The sides of lines that have no text, counted by side and reason; of the lines that a person corrected, if any were. */
function withheldLines({ artifact }: VerifiedCaption, corrections: VerifiedCorrections): Withheld[] {
  const counts = new Map<string, { side: CaptionSide; reasonCode: string; lines: number }>();
  for (const line of isCorrected(corrections) ? corrections.lines : artifact.body.lines) {
    for (const side of ['source', 'target'] as const) {
      const { text, reasonCode } = line[side];
      // A text of a person keeps the reason why the host had none.
      if (text !== null || reasonCode === null) continue;
      const name = `${side} ${reasonCode}`;
      const known = counts.get(name) ?? { side, reasonCode, lines: 0 };
      counts.set(name, { ...known, lines: known.lines + 1 });
    }
  }
  return [...counts.values()].map(({ side, reasonCode, lines }) =>
    withheld(`the ${side} side of ${countText(lines, 'line')}`, reasonCode),
  );
}

/** Everything of a runtime that is kept back, each with its reason, in the order in which it was decided. */
export function withheldPartsOf(
  overviewed: OverviewedRuntime,
  findings: readonly Finding[],
  claims: readonly OverviewClaim[],
  { decision, review, check }: OverviewParts,
): Withheld[] {
  const tail = overviewed.study?.tail ?? null;
  const caption = tail?.captions.caption ?? null;
  const reasons = decision.state === 'withheld' ? decision.reasonCodes : [];
  const isDeclared = declaresLanguage(overviewed.runtime);
  const isKept = review.state === 'withheld' || review.state === 'withdrawn';
  return [
    ...findings.flatMap((finding) => withheldFinding(finding, isDeclared)),
    ...withheldByGates(overviewed),
    ...claims.flatMap(withheldClaim),
    ...reasons.map((code) => withheld('the study, by its decision', code)),
    ...(isKept ? review.reasonCodes : []).map((code) => withheld('captions of the study', code)),
    ...(tail === null || caption === null ? [] : withheldLines(caption, tail.corrections)),
    ...(check.state === 'withheld' ? check.reasonCodes : []).map((code) =>
      withheld('the captions, by their check', code),
    ),
  ];
}

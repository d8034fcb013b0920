import test from 'ava';
import {
  type ClaimState,
  claimStates,
  type EvidenceAssessmentReceipt,
} from '../../../contract/evidence/evidence-assessment.ts';
import { type EvidenceDecisionReceipt, evidenceDecisionReceipt } from '../../../contract/evidence/evidence-decision.ts';
import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { decisionOf, decisionReceipt, performDecision } from '../../../receipts/evidence/evidence-decision.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { mutationsOf } from '../reopening/mutations.ts';
import { reopenDecision } from './opened-records.ts';
import { assessmentsOf, divided, inTurn, only, range, readsOf, run, runId, spoken, turns } from './spoken-study.ts';

const decided = (reads: readonly EvidenceReadReceipt[]): EvidenceDecisionReceipt =>
  reopenDecision(only(performDecision(run, assessmentsOf(reads)).objects));

const placeOf = (receipt: EvidenceDecisionReceipt, assessments: readonly EvidenceAssessmentReceipt[]): string | null =>
  faultPlace(() => decisionReceipt.audit(receipt, decisionReceipt.of(run, assessments)));

const subsetsOf = (states: readonly ClaimState[]): ClaimState[][] =>
  states.reduce<ClaimState[][]>((sets, state) => sets.concat(sets.map((set) => [...set, state])), [[]]).slice(1);

const withheldFor: Readonly<Record<string, readonly string[]>> = {
  withheld: ['audited_claim_withheld'],
  unknown: ['audited_claim_unknown'],
  truncated: ['audited_claim_truncated'],
  'withheld unknown': ['audited_claim_withheld', 'audited_claim_unknown'],
  'withheld truncated': ['audited_claim_withheld', 'audited_claim_truncated'],
  'unknown truncated': ['audited_claim_unknown', 'audited_claim_truncated'],
  'withheld unknown truncated': ['audited_claim_withheld', 'audited_claim_unknown', 'audited_claim_truncated'],
};

for (const states of subsetsOf(claimStates)) {
  test(`claims that are ${states.join(' and ')} lead to one decision, in whatever order they come`, (t) => {
    const gaps = states.filter((state) => state !== 'supported').join(' ');
    const expected =
      gaps === ''
        ? { outcome: 'proceed_to_publish_review', reasonCodes: ['all_audited_claims_supported'] }
        : { outcome: 'withheld', reasonCodes: withheldFor[gaps] };
    t.deepEqual<unknown, unknown>(decisionOf(new Set(states)), expected);
    t.deepEqual<unknown, unknown>(decisionOf(new Set(states.toReversed())), expected);
  });
}

test('speech and one language proceed to review', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 3))), inTurn(['ko'])]);
  const { decision, result, inputs } = decided(reads);
  t.deepEqual(decision, { outcome: 'proceed_to_publish_review', reasonCodes: ['all_audited_claims_supported'] });
  t.deepEqual(result, { auditedAssessmentCount: 1, auditedClaimCount: 3 });
  t.is(inputs.length, 1);
});

test('one unknown stretch of language withholds the whole study', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 3))), inTurn(['ko', 'ko', 'unknown'])]);
  t.deepEqual(decided(reads).decision, { outcome: 'withheld', reasonCodes: ['audited_claim_unknown'] });
});

test('claims of all four assessments are counted', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 1025)))]);
  const { decision, result } = decided(reads);
  t.deepEqual(result, { auditedAssessmentCount: 4, auditedClaimCount: 32 });
  t.deepEqual(decision, { outcome: 'withheld', reasonCodes: ['audited_claim_truncated'] });
});

test('without an assessment there is no decision', (t) => {
  t.throws(() => performDecision(run, []), {
    instanceOf: EvidenceChainError,
    message: /decision fails at: inputs/,
  });
});

test('a decision is journalled as started, recorded and completed', (t) => {
  const reads = readsOf([inTurn(['ko'])]);
  const { events, refs, objects } = performDecision(run, assessmentsOf(reads));
  t.deepEqual(
    events.map(({ type, producer }) => [type, producer.kind]),
    [
      ['analysis.evidence.decision_started', 'decision_host'],
      ['artifact.recorded', 'artifact_store'],
      ['analysis.evidence.decision_completed', 'decision_host'],
    ],
  );
  const { operationId, artifactId, receiptContentId } = refs;
  t.is(only(objects).contentId, receiptContentId);
  t.is(
    artifactId,
    `artifact:${hashOf({ runId, operationId, kind: 'evidence-decision-receipt', contentId: receiptContentId })}`,
  );
});

test('every change of a decision is caught, with a new id too', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 300))), inTurn(['ko', 'unknown'])]);
  const assessments = assessmentsOf(reads);
  const receipt = decided(reads);
  t.is(receipt.inputs.length, 2);
  t.is(placeOf(receipt, assessments), null);
  const missed: string[] = [];
  for (const { at, value } of mutationsOf(receipt)) {
    const shaped = evidenceDecisionReceipt.safeParse(value);
    if (!shaped.success) continue;
    if (placeOf(shaped.data, assessments) === null) missed.push(at);
    const { schema, receiptId, ...body } = shaped.data;
    const resigned = { schema, receiptId: `evidence-decision:${hashOf(body)}`, ...body };
    if (at !== '.receiptId' && placeOf(resigned, assessments) === null) {
      missed.push(at);
    }
  }
  t.deepEqual(missed, []);
});

test('the audit of a decision names the first place that does not follow', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 3))), inTurn(['ko', 'unknown'])]);
  const assessments = assessmentsOf(reads);
  const receipt = decided(reads);
  const { authorization } = receipt;
  t.is(
    placeOf({ ...receipt, decision: { ...receipt.decision, outcome: 'proceed_to_publish_review' } }, assessments),
    'decision: decision.outcome',
  );
  t.is(placeOf({ ...receipt, receiptId: `evidence-decision:${'0'.repeat(64)}` }, assessments), 'decision: receiptId');
  t.is(
    placeOf({ ...receipt, authorization: { ...authorization, agentId: 'agent:other' } }, assessments),
    'decision: authorization.agentId',
  );
  t.is(placeOf(receipt, []), 'decision: inputs');
  const other = { ...run, record: { ...run.record, runtimeId: 'runtime:other' } };
  t.throws(() => decisionReceipt.audit(receipt, decisionReceipt.of(other, assessments)), {
    instanceOf: EvidenceChainError,
    message: /decision fails at: inputs\[0\]\.artifactId/,
  });
});

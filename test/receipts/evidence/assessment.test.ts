import test from 'ava';
import {
  assessmentLimits,
  type Claim,
  type ClaimState,
  claimStates,
  type EvidenceAssessmentReceipt,
  type EvidenceDecisionReceipt,
  evidenceAssessmentReceipt,
  evidenceDecisionReceipt,
} from '../../../contract/evidence/assessment.ts';
import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import { contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { artifactIdOf } from '../../../receipts/identities.ts';
import { assessedReads, assessmentReceipt } from '../../../receipts/stages/assess.ts';
import { decisionReceipt, performDecision } from '../../../receipts/stages/decide.ts';
import { decisionOf, packReads, tokenCountOf } from '../../../rules/claims.ts';
import { fieldOf } from '../../fields.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { unseenChangesOf } from '../reopening/mutations.ts';
import { reopenDecision } from './opened-records.ts';
import { performAssessments } from './performed.ts';
import {
  assessmentsOf,
  divided,
  inTurn,
  type LanguageOutcome,
  only,
  range,
  readsOf,
  run,
  runId,
  spoken,
  turns,
} from './spoken-study.ts';

const claimsFrom = (reads: readonly EvidenceReadReceipt[]): Claim[] =>
  assessmentsOf(reads).flatMap(({ claims }) => claims);

const saidOf = (claims: readonly Claim[]) => claims.map(({ value, states }) => [value, states]);

const placeInAssessment = (receipt: EvidenceAssessmentReceipt, reads: readonly EvidenceReadReceipt[]): string | null =>
  faultPlace(() =>
    assessmentReceipt.audit(
      receipt,
      assessmentReceipt.of(run, assessedReads(receipt, new Map(reads.map((read) => [contentIdOfJson(read), read])))),
    ),
  );

test('a read of speech and silence makes one claim of each, over the hull of its facts', (t) => {
  const windows = divided(range, 5);
  const reads = readsOf([spoken(turns(windows))]);
  const { receiptId } = only(reads);
  const cited = { receiptId, receiptContentId: contentIdOfJson(only(reads)) };
  t.deepEqual(claimsFrom(reads), [
    {
      claimIndex: 0,
      kind: 'speech_activity',
      value: 'speech',
      range,
      states: ['supported'],
      citations: [{ ...cited, factIndexes: [0, 2, 4] }],
    },
    {
      claimIndex: 1,
      kind: 'speech_activity',
      value: 'non_speech',
      range: { startMs: windows[1]?.startMs ?? 0, endMs: windows[3]?.endMs ?? 0 },
      states: ['supported'],
      citations: [{ ...cited, factIndexes: [1, 3] }],
    },
  ]);
});

for (const [value, first] of [
  ['non_speech', 'silence'],
  ['speech', 'speech'],
] as const) {
  test(`a range of nothing but ${first} makes the one claim ${value}`, (t) => {
    t.deepEqual(saidOf(claimsFrom(readsOf([spoken(turns([range], first))]))), [[value, ['supported']]]);
  });
}

test('two languages in one read are two claims', (t) => {
  const claims = claimsFrom(readsOf([inTurn(['ko', 'en', 'ko'])]));
  t.deepEqual(saidOf(claims), [
    ['ko', ['supported']],
    ['en', ['supported']],
  ]);
  t.deepEqual(
    claims.map(({ citations }) => only(citations).factIndexes),
    [[0, 2], [1]],
  );
});

const abstentions: readonly (readonly [
  readonly LanguageOutcome[],
  readonly (readonly [string | null, readonly ClaimState[]])[],
])[] = [
  [['unknown'], [[null, ['unknown']]]],
  [['withheld'], [[null, ['withheld']]]],
  [['unknown', 'withheld'], [[null, ['withheld', 'unknown']]]],
  [
    ['withheld', 'ko', 'unknown'],
    [
      [null, ['withheld', 'unknown']],
      ['ko', ['supported']],
    ],
  ],
  [
    ['en', 'unknown'],
    [
      ['en', ['supported']],
      [null, ['unknown']],
    ],
  ],
];

for (const [language, said] of abstentions) {
  test(`the languages ${language.join(', ')} are claimed as ${said.map(([value]) => value ?? 'none').join(' and ')}`, (t) => {
    t.deepEqual(saidOf(claimsFrom(readsOf([inTurn(language)]))), said);
  });
}

test('a truncated read taints all its claims and those of no other read', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 1025)))]);
  const claims = claimsFrom(reads);
  t.is(claims.length, 32);
  t.deepEqual(fieldOf(claims, 'states'), [...new Array(30).fill(['supported']), ['truncated'], ['truncated']]);
});

test('unknown and truncated appear together, the graver first', (t) => {
  const reads = readsOf([inTurn(new Array(1025).fill('unknown'))]);
  t.deepEqual(claimsFrom(reads).at(-1)?.states, ['unknown', 'truncated']);
});

test('sixteen full reads of speech are four assessments within every limit', (t) => {
  const assessments = assessmentsOf(readsOf([spoken(turns(divided(range, 1024)))]));
  t.deepEqual(
    assessments.map(({ result }) => [result.readReceiptCount, result.claimCount, result.citationCount]),
    new Array(4).fill([4, 8, 8]),
  );
  const longest = Math.max(...assessments.map(({ result }) => result.tokenCount));
  t.log(`${longest} tokens of ${assessmentLimits.maxTokens}`);
  t.true(longest <= assessmentLimits.maxTokens / 2);
});

test('reads go into the first assessment with room for their claims', (t) => {
  const reads = [3, 6, 5, 2, 1, 1].map((count) =>
    only(readsOf([inTurn(['ko', 'en', 'ja', 'fr', 'de', 'es'].slice(0, count))])),
  );
  t.deepEqual(
    packReads(reads).map((group) => group.map(({ facts }) => facts.length)),
    [
      [3, 5],
      [6, 2],
      [1, 1],
    ],
  );
});

test('reads that returned nothing are not assessed', (t) => {
  t.deepEqual(performAssessments(run, readsOf([spoken([])])), { objects: [], events: [], refs: [] });
  t.deepEqual(performAssessments(run, []), { objects: [], events: [], refs: [] });
  const mixed = readsOf([spoken([]), inTurn(['ko'])]);
  t.deepEqual(fieldOf(only(assessmentsOf(mixed)).inputs, 'evidenceKind'), ['language_ranges']);
  t.throws(() => assessmentReceipt.of(run, readsOf([spoken([])])), {
    instanceOf: EvidenceChainError,
    message: /claims/,
  });
});

test('more reads than four assessments hold are refused', (t) => {
  const reads = readsOf([inTurn(['ko', 'en', 'ja', 'fr', 'de'])]);
  t.throws(() => performAssessments(run, new Array(5).fill(only(reads))), {
    instanceOf: EvidenceChainError,
    message: /assessment fails at: inputs/,
  });
});

test('an assessment is journaled as started, recorded and completed under one artifact', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 300))), inTurn(['ko'])]);
  const { events, refs, objects } = performAssessments(run, reads);
  t.deepEqual(
    events.map(({ type }) => type),
    new Array(2)
      .fill(['analysis.evidence.assessment_started', 'artifact.recorded', 'analysis.evidence.assessment_completed'])
      .flat(),
  );
  t.is(new Set(refs.map(({ operationId }) => operationId)).size, 2);
  for (const [at, { operationId, artifactId, receiptContentId }] of refs.entries()) {
    t.true(operationId.startsWith('operation:analysis-evidence-assess:'));
    t.is(receiptContentId, objects[at]?.contentId ?? '');
    t.is(
      artifactId,
      `artifact:${hashOf({ runId, operationId, kind: 'evidence-assessment-receipt', contentId: receiptContentId })}`,
    );
    const origin = { kind: 'operation_output', operationId } as const;
    t.is(artifactId, artifactIdOf({ runId, kind: 'evidence-assessment-receipt', contentId: receiptContentId, origin }));
  }
});

test('tokens are words, numbers and single marks of the canonical claims', (t) => {
  const [claim] = claimsFrom(readsOf([inTurn(['ko'])]));
  if (claim === undefined) throw new RangeError('no claim');
  t.is(tokenCountOf([]), 2);
  t.is(tokenCountOf([claim]), 82);
});

const outcomeSets: readonly (readonly LanguageOutcome[])[] = [['ko'], ['ko', 'unknown'], ['withheld', 'en', 'ja']];

for (const language of outcomeSets) {
  test(`every change of an assessment of ${language.join(', ')} is caught, with a new id too`, (t) => {
    const reads = readsOf([spoken(turns(divided(range, 3))), inTurn(language)]);
    const receipt = only(assessmentsOf(reads));
    t.is(placeInAssessment(receipt, reads), null);
    const place = (changed: typeof receipt) => placeInAssessment(changed, reads);
    t.deepEqual(unseenChangesOf(receipt, 'receiptId', evidenceAssessmentReceipt, place), []);
  });
}

test('the audit names the first place that does not follow', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 3))), inTurn(['ko', 'unknown'])]);
  const receipt = only(assessmentsOf(reads));
  const [speech, silence, korean, none] = receipt.claims;
  if (!(speech && silence && korean && none)) throw new RangeError('too few claims');
  const claimed = (...claims: Claim[]) => placeInAssessment({ ...receipt, claims }, reads);
  t.is(claimed(speech, silence, korean, { ...none, states: ['supported'] }), 'assessment: claims[3].states[0]');
  t.is(
    claimed({ ...speech, range: { ...range, endMs: 40999 } }, silence, korean, none),
    'assessment: claims[0].range.endMs',
  );
  t.is(placeInAssessment(receipt, reads.slice(0, 1)), 'assessment: inputs[1].receiptContentId');
  t.is(
    placeInAssessment({ ...receipt, receiptId: `evidence-assessment:${'0'.repeat(64)}` }, reads),
    'assessment: receiptId',
  );
  t.is(
    placeInAssessment({ ...receipt, authorization: { ...receipt.authorization, taskId: 'task:other' } }, reads),
    'assessment: authorization.taskId',
  );
});

test('a read that was changed after it was cited is caught by the assessment over it', (t) => {
  const reads = readsOf([inTurn(['ko', 'unknown'])]);
  const receipt = only(assessmentsOf(reads));
  const [first] = readsOf([inTurn(['ko', 'ko'])]);
  if (first === undefined) throw new RangeError('no read');
  t.is(placeInAssessment(receipt, [first]), 'assessment: inputs[0].receiptContentId');
});

test('claims cite every fact once, states follow the facts, the same reads give the same bytes', (t) => {
  const seed = 20260104;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const languageChoice: readonly LanguageOutcome[] = [
    'ko',
    'en',
    'ja',
    'unknown',
    'withheld',
    'fr',
    'de',
    'es',
    'it',
    'zh',
  ];
  for (let round = 0; round < 40; round += 1) {
    const choice = languageChoice.slice(below(5), 5 + below(6));
    const language = Array.from({ length: 1 + below(150) }, () => choice[below(choice.length)] ?? 'ko');
    const reads = readsOf([spoken(turns(divided(range, 1 + below(400)))), inTurn(language)]);
    const assessments = assessmentsOf(reads);
    t.true(assessments.length <= 4, `round ${round}`);
    const cited = assessments.flatMap(({ claims }) => claims.flatMap(({ citations }) => citations));
    for (const read of reads) {
      const indexes = cited
        .filter(({ receiptId }) => receiptId === read.receiptId)
        .flatMap(({ factIndexes }) => factIndexes);
      t.deepEqual(
        indexes.toSorted((one, other) => one - other),
        [...read.facts.keys()],
        `round ${round}`,
      );
    }
    for (const assessment of assessments) {
      t.is(placeInAssessment(assessment, reads), null);
      for (const { value, states } of assessment.claims) {
        t.is(value === null, states.includes('withheld') || states.includes('unknown'), `round ${round}`);
      }
    }
    t.deepEqual(fieldOf(performAssessments(run, reads).refs, 'receiptContentId'), assessments.map(contentIdOfJson));
  }
});

const decided = (reads: readonly EvidenceReadReceipt[]): EvidenceDecisionReceipt =>
  reopenDecision(only(performDecision(run, assessmentsOf(reads)).objects));

const placeInDecision = (
  receipt: EvidenceDecisionReceipt,
  assessments: readonly EvidenceAssessmentReceipt[],
): string | null => faultPlace(() => decisionReceipt.audit(receipt, decisionReceipt.of(run, assessments)));

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
  test(`claims that are ${states.join(' and ')} lead to one decision`, (t) => {
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

test('a decision is journaled as started, recorded and completed', (t) => {
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
  t.is(placeInDecision(receipt, assessments), null);
  const place = (changed: typeof receipt) => placeInDecision(changed, assessments);
  t.deepEqual(unseenChangesOf(receipt, 'receiptId', evidenceDecisionReceipt, place), []);
});

test('the audit of a decision names the first place that does not follow', (t) => {
  const reads = readsOf([spoken(turns(divided(range, 3))), inTurn(['ko', 'unknown'])]);
  const assessments = assessmentsOf(reads);
  const receipt = decided(reads);
  const { authorization } = receipt;
  t.is(
    placeInDecision(
      { ...receipt, decision: { ...receipt.decision, outcome: 'proceed_to_publish_review' } },
      assessments,
    ),
    'decision: decision.outcome',
  );
  t.is(
    placeInDecision({ ...receipt, receiptId: `evidence-decision:${'0'.repeat(64)}` }, assessments),
    'decision: receiptId',
  );
  t.is(
    placeInDecision({ ...receipt, authorization: { ...authorization, agentId: 'agent:other' } }, assessments),
    'decision: authorization.agentId',
  );
  t.is(placeInDecision(receipt, []), 'decision: inputs');
  const other = { ...run, record: { ...run.record, runtimeId: 'runtime:other' } };
  t.throws(() => decisionReceipt.audit(receipt, decisionReceipt.of(other, assessments)), {
    instanceOf: EvidenceChainError,
    message: /decision fails at: inputs\[0\]\.artifactId/,
  });
});

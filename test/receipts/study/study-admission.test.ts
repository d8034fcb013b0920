import { readFile } from 'node:fs/promises';
import test from 'ava';
import { z } from 'zod';
import {
  type DecisionReason,
  decisionReasons,
  type EvidenceDecisionReceipt,
} from '../../../contract/evidence/evidence-decision.ts';
import { publishReviewIntakeReceipt } from '../../../contract/review/publish-review-intake.ts';
import {
  readinessReference,
  type StudyReference,
  studyReadinessReceipt,
} from '../../../contract/study/study-readiness.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
import { performDecision } from '../../../receipts/evidence/evidence-decision.ts';
import { intakeIdOf, intakeReceipt } from '../../../receipts/study/publish-review-intake.ts';
import { admitStudy } from '../../../receipts/study/study-admission.ts';
import { readinessReceipt } from '../../../receipts/study/study-readiness.ts';
import { reopenDecision, reopenIntake, reopenReadiness } from '../evidence/opened-records.ts';
import { assessmentsOf, type Heard, inTurn, only, readsOf, run, runId } from '../evidence/spoken-study.ts';
import { faultPlace } from '../reopening/fault-place.ts';
import { mutationsOf } from '../reopening/mutations.ts';

const hex = (digit: string): string => digit.repeat(64);

const study: StudyReference = {
  studyId: `study:${hex('1')}`,
  artifactId: `artifact:${hex('2')}`,
  contentId: `sha256:${hex('3')}`,
  executorReceiptId: `span:${hex('4')}`,
  executorReceiptContentId: `sha256:${hex('5')}`,
};

function decisionAbout(heard: readonly Heard[]): EvidenceDecisionReceipt {
  const reads = readsOf([inTurn(heard)]);
  return reopenDecision(only(performDecision(run, assessmentsOf(reads)).objects));
}

const supported = decisionAbout(['ko']);

const withReasons = (reasonCodes: DecisionReason[]): EvidenceDecisionReceipt => ({
  ...supported,
  decision: { outcome: 'withheld', reasonCodes },
});

function admitted(decision: EvidenceDecisionReceipt | null) {
  const [ready, entered] = admitStudy(run, study, decision).objects;
  if (ready === undefined || entered === undefined) throw new RangeError('two objects were to be stored');
  return { readiness: reopenReadiness(ready), intake: reopenIntake(entered) };
}

test('the intake id is that of the golden vector', async (t) => {
  const vectors = z
    .object({ vectors: z.array(z.object({ name: z.string(), input: z.unknown(), expected: z.unknown() })) })
    .parse(JSON.parse(await readFile('fixtures/vectors/identities.json', 'utf8')));
  const vector = vectors.vectors.find(({ name }) => name === 'intakeId');
  const { runId, readiness } = z.object({ runId: z.string(), readiness: readinessReference }).parse(vector?.input);
  t.is<unknown, unknown>(intakeIdOf(runId, readiness), vector?.expected);
});

test('a study whose decision proceeds is ready and queued', (t) => {
  const { readiness, intake } = admitted(supported);
  t.is(readiness.outcome, 'ready');
  t.deepEqual(readiness.reasonCodes, []);
  t.deepEqual(intake.result, { outcome: 'queued', reasonCodes: [] });
});

test('a study without a decision is not ready and rejected', (t) => {
  const { readiness, intake } = admitted(null);
  t.is(readiness.outcome, 'not_ready');
  t.is(readiness.decision, null);
  t.deepEqual(intake.result, { outcome: 'rejected', reasonCodes: ['non_supported_root_coverage'] });
});

const [withheld, unknown, truncated] = decisionReasons;
const rejections: readonly (readonly [DecisionReason[], readonly string[]])[] = [
  [[withheld], ['non_supported_root_coverage']],
  [[unknown], ['non_supported_root_coverage']],
  [[truncated], ['hidden_gap']],
  [[withheld, unknown], ['non_supported_root_coverage']],
  [
    [withheld, truncated],
    ['hidden_gap', 'non_supported_root_coverage'],
  ],
  [
    [unknown, truncated],
    ['hidden_gap', 'non_supported_root_coverage'],
  ],
  [
    [withheld, unknown, truncated],
    ['hidden_gap', 'non_supported_root_coverage'],
  ],
];

for (const [reasons, said] of rejections) {
  test(`a decision for ${reasons.join(', ')} rejects with ${said.join(', ')}`, (t) => {
    const { readiness, intake } = admitted(withReasons(reasons));
    t.is(readiness.outcome, 'not_ready');
    t.deepEqual<unknown, unknown>(readiness.reasonCodes, said);
    t.deepEqual<unknown, unknown>(intake.result, { outcome: 'rejected', reasonCodes: said });
  });
}

test('a real decision over unknown language is rejected', (t) => {
  t.deepEqual(admitted(decisionAbout(['ko', 'unknown'])).intake.result.reasonCodes, ['non_supported_root_coverage']);
});

test('readiness and intake are identified by their run and what they rest on', (t) => {
  const { refs, objects } = admitStudy(run, study, supported);
  const { readiness, intake } = admitted(supported);
  t.is(readiness.readinessId, `study-readiness:${hashOf({ runId, study })}`);
  t.is(intake.intakeId, intakeIdOf(runId, refs.readiness));
  t.deepEqual(intake.input.readiness, refs.readiness);
  const { schema: one, receiptId: readinessReceiptId, ...readinessBody } = readiness;
  const { schema: other, receiptId: intakeReceiptId, ...intakeBody } = intake;
  t.is(`${one} ${other}`, 'studio.study-readiness.receipt.v1 studio.publish-review-intake.receipt.v1');
  t.is(readinessReceiptId, `study-readiness-receipt:${hashOf(readinessBody)}`);
  t.is(intakeReceiptId, `publish-review-intake-receipt:${hashOf(intakeBody)}`);
  const [, entered] = objects;
  t.is(refs.intake.receiptContentId, entered?.contentId ?? '');
  t.is(
    refs.intake.artifactId,
    `artifact:${hashOf({ runId, intakeId: intake.intakeId, kind: 'publish-review-intake-receipt', contentId: entered?.contentId })}`,
  );
  t.is(
    refs.readiness.artifactId,
    `artifact:${hashOf({
      runId,
      readinessId: readiness.readinessId,
      kind: 'study-readiness-receipt',
      contentId: refs.readiness.receiptContentId,
    })}`,
  );
});

test('readiness is recorded before the intake that names it, and nothing of it belongs to the task', (t) => {
  const { events } = admitStudy(run, study, supported);
  t.deepEqual(
    events.map(({ type, producer }) => [type, producer.kind]),
    [
      ['artifact.recorded', 'artifact_store'],
      ['publish.review.intake_started', 'publish_review_intake_host'],
      ['artifact.recorded', 'artifact_store'],
      ['publish.review.intake_completed', 'publish_review_intake_host'],
    ],
  );
  t.like(events[0]?.data, { artifact: { kind: 'study-readiness-receipt', producerTaskId: null } });
  t.like(events[2]?.data, { artifact: { kind: 'publish-review-intake-receipt', producerTaskId: null } });
});

test('every change of a readiness receipt is caught, with a new id too', (t) => {
  const decision = decisionAbout(['ko', 'unknown']);
  const { readiness } = admitted(decision);
  const derived = readinessReceipt.of(run, { study, decision });
  const missed: string[] = [];
  for (const { at, value } of mutationsOf(readiness)) {
    const shaped = studyReadinessReceipt.safeParse(value);
    if (!shaped.success) continue;
    const { schema, receiptId, ...body } = shaped.data;
    const resigned = { schema, receiptId: `study-readiness-receipt:${hashOf(body)}`, ...body };
    if (faultPlace(() => readinessReceipt.audit(shaped.data, derived)) === null) missed.push(at);
    if (at !== '.receiptId' && faultPlace(() => readinessReceipt.audit(resigned, derived)) === null) missed.push(at);
  }
  t.deepEqual(missed, []);
});

test('every change of an intake receipt is caught, with a new id too', (t) => {
  const { readiness, intake } = admitted(withReasons([unknown, truncated]));
  const derived = intakeReceipt.of(run, readiness);
  const missed: string[] = [];
  for (const { at, value } of mutationsOf(intake)) {
    const shaped = publishReviewIntakeReceipt.safeParse(value);
    if (!shaped.success) continue;
    const { schema, receiptId, ...body } = shaped.data;
    const resigned = { schema, receiptId: `publish-review-intake-receipt:${hashOf(body)}`, ...body };
    if (faultPlace(() => intakeReceipt.audit(shaped.data, derived)) === null) missed.push(at);
    if (at !== '.receiptId' && faultPlace(() => intakeReceipt.audit(resigned, derived)) === null) missed.push(at);
  }
  t.deepEqual(missed, []);
});

import test, { type ExecutionContext } from 'ava';
import { captionProductions } from '../../contract/captions/caption-answers.ts';
import { type CaptionPlan, captionPlanAnswer } from '../../contract/captions/caption-plan.ts';
import { captionCorrections, correctionAttestation } from '../../contract/captions/correction.ts';
import { runtimeJudgements } from '../../contract/judgement.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import {
  attestations,
  type PublishReviewDecisions,
  publishReviewDecisions,
  publishReviewIntakes,
} from '../../contract/review.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import { TestHost } from '../host/test-host.ts';
import { captionFlags, onlyRow, pathOf, revoke } from './captions/steps.ts';
import { eventsPage } from './host/study-steps.ts';

const flags = ['--caption-executor=grouped-subtitles', '--allow-embedded-subtitle-captions'];

const chosenIn = ({ sides }: CaptionPlan) => [sides.source.choice?.chosen, sides.target.choice?.chosen];

test('a plan states where the lines come from, and its digest is that of all of it', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const { plan, digest } = host.granted(t, await host.get(path), 200, captionPlanAnswer);
  t.is(digest, contentIdOfJson(plan));
  t.like(plan, { method: 'grouped-subtitles', lines: { count: 3 }, obstacles: [] });
  t.like(chosenIn(plan), [
    { trackIndex: 2, tag: 'kor', language: 'ko', reason: 'only_track' },
    { trackIndex: 3, tag: 'eng', language: 'en', reason: 'only_track' },
  ]);
  const again = host.granted(t, await host.get(path), 200, captionPlanAnswer);
  t.is(again.digest, digest);
});

test('every choice is in the digest of a plan', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const queries = [
    '',
    '?from=ko',
    '?to=EN',
    '?method=auto',
    '?method=grouped-subtitles',
    '?track=2',
    '?track=2&track=3',
  ];
  const digests = new Set<string>();
  for (const query of queries) {
    digests.add(host.granted(t, await host.get(`${path}${query}`), 200, captionPlanAnswer).digest);
  }
  t.is(digests.size, queries.length);
  const list = host.granted(t, await host.get(`${path}?track=2,3`), 200, captionPlanAnswer);
  t.true(digests.has(list.digest), 'a list with commas is the same');
});

test('a track is that of the side in its language, else of the first side without one', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const tracksOf = async (query: string) => {
    const { plan } = host.granted(t, await host.get(`${path}?${query}`), 200, captionPlanAnswer);
    return chosenIn(plan).map((chosen) => `${chosen?.trackIndex} ${chosen?.reason}`);
  };
  t.deepEqual(await tracksOf('track=3'), ['2 only_track', '3 chosen_by_person']);
  t.deepEqual(await tracksOf('track=3&track=2'), ['2 chosen_by_person', '3 chosen_by_person']);
});

test('a choice that the study does not have is refused with a reason', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const refusals = [
    ['to=fr', /captions from ko to en: study the film again/],
    ['from=en', /captions from ko to en/],
    ['to=%3F', /to is the tag/],
    ['method=magic', /method is one of auto/],
    ['track=0', /the text tracks of this study are 2, 3, and 0 is another one/],
    ['track=99', /99 is another one/],
    ['track=-1', /stream index/],
    ['track=', /stream index/],
    ['track=2&track=3&track=2', /another one for each side/],
    ['track=3&track=3', /another one for each side/],
  ] as const;
  for (const [query, reason] of refusals) {
    t.regex(host.refused(t, await host.get(`${path}?${query}`), 'invalid_caption_plan_request'), reason, query);
  }
  host.refused(t, await host.get(`${path}?tracks=2`), 'unknown_query');
  host.refused(t, await host.get(`${path}?to=en&to=en`), 'duplicate_query');
  host.refused(
    t,
    await host.get(pathOf('runtime:00000000-0000-4000-8000-000000000000', 'caption-plan')),
    'unknown_runtime',
  );
});

test('a plan by a method needs what a production by it needs', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  host.refused(t, await host.get(`${path}?method=recognized`), 'permission_required');
  host.refused(t, await host.get(`${path}?method=subtitles-translated`), 'engine_unavailable');
});

test('a host without a caption executor has a plan with this obstacle', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const path = pathOf(host.known.studies.tenSeconds, 'caption-plan');
  const { plan } = host.granted(t, await host.get(path), 200, captionPlanAnswer);
  t.like(plan, { method: null, lines: { count: 0 }, obstacles: [{ code: 'no_caption_executor' }] });
});

const approval = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
};

/** Sends a decision on a queued study beside the digest of a plan. */
async function decide(
  t: ExecutionContext,
  host: TestHost,
  runtimeId: string,
  plan: unknown,
  decision: object = approval,
) {
  const queue = host.granted(t, await host.get(pathOf(runtimeId, 'publish-review-intakes')), 200, publishReviewIntakes);
  const { integrity, producer, readiness, outcome, reasonCodes, ...intake } = onlyRow(queue.intakes);
  const reviewer = { id: 'reviewer:local-operator', attestation: attestations.decision };
  return host.post(pathOf(runtimeId, 'publish-review-decisions'), { intake, reviewer, decision, plan });
}

const eventsOf = (t: ExecutionContext, host: TestHost, runtimeId: string) =>
  eventsPage(t, host, runtimeId, '?limit=200');

const planOf = async (t: ExecutionContext, host: TestHost, runtimeId: string, query = '') =>
  host.granted(t, await host.get(`${pathOf(runtimeId, 'caption-plan')}${query}`), 200, captionPlanAnswer);

/** The approval that a granted decision gives. */
function approvalIn({ reviews }: PublishReviewDecisions) {
  const { reviewId, artifactId, receiptId, receiptContentId } = onlyRow(reviews);
  return { reviewId, artifactId, receiptId, receiptContentId };
}

/** A host with an approval of the plan that this query gives. */
async function planned(t: ExecutionContext, query = '', life: 'studied' = 'studied') {
  const host = await TestHost.open(t, { life, flags });
  const runtimeId = host.known.studies.tenSeconds;
  const { plan, digest } = await planOf(t, host, runtimeId, query);
  const decided = host.granted(t, await decide(t, host, runtimeId, digest), 201, publishReviewDecisions);
  return { host, runtimeId, plan, digest, approval: approvalIn(decided) };
}

const produceBy = (host: TestHost, runtimeId: string, approved: object, method?: string) =>
  host.post(pathOf(runtimeId, 'caption-productions'), { approval: approved, ...(method !== undefined && { method }) });

test('the plan of an approval is an event and a record of its own, in the commit of the decision', async (t) => {
  const { host, runtimeId, plan, digest, approval: approved } = await planned(t);
  const { events } = await eventsOf(t, host, runtimeId);
  const types = events.map(({ type }) => type).slice(-5);
  t.deepEqual(types, [
    'publish.review.decision_started',
    'artifact.recorded',
    'publish.review.decision_completed',
    'artifact.recorded',
    'publish.review.plan_recorded',
  ]);
  const last = events.at(-1);
  if (last?.type !== 'publish.review.plan_recorded') throw new Error('no plan');
  t.deepEqual(last.data.receipt.plan, plan);
  t.deepEqual(last.data.receipt.input, { approval: approved, planContentId: digest });
  await host.restart();
  const { judgements } = host.granted(t, await host.get(pathOf(runtimeId, 'judgements')), 200, runtimeJudgements);
  const judged = judgements.find(({ link }) => link === 'caption_plan');
  t.like(judged, { contentId: last.data.receiptContentId, judgement: { check: 'judged_again' } });
});

test('captions follow the plan of their approval', async (t) => {
  const { host, runtimeId, plan, approval: approved } = await planned(t, '?track=3&method=grouped-subtitles');
  const answer = await produceBy(host, runtimeId, approved);
  const { captions } = host.granted(t, answer, 201, captionProductions);
  t.deepEqual(onlyRow(captions).executor, plan.executor);
  t.is(onlyRow(captions).result.lineCount, plan.lines.count);
  await host.restart();
  host.granted(t, await host.get(pathOf(runtimeId, 'caption-productions')), 200, captionProductions);
});

test('a production by another method than that of the plan is refused, and by its own or by auto it is made', async (t) => {
  for (const method of ['auto', 'grouped-subtitles']) {
    const { host, runtimeId, approval: approved } = await planned(t);
    const refused = await produceBy(host, runtimeId, approved, 'embedded-subtitles');
    t.regex(host.refused(t, refused, 'caption_plan_mismatch'), /by the method grouped-subtitles/);
    host.granted(t, await produceBy(host, runtimeId, approved, method), 201, captionProductions);
  }
});

test('a host that gives another plan than the approved one makes no captions', async (t) => {
  const { host, runtimeId, approval: approved } = await planned(t);
  await host.restart(captionFlags.embedded);
  host.refused(t, await produceBy(host, runtimeId, approved), 'caption_plan_mismatch');
  await host.restart([]);
  host.refused(t, await produceBy(host, runtimeId, approved), 'caption_current_run_causality_required');
  await host.restart(flags);
  host.granted(t, await produceBy(host, runtimeId, approved), 201, captionProductions);
});

test('an approval without a plan has captions by any method', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const runtimeId = host.known.studies.tenSeconds;
  const decided = host.granted(t, await decide(t, host, runtimeId, undefined), 201, publishReviewDecisions);
  const { events } = await eventsOf(t, host, runtimeId);
  t.is(events.at(-1)?.type, 'publish.review.decision_completed');
  host.granted(t, await produceBy(host, runtimeId, approvalIn(decided), 'embedded-subtitles'), 201, captionProductions);
});

test('a plan that the host does not give is not approved, and nothing is written', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const runtimeId = host.known.studies.tenSeconds;
  const other = await planOf(t, host, host.known.studies.oneSecond);
  const chosen = await planOf(t, host, runtimeId, '?track=2');
  const before = (await eventsOf(t, host, runtimeId)).journalHead;
  host.refused(t, await decide(t, host, runtimeId, `sha256:${'0'.repeat(64)}`), 'caption_plan_mismatch');
  host.refused(t, await decide(t, host, runtimeId, other.digest), 'caption_plan_mismatch');
  host.refused(t, await decide(t, host, runtimeId, 'sha256:0'), 'invalid_review_request');
  const rejection = { outcome: 'reject_with_reasons', reasonCodes: ['other_review_concern'], note: null };
  host.refused(t, await decide(t, host, runtimeId, chosen.digest, rejection), 'invalid_review_request');
  t.is((await eventsOf(t, host, runtimeId)).journalHead, before);
  await host.restart();
  // The choices behind a digest are in memory alone.
  host.refused(t, await decide(t, host, runtimeId, chosen.digest), 'caption_plan_mismatch');
  t.is((await planOf(t, host, runtimeId, '?track=2')).digest, chosen.digest);
  host.granted(t, await decide(t, host, runtimeId, chosen.digest), 201, publishReviewDecisions);
});

test('the plan without choices is approved also after a restart', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const runtimeId = host.known.studies.tenSeconds;
  const { digest } = await planOf(t, host, runtimeId);
  await host.restart();
  host.granted(t, await decide(t, host, runtimeId, digest), 201, publishReviewDecisions);
});

test('a plan with an obstacle is not approved', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const runtimeId = host.known.studies.tenSeconds;
  const { digest, plan } = await planOf(t, host, runtimeId);
  t.deepEqual(
    plan.obstacles.map(({ code }) => code),
    ['no_caption_executor'],
  );
  const refused = await decide(t, host, runtimeId, digest);
  t.regex(host.refused(t, refused, 'caption_lines_unavailable'), /^no_caption_executor/);
  host.granted(t, await decide(t, host, runtimeId, undefined), 201, publishReviewDecisions);
});

test('captions of an approved plan are made after the host died in between', async (t) => {
  const { host, runtimeId, plan, approval: approved } = await planned(t, '?track=2');
  await host.die();
  const { captions } = host.granted(t, await produceBy(host, runtimeId, approved), 201, captionProductions);
  t.deepEqual(onlyRow(captions).executor, plan.executor);
});

/** Rewords the first line of a runtime, before or after an approval. */
async function reword(t: ExecutionContext, host: TestHost, runtimeId: string, target: string) {
  const path = pathOf(runtimeId, 'caption-corrections');
  const { head, lines } = host.granted(t, await host.get(path), 200, captionCorrections);
  const [line] = lines;
  if (line === undefined) throw new Error('no line');
  const { id, startMs, endMs } = line;
  const answer = await host.post(path, {
    clientRequestId: target.replaceAll(' ', '-'),
    head,
    changes: [{ lineIds: [id], lines: [{ startMs, endMs, target }] }],
    reviewer: { id: 'reviewer:local-operator', attestation: correctionAttestation },
    note: null,
  });
  return host.granted(t, answer, 201, captionCorrections);
}

test('lines that a person corrected before are those of the plan, or the plan is not approved', async (t) => {
  const host = await TestHost.open(t, { life: 'studied', flags });
  const runtimeId = host.known.studies.tenSeconds;
  await reword(t, host, runtimeId, 'Good evening');
  const other = await planOf(t, host, runtimeId, '?method=embedded-subtitles');
  const refused = await decide(t, host, runtimeId, other.digest);
  t.regex(host.refused(t, refused, 'caption_plan_mismatch'), /a person corrected other lines/);
  const { digest } = await planOf(t, host, runtimeId);
  const decided = host.granted(t, await decide(t, host, runtimeId, digest), 201, publishReviewDecisions);
  await reword(t, host, runtimeId, 'Good night');
  host.granted(t, await produceBy(host, runtimeId, approvalIn(decided)), 201, captionProductions);
  await host.restart();
  const answer = await host.get(pathOf(runtimeId, 'caption-corrections'));
  const { lines, corrections } = host.granted(t, answer, 200, captionCorrections);
  t.is(lines[0]?.target.text, 'Good night');
  t.is(corrections.length, 2);
});

test('under a plan the lines before captions are those of the plan, on a host with another executor, too', async (t) => {
  const { host, runtimeId } = await planned(t, '?method=grouped-subtitles');
  await host.restart(captionFlags.embedded);
  const answer = await host.get(pathOf(runtimeId, 'caption-corrections'));
  const { lines } = host.granted(t, answer, 200, captionCorrections);
  t.is(lines[0]?.id, 'grouped-subtitle-line-001');
});

test('an approval with a plan is revoked, and the overview names plans and their absence', async (t) => {
  const { host, runtimeId, digest, plan, approval: approved } = await planned(t);
  const overview = async () => host.granted(t, await host.get(pathOf(runtimeId, 'overview')), 200, runtimeOverview);
  t.deepEqual((await overview()).review.plan, { digest, compared: plan.compared });
  t.deepEqual((await overview()).review.causes, []);
  await revoke(t, host, { runtimeId, approval: approved });
  t.is((await overview()).review.plan, undefined);
  host.refused(t, await produceBy(host, runtimeId, approved), 'caption_authority_required');
  await host.restart();
  t.is((await overview()).situation.code, 'approval_withdrawn');
});

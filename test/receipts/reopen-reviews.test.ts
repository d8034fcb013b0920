import test from 'ava';
import type { ReviewDecision, RevocationDecision } from '../../contract/publish-review.ts';
import { draftEvent } from '../../receipts/event-draft.ts';
import { recordReview, reviewIdOf, reviewStarted } from '../../receipts/publish-review-decision.ts';
import { recordRevocation, revocationIdOf, revocationStarted } from '../../receipts/publish-review-revocation.ts';
import { reviewQueueOf } from '../../receipts/review-queue.ts';
import type { AdmissionReference } from '../../receipts/study-admission.ts';
import { causeOf } from '../../receipts/study-run.ts';
import type { EventDraft } from '../../storage/ledger.ts';
import { placeOf, reopened } from './reopened.ts';
import { contentOf, storedEvents, storedRuntimeOf, writtenEvents } from './stored-content-in-memory.ts';
import { type StoredStudy, storedStudy } from './stored-study.ts';

const queued = storedStudy({ version: 1, windows: 4 });
const rejected = storedStudy({ version: 3, windows: 4 });
const reviewer = { id: 'reviewer:one', label: 'One' };
const approval: ReviewDecision = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
};
const rejection: ReviewDecision = {
  outcome: 'reject_with_reasons',
  reasonCodes: ['other_review_concern'],
  note: 'later',
};
const withdrawal: RevocationDecision = { reasonCodes: ['new_review_required'], note: null };
const reason = { code: 'review_not_recorded', message: 'no space' };

const intakeOf = ({ steps }: StoredStudy) => (steps.admit as { admission: AdmissionReference }).admission.intake;

/** The steps that a review of a study takes, each with the events and objects that it leaves. */
function reviewOf(study: StoredStudy, decision: ReviewDecision) {
  const { run } = study;
  const asked = { intake: intakeOf(study), reviewer, decision };
  const recorded = recordReview(run, asked);
  const revoking = { approval: recorded.refs, reviewer, revocation: withdrawal };
  const revoked = recordRevocation(run, revoking);
  const reviewId = reviewIdOf(run.record.runtimeId, asked.intake);
  const revocationId = revocationIdOf(run.record.runtimeId, recorded.refs);
  return {
    started: [reviewStarted(run, asked)],
    failed: [draftEvent('publish.review.decision_failed', { reviewId, reason }, causeOf(run))],
    recorded: recorded.events,
    revocationStarted: [revocationStarted(run, revoking)],
    revocationFailed: [draftEvent('publish.review.revocation_failed', { revocationId, reason }, causeOf(run))],
    revoked: revoked.events,
    objects: [...recorded.objects, ...revoked.objects],
  };
}

const approved = reviewOf(queued, approval);

/** A finished study whose journal goes on with these events. */
function goingOn(study: StoredStudy, ...tail: readonly (readonly EventDraft[])[]) {
  const files = new Map(study.files);
  for (const { contentId, bytes } of approved.objects) files.set(contentId, bytes);
  for (const { contentId, bytes } of reviewOf(study, rejection).objects) files.set(contentId, bytes);
  const drafts = [...study.commits.flat(), ...tail.flat()];
  const events = storedEvents(writtenEvents(study.run.record.runtimeId, drafts));
  return [{ ...storedRuntimeOf(study), events }, contentOf(files)] as const;
}

test('a review is followed from its first word to its withdrawal', async (t) => {
  const { started, failed, recorded, revocationStarted, revocationFailed, revoked } = approved;
  const tails: [readonly (readonly EventDraft[])[], boolean, boolean][] = [
    [[started], false, false],
    [[started, failed], false, false],
    [[started, failed, started, recorded], true, false],
    [[started, recorded, revocationStarted], true, false],
    [[started, recorded, revocationStarted, revocationFailed], true, false],
    [[started, recorded, revocationStarted, revocationFailed, revocationStarted, revoked], true, true],
  ];
  for (const [tail, isReviewed, isRevoked] of tails) {
    const { runtime } = await reopened(...goingOn(queued, ...tail));
    const review = runtime.execution?.study.tail.review ?? null;
    t.is(review !== null, isReviewed);
    t.is((review?.revocation ?? null) !== null, isRevoked);
    t.is(reviewQueueOf(runtime).intakes[0]?.outcome, 'queued');
  }
});

test('a rejection is the last word on an intake', async (t) => {
  const { started, recorded } = reviewOf(queued, rejection);
  const { runtime } = await reopened(...goingOn(queued, started, recorded));
  t.is(runtime.execution?.study.tail.review?.receipt.body.decision.outcome, 'reject_with_reasons');
  const end = queued.commits.flat().length;
  for (const tail of [approved.started, approved.revocationStarted]) {
    t.is(await placeOf(...goingOn(queued, started, recorded, tail)), `journal: event ${end + 4}: type`);
  }
});

test('what could not have happened in this order is named', async (t) => {
  const { started, failed, recorded, revocationStarted, revocationFailed, revoked } = approved;
  const end = queued.commits.flat().length;
  const orders: [readonly (readonly EventDraft[])[], number][] = [
    [[failed], 1],
    [[recorded], 2],
    [[started, started], 2],
    [[revocationStarted], 1],
    [[started, recorded, started], 4],
    [[started, recorded, revoked], 5],
    [[started, recorded, revocationFailed], 4],
    [[started, recorded, revocationStarted, revoked, revocationStarted], 7],
    [[queued.commits.at(-1)?.slice(-1) ?? []], 1],
  ];
  for (const [tail, at] of orders) {
    t.is(await placeOf(...goingOn(queued, ...tail)), `journal: event ${end + at}: type`);
  }
  const cut = await placeOf(...goingOn(queued, started, recorded.slice(0, 1)));
  t.is(cut, `journal: event ${end + 3}: missing`);
});

test('nobody decides on an intake that was rejected, or on that of another run', async (t) => {
  const own = reviewOf(rejected, approval);
  t.is(await placeOf(...goingOn(rejected, own.started)), `journal: event ${rejected.commits.flat().length + 1}: type`);
  const foreign = await placeOf(...goingOn(queued, own.started));
  t.regex(foreign ?? '', /^journal: event \d+: (correlationId|data\.request\.intake)/);
});

test('a receipt of a review that has changed is named', async (t) => {
  const { started, recorded, revocationStarted, revoked, objects } = approved;
  const links = ['review', 'revocation'];
  for (const [index, { contentId }] of objects.entries()) {
    const [stored] = goingOn(queued, started, recorded, revocationStarted, revoked);
    const files = new Map(queued.files);
    for (const each of objects)
      files.set(each.contentId, each.contentId === contentId ? Buffer.from('{}\n') : each.bytes);
    t.is(await placeOf(stored, contentOf(files)), `${links[index]}: content`);
    files.delete(contentId);
    t.is(await placeOf(stored, contentOf(files)), `${links[index]}: missing`);
  }
});

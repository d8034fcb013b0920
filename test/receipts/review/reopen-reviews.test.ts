import test from 'ava';
import { reviewQueueOf } from '../../../receipts/published/review.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { goingOn } from '../captions/captioned-studies.ts';
import { contentOf } from '../core/stored-content-in-memory.ts';
import { type StoredStudy, storedStudy } from '../evidence/stored-study.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { approval, rejection, reviewOf } from './review-steps.ts';

const queued = storedStudy({ version: 1, windows: 4 });
const rejected = storedStudy({ version: 3, windows: 4 });
const approved = reviewOf(queued, approval);

/** A finished study whose journal goes on with these events. */
const goneOn = (study: StoredStudy, ...tail: readonly (readonly EventDraft[])[]) =>
  goingOn(study, [...approved.objects, ...reviewOf(study, rejection).objects], ...tail);

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
    const { runtime } = await reopened(...goneOn(queued, ...tail));
    const review = runtime.execution?.study.tail.review ?? null;
    t.is(review !== null, isReviewed);
    t.is((review?.revocation ?? null) !== null, isRevoked);
    t.is(reviewQueueOf(runtime).intakes[0]?.outcome, 'queued');
  }
});

test('a rejection is the last word on an intake', async (t) => {
  const { started, recorded } = reviewOf(queued, rejection);
  const { runtime } = await reopened(...goneOn(queued, started, recorded));
  t.is(runtime.execution?.study.tail.review?.receipt.body.decision.outcome, 'reject_with_reasons');
  const end = queued.commits.flat().length;
  for (const tail of [approved.started, approved.revocationStarted]) {
    t.is(await placeOf(...goneOn(queued, started, recorded, tail)), `journal: event ${end + 4}: type`);
  }
});

test('an impossible order of events is named', async (t) => {
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
    t.is(await placeOf(...goneOn(queued, ...tail)), `journal: event ${end + at}: type`);
  }
  const cut = await placeOf(...goneOn(queued, started, recorded.slice(0, 1)));
  t.is(cut, `journal: event ${end + 3}: missing`);
});

test('a rejected intake, or one of another run, gets no decision', async (t) => {
  const own = reviewOf(rejected, approval);
  t.is(await placeOf(...goneOn(rejected, own.started)), `journal: event ${rejected.commits.flat().length + 1}: type`);
  const foreign = await placeOf(...goneOn(queued, own.started));
  t.regex(foreign ?? '', /^journal: event \d+: (correlationId|data\.request\.intake)/);
});

test('a receipt of a review that has changed is named', async (t) => {
  const { started, recorded, revocationStarted, revoked, objects } = approved;
  const links = ['review', 'revocation'];
  for (const [index, { contentId }] of objects.entries()) {
    const [stored] = goneOn(queued, started, recorded, revocationStarted, revoked);
    const files = new Map(queued.files);
    for (const each of objects)
      files.set(each.contentId, each.contentId === contentId ? Buffer.from('{}\n') : each.bytes);
    t.is(await placeOf(stored, contentOf(files)), `${links[index]}: content`);
    files.delete(contentId);
    t.is(await placeOf(stored, contentOf(files)), `${links[index]}: missing`);
  }
});

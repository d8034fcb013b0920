import test, { type ExecutionContext } from 'ava';
import { attestations } from '../../../contract/review/publish-review.ts';
import { storageFault } from '../../../storage/objects/object-store-error.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { rejection } from '../../receipts/review/review-steps.ts';
import { refusedCall } from '../../storage/refused-call.ts';
import { held, openCaptionBench } from '../captions/caption-bench.ts';
import { newDataRoot, store } from '../reopening/stored-studies.ts';

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });
const decided = ['decision_started', 'artifact.recorded', 'decision_completed'];
const withdrawn = ['revocation_started', 'artifact.recorded', 'revocation_completed'];

async function queuedStudy(t: ExecutionContext) {
  const root = await newDataRoot(t);
  const bench = await openCaptionBench(t, root);
  const runtimeId = await store(bench.store, study);
  return { root, bench, runtimeId, after: bench.ledger.journalHead(runtimeId).seq };
}

test('a decision and a withdrawal are one commit each, and leave no actor beside their journal', async (t) => {
  const { bench, runtimeId, after } = await queuedStudy(t);
  const before = bench.ledger.commits.length;
  const approval = await bench.approve(runtimeId);
  t.is(bench.ledger.commits.length, before + 1);
  t.deepEqual(await bench.journal(runtimeId, after), decided);
  await bench.revoke(runtimeId, approval);
  t.is(bench.ledger.commits.length, before + 2);
  t.deepEqual(await bench.journal(runtimeId, after), [...decided, ...withdrawn]);
  for (const space of ['snapshot', 'live'] as const) {
    t.deepEqual(await bench.store.ledger.list(space, 'publish-review'), []);
  }
});

test('a host that dies while it stores the receipt of a decision leaves nothing of it, and the study can be decided', async (t) => {
  const { root, bench, runtimeId, after } = await queuedStudy(t);
  const storing = held();
  bench.hook.storing = storing.wait;
  bench.approve(runtimeId).catch(() => undefined);
  await storing.reached;
  await bench.close();

  const next = await openCaptionBench(t, root);
  t.like(await next.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [] });
  t.deepEqual(await next.journal(runtimeId, after), []);
  t.deepEqual((await next.reviews.reviews(runtimeId)).reviews, []);
  await next.approve(runtimeId);
  t.deepEqual(await next.journal(runtimeId, after), decided);
});

test('a decision whose receipt cannot be stored is journalled as failed, and may be made again', async (t) => {
  const { bench, runtimeId, after } = await queuedStudy(t);
  bench.hook.storing = () => Promise.reject(new Error('no space'));
  await t.throwsAsync(bench.approve(runtimeId), { code: 'internal_failure' });
  t.deepEqual(await bench.journal(runtimeId, after), ['decision_started', 'decision_failed']);
  t.deepEqual((await bench.reviews.reviews(runtimeId)).reviews, []);
  bench.hook.storing = () => undefined;
  await bench.approve(runtimeId);
  t.deepEqual((await bench.journal(runtimeId, after)).slice(2), decided);
});

for (const [reason, code] of [
  ['ENOSPC', 'insufficient_storage'],
  ['EIO', 'storage_unavailable'],
] as const) {
  test(`a decision whose receipt the system refuses with ${reason} says so, and may be made again`, async (t) => {
    const { bench, runtimeId, after } = await queuedStudy(t);
    bench.hook.storing = () => Promise.reject(storageFault(refusedCall(reason), 'an object'));
    await t.throwsAsync(bench.approve(runtimeId), { code });
    t.deepEqual(await bench.journal(runtimeId, after), ['decision_started', 'decision_failed']);
    bench.hook.storing = () => undefined;
    await bench.approve(runtimeId);
  });
}

test('of a decision and another that comes while its receipt is stored, the first stands', async (t) => {
  const { bench, runtimeId, after } = await queuedStudy(t);
  const [queued] = (await bench.reviews.intakes(runtimeId)).intakes;
  if (queued === undefined) return t.fail('nothing is queued');
  const { intakeId, artifactId, receiptId, receiptContentId } = queued;
  const storing = held();
  bench.hook.storing = storing.wait;
  const first = bench.approve(runtimeId);
  await storing.reached;
  const second = bench.reviews.decide(runtimeId, {
    intake: { intakeId, artifactId, receiptId, receiptContentId },
    reviewer: { id: 'reviewer:one', attestation: attestations.decision },
    decision: rejection,
  });
  storing.release();
  await first;
  await t.throwsAsync(second, { code: 'illegal_review_transition' });
  t.deepEqual(await bench.journal(runtimeId, after), decided);
});

import test, { type ExecutionContext } from 'ava';
import { verifyRuntime } from '../../actors/reopening/verify-runtime.ts';
import { attestations } from '../../contract/review.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import { storageFault } from '../../storage/objects/object-store-error.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { twoTracks } from '../receipts/evidence/stored-tracks.ts';
import { approval, rejection, reviewOf } from '../receipts/review/review-steps.ts';
import { refusedCall } from '../storage/refused-call.ts';
import { held, openCaptionBench } from './captions/caption-bench.ts';
import { newDataRoot, openStore, store } from './reopening/stored-studies.ts';

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

test('a host that dies while it stores the receipt of a decision leaves nothing of it', async (t) => {
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

test('a decision whose receipt cannot be stored is journaled as failed, and may be made again', async (t) => {
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
  test(`a decision whose receipt the system refuses with ${reason} may be made again`, async (t) => {
    const { bench, runtimeId, after } = await queuedStudy(t);
    bench.hook.storing = () => Promise.reject(storageFault(refusedCall(reason), 'an object'));
    await t.throwsAsync(bench.approve(runtimeId), { code });
    t.deepEqual(await bench.journal(runtimeId, after), ['decision_started', 'decision_failed']);
    bench.hook.storing = () => undefined;
    await bench.approve(runtimeId);
  });
}

test('of a decision and another that comes while its receipt is stored, the first counts', async (t) => {
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

const { runtimeId } = study.run.record;

const approving = reviewOf(study, approval);

const rejecting = reviewOf(study, rejection);

const { reviewId } = approving.approval;

const row = (value: string, changes: object = {}) => ({
  kind: 'publish-review',
  machineId: 'publish-review',
  machineVersion: 1,
  input: { runtimeId, reviewId },
  status: value,
  updatedAt: 0,
  ticket: null,
  resumes: 0,
  totalResumes: 0,
  remainingMs: null,
  snapshot: { status: 'active', value, historyValue: {}, context: { runtimeId, reviewId }, children: {} },
  ...changes,
});

const rowOf = (value: unknown): Write[] => [
  { put: 'snapshot', key: reviewId, value },
  { put: 'live', key: reviewId, value: { kind: 'publish-review' } },
];

/** A host that starts over what an earlier version left: a finished study, these events after it, and this row. */
async function startedOver(t: ExecutionContext, events: (typeof approving)['started'], value: unknown) {
  const root = await newDataRoot(t);
  const earlier = await openStore(root);
  await store(earlier, study);
  const after = earlier.ledger.journalHead(runtimeId).seq;
  await earlier.objectStore.putAll(approving.objects);
  await earlier.ledger.commit([...(events.length === 0 ? [] : [{ append: runtimeId, events }]), ...rowOf(value)]);
  await earlier.close();
  const bench = await openCaptionBench(t, root);
  return { root, bench, after };
}

async function isIntact(t: ExecutionContext, root: string): Promise<void> {
  const opened = await openStore(root);
  await t.notThrowsAsync(verifyRuntime(opened, runtimeId, () => undefined));
  await opened.close();
}

const { started, recorded, revocationStarted } = approving;

const concluded = ['artifact.recorded', 'decision_completed'];

for (const [what, { events, value, said, state }] of Object.entries({
  'an approval': { events: started, value: row('deciding'), said: concluded, state: 'approved_for_caption_production' },
  'a rejection': { events: rejecting.started, value: row('deciding'), said: concluded, state: 'rejected' },
  'a withdrawal': {
    events: [...started, ...recorded, ...revocationStarted],
    value: row('revoking'),
    said: ['artifact.recorded', 'revocation_completed'],
    state: 'approval_revoked',
  },
  'an approval whose row has another form': {
    events: started,
    value: row('elsewhere', { machineVersion: 2 }),
    said: concluded,
    state: 'approved_for_caption_production',
  },
})) {
  test(`${what}, cut in an earlier version, ends at the next start`, async (t) => {
    const { root, bench, after } = await startedOver(t, events, value);
    t.like(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [] });
    t.deepEqual((await bench.journal(runtimeId, after)).slice(events.length), said);
    t.like((await bench.reviews.reviews(runtimeId)).reviews, [{ state }]);
    t.deepEqual(await bench.store.ledger.list('snapshot', reviewId), []);
    t.deepEqual(await bench.store.ledger.list('live'), []);
    t.deepEqual(bench.reports, []);
    await bench.close();
    await isIntact(t, root);
  });
}

test('a start that dies between the end of a cut review and the end of its row is made up for', async (t) => {
  const { bench, after } = await startedOver(t, [...started, ...recorded], row('deciding'));
  await bench.recover();
  t.is((await bench.journal(runtimeId, after)).length, 3);
  t.deepEqual(await bench.store.ledger.list('live'), []);
});

test('a cut decision whose receipt cannot be stored is journaled as failed, and can be repeated', async (t) => {
  const { bench, after } = await startedOver(t, started, row('deciding'));
  bench.hook.storing = () => Promise.reject(new Error('no space'));
  await bench.recover();
  t.deepEqual(await bench.journal(runtimeId, after), ['decision_started', 'decision_failed']);
  t.regex(bench.reports.join(), /^the review publish-review:\w+ was not brought to its end: /);
  bench.hook.storing = () => undefined;
  await bench.approve(runtimeId);
  t.is((await bench.reviews.reviews(runtimeId)).reviews.length, 1);
});

test('a cut review whose row cannot be read is left aside, and its runtime still reads', async (t) => {
  const { bench } = await startedOver(t, started, { kind: 'publish-review' });
  t.like(await bench.recover(), { damaged: [reviewId] });
  t.deepEqual((await bench.reviews.reviews(runtimeId)).reviews, []);
});

test('an approval that rested in an earlier version follows its journal, and can be withdrawn', async (t) => {
  const root = await newDataRoot(t);
  const earlier = await openStore(root);
  await store(earlier, study);
  await earlier.objectStore.putAll(approving.objects);
  await earlier.ledger.commit([
    { append: runtimeId, events: [...started, ...recorded] },
    { put: 'snapshot', key: reviewId, value: row('approved') },
  ]);
  await earlier.close();
  const bench = await openCaptionBench(t, root);
  t.like(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [] });
  const revoked = await bench.revoke(runtimeId, approving.approval);
  t.is(revoked.reviews[0]?.state, 'approval_revoked');
  await bench.close();
  await isIntact(t, root);
});

import test, { type ExecutionContext } from 'ava';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import type { Write } from '../../../storage/ledger/ledger.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { approval, rejection, reviewOf } from '../../receipts/review/review-steps.ts';
import { openCaptionBench } from '../captions/caption-bench.ts';
import { newDataRoot, openStore, store } from '../reopening/stored-studies.ts';

// What hosts up to version 0.2.0 left of a review that they were cut in: its start, and the row of its actor.

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });
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
const ended = ['artifact.recorded', 'decision_completed'];

for (const [what, { events, value, said, state }] of Object.entries({
  'an approval': { events: started, value: row('deciding'), said: ended, state: 'approved_for_caption_production' },
  'a rejection': { events: rejecting.started, value: row('deciding'), said: ended, state: 'rejected' },
  'a withdrawal': {
    events: [...started, ...recorded, ...revocationStarted],
    value: row('revoking'),
    said: ['artifact.recorded', 'revocation_completed'],
    state: 'approval_revoked',
  },
  'an approval whose row has another form': {
    events: started,
    value: row('elsewhere', { machineVersion: 2 }),
    said: ended,
    state: 'approved_for_caption_production',
  },
})) {
  test(`${what} that a host of an earlier version was cut in comes to its end when the next one starts`, async (t) => {
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

test('a start that dies after the end of a cut review, and before its row is gone, is made up for by the next', async (t) => {
  const { bench, after } = await startedOver(t, [...started, ...recorded], row('deciding'));
  await bench.recover();
  t.is((await bench.journal(runtimeId, after)).length, 3);
  t.deepEqual(await bench.store.ledger.list('live'), []);
});

test('a cut decision whose receipt cannot be stored is journalled as failed, and may be made again', async (t) => {
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

test('the row of an approval that rested in an earlier version is not asked: the journal is, and it can be withdrawn', async (t) => {
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

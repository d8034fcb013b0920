import test, { type ExecutionContext } from 'ava';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { newDataRoot, store } from '../reopening/stored-studies.ts';
import { quiet } from '../supervision/bench.ts';
import { type CaptionBenchOptions, held, openCaptionBench } from './caption-bench.ts';

async function approvedStudy(t: ExecutionContext, options: CaptionBenchOptions = {}) {
  const bench = await openCaptionBench(t, await newDataRoot(t), options);
  const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  const approval = await bench.approve(runtimeId);
  return { bench, runtimeId, approval, after: bench.ledger.journalHead(runtimeId).seq };
}

const withdrawn = ['revocation_started', 'artifact.recorded', 'revocation_completed'];
const made = ['started', 'artifact.recorded', 'artifact.recorded', 'completed'];
const checked = ['artifact.recorded', 'quality_control_decided'];

test('a withdrawal that lands while captions are made stops them, and nothing comes after it', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const storing = held();
  bench.hook.storing = storing.wait;
  const producing = bench.captions.produce(runtimeId, { approval });
  await storing.reached;
  bench.hook.storing = () => undefined;
  const revoking = bench.revoke(runtimeId, approval);
  await t.throwsAsync(producing, {
    message: 'revoked: the approval was withdrawn',
    code: 'illegal_caption_transition',
  });
  await revoking;
  const expected = ['started', 'failed revoked: the approval was withdrawn', ...withdrawn];
  t.deepEqual(await bench.journal(runtimeId, after), expected);
  storing.release();
  await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), expected);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
  await t.throwsAsync(bench.captions.produce(runtimeId, { approval }), { code: 'caption_authority_required' });
  t.deepEqual(bench.reports, []);
});

test('a withdrawal that comes after the captions leaves them and their check', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const storing = held();
  let stored = 0;
  bench.hook.storing = () => {
    stored += 1;
    return stored === 2 ? storing.wait() : undefined;
  };
  const producing = bench.captions.produce(runtimeId, { approval });
  await storing.reached;
  await bench.revoke(runtimeId, approval);
  storing.release();
  await producing;
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...withdrawn, ...checked]);
  const { captions } = await bench.reads.productions(runtimeId);
  t.is(captions[0]?.authorityState, 'revoked_after_completion');
  t.is((await bench.reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

test('captions whose commit is on its way when the approval is withdrawn are on disk before the withdrawal is', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { ledger } = bench;
  const storing = held();
  bench.hook.storing = storing.wait;
  const producing = bench.captions.produce(runtimeId, { approval });
  await storing.reached;
  bench.hook.storing = () => undefined;
  const before = ledger.commits.length;
  ledger.shut();
  storing.release();
  while (ledger.commits.length === before) await new Promise((resolve) => setImmediate(resolve));
  const revoking = bench.revoke(runtimeId, approval);
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(ledger.commits.length, before + 1);
  ledger.open();
  await Promise.all([producing, revoking]);
  const said = await bench.journal(runtimeId, after);
  t.deepEqual(said.slice(0, 4), made);
  t.true(said.indexOf('completed') < said.indexOf('revocation_started'));
  t.is((await bench.reads.productions(runtimeId)).captions.length, 1);
});

test('nothing begins under an approval whose withdrawal is being written down', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const storing = held();
  bench.hook.storing = storing.wait;
  const revoking = bench.revoke(runtimeId, approval);
  await storing.reached;
  // All of a withdrawal is on disk, or nothing of it.
  t.deepEqual(await bench.journal(runtimeId, after), []);
  const producing = bench.captions.produce(runtimeId, { approval });
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(await bench.journal(runtimeId, after), []);
  storing.release();
  await t.throwsAsync(producing, { code: 'caption_authority_required' });
  await revoking;
  t.deepEqual(await bench.journal(runtimeId, after), withdrawn);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
});

test('captions may be made again once a withdrawal could not be written down', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  bench.hook.storing = () => Promise.reject(new Error('no space'));
  await t.throwsAsync(bench.revoke(runtimeId, approval), { code: 'internal_failure' });
  bench.hook.storing = () => undefined;
  await bench.captions.produce(runtimeId, { approval });
  const said = await bench.journal(runtimeId, after);
  t.deepEqual(said, ['revocation_started', 'revocation_failed', ...made, ...checked]);
});

test('an approval is withdrawn only when an attempt that is down has written its end', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, {
    definition: ({ writes }) => ({
      writes: (change) => {
        if (change.emissions.some(({ type }) => type === 'commit')) throw new Error('its entries cannot be worked out');
        return writes(change);
      },
    }),
  });
  const crashed = new Promise<void>((resolve) => {
    const { push } = bench.reports;
    bench.reports.push = (...lines) => {
      resolve();
      return push.apply(bench.reports, lines);
    };
  });
  const producing = bench.captions.produce(runtimeId, { approval });
  await crashed;
  const revoking = bench.revoke(runtimeId, approval);
  await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), ['started']);
  bench.clock.advance(100);
  const interrupted = 'interrupted: the attempt was cut short';
  await t.throwsAsync(producing, { message: interrupted, code: 'illegal_caption_transition' });
  await revoking;
  t.deepEqual(await bench.journal(runtimeId, after), ['started', `failed ${interrupted}`, ...withdrawn]);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
});

test('requests and withdrawals at once leave a runtime that can be reopened, whoever comes first', async (t) => {
  for (const isRevokedFirst of [true, false]) {
    const { bench, runtimeId, approval, after } = await approvedStudy(t);
    const produce = () => bench.captions.produce(runtimeId, { approval });
    const revoke = () => bench.revoke(runtimeId, approval);
    const order = isRevokedFirst ? [revoke, produce, produce] : [produce, revoke, produce];
    await Promise.allSettled(order.map((run) => run()));
    const { captions } = await bench.reads.productions(runtimeId);
    const said = await bench.journal(runtimeId, after);
    t.is(said.filter((word) => word === 'revocation_completed').length, 1);
    t.is(said.filter((word) => word === 'started').length, isRevokedFirst ? 0 : 1);
    t.is(captions.length, said.includes('completed') ? 1 : 0);
  }
});

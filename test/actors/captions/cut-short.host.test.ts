import test from 'ava';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import { aloneDelayMs, deathLimit } from '../../../actors/supervision/recovery.ts';
import { hashOf } from '../../../formats/canonical-json.ts';
import { headKey, nameOf, rowKey } from '../../../storage/ledger/keys.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { store } from '../reopening/stored-studies.ts';
import { quiet } from '../supervision/bench.ts';
import { approvedStudy, type CaptionBench, checked, held, made, openCaptionBench } from './caption-bench.ts';

const cut = 'failed interrupted: the attempt was cut short';

/** Has a host begin to store something for the n-th time and die there; nobody hears of it any more. */
async function diesAt(bench: CaptionBench, storing: number, begin: () => Promise<unknown>): Promise<void> {
  const gate = held();
  let stored = 0;
  bench.hook.storing = () => {
    stored += 1;
    return stored === storing ? gate.wait() : undefined;
  };
  begin().catch(() => undefined);
  await gate.reached;
  await bench.close();
}

const jobIdsOf = async ({ store: { ledger } }: CaptionBench, runtimeId: string): Promise<string[]> => {
  const { events } = await ledger.journalPage(runtimeId, 0, 200);
  return events
    .map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')))
    .filter(({ type }) => type === 'caption.production_started')
    .map(({ data }) => data.jobId);
};

test('an attempt that its host did not survive is over, and said so once', async (t) => {
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval }));
  for (const life of [1, 2]) {
    const next = await openCaptionBench(t, root);
    const { resumed, waiting, ended, damaged } = await next.recover();
    t.deepEqual([resumed, waiting, damaged], [0, 0, []]);
    t.is(ended.length, life === 1 ? 1 : 0);
    t.regex(ended[0] ?? ': what', /: what/);
    t.deepEqual(await next.journal(runtimeId, after), ['started', cut]);
    t.deepEqual((await next.reads.productions(runtimeId)).captions, []);
    t.deepEqual(next.supervisor.liveRows('caption-production'), []);
    await next.close();
  }
});

test('an attempt after one that was cut short has its number in its name, and three are all', async (t) => {
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval }));
  for (const attempt of [1, 2]) {
    const next = await openCaptionBench(t, root);
    await next.recover();
    t.is((await jobIdsOf(next, runtimeId)).length, attempt);
    await diesAt(next, 1, () => next.captions.produce(runtimeId, { approval }));
  }
  const last = await openCaptionBench(t, root);
  await last.recover();
  const attempts = ['started', cut];
  t.deepEqual(await last.journal(runtimeId, after), [...attempts, ...attempts, ...attempts]);
  await t.throwsAsync(last.captions.produce(runtimeId, { approval }), { message: /^all attempts/ });
  const [{ readiness } = { readiness: null }] = (await last.reviews.intakes(runtimeId)).intakes;
  const record = storedStudy({ version: 1, windows: 4, tracks: twoTracks }).steps.admit as { study: object };
  const named = { runId: runtimeId, approval, readiness, study: record.study };
  t.deepEqual(
    await jobIdsOf(last, runtimeId),
    [named, { ...named, attempt: 1 }, { ...named, attempt: 2 }].map((each) => `caption-production:${hashOf(each)}`),
  );
});

test('the approval of an attempt that was cut short is still good', async (t) => {
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval }));
  const next = await openCaptionBench(t, root);
  await next.recover();
  await next.captions.produce(runtimeId, { approval });
  t.deepEqual(await next.journal(runtimeId, after), ['started', cut, ...made, ...checked]);
  t.is((await next.reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

test('a check that its host did not survive is made by the next one', async (t) => {
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t);
  await diesAt(bench, 2, () => bench.captions.produce(runtimeId, { approval }));
  const next = await openCaptionBench(t, root);
  t.is((await next.recover()).resumed, 1);
  await quiet(next);
  while (next.supervisor.liveRows('caption-production').length > 0) await quiet(next);
  t.deepEqual(await next.journal(runtimeId, after), [...made, ...checked]);
  t.is((await next.reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

test('a check that no host survives, though it runs alone, rests after the fifth death', async (t) => {
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t);
  await diesAt(bench, 2, () => bench.captions.produce(runtimeId, { approval }));
  for (let life = 0; life < 2; life += 1) {
    const next = await openCaptionBench(t, root);
    await diesAt(next, 1, () => next.recover());
  }
  for (let deaths = 0; deaths < deathLimit; deaths += 1) {
    const next = await openCaptionBench(t, root);
    await diesAt(next, 1, async () => {
      await next.recover();
      next.clock.advance(aloneDelayMs(deaths));
    });
  }
  const last = await openCaptionBench(t, root);
  t.regex((await last.recover()).ended[0] ?? '', /resumes exhausted/);
  t.deepEqual(await last.journal(runtimeId, after), made);
  const [row] = (await last.reads.productions(runtimeId)).captions;
  if (row === undefined) throw new Error('there are captions');
  await last.captions.check(runtimeId, {
    candidate: {
      jobId: row.jobId,
      captionArtifactId: row.captionArtifactId,
      captionContentId: row.captionContentId,
      captionReceiptId: row.receiptId,
      captionReceiptContentId: row.receiptContentId,
    },
  });
  t.deepEqual(await last.journal(runtimeId, after), [...made, ...checked]);
});

test('an attempt of another version of its chart is over, and the approval good', async (t) => {
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval }));
  await withRawRows(dataRootAt(root).ledger, async (rows) => {
    for await (const [key, stored] of rows.iterator()) {
      const name = nameOf(key);
      if (!name.startsWith('caption-production:') || !key.equals(rowKey('snapshot', name))) continue;
      const row = decodeRow(key, stored) as Record<string, unknown>;
      await rows.put(key, encodeRow(key, { ...row, machineVersion: 0 }));
    }
  });
  const next = await openCaptionBench(t, root);
  await next.recover();
  const reason = 'interrupted: version 0 of caption-production can no longer be resumed';
  t.deepEqual(await next.journal(runtimeId, after), ['started', `failed ${reason}`]);
  await next.captions.produce(runtimeId, { approval });
  t.is((await next.reads.productions(runtimeId)).captions.length, 1);
});

test('an attempt over a journal that was damaged meanwhile ends without writing to it', async (t) => {
  const { root, bench, runtimeId, approval } = await approvedStudy(t);
  const other = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks, attempt: 'other' }));
  const otherApproval = await bench.approve(other);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval }));
  await withRawRows(dataRootAt(root).ledger, (rows) => rows.put(headKey(runtimeId), Buffer.from('no head')));
  const next = await openCaptionBench(t, root);
  t.is((await next.recover()).ended.length, 1);
  t.deepEqual(next.supervisor.liveRows('caption-production'), []);
  await t.throwsAsync(next.reads.productions(runtimeId), { code: 'stored_content_inconsistent' });
  await t.throwsAsync(next.captions.produce(runtimeId, { approval }), { code: 'stored_content_inconsistent' });
  await next.captions.produce(other, { approval: otherApproval });
  t.is((await next.reads.productions(other)).captions.length, 1);
});

/** A kind that crashes when it is about to write captions down, this often. */
const crashing = (times: number) => {
  let crashes = 0;
  return ({ writes }: ActorDefinition<'caption-production'>): Partial<ActorDefinition<'caption-production'>> => ({
    writes: (change) => {
      if (change.before === 'producing' && change.after.value === 'checking' && crashes < times) {
        crashes += 1;
        throw new Error('its entries cannot be worked out');
      }
      return writes(change);
    },
  });
};

test('an attempt that crashed is not entered a second time, and the next has another name', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, { definition: crashing(1) });
  const { captions, clock } = bench;
  const producing = captions.produce(runtimeId, { approval });
  while (bench.reports.length === 0) await quiet(bench);
  clock.advance(100);
  await t.throwsAsync(producing, { code: 'illegal_caption_transition', message: /^interrupted: / });
  t.deepEqual(await bench.journal(runtimeId, after), ['started', cut]);
  t.is(clock.pending, 0);
  await captions.produce(runtimeId, { approval });
  t.deepEqual(await bench.journal(runtimeId, after), ['started', cut, ...made, ...checked]);
  t.is(new Set(await jobIdsOf(bench, runtimeId)).size, 2);
});

test('a second request while an attempt is down is refused, and disturbs nothing', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, { definition: crashing(1) });
  const { captions, clock } = bench;
  const producing = captions.produce(runtimeId, { approval });
  while (bench.reports.length === 0) await quiet(bench);
  await t.throwsAsync(captions.produce(runtimeId, { approval }), { message: 'the approval is used already' });
  t.deepEqual(await bench.journal(runtimeId, after), ['started']);
  clock.advance(100);
  await t.throwsAsync(producing);
  t.deepEqual(await bench.journal(runtimeId, after), ['started', cut]);
});

test('a check that crashed begins again by itself', async (t) => {
  let crashes = 0;
  const { bench, runtimeId, approval, after } = await approvedStudy(t, {
    definition: ({ writes }) => ({
      writes: (change) => {
        if (change.after.value === 'checked' && crashes === 0) {
          crashes += 1;
          throw new Error('its entries cannot be worked out');
        }
        return writes(change);
      },
    }),
  });
  const producing = bench.captions.produce(runtimeId, { approval });
  while (bench.reports.length === 0) await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), made);
  bench.clock.advance(100);
  await producing;
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...checked]);
});

const withdrawn = ['revocation_started', 'artifact.recorded', 'revocation_completed'];

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

test('captions whose commit is on its way are on disk before the withdrawal is', async (t) => {
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

import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openHost } from '../../actors/host.ts';
import { JournalHealth } from '../../actors/study/studies.ts';
import { runVerify } from '../../cli/verify-command.ts';
import type { ApprovalReference } from '../../contract/review.ts';
import { goldenHost } from '../../fixtures/golden-store/contents.ts';
import { readLog } from '../../storage/leveldb.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { openCaptionBench } from '../actors/captions/caption-bench.ts';
import { newDataRoot, openStore, store } from '../actors/reopening/stored-studies.ts';
import { storedStudy } from '../receipts/evidence/stored-study.ts';
import { twoTracks } from '../receipts/evidence/stored-tracks.ts';

/** A data root whose one approval was withdrawn after captions were made of it, in the last life of its host. */
async function withdrawnRoot(t: ExecutionContext) {
  const root = await newDataRoot(t);
  const first = await openCaptionBench(t, root);
  const runtimeId = await store(first.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  const approval: ApprovalReference = await first.approve(runtimeId);
  await first.captions.produce(runtimeId, { approval });
  await first.close();
  const second = await openCaptionBench(t, root);
  await second.revoke(runtimeId, approval);
  t.is((await second.reads.productions(runtimeId)).captions[0]?.authorityState, 'revoked_after_completion');
  await second.close();
  return { root, runtimeId };
}

async function logOf(root: string): Promise<string> {
  const { ledger } = dataRootAt(root);
  const [name = ''] = (await readdir(ledger)).filter((each) => each.endsWith('.log'));
  return join(ledger, name);
}

const host = (t: ExecutionContext, dataRoot: string) =>
  openHost({
    features: [],
    dataRoot,
    ...goldenHost,
    report: () => undefined,
    onFatal: (error) => t.fail(error.message),
  });

interface Ending {
  readonly code: number;
  readonly stdout: string;
}

async function verify(...args: readonly string[]): Promise<Ending> {
  let stdout = '';
  const code = await runVerify(args, { stdout: (text) => (stdout += text), stderr: () => undefined });
  return { code, stdout };
}

for (const attack of ['one bit is flipped', 'the tail is cut'] as const) {
  test(`where ${attack} in the log of a withdrawal, nothing of the ledger is served`, async (t) => {
    const { root: attacked, runtimeId } = await withdrawnRoot(t);
    const path = await logOf(attacked);
    const { records } = readLog(await readFile(path));
    const last = records.at(-1)?.offset ?? 0;
    if (attack === 'the tail is cut') await truncate(path, records[0]?.offset ?? 0);
    else {
      const bytes = await readFile(path);
      bytes[last + 20] = (bytes[last + 20] ?? 0) ^ 1;
      await writeFile(path, bytes);
    }
    const error = await t.throwsAsync(host(t, attacked), { code: 'ledger_damaged' });
    t.regex(error?.message ?? '', /acknowledged commits are missing/);
    const ofRuntime = await verify(runtimeId, '--data-root', attacked);
    t.is(ofRuntime.code, 1);
    t.regex(ofRuntime.stdout, /damaged: .* at store: ledger_damaged: .*acknowledged commits are missing/);
    const ofStore = await verify('--store', '--json', '--data-root', attacked);
    t.is(ofStore.code, 1);
    t.like(JSON.parse(ofStore.stdout), { verdict: 'damaged', unproven: [], keptAt: null });
    await t.throwsAsync(host(t, attacked), { code: 'ledger_damaged' });
  });
}

test('an owner who gives up what was lost has a host that serves nothing possibly withdrawn', async (t) => {
  const { root, runtimeId } = await withdrawnRoot(t);
  await truncate(await logOf(root), 0);
  const given = await verify('--store', '--accept-loss', '--data-root', root);
  t.is(given.code, 0, given.stdout);
  t.regex(
    given.stdout,
    new RegExp(`^FAIL  store  acknowledged commits are missing.*withheld  ${runtimeId}\n.*\ngiven up: `, 's'),
  );
  const { quarantine } = dataRootAt(root);
  const [kept = ''] = await readdir(quarantine);
  t.regex(kept, /^ledger\.\d+$/);
  t.true((await readdir(join(quarantine, kept))).includes('CURRENT'));

  const store = await verify('--store', '--data-root', root);
  t.is(store.code, 0, store.stdout);
  const runtime = await verify(runtimeId, '--data-root', root);
  t.is(runtime.code, 1);
  t.regex(runtime.stdout, /at journal: invalid_journal_chain: .* may lack its last events/);

  await (await host(t, root)).close();
  const bench = await openCaptionBench(t, root);
  const withheld = { code: 'stored_content_inconsistent' };
  await t.throwsAsync(bench.reads.productions(runtimeId), withheld);
  await t.throwsAsync(bench.reviews.intakes(runtimeId), withheld);
  const health = new JournalHealth(bench.store.ledger, () => false);
  t.is((await health.damage(runtimeId))?.reason.code, 'stored_content_inconsistent');
  await t.throwsAsync(bench.store.ledger.journalPage(runtimeId, 0, 10), { code: 'invalid_journal_chain' });
  const event = { producer: { kind: 'host', id: 'test' }, causationId: null, correlationId: null, type: 'x', data: 1 };
  const appending = bench.store.ledger.commit([{ append: runtimeId, events: [event] }]);
  await t.throwsAsync(appending, { code: 'invalid_journal_chain' });
  await bench.close();
  // Later requests are answered completely.
  const opened = await openStore(root);
  await opened.ledger.commit([{ put: 'record', key: 'later', value: 1 }]);
  await opened.close();
  t.is((await verify('--store', '--data-root', root)).code, 0);
});

test('a ledger that lost nothing has nothing to give up', async (t) => {
  const { root } = await withdrawnRoot(t);
  const ending = await verify('--store', '--accept-loss', '--data-root', root);
  t.is(ending.code, 0);
  t.regex(ending.stdout, /^intact: the ledger of /);
});

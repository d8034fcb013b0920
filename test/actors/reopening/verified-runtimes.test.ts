import { chmod, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import test from 'ava';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { ServiceError } from '../../../contract/base/service-error.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { recordReview, reviewStarted } from '../../../receipts/review/publish-review-decision.ts';
import type { AdmissionReference } from '../../../receipts/study/study-admission.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { newDataRoot, openStore, store } from './stored-studies.ts';

const spoken = storedStudy({ version: 1, windows: 4 });
const atTheLimits = storedStudy({ version: 1, windows: 1024, attempt: 'limits' });

const faultOf = async (runtimes: VerifiedRuntimes, runtimeId: string): Promise<string> => {
  try {
    await runtimes.read(runtimeId);
    return 'intact';
  } catch (error) {
    if (error instanceof EvidenceChainError) return `${error.link}: ${error.place}`;
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
};

test('a second read hashes nothing, whatever the runtime rests on', async (t) => {
  const root = await newDataRoot(t);
  const first = await openStore(root);
  const runtimeId = await store(first, atTheLimits);
  await first.close();
  const opened = await openStore(root);
  t.teardown(() => opened.close());
  const runtimes = new VerifiedRuntimes(opened);
  const cold = performance.now();
  const runtime = await runtimes.read(runtimeId);
  const warm = performance.now();
  t.is(opened.hashed, atTheLimits.files.size);
  opened.hashed = 0;
  for (let reads = 0; reads < 10; reads += 1) t.is(await runtimes.read(runtimeId), runtime);
  t.is(opened.hashed, 0);
  t.log(`cold ${(warm - cold).toFixed(0)} ms, warm ${((performance.now() - warm) / 10).toFixed(1)} ms`);
});

test('a file that was only touched is hashed once more, and nothing else', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const runtimeId = await store(opened, spoken);
  const runtimes = new VerifiedRuntimes(opened);
  const runtime = await runtimes.read(runtimeId);
  const [contentId = ''] = spoken.files.keys();
  await utimes(opened.objectStore.locate(contentId), new Date(0), new Date(0));
  opened.hashed = 0;
  t.is(await runtimes.read(runtimeId), runtime);
  t.is(opened.hashed, 1);
});

test('a file that changed, went or cannot be read fails the read until it is whole again', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const runtimeId = await store(opened, spoken);
  const runtimes = new VerifiedRuntimes(opened);
  t.is(await faultOf(runtimes, runtimeId), 'intact');
  for (const contentId of spoken.files.keys()) {
    const path = opened.objectStore.locate(contentId);
    const bytes = await readFile(path);
    await chmod(path, 0o600);
    await writeFile(path, Buffer.from(bytes).fill(0x20, 0, 1));
    t.regex(await faultOf(runtimes, runtimeId), /: content$/);
    await rm(path);
    t.regex(await faultOf(runtimes, runtimeId), /: missing$/);
    await writeFile(path, bytes);
    t.is(await faultOf(runtimes, runtimeId), 'intact');
  }
});

test('a step takes the look of the command that it belongs to for its own, and nobody else does', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const runtimeId = await store(opened, spoken);
  const runtimes = new VerifiedRuntimes(opened);
  const beganAtMs = performance.now();
  const runtime = await runtimes.read(runtimeId);
  const [contentId = ''] = spoken.files.keys();
  await rm(opened.objectStore.locate(contentId));
  t.is(await runtimes.read(runtimeId, beganAtMs), runtime);
  // Whoever asks together with another reader gets an answer that both can take.
  const together = await Promise.allSettled([runtimes.read(runtimeId, beganAtMs), runtimes.read(runtimeId)]);
  t.deepEqual(
    together.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.not(await faultOf(runtimes, runtimeId), 'intact');
});

test('everyone who asks while a runtime is being reopened waits for one reopening', async (t) => {
  const root = await newDataRoot(t);
  const first = await openStore(root);
  const runtimeId = await store(first, spoken);
  await first.close();
  const opened = await openStore(root);
  t.teardown(() => opened.close());
  const runtimes = new VerifiedRuntimes(opened);
  const answers = await Promise.all(Array.from({ length: 20 }, () => runtimes.read(runtimeId)));
  t.is(new Set(answers).size, 1);
  t.is(opened.hashed, spoken.files.size);
});

test('of a journal that has grown only the new events are folded, and what they name is read', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const runtimeId = await store(opened, spoken);
  const runtimes = new VerifiedRuntimes(opened);
  const before = await runtimes.read(runtimeId);
  const { admission } = spoken.steps.admit as { admission: AdmissionReference };
  const asked = {
    intake: admission.intake,
    reviewer: { id: 'reviewer:one', label: 'One' },
    decision: {
      outcome: 'approve_for_caption_production' as const,
      reasonCodes: ['reviewer_attested_caption_production_may_proceed' as const],
      note: null,
    },
  };
  await opened.ledger.commit([{ append: runtimeId, events: [reviewStarted(spoken.run, asked)] }]);
  const grown = await runtimes.read(runtimeId);
  t.is(grown.journalHead, before.journalHead + 1);
  t.is(grown.execution?.study.findings, before.execution?.study.findings, 'what was verified is not verified again');
  const { objects, events } = recordReview(spoken.run, asked);
  await opened.ledger.commit([{ append: runtimeId, events }]);
  t.is(await faultOf(runtimes, runtimeId), 'review: missing');
  await opened.objectStore.putAll(objects);
  t.is((await runtimes.read(runtimeId)).journalHead, before.journalHead + 1 + events.length);
});

test('a runtime is read while it is running, as far as it has come', async (t) => {
  for (let commits = 1; commits < spoken.commits.length; commits += 1) {
    const opened = await openStore(await newDataRoot(t));
    const runtimeId = await store(opened, spoken, { commits, lifecycle: 'running' });
    const runtime = await new VerifiedRuntimes(opened).read(runtimeId);
    t.is(runtime.journalHead, spoken.commits.slice(0, commits).flat().length);
    t.is(runtime.execution?.study.conclusion, null);
    await opened.close();
  }
});

test('what was never a runtime is unknown, whatever it is called', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const runtimes = new VerifiedRuntimes(opened);
  const names = ['', 'x', 'a\0b', 'runtime:00000000-0000-4000-8000-000000000000', 'owned-ingest:1', '\u{1f600}'];
  for (const name of names) t.is(await faultOf(runtimes, name), 'unknown_runtime');
});

test('the runtimes that were read last are remembered, as far as there is room', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const large = await store(opened, atTheLimits);
  const [one, two, three] = [
    await store(opened, spoken),
    await store(opened, storedStudy({ version: 1, windows: 4, attempt: 'two' })),
    await store(opened, storedStudy({ version: 1, windows: 4, attempt: 'three' })),
  ];
  const runtimes = new VerifiedRuntimes({ ...opened, rememberedBytes: 170_000, aloneBytes: 170_000 });
  const unremembered = await runtimes.read(large);
  t.not(await runtimes.read(large), unremembered, 'too large');
  const first = await runtimes.read(one);
  const second = await runtimes.read(two);
  t.is(await runtimes.read(one), first);
  await runtimes.read(three);
  t.is(await runtimes.read(one), first, 'read after the second');
  t.not(await runtimes.read(two), second, 'the third took its place');
});

test('bug: a long study was verified anew for each question about it', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  t.teardown(() => opened.close());
  const [large, small] = [await store(opened, atTheLimits), await store(opened, spoken)];
  const runtimes = new VerifiedRuntimes({ ...opened, rememberedBytes: 170_000 });
  const other = await runtimes.read(small);
  const first = await runtimes.read(large);
  t.is(await runtimes.read(large), first, 'it is remembered');
  t.not(await runtimes.read(small), other, 'but alone');
  t.not(await runtimes.read(large), first, 'and no longer than until another is read');
});

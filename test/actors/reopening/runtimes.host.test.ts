import { chmod, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { EncodedEvents } from '../../../actors/reopening/stored-runtime.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { verifyRuntime } from '../../../actors/reopening/verify-runtime.ts';
import { ServiceError } from '../../../contract/base/errors.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import type { AdmissionReference } from '../../../receipts/stages/admit.ts';
import { recordReview, reviewStarted } from '../../../receipts/stages/review.ts';
import { rememberSealed, type SealedRecord } from '../../../receipts/stored-records.ts';
import { rememberStart } from '../../../receipts/study/start.ts';
import { chainEvent, firstLink, jsonOf, linkOf } from '../../../storage/ledger/journal-chain.ts';
import { eventKey, headKey, rowKey } from '../../../storage/ledger/keys.ts';
import type { Space } from '../../../storage/ledger/ledger.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { copyAsLeft } from '../../host/host-in-process.ts';
import { type StoredStudy, storedStudy } from '../../receipts/evidence/stored-study.ts';
import { approval, reviewOf } from '../../receipts/review/review-steps.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { newDataRoot, newStore, openStore, type StoredStage, store } from './stored-studies.ts';

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

test('a second read hashes nothing, for any basis of the runtime', async (t) => {
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
  const opened = await newStore(t);
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
  const opened = await newStore(t);
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

test('studies of the same media share what was parsed of its files, until a file changes', async (t) => {
  const opened = await newStore(t);
  const one = await store(opened, spoken);
  const two = await store(opened, storedStudy({ version: 1, windows: 4, attempt: 'two' }));
  const runtimes = new VerifiedRuntimes(opened);
  const { source, execution } = await runtimes.read(one);
  const other = await runtimes.read(two);
  t.is(other.source.records, source.records);
  const evidenceOf = (each: typeof execution) =>
    each?.study.findings.operations.flatMap(({ evidence }) => evidence) ?? [];
  const own = evidenceOf(execution).find(({ artifact }) => artifact !== null);
  const others = evidenceOf(other.execution).find(({ artifact }) => artifact !== null);
  t.is(others?.artifact, own?.artifact);

  const path = opened.objectStore.locate(own?.delivered.contentId ?? '');
  const bytes = await readFile(path);
  await chmod(path, 0o600);
  await writeFile(path, Buffer.from(bytes).fill(0x20, 0, 1));
  for (const runtimeId of [one, two]) t.is(await faultOf(runtimes, runtimeId), 'evidence: content');
  await writeFile(path, bytes);
  for (const runtimeId of [one, two]) t.is(await faultOf(runtimes, runtimeId), 'intact');
});

test('a record that was just stored is taken as it was sealed, until its file changes', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, spoken);
  const runtimes = new VerifiedRuntimes(opened);
  const { objects } = reviewOf(spoken, approval);
  await opened.objectStore.putAll(objects);
  rememberSealed(runtimes.content(), objects);
  const object = objects.find((each): each is SealedRecord => 'sealed' in each);
  if (object === undefined) throw new Error('a review is sealed');
  const { contentId, bytes, sealed } = object;
  const known = () => runtimes.content().known(sealed.schema, contentId);
  t.deepEqual(known(), { contentId, bytes: bytes.length, body: JSON.parse(Buffer.from(bytes).toString('utf8')) });
  t.is(runtimes.content().known(reviewOf, contentId), undefined, 'of another kind');
  runtimes.deleted('runtime:other');
  t.is(known(), undefined, 'a deletion leaves nothing in memory');
  rememberSealed(runtimes.content(), objects);
  t.not(known(), undefined);

  const path = opened.objectStore.locate(contentId);
  await chmod(path, 0o600);
  await writeFile(path, Buffer.from(bytes).fill(0x20, 0, 1));
  t.is(known(), undefined);
  await rm(path);
  t.is(known(), undefined);
  t.is(await faultOf(runtimes, runtimeId), 'intact', 'no event names it');
});

test('a start is taken as it was accepted, until one of its files changes', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, spoken);
  const { accepted } = await new VerifiedRuntimes(opened).read(runtimeId);
  const runtimes = new VerifiedRuntimes(opened);
  rememberStart(runtimes.content(), accepted);
  t.is((await runtimes.read(runtimeId)).accepted, accepted);
  for (const { contentId, bytes } of accepted.files) {
    const path = opened.objectStore.locate(contentId);
    await rm(path);
    t.is(await faultOf(runtimes, runtimeId), 'start: missing');
    await writeFile(path, bytes);
  }
  t.is(await faultOf(runtimes, runtimeId), 'intact');
});

test('an event is parsed unless this process encoded the very same text', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, spoken);
  const encoded = new EncodedEvents();
  const { events } = await opened.ledger.journalPage(runtimeId, 0, 200);
  const [first, ...others] = events.map((stored) => JSON.parse(Buffer.from(stored).toString('utf8')));
  const asked: (object | undefined)[] = [];
  const runtimes = new VerifiedRuntimes({
    ...opened,
    encoded: (text) => {
      asked.push(encoded.of(text));
      return encoded.of(text);
    },
  });
  encoded.encode(first);
  encoded.encode({ ...others[0], recordedAt: '2026-01-01T00:00:00.000Z' });
  t.is((await runtimes.read(runtimeId)).journalHead, events.length);
  t.is(asked.length, events.length);
  t.deepEqual(
    asked.filter((known) => known !== undefined),
    [first],
  );
});

test('a step uses the inspection of its own command, and no other step does', async (t) => {
  const opened = await newStore(t);
  const runtimeId = await store(opened, spoken);
  const runtimes = new VerifiedRuntimes(opened);
  const beganAtMs = performance.now();
  const runtime = await runtimes.read(runtimeId);
  const [contentId = ''] = spoken.files.keys();
  await rm(opened.objectStore.locate(contentId));
  t.is(await runtimes.read(runtimeId, beganAtMs), runtime);
  // A reader that shares the answer with another one gets an answer that fits both.
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

test('only the new events of a longer journal are folded, and the objects they name are read', async (t) => {
  const opened = await newStore(t);
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

test('an id that was never a runtime is unknown, in any form', async (t) => {
  const opened = await newStore(t);
  const runtimes = new VerifiedRuntimes(opened);
  const names = ['', 'x', 'a\0b', 'runtime:00000000-0000-4000-8000-000000000000', 'owned-ingest:1', '\u{1f600}'];
  for (const name of names) t.is(await faultOf(runtimes, name), 'unknown_runtime');
});

test('the runtimes that were read last are remembered, as far as there is room', async (t) => {
  const opened = await newStore(t);
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

test('bug: a long study was verified again for each question about it', async (t) => {
  const opened = await newStore(t);
  const [large, small] = [await store(opened, atTheLimits), await store(opened, spoken)];
  const runtimes = new VerifiedRuntimes({ ...opened, rememberedBytes: 170_000 });
  const other = await runtimes.read(small);
  const first = await runtimes.read(large);
  t.is(await runtimes.read(large), first, 'it is remembered');
  t.not(await runtimes.read(small), other, 'but alone');
  t.not(await runtimes.read(large), first, 'and no longer than until another is read');
});

const study = storedStudy({ version: 1, windows: 4 });

const silent = storedStudy({ version: 1, windows: null });

const { runtimeId } = study.run.record;

const events = study.commits.flat().length;

const failure = { code: 'executor_failed', message: 'tool_exit: 1' } as const;

type Rows = Parameters<Parameters<typeof withRawRows>[1]>[0];

const kept = mkdtemp(join(tmpdir(), 'stored-once-'));
test.after.always(async () => rm(await kept, { recursive: true, force: true }));

/** The data roots stored so far, by study and stage; nothing writes to them any more. */
const stored = new Map<string, Promise<string>>();

async function storedOnce(study: StoredStudy, stage: StoredStage): Promise<string> {
  const root = await mkdtemp(join(await kept, 'root-'));
  const first = await openStore(root);
  await store(first, study, stage);
  await first.close();
  return root;
}

/** A data root of the test's own that holds a study, and is closed. */
async function rootOf(t: ExecutionContext, study: StoredStudy, stage: StoredStage): Promise<string> {
  const key = JSON.stringify([study.commits, stage]);
  const known = stored.get(key) ?? storedOnce(study, stage);
  stored.set(key, known);
  const root = await newDataRoot(t);
  copyAsLeft(await known, root);
  return root;
}

/** Damages the closed store of a study; returns the findings of a verification and of a read. */
async function found(
  t: ExecutionContext,
  damage: (rows: Rows) => Promise<void>,
  stage: StoredStage = {},
  damaged = study,
): Promise<{ verified: string; read: string }> {
  const root = await rootOf(t, damaged, stage);
  await withRawRows(dataRootAt(root).ledger, damage);
  const opened = await openStore(root);
  const answers = [];
  for (const read of [
    () => verifyRuntime(opened, runtimeId, () => undefined),
    () => new VerifiedRuntimes(opened).read(runtimeId),
  ]) {
    answers.push(
      await read().then(
        () => 'intact',
        (error) => {
          if (error instanceof EvidenceChainError) return `${error.link}: ${error.place}`;
          if (error instanceof ServiceError) return error.code;
          throw error;
        },
      ),
    );
  }
  await opened.close();
  const [verified = '', read = ''] = answers;
  return { verified, read };
}

const nothing = async () => undefined;

/** Changes the value of a row. */
const rewritten = (space: Space, key: string, change: (row: Record<string, unknown>) => void) => async (rows: Rows) => {
  const at = rowKey(space, key);
  const row = decodeRow(at, (await rows.get(at)) ?? Buffer.alloc(0)) as Record<string, unknown>;
  change(row);
  await rows.put(at, encodeRow(at, row));
};

const flippedRow = (at: Buffer) => async (rows: Rows) => {
  const row = Buffer.from((await rows.get(at)) ?? Buffer.alloc(0));
  row[row.length >> 1] = (row[row.length >> 1] ?? 0) ^ 1;
  await rows.put(at, row);
};

/** Rewrites the journal as its forger would: the chain and the head follow the new events. */
const rechained = (change: (events: string[]) => string[]) => async (rows: Rows) => {
  const texts: string[] = [];
  for (let seq = 1; seq <= events; seq += 1) {
    texts.push(jsonOf((await rows.get(eventKey(runtimeId, seq))) ?? Buffer.alloc(0)).toString('utf8'));
    await rows.del(eventKey(runtimeId, seq));
  }
  let link: Buffer = firstLink(runtimeId);
  let recordedAt = '';
  const changed = change(texts);
  for (const [index, text] of changed.entries()) {
    const value = chainEvent(link, text);
    link = linkOf(value);
    recordedAt = JSON.parse(text).recordedAt;
    await rows.put(eventKey(runtimeId, index + 1), value);
  }
  const head = { seq: changed.length, digest: link.toString('hex'), recordedAt };
  await rows.put(headKey(runtimeId), encodeRow(headKey(runtimeId), head));
};

test('a finished runtime is intact, with and without claims', async (t) => {
  t.deepEqual(await found(t, nothing), { verified: 'intact', read: 'intact' });
  t.deepEqual(await found(t, nothing, {}, silent), { verified: 'intact', read: 'intact' });
});

test('a runtime that is stored in the middle of its study, or failed there, is intact', async (t) => {
  for (let commits = 1; commits < study.commits.length; commits += 1) {
    const running = await found(t, nothing, { commits, lifecycle: 'running' });
    t.deepEqual(running, { verified: 'intact', read: 'intact' }, `${commits} commits`);
    const failed = await found(t, nothing, { commits, lifecycle: 'failed', reason: failure });
    t.deepEqual(failed, { verified: 'intact', read: 'intact' }, 'ended without its last entries');
  }
});

test('every event that has one bit changed is named, by the chain', async (t) => {
  for (let seq = 1; seq <= events; seq += 1) {
    const { verified, read } = await found(t, flippedRow(eventKey(runtimeId, seq)));
    for (const place of [verified, read]) t.regex(place, new RegExp(`^journal: .*event ${seq} `));
  }
});

test('an event that is gone, doubled or in another place is found by the chain', async (t) => {
  const at = (seq: number) => eventKey(runtimeId, seq);
  const gone = await found(t, (rows) => rows.del(at(5)));
  t.regex(gone.verified, /^journal: .*event 5/);
  t.regex(gone.read, /^journal: /);
  const last = await found(t, (rows) => rows.del(at(events)));
  t.regex(last.verified, new RegExp(`^journal: .*ends with ${events - 1}, its head says ${events}$`));
  t.regex(last.read, new RegExp(`^journal: .*lacks event ${events}$`));
  const swapped = await found(t, async (rows) => {
    const [one, two] = [await rows.get(at(5)), await rows.get(at(6))];
    await rows.batch([
      { type: 'put', key: at(5), value: two ?? Buffer.alloc(0) },
      { type: 'put', key: at(6), value: one ?? Buffer.alloc(0) },
    ]);
  });
  for (const place of [swapped.verified, swapped.read]) t.regex(place, /^journal: .*event 5 /);
  const doubled = await found(t, async (rows) => {
    await rows.put(at(events + 1), (await rows.get(at(events))) ?? Buffer.alloc(0));
  });
  for (const place of [doubled.verified, doubled.read]) t.regex(place, /^journal: /);
  const head = await found(t, flippedRow(headKey(runtimeId)));
  for (const place of [head.verified, head.read]) t.regex(place, /^journal: malformed_journal: the head/);
});

test('a journal with a forged chain is found by its content', async (t) => {
  const renamed = await found(
    t,
    rechained((texts) => texts.map((text) => text.replace('"label":"Media study"', '"label":"Other study"'))),
  );
  t.deepEqual(renamed, { verified: 'journal: event 4: data.agent.label', read: 'journal: event 4: data.agent.label' });
  const cut = await found(
    t,
    rechained((texts) => texts.slice(0, -1)),
  );
  t.deepEqual(cut, { verified: `journal: event ${events}: missing`, read: `journal: event ${events}: missing` });
  const spaced = await found(
    t,
    rechained((texts) => texts.map((text, index) => (index === 7 ? text.replace(',', ', ') : text))),
  );
  t.deepEqual(spaced, { verified: 'journal: event 8: canonical_form', read: 'journal: event 8: canonical_form' });
});

test('a row that is gone, has one bit changed or another shape is named', async (t) => {
  const { revisionId } = study.source.session;
  const rows: [string, Space, string][] = [
    ['snapshot', 'snapshot', runtimeId],
    ['start', 'record', `study/${runtimeId}`],
    ['source', 'source', revisionId],
  ];
  for (const [name, space, key] of rows) {
    const gone = await found(t, (raw) => raw.del(rowKey(space, key)));
    t.deepEqual(gone, { verified: `row: ${name}: missing`, read: `row: ${name}: missing` });
    const flipped = await found(t, flippedRow(rowKey(space, key)));
    t.deepEqual(flipped, { verified: `row: ${name}: damaged`, read: `row: ${name}: damaged` });
    const extra = await found(
      t,
      rewritten(space, key, (row) => Object.assign(row, { extra: 1 })),
    );
    t.deepEqual(extra, { verified: `row: ${name}.extra`, read: `row: ${name}.extra` });
  }
});

test('a row that says something else than the journal and the files is named', async (t) => {
  const { revisionId } = study.source.session;
  const changes: [string, Space, string, (row: Record<string, unknown>) => void][] = [
    ['row: snapshot.status', 'snapshot', runtimeId, (row) => Object.assign(row, { status: 'failed' })],
    [
      'row: start.ids.taskId',
      'record',
      `study/${runtimeId}`,
      (row) => Object.assign(row.ids ?? {}, { taskId: 'task:9' }),
    ],
    [
      'row: start.requestContentId',
      'record',
      `study/${runtimeId}`,
      (row) => Object.assign(row, { requestContentId: `sha256:${'0'.repeat(64)}` }),
    ],
    ['row: source.label', 'source', revisionId, (row) => Object.assign(row, { label: 'Another clip' })],
  ];
  for (const [place, space, key, change] of changes) {
    const { verified, read } = await found(t, rewritten(space, key, change));
    t.deepEqual({ verified, read }, { verified: place, read: place });
  }
});

test('step rows of earlier versions have no effect any more: the journal decides', async (t) => {
  for (const [step, value] of Object.entries(study.steps)) {
    const key = rowKey('record', `study/${runtimeId}/${step}`);
    const whole = await found(t, (rows) => rows.put(key, encodeRow(key, value)));
    t.deepEqual(whole, { verified: 'intact', read: 'intact' });
    const other = await found(t, (rows) => rows.put(key, encodeRow(key, { ...value, extra: 1 })));
    t.deepEqual(other, { verified: 'intact', read: 'intact' });
    const damaged = await found(t, (rows) => rows.put(key, Buffer.from('no row')));
    t.deepEqual(damaged, { verified: 'intact', read: 'intact' });
  }
});

test('a row that lags behind the end of its journal is found without any writer', async (t) => {
  const { verified, read } = await found(t, nothing, { commits: study.commits.length, lifecycle: 'running' });
  t.deepEqual({ verified, read }, { verified: 'row: snapshot.status', read: 'intact' });
});

test('the rest of a runtime without its rows is damaged, not unknown', async (t) => {
  const { verified, read } = await found(t, async (rows) => {
    await rows.del(rowKey('snapshot', runtimeId));
    await rows.del(rowKey('record', `study/${runtimeId}`));
  });
  t.deepEqual({ verified, read }, { verified: 'row: snapshot: missing', read: 'row: snapshot: missing' });
});

test('a review row of an earlier version has no effect any more: its journal decides', async (t) => {
  const { started, recorded, objects, approval: reference } = reviewOf(study, approval);
  const reviewed: StoredStudy = {
    ...study,
    files: new Map([...study.files, ...objects.map(({ contentId, bytes }) => [contentId, bytes] as const)]),
    commits: [...study.commits, [...started, ...recorded]],
  };
  for (const status of ['approved', 'rejected', null]) {
    const write = async (rows: Rows) => {
      const key = rowKey('snapshot', reference.reviewId);
      const own = rowKey('snapshot', runtimeId);
      const row = decodeRow(own, (await rows.get(own)) ?? Buffer.alloc(0));
      const review = { ...Object(row), kind: 'publish-review', machineId: 'publish-review', status };
      if (status !== null) await rows.put(key, encodeRow(key, review));
    };
    t.deepEqual(await found(t, write, {}, reviewed), { verified: 'intact', read: 'intact' });
  }
});

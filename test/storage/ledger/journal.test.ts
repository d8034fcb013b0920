import { readFileSync } from 'node:fs';
import test from 'ava';
import { draft, openScratchLedger, scratchFolder, seededNumbers, startOfTest } from './scratch.ts';

interface ChainVector {
  readonly name: string;
  readonly input: readonly { readonly runId: string; readonly recordedAt: string; readonly data: unknown }[];
  readonly expected: readonly string[];
}

const { vectors }: { vectors: ChainVector[] } = JSON.parse(readFileSync('fixtures/vectors/identities.json', 'utf8'));
const vector = vectors.find(({ name }) => name === 'journal chain');
const vectorRun = vector?.input[0]?.runId ?? '';
const vectorDrafts = vector?.input.map(({ data }) => draft(data)) ?? [];

const parsed = (events: readonly Uint8Array[]) =>
  events.map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')));

test('the journal chain is the one of the golden vectors', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.is(vectorDrafts.length, 3);
  const heads: string[] = [ledger.journalHead(vectorRun).digest];
  for (const event of vectorDrafts) {
    await ledger.commit([{ append: vectorRun, events: [event] }]);
    heads.push(ledger.journalHead(vectorRun).digest);
  }
  t.deepEqual<readonly string[] | undefined, readonly string[] | undefined>(heads, vector?.expected);
  const page = await ledger.journalPage(vectorRun, 0, 100);
  t.deepEqual(parsed(page.events), vector?.input);
  t.deepEqual(await ledger.verifyJournal(vectorRun), {
    seq: 3,
    digest: heads[3] ?? '',
    recordedAt: '2026-01-02T03:04:05.673Z',
  });
  await ledger.close();
});

test('events of one commit, of several appends in it, and of a later process go on in one chain', async (t) => {
  const directory = await scratchFolder(t);
  const first = await openScratchLedger(t, directory);
  await first.commit([
    { append: vectorRun, events: vectorDrafts.slice(0, 1) },
    { append: vectorRun, events: [] },
    { append: vectorRun, events: vectorDrafts.slice(1, 2) },
  ]);
  await first.close();
  const second = await openScratchLedger(t, directory);
  await second.commit([{ append: vectorRun, events: vectorDrafts.slice(2) }]);
  t.is<string | undefined, string | undefined>(second.journalHead(vectorRun).digest, vector?.expected[3]);
  await second.close();
});

test('a run without events has the head of an empty journal', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  const empty = { seq: 0, digest: vector?.expected[0] ?? '', recordedAt: null };
  t.deepEqual(ledger.journalHead(vectorRun), empty);
  t.deepEqual(await ledger.journalPage(vectorRun, 0, 100), { events: [], head: empty });
  t.deepEqual(await ledger.verifyJournal(vectorRun), empty);
  await ledger.close();
});

test('seqs are taken at the call, but reads show only what is on disk', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  const commits = [1, 2, 3].map((n) => ledger.commit([{ append: 'run', events: [draft(n), draft(n)] }]));
  t.is(ledger.journalHead('run').seq, 0);
  t.deepEqual((await ledger.journalPage('run', 0, 10)).events, []);
  await Promise.all(commits);
  t.is(ledger.journalHead('run').seq, 6);
  const page = await ledger.journalPage('run', 0, 10);
  t.deepEqual(
    parsed(page.events).map(({ seq, eventId, data }) => [seq, eventId, data]),
    [1, 1, 2, 2, 3, 3].map((data, index) => [index + 1, `event:run:${index + 1}`, data]),
  );
  await ledger.close();
});

test('recorded times go up by at least a millisecond while the clock jumps back, also after a restart', async (t) => {
  const directory = await scratchFolder(t);
  const offsets = [0, 50, -1000, -1000, 49, 200];
  const clock = { now: () => startOfTest + (offsets.shift() ?? -5000) };
  const first = await openScratchLedger(t, directory, { clock });
  await first.commit([{ append: 'run', events: [1, 2, 3, 4, 5, 6].map((n) => draft(n)) }]);
  await first.close();
  const second = await openScratchLedger(t, directory, { clock });
  await second.commit([{ append: 'run', events: [draft(7)] }]);
  const times = parsed((await second.journalPage('run', 0, 10)).events).map(
    ({ recordedAt }) => Date.parse(recordedAt) - startOfTest,
  );
  t.deepEqual(times, [0, 50, 51, 52, 53, 200, 201]);
  t.is(second.journalHead('run').recordedAt, new Date(startOfTest + 201).toISOString());
  await second.close();
});

test('every page of a journal is the slice it names, in any order of asking', async (t) => {
  const directory = await scratchFolder(t);
  const total = 250;
  const writer = await openScratchLedger(t, directory);
  await writer.commit([{ append: 'run', events: Array.from({ length: total }, (_, n) => draft({ n })) }]);
  // Neighbours whose names begin alike must not leak into a page.
  await writer.commit([{ append: 'ru', events: [draft('ru')] }]);
  await writer.commit([{ append: 'run:2', events: [draft('run:2')] }]);
  await writer.close();
  const seed = 4711;
  t.log(`seed ${seed}`);
  const below = seededNumbers(seed);
  const ledger = await openScratchLedger(t, directory);
  for (let round = 0; round < 80; round += 1) {
    const after = below(total + 20);
    const limit = 1 + below(200);
    const { events, head } = await ledger.journalPage('run', after, limit);
    t.is(head.seq, total);
    t.deepEqual(
      parsed(events).map(({ seq }) => seq),
      Array.from({ length: Math.max(0, Math.min(limit, total - after)) }, (_, index) => after + index + 1),
    );
  }
  await ledger.close();
});

test('a page is the stored text, byte for byte', async (t) => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  await ledger.commit([{ append: 'run', events: [draft({ b: 1, a: '한 😀 \u2028' })] }]);
  const [bytes] = (await ledger.journalPage('run', 0, 1)).events;
  t.is(
    Buffer.from(bytes ?? []).toString('utf8'),
    '{"causationId":null,"correlationId":null,"data":{"a":"한 😀 \u2028","b":1},"eventId":"event:run:1",' +
      '"producer":{"id":"vector","kind":"scheduler"},"recordedAt":"2026-01-02T03:04:05.671Z","runId":"run",' +
      '"schema":"studio.runtime.event.v1","seq":1,"type":"task.transitioned"}',
  );
  await ledger.close();
});

import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import type { ClassicLevel } from 'classic-level';
import { chainEvent, firstLink, jsonOf, linkOf } from '../../../storage/ledger/journal-chain.ts';
import { eventKey, headKey } from '../../../storage/ledger/keys.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { encodeRow } from '../../../storage/ledger/row-codec.ts';
import {
  compactRows,
  draft,
  newScratchLedger,
  openScratchLedger,
  scratchFolder,
  seededNumbers,
  spoilStoredBlock,
  startOfTest,
  withRawRows,
} from './scratch.ts';

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
  const ledger = await newScratchLedger(t);
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
});

test('a run without events has the head of an empty journal', async (t) => {
  const ledger = await newScratchLedger(t);
  const empty = { seq: 0, digest: vector?.expected[0] ?? '', recordedAt: null };
  t.deepEqual(ledger.journalHead(vectorRun), empty);
  t.deepEqual(await ledger.journalPage(vectorRun, 0, 100), { events: [], head: empty });
  t.deepEqual(await ledger.verifyJournal(vectorRun), empty);
});

test('seqs are taken at the call, but reads show only what is on disk', async (t) => {
  const ledger = await newScratchLedger(t);
  const commits = [1, 2, 3].map((n) => ledger.commit([{ append: 'run', events: [draft(n), draft(n)] }]));
  t.is(ledger.journalHead('run').seq, 0);
  t.deepEqual((await ledger.journalPage('run', 0, 10)).events, []);
  await Promise.all(commits);
  t.is(ledger.journalHead('run').seq, 6);
  const page = await ledger.journalPage('run', 0, 10);
  const shownEvents = parsed(page.events).map(({ seq, eventId, data }) => [seq, eventId, data]);
  const expected = [1, 1, 2, 2, 3, 3].map((data, index) => [index + 1, `event:run:${index + 1}`, data]);
  t.deepEqual(shownEvents, expected);
});

test('recorded times go up while the clock jumps back, also after a restart', async (t) => {
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
});

test('every page of a journal is the slice it names, in any order of asking', async (t) => {
  const directory = await scratchFolder(t);
  const total = 250;
  const writer = await openScratchLedger(t, directory);
  await writer.commit([{ append: 'run', events: Array.from({ length: total }, (_, n) => draft({ n })) }]);
  // Neighbors whose names begin alike must not leak into a page.
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
    const seqs = parsed(events).map(({ seq }) => seq);
    const expected = Array.from(
      { length: Math.max(0, Math.min(limit, total - after)) },
      (_, index) => after + index + 1,
    );
    t.deepEqual(seqs, expected);
  }
});

test('a page is the stored text, byte for byte', async (t) => {
  const ledger = await newScratchLedger(t);
  await ledger.commit([{ append: 'run', events: [draft({ b: 1, a: '한 😀 \u2028' })] }]);
  const [bytes] = (await ledger.journalPage('run', 0, 1)).events;
  t.is(
    Buffer.from(bytes ?? []).toString('utf8'),
    '{"causationId":null,"correlationId":null,"data":{"a":"한 😀 \u2028","b":1},"eventId":"event:run:1",' +
      '"producer":{"id":"vector","kind":"scheduler"},"recordedAt":"2026-01-02T03:04:05.671Z","runId":"run",' +
      '"schema":"studio.runtime.event.v1","seq":1,"type":"task.transitioned"}',
  );
});

type Rows = ClassicLevel<Buffer, Buffer>;
const damagedRun = 'runtime:damaged';
const totalEvents = 20;

/** Opens a ledger with one journal of 20 events after `damage` was done to its rows. */
async function damagedLedger(t: ExecutionContext, damage: (rows: Rows) => Promise<void>): Promise<Ledger> {
  const directory = await scratchFolder(t);
  const writer = await openScratchLedger(t, directory);
  const events = Array.from({ length: totalEvents }, (_, n) => draft({ n }));
  await writer.commit([{ append: damagedRun, events }]);
  await writer.commit([{ append: 'runtime:sibling', events }]);
  await writer.close();
  await withRawRows(directory, damage);
  return openScratchLedger(t, directory);
}

async function stored(rows: Rows, seq: number): Promise<Buffer> {
  return Buffer.from((await rows.get(eventKey(damagedRun, seq))) ?? []);
}

async function flip(rows: Rows, seq: number, at: number): Promise<void> {
  const value = await stored(rows, seq);
  value[at] = (value[at] ?? 0) ^ 1;
  await rows.put(eventKey(damagedRun, seq), value);
}

const [chain, malformed] = ['invalid_journal_chain', 'malformed_journal'] as const;

/** `whole` is a page that does not show the damage, as [after, limit]; null if every page does. */
const cases: readonly (readonly [
  title: string,
  code: typeof chain | typeof malformed,
  whole: readonly [number, number] | null,
  damage: (rows: Rows) => Promise<void>,
])[] = [
  ['a flipped byte in the text of an event', chain, [7, 10], (rows) => flip(rows, 7, 60)],
  ['a flipped byte in the digest of an event', chain, [8, 10], (rows) => flip(rows, 7, 5)],
  ['a row that is gone', chain, [8, 10], (rows) => rows.del(eventKey(damagedRun, 7))],
  [
    'two rows that changed places',
    chain,
    [8, 12],
    async (rows) => {
      const [sixth, seventh] = [await stored(rows, 6), await stored(rows, 7)];
      await rows.put(eventKey(damagedRun, 6), seventh);
      await rows.put(eventKey(damagedRun, 7), sixth);
    },
  ],
  [
    'an event of another run in place of an own one',
    chain,
    [8, 12],
    async (rows) => {
      const other = await rows.get(eventKey('runtime:sibling', 7));
      await rows.put(eventKey(damagedRun, 7), Buffer.from(other ?? []));
    },
  ],
  [
    'a value too short for an event',
    malformed,
    [8, 12],
    async (rows) => rows.put(eventKey(damagedRun, 7), (await stored(rows, 7)).subarray(0, 32)),
  ],
  ['a value that is no JSON object', malformed, [8, 12], (rows) => flip(rows, 7, 32)],
  [
    'a tail cut off below its head',
    chain,
    null,
    async (rows) => {
      await rows.del(eventKey(damagedRun, 19));
      await rows.del(eventKey(damagedRun, 20));
    },
  ],
  [
    'a last event that is not the one of the head',
    chain,
    null,
    async (rows) => {
      const previous = linkOf(await stored(rows, 19));
      const text = jsonOf(await stored(rows, 18)).toString('utf8');
      await rows.put(eventKey(damagedRun, 20), chainEvent(previous, text));
    },
  ],
  ['a last row that is no event', malformed, null, (rows) => rows.put(eventKey(damagedRun, 20), Buffer.alloc(8))],
  [
    'a head older than its journal',
    chain,
    null,
    async (rows) => {
      const digest = linkOf(await stored(rows, 18)).toString('hex');
      const head = { seq: 18, digest, recordedAt: '2026-01-02T03:04:05.688Z' };
      await rows.put(headKey(damagedRun), encodeRow(headKey(damagedRun), head));
    },
  ],
  ['events without a head', chain, null, (rows) => rows.del(headKey(damagedRun))],
  [
    'a head that cannot be decoded',
    malformed,
    null,
    (rows) => rows.put(headKey(damagedRun), Buffer.from('no row at all')),
  ],
  [
    'a head of another shape',
    malformed,
    null,
    (rows) => rows.put(headKey(damagedRun), encodeRow(headKey(damagedRun), { seq: 'twenty' })),
  ],
];

for (const [title, code, whole, damage] of cases) {
  test(`${title} is found and named ${code}`, async (t) => {
    const ledger = await damagedLedger(t, damage);
    await t.throwsAsync(ledger.journalPage(damagedRun, 0, 100), { code });
    await t.throwsAsync(ledger.journalPage(damagedRun, 6, 100), { code });
    await t.throwsAsync(ledger.verifyJournal(damagedRun), { code });
    if (whole !== null) {
      const [after, limit] = whole;
      t.is((await ledger.journalPage(damagedRun, after, limit)).events.length, limit);
    }
    t.is((await ledger.verifyJournal('runtime:sibling')).seq, totalEvents);
    await ledger.close();
  });
}

test('nothing is appended to a journal whose end is damaged, and other writes go on', async (t) => {
  const ledger = await damagedLedger(t, (rows) => rows.del(headKey(damagedRun)));
  const refused = ledger.commit([
    { put: 'live', key: damagedRun, value: 1 },
    { append: damagedRun, events: [draft('lost')] },
  ]);
  await t.throwsAsync(refused, { code: 'invalid_journal_chain' });
  await ledger.commit([{ append: 'runtime:sibling', events: [draft('kept')] }]);
  t.is(ledger.get('live', damagedRun), undefined);
  t.is(ledger.journalHead('runtime:sibling').seq, totalEvents + 1);
});

test('a head whose last event is gone still has the length of the journal', async (t) => {
  const ledger = await damagedLedger(t, (rows) => rows.del(eventKey(damagedRun, totalEvents)));
  t.is(ledger.journalHead(damagedRun).seq, totalEvents);
});

/** A journal chained correctly over events that contradict themselves. */
function forged(events: readonly Record<string, unknown>[]): (rows: Rows) => Promise<void> {
  return async (rows) => {
    let link: Buffer = firstLink('forged');
    let seq = 0;
    for (const event of events) {
      seq += 1;
      const value = chainEvent(link, JSON.stringify({ runId: 'forged', seq, ...event }));
      link = linkOf(value);
      await rows.put(eventKey('forged', seq), value);
    }
    const head = { seq, digest: link.toString('hex'), recordedAt: events.at(-1)?.recordedAt };
    await rows.put(headKey('forged'), encodeRow(headKey('forged'), head));
  };
}

const noon = '2026-01-02T12:00:00.000Z';

test('an audit finds what a chain cannot: times that go back, wrong ids, no time, no JSON', async (t) => {
  const backwards = await damagedLedger(t, forged([{ recordedAt: noon }, { recordedAt: '2026-01-02T11:59:59.999Z' }]));
  await t.throwsAsync(backwards.verifyJournal('forged'), { code: 'invalid_journal_chain', message: /earlier/ });
  await backwards.close();
  for (const event of [
    { recordedAt: noon, seq: 2 },
    { recordedAt: noon, runId: 'another' },
  ]) {
    const ledger = await damagedLedger(t, forged([event]));
    await t.throwsAsync(ledger.verifyJournal('forged'), { code: 'invalid_journal_chain', message: /another/ });
    await ledger.close();
  }
  const timeless = await damagedLedger(t, forged([{ recordedAt: 'noon' }]));
  await t.throwsAsync(timeless.verifyJournal('forged'), { code: 'malformed_journal', message: /no time/ });
  await timeless.close();
  const torn = await damagedLedger(t, async (rows) => {
    const value = chainEvent(firstLink('forged'), '{"seq":1');
    await rows.put(eventKey('forged', 1), value);
    await rows.put(
      headKey('forged'),
      encodeRow(headKey('forged'), { seq: 1, digest: linkOf(value).toString('hex'), recordedAt: noon }),
    );
  });
  await t.throwsAsync(torn.verifyJournal('forged'), { code: 'malformed_journal', message: /not JSON/ });
});

test('a block of the store that fails its checks never makes a page short', async (t) => {
  const directory = await scratchFolder(t);
  const writer = await openScratchLedger(t, directory);
  await writer.commit([{ append: damagedRun, events: Array.from({ length: 2000 }, (_, n) => draft({ n })) }]);
  await writer.close();
  await compactRows(directory);
  const ledger = await openScratchLedger(t, directory);
  await spoilStoredBlock(directory);
  const codes = new Set<unknown>();
  for (let after = 0; after < 2000; after += 100) {
    const page = ledger.journalPage(damagedRun, after, 100);
    codes.add(
      await page.then(
        ({ events }) => events.length,
        (error) => error.code,
      ),
    );
  }
  t.deepEqual(codes, new Set([100, 'malformed_journal']));
  await t.throwsAsync(ledger.verifyJournal(damagedRun), { code: 'invalid_journal_chain' });
});

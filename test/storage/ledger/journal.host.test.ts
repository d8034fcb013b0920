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

interface Case {
  readonly title: string;
  readonly damage: (rows: Rows) => Promise<void>;
  readonly code: 'invalid_journal_chain' | 'malformed_journal';
  /** A page that does not show the damage, as [after, limit]; null where every page does. */
  readonly whole: readonly [number, number] | null;
}

const cases: readonly Case[] = [
  {
    title: 'a flipped byte in the text of an event',
    damage: (rows) => flip(rows, 7, 60),
    code: 'invalid_journal_chain',
    whole: [7, 10],
  },
  {
    title: 'a flipped byte in the digest of an event',
    damage: (rows) => flip(rows, 7, 5),
    code: 'invalid_journal_chain',
    whole: [8, 10],
  },
  {
    title: 'a row that is gone',
    damage: (rows) => rows.del(eventKey(damagedRun, 7)),
    code: 'invalid_journal_chain',
    whole: [8, 10],
  },
  {
    title: 'two rows that changed places',
    damage: async (rows) => {
      const [sixth, seventh] = [await stored(rows, 6), await stored(rows, 7)];
      await rows.put(eventKey(damagedRun, 6), seventh);
      await rows.put(eventKey(damagedRun, 7), sixth);
    },
    code: 'invalid_journal_chain',
    whole: [8, 12],
  },
  {
    title: 'an event of another run in the place of an own one',
    damage: async (rows) => {
      const other = await rows.get(eventKey('runtime:sibling', 7));
      await rows.put(eventKey(damagedRun, 7), Buffer.from(other ?? []));
    },
    code: 'invalid_journal_chain',
    whole: [8, 12],
  },
  {
    title: 'a value too short for an event',
    damage: async (rows) => rows.put(eventKey(damagedRun, 7), (await stored(rows, 7)).subarray(0, 32)),
    code: 'malformed_journal',
    whole: [8, 12],
  },
  {
    title: 'a value that is no JSON object',
    damage: (rows) => flip(rows, 7, 32),
    code: 'malformed_journal',
    whole: [8, 12],
  },
  {
    title: 'a tail cut off below its head',
    damage: async (rows) => {
      await rows.del(eventKey(damagedRun, 19));
      await rows.del(eventKey(damagedRun, 20));
    },
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'a last event that is not the one of the head',
    damage: async (rows) => {
      const previous = linkOf(await stored(rows, 19));
      await rows.put(eventKey(damagedRun, 20), chainEvent(previous, jsonOf(await stored(rows, 18)).toString('utf8')));
    },
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'a last row that is no event',
    damage: (rows) => rows.put(eventKey(damagedRun, 20), Buffer.alloc(8)),
    code: 'malformed_journal',
    whole: null,
  },
  {
    title: 'a head older than its journal',
    damage: async (rows) => {
      const head = {
        seq: 18,
        digest: linkOf(await stored(rows, 18)).toString('hex'),
        recordedAt: '2026-01-02T03:04:05.688Z',
      };
      await rows.put(headKey(damagedRun), encodeRow(headKey(damagedRun), head));
    },
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'events without a head',
    damage: (rows) => rows.del(headKey(damagedRun)),
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'a head that cannot be decoded',
    damage: (rows) => rows.put(headKey(damagedRun), Buffer.from('no row at all')),
    code: 'malformed_journal',
    whole: null,
  },
  {
    title: 'a head of another shape',
    damage: (rows) => rows.put(headKey(damagedRun), encodeRow(headKey(damagedRun), { seq: 'twenty' })),
    code: 'malformed_journal',
    whole: null,
  },
];

for (const { title, damage, code, whole } of cases) {
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
  await ledger.close();
});

test('a head whose last event is gone still says how far the journal went', async (t) => {
  const ledger = await damagedLedger(t, (rows) => rows.del(eventKey(damagedRun, totalEvents)));
  t.is(ledger.journalHead(damagedRun).seq, totalEvents);
  await ledger.close();
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
  await torn.close();
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
  await ledger.close();
});

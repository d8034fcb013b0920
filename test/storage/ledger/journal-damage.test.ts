import test, { type ExecutionContext } from 'ava';
import type { ClassicLevel } from 'classic-level';
import { chainEvent, firstLink, jsonOf, linkOf } from '../../../storage/ledger/journal-chain.ts';
import { eventKey, headKey } from '../../../storage/ledger/keys.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { encodeRow } from '../../../storage/ledger/row-codec.ts';
import { compactRows, draft, openScratchLedger, scratchFolder, spoilStoredBlock, withRawRows } from './scratch.ts';

type Rows = ClassicLevel<Buffer, Buffer>;

const run = 'runtime:damaged';
const total = 20;

/** Opens a ledger with one journal of 20 events after `damage` was done to its rows. */
async function damagedLedger(t: ExecutionContext, damage: (rows: Rows) => Promise<void>): Promise<Ledger> {
  const directory = await scratchFolder(t);
  const writer = await openScratchLedger(t, directory);
  const events = Array.from({ length: total }, (_, n) => draft({ n }));
  await writer.commit([{ append: run, events }]);
  await writer.commit([{ append: 'runtime:sibling', events }]);
  await writer.close();
  await withRawRows(directory, damage);
  return openScratchLedger(t, directory);
}

async function stored(rows: Rows, seq: number): Promise<Buffer> {
  return Buffer.from((await rows.get(eventKey(run, seq))) ?? []);
}

async function flip(rows: Rows, seq: number, at: number): Promise<void> {
  const value = await stored(rows, seq);
  value[at] = (value[at] ?? 0) ^ 1;
  await rows.put(eventKey(run, seq), value);
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
    damage: (rows) => rows.del(eventKey(run, 7)),
    code: 'invalid_journal_chain',
    whole: [8, 10],
  },
  {
    title: 'two rows that changed places',
    damage: async (rows) => {
      const [sixth, seventh] = [await stored(rows, 6), await stored(rows, 7)];
      await rows.put(eventKey(run, 6), seventh);
      await rows.put(eventKey(run, 7), sixth);
    },
    code: 'invalid_journal_chain',
    whole: [8, 12],
  },
  {
    title: 'an event of another run in the place of an own one',
    damage: async (rows) => {
      const other = await rows.get(eventKey('runtime:sibling', 7));
      await rows.put(eventKey(run, 7), Buffer.from(other ?? []));
    },
    code: 'invalid_journal_chain',
    whole: [8, 12],
  },
  {
    title: 'a value too short for an event',
    damage: async (rows) => rows.put(eventKey(run, 7), (await stored(rows, 7)).subarray(0, 32)),
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
      await rows.del(eventKey(run, 19));
      await rows.del(eventKey(run, 20));
    },
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'a last event that is not the one of the head',
    damage: async (rows) => {
      const previous = linkOf(await stored(rows, 19));
      await rows.put(eventKey(run, 20), chainEvent(previous, jsonOf(await stored(rows, 18)).toString('utf8')));
    },
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'a last row that is no event',
    damage: (rows) => rows.put(eventKey(run, 20), Buffer.alloc(8)),
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
      await rows.put(headKey(run), encodeRow(headKey(run), head));
    },
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'events without a head',
    damage: (rows) => rows.del(headKey(run)),
    code: 'invalid_journal_chain',
    whole: null,
  },
  {
    title: 'a head that cannot be decoded',
    damage: (rows) => rows.put(headKey(run), Buffer.from('no row at all')),
    code: 'malformed_journal',
    whole: null,
  },
  {
    title: 'a head of another shape',
    damage: (rows) => rows.put(headKey(run), encodeRow(headKey(run), { seq: 'twenty' })),
    code: 'malformed_journal',
    whole: null,
  },
];

for (const { title, damage, code, whole } of cases) {
  test(`${title} is found and named ${code}`, async (t) => {
    const ledger = await damagedLedger(t, damage);
    await t.throwsAsync(ledger.journalPage(run, 0, 100), { code });
    await t.throwsAsync(ledger.journalPage(run, 6, 100), { code });
    await t.throwsAsync(ledger.verifyJournal(run), { code });
    if (whole !== null) {
      const [after, limit] = whole;
      t.is((await ledger.journalPage(run, after, limit)).events.length, limit);
    }
    t.is((await ledger.verifyJournal('runtime:sibling')).seq, total);
    await ledger.close();
  });
}

test('nothing is appended to a journal whose end is damaged, and other writes go on', async (t) => {
  const ledger = await damagedLedger(t, (rows) => rows.del(headKey(run)));
  const refused = ledger.commit([
    { put: 'live', key: run, value: 1 },
    { append: run, events: [draft('lost')] },
  ]);
  await t.throwsAsync(refused, { code: 'invalid_journal_chain' });
  await ledger.commit([{ append: 'runtime:sibling', events: [draft('kept')] }]);
  t.is(ledger.get('live', run), undefined);
  t.is(ledger.journalHead('runtime:sibling').seq, total + 1);
  await ledger.close();
});

test('a head whose last event is gone still says how far the journal went', async (t) => {
  const ledger = await damagedLedger(t, (rows) => rows.del(eventKey(run, total)));
  t.is(ledger.journalHead(run).seq, total);
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
  await writer.commit([{ append: run, events: Array.from({ length: 2000 }, (_, n) => draft({ n })) }]);
  await writer.close();
  await compactRows(directory);
  const ledger = await openScratchLedger(t, directory);
  await spoilStoredBlock(directory);
  const codes = new Set<unknown>();
  for (let after = 0; after < 2000; after += 100) {
    const page = ledger.journalPage(run, after, 100);
    codes.add(
      await page.then(
        ({ events }) => events.length,
        (error) => error.code,
      ),
    );
  }
  t.deepEqual(codes, new Set([100, 'malformed_journal']));
  await t.throwsAsync(ledger.verifyJournal(run), { code: 'invalid_journal_chain' });
  await ledger.close();
});

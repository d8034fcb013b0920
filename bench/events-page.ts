import { setTimeout as delay } from 'node:timers/promises';
import { ClassicLevel } from 'classic-level';
import { runtimeEventsBytes } from '../receipts/published/runtime.ts';
import { eventKey } from '../storage/ledger/keys.ts';
import type { Ledger } from '../storage/ledger/ledger.ts';
import { dataRootAt } from '../storage/objects/data-root.ts';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { withHost } from './host-process.ts';
import { inTurn, median, millisecondsOf, quantity } from './measuring.ts';
import { memoryOf } from './process-figures.ts';
import { copyDataRoot, type RecordedStudy, recordStudy, standInId, studyCopies, withLedger } from './recorded-study.ts';
import { runLoad } from './run-load.ts';

const pageEvents = 100;
const small = { runtimeId: standInId(1), events: pageEvents };
const large = { runtimeId: standInId(2), events: 100_000 };
const pages = 600;
const readers = 32;
const readSeconds = 20;
const restMs = 60_000;
const pagesPerSecond = 6_000;
const atMostMs = 20;
const atMostMegabytes = 200;
// A step that shares no factor with the number of pages visits all of them in a scattered order.
const cursorOf = (turn: number): number => ((turn * 619) % (large.events / pageEvents)) * pageEvents;

export const eventsPage: Row = {
  name: 'events-page',
  measures: 'A page of the journal, against the bare store, and of a long journal against a short one.',
  grows:
    'With the events of the page, not of the journal. The first read of a page also verifies its part of the chain.',
  async measure(folder) {
    const [ours, theirs] = [`${folder}/ours`, `${folder}/theirs`];
    await fill(ours, await recordStudy(ours));
    await copyDataRoot(ours, theirs);
    const inProcess = await withLedger(ours, async (ledger) => {
      const bare = new ClassicLevel<Buffer, Buffer>(dataRootAt(theirs).ledger, {
        keyEncoding: 'buffer',
        valueEncoding: 'buffer',
      });
      try {
        await bare.open();
        return [await firstReads(ledger), await againstBareStore(ledger, bare), await againstShortJournal(ledger)];
      } finally {
        await bare.close();
      }
    });
    return [...inProcess, await overTheWire(ours), ...(await manyReaders(ours))];
  },
};

async function fill(dataRoot: string, study: RecordedStudy): Promise<void> {
  const copyOf = studyCopies(study);
  await withLedger(dataRoot, async (ledger) => {
    for (const { runtimeId, events } of [small, large]) {
      const writes = copyOf(runtimeId);
      const drafts = writes.flatMap((write) => ('append' in write ? write.events : []));
      await ledger.commit(writes.filter((write) => !('append' in write)));
      for (let at = 0; at < events; at += drafts.length) {
        await ledger.commit([{ append: runtimeId, events: drafts.slice(0, events - at) }]);
      }
    }
  });
}

async function pageBytes(ledger: Ledger, runtimeId: string, after: number): Promise<Buffer> {
  const page = await ledger.journalPage(runtimeId, after, pageEvents);
  const commandId = `runtime-start:${'0'.repeat(64)}`;
  return runtimeEventsBytes({ commandId, runtimeId, lifecycle: 'terminal', reason: null, after, page });
}

async function bareBytes(bare: ClassicLevel<Buffer, Buffer>, runtimeId: string, after: number): Promise<Buffer> {
  const range = { gt: eventKey(runtimeId, after), lte: eventKey(runtimeId, after + pageEvents) };
  return Buffer.concat(await bare.values({ ...range, highWaterMarkBytes: 1024 * 1024 }).all());
}

const perSecond = (milliseconds: number): string => `${Math.round(1000 / milliseconds)} pages/s`;

async function againstBareStore(ledger: Ledger, bare: ClassicLevel<Buffer, Buffer>): Promise<Figure> {
  await ledger.verifyJournal(large.runtimeId);
  const times = await inTurn(
    pages,
    (turn) => millisecondsOf(() => pageBytes(ledger, large.runtimeId, cursorOf(turn))),
    (turn) => millisecondsOf(() => bareBytes(bare, large.runtimeId, cursorOf(turn))),
    200,
  );
  const ratio = times.reference / times.measured;
  return {
    figure: 'events page of 100, bytes of the answer',
    measured: perSecond(times.measured),
    reference: `${perSecond(times.reference)} bare range read`,
    ratio,
    mustReach: '>= 0.5 x bare read',
    reached: ratio >= 0.5,
  };
}

async function againstShortJournal(ledger: Ledger): Promise<Figure> {
  await ledger.verifyJournal(large.runtimeId);
  await ledger.verifyJournal(small.runtimeId);
  const times = await inTurn(
    pages,
    (turn) => millisecondsOf(() => pageBytes(ledger, large.runtimeId, cursorOf(turn))),
    () => millisecondsOf(() => pageBytes(ledger, small.runtimeId, 0)),
    200,
  );
  const ratio = times.measured / times.reference;
  return {
    figure: 'events page of 100, p50 at 100,000 events',
    measured: quantity(times.measured * 1000, 'µs'),
    reference: `${quantity(times.reference * 1000, 'µs')} at 100 events`,
    ratio,
    mustReach: '<= 1.3 x p50 at 100 events',
    reached: ratio <= 1.3,
  };
}

/** Reads the long journal page by page for the first time, so that every page is also verified. */
async function firstReads(ledger: Ledger): Promise<Figure> {
  const first: number[] = [];
  for (let after = 0; after < large.events; after += pageEvents) {
    first.push(await millisecondsOf(() => pageBytes(ledger, large.runtimeId, after)));
  }
  return {
    figure: 'events page of 100, first read of a page with its verification',
    measured: quantity(median(first) * 1000, 'µs'),
    reference: '-',
    ratio: null,
    mustReach: '-',
    reached: null,
  };
}

async function overTheWire(dataRoot: string): Promise<Figure> {
  return withHost(dataRoot, async ({ client }) => {
    for (const { runtimeId } of [small, large]) await client.read(`/v1/runtimes/${runtimeId}`);
    const times = await inTurn(
      pages,
      (turn) => millisecondsOf(() => wirePage(client, large.runtimeId, cursorOf(turn))),
      () => millisecondsOf(() => wirePage(client, small.runtimeId, 0)),
      200,
    );
    return {
      figure: 'events page of 100, over one connection',
      measured: quantity(times.measured * 1000, 'µs'),
      reference: `${quantity(times.reference * 1000, 'µs')} at 100 events`,
      ratio: times.measured / times.reference,
      mustReach: '-',
      reached: null,
    };
  });
}

interface Load {
  readonly requests: number;
  readonly seconds: number;
  readonly p99: number;
}

/** One page, asked for again and again by many at once, and what the host keeps of it in memory. */
async function manyReaders(dataRoot: string): Promise<Figure[]> {
  return withHost(dataRoot, async ({ client, pid }) => {
    const path = `/v1/runtimes/${large.runtimeId}/events?after=${large.events / 2}&limit=${pageEvents}`;
    const { bytes } = await client.get(path);
    const fields = Object.entries(client.headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const load = (seconds: number): Promise<Load> =>
      runLoad('load-generator.ts', {
        port: Number(client.origin.port),
        request: `GET ${path} HTTP/1.1\r\nHost: ${client.origin.host}\r\n${fields.join('')}\r\n`,
        connections: readers,
        depth: 1,
        requests: Number.MAX_SAFE_INTEGER,
        seconds,
      });
    await load(1);
    const { requests, seconds, p99 } = await load(readSeconds);
    await delay(restMs);
    const { resident } = await memoryOf(pid);
    const perSecond = Math.round(requests / seconds);
    return [
      {
        figure: `events page of 100, ${readers} connections`,
        measured: `${perSecond} pages/s, p99 ${quantity(p99, 'ms')}`,
        reference: `${quantity(bytes.length / 1000, 'kB')} a page`,
        ratio: null,
        mustReach: `>= ${pagesPerSecond} pages/s, p99 <= ${atMostMs} ms`,
        reached: perSecond >= pagesPerSecond && p99 <= atMostMs,
      },
      {
        figure: `memory after ${readSeconds} s of these reads and ${restMs / 1000} s of rest`,
        measured: `${quantity(resident, 'MB')} resident`,
        reference: '-',
        ratio: null,
        mustReach: `<= ${atMostMegabytes} MB`,
        reached: resident <= atMostMegabytes,
      },
    ];
  });
}

async function wirePage(client: Client, runtimeId: string, after: number): Promise<void> {
  const { status } = await client.get(`/v1/runtimes/${runtimeId}/events?after=${after}&limit=${pageEvents}`);
  if (status !== 200) throw new Error(`a page was answered with ${status}`);
}

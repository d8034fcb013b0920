import test, { type ExecutionContext } from 'ava';
import { LibraryService } from '../../actors/library/library.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { noCorrections } from '../../receipts/captions/corrected-lines.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { indexKey } from '../../storage/ledger/keys.ts';

// The library over studies in memory, of which each takes a known time to read.

type Options = ConstructorParameters<typeof LibraryService>[0];

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const sourceId = (at: number): string => `source-session:${at}`;
const runtimeIdOf = (at: number): string => `runtime:${at}`;

/** The time in ms that one answer may take. */
const answerMs = 800;

interface Shelf {
  readonly service: LibraryService;
  /** The studies that were read, in order. */
  readonly read: string[];
  /** The study of a source ends, and its journal grows. */
  end(at: number): void;
  /** A study that cannot be read, with this error. */
  break(at: number, error: Error): void;
}

interface ShelfOptions {
  readonly count: number;
  readonly lifecycle: RuntimeRow['lifecycle'];
  /** How long it takes to read a study. */
  readonly readMs: number;
  /** The text of the lines of each study. */
  readonly lines?: readonly string[];
  /** The number of earlier studies of the first source, of which the earliest has accepted captions. */
  readonly earlier?: number;
}

const earlierId = (nth: number): string => `runtime:earlier-${nth}`;

/** So many sources, the newest first, each with one study. */
function shelf({ count, lifecycle, readMs, lines = [], earlier = 0 }: ShelfOptions): Shelf {
  let now = 0;
  const read: string[] = [];
  const ended = new Set<string>();
  const broken = new Map<string, Error>();
  const all = numbers(count);
  const entered = (at: number, startedAt: number, runtimeId: string) =>
    ['runtime', `session/${sourceId(at)}`].map((scope) => indexKey(scope, startedAt, runtimeId));
  const places = [
    ...all.flatMap((at) => entered(at, count - at, runtimeIdOf(at))),
    ...numbers(earlier).flatMap((nth) => entered(0, -1 - nth, earlierId(nth + 1))),
  ];
  let label: string | null = null;
  let renamedAt: string | null = null;
  const reading = (runtimeId: string): void => {
    now += readMs;
    const error = broken.get(runtimeId);
    if (error !== undefined) throw error;
    read.push(runtimeId);
  };
  const lifecycleOf = (runtimeId: string) =>
    ended.has(runtimeId) || runtimeId.includes('earlier') ? 'terminal' : lifecycle;
  const facts = lines.map((text, index) => ({
    kind: 'subtitle_cue',
    index,
    text,
    startMs: 1000 * (lines.length - index),
    endMs: 1000 * (lines.length - index) + 500,
  }));
  const evidence = [
    {
      delivered: { kind: 'subtitle_track', state: 'available', artifactId: 'artifact:a', contentId: 'sha256:a' },
      artifact: { input: { trackIndex: 0 }, facts },
    },
  ];
  const findings = { operations: [{ evidence }], recognition: null, screenText: null };
  const options = {
    ledger: {
      keysAfter: async (_: string, prefix: string, after: string, limit: number) =>
        places
          .filter((key) => key.startsWith(prefix) && key > after)
          .sort()
          .slice(0, limit),
      journalHead: (runtimeId: string) => ({ digest: `${runtimeId} ${lifecycleOf(runtimeId)}` }),
      commit: async () => undefined,
    },
    mutex: { take: (_: string, act: () => Promise<unknown>) => act() },
    clock: {
      now: () => {
        now += 1;
        return now;
      },
    },
    registry: {
      list: () => ({ rows: all.map((at) => ({ sourceSessionId: sourceId(at), label: `film ${at}` })) }),
      current: () => ({ tracks: [], trackLanguages: [], label: 'film', session: { sessionId: sourceId(0) } }),
      labelOf: () => label ?? 'film',
      labelWrites: () => [],
      renamed: () => (renamedAt === null ? undefined : { label, renamedAt }),
      rename: (_: string, row: { label: string; renamedAt: string } | null) => {
        label = row?.label ?? null;
        renamedAt = row?.renamedAt ?? null;
      },
    },
    runtimes: {
      read: async (runtimeId: string) => {
        reading(runtimeId);
        return {
          execution: { study: { findings, tail: { corrections: noCorrections } } },
        } as unknown as VerifiedRuntime;
      },
    },
    listed: {
      row: (runtimeId: string) => ({
        runtimeId,
        range: { startMs: 0, endMs: 1000 },
        reason: null,
        acceptedAt: '2026-01-02T03:04:05.006Z',
        sourceSessionId: `source of ${runtimeId}`,
        label: 'film',
        lifecycle: lifecycleOf(runtimeId),
        terminal: lifecycleOf(runtimeId) === 'terminal',
      }),
    },
    overviews: {
      of: async (runtimeId: string) => {
        reading(runtimeId);
        const captions = { state: 'not_yet', text: 'none' };
        const code = runtimeId === earlierId(earlier) ? 'captions_accepted' : 'studying';
        return { situation: { code, text: '' }, captions, journalHead: read.length } as RuntimeOverview;
      },
    },
    elapsed: () => now,
  };
  return {
    service: new LibraryService(options as unknown as Options),
    read,
    end: (at) => void ended.add(runtimeIdOf(at)),
    break: (at, error) => void broken.set(runtimeIdOf(at), error),
  };
}

/** The heads of the journals that the states of an answer rest on; null for a study without a state. */
const headsOf = async ({ service }: Shelf) => {
  const { sources, isWhole } = await service.list();
  return { isWhole, heads: sources.map(({ newest }) => newest?.standing?.journalHead ?? null) };
};

test('an answer of a library reads studies for its time, and the next ones go on with the rest', async (t) => {
  const ended = shelf({ count: 5, lifecycle: 'terminal', readMs: answerMs / 2 });
  t.deepEqual(await headsOf(ended), { isWhole: false, heads: [1, 2, null, null, null] });
  t.deepEqual(await headsOf(ended), { isWhole: false, heads: [1, 2, 3, 4, null] });
  t.deepEqual(await headsOf(ended), { isWhole: true, heads: [1, 2, 3, 4, 5] });
  t.deepEqual(await headsOf(ended), { isWhole: true, heads: [1, 2, 3, 4, 5] });
  t.is(ended.read.length, 5);
});

test('bug: a library with very many studies at work never had the state of all of them', async (t) => {
  const live = shelf({ count: 5, lifecycle: 'running', readMs: answerMs / 2 });
  t.deepEqual(await headsOf(live), { isWhole: false, heads: [1, 2, null, null, null] });
  t.deepEqual(await headsOf(live), { isWhole: false, heads: [1, 2, 3, 4, null] });
  // The time that is left goes to the oldest state.
  t.deepEqual(await headsOf(live), { isWhole: true, heads: [6, 2, 3, 4, 5] });
  t.deepEqual(await headsOf(live), { isWhole: true, heads: [6, 7, 8, 4, 5] });
  t.deepEqual(await headsOf(live), { isWhole: true, heads: [6, 7, 8, 9, 10] });
  // A study that has ended is read again.
  live.end(4);
  t.deepEqual(await headsOf(live), { isWhole: true, heads: [12, 7, 8, 9, 11] });
});

test('a study that a full store does not let be read fails the answer, and another fault is in its row', async (t) => {
  const broken = shelf({ count: 2, lifecycle: 'terminal', readMs: 1, lines: ['a line'] });
  broken.break(1, new ServiceError('stored_content_inconsistent', 'damaged'));
  t.like((await broken.service.list()).sources[1]?.newest, { standing: null, fault: 'stored_content_inconsistent' });
  t.deepEqual((await broken.service.search({ query: 'line', after: null, limit: 9 })).damaged, [runtimeIdOf(1)]);
  broken.break(1, new ServiceError('storage_unavailable', 'no descriptors'));
  await t.throwsAsync(broken.service.list(), { code: 'storage_unavailable' });
  await t.throwsAsync(broken.service.search({ query: 'line', after: null, limit: 9 }), { code: 'storage_unavailable' });
});

/** The pages of a search, each as what it found. */
async function pagesOf(t: ExecutionContext, { service }: Shelf, query: string): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string | null = null; ; ) {
    const { studies, nextCursor } = await service.search({ query, after, limit: 20 });
    pages.push(studies.map(({ runtimeId }) => runtimeId));
    if (nextCursor === null) return pages;
    if (pages.length > 20) t.fail('a search without an end');
    after = nextCursor;
  }
}

test('a search whose time is up ends its page, and reads no study again that has none of the words', async (t) => {
  const words = shelf({ count: 5, lifecycle: 'terminal', readMs: answerMs / 2, lines: ['a line'] });
  const ids = numbers(5).map(runtimeIdOf);
  t.deepEqual(await pagesOf(t, words, 'line'), [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  words.read.length = 0;
  t.deepEqual(await pagesOf(t, words, 'zebra'), [[]]);
  t.deepEqual(words.read, []);
  words.break(4, new ServiceError('stored_content_inconsistent', 'it is read again'));
  t.deepEqual(await pagesOf(t, words, 'line'), [ids.slice(0, 2), ids.slice(2, 4), []]);
});

test('a search names twenty lines of a study, the earliest first, and counts the others', async (t) => {
  const lines = numbers(23).map((at) => `line ${at}`);
  const { service } = shelf({ count: 1, lifecycle: 'terminal', readMs: 1, lines });
  const [study] = (await service.search({ query: 'line', after: null, limit: 1 })).studies;
  t.is(study?.more, 3);
  t.deepEqual(
    study?.lines.map(({ text }) => text),
    lines.toReversed().slice(0, 20),
  );
});

test('captions of an earlier study are found among the last twenty', async (t) => {
  const captionedOf = async (earlier: number) => {
    const { service } = shelf({ count: 1, lifecycle: 'interrupted', readMs: 1, earlier });
    return (await service.list()).sources[0]?.captioned?.runtimeId;
  };
  t.is(await captionedOf(20), earlierId(20));
  t.is(await captionedOf(21), undefined);
});

test('a name that a source has already changes nothing, and its sealed name takes the other one back', async (t) => {
  const { service } = shelf({ count: 1, lifecycle: 'terminal', readMs: 1 });
  const named = await service.rename(sourceId(0), 'mine');
  t.like(named, { label: 'mine', sealedLabel: 'film' });
  t.not(named.renamedAt, null);
  t.deepEqual(await service.rename(sourceId(0), 'mine'), named);
  t.like(await service.rename(sourceId(0), 'film'), { label: 'film', renamedAt: null });
});

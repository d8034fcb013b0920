import { librarySearch } from '../contract/library.ts';
import { type OpenedStore, openStore, store } from '../test/actors/reopening/stored-studies.ts';
import { storedStudy } from '../test/receipts/evidence/stored-study.ts';
import type { Figure, Row } from './figure.ts';
import type { HostProcess } from './host-process.ts';
import { largeSubtitleFiles } from './subtitle-files.ts';
import { got, Turns } from './turns.ts';

/** As many sources as a large library has, each with a study. */
const sources = 2_000;
const events = 100_000;

export const pausesAtLimits: Row = {
  name: 'pauses-at-limits',
  measures:
    'The longest turn of the event loop of the host, in processor time of its thread. It reads thousands of sources, a journal of a hundred thousand events, and subtitle files of the largest size.',
  grows: 'Not with the work: long work is done in steps of a few milliseconds.',
  async measure(folder) {
    const dataRoot = `${folder}/data`;
    const { sessionId, runtimeId } = await stored(dataRoot);
    const turns = new Turns(`${folder}/longest-turn`);
    return [
      ...(await turns.withHost(dataRoot, (host) => ofTheLibrary(host, turns), [])),
      ...(await turns.withHost(dataRoot, (host) => ofTheJournal(host, turns, runtimeId), [])),
      ...(await turns.withHost(dataRoot, (host) => ofSubtitleFiles(host, turns, sessionId), [])),
    ];
  },
};

/** A data root with many sources and studies, one of them with a long journal. */
async function stored(dataRoot: string): Promise<{ readonly sessionId: string; readonly runtimeId: string }> {
  const opened = await openStore(dataRoot);
  let last = { sessionId: '', runtimeId: '' };
  for (let at = 0; at < sources; at += 1) {
    const study = storedStudy({ version: 1, windows: 2, media: Buffer.from(`clip ${at}`) });
    last = { sessionId: study.source.session.sessionId, runtimeId: await store(opened, study) };
    if (at === sources - 1) await lengthened(opened, last.runtimeId, study.commits.flat());
  }
  await opened.close();
  return last;
}

/** Repeats the events of a study until its journal is long. Such a journal can be read, and proves no study. */
async function lengthened(
  { ledger }: OpenedStore,
  runtimeId: string,
  drafts: ReturnType<typeof storedStudy>['commits'][number],
): Promise<void> {
  for (let at = drafts.length; at < events; at += drafts.length)
    await ledger.commit([{ append: runtimeId, events: drafts.slice(0, events - at) }]);
}

async function ofTheLibrary(host: HostProcess, turns: Turns): Promise<Figure[]> {
  const { client } = host;
  const read = (what: string, path: string) =>
    turns.during(host, `${what}, ${sources} sources`, () => got(client, path));
  const figures = [
    await read('the first library after a start', '/v1/library'),
    await read('the library', '/v1/library'),
    await read('the sources', '/v1/source-sessions'),
    await read('a page of studies', '/v1/runtimes?limit=200'),
    await read('a page of actors', '/v1/actors?limit=200'),
    await read('the room on the disk', '/v1/disk-use'),
    await read('the metrics', '/v1/metrics'),
  ];
  const searched = await turns.during(host, `a search to its end, ${sources} sources`, async () => {
    for (let after = ''; ; ) {
      const page = librarySearch.parse(await client.read(`/v1/search?q=nowhere${after}`));
      if (page.nextCursor === null) return;
      after = `&after=${encodeURIComponent(page.nextCursor)}`;
    }
  });
  return [...figures, searched];
}

async function ofTheJournal(host: HostProcess, turns: Turns, runtimeId: string): Promise<Figure[]> {
  const { client } = host;
  const path = `/v1/runtimes/${runtimeId}`;
  const during = (what: string, work: () => Promise<unknown>) =>
    turns.during(host, `${what}, a journal of ${events} events`, work);
  return [
    await during('the last page after a start', () => got(client, `${path}/events?after=${events - 200}&limit=200`)),
    await during('a long poll at the head', () => got(client, `${path}/events?after=${events}&limit=200&wait=1000`)),
    await during('a stream from the beginning', async () => {
      const headers = { ...client.headers, Accept: 'text/event-stream' };
      const answer = await fetch(new URL(`${path}/events?after=0`, client.origin), { headers });
      for await (const piece of answer.body ?? []) if (Buffer.from(piece).includes('event: ended')) return;
    }),
    // The records of such a journal contradict each other, which is found by reading it.
    await during('an overview', () => client.get(`${path}/overview`)),
  ];
}

/** The file of each format that holds the host for the longest. */
async function ofSubtitleFiles(host: HostProcess, turns: Turns, sessionId: string): Promise<Figure[]> {
  const { client } = host;
  const words = { rightsScope: 'local_processing', ownershipAttested: 'true', rightsHolder: 'Nobody' };
  const figures: Figure[] = [];
  for (const { what, format, bytes } of largeSubtitleFiles()) {
    const query = new URLSearchParams({ ...words, format, label: `${format} ${what}` });
    const address = new URL(`/v1/source-sessions/${sessionId}/subtitle-tracks?${query}`, client.origin);
    const headers = { ...client.headers, 'Content-Type': 'application/octet-stream' };
    figures.push(
      await turns.during(host, `a subtitle file of ${bytes.length} bytes, ${format}, ${what}`, async () => {
        const answer = await fetch(address, { method: 'POST', headers, body: new Uint8Array(bytes) });
        const text = await answer.text();
        if (answer.status !== 201 && !text.includes('invalid_subtitle')) throw new Error(`${what}: ${text}`);
      }),
    );
  }
  return figures;
}

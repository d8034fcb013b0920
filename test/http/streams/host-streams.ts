import test, { type ExecutionContext } from 'ava';
import { ownedIngestStatus } from '../../../contract/ingest/owned-ingest.ts';
import { hostStreamEvents, maximumFollowed } from '../../../contract/journal/event-stream.ts';
import { workProgress } from '../../../contract/operation/work-progress.ts';
import type { HostContract } from '../host/contract.ts';
import { ingestRequest } from '../host/ingest-steps.ts';
import { eventsPage, followed, heldStudy, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { StreamReader } from './stream-reader.ts';

const ingests = '/v1/owned-media-ingests';

/** One stream of several journals and ingests, and how far work has come. */
export function hostStreams(contract: HostContract): void {
  const open = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    StreamReader.open(contract.client, path, headers);

  const openedIngest = async (t: ExecutionContext, declaredBytes: number): Promise<string> => {
    const opened = await contract.post(ingests, ingestRequest(declaredBytes));
    return contract.granted(t, opened, 202, ownedIngestStatus).ingestId;
  };

  test.serial(contract.title('one stream follows journals and ingests, and its id resumes all of them'), async (t) => {
    const { runtimeId: ended } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    const { events: records } = await followed(t, contract, ended);
    const { runtimeId: live, head } = await heldStudy(t, contract, 2100);
    const ingestId = await openedIngest(t, 4);
    const path = `/v1/events?runtimes=${ended}@${records.length - 1},${live}&ingests=${ingestId}`;
    const stream = await open(path, { Accept: '*/*' });
    t.is(stream.answer.headers['content-type'], 'text/event-stream');
    const isHere = ({ events }: StreamReader) =>
      stream.data('journal').length === head + 1 && events.some(({ event }) => event === 'ingest');
    await stream.until('what stands ready', isHere);
    t.like(stream.data('ended'), [{ runtimeId: ended, journalHead: records.length }]);
    t.like(stream.data('ingest'), [{ ingestId, status: 'queued' }]);
    await contract.ask('PUT', `${ingests}/${ingestId}/media`, {
      body: Buffer.from('text'),
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    await stream.until('the failure of an ingest that is no media', () =>
      stream.data('ingest').some((document) => ownedIngestStatus.parse(document).status === 'failed'),
    );
    const lastId = stream.lastId;
    t.is(lastId, `${records.length},${head}`);
    stream.close();
    const progressed = stream.data('progress').map((document) => workProgress.parse(document));
    t.true(progressed.some(({ id, stage }) => id === ended && stage === 'ended'));
    t.true(progressed.some(({ id, stage }) => id === live && stage === 'detect'));
    t.true(progressed.some(({ id, stage }) => id === ingestId && stage === 'upload'));
    // An id stays in force until another comes, so only records may have one.
    const ids = stream.events.filter(({ event, id }) => event !== 'journal' && id !== undefined);
    t.deepEqual(ids, []);

    const resumed = await open(path, { 'Last-Event-ID': lastId });
    await contract.gate.open();
    await resumed.until('the end of the live study', () => resumed.data('ended').length === 2);
    const { events: all } = await followed(t, contract, live);
    t.deepEqual(resumed.data('journal'), all.slice(head));
    for (const { event = '', data } of [...stream.events, ...resumed.events]) {
      hostStreamEvents[event as keyof typeof hostStreamEvents].parse(JSON.parse(data));
    }
    resumed.close();
  });

  test.serial(contract.title('what no stream can follow is refused in JSON'), async (t) => {
    const { runtimeId } = await startStudy(t, contract, studyRequest(await sampleRow(t, contract)));
    const many = Array.from({ length: maximumFollowed + 1 }, (_, at) => `runtime:${at}`).join();
    const videohost = 'videohost-ingest:00000000-0000-4000-8000-000000000000';
    const rows = [
      ...['', '?runtimes=', '?ingests=', `?runtimes=${runtimeId},`, `?runtimes=${runtimeId},${runtimeId}`].map(
        (query) => ['invalid_subscription', query] as const,
      ),
      ['invalid_subscription', `?runtimes=${runtimeId}@1@2`],
      ['invalid_subscription', `?runtimes=${many}`],
      ['invalid_cursor', `?runtimes=${runtimeId}@x`],
      ['cursor_past_head', `?runtimes=${runtimeId}@9999`],
      ['unknown_runtime', '?runtimes=runtime:none'],
      ['unknown_ingest', '?ingests=owned-ingest:none'],
      ['unknown_ingest', '?ingests=none'],
      ['videohost_local_ingest_unavailable', `?ingests=${videohost}`],
      ['duplicate_query', `?runtimes=${runtimeId}&runtimes=${runtimeId}`],
      ['unknown_query', '?actor=all'],
    ] as const;
    for (const [code, query] of rows) contract.refused(t, await contract.get(`/v1/events${query}`), code);
    for (const id of ['1,2', 'x', '1,', ' ']) {
      const headers = { 'Last-Event-ID': id };
      contract.refused(t, await contract.get(`/v1/events?runtimes=${runtimeId}`, { headers }), 'invalid_cursor');
    }
  });

  test.serial(contract.title('progress is read of studies and ingests, and stands in no journal'), async (t) => {
    const progressAt = async (path: string) =>
      contract.granted(t, await contract.get(`${path}/progress`), 200, workProgress);
    const { runtimeId } = await heldStudy(t, contract, 2200);
    t.like(await progressAt(`/v1/runtimes/${runtimeId}`), { id: runtimeId, stage: 'detect', queuePosition: null });
    const source = await sampleRow(t, contract);
    const waiting: string[] = [];
    for (const clientRequestId of ['busy', 'first', 'second']) {
      waiting.push((await startStudy(t, contract, studyRequest(source, { clientRequestId }))).runtimeId);
    }
    const places = await Promise.all(waiting.map((id) => progressAt(`/v1/runtimes/${id}`)));
    t.deepEqual(
      places.map(({ stage, queuePosition }) => [stage === 'queued', queuePosition]),
      [
        [false, null],
        [true, 1],
        [true, 2],
      ],
    );
    const stream = await open(`/v1/events?runtimes=${waiting[2]}`);
    await contract.gate.open();
    await stream.until('the end', () =>
      stream.data('progress').some((one) => workProgress.parse(one).stage === 'ended'),
    );
    const seen = stream.data('progress').map((one) => workProgress.parse(one));
    t.like(seen[0], { stage: 'queued', queuePosition: 2 });
    stream.close();
    for (const id of [runtimeId, ...waiting]) await followed(t, contract, id);
    t.like(await progressAt(`/v1/runtimes/${runtimeId}`), { stage: 'ended', completed: null, etaMs: null });
    t.false(JSON.stringify(await eventsPage(t, contract, runtimeId)).includes('work-progress'));

    const ingestId = await openedIngest(t, 100);
    t.like(await progressAt(`${ingests}/${ingestId}`), { id: ingestId, stage: 'upload', completed: null });
    const half = contract.client.raw();
    half.send(
      contract.client.head(
        `PUT ${ingests}/${ingestId}/media`,
        'Content-Type: application/octet-stream',
        'Content-Length: 100',
      ),
    );
    const upload = await open(`/v1/events?ingests=${ingestId}`);
    half.send(Buffer.alloc(40));
    await upload.until('the bytes so far', () =>
      upload.data('progress').some((one) => workProgress.parse(one).completed === 40),
    );
    t.like(await progressAt(`${ingests}/${ingestId}`), { completed: 40, total: 100, unit: 'bytes', bytes: 40 });
    half.destroy();
    upload.close();
    contract.refused(t, await contract.get('/v1/runtimes/runtime:none/progress'), 'unknown_runtime');
    contract.refused(t, await contract.get(`${ingests}/owned-ingest:none/progress`), 'unknown_ingest');
    contract.refused(t, await contract.get(`/v1/videohost-local-ingests/${ingestId}/progress`), 'unknown_ingest');
  });
}

import { readFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { deletions as deletionList, deletionReceipt } from '../../../contract/deletion/deletion-receipt.ts';
import { diskUse } from '../../../contract/deletion/disk-use.ts';
import { garbageCollection } from '../../../contract/deletion/garbage-collection.ts';
import { runtimes } from '../../../contract/study/runtimes.ts';
import { endpointsOf } from '../../../http/exchange/route.ts';
import { describedRoutes } from '../../../scripts/docs/openapi/document.ts';
import { mediaNumber } from '../../crash/media.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { type HostContract, pageOrigin } from '../host/contract.ts';
import { ingestRequest, ingests, openIngest, putMedia, reached } from '../host/ingest-steps.ts';
import { followed, plans, sampleRow, startStudy, starts, studyRequest } from '../host/study-steps.ts';

const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';
const examplesPath = new URL('../../../fixtures/recorded-run/exchanges.json', import.meta.url);

/** Bodies that a real run sent, by the names of the operations. */
const sent = async (): Promise<Readonly<Record<string, { request?: unknown; params: Record<string, string> }>>> =>
  JSON.parse(await readFile(examplesPath, 'utf8')).operations;

/** What a host deletes, what it refuses to delete, and how it answers for what is gone. */
export function deletions(contract: HostContract): void {
  const remove = (path: string) => contract.ask('DELETE', path);
  const gone = { runtimeId: '', commandId: '', request: {} };

  const granted = (t: ExecutionContext, answer: WireAnswer) => contract.granted(t, answer, 200, deletionReceipt);

  test.serial(contract.title('a study that waits or runs is not deleted, and one that has ended is'), async (t) => {
    gone.request = studyRequest(await sampleRow(t, contract), { clientRequestId: 'to-be-deleted' });
    await contract.gate.close();
    const { runtimeId, commandId } = await startStudy(t, contract, gone.request);
    contract.refused(t, await remove(`/v1/runtimes/${runtimeId}`), 'runtime_live');
    await contract.gate.open();
    await followed(t, contract, runtimeId);
    const receipt = granted(t, await remove(`/v1/runtimes/${runtimeId}?operator=Somebody`));
    t.like(receipt, {
      operator: 'Somebody',
      deleted: { kind: 'runtime', runtimeId, commandId, lifecycle: 'terminal' },
    });
    t.deepEqual(granted(t, await remove(`/v1/runtimes/${runtimeId}`)), receipt, 'once more answers as the first time');
    const list = contract.granted(t, await contract.get('/v1/deletions?limit=1'), 200, deletionList);
    t.deepEqual(list, { schema: 'studio.deletions.v1', deletions: [receipt], damaged: [], nextCursor: null });
    Object.assign(gone, { runtimeId, commandId });
  });

  test.serial(contract.title('every path of a deleted runtime answers 410, whatever its method'), async (t) => {
    const examples = await sent();
    const asked: string[] = [];
    for (const route of describedRoutes()) {
      const { path } = route;
      if (!/:(runtimeId|commandId)/.test(path)) continue;
      for (const [method, endpoint] of endpointsOf(route)) {
        if (method === 'DELETE') continue;
        const { request, params = {} } = examples[endpoint.description.id] ?? {};
        const names = { ...params, runtimeId: gone.runtimeId, commandId: gone.commandId };
        const target = path.replace(/:([^./]+)/g, (_, name: keyof typeof names) =>
          encodeURIComponent(names[name] ?? 'x'),
        );
        const body = endpoint.body === 'json' ? { json: request ?? checkRequest } : {};
        const answer = await contract.ask(method, target, { ...body, headers: { Origin: pageOrigin } });
        const { error } = JSON.parse(answer.body.toString());
        t.is(`${answer.status} ${error.code}`, '410 runtime_deleted', `${method} ${target}`);
        asked.push(`${method} ${path}`);
      }
    }
    t.true(asked.length >= 20, asked.join('\n'));
  });

  test.serial(
    contract.title('an equal start is refused, another attempt is not, and lists do not show it'),
    async (t) => {
      for (const path of [plans, starts])
        contract.refused(t, await contract.post(path, gone.request), 'runtime_deleted');
      const listed = contract.granted(t, await contract.get('/v1/runtimes'), 200, runtimes);
      t.false(listed.runtimes.some(({ runtimeId }) => runtimeId === gone.runtimeId));
      const again = await startStudy(t, contract, { ...gone.request, clientRequestId: 'another' });
      t.not(again.runtimeId, gone.runtimeId);
      await followed(t, contract, again.runtimeId);
    },
  );

  test.serial(contract.title('what cannot be deleted is refused with its reason'), async (t) => {
    contract.refused(t, await remove(`/v1/runtimes/${nowhere}`), 'unknown_runtime');
    contract.refused(t, await remove('/v1/runtimes/x'), 'unknown_runtime');
    contract.refused(t, await remove('/v1/source-sessions/x'), 'unknown_source_session');
    contract.refused(t, await remove(`/v1/runtimes/${nowhere}?operator=%20`), 'unknown_query');
    const { sourceSessionId } = await sampleRow(t, contract);
    contract.refused(t, await remove(`/v1/source-sessions/${sourceSessionId}`), 'source_read_in_place');
  });

  test.serial(
    contract.title('a source goes with its ingest, once no runtime and no live ingest needs it'),
    async (t) => {
      const media = mediaNumber(7);
      const sendOne = async (label: string) => {
        const ingestId = await openIngest(t, contract, ingestRequest(media.length, { filename: 'a.mp4', label }));
        t.is((await putMedia(contract, ingestId, media)).status, 202);
        return ingestId;
      };
      const registered = async (ingestId: string) => {
        const { source } = await reached(t, contract, ingestId);
        if (source === null) throw new Error('the ingest has no source');
        return source;
      };
      const first = await sendOne('To be deleted');
      const path = `/v1/source-sessions/${(await registered(first)).sourceSessionId}`;
      await contract.gate.close();
      const second = await sendOne('Another revision');
      t.regex(contract.refused(t, await remove(path), 'source_in_use'), new RegExp(`1 live ingests.*${second}`));
      await contract.gate.open();
      const source = await registered(second);
      await contract.gate.close();
      const { runtimeId } = await startStudy(t, contract, studyRequest(source));
      t.regex(contract.refused(t, await remove(path), 'source_in_use'), new RegExp(`1 runtime needs it: ${runtimeId}`));
      await contract.gate.open();
      const { last } = await followed(t, contract, runtimeId);
      t.like(last, { lifecycle: 'terminal', reason: null }, 'the refused deletion has left the study alone');
      t.regex(contract.refused(t, await remove(path), 'source_in_use'), new RegExp(`1 runtime needs it: ${runtimeId}`));
      granted(t, await remove(`/v1/runtimes/${runtimeId}`));
      const { deleted } = granted(t, await remove(path));
      t.deepEqual(deleted.kind === 'source' && [...deleted.ingestIds].sort(), [first, second].sort());
      t.is(deleted.kind === 'source' && deleted.sourceRevisionIds.length, 2);
      for (const target of [
        `${path}/media-probe`,
        `${ingests}/${first}`,
        `/v1/runtimes?source=${source.sourceSessionId}`,
      ])
        contract.refused(t, await contract.get(target), 'source_deleted');
      contract.refused(
        t,
        await contract.post(starts, studyRequest(source, { clientRequestId: 'x' })),
        'source_deleted',
      );
      contract.refused(t, await contract.post(`${ingests}/${first}/cancellations`, {}), 'source_deleted');
      // A source is its media: whoever brings that once more has it back.
      const again = await registered(await sendOne('Back again'));
      t.is(again.sourceSessionId, source.sourceSessionId);
      t.is((await contract.get(`${path}/media-probe`)).status, 200);
      const { sources } = contract.granted(t, await contract.get('/v1/disk-use'), 200, diskUse);
      t.is(sources.find(({ label }) => label === 'Back again')?.media.bytes, media.length);
    },
  );

  test.serial(
    contract.title('a collection counts what no record reaches, and a dry run removes nothing'),
    async (t) => {
      contract.refused(t, await contract.post('/v1/garbage-collections', {}), 'invalid_collection_request');
      const collect = async (dryRun: boolean) => {
        const answer = await contract.post('/v1/garbage-collections', { dryRun });
        return contract.granted(t, answer, 200, garbageCollection);
      };
      const before = contract.granted(t, await contract.get('/v1/disk-use?limit=1'), 200, diskUse);
      t.true(before.runtimes.length <= 1);
      t.like(await collect(true), { dryRun: true, kept: { object: before.total.unreached } });
      t.is((await collect(false)).removed.object.files, 0, 'all of it was stored a moment ago');
      await contract.stop();
      await contract.start();
      const dry = await collect(true);
      const after = contract.granted(t, await contract.get('/v1/disk-use'), 200, diskUse);
      t.deepEqual(dry.removed.object, after.total.unreached);
      const figure = async (name: string): Promise<number | null> => {
        const text = (await contract.get('/v1/metrics')).body.toString();
        const value = text.split('\n').find((line) => line.startsWith(`media_study_${name} `));
        return value === undefined ? null : Number(value.split(' ')[1]);
      };
      t.is(await figure('collections_total'), 0, 'a dry run is none');
      const { removed } = await collect(false);
      t.deepEqual(removed.object, dry.removed.object);
      t.is(await figure('collections_total'), 1);
      t.is(await figure('collected_files_total{kind="object"}'), removed.object.files);
      t.is(await figure('collected_bytes_total{kind="object"}'), removed.object.bytes);
    },
  );
}

/** No run records a check of captions, which takes a crash. */
const checkRequest = {
  candidate: {
    jobId: `caption-production:${'1'.repeat(64)}`,
    captionArtifactId: `artifact:${'2'.repeat(64)}`,
    captionContentId: `sha256:${'3'.repeat(64)}`,
    captionReceiptId: `caption-production-receipt:${'4'.repeat(64)}`,
    captionReceiptContentId: `sha256:${'5'.repeat(64)}`,
  },
};

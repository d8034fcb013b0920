import type { DeletionService } from '../../actors/deletion/deletions.ts';
import type { DiskUsage } from '../../actors/deletion/disk-usage.ts';
import type { Garbage } from '../../actors/deletion/garbage.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { identity } from '../../contract/base/grammar.ts';
import { requestWords } from '../../contract/base/request-fault.ts';
import {
  deletionPreview,
  deletionQuery,
  deletionReceipt,
  deletions,
  deletionsQuery,
  diskUse,
  diskUseQuery,
  garbageCollection,
  garbageCollectionRequest,
  operatorLabel,
} from '../../contract/deletion.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json } from '../exchange/description.ts';
import { type Call, type Endpoint, type Route, read, remove, route, write } from '../exchange/route.ts';
import { limitOf, pageOf } from '../exchange/target.ts';

const forGood =
  'It cannot be undone. Its receipt stays, every read of it answers 410, and a repeated deletion answers with the receipt of the first.';

/** The deletion of a runtime, a method of its path. */
export const deleteRuntime = (service: DeletionService): Endpoint<'runtimeId'> =>
  remove({
    id: 'deleteRuntime',
    summary: 'delete a study that has ended, with its journal and everything made from it',
    details: `${forGood} An equal start is refused from then on; another \`clientRequestId\` asks for another study.`,
    query: deletionQuery,
    answers: [json(200, deletionReceipt)],
    refusals: ['unknown_runtime', 'runtime_live', 'runtime_in_production', 'stored_content_inconsistent'],
    handle: async (call) => ({
      status: 200,
      body: await service.runtime(call.params.runtimeId, operatorOf(call)),
    }),
  });

/** The routes of deletions, of the collection of garbage, and of what takes space. */
export const deletionRoutes = (service: DeletionService, garbage: Garbage, usage: DiskUsage): readonly Route[] => [
  route('/v1/source-sessions/:sourceSessionId', {
    room: 'deletion',
    params: { sourceSessionId: identity },
    DELETE: remove({
      id: 'deleteSource',
      summary: 'delete a source that no runtime and no live ingest needs, with its media and its ingests',
      details: `${forGood} The same media can be ingested again.`,
      query: deletionQuery,
      answers: [json(200, deletionReceipt)],
      refusals: ['unknown_source_session', 'source_in_use', 'source_read_in_place', 'stored_content_inconsistent'],
      handle: async (call) => ({
        status: 200,
        body: await service.source(call.params.sourceSessionId, operatorOf(call)),
      }),
    }),
  }),
  route('/v1/source-sessions/:sourceSessionId/deletion-preview', {
    room: 'deletion',
    params: { sourceSessionId: identity },
    GET: read({
      id: 'previewSourceDeletion',
      summary: 'what the deletion of a source would remove, or why it would be refused',
      answers: [json(200, deletionPreview)],
      refusals: [
        'unknown_source_session',
        'source_deleted',
        'source_in_use',
        'source_read_in_place',
        'stored_content_inconsistent',
      ],
      handle: async ({ params }) => ({ status: 200, body: await service.previewSource(params.sourceSessionId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/deletion-preview', {
    room: 'deletion',
    params: { runtimeId },
    GET: read({
      id: 'previewRuntimeDeletion',
      summary: 'what the deletion of a study would remove, or why it would be refused',
      answers: [json(200, deletionPreview)],
      refusals: [
        'unknown_runtime',
        'runtime_deleted',
        'runtime_live',
        'runtime_in_production',
        'stored_content_inconsistent',
      ],
      handle: async ({ params }) => ({ status: 200, body: await service.previewRuntime(params.runtimeId) }),
    }),
  }),
  route('/v1/deletions', {
    room: 'deletion',
    GET: read({
      id: 'listDeletions',
      summary: 'the receipts of what was deleted, newest first',
      query: deletionsQuery,
      answers: [json(200, deletions)],
      refusals: ['invalid_cursor', 'invalid_limit'],
      handle: async ({ query }) => ({ status: 200, body: await service.list(pageOf(query)) }),
    }),
  }),
  route('/v1/garbage-collections', {
    room: 'deletion',
    POST: write({
      id: 'collectGarbage',
      summary: 'remove what no record reaches, or list what would be removed',
      details:
        'Objects are removed unless they were stored in the last 15 minutes or live work holds them. Quarantined files are removed after 30 days, leftovers of uploads and of work after one.',
      request: garbageCollectionRequest,
      invalid: 'invalid_collection_request',
      answers: [json(200, garbageCollection)],
      refusals: [],
      handle: async ({ body }) => ({ status: 200, body: await garbage.collect(body.dryRun) }),
    }),
  }),
  route('/v1/disk-use', {
    room: 'deletion',
    GET: read({
      id: 'readDiskUse',
      summary: 'what takes space in the data root, by source and by runtime',
      details: 'The largest come first. It reads the whole ledger: ask for it now and then, not all the time.',
      query: diskUseQuery,
      answers: [json(200, diskUse)],
      refusals: ['invalid_cursor', 'invalid_limit'],
      handle: async ({ query }) => ({ status: 200, body: await usage.measure(limitOf(query)) }),
    }),
  }),
];

function operatorOf({ query }: Call<null>): string | null {
  const operator = operatorLabel.nullable().safeParse(query.get('operator') ?? null, requestWords);
  if (operator.success) return operator.data;
  throw new ServiceError('unknown_query', `operator: ${operator.error.issues[0]?.message ?? 'invalid'}`);
}

import type { ProgressBoard } from '../../actors/supervision/progress-board.ts';
import { ownedIngestId } from '../../contract/ingest/owned-ingest.ts';
import { videohostIngestId } from '../../contract/ingest/videohost-ingest.ts';
import { workProgress } from '../../contract/operation/work-progress.ts';
import { runtimeId } from '../../contract/study/runtime-start.ts';
import { json } from '../exchange/description.ts';
import { type Route, read } from '../exchange/route.ts';
import type { StreamContext } from '../streams/event-stream.ts';

/** What streams need beside the services whose work they follow. */
export interface Streaming extends StreamContext {
  readonly progress: ProgressBoard;
}

const details =
  'It is measured by the running host and stored nowhere. What is not measured is null, and so is everything of work that has ended.';

/** The routes of how far work has come. */
export const progressRoutes = (progress: ProgressBoard): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/progress',
    room: 'study',
    params: { runtimeId },
    GET: read({
      id: 'readRuntimeProgress',
      summary: 'how far a study has come within its step',
      details,
      answers: [json(200, workProgress)],
      refusals: ['unknown_runtime', 'runtime_deleted', 'stored_content_inconsistent'],
      handle: ({ params }) => ({ status: 200, body: progress.runtime(params.runtimeId ?? '') }),
    }),
  },
  ...(
    [
      ['/v1/owned-media-ingests/:ingestId/progress', 'readOwnedIngestProgress', ownedIngestId, 'owned-ingest'],
      [
        '/v1/videohost-local-ingests/:ingestId/progress',
        'readVideohostIngestProgress',
        videohostIngestId,
        'videohost-ingest',
      ],
    ] as const
  ).map(
    ([path, id, ingestId, kind]): Route => ({
      path,
      room: 'ingest',
      params: { ingestId },
      GET: read({
        id,
        summary: 'how far an ingest has come within its step',
        details,
        answers: [json(200, workProgress)],
        refusals: ['unknown_ingest', 'source_deleted', 'stored_content_inconsistent'],
        handle: ({ params }) => ({ status: 200, body: progress.ingest(params.ingestId ?? '', [kind]) }),
      }),
    }),
  ),
];

import type { SourceRecords } from '../../actors/sources/source-records.ts';
import { identity } from '../../contract/base/grammar.ts';
import { mediaProbe } from '../../contract/sources/media-probe.ts';
import { sourceSessionList } from '../../contract/sources/source-session-list.ts';
import { jsonBytes } from '../exchange/answer.ts';
import { json } from '../exchange/description.ts';
import { type Route, read } from '../exchange/route.ts';

/** The list of sources as readers see it; `version` moves with every change of `rows`. */
export interface SourceList {
  list(): { readonly version: number; readonly rows: readonly object[] };
}

/** The routes of sources. The bytes of the list are kept while it stays the same. */
export function sourceRoutes(sources: SourceList, records: SourceRecords): readonly Route[] {
  let version = -1;
  let bytes: Uint8Array = Buffer.alloc(0);
  const current = (): Uint8Array => {
    const list = sources.list();
    if (list.version !== version) {
      bytes = jsonBytes({ schema: 'studio.local-source-session-list.v1', sourceSessions: list.rows });
      version = list.version;
    }
    return bytes;
  };
  return [
    {
      path: '/v1/source-sessions',
      room: 'sources',
      GET: read({
        id: 'readSourceSessions',
        summary: 'the sources that can be studied',
        answers: [json(200, sourceSessionList)],
        refusals: [],
        handle: () => ({ status: 200, body: current() }),
      }),
    },
    {
      path: '/v1/source-sessions/:sourceSessionId/media-probe',
      room: 'sources',
      params: { sourceSessionId: identity },
      GET: read({
        id: 'readMediaProbe',
        summary: 'the probe record of a source: its tracks, its clock, and what is missing of incomplete media',
        answers: [json(200, mediaProbe)],
        refusals: ['unknown_source_session', 'source_deleted', 'source_revalidation_failed'],
        handle: async ({ params }) => ({ status: 200, body: await records.mediaProbe(params.sourceSessionId ?? '') }),
      }),
    },
  ];
}

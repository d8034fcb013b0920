import type { SourceRecords } from '../../actors/sources/source-records.ts';
import { jsonBytes } from '../exchange/answer.ts';
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
    { path: '/v1/source-sessions', methods: { GET: read(() => ({ status: 200, body: current() })) } },
    {
      path: '/v1/source-sessions/:sourceSessionId/media-probe',
      methods: {
        GET: read(async ({ params }) => ({
          status: 200,
          body: await records.mediaProbe(params.sourceSessionId ?? ''),
        })),
      },
    },
  ];
}

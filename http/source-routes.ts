import { jsonBytes } from './answer.ts';
import { type Route, read } from './route.ts';

/** The list of sources as readers see it; `version` moves with every change of `rows`. */
export interface SourceList {
  list(): { readonly version: number; readonly rows: readonly object[] };
}

/** The route of the list of sources. Its bytes are kept while the list stays the same. */
export function sourceRoutes(sources: SourceList): readonly Route[] {
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
  return [{ path: '/v1/source-sessions', methods: { GET: read(() => ({ status: 200, body: current() })) } }];
}

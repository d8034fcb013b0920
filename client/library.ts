import type { LibraryAnswer, LibrarySearch, SourceLabel } from '../contract/library.ts';
import { encodedPath, type ListOptions, queryOf, type Transport } from './transport.ts';

/** The sources of a host as a library: their labels, their states, and the search through their words. */
export class Library {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Every source with its newest study. While `isWhole` is false, some studies were not read within the time of the answer, and
   * another call goes on with them.
   */
  list(): Promise<LibraryAnswer> {
    return this.#transport.json('/v1/library');
  }

  /** A page of the studies with lines that have all words of `query`, newest first; at most 50 studies. */
  search(query: string, options: ListOptions & { readonly signal?: AbortSignal } = {}): Promise<LibrarySearch> {
    const { signal, ...page } = options;
    return this.#transport.json(`/v1/search${queryOf({ q: query, ...page })}`, { signal });
  }

  /** Gives a source another name; null gives it the one back that it came with. */
  rename(sourceSessionId: string, label: string | null): Promise<SourceLabel> {
    return this.#transport.json(encodedPath`/v1/source-sessions/${sourceSessionId}/label`, {
      method: 'POST',
      json: { schema: 'studio.source-label-request.v1', label },
      repeatable: true,
    });
  }
}

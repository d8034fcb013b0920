import type { LibraryService } from '../../actors/library/library.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { identity } from '../../contract/base/grammar.ts';
import {
  library,
  librarySearch,
  searchPage,
  searchQuery,
  sourceLabel,
  sourceLabelRequest,
} from '../../contract/library.ts';
import { json } from '../exchange/description.ts';
import { type Route, read, route, write } from '../exchange/route.ts';
import { pageOf } from '../exchange/target.ts';

/** The routes of a library: its sources with their labels and states, and the search through their words. */
export const libraryRoutes = (service: LibraryService): readonly Route[] => [
  route('/v1/library', {
    room: 'sources',
    GET: read({
      id: 'readLibrary',
      summary: 'every source with its languages, its studies, and the state of the newest of them',
      details:
        'The host reads and verifies the state of each study from its journal, for at most 0.8 seconds an answer. While `isWhole` is false, ask again for the rest. With many studies at work, the state of one may be that of an earlier answer.',
      answers: [json(200, library)],
      refusals: [],
      handle: async () => ({ status: 200, body: await service.list() }),
    }),
  }),
  route('/v1/search', {
    room: 'evidence',
    GET: read({
      id: 'searchLibrary',
      summary:
        'search the labels of sources and the words of studies: subtitles, recognized speech, text on the screen',
      details:
        'A line is found if it has all words of `q`, in any order and as parts of words; case and accents do not matter. Each line comes from verified evidence, with its study, kind and time. If a person corrected captions, it finds their present lines, and not the words that they replace. An answer looks for at most 0.8 seconds: a page may hold fewer studies than `limit`, even none, while `nextCursor` is not null.',
      query: searchQuery,
      answers: [json(200, librarySearch)],
      refusals: ['invalid_search', 'invalid_cursor', 'invalid_limit'],
      handle: async ({ query }) => ({ status: 200, body: await service.search(searchRequest(query)) }),
    }),
  }),
  route('/v1/source-sessions/:sourceSessionId/label', {
    room: 'sources',
    params: { sourceSessionId: identity },
    POST: write({
      id: 'renameSource',
      summary: 'give a source another name, or the one back that it came with',
      details:
        'The new name appears in the lists of sources and studies, in overviews and in the use of the disk. Identities, receipts and exports keep the name that was sealed.',
      request: sourceLabelRequest,
      invalid: 'invalid_source_label',
      answers: [json(200, sourceLabel)],
      refusals: ['unknown_source_session', 'source_deleted', 'storage_unavailable'],
      handle: async ({ params, body }) => ({
        status: 200,
        body: await service.rename(params.sourceSessionId, body.label),
      }),
    }),
  }),
];

function searchRequest(query: ReadonlyMap<string, string>) {
  const asked = searchQuery.q.safeParse(query.get('q') ?? '');
  if (!asked.success) throw new ServiceError('invalid_search', 'q must have 1 to 200 characters');
  return { query: asked.data, ...pageOf(query, searchPage) };
}

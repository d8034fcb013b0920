import type { SourceRecords } from '../../actors/sources/source-records.ts';
import type { SubtitleTracks } from '../../actors/sources/subtitle-tracks.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { identity } from '../../contract/base/grammar.ts';
import { mediaProbe } from '../../contract/sources/media-probe.ts';
import {
  attachedSubtitleTrack,
  sourceSessionList,
  subtitleTrackIndex,
  subtitleTrackQuery,
  subtitleTracks,
} from '../../contract/sources/source-session.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import { jsonBytes } from '../exchange/answer.ts';
import { json } from '../exchange/description.ts';
import { bytesType, expectBytes, readBytes } from '../exchange/request-body.ts';
import { type Endpoint, type Route, read, remove, route } from '../exchange/route.ts';

/** The list of sources as readers see it; `version` moves with every change of `rows`. */
interface SourceList {
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
    route('/v1/source-sessions', {
      room: 'sources',
      GET: read({
        id: 'readSourceSessions',
        summary: 'the sources that can be studied',
        answers: [json(200, sourceSessionList)],
        refusals: [],
        handle: () => ({ status: 200, body: current() }),
      }),
    }),
    route('/v1/source-sessions/:sourceSessionId/media-probe', {
      room: 'sources',
      params: { sourceSessionId: identity },
      GET: read({
        id: 'readMediaProbe',
        summary: 'the probe record of a source: its tracks, its clock, and what is missing of incomplete media',
        answers: [json(200, mediaProbe)],
        refusals: ['unknown_source_session', 'source_deleted', 'source_revalidation_failed'],
        handle: async ({ params }) => ({ status: 200, body: await records.mediaProbe(params.sourceSessionId) }),
      }),
    }),
  ];
}

const tooLarge = () => new ServiceError('subtitle_file_too_large', `at most ${maximumSubtitleBytes} bytes are taken`);

/** The codes with which any change of the files of a source is refused. */
const changes = [
  'unknown_source_session',
  'source_deleted',
  'source_read_in_place',
  'source_revalidation_failed',
  'insufficient_storage',
] as const;

/** The routes of the subtitle files that are attached to a source. */
export const subtitleTrackRoutes = (tracks: SubtitleTracks): readonly Route[] => [
  route('/v1/source-sessions/:sourceSessionId/subtitle-tracks', {
    room: 'sources',
    params: { sourceSessionId: identity },
    GET: read({
      id: 'listSubtitleTracks',
      summary: 'the subtitle files that are attached to a source',
      answers: [json(200, subtitleTracks)],
      refusals: ['unknown_source_session', 'source_deleted'],
      handle: ({ params }) => ({ status: 200, body: tracks.list(params.sourceSessionId) }),
    }),
    POST: attachment(tracks),
  }),
  route('/v1/source-sessions/:sourceSessionId/subtitle-tracks/:trackIndex', {
    room: 'sources',
    params: { sourceSessionId: identity, trackIndex: subtitleTrackIndex },
    DELETE: remove({
      id: 'detachSubtitleTrack',
      summary: 'take a subtitle file off a source',
      details:
        'The source gets a new revision without the file. Runtimes over earlier revisions keep it; the garbage collection never removes it while the source is there.',
      answers: [json(200, subtitleTracks)],
      refusals: [...changes, 'unknown_subtitle_track'],
      handle: async ({ params }) => ({
        status: 200,
        body: await tracks.detach(params.sourceSessionId, params.trackIndex),
      }),
    }),
  }),
];

const attachment = (tracks: SubtitleTracks): Endpoint<'sourceSessionId'> => ({
  body: 'stream',
  types: [bytesType],
  description: {
    id: 'attachSubtitleTrack',
    summary: 'attach a subtitle file to a source: SRT, WebVTT or ASS, of at most 1 MiB',
    details:
      'The source gets a new revision with one more text track, and the earlier revision is stale from then on. The answer is 200 where the same file is attached already under the same words. Nothing in the file is guessed or repaired: a line that cannot be read is named.',
    query: subtitleTrackQuery,
    answers: [json(201, attachedSubtitleTrack), json(200, attachedSubtitleTrack)],
    refusals: [
      ...changes,
      'unsupported_content_encoding',
      'unsupported_content_type',
      'empty_request_body',
      'invalid_rights_attestation',
      'invalid_subtitle_request',
      'subtitle_file_too_large',
      'subtitle_encoding_mismatch',
      'subtitle_format_mismatch',
      'invalid_subtitle_file',
      'subtitle_track_limit',
    ],
  },
  handle: async ({ params, query, exchange }) => {
    expectBytes(exchange.head, 'a subtitle file');
    const bytes = await readBytes(exchange, maximumSubtitleBytes, tooLarge);
    const { isNew, body } = await tracks.attach(params.sourceSessionId, query, bytes);
    return { status: isNew ? 201 : 200, body };
  },
});

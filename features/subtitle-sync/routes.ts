import { ServiceError } from '../../contract/base/errors.ts';
import {
  subtitleFix,
  subtitleFixProposal,
  subtitleFixQuery,
  subtitleFixRequestQuery,
} from '../../contract/sources/subtitle-fix.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { json, refusalsOfReopening } from '../../http/exchange/description.ts';
import { bytesType, expectBytes, readBytes } from '../../http/exchange/request-body.ts';
import { type Endpoint, type Route, route } from '../../http/exchange/route.ts';
import type { SubtitleFixes } from './subtitle-fixes.ts';

type StreamCall = Parameters<Extract<Endpoint<'runtimeId'>, { body: 'stream' }>['handle']>[0];

const tooLarge = () => new ServiceError('subtitle_file_too_large', `at most ${maximumSubtitleBytes} bytes are taken`);

/** The file of a request; null for one that names a track. A runtime that is not there is refused before a wrong body. */
async function bodyOf({ params, query, exchange }: StreamCall, fixes: SubtitleFixes): Promise<Uint8Array | null> {
  if (query.has('track')) return null;
  try {
    expectBytes(exchange.head, 'a subtitle file');
    return await readBytes(exchange, maximumSubtitleBytes, tooLarge);
  } catch (error) {
    await fixes.demandRuntime(params.runtimeId);
    throw error;
  }
}

const refusals = [
  ...refusalsOfReopening,
  'source_revalidation_failed',
  'subtitle_sync_unavailable',
  'unknown_subtitle_track',
  'unsupported_content_encoding',
  'unsupported_content_type',
  'empty_request_body',
  'invalid_subtitle_request',
  'subtitle_file_too_large',
  'subtitle_encoding_mismatch',
  'subtitle_format_mismatch',
  'invalid_subtitle_file',
] as const;

/** The paths that compare subtitles with the speech of a study, and attach them with other times. */
export const subtitleFixRoutes = (fixes: SubtitleFixes): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/subtitle-fix-proposals', {
    room: 'captions',
    params: { runtimeId },
    POST: {
      body: 'stream',
      types: [bytesType],
      mayLackBody: true,
      description: {
        id: 'proposeSubtitleFix',
        summary:
          'compare subtitles with the speech of a study: the verdict for each stretch, and what a fix would move',
        details:
          'The subtitles are a text track of the study, or the file in the body, SRT, WebVTT or ASS. Nothing is recorded.',
        query: subtitleFixQuery,
        answers: [json(200, subtitleFixProposal)],
        refusals,
      },
      handle: async (call) => ({
        status: 200,
        body: await fixes.propose(call.params.runtimeId, call.query, await bodyOf(call, fixes)),
      }),
    },
  }),
  route('/v1/runtimes/:runtimeId/subtitle-fixes', {
    room: 'captions',
    params: { runtimeId },
    POST: {
      body: 'stream',
      types: [bytesType],
      mayLackBody: true,
      description: {
        id: 'fixSubtitles',
        summary: 'attach subtitles with the times of the film, as a person saw it proposed',
        details:
          'The source gets a new revision with one more text track, whose origin is `resynced`. Its parent and a record of what moved are kept with it. Everything in the file but its times stays. The answer is 200 if the same fix is attached already.',
        query: subtitleFixRequestQuery,
        answers: [json(201, subtitleFix), json(200, subtitleFix)],
        refusals: [
          ...refusals,
          'reviewer_identity_mismatch',
          'subtitle_fix_mismatch',
          'unknown_source_session',
          'source_deleted',
          'source_read_in_place',
          'insufficient_storage',
          'invalid_rights_attestation',
          'subtitle_track_limit',
        ],
      },
      handle: async (call) => {
        const { isNew, body } = await fixes.fix(call.params.runtimeId, call.query, await bodyOf(call, fixes));
        return { status: isNew ? 201 : 200, body };
      },
    },
  }),
];

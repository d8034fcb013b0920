import { z } from 'zod';
import type { PrivatePlayback } from '../../actors/playback/private-playback.ts';
import {
  playbackGrant,
  playbackGrantId,
  playbackGrantRequest,
  playbackGrantSecret,
  playbackMimeType,
  playbackRenewal,
  playbackRenewed,
  playbackRevocation,
  playbackRevoked,
  privateSourceMediaPath,
} from '../../contract/playback.ts';
import { runtimeId } from '../../contract/study/start.ts';
import type { Answer } from '../exchange/answer.ts';
import { type AnswerField, json } from '../exchange/description.ts';
import { type Call, type Route, read, route, write } from '../exchange/route.ts';
import { MediaPart, requestedRange } from '../exchange/sent-bodies.ts';
import type { Headers } from '../listener/listener.ts';

/** The refusals of a request that names a grant. */
const refusalsOfGrant = [
  'unknown_runtime',
  'runtime_deleted',
  'private_playback_grant_unavailable',
  'private_playback_grant_expired',
  'stored_content_inconsistent',
] as const;

/** The routes of private playback. */
export const playbackRoutes = (playback: PrivatePlayback): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/private-playback-grants', {
    room: 'playback',
    params: { runtimeId },
    access: 'token-and-origin',
    POST: write({
      id: 'grantPlayback',
      summary: 'let the pages of one origin play the source of a runtime for ten minutes',
      request: playbackGrantRequest,
      invalid: 'invalid_private_playback_grant_request',
      answers: [json(201, playbackGrant)],
      refusals: [
        'unknown_runtime',
        'runtime_deleted',
        'private_playback_source_unavailable',
        'private_playback_source_mismatch',
        'source_revalidation_failed',
        'private_playback_mime_unsupported',
        'private_playback_grant_capacity',
        'stored_content_inconsistent',
      ],
      handle: async ({ params, body, origin }) => ({
        status: 201,
        body: await playback.grant(params.runtimeId, body, origin),
      }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/private-playback-grants/:grantId/revocations', {
    room: 'playback',
    params: { runtimeId, grantId: playbackGrantId },
    access: 'token-and-origin',
    POST: write({
      id: 'revokePlayback',
      summary: 'end a grant, and every stream that it allowed',
      request: playbackRevocation,
      invalid: 'invalid_private_playback_revocation',
      answers: [json(200, playbackRevoked)],
      refusals: refusalsOfGrant,
      handle: ({ params }) => ({ status: 200, body: playback.revoke(params.runtimeId, params.grantId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/private-playback-grants/:grantId/renewals', {
    room: 'playback',
    params: { runtimeId, grantId: playbackGrantId },
    access: 'token-and-origin',
    POST: write({
      id: 'renewPlayback',
      summary: 'let a grant last ten minutes from now',
      details:
        'Only for the origin of the grant. The path of the media stays the same, and a stream continues. A grant ends two hours after it was issued, in any case.',
      request: playbackRenewal,
      invalid: 'invalid_private_playback_renewal',
      answers: [json(200, playbackRenewed)],
      refusals: refusalsOfGrant,
      handle: ({ params, origin }) => ({
        status: 200,
        body: playback.renew(params.runtimeId, params.grantId, origin),
      }),
    }),
  }),
  route(`${privateSourceMediaPath}/:grantId/:secret`, {
    room: 'playback',
    params: { grantId: playbackGrantId, secret: playbackGrantSecret },
    access: 'grant',
    GET: read({
      id: 'readPrivateMedia',
      summary: 'the media of a grant, as a whole or by range',
      details: 'Takes one range of bytes in `Range`, and `If-Range` with the entity tag.',
      headers: rangeFields,
      answers: [
        { status: 200, types: playbackMimeType.options, fields: mediaFields },
        { status: 206, types: playbackMimeType.options, fields: [...mediaFields, 'Content-Range'] },
      ],
      refusals: [
        'private_playback_grant_unavailable',
        'private_playback_grant_expired',
        'source_revalidation_failed',
        'invalid_private_playback_range',
      ],
      handle: (call) => mediaAnswer(playback, call),
    }),
  }),
];

async function mediaAnswer(
  playback: PrivatePlayback,
  { params, origin, client }: Call<null, 'grantId' | 'secret'>,
): Promise<Answer> {
  const media = await playback.open(params.grantId, params.secret, origin);
  try {
    const { bytes } = media.reader;
    const etag = `"${media.contentId}"`;
    const range = requestedRange(client.head, bytes, etag);
    return {
      status: range === null ? 200 : 206,
      headers: {
        ...mediaHeaders,
        'Content-Type': media.mimeType,
        ETag: etag,
        ...(range === null ? {} : { 'Content-Range': `bytes ${range.start}-${range.end - 1}/${bytes}` }),
      },
      body: new MediaPart(media, range ?? { start: 0, end: bytes }),
    };
  } catch (error) {
    media.reader.close();
    throw error;
  }
}

const rangeFields = {
  Range: z.string().optional().describe('one range of bytes'),
  'If-Range': z.string().optional().describe('the entity tag of the bytes that the client has a part of'),
};

const mediaFields: readonly AnswerField[] = [
  'Accept-Ranges',
  'Pragma',
  'ETag',
  'Access-Control-Expose-Headers',
  'Vary',
];

const mediaHeaders: Headers = {
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'private, no-store, max-age=0',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, Content-Type, ETag',
};

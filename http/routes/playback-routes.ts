import type { PrivatePlayback } from '../../actors/playback/private-playback.ts';
import {
  playbackGrantRequest,
  playbackRevocation,
  privateSourceMediaPath,
} from '../../contract/playback/private-playback.ts';
import type { Answer } from '../exchange/answer.ts';
import { requestedRange } from '../exchange/byte-range.ts';
import { MediaPart } from '../exchange/media-part.ts';
import { type Call, type Route, read, write } from '../exchange/route.ts';
import type { Headers } from '../listener/listener.ts';

/** The routes of private playback. */
export const playbackRoutes = (playback: PrivatePlayback): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/private-playback-grants',
    access: 'token-and-origin',
    methods: {
      POST: write(playbackGrantRequest, 'invalid_private_playback_grant_request', async ({ params, body, origin }) => ({
        status: 201,
        body: await playback.grant(params.runtimeId ?? '', body, origin),
      })),
    },
  },
  {
    path: '/v1/runtimes/:runtimeId/private-playback-grants/:grantId/revocations',
    access: 'token-and-origin',
    methods: {
      POST: write(playbackRevocation, 'invalid_private_playback_revocation', ({ params }) => ({
        status: 200,
        body: playback.revoke(params.runtimeId ?? '', params.grantId ?? ''),
      })),
    },
  },
  {
    path: `${privateSourceMediaPath}/:grantId/:secret`,
    access: 'grant',
    methods: { GET: read((call) => mediaAnswer(playback, call)) },
  },
];

async function mediaAnswer(playback: PrivatePlayback, { params, origin, client }: Call<null>): Promise<Answer> {
  const media = await playback.open(params.grantId ?? '', params.secret ?? '', origin);
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

const mediaHeaders: Headers = {
  'Accept-Ranges': 'bytes',
  'Cache-Control': 'private, no-store, max-age=0',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, Content-Type, ETag',
};

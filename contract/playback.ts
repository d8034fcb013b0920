import { z } from 'zod';
import { artifactId } from './base/artifact.ts';
import { contentId, identity, positive, timestamp } from './base/grammar.ts';
import { runtimeId } from './study/start.ts';

/** How long a grant lasts, in milliseconds. */
export const playbackGrantMs = 600_000;

/** However often a grant is renewed, it ends so long after it was issued, in milliseconds. */
export const playbackGrantLongestMs = 7_200_000;

/** Below this path a grant's media is read, outside the bearer token. */
export const privateSourceMediaPath = '/v1/private-source-media';

export const playbackGrantId = z
  .string()
  .regex(/^private-playback-grant:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

/** 32 random bytes in base64url. */
export const playbackGrantSecret = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** The media types for browsers; the container and its tracks decide. */
export const playbackMimeType = z.enum([
  'video/mp4',
  'audio/mp4',
  'video/webm',
  'audio/webm',
  'video/ogg',
  'audio/ogg',
  'audio/mpeg',
  'audio/wav',
  'audio/flac',
]);

/** Asks for the source of a runtime; the ids name the one that the client believes it is. */
export const playbackGrantRequest = z.strictObject({
  schema: z.literal('studio.private-playback-grant-request.v1'),
  source: z.strictObject({ revisionId: identity, artifactId, contentId }),
});

/** Leave to read one source for a while, by a path that cannot be guessed. */
export const playbackGrant = z.strictObject({
  schema: z.literal('studio.private-playback-grant.v1'),
  grantId: playbackGrantId,
  runtimeId,
  source: z.strictObject({
    sessionId: identity,
    revisionId: identity,
    artifactId,
    contentId,
    bytes: positive,
    durationMs: positive,
  }),
  mimeType: playbackMimeType,
  timestampOrigin: z.strictObject({ kind: z.literal('source_media_zero'), offsetMs: z.literal(0) }),
  /** Holds the secret: 32 random bytes in base64url. */
  mediaPath: z
    .string()
    .regex(/^\/v1\/private-source-media\/private-playback-grant%3A[0-9a-f-]{36}\/[A-Za-z0-9_-]{43}$/),
  issuedAt: timestamp,
  expiresAt: timestamp,
});

export const playbackRevocation = z.strictObject({
  schema: z.literal('studio.private-playback-grant-revocation.v1'),
});

export const playbackRevoked = z.strictObject({
  schema: z.literal('studio.private-playback-grant-revoked.v1'),
  grantId: playbackGrantId,
  runtimeId,
  state: z.literal('revoked'),
  revokedAt: timestamp,
});

export const playbackRenewal = z.strictObject({ schema: z.literal('studio.private-playback-grant-renewal.v1') });

/** A grant that ends later now; its path stays the same. `renewableUntil` is the end that no renewal moves. */
export const playbackRenewed = z.strictObject({
  schema: z.literal('studio.private-playback-grant-renewed.v1'),
  grantId: playbackGrantId,
  runtimeId,
  expiresAt: timestamp,
  renewableUntil: timestamp,
});

export type PlaybackMimeType = z.infer<typeof playbackMimeType>;
export type PlaybackGrantRequest = z.infer<typeof playbackGrantRequest>;
export type PlaybackGrant = z.infer<typeof playbackGrant>;
export type PlaybackRenewed = z.infer<typeof playbackRenewed>;
export type PlaybackRevoked = z.infer<typeof playbackRevoked>;

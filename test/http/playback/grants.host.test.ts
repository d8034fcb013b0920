import test from 'ava';
import type { ErrorCode } from '../../../contract/base/errors.ts';
import {
  type PlaybackGrant,
  playbackGrant,
  playbackGrantLongestMs,
  playbackRenewed,
  playbackRevoked,
} from '../../../contract/playback.ts';
import { pageOrigin } from '../host/contract.ts';
import { ingestRequest, openIngest } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed } from '../host/study-steps.ts';
import {
  askGrant,
  askMedia,
  askRevocation,
  type Granted,
  grantOf,
  grantsOf,
  heldHum,
  openPlaying,
  otherOrigin,
  pageFields,
  uploaded,
} from './steps.ts';

const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';

// Grants and their revocations.

test('a grant names the source that the runtime was started with, for ten minutes', async (t) => {
  const { host, sample } = await openPlaying(t, { mediaTools: true });
  const hum = await uploaded(t, host, humWav(60), '내 녹음 파일 (1).wav');
  for (const [{ runtimeId, request }, mimeType] of [
    [sample, 'video/mp4'],
    [hum, 'audio/wav'],
  ] as const) {
    const grant = await grantOf(t, host, { runtimeId, request });
    t.is(grant.runtimeId, runtimeId);
    t.like(grant.source, request.source);
    t.is(grant.mimeType, mimeType);
    t.is(Date.parse(grant.expiresAt) - Date.parse(grant.issuedAt), 600_000);
    t.true(grant.mediaPath.includes(`/${encodeURIComponent(grant.grantId)}/`));
    t.true(Math.abs(Date.parse(grant.issuedAt) - Date.now()) < 60_000);
  }
});

test('every grant has an id and a secret of its own', async (t) => {
  const { host, sample } = await openPlaying(t);
  const issued = await Promise.all(Array.from({ length: 5 }, () => grantOf(t, host, sample)));
  t.is(new Set(issued.map(({ grantId }) => grantId)).size, 5);
  t.is(new Set(issued.map(({ mediaPath }) => mediaPath.split('/').at(-1))).size, 5);
});

test('a grant is asked for with the token, by a page, by POST and without a query', async (t) => {
  const { host, sample } = await openPlaying(t);
  const path = grantsOf(sample.runtimeId);
  const json = sample.request;
  const headers = { Origin: pageOrigin };
  const ask = (method: string, target: string, question: object) => host.ask(method, target, question);
  host.refused(t, await ask('POST', path, { json, headers, token: null }), 'unauthorized', [
    ...pageFields,
    'www-authenticate',
  ]);
  host.refused(t, await ask('POST', path, { json }), 'origin_required');
  host.refused(t, await ask('POST', path, { json, headers: { 'Sec-Fetch-Site': 'same-origin' } }), 'origin_required');
  host.refused(t, await ask('POST', path, { json, headers: { Origin: 'null' } }), 'origin_not_allowed');
  host.refused(t, await ask('GET', path, {}), 'origin_required');
  for (const method of ['GET', 'HEAD', 'PUT']) {
    const answer = await ask(method, path, { headers });
    t.is(answer.status, 405);
    t.is(answer.headers.allow, 'POST, OPTIONS');
  }
  host.refused(t, await ask('POST', `${path}?x=1`, { json, headers }), 'unknown_query', pageFields);
  host.refused(
    t,
    await ask('POST', path, { body: Buffer.from('{}'), headers: { ...headers, 'Content-Type': 'text/plain' } }),
    'unsupported_content_type',
    pageFields,
  );
  host.refused(t, await ask('POST', `${path}/x`, { json, headers }), 'not_found', pageFields);
});

test('the body of a grant is closed, and judged before the runtime is looked for', async (t) => {
  const { host, sample } = await openPlaying(t);
  const { schema, source } = sample.request;
  const wrong: unknown[] = [
    null,
    {},
    { schema },
    { source },
    { schema: 'studio.private-playback-grant.v1', source },
    { schema, source, ttlMs: 1 },
    { schema, source: { ...source, bytes: 1 } },
    { schema, source: { ...source, revisionId: '' } },
    { schema, source: { ...source, artifactId: 'artifact:x' } },
    { schema, source: { ...source, contentId: source.contentId.toUpperCase() } },
    { schema, source: { revisionId: source.revisionId, contentId: source.contentId } },
  ];
  for (const request of wrong) {
    const answer = await askGrant(host, { runtimeId: nowhere, request: request as Granted['request'] });
    host.refused(t, answer, 'invalid_private_playback_grant_request', pageFields);
  }
});

test('a grant needs a runtime, and the source of that runtime', async (t) => {
  const { host, sample } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { request } = sample;
  const ingestId = await openIngest(t, host, ingestRequest(10));
  for (const runtimeId of [nowhere, 'x', ingestId, `${sample.runtimeId}%2Fdetect`]) {
    host.refused(t, await askGrant(host, { runtimeId, request }), 'unknown_runtime', pageFields);
  }
  const other = hum.request.source;
  const mixed: Granted['request']['source'][] = [
    other,
    { ...request.source, revisionId: other.revisionId },
    { ...request.source, artifactId: other.artifactId },
    { ...request.source, contentId: other.contentId },
  ];
  for (const source of mixed) {
    const answer = await askGrant(host, { runtimeId: sample.runtimeId, request: { ...request, source } });
    host.refused(t, answer, 'private_playback_source_mismatch', pageFields);
  }
});

test('a grant is revoked once, by its own runtime', async (t) => {
  const { host, sample } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { runtimeId } = sample;
  const { grantId, mediaPath } = await grantOf(t, host, sample);
  const unavailable: ErrorCode = 'private_playback_grant_unavailable';
  host.refused(t, await askRevocation(host, hum.runtimeId, grantId), unavailable, pageFields);
  host.refused(t, await askRevocation(host, runtimeId, 'private-playback-grant:x'), unavailable, pageFields);
  host.refused(t, await askRevocation(host, nowhere, grantId), 'unknown_runtime', pageFields);
  t.is((await askMedia(host, mediaPath)).status, 200);

  const path = `${grantsOf(runtimeId)}/${encodeURIComponent(grantId)}/revocations`;
  const headers = { Origin: pageOrigin };
  const json = { schema: 'studio.private-playback-grant-revocation.v1' };
  host.refused(t, await host.ask('POST', path, { json }), 'origin_required');
  host.refused(t, await host.ask('GET', path, { headers }), 'method_not_allowed', [...pageFields, 'allow']);
  for (const wrong of [null, {}, { ...json, at: 1 }, { schema: 'studio.private-playback-grant-revoked.v1' }]) {
    const answer = await host.ask('POST', path, { json: wrong, headers });
    host.refused(t, answer, 'invalid_private_playback_revocation', pageFields);
  }

  const revoked = host.granted(t, await host.ask('POST', path, { json, headers }), 200, playbackRevoked, pageFields);
  t.like(revoked, { grantId, runtimeId, state: 'revoked' });
  host.refused(t, await askRevocation(host, runtimeId, grantId), unavailable, pageFields);
  host.refused(t, await askMedia(host, mediaPath), 'private_playback_grant_expired', pageFields);
});

test('a page of its origin renews a grant, and its path stays the same', async (t) => {
  const { host, sample } = await openPlaying(t);
  const { runtimeId } = sample;
  const { grantId, mediaPath, issuedAt, expiresAt } = await grantOf(t, host, sample);
  const path = `${grantsOf(runtimeId)}/${encodeURIComponent(grantId)}/renewals`;
  const json = { schema: 'studio.private-playback-grant-renewal.v1' };
  const renew = (others: object = {}) => host.ask('POST', path, { json, headers: { Origin: pageOrigin }, ...others });
  const renewed = host.granted(t, await renew(), 200, playbackRenewed, pageFields);
  t.like(renewed, { grantId, runtimeId });
  t.true(Date.parse(renewed.expiresAt) >= Date.parse(expiresAt));
  t.is(Date.parse(renewed.renewableUntil) - Date.parse(issuedAt), playbackGrantLongestMs);
  t.is((await askMedia(host, mediaPath)).status, 200);
  host.refused(t, await renew({ json: {} }), 'invalid_private_playback_renewal', pageFields);
  host.refused(t, await renew({ headers: { Origin: otherOrigin } }), 'origin_not_allowed', pageFields);
  host.refused(t, await renew({ headers: {} }), 'origin_required');
  t.is((await askRevocation(host, runtimeId, grantId)).status, 200);
  host.refused(t, await renew(), 'private_playback_grant_expired', pageFields);
});

test('64 grants are active at most, and a revoked one makes room', async (t) => {
  const { host, sample } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const issued: PlaybackGrant[] = [];
  let refusal = await askGrant(host, sample);
  for (; refusal.status === 201; refusal = await askGrant(host, sample)) {
    issued.push(host.granted(t, refusal, 201, playbackGrant, pageFields));
  }
  host.refused(t, refusal, 'private_playback_grant_capacity', pageFields);
  // What is wrong with the request itself is said all the same.
  const mismatch = await askGrant(host, { ...sample, request: hum.request });
  host.refused(t, mismatch, 'private_playback_source_mismatch', pageFields);
  t.is(issued.length, 64);
  const [first, ...rest] = issued;
  t.is((await askRevocation(host, sample.runtimeId, first?.grantId ?? '')).status, 200);
  rest.push(await grantOf(t, host, sample));
  host.refused(t, await askGrant(host, sample), 'private_playback_grant_capacity', pageFields);
  for (const { grantId } of rest) t.is((await askRevocation(host, sample.runtimeId, grantId)).status, 200);
});

test('a grant leaves no trace in the journal, and its secret none in the log', async (t) => {
  const { host, sample } = await openPlaying(t);
  const { runtimeId } = sample;
  const { events } = await followed(t, host, runtimeId);
  const { grantId, mediaPath } = await grantOf(t, host, sample);
  await askMedia(host, mediaPath);
  await askRevocation(host, runtimeId, grantId);
  await askMedia(host, mediaPath);
  t.is((await followed(t, host, runtimeId)).events.length, events.length);
  const secret = mediaPath.split('/').at(-1) ?? '';
  t.is(secret.length, 43);
  t.false(`${host.reports().join()}`.includes(secret));
});

import { readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../contract/base/errors.ts';
import {
  type PlaybackGrant,
  playbackGrant,
  playbackGrantLongestMs,
  playbackRenewed,
  playbackRevoked,
} from '../../contract/playback.ts';
import type { OpenAnswer } from '../host/memory-wire.ts';
import { TestHost } from '../host/test-host.ts';
import type { WireAnswer } from '../host/wire-question.ts';
import { eventually } from '../patience.ts';
import { seededNumbers } from '../storage/ledger/scratch.ts';
import { pageOrigin } from './host/contract.ts';
import { ingestRequest, openIngest } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import { followed, runtimeOf } from './host/study-steps.ts';
import {
  askGrant,
  askMedia,
  askRevocation,
  type Granted,
  grantOf,
  grantsOf,
  heldHum,
  openGranted,
  openPlaying,
  otherOrigin,
  pageFields,
  rewrite,
  uploaded,
} from './playback/steps.ts';

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

test('a grant needs the token, a page, POST and no query', async (t) => {
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
  // Faults of the request itself are still reported.
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

// Beside what the libraries add, the id that every answer has of its own.
const transport = ['connection', 'keep-alive', 'date', 'uwebsockets', 'x-request-id'];
const rangeRefusalFields = [...pageFields, 'content-range', 'accept-ranges'];

// The media of a grant: who gets it, and which part of it.

/** Checks every field of an answer with media, and that its body is that part of the file. */
function isPart(
  t: ExecutionContext,
  { file, grant }: { readonly file: Buffer; readonly grant: PlaybackGrant },
  { status, headers, body }: WireAnswer,
  start: number,
  end: number,
  whole = false,
): void {
  t.is(status, whole ? 200 : 206);
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => !transport.includes(name)));
  t.deepEqual(own, {
    'content-type': 'video/mp4',
    'content-length': String(end - start),
    'accept-ranges': 'bytes',
    ...(whole ? {} : { 'content-range': `bytes ${start}-${end - 1}/${file.length}` }),
    etag: `"${grant.source.contentId}"`,
    'cache-control': 'private, no-store, max-age=0',
    pragma: 'no-cache',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': pageOrigin,
    'access-control-expose-headers': 'Accept-Ranges, Content-Length, Content-Range, Content-Type, ETag, X-Request-ID',
    vary: 'Origin, Range',
  });
  t.true(body.equals(file.subarray(start, end)), `${start}-${end}`);
}

test('a page gets its media whole, byte for byte and with all its fields', async (t) => {
  const playing = await openGranted(t);
  const { host, file, grant } = playing;
  t.is(grant.source.bytes, file.length);
  isPart(t, playing, await askMedia(host, grant.mediaPath), 0, file.length, true);
  // A colon may be escaped or not.
  isPart(t, playing, await askMedia(host, grant.mediaPath.replace('%3A', ':')), 0, file.length, true);
});

test('a page gets the one range that it asks for', async (t) => {
  const playing = await openGranted(t);
  const { host, file, grant } = playing;
  const size = file.length;
  const rows: [string, number, number][] = [
    ['bytes=0-0', 0, 1],
    ['bytes=0-', 0, size],
    [`bytes=0-${size - 1}`, 0, size],
    [`bytes=5-${size}`, 5, size],
    ['bytes=5-99999999999999999999', 5, size],
    [`bytes=${size - 1}-`, size - 1, size],
    ['bytes=-1', size - 1, size],
    [`bytes=-${size}`, 0, size],
    [`bytes=-${size + 1}`, 0, size],
  ];
  for (const [Range, start, end] of rows)
    isPart(t, playing, await askMedia(host, grant.mediaPath, { Range }), start, end);
});

test('any range is the same bytes as in the file, also many at once', async (t) => {
  const playing = await openGranted(t);
  const { host, file, grant } = playing;
  const below = seededNumbers(5);
  const asked = Array.from({ length: 100 }, async () => {
    const start = below(file.length);
    const end = Math.min(start + 1 + below(200_000), file.length);
    isPart(t, playing, await askMedia(host, grant.mediaPath, { Range: `bytes=${start}-${end - 1}` }), start, end);
  });
  await Promise.all(asked);
});

test('an invalid range is refused with the size of the media', async (t) => {
  const { host, file, grant } = await openGranted(t);
  const size = file.length;
  const wrong = ['bytes=-0', `bytes=${size}-`, 'bytes=5-4', 'bytes=0-1,3-4', 'Bytes=0-1', 'bytes= 0-1', 'bytes=0 -1'];
  for (const Range of [...wrong, 'octets=0-1', 'bytes=', 'bytes=-', 'bytes=a-b', '0-1', '']) {
    const answer = await askMedia(host, grant.mediaPath, { Range });
    host.refused(t, answer, 'invalid_private_playback_range', rangeRefusalFields);
    t.is(answer.headers['content-range'], `bytes */${size}`);
    t.is(answer.headers['accept-ranges'], 'bytes');
    const head = await askMedia(host, grant.mediaPath, { Range }, 'HEAD');
    t.is(head.status, 416);
    t.is(head.body.length, 0);
  }
});

test('two ranges in two fields are refused', async (t) => {
  const { host, grant } = await openGranted(t);
  const answer = await askMedia(host, grant.mediaPath, { Range: ['bytes=0-1', 'bytes=0-1'] });
  t.is(answer.status, 416);
});

test('If-Range keeps the range for the same content and drops it for any other', async (t) => {
  const playing = await openGranted(t);
  const { host, file, grant } = playing;
  const { mediaPath, source } = grant;
  const etag = `"${source.contentId}"`;
  const ask = (Range: string, condition: string) => askMedia(host, mediaPath, { Range, 'If-Range': condition });
  isPart(t, playing, await ask('bytes=10-19', etag), 10, 20);
  host.refused(t, await ask('bytes=9-8', etag), 'invalid_private_playback_range', rangeRefusalFields);
  for (const condition of [`W/${etag}`, '"other"', source.contentId, '*', new Date().toUTCString()]) {
    isPart(t, playing, await ask('bytes=10-19', condition), 0, file.length, true);
    isPart(t, playing, await ask('bytes=9-8', condition), 0, file.length, true);
  }
  isPart(t, playing, await askMedia(host, mediaPath, { 'If-Range': etag }), 0, file.length, true);
  isPart(t, playing, await askMedia(host, mediaPath, { 'If-None-Match': etag }), 0, file.length, true);
  isPart(t, playing, await askMedia(host, mediaPath, { 'If-Match': '"other"', Range: 'bytes=1-2' }), 1, 3);
});

test('HEAD has the fields of GET and no body, whole and in part', async (t) => {
  const { host, grant } = await openGranted(t);
  for (const headers of [{}, { Range: 'bytes=7-99' }, { Range: 'bytes=-5' }]) {
    const got = await askMedia(host, grant.mediaPath, headers);
    const head = await askMedia(host, grant.mediaPath, headers, 'HEAD');
    t.is(head.status, got.status);
    t.is(head.body.length, 0);
    const own = (answer: WireAnswer) =>
      Object.entries(answer.headers)
        .filter(([name]) => !transport.includes(name))
        .sort();
    t.deepEqual(own(head), own(got));
  }
});

test('a preflight allows a page to ask for ranges of media', async (t) => {
  const { host, grant } = await openGranted(t);
  const answer = await askMedia(host, grant.mediaPath, {}, 'OPTIONS');
  t.is(answer.status, 204);
  t.is(answer.headers['access-control-allow-headers'], 'Authorization, Content-Type, Range, X-Request-ID, If-Range');
  const unlisted = await askMedia(host, grant.mediaPath, { Origin: 'http://evil.example' }, 'OPTIONS');
  host.refused(t, unlisted, 'origin_not_allowed');
});

test('faults are reported in one order, each before all later ones', async (t) => {
  const { host, sample, grant } = await openGranted(t);
  const ended = await grantOf(t, host, sample);
  await askRevocation(host, sample.runtimeId, ended.grantId);
  const base = grant.mediaPath.slice(0, grant.mediaPath.lastIndexOf('/'));
  const unknown = `${base.slice(0, -1)}_/${'A'.repeat(43)}`;
  const wrongSecret = `${base}/${'A'.repeat(43)}`;
  const badRange = { Range: 'bytes=9-8' };
  const foreign = { Origin: otherOrigin, ...badRange };
  const rows: [ErrorCode, string, string, Record<string, string>, string[]?][] = [
    ['origin_not_allowed', 'POST', `${unknown}?x=1`, { Origin: 'http://evil.example', ...badRange }, []],
    ['method_not_allowed', 'POST', `${unknown}?x=1`, badRange, [...pageFields, 'allow']],
    ['method_not_allowed', 'PUT', `${unknown}?x=1`, badRange, [...pageFields, 'allow']],
    ['unknown_query', 'GET', `${unknown}?x=1`, foreign],
    ['private_playback_grant_unavailable', 'GET', unknown, foreign],
    ['private_playback_grant_unavailable', 'GET', wrongSecret, foreign],
    ['origin_not_allowed', 'GET', ended.mediaPath, foreign],
    ['private_playback_grant_expired', 'GET', ended.mediaPath, badRange],
    ['invalid_private_playback_range', 'GET', grant.mediaPath, badRange, rangeRefusalFields],
  ];
  for (const [code, method, path, headers, fields = pageFields] of rows) {
    const answer = await askMedia(host, path, headers, method);
    host.refused(t, answer, code, fields);
    if (code === 'method_not_allowed') t.is(answer.headers.allow, 'GET, HEAD, OPTIONS');
  }
  const silent = await host.ask('POST', `${unknown}?x=1`, { token: null, headers: badRange });
  host.refused(t, silent, 'origin_required');
});

test('only the very path of a grant is outside the token', async (t) => {
  const { host, grant } = await openGranted(t);
  const { mediaPath } = grant;
  const parent = mediaPath.slice(0, mediaPath.lastIndexOf('/'));
  for (const path of [parent, `${mediaPath}/`, `${mediaPath}/x`, mediaPath.replace('/v1/', '/V1/'), `/${mediaPath}`]) {
    host.refused(t, await askMedia(host, path), 'unauthorized', [...pageFields, 'www-authenticate']);
  }
  host.refused(t, await askMedia(host, `${parent}/%zz`), 'invalid_identity', pageFields);
  host.refused(t, await askMedia(host, `${mediaPath}?%zz`), 'invalid_target', pageFields);
  // A token does not replace the origin.
  host.refused(t, await host.get(mediaPath), 'origin_required');
});

test('without Origin only a page of the host itself plays, with a grant of its own', async (t) => {
  const { host, sample, grant } = await openGranted(t);
  const { port } = host;
  const own = await grantOf(t, host, sample, `http://127.0.0.1:${port}`);
  const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
    host.ask(method, path, { token: null, headers });
  const same = { 'Sec-Fetch-Site': 'same-origin' };
  for (const method of ['GET', 'HEAD']) {
    const answer = await ask(own.mediaPath, { ...same, Range: 'bytes=0-9' }, method);
    t.is(answer.status, 206);
    t.is(answer.headers['access-control-allow-origin'], undefined);
    t.is(answer.headers.vary, 'Origin, Range');
  }
  t.is((await ask(own.mediaPath, { Origin: `http://127.0.0.1:${port}` })).status, 200);
  for (const site of ['same-site', 'cross-site', 'none', 'Same-Origin', '']) {
    host.refused(t, await ask(own.mediaPath, { 'Sec-Fetch-Site': site }), 'origin_required');
  }
  host.refused(t, await ask(own.mediaPath, {}), 'origin_required');
  host.refused(t, await ask(grant.mediaPath, same), 'origin_not_allowed');
  host.refused(t, await ask(own.mediaPath, { ...same, Host: `localhost:${port}` }), 'origin_not_allowed');
  host.refused(t, await askMedia(host, own.mediaPath), 'origin_not_allowed', pageFields);
  const local = await grantOf(t, host, sample, `http://localhost:${port}`);
  t.is((await ask(local.mediaPath, { ...same, Host: `LocalHost:${port}` })).status, 200);
});

// Streams that do not end well, and what they leave behind: nothing. What becomes of damaged sources.

// 1.6 MB: more than a client takes that does not read.
const longMs = 100_000;

/** How many descriptors of this process are of a file. */
function descriptorsOf(path: string): number {
  const folder = '/proc/self/fd';
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target === path).length;
}

/** A host with media that a client does not take at once. */
async function openLong(t: ExecutionContext) {
  const host = await TestHost.open(t, { mediaTools: true });
  const bytes = humWav(61, longMs);
  const long = await uploaded(t, host, bytes);
  const path = host.objectFile(long.request.source.contentId);
  /** Waits until the host has just so many descriptors of the media. */
  const holds = (count: number) =>
    t.notThrowsAsync(eventually(`${count} descriptors`, () => descriptorsOf(path) === count));
  return { host, bytes, long, path, holds };
}

/** A client that asked for media and reads nothing of it. */
const stalled = (host: TestHost, mediaPath: string): Promise<OpenAnswer> =>
  host.begin('GET', mediaPath, { token: null, headers: { Origin: pageOrigin } });

/** Reads on to the end. */
async function taken({ chunks, ended }: OpenAnswer): Promise<{ how: 'whole' | 'cut'; body: Buffer }> {
  const body: Buffer[] = [];
  for await (const chunk of chunks) body.push(chunk);
  return { how: await ended, body: Buffer.concat(body) };
}

test('a stream holds one descriptor, and none once it was taken whole', async (t) => {
  const { host, bytes, long, holds } = await openLong(t);
  const { mediaPath } = await grantOf(t, host, long);
  const answers = [];
  for (let client = 0; client < 3; client += 1) answers.push(await stalled(host, mediaPath));
  await holds(3);
  for (const answer of answers) t.true((await taken(answer)).body.equals(bytes));
  await holds(0);
});

test('clients that leave have their descriptors closed at once', async (t) => {
  const { host, long, holds } = await openLong(t);
  const { mediaPath } = await grantOf(t, host, long);
  const answers = await Promise.all(Array.from({ length: 20 }, () => stalled(host, mediaPath)));
  await holds(20);
  for (const answer of answers) answer.leave();
  await holds(0);
  t.is((await askMedia(host, mediaPath, { Range: 'bytes=0-9' })).status, 206);
});

test('a revocation ends the streams of its grant and of no other', async (t) => {
  const { host, bytes, long, holds } = await openLong(t);
  const [ends, stays] = [await grantOf(t, host, long), await grantOf(t, host, long)];
  const cut = [await stalled(host, ends.mediaPath), await stalled(host, ends.mediaPath)];
  const kept = await stalled(host, stays.mediaPath);
  await holds(3);
  t.is((await askRevocation(host, long.runtimeId, ends.grantId)).status, 200);
  await holds(1);
  for (const answer of cut) {
    const { how, body } = await taken(answer);
    t.is(how, 'cut');
    t.true(body.length < bytes.length);
  }
  t.true((await taken(kept)).body.equals(bytes));
  await holds(0);
});

test('media that changes while it is sent is never sent whole', async (t) => {
  const { host, bytes, long, path, holds } = await openLong(t);
  const { mediaPath } = await grantOf(t, host, long);
  const answer = await stalled(host, mediaPath);
  await holds(1);
  await rewrite(path, Buffer.from(bytes).fill(0, bytes.length - 1));
  const { how, body } = await taken(answer);
  t.is(how, 'cut');
  t.true(body.length < bytes.length);
  await holds(0);
  await rewrite(path, bytes);
  t.true((await askMedia(host, mediaPath)).body.equals(bytes));
});

test('damaged media is neither granted nor played until it is whole again', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { mediaPath } = await grantOf(t, host, hum);
  const path = host.objectFile(hum.request.source.contentId);
  const bytes = await readFile(path);
  const isRefused = async (): Promise<void> => {
    // Before the range, which is wrong too.
    const played = await askMedia(host, mediaPath, { Range: 'bytes=9-8' });
    host.refused(t, played, 'source_revalidation_failed', pageFields);
    host.refused(t, await askGrant(host, hum), 'source_revalidation_failed', pageFields);
  };
  await rewrite(path, Buffer.from(bytes).fill(1, 100, 101));
  await isRefused();
  await rm(path);
  await isRefused();
  await rewrite(path, bytes);
  t.true((await askMedia(host, mediaPath)).body.equals(bytes));
  await grantOf(t, host, hum);
});

test('media whose records are damaged is neither granted nor played', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { mediaPath } = await grantOf(t, host, hum);
  const { sourceSession } = (await runtimeOf(t, host, hum.runtimeId)).runStartReceipt?.record ?? {};
  const records = [sourceSession?.sourceReceipt, sourceSession?.mediaProbe, sourceSession?.preflight];
  for (const record of records) {
    const path = host.objectFile(record?.contentId ?? '');
    const bytes = await readFile(path);
    await rewrite(path, Buffer.concat([bytes, Buffer.from(' ')]));
    host.refused(t, await askMedia(host, mediaPath), 'source_revalidation_failed', pageFields);
    host.refused(t, await askGrant(host, hum), 'source_revalidation_failed', pageFields);
    await rewrite(path, bytes);
    t.is((await askMedia(host, mediaPath)).status, 200);
  }
});

test('a grant needs the start receipt, whole', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { runStartReceipt } = await runtimeOf(t, host, hum.runtimeId);
  const path = host.objectFile(runStartReceipt?.contentId ?? '');
  const bytes = await readFile(path);
  await rewrite(path, bytes.subarray(1));
  host.refused(t, await askGrant(host, hum), 'stored_content_inconsistent', pageFields);
  await rm(path);
  host.refused(t, await askGrant(host, hum), 'private_playback_source_unavailable', pageFields);
  await rewrite(path, bytes);
  await grantOf(t, host, hum);
});

test('a restart ends every grant, and gives new ones', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { mediaPath } = await grantOf(t, host, hum);
  t.is((await askMedia(host, mediaPath)).status, 200);
  await host.restart();
  host.refused(t, await askMedia(host, mediaPath), 'private_playback_grant_unavailable', pageFields);
  const anew = await grantOf(t, host, hum);
  t.is((await askMedia(host, anew.mediaPath)).status, 200);
});

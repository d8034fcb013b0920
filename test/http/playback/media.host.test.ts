import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../../contract/base/errors.ts';
import type { PlaybackGrant } from '../../../contract/playback.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { seededNumbers } from '../../storage/ledger/scratch.ts';
import { pageOrigin } from '../host/contract.ts';
import { askMedia, askRevocation, grantOf, openGranted, otherOrigin, pageFields } from './steps.ts';

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

test('a range that is none is refused with the size of the media', async (t) => {
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

test('what is wrong is said in one order, each fault before all that come after it', async (t) => {
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
  // A token does not stand in for the origin.
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

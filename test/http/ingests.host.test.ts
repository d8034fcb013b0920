import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openIngestLimit } from '../../actors/ingest/ingest-service.ts';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { type OwnedIngestList, ownedIngests } from '../../contract/ingest.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { TestHost } from '../host/test-host.ts';
import type { Question } from '../host/wire-question.ts';
import {
  arrived,
  closedStatus,
  holdsOnly,
  ingest,
  ingestRequest,
  ingests,
  octets,
  openIngest,
  putMedia,
  reached,
  statusOf,
  storedFiles,
} from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';

// The ingest of a file: its fields, its list, its media and its cancellation.

/** One byte less than a declared length can say. */
const mediaBytes = Number.MAX_SAFE_INTEGER - 1;
const bounds = ['--maximum-owned-media-bytes', String(mediaBytes)];

const texts = [
  '',
  ' a',
  'a ',
  'a\nb',
  'a\u0007',
  'a\u007f',
  'a\u0085b',
  'a\u2028b',
  'a\u202eb',
  'a\u2066b',
  'a\ud800b',
  '\udc00.wav',
  '-a',
  '/a',
  '\\a',
  '~a',
  'C:\\a',
  'x'.repeat(161),
  7,
  null,
];
const names = ['a/b.wav', 'a\\b.wav', 'wav', 'a.', 'a.w v', 'a.toolongextn', `${'x'.repeat(252)}.wav`];

/** Bad values by field, in the order in which the fields are checked. */
const wrong: readonly (readonly [field: string, code: ErrorCode, values: readonly unknown[]])[] = [
  ['filename', 'invalid_ingest_request', [...texts, ...names]],
  ['declaredBytes', 'invalid_ingest_request', [0, -1, 1.5, '5', null, 2 ** 53, true]],
  ['declaredBytes', 'ingest_body_too_large', [mediaBytes + 1]],
  ['rightsScope', 'invalid_rights_attestation', ['redistribution', 'LOCAL_PROCESSING', null, undefined]],
  ['ownershipAttested', 'invalid_rights_attestation', [false, 'true', 1, undefined]],
  ['label', 'invalid_ingest_request', [...texts, undefined]],
  ['rightsHolder', 'invalid_ingest_request', [...texts, undefined]],
];

/** Opening an ingest. */

test('each field of an ingest is checked in its turn, before all that follow', async (t) => {
  const host = await TestHost.open(t, { flags: bounds });
  const bad = Object.fromEntries(wrong.map(([field, , values]) => [field, values[0]]));
  const fields = wrong.map(([field]) => field);
  const later = (field: string) => Object.entries(bad).filter(([name]) => fields.indexOf(name) > fields.indexOf(field));
  for (const [field, code, values] of wrong) {
    for (const value of values) {
      const request = ingestRequest(5, { ...Object.fromEntries(later(field)), [field]: value, unknown: 1 });
      const message = host.refused(t, await host.post(ingests, request), code);
      const said = value === undefined ? `${field} is missing: ` : `${field}: `;
      if (code === 'invalid_ingest_request') t.true(message.startsWith(said), message);
    }
  }
  const unknown = await host.post(ingests, ingestRequest(5, { unknown: 1 }));
  host.refused(t, unknown, 'invalid_ingest_request');
  for (const [body, what] of [
    [[], 'an array'],
    ['x', '"x"'],
  ] as const) {
    const message = host.refused(t, await host.post(ingests, body), 'invalid_ingest_request');
    t.is(message, `body: must be an object, and is ${what}`);
  }
});

test('odd but honest values open an ingest', async (t) => {
  const host = await TestHost.open(t);
  for (const others of [
    { filename: `${'x'.repeat(251)}.wav` },
    { filename: 'a.b.ABCDEFGHI0' },
    { filename: '$(reboot) `x` ../..wav'.replaceAll('/', '') },
    { filename: 'récit — 이야기 😀.mp4', label: 'récit — 이야기 😀', rightsHolder: 'O’Neil & Söhne' },
    { label: 'x'.repeat(160), rightsHolder: 'y'.repeat(160) },
    { label: 'שלום\u200f!', rightsHolder: '👩‍👩‍👧' },
  ]) {
    const ingestId = await openIngest(t, host, ingestRequest(5, others));
    const { updatedAt, status } = await statusOf(t, host, ingestId);
    t.is(status, 'queued');
    t.is((await statusOf(t, host, ingestId)).updatedAt, updatedAt);
  }
});

test('equal requests open ingests of their own', async (t) => {
  const host = await TestHost.open(t);
  const ids = await Promise.all([1, 2, 3].map(() => openIngest(t, host, ingestRequest(5))));
  t.is(new Set(ids).size, 3);
  const raw = await host.get(`${ingests}/${ids[0]}`);
  t.deepEqual((await host.get(`${ingests}/${ids[0]?.replace(':', '%3A')}`)).body, raw.body);
});

test('a file that the volume has no room for is refused', async (t) => {
  const host = await TestHost.open(t, { flags: bounds });
  const huge = await host.post(ingests, ingestRequest(mediaBytes));
  host.refused(t, huge, 'insufficient_storage');
});

test('an ingest is canceled once, and unknown ones never', async (t) => {
  const host = await TestHost.open(t);
  const ingestId = await openIngest(t, host, ingestRequest(5));
  const path = `${ingests}/${ingestId}/cancellations`;
  host.refused(t, await host.post(path, { reason: 'mine' }), 'invalid_ingest_request');
  const canceled = host.granted(t, await host.post(path, {}), 202, closedStatus);
  t.like(canceled, { status: 'failed', failure: { code: 'canceled' } });
  host.refused(t, await host.post(path, {}), 'ingest_already_terminal');
  t.deepEqual(await statusOf(t, host, ingestId), canceled);
  const put = await host.ask('PUT', `${ingests}/${ingestId}/media`, { body: Buffer.alloc(5) });
  host.refused(t, put, 'ingest_upload_conflict');
});

/** How many ingests may be open at once. */

test('the limit of open ingests holds, for any number of requests at once', async (t) => {
  const host = await TestHost.open(t);
  const post = (times: number) =>
    Promise.all(Array.from({ length: times }, () => host.post(ingests, ingestRequest(5))));
  const all = await post(openIngestLimit - 1);
  t.true(all.every(({ status }) => status === 202));
  // They arrive together although there is room for one.
  const together = await post(30);
  t.is(together.filter(({ status }) => status === 202).length, 1);
  for (const answer of together) if (answer.status !== 202) host.refused(t, answer, 'ingest_capacity');
  const opened = all[0]?.body.toString() ?? '';
  await host.post(`${ingests}/${JSON.parse(opened).ingestId}/cancellations`, {});
  await openIngest(t, host, ingestRequest(5));
  host.refused(t, await host.post(ingests, ingestRequest(5)), 'ingest_capacity');
});

const listed = async (t: ExecutionContext, host: TestHost, query: string): Promise<OwnedIngestList> =>
  host.granted(t, await host.get(`${ingests}${query}`), 200, ownedIngests);

test('ingests are listed with their openings, newest first, page by page', async (t) => {
  const host = await TestHost.open(t);
  const first = await openIngest(t, host, ingestRequest(5, { label: 'The first', filename: 'first.mp4' }));
  const second = await openIngest(t, host, ingestRequest(6, { label: 'The second' }));
  const page = await listed(t, host, '?limit=1');
  t.like(page.ingests[0], { ingestId: second, label: 'The second', declaredBytes: 6, status: 'queued' });
  const [row] = (await listed(t, host, `?limit=1&after=${encodeURIComponent(page.nextCursor ?? '')}`)).ingests;
  const { schema: _, ...status } = await statusOf(t, host, first);
  t.like(row, { ...status, label: 'The first', filename: 'first.mp4', declaredBytes: 5 });
  for (const ingestId of [first, second]) await host.post(`${ingests}/${ingestId}/cancellations`, {});
  host.refused(t, await host.get(`${ingests}?after=x`), 'invalid_cursor');
});

/** The results for invalid or incomplete media, and for canceled work. */

test('anything but whole media fails its probe with a closed reason and leaves nothing', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const before = await storedFiles(host);
  const sample = await readFile(sampleMedia);
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const kinds: Record<string, [Buffer, RegExp]> = {
    'one byte': [Buffer.from('x'), /^not_media: /],
    text: [Buffer.from('only words, line after line\n'.repeat(500)), /^not_media: /],
    zeros: [Buffer.alloc(3_000_000), /^not_media: /],
    'a playlist': [
      Buffer.from('#EXTM3U\n#EXTINF:4,\nfile:///etc/hostname\n#EXT-X-ENDLIST\n'),
      /^(not_media|format_not_allowed): /,
    ],
    'a concat script': [
      Buffer.from("ffconcat version 1.0\nfile '/etc/hostname'\n"),
      /^(not_media|format_not_allowed): /,
    ],
    'a picture': [Buffer.from(png, 'base64'), /^format_not_allowed: /],
    'a cut film': [sample.subarray(0, Math.floor(sample.length * 0.63)), /^container_damaged: /],
    'a cut sound': [humWav(30, 4000).subarray(0, 20_000), /^container_damaged: /],
    'a sound without samples': [humWav(31, 0), /^(container_damaged|no_playable_track|duration_unknown|not_media): /],
  };
  const outcomes = Object.entries(kinds).map(async ([what, [bytes, reason]]) => {
    const { failure } = await ingest(t, host, bytes, { filename: 'film.mp4', label: what });
    t.is(failure?.code, 'probe_failed', what);
    t.regex(failure?.message ?? '', reason, what);
    t.false(failure?.message.includes('/'), what);
  });
  await Promise.all(outcomes);
  // The list has the first word of each message as data.
  for (const { cause, failure } of (await listed(t, host, '')).ingests) {
    if (failure !== null) t.is(failure.message.split(':')[0], cause?.code);
  }
  await holdsOnly(t, host, before);
});

test('an ingest that is canceled while its media is measured leaves nothing', async (t) => {
  const host = await TestHost.open(t);
  const before = await storedFiles(host);
  const media = humWav(32);
  host.launcher.hold();
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  await putMedia(host, ingestId, media);
  const { updatedAt } = await reached(t, host, ingestId, ['probing']);
  t.like(await reached(t, host, ingestId, ['probing']), { updatedAt });
  const canceled = await host.post(`${ingests}/${ingestId}/cancellations`, {});
  t.like(host.granted(t, canceled, 202, closedStatus), { status: 'failed', failure: { code: 'canceled' } });
  await holdsOnly(t, host, before);
});

test('the same bytes fail once and register once, whichever comes first', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(33);
  host.launcher.hold();
  const ids = await Promise.all([1, 2].map(() => openIngest(t, host, ingestRequest(media.length))));
  for (const ingestId of ids) host.granted(t, await putMedia(host, ingestId, media), 202, closedStatus);
  await host.post(`${ingests}/${ids[0]}/cancellations`, {});
  host.launcher.release();
  t.is((await reached(t, host, ids[1] ?? '')).status, 'registered');
  t.is((await reached(t, host, ids[0] ?? '')).status, 'failed');
  t.true((await storedFiles(host)).some((file) => file.endsWith(` ${media.length}`)));
});

test('a registered ingest cannot be canceled', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { ingestId } = await ingest(t, host, humWav(34));
  host.refused(t, await host.post(`${ingests}/${ingestId}/cancellations`, {}), 'ingest_already_terminal');
});

/** Sending the media of an ingest. */

const path = (ingestId: string) => `${ingests}/${ingestId}/media`;

test('a head that does not fit is refused in order, and leaves the ingest open', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(1);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const five = Buffer.alloc(5);
  const gzip = { 'Content-Encoding': 'gzip' };
  const rows: [ErrorCode, string, Question][] = [
    ['unknown_query', `${path(ingestId)}?x`, { body: five, headers: gzip }],
    ['unknown_ingest', path('owned-ingest:none'), { body: five, headers: gzip }],
    ['unsupported_content_encoding', path(ingestId), { body: five, headers: { ...octets, ...gzip } }],
    ['unsupported_content_type', path(ingestId), { body: five }],
    ['unsupported_content_type', path(ingestId), { body: five, headers: { 'Content-Type': 'audio/wav' } }],
    ['invalid_upload_length', path(ingestId), { body: five, headers: octets }],
    ['invalid_upload_length', path(ingestId), { body: Buffer.concat([media, five]), headers: octets }],
    ['invalid_upload_length', path(ingestId), { body: Buffer.alloc(0), headers: octets }],
  ];
  for (const [code, target, question] of rows) host.refused(t, await host.ask('PUT', target, question), code);
  t.is((await host.ask('PUT', path(ingestId), { headers: octets })).status, 400);
  const { updatedAt } = await statusOf(t, host, ingestId);
  const headers = { 'Content-Type': 'Application/Octet-Stream; a=b', 'Content-Encoding': 'identity' };
  const answer = await host.ask('PUT', path(ingestId), { body: media, headers });
  t.like(host.granted(t, answer, 202, closedStatus), { status: 'queued', updatedAt });
  t.is((await reached(t, host, ingestId)).status, 'registered');
  host.refused(t, await putMedia(host, ingestId, media), 'ingest_upload_conflict');
  const late = await host.ask('PUT', path(ingestId), { body: five, headers: gzip });
  host.refused(t, late, 'ingest_upload_conflict');
});

test('bug: a range of a file was taken for the whole file', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(9);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const put = (range: string) =>
    host.ask('PUT', path(ingestId), { body: media, headers: { ...octets, 'Content-Range': range } });
  const [last, all] = [media.length - 1, media.length];
  for (const range of [
    `bytes 0-${last}/${2 * all}`,
    `bytes ${all}-${2 * all - 1}/${2 * all}`,
    `bytes 0-${last}/*`,
    '',
  ]) {
    host.refused(t, await put(range), 'invalid_upload_length');
  }
  t.is((await statusOf(t, host, ingestId)).status, 'queued');
  host.granted(t, await put(`bytes 0-${last}/${all}`), 202, closedStatus);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

test('chunks need no length, but as many bytes as were declared', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const before = await storedFiles(host);
  const media = humWav(2);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const short = await putMedia(host, ingestId, [media.subarray(0, 1000), media.subarray(1000, 2000)]);
  host.refused(t, short, 'invalid_upload_length');
  host.refused(t, await putMedia(host, ingestId, []), 'invalid_upload_length');
  t.is((await statusOf(t, host, ingestId)).status, 'queued');
  await holdsOnly(t, host, before);
  const whole = [media.subarray(0, 1), media.subarray(1, 3000), media.subarray(3000)];
  host.granted(t, await putMedia(host, ingestId, whole), 202, closedStatus);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

test('an upload that was refused as too long can be repeated at once', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const before = await storedFiles(host);
  const media = humWav(3);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  for (let round = 0; round < 20; round += 1) {
    const long = await putMedia(host, ingestId, [media, Buffer.alloc(1 + round), Buffer.alloc(1)]);
    host.refused(t, long, 'invalid_upload_length');
  }
  await holdsOnly(t, host, before);
  host.granted(t, await putMedia(host, ingestId, media), 202, closedStatus);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

test('a second upload during the first is refused, and the first continues', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const media = humWav(4);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const first = host.request('PUT', path(ingestId), media.length, octets);
  first.send(media.subarray(0, 1000));
  await arrived(host, ingestId);
  host.refused(t, await putMedia(host, ingestId, media), 'ingest_upload_conflict');
  t.is((await statusOf(t, host, ingestId)).status, 'queued');
  first.send(media.subarray(1000));
  t.is((await first.answer()).status, 202);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

for (const [how, bytes] of [
  ['with a length', humWav(18).length],
  ['in chunks', null],
] as const) {
  test(`a client that leaves during an upload ${how} leaves nothing behind`, async (t) => {
    const host = await TestHost.open(t, { mediaTools: true });
    const before = await storedFiles(host);
    const media = humWav(18);
    const ingestId = await openIngest(t, host, ingestRequest(media.length));
    const { updatedAt } = await statusOf(t, host, ingestId);
    const leaving = host.request('PUT', path(ingestId), bytes, octets);
    leaving.send(media.subarray(0, 1024));
    await arrived(host, ingestId);
    leaving.leave();
    await holdsOnly(t, host, before);
    t.like(await statusOf(t, host, ingestId), { status: 'queued', updatedAt });
    host.granted(t, await putMedia(host, ingestId, media), 202, closedStatus);
    t.is((await reached(t, host, ingestId)).status, 'registered');
  });
}

test('canceling during an upload ends both, and nothing stays', async (t) => {
  const host = await TestHost.open(t);
  const before = await storedFiles(host);
  const media = humWav(6);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const upload = host.request('PUT', path(ingestId), media.length, octets);
  upload.send(media.subarray(0, 1000));
  await arrived(host, ingestId);
  const canceled = await host.post(`${ingests}/${ingestId}/cancellations`, {});
  t.like(host.granted(t, canceled, 202, closedStatus), { failure: { code: 'canceled' } });
  upload.send(media.subarray(1000));
  host.refused(t, await upload.answer(), 'ingest_upload_conflict');
  await holdsOnly(t, host, before);
});

test('uploads of many ingests go on side by side', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const all = Array.from({ length: 6 }, (_, at) => humWav(20 + at, 300));
  const ids = await Promise.all(all.map((media) => openIngest(t, host, ingestRequest(media.length))));
  const sent = all.map((media, at) => {
    const upload = host.request('PUT', path(ids[at] ?? ''), media.length, octets);
    upload.send(media.subarray(0, 2000));
    return upload;
  });
  for (const [at, upload] of sent.entries()) {
    upload.send(all[at]?.subarray(2000) ?? Buffer.alloc(0));
    t.is((await upload.answer()).status, 202);
  }
  const ended = await Promise.all(ids.map((ingestId) => reached(t, host, ingestId)));
  t.true(ended.every(({ status }) => status === 'registered'));
  t.is(new Set(ended.map(({ source }) => source?.sourceSessionId)).size, all.length);
});

test('a fault of the storage ends the ingest, and the host says that it failed', async (t) => {
  const host = await TestHost.open(t);
  const inbox = join(host.dataRoot, 'inbox');
  const media = humWav(7);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  await rename(inbox, `${inbox}-away`);
  try {
    const refused = await putMedia(host, ingestId, media);
    const fields = ['retry-after', 'access-control-expose-headers'];
    const said = host.refused(t, refused, 'storage_unavailable', fields);
    t.is(said, 'the media cannot be written (ENOENT), and its ingest has failed');
  } finally {
    await rename(`${inbox}-away`, inbox);
  }
  t.like(await statusOf(t, host, ingestId), { status: 'failed', failure: { code: 'upload_failed' } });
  host.refused(t, await putMedia(host, ingestId, media), 'ingest_upload_conflict');
});

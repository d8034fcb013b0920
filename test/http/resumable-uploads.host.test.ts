import { createHash } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../contract/base/errors.ts';
import { ownedIngests } from '../../contract/ingest.ts';
import { workProgress } from '../../contract/operation.ts';
import { TestHost } from '../host/test-host.ts';
import type { WireAnswer } from '../host/wire-question.ts';
import { eventually } from '../patience.ts';
import { pageOrigin } from './host/contract.ts';
import {
  closedStatus,
  holdsOnly,
  ingestRequest,
  ingests,
  openIngest,
  putMedia,
  reached,
  statusOf,
  storedFiles,
} from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';

/** One byte less than a declared length can say. */
const mediaBytes = Number.MAX_SAFE_INTEGER - 1;
const bounds = ['--maximum-owned-media-bytes', String(mediaBytes)];

const creation = '/v1/owned-media-uploads';
const pathOf = (ingestId: string) => `${ingests}/${ingestId}/upload`;
const spoken = ['tus-resumable', 'access-control-expose-headers'];
const tus = { 'Tus-Resumable': '1.0.0' };
const partType = { 'Content-Type': 'application/offset+octet-stream' };
const encoded = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
const metadata = {
  filename: 'hum.wav',
  label: 'A hum',
  rightsHolder: 'The tester',
  rightsScope: 'local_processing',
  ownershipAttested: 'true',
};

/** Sending the media of an ingest in parts, by tus 1.0.0. */

/** A client that speaks tus to a host. */
const tusClient = (t: ExecutionContext, host: TestHost) => {
  const head = (ingestId: string) => host.ask('HEAD', pathOf(ingestId), { headers: tus });
  return {
    head,
    send: (ingestId: string, offset: number, body: Buffer | readonly Buffer[], headers: object = {}) =>
      host.ask('PATCH', pathOf(ingestId), {
        headers: { ...tus, ...partType, 'Upload-Offset': offset, ...headers },
        body,
      }),
    refused: (answer: WireAnswer, code: ErrorCode, others: readonly string[] = []) =>
      host.refused(t, answer, code, [...spoken, ...others]),
    demandOffset: async (ingestId: string, offset: number) => {
      const { status, headers } = await head(ingestId);
      t.is(status, 200);
      t.like(headers, { 'upload-offset': String(offset), 'tus-resumable': '1.0.0', 'cache-control': 'no-store' });
    },
    /** Sends the beginning of a part, and waits until it counts. */
    begun: async (ingestId: string, media: Buffer, [from, to]: readonly [number, number], headers: object = {}) => {
      const fields = { ...tus, ...partType, 'Upload-Offset': from, ...headers };
      const part = host.request('PATCH', pathOf(ingestId), media.length - from, fields);
      part.send(media.subarray(from, to));
      const name = ingestId.slice(ingestId.indexOf(':') + 1);
      const isThere = async () => (await storedFiles(host)).some((file) => file.endsWith(`${name}.part ${to}`));
      await eventually('the beginning of the part', isThere, 5);
      return part;
    },
  };
};

test('a file is sent in parts, and each answer has the start of the next', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { head, refused, send, demandOffset } = tusClient(t, host);
  const media = humWav(30);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  await demandOffset(ingestId, 0);
  const first = await send(ingestId, 0, media.subarray(0, 1000));
  t.is(first.status, 204);
  t.like(first.headers, { 'upload-offset': '1000', 'tus-resumable': '1.0.0' });
  const expires = Date.parse(String(first.headers['upload-expires'])) - Date.now();
  t.true(expires > 23 * 3_600_000 && expires <= 24 * 3_600_000);
  t.is((await send(ingestId, 1000, Buffer.alloc(0))).headers['upload-offset'], '1000');
  t.is((await send(ingestId, 1000, [media.subarray(1000, 1500), media.subarray(1500, 2000)])).status, 204);
  const progress = await host.get(`${ingests}/${ingestId}/progress`);
  t.like(host.granted(t, progress, 200, workProgress), {
    stage: 'upload',
    completed: 2000,
    total: media.length,
    unit: 'bytes',
    bytes: 2000,
  });
  const standing = await head(ingestId);
  t.like(standing.headers, {
    'upload-offset': '2000',
    'upload-length': String(media.length),
    'upload-metadata': encoded(metadata),
  });
  const headers = { ...tus, ...partType, 'Upload-Offset': 2000, 'X-HTTP-Method-Override': 'PATCH' };
  const overridden = await host.ask('POST', pathOf(ingestId), { headers, body: media.subarray(2000) });
  t.is(overridden.status, 204);
  t.is(overridden.headers['upload-expires'], undefined);
  t.is((await reached(t, host, ingestId)).status, 'registered');
  await demandOffset(ingestId, media.length);
  refused(await send(ingestId, media.length, Buffer.alloc(0)), 'ingest_upload_conflict');
  refused(await host.ask('DELETE', pathOf(ingestId), { headers: tus }), 'ingest_already_terminal');
});

test('a client that speaks tus alone opens the ingest by its own fields', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { refused, send } = tusClient(t, host);
  const media = humWav(31);
  const create = (fields: object) => host.ask('POST', creation, { headers: { ...tus, ...fields } });
  const length = { 'Upload-Length': media.length };
  const others = { ...metadata, filetype: 'audio/wav' };
  const answer = await create({ ...length, 'Upload-Metadata': encoded(others) });
  const { ingestId } = host.granted(t, answer, 201, closedStatus, [...spoken, 'location', 'upload-expires']);
  t.is(answer.headers.location, pathOf(ingestId));
  t.is((await send(ingestId, 0, media)).status, 204);
  t.like(await reached(t, host, ingestId), { status: 'registered', source: { label: 'A hum' } });

  const without = (name: string) =>
    encoded(Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== name)));
  const rows: [ErrorCode, object][] = [
    ['invalid_ingest_request', { 'Upload-Metadata': encoded(metadata) }],
    ['invalid_ingest_request', { 'Upload-Defer-Length': 1, 'Upload-Metadata': encoded(metadata) }],
    ['invalid_ingest_request', { ...length }],
    ['invalid_ingest_request', { 'Upload-Length': 0, 'Upload-Metadata': encoded(metadata) }],
    ['invalid_ingest_request', { ...length, 'Upload-Metadata': 'filename hum.wav' }],
    ['invalid_ingest_request', { ...length, 'Upload-Metadata': 'filename /w==' }],
    ['invalid_ingest_request', { ...length, 'Upload-Metadata': `${encoded(metadata)},filename aA==` }],
    ['invalid_ingest_request', { ...length, 'Upload-Metadata': without('label') }],
    ['invalid_rights_attestation', { ...length, 'Upload-Metadata': without('ownershipAttested') }],
    ['ingest_body_too_large', { 'Upload-Length': mediaBytes + 1, 'Upload-Metadata': encoded(metadata) }],
  ];
  for (const [code, fields] of rows) refused(await create(fields), code);
});

test('a wrong part is refused in order, and the upload keeps its state', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { head, refused, send, demandOffset } = tusClient(t, host);
  const media = humWav(32);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  t.is((await send(ingestId, 0, media.subarray(0, 100))).status, 204);
  const part = media.subarray(100, 200);
  const digest = createHash('sha256').update(part).digest('base64');
  const gzip = { 'Content-Encoding': 'gzip' };
  const wrongType = { 'Content-Type': 'application/octet-stream' };
  const rows: [ErrorCode, number, Buffer, object][] = [
    ['unsupported_content_encoding', 100, part, { ...gzip, ...wrongType }],
    ['unsupported_content_type', 100, part, { ...wrongType, 'Upload-Offset': '-1' }],
    ['invalid_upload_offset', 100, part, { 'Upload-Offset': '-1', 'Upload-Checksum': 'md5 x' }],
    ['invalid_upload_offset', 100, part, { 'Upload-Offset': '0100' }],
    ['invalid_upload_checksum', 100, part, { 'Upload-Checksum': 'md5 AAAA' }],
    ['invalid_upload_checksum', 100, part, { 'Upload-Checksum': 'sha256 AAAA' }],
    ['invalid_upload_length', 100, Buffer.alloc(media.length), {}],
    ['upload_checksum_mismatch', 100, media.subarray(101, 201), { 'Upload-Checksum': `sha256 ${digest}` }],
  ];
  for (const [code, offset, body, headers] of rows) {
    refused(await send(ingestId, offset, body, headers), code);
    await demandOffset(ingestId, 100);
  }
  const conflict = await send(ingestId, 50, part);
  refused(conflict, 'upload_offset_conflict', ['upload-offset']);
  t.is(conflict.headers['upload-offset'], '100');
  const long = await send(ingestId, 100, [media.subarray(100), Buffer.alloc(1)]);
  refused(long, 'invalid_upload_length');
  await demandOffset(ingestId, 100);
  refused(await send('owned-ingest:none', 0, part), 'unknown_ingest');
  t.is((await head('owned-ingest:none')).status, 404);
  for (const version of [{}, { 'Tus-Resumable': '0.2.2' }]) {
    const answer = await host.ask('PATCH', pathOf(ingestId), {
      headers: { ...partType, ...version },
      body: part,
    });
    refused(answer, 'unsupported_tus_version', ['tus-version']);
    t.is(answer.headers['tus-version'], '1.0.0');
  }
  t.is((await send(ingestId, 100, part, { 'Upload-Checksum': `sha256 ${digest}` })).status, 204);
  const sha1 = createHash('sha1').update(media.subarray(200)).digest('base64');
  t.is((await send(ingestId, 200, media.subarray(200), { 'Upload-Checksum': `sha1 ${sha1}` })).status, 204);
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

test('the bytes of a broken connection count, unless the part has a checksum', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { begun, send, demandOffset } = tusClient(t, host);
  const media = humWav(33);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const digest = createHash('sha256').update(media).digest('base64');
  const checked = await begun(ingestId, media, [0, 3000], { 'Upload-Checksum': `sha256 ${digest}` });
  await demandOffset(ingestId, 0);
  checked.leave();
  const other = await openIngest(t, host, ingestRequest(media.length));
  const cut = await begun(other, media, [0, 2000]);
  await demandOffset(other, 2000);
  cut.leave();
  t.is((await send(other, 2000, media.subarray(2000))).status, 204);
  t.is((await send(ingestId, 0, media)).status, 204);
  t.is((await reached(t, host, other)).status, 'registered');
  await reached(t, host, ingestId);
});

test('a new part ends one whose connection is dead, and continues after its bytes', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { begun, refused, send, demandOffset } = tusClient(t, host);
  const media = humWav(34);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const stale = await begun(ingestId, media, [0, 1000]);
  host.refused(t, await putMedia(host, ingestId, media), 'ingest_upload_conflict');
  await demandOffset(ingestId, 1000);
  t.is((await send(ingestId, 1000, media.subarray(1000))).status, 204);
  refused(await stale.answer(), 'upload_superseded');
  t.is((await reached(t, host, ingestId)).status, 'registered');
});

test('an upload that is ended leaves nothing, and is gone', async (t) => {
  const host = await TestHost.open(t, { flags: bounds });
  const { begun, head, refused, send } = tusClient(t, host);
  const before = await storedFiles(host);
  const media = humWav(35);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  const sending = await begun(ingestId, media, [0, 1000]);
  const ended = await host.ask('DELETE', pathOf(ingestId), { headers: tus });
  t.is(ended.status, 204);
  refused(await sending.answer(), 'upload_gone');
  t.like(await statusOf(t, host, ingestId), { status: 'failed', failure: { code: 'canceled' } });
  refused(await send(ingestId, 1000, media.subarray(1000)), 'upload_gone');
  refused(await host.ask('DELETE', pathOf(ingestId), { headers: tus }), 'upload_gone');
  t.is((await head(ingestId)).status, 410);
  await holdsOnly(t, host, before);
});

test('a plain upload replaces parts that were begun', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { send } = tusClient(t, host);
  const media = humWav(36);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  t.is((await send(ingestId, 0, Buffer.alloc(500))).status, 204);
  host.granted(t, await putMedia(host, ingestId, media), 202, closedStatus);
  t.is((await reached(t, host, ingestId)).status, 'registered');
  t.false((await storedFiles(host)).some((file) => file.includes('.part ')));
});

test('a restarted host continues after the counted bytes, or starts over without the file', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true, flags: bounds });
  const { begun, send, demandOffset } = tusClient(t, host);
  const media = humWav(37);
  const [kept, lost] = [
    await openIngest(t, host, ingestRequest(media.length)),
    await openIngest(t, host, ingestRequest(media.length)),
  ];
  for (const ingestId of [kept, lost]) t.is((await send(ingestId, 0, media.subarray(0, 4000))).status, 204);
  await begun(kept, media, [4000, 5000]);
  const partOf = (ingestId: string) =>
    join(host.dataRoot, 'inbox', `${ingestId.slice(ingestId.indexOf(':') + 1)}.part`);
  await host.die(() => truncate(partOf(lost), 3999));
  await demandOffset(kept, 4000);
  await demandOffset(lost, 0);
  t.is((await send(kept, 4000, media.subarray(4000))).status, 204);
  t.is((await send(lost, 0, media)).status, 204);
  t.is((await reached(t, host, kept)).status, 'registered');
  t.is((await reached(t, host, lost)).source?.sourceSessionId, (await statusOf(t, host, kept)).source?.sourceSessionId);
});

test('a page of an allowed origin may use it, and learns what the host can do', async (t) => {
  const host = await TestHost.open(t, { flags: bounds });
  const { refused } = tusClient(t, host);
  const discovered = {
    'tus-version': '1.0.0',
    'tus-extension': 'creation,creation-with-upload,expiration,checksum,termination',
  };
  for (const path of [creation, pathOf('owned-ingest:none')]) {
    const bare = await host.ask('OPTIONS', path, { token: null });
    t.is(bare.status, 204);
    t.like(bare.headers, { ...discovered, 'tus-max-size': String(mediaBytes) });
    const asked = await host.ask('OPTIONS', path, { token: null, headers: { Origin: pageOrigin } });
    t.like(asked.headers, { ...discovered, 'access-control-allow-origin': pageOrigin });
    t.regex(String(asked.headers['access-control-allow-methods']), /PATCH.*DELETE/);
    for (const name of ['Upload-Offset', 'Tus-Resumable', 'Upload-Metadata', 'Upload-Checksum', 'Upload-Concat']) {
      t.true(String(asked.headers['access-control-allow-headers']).includes(name));
    }
    const stranger = await host.ask('OPTIONS', path, { token: null, headers: { Origin: 'http://evil.example' } });
    refused(stranger, 'origin_not_allowed');
  }
  const answer = await host.ask('HEAD', pathOf('owned-ingest:none'), { headers: { ...tus, Origin: pageOrigin } });
  t.like(answer.headers, { 'access-control-allow-origin': pageOrigin, 'tus-resumable': '1.0.0' });
  t.regex(String(answer.headers['access-control-expose-headers']), /Upload-Offset/);
  refused(await host.ask('PATCH', creation, { token: null }), 'unauthorized', ['www-authenticate']);
  refused(await host.get(pathOf('owned-ingest:none')), 'method_not_allowed', ['allow']);
});

const creating = (host: TestHost, length: number, fields: object = {}, body?: Buffer | readonly Buffer[]) =>
  host.ask('POST', creation, {
    headers: { ...tus, 'Upload-Length': length, 'Upload-Metadata': encoded(metadata), ...fields },
    ...(body !== undefined && { body }),
  });

const openIngests = async (t: ExecutionContext, host: TestHost) =>
  host.granted(t, await host.get(ingests), 200, ownedIngests).ingests.length;

test('bug: halves of a file that were sent at once to be joined became sources', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { refused, demandOffset, send } = tusClient(t, host);
  const media = humWav(40);
  for (const concat of ['partial', 'final;/v1/owned-media-ingests/a/upload /v1/owned-media-ingests/b/upload', '']) {
    refused(await creating(host, media.length, { 'Upload-Concat': concat }), 'unsupported_tus_extension');
    const withBody = await creating(host, media.length, { 'Upload-Concat': concat, ...partType }, media);
    refused(withBody, 'unsupported_tus_extension');
  }
  t.is(await openIngests(t, host), 0);
  const ingestId = await openIngest(t, host, ingestRequest(media.length));
  refused(await send(ingestId, 0, media, { 'Upload-Concat': 'partial' }), 'unsupported_tus_extension');
  await demandOffset(ingestId, 0);
  const deferred = { 'Upload-Defer-Length': 1 };
  refused(await creating(host, media.length, deferred), 'invalid_ingest_request');
});

test('bug: the body of a creation was lost, and its client had no offset to continue from', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { send, demandOffset } = tusClient(t, host);
  const fields = [...spoken, 'location', 'upload-offset'];
  const whole = humWav(41);
  const one = await creating(host, whole.length, partType, whole);
  const { ingestId } = host.granted(t, one, 201, closedStatus, fields);
  t.like(one.headers, { location: pathOf(ingestId), 'upload-offset': String(whole.length) });
  t.is((await reached(t, host, ingestId)).status, 'registered');

  const half = humWav(42);
  const digest = createHash('sha256').update(half.subarray(0, 1000)).digest('base64');
  for (const [body, more] of [
    [half.subarray(0, 1000), {}],
    [[half.subarray(0, 400), half.subarray(400, 1000)], {}],
    [half.subarray(0, 1000), { 'Upload-Checksum': `sha256 ${digest}` }],
  ] as const) {
    const begun = await creating(host, half.length, { ...partType, ...more }, body);
    const opened = host.granted(t, begun, 201, closedStatus, [...fields, 'upload-expires']);
    t.is(begun.headers['upload-offset'], '1000');
    await demandOffset(opened.ingestId, 1000);
    t.is((await send(opened.ingestId, 1000, half.subarray(1000))).status, 204);
    t.is((await reached(t, host, opened.ingestId)).status, 'registered');
  }
});

test('the body of a creation that does not count leaves an upload that continues from zero', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { send } = tusClient(t, host);
  const media = humWav(43);
  const wrong = createHash('sha256').update('other').digest('base64');
  for (const [body, more] of [
    [media, { 'Upload-Checksum': `sha256 ${wrong}` }],
    [[media, Buffer.alloc(5)], {}],
    [Buffer.alloc(0), {}],
  ] as const) {
    const answer = await creating(host, media.length, { ...partType, ...more }, body);
    const fields = [...spoken, 'location', 'upload-offset', 'upload-expires'];
    const { ingestId } = host.granted(t, answer, 201, closedStatus, fields);
    t.is(answer.headers['upload-offset'], '0');
    t.is((await send(ingestId, 0, media)).status, 204);
    t.is((await reached(t, host, ingestId)).status, 'registered');
  }
});

test('the body of a creation is refused before anything is opened if its head does not fit', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { refused } = tusClient(t, host);
  const media = humWav(44);
  const rows: [ErrorCode, object, Buffer][] = [
    ['unsupported_content_encoding', { ...partType, 'Content-Encoding': 'gzip' }, media],
    ['unsupported_content_type', { 'Content-Type': 'application/octet-stream' }, media],
    ['unsupported_content_type', {}, media],
    ['invalid_upload_offset', { ...partType, 'Upload-Offset': 5 }, media],
    ['invalid_upload_length', partType, Buffer.concat([media, media])],
    ['invalid_upload_checksum', { ...partType, 'Upload-Checksum': 'md5 AAAA' }, media],
    ['invalid_ingest_request', { ...partType, 'Upload-Metadata': '' }, media],
    ['ingest_body_too_large', { ...partType, 'Upload-Length': Number.MAX_SAFE_INTEGER }, media],
  ];
  for (const [code, fields, body] of rows) refused(await creating(host, media.length, fields, body), code);
  t.is(await openIngests(t, host), 0);
});

const part = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': 0 };

test('bug: a text was taken to its last byte before its ingest failed', async (t) => {
  const host = await TestHost.open(t);
  const before = await storedFiles(host);
  const ingestId = await openIngest(t, host, ingestRequest(8_000_000_000));
  const answer = await host.ask('PATCH', `${ingests}/${ingestId}/upload`, {
    headers: part,
    body: Buffer.from('a letter, '.repeat(900)),
  });
  t.is(answer.status, 410);
  t.regex(answer.body.toString(), /upload_gone.*the file is text, and no media/);
  const { status, failure } = await statusOf(t, host, ingestId);
  t.is(status, 'failed');
  t.deepEqual(failure, { code: 'upload_failed', message: 'the file is text, and no media' });
  await holdsOnly(t, host, before);
});

test('bug: media whose first bytes came alone was taken for text, which ended its ingest', async (t) => {
  const host = await TestHost.open(t);
  for (const beginning of ['RIFF', 'OggS', 'G']) {
    const ingestId = await openIngest(t, host, ingestRequest(8_000_000_000));
    const body = Buffer.from(beginning);
    const taken = await host.ask('PATCH', `${ingests}/${ingestId}/upload`, { headers: part, body });
    t.is(taken.headers['upload-offset'], String(body.length));
    t.is((await statusOf(t, host, ingestId)).status, 'queued');
  }
});

test('the beginning of media is taken, and so is a text that is here as a whole', async (t) => {
  const host = await TestHost.open(t);
  const media = humWav(1);
  const first = await openIngest(t, host, ingestRequest(media.length));
  const taken = await host.ask('PATCH', `${ingests}/${first}/upload`, {
    headers: part,
    body: media.subarray(0, 5000),
  });
  t.is(taken.headers['upload-offset'], '5000');
  const text = Buffer.from('a letter');
  const second = await openIngest(t, host, ingestRequest(text.length));
  const whole = await host.ask('PATCH', `${ingests}/${second}/upload`, { headers: part, body: text });
  t.is(whole.status, 204);
});

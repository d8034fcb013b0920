import { createHash } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import { workProgress } from '../../../contract/operation/work-progress.ts';
import type { Question, WireAnswer } from '../../host/wire-question.ts';
import { type HostContract, limits, pageOrigin } from './contract.ts';
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
} from './ingest-steps.ts';
import { humWav } from './media.ts';

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
export function resumableUploads(contract: HostContract): void {
  const send = (ingestId: string, offset: number, body: Question['body'], headers: object = {}) =>
    contract.ask('PATCH', pathOf(ingestId), {
      headers: { ...tus, ...partType, 'Upload-Offset': offset, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const head = (ingestId: string) => contract.ask('HEAD', pathOf(ingestId), { headers: tus });
  const refused = (t: ExecutionContext, answer: WireAnswer, code: ErrorCode, others: readonly string[] = []) =>
    contract.refused(t, answer, code, [...spoken, ...others]);
  const stands = async (t: ExecutionContext, ingestId: string, offset: number) => {
    const { status, headers } = await head(ingestId);
    t.is(status, 200);
    t.like(headers, { 'upload-offset': String(offset), 'tus-resumable': '1.0.0', 'cache-control': 'no-store' });
  };
  const partHead = (ingestId: string, offset: number, ...fields: string[]) =>
    contract.client.head(
      `PATCH ${pathOf(ingestId)}`,
      'Tus-Resumable: 1.0.0',
      `Content-Type: ${partType['Content-Type']}`,
      `Upload-Offset: ${offset}`,
      ...fields,
    );
  /** Sends the beginning of a part and waits until it counts. */
  const begun = async (t: ExecutionContext, ingestId: string, media: Buffer, sent: number, ...fields: string[]) => {
    const socket = contract.client.raw().send(partHead(ingestId, 0, `Content-Length: ${media.length}`, ...fields));
    socket.send(media.subarray(0, sent));
    t.teardown(() => socket.destroy());
    const name = ingestId.slice(ingestId.indexOf(':') + 1);
    const isThere = async () => (await storedFiles(contract)).some((file) => file.endsWith(`${name}.part ${sent}`));
    while (!(await isThere())) await setTimeout(5);
    return socket;
  };

  test.serial(contract.title('a file is sent in parts, and each answer says where the next begins'), async (t) => {
    const media = humWav(30);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    await stands(t, ingestId, 0);
    const first = await send(ingestId, 0, media.subarray(0, 1000));
    t.is(first.status, 204);
    t.like(first.headers, { 'upload-offset': '1000', 'tus-resumable': '1.0.0' });
    const expires = Date.parse(String(first.headers['upload-expires'])) - Date.now();
    t.true(expires > 23 * 3_600_000 && expires <= 24 * 3_600_000);
    t.is((await send(ingestId, 1000, Buffer.alloc(0))).headers['upload-offset'], '1000');
    t.is((await send(ingestId, 1000, [media.subarray(1000, 1500), media.subarray(1500, 2000)])).status, 204);
    const progress = await contract.get(`${ingests}/${ingestId}/progress`);
    t.like(contract.granted(t, progress, 200, workProgress), {
      ...{ stage: 'upload', completed: 2000, total: media.length, unit: 'bytes', bytes: 2000 },
    });
    const standing = await head(ingestId);
    t.like(standing.headers, {
      'upload-offset': '2000',
      'upload-length': String(media.length),
      'upload-metadata': encoded(metadata),
    });
    const headers = { ...tus, ...partType, 'Upload-Offset': 2000, 'X-HTTP-Method-Override': 'PATCH' };
    const overridden = await contract.ask('POST', pathOf(ingestId), { headers, body: media.subarray(2000) });
    t.is(overridden.status, 204);
    t.is(overridden.headers['upload-expires'], undefined);
    t.is((await reached(t, contract, ingestId)).status, 'registered');
    await stands(t, ingestId, media.length);
    refused(t, await send(ingestId, media.length, Buffer.alloc(0)), 'ingest_upload_conflict');
    refused(t, await contract.ask('DELETE', pathOf(ingestId), { headers: tus }), 'ingest_already_terminal');
  });

  test.serial(contract.title('a client that speaks tus alone opens the ingest by its own fields'), async (t) => {
    const media = humWav(31);
    const create = (fields: object) => contract.ask('POST', creation, { headers: { ...tus, ...fields } });
    const length = { 'Upload-Length': media.length };
    const others = { ...metadata, filetype: 'audio/wav' };
    const answer = await create({ ...length, 'Upload-Metadata': encoded(others) });
    const { ingestId } = contract.granted(t, answer, 201, closedStatus, [...spoken, 'location', 'upload-expires']);
    t.is(answer.headers.location, pathOf(ingestId));
    t.is((await send(ingestId, 0, media)).status, 204);
    t.like(await reached(t, contract, ingestId), { status: 'registered', source: { label: 'A hum' } });

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
      ['ingest_body_too_large', { 'Upload-Length': limits.mediaBytes + 1, 'Upload-Metadata': encoded(metadata) }],
    ];
    for (const [code, fields] of rows) refused(t, await create(fields), code);
  });

  test.serial(
    contract.title('a part that does not fit is refused in order, and the upload stays as it stands'),
    async (t) => {
      const media = humWav(32);
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
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
        refused(t, await send(ingestId, offset, body, headers), code);
        await stands(t, ingestId, 100);
      }
      const conflict = await send(ingestId, 50, part);
      refused(t, conflict, 'upload_offset_conflict', ['upload-offset']);
      t.is(conflict.headers['upload-offset'], '100');
      const long = await send(ingestId, 100, [media.subarray(100), Buffer.alloc(1)]);
      refused(t, long, 'invalid_upload_length');
      await stands(t, ingestId, 100);
      refused(t, await send('owned-ingest:none', 0, part), 'unknown_ingest');
      t.is((await head('owned-ingest:none')).status, 404);
      for (const version of [{}, { 'Tus-Resumable': '0.2.2' }]) {
        const answer = await contract.ask('PATCH', pathOf(ingestId), {
          headers: { ...partType, ...version },
          body: part,
        });
        refused(t, answer, 'unsupported_tus_version', ['tus-version']);
        t.is(answer.headers['tus-version'], '1.0.0');
      }
      t.is((await send(ingestId, 100, part, { 'Upload-Checksum': `sha256 ${digest}` })).status, 204);
      const sha1 = createHash('sha1').update(media.subarray(200)).digest('base64');
      t.is((await send(ingestId, 200, media.subarray(200), { 'Upload-Checksum': `sha1 ${sha1}` })).status, 204);
      t.is((await reached(t, contract, ingestId)).status, 'registered');
    },
  );

  test.serial(
    contract.title('what had arrived when a connection broke counts, unless it has a checksum'),
    async (t) => {
      const media = humWav(33);
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
      const digest = createHash('sha256').update(media).digest('base64');
      const checked = await begun(t, ingestId, media, 3000, `Upload-Checksum: sha256 ${digest}`);
      await stands(t, ingestId, 0);
      checked.destroy();
      const other = await openIngest(t, contract, ingestRequest(media.length));
      const cut = await begun(t, other, media, 2000);
      await stands(t, other, 2000);
      cut.destroy();
      t.is((await send(other, 2000, media.subarray(2000))).status, 204);
      t.is((await send(ingestId, 0, media)).status, 204);
      t.is((await reached(t, contract, other)).status, 'registered');
      await reached(t, contract, ingestId);
    },
  );

  test.serial(
    contract.title('a new part ends one whose connection is dead, and goes on behind its bytes'),
    async (t) => {
      const media = humWav(34);
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
      const stale = await begun(t, ingestId, media, 1000);
      contract.refused(t, await putMedia(contract, ingestId, media), 'ingest_upload_conflict');
      await stands(t, ingestId, 1000);
      t.is((await send(ingestId, 1000, media.subarray(1000))).status, 204);
      const { status, headers, body } = await stale.answer();
      refused(t, { status, headers: Object.fromEntries(headers), body }, 'upload_superseded');
      t.is((await reached(t, contract, ingestId)).status, 'registered');
    },
  );

  test.serial(contract.title('an upload that is ended leaves nothing, and is gone'), async (t) => {
    const before = await storedFiles(contract);
    const media = humWav(35);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    const sending = await begun(t, ingestId, media, 1000);
    const ended = await contract.ask('DELETE', pathOf(ingestId), { headers: tus });
    t.is(ended.status, 204);
    const { status, headers, body } = await sending.answer();
    refused(t, { status, headers: Object.fromEntries(headers), body }, 'upload_gone');
    t.like(await statusOf(t, contract, ingestId), { status: 'failed', failure: { code: 'canceled' } });
    refused(t, await send(ingestId, 1000, media.subarray(1000)), 'upload_gone');
    refused(t, await contract.ask('DELETE', pathOf(ingestId), { headers: tus }), 'upload_gone');
    t.is((await head(ingestId)).status, 410);
    await holdsOnly(t, contract, before);
  });

  test.serial(contract.title('the plain way goes on where parts were begun, and takes their place'), async (t) => {
    const media = humWav(36);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    t.is((await send(ingestId, 0, Buffer.alloc(500))).status, 204);
    contract.granted(t, await putMedia(contract, ingestId, media), 202, closedStatus);
    t.is((await reached(t, contract, ingestId)).status, 'registered');
    t.false((await storedFiles(contract)).some((file) => file.includes('.part ')));
  });

  test.serial(
    contract.title('a restarted host goes on behind the bytes that counted, or begins anew without the file'),
    async (t) => {
      const media = humWav(37);
      const [kept, lost] = [
        await openIngest(t, contract, ingestRequest(media.length)),
        await openIngest(t, contract, ingestRequest(media.length)),
      ];
      for (const ingestId of [kept, lost]) t.is((await send(ingestId, 0, media.subarray(0, 4000))).status, 204);
      const cut = await begunMore(t, kept, media, 4000, 5000);
      await contract.kill();
      cut.destroy();
      const partOf = (ingestId: string) =>
        join(contract.dataRoot, 'inbox', `${ingestId.slice(ingestId.indexOf(':') + 1)}.part`);
      await truncate(partOf(lost), 3999);
      await contract.start();
      await stands(t, kept, 4000);
      await stands(t, lost, 0);
      t.is((await send(kept, 4000, media.subarray(4000))).status, 204);
      t.is((await send(lost, 0, media)).status, 204);
      t.is((await reached(t, contract, kept)).status, 'registered');
      t.is(
        (await reached(t, contract, lost)).source?.sourceSessionId,
        (await statusOf(t, contract, kept)).source?.sourceSessionId,
      );
    },
  );

  test.serial(contract.title('a page of an allowed origin may use it, and learns what the host can do'), async (t) => {
    const discovered = { 'tus-version': '1.0.0', 'tus-extension': 'creation,expiration,checksum,termination' };
    for (const path of [creation, pathOf('owned-ingest:none')]) {
      const bare = await contract.ask('OPTIONS', path, { token: null });
      t.is(bare.status, 204);
      t.like(bare.headers, { ...discovered, 'tus-max-size': String(limits.mediaBytes) });
      const asked = await contract.ask('OPTIONS', path, { token: null, headers: { Origin: pageOrigin } });
      t.like(asked.headers, { ...discovered, 'access-control-allow-origin': pageOrigin });
      t.regex(String(asked.headers['access-control-allow-methods']), /PATCH.*DELETE/);
      for (const name of ['Upload-Offset', 'Tus-Resumable', 'Upload-Metadata', 'Upload-Checksum']) {
        t.true(String(asked.headers['access-control-allow-headers']).includes(name));
      }
      const stranger = await contract.ask('OPTIONS', path, { token: null, headers: { Origin: 'http://evil.example' } });
      refused(t, stranger, 'origin_not_allowed');
    }
    const answer = await contract.ask('HEAD', pathOf('owned-ingest:none'), { headers: { ...tus, Origin: pageOrigin } });
    t.like(answer.headers, { 'access-control-allow-origin': pageOrigin, 'tus-resumable': '1.0.0' });
    t.regex(String(answer.headers['access-control-expose-headers']), /Upload-Offset/);
    refused(t, await contract.ask('PATCH', creation, { token: null }), 'unauthorized', ['www-authenticate']);
    refused(t, await contract.get(pathOf('owned-ingest:none')), 'method_not_allowed', ['allow']);
  });

  /** Sends the beginning of a second part, and waits until the system has it. */
  async function begunMore(t: ExecutionContext, ingestId: string, media: Buffer, from: number, to: number) {
    const socket = contract.client.raw().send(partHead(ingestId, from, `Content-Length: ${media.length - from}`));
    socket.send(media.subarray(from, to));
    t.teardown(() => socket.destroy());
    const name = ingestId.slice(ingestId.indexOf(':') + 1);
    while (!(await storedFiles(contract)).some((file) => file.endsWith(`${name}.part ${to}`))) await setTimeout(5);
    return socket;
  }
}

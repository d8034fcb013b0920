import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import type { Question } from '../../host/wire-question.ts';
import type { HostContract } from './contract.ts';
import {
  arrived,
  closedStatus,
  holdsOnly,
  ingestRequest,
  ingests,
  octets,
  openIngest,
  putMedia,
  reached,
  statusOf,
  storedFiles,
} from './ingest-steps.ts';
import { humWav } from './media.ts';

/** Sending the media of an ingest. */
export function uploads(contract: HostContract): void {
  const path = (ingestId: string) => `${ingests}/${ingestId}/media`;
  const uploadHead = (ingestId: string, ...fields: string[]) =>
    contract.client.head(`PUT ${path(ingestId)}`, 'Content-Type: application/octet-stream', ...fields);

  test.serial(contract.title('a head that does not fit is refused in order, and leaves the ingest open'), async (t) => {
    const media = humWav(1);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
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
    for (const [code, target, question] of rows) contract.refused(t, await contract.ask('PUT', target, question), code);
    const bare = contract.client.raw().send(uploadHead(ingestId));
    t.is((await bare.answer()).status, 400);
    bare.destroy();
    const { updatedAt } = await statusOf(t, contract, ingestId);
    const headers = { 'Content-Type': 'Application/Octet-Stream; a=b', 'Content-Encoding': 'identity' };
    const answer = await contract.ask('PUT', path(ingestId), { body: media, headers });
    t.like(contract.granted(t, answer, 202, closedStatus), { status: 'queued', updatedAt });
    t.is((await reached(t, contract, ingestId)).status, 'registered');
    contract.refused(t, await putMedia(contract, ingestId, media), 'ingest_upload_conflict');
    const late = await contract.ask('PUT', path(ingestId), { body: five, headers: gzip });
    contract.refused(t, late, 'ingest_upload_conflict');
  });

  test.serial(contract.title('chunks need no length, but as many bytes as were declared'), async (t) => {
    const before = await storedFiles(contract);
    const media = humWav(2);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    const short = await putMedia(contract, ingestId, [media.subarray(0, 1000), media.subarray(1000, 2000)]);
    contract.refused(t, short, 'invalid_upload_length');
    contract.refused(t, await putMedia(contract, ingestId, []), 'invalid_upload_length');
    t.is((await statusOf(t, contract, ingestId)).status, 'queued');
    await holdsOnly(t, contract, before);
    const whole = [media.subarray(0, 1), media.subarray(1, 3000), media.subarray(3000)];
    contract.granted(t, await putMedia(contract, ingestId, whole), 202, closedStatus);
    t.is((await reached(t, contract, ingestId)).status, 'registered');
  });

  test.serial(contract.title('an upload that was refused as too long can be repeated at once'), async (t) => {
    const before = await storedFiles(contract);
    const media = humWav(3);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    for (let round = 0; round < 20; round += 1) {
      const long = await putMedia(contract, ingestId, [media, Buffer.alloc(1 + round), Buffer.alloc(1)]);
      contract.refused(t, long, 'invalid_upload_length');
    }
    await holdsOnly(t, contract, before);
    contract.granted(t, await putMedia(contract, ingestId, media), 202, closedStatus);
    t.is((await reached(t, contract, ingestId)).status, 'registered');
  });

  test.serial(contract.title('a second upload during the first is refused, and the first goes on'), async (t) => {
    const media = humWav(4);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    const first = contract.client.raw().send(uploadHead(ingestId, `Content-Length: ${media.length}`));
    first.send(media.subarray(0, 1000));
    await arrived(contract, ingestId);
    contract.refused(t, await putMedia(contract, ingestId, media), 'ingest_upload_conflict');
    t.is((await statusOf(t, contract, ingestId)).status, 'queued');
    t.is((await first.send(media.subarray(1000)).answer()).status, 202);
    first.destroy();
    t.is((await reached(t, contract, ingestId)).status, 'registered');
  });

  for (const [how, fields] of [
    ['with a length', (bytes: number) => [`Content-Length: ${bytes}`]],
    ['in chunks', () => ['Transfer-Encoding: chunked']],
  ] as const) {
    test.serial(contract.title(`a client that leaves during an upload ${how} leaves nothing behind`), async (t) => {
      const before = await storedFiles(contract);
      const media = humWav(5 + how.length);
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
      const { updatedAt } = await statusOf(t, contract, ingestId);
      const leaving = contract.client.raw().send(uploadHead(ingestId, ...fields(media.length)));
      leaving.send(how === 'in chunks' ? `400\r\n${'x'.repeat(1024)}\r\n` : media.subarray(0, 1024));
      await arrived(contract, ingestId);
      leaving.destroy();
      await holdsOnly(t, contract, before);
      t.like(await statusOf(t, contract, ingestId), { status: 'queued', updatedAt });
      contract.granted(t, await putMedia(contract, ingestId, media), 202, closedStatus);
      t.is((await reached(t, contract, ingestId)).status, 'registered');
    });
  }

  test.serial(contract.title('canceling during an upload ends both, and nothing stays'), async (t) => {
    const before = await storedFiles(contract);
    const media = humWav(6);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    const upload = contract.client.raw().send(uploadHead(ingestId, `Content-Length: ${media.length}`));
    upload.send(media.subarray(0, 1000));
    await arrived(contract, ingestId);
    const canceled = await contract.post(`${ingests}/${ingestId}/cancellations`, {});
    t.like(contract.granted(t, canceled, 202, closedStatus), { failure: { code: 'canceled' } });
    const { status, headers, body } = await upload.send(media.subarray(1000)).answer();
    contract.refused(t, { status, headers: Object.fromEntries(headers), body }, 'ingest_upload_conflict');
    upload.destroy();
    await holdsOnly(t, contract, before);
  });

  test.serial(contract.title('uploads of many ingests go on side by side'), async (t) => {
    const all = Array.from({ length: 6 }, (_, at) => humWav(20 + at, 300));
    const ids = await Promise.all(all.map((media) => openIngest(t, contract, ingestRequest(media.length))));
    const sockets = all.map((media, at) => {
      const head = uploadHead(ids[at] ?? '', `Content-Length: ${media.length}`);
      return contract.client.raw().send(head).send(media.subarray(0, 2000));
    });
    for (const [at, socket] of sockets.entries()) {
      const rest = all[at]?.subarray(2000) ?? Buffer.alloc(0);
      t.is((await socket.send(rest).answer()).status, 202);
      socket.destroy();
    }
    const ended = await Promise.all(ids.map((ingestId) => reached(t, contract, ingestId)));
    t.true(ended.every(({ status }) => status === 'registered'));
    t.is(new Set(ended.map(({ source }) => source?.sourceSessionId)).size, all.length);
  });

  test.serial(contract.title('a fault of the storage ends the ingest, and the host says that it failed'), async (t) => {
    const inbox = join(contract.dataRoot, 'inbox');
    const media = humWav(7);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    await rename(inbox, `${inbox}-away`);
    try {
      const refused = await putMedia(contract, ingestId, media);
      const fields = ['retry-after', 'access-control-expose-headers'];
      const said = contract.refused(t, refused, 'storage_unavailable', fields);
      t.is(said, 'the media cannot be written (ENOENT), and its ingest has failed');
    } finally {
      await rename(`${inbox}-away`, inbox);
    }
    t.like(await statusOf(t, contract, ingestId), { status: 'failed', failure: { code: 'upload_failed' } });
    contract.refused(t, await putMedia(contract, ingestId, media), 'ingest_upload_conflict');
  });
}

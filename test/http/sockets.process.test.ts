import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, errorRemedies } from '../../contract/base/errors.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import { eventually } from '../patience.ts';
import { type AdapterFlag, adapterNames, HostContract } from './host/contract.ts';
import {
  arrived,
  closedStatus,
  ingestRequest,
  ingests,
  openIngest,
  putMedia,
  reached,
  statusOf,
  storedFiles,
} from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import type { RawAnswer } from './listener/raw-socket.ts';
import { RunningHost } from './running-host.ts';

// Uses of a socket by a client, on both adapters. A real host takes a second to start, so each adapter has one. The tests
// run side by side, and none needs another.

const sources = '/v1/source-sessions';
const native = findUwsBinary(THIS_RUNTIME) !== undefined;

for (const flag of native ? (['uws', 'node'] as const) : (['node'] as const)) socketsOf(flag);

if (!native) {
  test('if no native binary fits, a host that must use it does not start', async (t) => {
    const host = new RunningHost({ flags: ['--port', '0', '--http-adapter', 'uws'] });
    t.deepEqual(await host.ended, { code: 1, signal: null });
    t.regex(host.stderr, /^http_adapter_unavailable: /);
    t.is(host.stdout, '');
  });
}

function socketsOf(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  const name = adapterNames[adapter];
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  const uploadHead = (ingestId: string, ...fields: string[]) =>
    contract.client.head(`PUT ${ingests}/${ingestId}/media`, 'Content-Type: application/octet-stream', ...fields);

  test(`${name}: requests in one packet are answered in order, each by its own rules`, async (t) => {
    const { client } = contract;
    const body = ['Content-Type: application/json', 'Content-Length: 2'];
    const socket = client.raw();
    socket.send(
      client.head('GET /v1/nothing') +
        `${client.head('POST /v1/owned-media-ingests', ...body)}{}` +
        client.head(`HEAD ${sources}`) +
        client.head(`GET ${sources}`),
    );
    t.is((await socket.answer()).status, 404);
    t.is((await socket.answer()).status, 400);
    t.is((await socket.answer('HEAD')).status, 200);
    t.is((await socket.answer()).status, 200);
    socket.destroy();
  });

  test(`${name}: a head and a body that arrive byte by byte are one request`, async (t) => {
    const { client } = contract;
    const fields = ['Content-Type: application/json', 'Content-Length: 2'];
    const bytes = `${client.head('POST /v1/runtime-plans', ...fields)}{}`;
    const socket = client.raw();
    for (const byte of bytes) socket.send(byte);
    t.is((await socket.answer()).status, 400);
    socket.destroy();
  });

  test(`${name}: what the parser drops is closed or unanswered, and the host lives`, async (t) => {
    const { client } = contract;
    const post = (...fields: string[]) => client.head('POST /v1/owned-media-ingests', ...fields);
    const many = Array.from({ length: 60 }, (_, at) => `X-${at}: ${at}`);
    const dropped = {
      'no Host': `GET ${sources} HTTP/1.1\r\nAuthorization: Bearer ${client.token}\r\n\r\n`,
      'a length that is no number': `${post('Content-Length: two')}{}`,
      'a length with a sign': `${post('Content-Length: +2')}{}`,
      'a list of lengths': `${post('Content-Length: 2, 2')}{}`,
      'a length of 23 digits': `${post('Content-Length: 99999999999999999999999')}{}`,
      'a length beside chunks': `${post('Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      'more than 48 fields': client.head(`GET ${sources}`, ...many),
      'a method that nobody knows': client.head(`BREW ${sources}`),
      'a method in lower case': client.head(`get ${sources}`),
      'a target that is no path': client.head('GET v1/source-sessions'),
      'a space before the colon': client.head(`GET ${sources}`, 'X : 1'),
      'no HTTP at all': `${'\x16\x03\x01'.repeat(20)}\r\n\r\n`,
    };
    const outcomes = Object.entries(dropped).map(async ([what, bytes]) => {
      const socket = client.raw().send(bytes);
      t.not(await socket.outcome(), 'answered', what);
      socket.destroy();
    });
    await Promise.all(outcomes);
    contract.granted(t, await contract.get(sources), 200, sourceSessionList);
  });

  test(`${name}: an unusable length is refused where the parser lets it through`, async (t) => {
    const { client } = contract;
    const repeated = ['Content-Length: 2', 'Content-Length: 3'];
    const unsafe = ['Content-Length: 9007199254740993'];
    const post = (fields: string[]) =>
      client.head('POST /v1/runtime-plans', 'Content-Type: application/json', ...fields);
    const answerTo = async (fields: string[]): Promise<RawAnswer> => {
      const socket = client.raw();
      const answer = await socket.send(`${post(fields)}{}`).answer();
      socket.destroy();
      return answer;
    };
    refusedFromRaw(t, contract, await answerTo(unsafe), 'invalid_content_length');
    // The other parser answers this one itself.
    if (adapter === 'uws') refusedFromRaw(t, contract, await answerTo(repeated), 'invalid_content_length');
    else t.is((await answerTo(repeated)).status, 400);
  });

  test(`${name}: a body without a sure end is refused`, async (t) => {
    const { client } = contract;
    const socket = client.raw().send(client.head('POST /v1/runtime-plans', 'Transfer-Encoding: gzip, chunked'));
    refusedFromRaw(t, contract, await socket.answer(), 'unsupported_transfer_encoding');
    await socket.closed();
  });

  if (adapter === 'uws') {
    test(`${name}: a length that only a chunked body may have is refused`, async (t) => {
      const { client } = contract;
      const put = client.head(
        'PUT /v1/owned-media-ingests/owned-ingest:none/media',
        'Content-Type: application/octet-stream',
        'Content-Length: 1000000000',
      );
      const answer = await client.raw().send(put).answer();
      refusedFromRaw(t, contract, answer, 'content_length_too_large');
      t.regex(errorRemedies.content_length_too_large ?? '', /Transfer-Encoding: chunked/);
    });
  }

  test(`${name}: an absolute target is refused or unanswered, never served`, async (t) => {
    const { client } = contract;
    const socket = client.raw().send(client.head(`GET http://127.0.0.1:${client.port}${sources}`));
    t.not(await socket.outcome(), 'answered');
    socket.destroy();
  });

  test(`${name}: clients that leave in the middle of a request leave the host alone`, async (t) => {
    const { client } = contract;
    const beginnings = [
      `GET ${sources} HT`,
      client.head(`GET ${sources}`).slice(0, -2),
      `${client.head('POST /v1/runtime-plans', 'Content-Type: application/json', 'Content-Length: 9')}{"a"`,
      `${client.head('POST /v1/runtime-plans', 'Content-Type: application/json', 'Transfer-Encoding: chunked')}5\r\n{`,
      client.head(`GET ${sources}`).repeat(50),
    ];
    for (const beginning of beginnings) {
      const socket = client.raw().send(beginning);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    }
    contract.granted(t, await contract.get(sources), 200, sourceSessionList);
  });

  test(`${name}: a refusal before the body leaves the connection open for the next request`, async (t) => {
    const socket = contract.client.raw();
    const { client } = contract;
    const body = 'x'.repeat(300_000);
    const fields = ['Content-Type: text/plain', `Content-Length: ${body.length}`];
    for (const head of [
      client.head('POST /v1/runtime-starts', ...fields),
      client.head('POST /v1/nothing', ...fields),
      client.head('POST /v1/runtime-starts', ...fields).replace(client.token, 'wrong'),
      client.head('POST /v1/runtime-starts', 'Content-Type: application/json', `Content-Length: ${body.length}`),
    ]) {
      const refused = await socket.send(head).send(body).answer();
      t.true([401, 404, 413, 415].includes(refused.status), String(refused.status));
      t.is((await socket.send(client.head('GET /v1/source-sessions')).answer()).status, 200);
    }
    socket.destroy();
  });

  for (const [how, fields] of [
    ['with a length', (bytes: number) => [`Content-Length: ${bytes}`]],
    ['in chunks', () => ['Transfer-Encoding: chunked']],
  ] as const) {
    test(`${name}: a client that leaves during an upload ${how} leaves nothing behind`, async (t) => {
      const media = humWav(5 + how.length);
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
      const { updatedAt } = await statusOf(t, contract, ingestId);
      const leaving = contract.client.raw().send(uploadHead(ingestId, ...fields(media.length)));
      leaving.send(how === 'in chunks' ? `400\r\n${'x'.repeat(1024)}\r\n` : media.subarray(0, 1024));
      await arrived(contract, ingestId);
      leaving.destroy();
      const own = ingestId.slice(ingestId.indexOf(':') + 1);
      const isGone = async () => !(await storedFiles(contract)).some((file) => file.includes(own));
      await eventually('the end of what was left', isGone);
      t.like(await statusOf(t, contract, ingestId), { status: 'queued', updatedAt });
      contract.granted(t, await putMedia(contract, ingestId, media), 202, closedStatus);
      t.is((await reached(t, contract, ingestId)).status, 'registered');
    });
  }

  test(`${name}: the part of a file that had arrived when a connection broke counts`, async (t) => {
    const media = humWav(33);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    const path = `${ingests}/${ingestId}/upload`;
    const tus = { 'Tus-Resumable': '1.0.0' };
    const type = 'application/offset+octet-stream';
    const fields = ['Tus-Resumable: 1.0.0', `Content-Type: ${type}`, 'Upload-Offset: 0'];
    const head = contract.client.head(`PATCH ${path}`, ...fields, `Content-Length: ${media.length}`);
    const cut = contract.client.raw().send(head).send(media.subarray(0, 2000));
    await eventually('the beginning of the part', async () =>
      (await storedFiles(contract)).some((file) =>
        file.endsWith(`${ingestId.slice(ingestId.indexOf(':') + 1)}.part 2000`),
      ),
    );
    cut.destroy();
    t.is((await contract.ask('HEAD', path, { headers: tus })).headers['upload-offset'], '2000');
    const headers = { ...tus, 'Content-Type': type, 'Upload-Offset': 2000 };
    t.is((await contract.ask('PATCH', path, { headers, body: media.subarray(2000) })).status, 204);
    t.is((await reached(t, contract, ingestId)).status, 'registered');
  });
}

/** Expects a refusal that ends its connection; it may be followed by spaces, because it has to be long to leave at once. */
function refusedFromRaw(t: ExecutionContext, contract: HostContract, answer: RawAnswer, code: ErrorCode): string {
  const text = `${answer.body.toString('utf8').trim()}\n`;
  const headers = Object.fromEntries(answer.headers);
  t.is(headers['content-length'], String(answer.body.length));
  const body = Buffer.from(text);
  return contract.refused(
    t,
    { status: answer.status, headers: { ...headers, 'content-length': String(body.length) }, body },
    code,
  );
}

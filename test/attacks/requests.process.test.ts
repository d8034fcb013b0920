import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { errorRemedies } from '../../contract/base/errors.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import type { Exchange } from '../../http/listener/listener.ts';
import { nodeListener } from '../../http/listener/node-listener.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import { startHost } from '../crash/host-process.ts';
import { type AdapterFlag, HostContract } from '../http/host/contract.ts';
import { ingestRequest, ingests, octets, openIngest, putMedia, reached, statusOf } from '../http/host/ingest-steps.ts';
import { humWav } from '../http/host/media.ts';
import { head } from '../http/listener/adapters.ts';
import { RawSocket } from '../http/listener/raw-socket.ts';
import { eventually } from '../patience.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { attackAdapter } from './hostile/hostile-requests.ts';

const sources = '/v1/source-sessions';
const plans = '/v1/runtime-plans';
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const chunkedObject = '2\r\n{}\r\n0\r\n\r\n';

/** The result: the statuses of all answers, the codes of refusals, and whether the connection was closed. */
interface Outcome {
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  readonly isClosed: boolean;
}

// The reason to wait for an outcome.
const answers = ({ statuses }: Outcome): boolean => statuses.length > 0;
const refuses = ({ codes }: Outcome): boolean => codes.length > 0;
const closes = ({ isClosed }: Outcome): boolean => isClosed;
const anyway = (): boolean => true;

function attacks(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());

  /**
   * Sends bytes as they are and collects the outcome: after the host has closed, or a moment after `isAll` holds.
   * Nothing should come in that moment.
   */
  async function outcomeOf(bytes: string, isAll: (outcome: Outcome) => boolean, momentMs = 1_000): Promise<Outcome> {
    const socket = connect(contract.client.port, '127.0.0.1');
    let received = '';
    let isClosed = false;
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        isClosed = true;
      });
    socket.write(bytes, 'latin1');
    const outcome = (): Outcome => ({
      statuses: [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
      codes: [...received.matchAll(/"code":"(\w+)"/g)].map(([, code]) => String(code)),
      isClosed,
    });
    await eventually('what the host answers', () => isClosed || isAll(outcome()), 20);
    for (let waited = 0; waited < momentMs && !isClosed; waited += 20) await setTimeout(20);
    socket.destroy();
    return outcome();
  }

  test(contract.title('a coding other than chunked is refused, nothing behind it is read'), async (t) => {
    const { client } = contract;
    const behind = client.head(`GET ${sources}`);
    // If chunked is given twice or is not the last coding, node:http itself answers, with a bare 400.
    const own = ['gzip', 'gzip, chunked', 'identity', 'xchunked', ''];
    const parsers = ['chunked, gzip', `chunked\r\n${chunked}`];
    for (const coding of [...own, ...parsers]) {
      for (const line of [`POST ${plans}`, `GET ${sources}`]) {
        const head = client.head(line, json, `Transfer-Encoding: ${coding}`);
        const { statuses, codes, isClosed } = await outcomeOf(head + chunkedObject + behind, closes);
        const isOurs = adapter === 'uws' || own.includes(coding);
        t.deepEqual(statuses, [isOurs ? 501 : 400], `${line} ${coding}`);
        t.deepEqual(codes, isOurs ? ['unsupported_transfer_encoding'] : []);
        t.true(isClosed);
      }
    }
    t.deepEqual(
      (await outcomeOf(client.head(`POST ${plans}`, json, 'Transfer-Encoding: Chunked') + chunkedObject, refuses))
        .codes,
      ['invalid_start_request'],
    );
  });

  test(contract.title('a length that is no canonical number is refused, nothing behind it is read'), async (t) => {
    const { client } = contract;
    const lengths = [
      '',
      'two',
      '+2',
      '-1',
      '2, 2',
      '0x2',
      '1 2',
      '0000000002',
      '9'.repeat(23),
      '2\r\nContent-Length: 2',
    ];
    for (const length of lengths) {
      const head = client.head(`POST ${plans}`, json, `Content-Length: ${length}`);
      const { statuses, isClosed } = await outcomeOf(`${head}{}${client.head(`GET ${sources}`)}`, closes);
      t.is(statuses[0], 400, length);
      t.true(statuses.length === 1 || length === '0000000002', length);
      t.true(isClosed, length);
    }
  });

  test(contract.title('a length of a gigabyte or more is answered'), async (t) => {
    const { client } = contract;
    const media = humWav(1);
    const ingestId = await openIngest(t, contract, ingestRequest(media.length));
    for (const fields of [[], ['Connection: close'], ['Expect: 100-continue']]) {
      const put = client.head(
        `PUT ${ingests}/${ingestId}/media`,
        'Content-Type: application/octet-stream',
        'Content-Length: 1000000000',
        ...fields,
      );
      // Refused by its length alone, after the head; with `Connection: close` only after the body.
      const isSilent = adapter === 'node' && fields[0] === 'Connection: close';
      const { codes } = await outcomeOf(put + 'x'.repeat(2_000_000), isSilent ? anyway : refuses);
      if (adapter === 'uws') t.deepEqual(codes, ['content_length_too_large']);
      else t.deepEqual(codes, isSilent ? [] : ['invalid_upload_length']);
      const post = client.head(`POST ${plans}`, json, 'Content-Length: 1000000000');
      t.deepEqual((await outcomeOf(post, refuses)).codes, ['request_body_too_large']);
    }
    contract.granted(t, await contract.get(sources), 200, sourceSessionList);
    t.is((await statusOf(t, contract, ingestId)).status, 'queued');
  });

  test(contract.title('a chunk extension never changes what is stored'), async (t) => {
    const { client } = contract;
    const media = humWav(2);
    for (const extension of [';a', ';name=value', ';n="a b"']) {
      const ingestId = await openIngest(t, contract, ingestRequest(media.length));
      const head = client.head(`PUT ${ingests}/${ingestId}/media`, `Content-Type: ${octets['Content-Type']}`, chunked);
      const body = `${media.length.toString(16)}${extension}\r\n${media.toString('latin1')}\r\n0\r\n\r\n`;
      const { statuses } = await outcomeOf(head + body, adapter === 'node' ? answers : anyway);
      if (adapter === 'node') {
        t.deepEqual(statuses, [202], extension);
        t.is((await reached(t, contract, ingestId)).status, 'registered');
      } else {
        t.false(statuses.includes(202), extension);
        t.is((await statusOf(t, contract, ingestId)).status, 'queued');
        // The host may still be noticing that the first client left.
        const isTaken = async () => (await putMedia(contract, ingestId, [media])).status === 202;
        await eventually('the end of the first upload', isTaken, 20);
        t.is((await reached(t, contract, ingestId)).status, 'registered');
      }
    }
  });

  test(contract.title('hundreds of requests without a sure end, and others behind, are survived'), async (t) => {
    const { client } = contract;
    const heads = [
      client.head(`POST ${plans}`, json, 'Transfer-Encoding: gzip'),
      client.head(`POST ${plans}`, json, 'Transfer-Encoding: gzip', 'Connection: close'),
      client.head(`HEAD ${sources}`, 'Transfer-Encoding: gzip'),
      client.head(`POST ${plans}`, json, 'Content-Length: 1000000000'),
      client.head(`POST ${plans}`, json, 'Content-Length: two', 'Connection: close'),
      client.head(`POST ${plans}`, json, chunked, 'Connection: close'),
    ];
    for (let round = 0; round < 20; round += 1) {
      const all = heads.map((head) =>
        outcomeOf(client.head(`GET ${sources}`) + head + chunkedObject + heads.join(''), anyway, 200),
      );
      await Promise.all(all);
    }
    contract.granted(t, await contract.get(sources), 200, sourceSessionList);
  });

  test(contract.title('a refused origin is named once to whoever runs the host, not to the page'), async (t) => {
    const origin = 'https://page.example:8443';
    t.regex(errorRemedies.origin_not_allowed ?? '', /--allowed-origin/);
    for (let time = 0; time < 5; time += 1) {
      const answer = await contract.get(sources, { headers: { Origin: origin } });
      contract.refused(t, answer, 'origin_not_allowed');
    }
    const named = contract.host.stderr.split('\n').filter((line) => line.includes(origin));
    t.is(named.length, 1);
    t.true(named[0]?.endsWith(`--allowed-origin ${origin}`));
  });
}

for (const adapter of ['uws', 'node'] as const) {
  if (adapter === 'node' || findUwsBinary(THIS_RUNTIME) !== undefined) attacks(adapter);
}

const idleMs = 60_000;
const strangers = 8;

/** Admits everybody but who asks for `/stranger`. */
function serve(exchange: Exchange): void {
  if (exchange.head.target === '/stranger') {
    exchange.respond(401, {}, '');
    return;
  }
  exchange.accept();
  exchange.respond(200, {}, '');
}

test('of too many strangers the oldest are closed, and no accepted client', async (t) => {
  const listener = await nodeListener(idleMs, strangers)({ host: '127.0.0.1', port: 0 }, serve);
  t.teardown(() => listener.close(0));
  const known = new RawSocket(listener.port).send(head('GET /known'));
  t.is((await known.answer()).status, 200);
  const drips = Array.from({ length: strangers }, () => new RawSocket(listener.port).send('GET / HTTP/1.1\r\nX: '));
  // Refused, and as much a stranger as before.
  const refused = new RawSocket(listener.port).send(head('GET /stranger'));
  t.is((await refused.answer()).status, 401);
  await drips[0]?.closed();
  const newest = Array.from({ length: strangers }, () => new RawSocket(listener.port));
  await Promise.all([...drips, refused].map((socket) => socket.closed()));
  t.is((await known.send(head('GET /known')).answer()).status, 200);
  for (const socket of newest) t.is((await socket.send(head('GET /known')).answer()).status, 200);
  for (const socket of [known, ...newest]) socket.destroy();
});

test('strangers that leave make room', async (t) => {
  const listener = await nodeListener(idleMs, strangers)({ host: '127.0.0.1', port: 0 }, serve);
  t.teardown(() => listener.close(0));
  const first = new RawSocket(listener.port).send('GET / HT');
  for (let round = 0; round < 5; round += 1) {
    const others = Array.from({ length: strangers - 1 }, () => new RawSocket(listener.port).send('GET'));
    await Promise.all(others.map((socket) => socket.left()));
  }
  t.is((await first.send('TP/1.1\r\nHost: 127.0.0.1\r\n\r\n').answer()).status, 200);
  first.destroy();
});

test('uWebSockets.js: a request of any kind gets an answer that is described, and never a fault', (t) =>
  attackAdapter(t, 'uws', 500));

async function asked(t: ExecutionContext) {
  const host = await startHost(t, await scratchFolder(t));
  const { listening, authorizationToken } = host.announced ?? t.fail() ?? { listening: '', authorizationToken: '' };
  const headers = { Authorization: `Bearer ${authorizationToken}`, 'Content-Type': 'application/json' };
  return async (path: string, body?: string) => {
    const answer = await fetch(`${listening}${path}`, {
      headers,
      ...(body === undefined ? {} : { method: 'POST', body }),
    });
    return { status: answer.status, body: z.looseObject({}).parse(await answer.json()) };
  };
}

const sessionList = z.object({
  sourceSessions: z.array(z.object({ sourceSessionId: z.string(), sourceRevisionId: z.string() })).min(1),
});

test('a start with half of an emoji as its reason is refused, one with a whole emoji is readable', async (t) => {
  const ask = await asked(t);
  const [source] = sessionList.parse((await ask('/v1/source-sessions')).body).sourceSessions;
  const start = (reason: string) =>
    JSON.stringify({
      sourceSessionId: source?.sourceSessionId,
      sourceRevisionId: source?.sourceRevisionId,
      range: { startMs: 0, endMs: 2000 },
      requestedSourceLanguage: { mode: 'withheld', languages: [], reason },
      targetLanguage: 'en',
      selectedLanguagePackId: null,
      outputDepth: 'evidence',
    });
  for (const half of ['\ud800', 'a\ud800b', 'a\udc00', '\udc00\ud800', '😀'.slice(0, 1), '😀😀'.slice(1, 3)]) {
    for (const path of ['/v1/runtime-plans', '/v1/runtime-starts']) {
      const { status, body } = await ask(path, start(half));
      t.is(status, 400);
      t.like(body, { error: { code: 'invalid_start_request' } });
      t.regex(JSON.stringify(body), /requestedSourceLanguage\.reason.*well-formed/);
    }
  }
  const begun = await ask('/v1/runtime-starts', start('half of it 😀'));
  t.is(begun.status, 202);
  const runtime = `/v1/runtimes/${begun.body.runtimeId}`;
  for (let ended = false; !ended; ) ended = (await ask(`${runtime}/events?after=0&wait=1000`)).body.terminal === true;
  for (const list of ['evidence', 'decision-receipts', 'publish-review-decisions']) {
    t.is((await ask(`${runtime}/${list}`)).status, 200, list);
  }
});

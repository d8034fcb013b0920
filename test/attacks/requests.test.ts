import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { errorRemedies } from '../../contract/base/error-codes.ts';
import { sourceSessionList } from '../../contract/sources/source-session-list.ts';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import { type AdapterFlag, HostContract } from '../http/host/contract.ts';
import { ingestRequest, ingests, octets, openIngest, putMedia, reached, statusOf } from '../http/host/ingest-steps.ts';
import { humWav } from '../http/host/media.ts';
import { eventually } from '../patience.ts';

const sources = '/v1/source-sessions';
const plans = '/v1/runtime-plans';
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const chunkedObject = '2\r\n{}\r\n0\r\n\r\n';

/** What came back: the statuses of all answers, the codes of refusals, and whether it was closed. */
interface Outcome {
  readonly statuses: readonly number[];
  readonly codes: readonly string[];
  readonly isClosed: boolean;
}

// What an outcome is waited for.
const answers = ({ statuses }: Outcome): boolean => statuses.length > 0;
const refuses = ({ codes }: Outcome): boolean => codes.length > 0;
const closes = ({ isClosed }: Outcome): boolean => isClosed;
const anyway = (): boolean => true;

function attacks(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter);
  test.before(() => contract.open());
  test.after.always(() => contract.close());

  /**
   * Sends bytes as they are, and looks at what came of them: once the host has closed, or once `isAll` holds and a moment more
   * has passed, in which nothing should come.
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

  test(
    contract.title('a coding other than chunked is refused, and nothing behind it is read as a request'),
    async (t) => {
      const { client } = contract;
      const behind = client.head(`GET ${sources}`);
      // Where chunked stands twice or is not the last coding, node:http itself answers, with a bare 400.
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
    },
  );

  test(
    contract.title('a length that is not one canonical number is refused, and nothing behind it is read'),
    async (t) => {
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
    },
  );

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

  test(
    contract.title('hundreds of requests without a sure end, with others behind them, leave the host whole'),
    async (t) => {
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
    },
  );

  test(contract.title('a refused origin is named to whoever runs the host, once, and not to the page'), async (t) => {
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

import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, errorRemedies } from '../../../contract/base/error-codes.ts';
import { sourceSessionList } from '../../../contract/sources/source-session-list.ts';
import type { RawAnswer } from '../listener/raw-socket.ts';
import type { HostContract } from './contract.ts';

const sources = '/v1/source-sessions';

/** What never becomes a request, and what becomes several. */
export function parser(contract: HostContract): void {
  test.serial(contract.title('requests in one packet are answered in order, each by its own rules'), async (t) => {
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

  test.serial(contract.title('a head and a body that arrive byte by byte are one request'), async (t) => {
    const { client } = contract;
    const fields = ['Content-Type: application/json', 'Content-Length: 2'];
    const bytes = `${client.head('POST /v1/runtime-plans', ...fields)}{}`;
    const socket = client.raw();
    for (const byte of bytes) socket.send(byte);
    t.is((await socket.answer()).status, 400);
    socket.destroy();
  });

  test.serial(contract.title('what the parser drops is closed or unanswered, and the host lives'), async (t) => {
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

  test.serial(
    contract.title('a length that says nothing usable is refused, where the parser lets it through'),
    async (t) => {
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
      if (contract.adapter === 'uws') refusedFromRaw(t, contract, await answerTo(repeated), 'invalid_content_length');
      else t.is((await answerTo(repeated)).status, 400);
    },
  );

  test.serial(contract.title('a body without a sure end is refused'), async (t) => {
    const { client } = contract;
    const socket = client.raw().send(client.head('POST /v1/runtime-plans', 'Transfer-Encoding: gzip, chunked'));
    refusedFromRaw(t, contract, await socket.answer(), 'unsupported_transfer_encoding');
    await socket.closed();
  });

  if (contract.adapter === 'uws') {
    test.serial(contract.title('a length that only a chunked body may have is refused'), async (t) => {
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

  test.serial(contract.title('an absolute target is refused or unanswered, never served'), async (t) => {
    const { client } = contract;
    const socket = client.raw().send(client.head(`GET http://127.0.0.1:${client.port}${sources}`));
    t.not(await socket.outcome(), 'answered');
    socket.destroy();
  });

  test.serial(contract.title('clients that leave in the middle of a request leave the host alone'), async (t) => {
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

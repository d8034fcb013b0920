import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import type { HostContract } from './contract.ts';

const cap = 65_536;
const cancel = '/v1/owned-media-ingests/owned-ingest:none/cancellations';
const json = { 'Content-Type': 'application/json' };

/** JSON bodies: type, length, encoding, shape. A body in order reaches an ingest that nobody opened. */
export function bodies(contract: HostContract): void {
  test.serial(contract.title('the type of a body is compared without case and parameters'), async (t) => {
    const body = Buffer.from('{}');
    for (const type of [
      'application/json',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json ;',
    ]) {
      const answer = await contract.ask('POST', cancel, { body, headers: { 'Content-Type': type } });
      contract.refused(t, answer, 'unknown_ingest');
    }
    for (const type of ['text/plain', 'application/jsonx', 'application/json, text/plain', 'json', '']) {
      const answer = await contract.ask('POST', cancel, { body, headers: { 'Content-Type': type } });
      contract.refused(t, answer, 'unsupported_content_type');
    }
    contract.refused(t, await contract.ask('POST', cancel, { body }), 'unsupported_content_type');
  });

  test.serial(contract.title('a body is one JSON text in UTF-8, and not empty'), async (t) => {
    const rows: [ErrorCode, Buffer | Buffer[] | undefined][] = [
      ['empty_request_body', undefined],
      ['empty_request_body', Buffer.alloc(0)],
      ['empty_request_body', []],
      ['invalid_json', Buffer.from(' ')],
      ['invalid_json', Buffer.from('{')],
      ['invalid_json', Buffer.from('{}{}')],
      ['invalid_json', Buffer.from("{'a':1}")],
      ['invalid_json', Buffer.from('\ufeff{}')],
      ['invalid_json', Buffer.from('{}\0')],
      ['invalid_json', Buffer.from([0x22, 0xff, 0x22])],
      ['invalid_json', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
      ['invalid_json', Buffer.from('{}', 'utf16le')],
      ['invalid_json', Buffer.alloc(cap, '[')],
      ['unknown_ingest', Buffer.from(' {\r\n}\t')],
      ['unknown_ingest', [Buffer.from('{'), Buffer.from('}')]],
    ];
    for (const [code, body] of rows) {
      const question = body === undefined ? { headers: json } : { headers: json, body };
      contract.refused(t, await contract.ask('POST', cancel, question), code);
    }
  });

  test.serial(
    contract.title('a body of exactly the cap is read, one byte more is refused, announced or not'),
    async (t) => {
      const full = Buffer.alloc(cap, ' ').fill('{}', 0, 2);
      const over = Buffer.alloc(cap + 1, ' ').fill('{}', 0, 2);
      for (const [body, code] of [
        [full, 'unknown_ingest'],
        [over, 'request_body_too_large'],
      ] as const) {
        contract.refused(t, await contract.ask('POST', cancel, { headers: json, body }), code);
        const chunks = [body.subarray(0, 40_000), body.subarray(40_000)];
        contract.refused(t, await contract.ask('POST', cancel, { headers: json, body: chunks }), code);
      }
    },
  );

  test.serial(contract.title('a closed object takes no other key, and a refusal stays short'), async (t) => {
    const long = 'k'.repeat(60_000);
    const wrong = [null, [], 'text', 1, true, { a: 1 }, { [long]: 1 }, { 'line\nbreak': 1 }];
    for (const value of wrong) {
      contract.refused(t, await contract.post(cancel, value), 'invalid_ingest_request');
      contract.refused(t, await contract.post('/v1/owned-media-ingests', value), 'invalid_ingest_request');
      contract.refused(t, await contract.post('/v1/runtime-plans', value), 'invalid_start_request');
    }
    const body = Buffer.from('{"__proto__":{}}');
    contract.refused(t, await contract.ask('POST', cancel, { headers: json, body }), 'invalid_ingest_request');
  });

  test.serial(
    contract.title('a refusal before the body leaves the connection open for the next request'),
    async (t) => {
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
    },
  );
}

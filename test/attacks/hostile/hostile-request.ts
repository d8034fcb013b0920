import type { OutgoingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import type { Operation, ReadableDocument } from '../../../scripts/docs/openapi/read-document.ts';
import { bytesOf, mutated } from './json-mutation.ts';

/** A request as a client could send it that means harm, or was written by someone who has not read the description. */
export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: OutgoingHttpHeaders;
  readonly token: string | null;
  readonly body: Buffer | undefined;
}

/** Real ids of the host under test, so that a request can come close to a good one. */
export interface Known {
  readonly port: number;
  readonly token: string;
  readonly origin: string;
  /** Names of path parameters, and ids that the host has for them. */
  readonly ids: Readonly<Record<string, readonly string[]>>;
}

// Requests that an adapter's parser drops, such as those of unknown methods, have tests of their own.
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'];

// The client library rejects anything else before it is sent.
const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const encoded = fc.string({ unit: 'grapheme', maxLength: 24 }).map((text) => encodeURIComponent(text.toWellFormed()));
const oddParts = ['', '.', '..', '%2e%2e', '%00', '%ff', '%', '%zz', '%2F', '%E2%80%AE', 'a'.repeat(9_000), '*', '~'];
const oddNumbers = ['0', '-0', '-1', '1', '01', '1e3', '1.5', '0x10', '9007199254740993', '1e999', 'NaN', ' 1', ''];

const part = (known: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: known.length === 0 ? encoded : fc.constantFrom(...known).map(encodeURIComponent) },
    encoded,
    fc.constantFrom(...oddParts),
    visible.map((text) => text.replaceAll(/[?#/]/g, '')),
  );

const query = (operation: Operation): fc.Arbitrary<string> => {
  const names = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const name = names.length === 0 ? encoded : fc.oneof(fc.constantFrom(...names), encoded);
  const value = fc.oneof(fc.constantFrom(...oddNumbers, ...oddParts), encoded, fc.nat().map(String));
  const pair = fc.tuple(name, value).map(([key, each]) => `${key}=${each}`);
  // A long poll that is granted would hold each request for seconds.
  const pairs = fc.array(pair, { maxLength: 4 }).map((all) => all.filter((each) => !/^wait=\d{3}/.test(each)));
  return fc.oneof(
    fc.constant(''),
    pairs.map((all) => (all.length === 0 ? '' : `?${all.join('&')}`)),
    fc.constantFrom('?', '?&', '?=', '?a', '?%zz=1', '?a=1#b'),
  );
};

const target = (template: string, operation: Operation, { ids }: Known): fc.Arbitrary<string> => {
  const parts = template.split('/').map((each) => {
    const name = /\{(\w+)\}/.exec(each)?.[1];
    if (name === undefined) return fc.constant(each);
    const examples = operation.parameters.filter((one) => one.name === name).map(({ example }) => String(example));
    return part([...(ids[name] ?? []), ...examples]).map((value) => each.replace(`{${name}}`, value));
  });
  return fc.tuple(fc.tuple(...parts), query(operation)).map(([path, asked]) => `${path.join('/')}${asked}`);
};

const field = (values: readonly (string | undefined)[]): fc.Arbitrary<string | undefined> =>
  fc.oneof({ weight: 16, arbitrary: fc.constant(undefined) }, fc.constantFrom(...values), visible);

const headers = ({ port, origin }: Known): fc.Arbitrary<OutgoingHttpHeaders> =>
  fc
    .record({
      Host: fc.oneof(
        { weight: 30, arbitrary: fc.constant(`127.0.0.1:${port}`) },
        fc.constantFrom(`localhost:${port}`, `[::1]:${port}`, 'evil.example', `127.0.0.1.evil.example:${port}`, ''),
      ),
      Origin: field([origin, 'null', 'http://evil.example', `${origin}/`, origin.toUpperCase()]),
      'Content-Type': fc.oneof(
        { weight: 6, arbitrary: fc.constant('application/json') },
        fc.constantFrom(
          'text/plain',
          'application/json; charset=utf-16',
          'multipart/form-data',
          'APPLICATION/JSON',
          '',
        ),
      ),
      Accept: field(['*/*', 'text/html', 'application/json;q=0', 'application/octet-stream']),
      Range: field([
        'bytes=0-1',
        'bytes=-1',
        'bytes=1-0',
        'bytes=0-,1-',
        `bytes=${'0-1,'.repeat(400)}2-3`,
        'lines=1-2',
      ]),
      'If-None-Match': field(['*', '""', 'W/"a"', '"a", "b"']),
      'Content-Encoding': field(['gzip', 'identity', 'br']),
      'X-Forwarded-Host': field(['evil.example']),
      'X-HTTP-Method-Override': field(['DELETE']),
      Cookie: field(['a=b']),
      'Last-Event-ID': field(['1', '-1', '1e9']),
    })
    .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));

/** Requests around one operation of the description. */
function around(template: string, method: string, operation: Operation, known: Known): fc.Arbitrary<HostileRequest> {
  const example = operation.requestBody?.content['application/json']?.example;
  const body =
    example === undefined
      ? fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, bytesOf(fc.jsonValue()))
      : bytesOf(mutated(example));
  return fc.record({
    method: fc.oneof({ weight: 8, arbitrary: fc.constant(method.toUpperCase()) }, fc.constantFrom(...methods)),
    target: target(template, operation, known),
    headers: headers(known),
    token: fc.oneof(
      { weight: 30, arbitrary: fc.constant<string | null>(known.token) },
      fc.constantFrom(null, '', known.token.slice(1), `${known.token}x`, known.token.toUpperCase()),
    ),
    body,
  });
}

/** A host that restarts has another port if none was given, and no one to attack there. */
const ends = '/v1/host-restarts';

/** Requests around all operations of the description but the restart, in equal parts. */
export function hostileRequest(document: ReadableDocument, known: Known): fc.Arbitrary<HostileRequest> {
  const all = Object.entries(document.paths)
    .filter(([template]) => template !== ends)
    .flatMap(([template, operations]) =>
      Object.entries(operations).map(([method, operation]) => around(template, method, operation, known)),
    );
  return fc.oneof(...all);
}

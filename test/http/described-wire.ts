import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js';
import { type Operation, type ReadableDocument, readableDocument } from '../../scripts/docs/openapi/read-document.ts';
import type { Question, WireAnswer } from '../host/wire-question.ts';
import { schemaValidator } from '../json-schemas.ts';

const path = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

/** Headers that the server libraries add, and those of every body. */
const transportFields = [
  ...['connection', 'keep-alive', 'date', 'uwebsockets', 'transfer-encoding'],
  ...['content-type', 'content-length'],
];

/** The codes that a request can be refused with before its operation is found. */
const foundNothing = [
  ...['not_found', 'method_not_allowed', 'host_not_allowed', 'origin_not_allowed', 'origin_required', 'unauthorized'],
  ...['invalid_target', 'invalid_identity', 'unknown_query', 'videohost_local_ingest_unavailable'],
];

/** The fields in which a POST may name another method. */
const overridingFields = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'];

interface Found {
  /** The place of the operation in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

/** Holds the answers of a host against the description that is committed: their status, head, code and body. */
export class DescribedWire {
  readonly #document: ReadableDocument;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  private constructor(document: unknown) {
    this.#document = readableDocument.parse(document);
    this.#ajv = schemaValidator({ validateSchema: false, logger: false });
    this.#ajv.addSchema(document as object, 'wire');
  }

  static async read(): Promise<DescribedWire> {
    return new DescribedWire(JSON.parse(await readFile(path, 'utf8')));
  }

  /** Throws for an answer that the description does not have. */
  check(method: string, target: string, question: Question, answer: WireAnswer): void {
    const fault = this.#fault(method, target, question, answer);
    if (fault === null) return;
    throw new Error(`${method} ${target} ${answer.status}: ${fault}; got ${answer.body.toString('utf8', 0, 500)}`);
  }

  #fault(method: string, target: string, question: Question, answer: WireAnswer): string | null {
    const found = this.#find(method, target.split('?', 1)[0] ?? '', question);
    if (found === null) return faultOfNothing(method, answer);
    const { pointer, operation } = found;
    const described = operation.responses[String(answer.status)];
    if (described === undefined) return 'the operation has no such status';
    const place = '$ref' in described ? String(described.$ref).slice(1) : `${pointer}/responses/${answer.status}`;
    return (
      this.#faultOfHead(place, answer) ??
      (method === 'HEAD' ? null : this.#faultOfBody(place, answer)) ??
      (answer.status < 400 ? this.#faultOfRequest(found, target, question) : null)
    );
  }

  #find(method: string, target: string, { headers = {} }: Question): Found | null {
    for (const [template, operations] of Object.entries(this.#document.paths)) {
      const pattern = template.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
      const match = new RegExp(`^${pattern}$`).exec(target);
      if (match === null) continue;
      const named = overridingFields.map((field) => headers[field]).find((value) => value !== undefined);
      const override = method === 'POST' ? named : undefined;
      if (override !== undefined && override !== 'POST' && !isOfTus(operations)) return null;
      const meant = String(override ?? method).toLowerCase();
      const wanted = meant === 'head' && operations.head === undefined ? 'get' : meant;
      const operation = operations[wanted];
      if (operation === undefined) continue;
      return { pointer: `/paths/${escaped(template)}/${wanted}`, operation, params: match.groups ?? {} };
    }
    return null;
  }

  #faultOfHead(place: string, { headers }: WireAnswer): string | null {
    const described = at(this.#document, `${place}/headers`) as Record<string, unknown>;
    const known = new Set(Object.keys(described).map((name) => name.toLowerCase()));
    const stray = Object.keys(headers).filter((name) => !known.has(name) && !transportFields.includes(name));
    if (stray.length > 0) return `the head has fields that are not described: ${stray}`;
    for (const name of Object.keys(described)) {
      const value = headers[name.toLowerCase()];
      const fault = value === undefined ? null : this.#faultAt(`/components/headers/${name}/schema`, String(value));
      if (fault !== null) return `${name} ${fault}`;
    }
    return null;
  }

  #faultOfBody(place: string, { status, headers, body }: WireAnswer): string | null {
    if (status === 304) return body.length === 0 ? null : 'the answer has a body';
    const type = (headers['content-type'] ?? '').split(';', 1)[0] ?? '';
    const content = at(this.#document, `${place}/content`) as Record<string, unknown> | undefined;
    if (content === undefined) return body.length === 0 ? null : 'a body is not described';
    if (content[type] === undefined) return `the body is ${type}`;
    if (type !== 'application/json') return null;
    return this.#faultAt(`${place}/content/${escaped(type)}/schema`, JSON.parse(body.toString('utf8')));
  }

  /** Granted requests have to fit the description too: a client that follows it must be able to send them. */
  #faultOfRequest({ pointer, operation, params }: Found, target: string, { json }: Question): string | null {
    for (const [index, { name, in: place }] of operation.parameters.entries()) {
      const value = params[name];
      if (place !== 'path' || value === undefined) continue;
      const fault = this.#faultAt(`${pointer}/parameters/${index}/schema`, decodeURIComponent(value));
      if (fault !== null) return `the path's ${name} ${fault}`;
    }
    const keys = operation.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
    const stray = [...new URL(target, 'http://host').searchParams.keys()].filter((key) => !keys.includes(key));
    if (stray.length > 0) return `the query has keys that are not described: ${stray}`;
    if (json === undefined) return null;
    const fault = this.#faultAt(`${pointer}/requestBody/content/${escaped('application/json')}/schema`, json);
    return fault === null ? null : `the body of the request ${fault}`;
  }

  #faultAt(pointer: string, value: unknown): string | null {
    const reference = `wire#${encodeURI(pointer)}`;
    const validate = this.#validators.get(reference) ?? this.#ajv.compile({ $ref: reference });
    this.#validators.set(reference, validate);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors, { dataVar: 'value' });
  }
}

/** True if a path takes the method that a POST names in a field. */
const isOfTus = (operations: Readonly<Record<string, Operation>>): boolean =>
  Object.values(operations).some(({ parameters }) => parameters.some(({ name }) => name === 'Tus-Resumable'));

function faultOfNothing(method: string, { status, body }: WireAnswer): string | null {
  if (method === 'OPTIONS' && status === 204) return null;
  if (method === 'HEAD' && status >= 400) return null;
  const { code } = JSON.parse(body.toString('utf8')).error ?? {};
  return foundNothing.includes(code) ? null : 'no operation has this method and path';
}

const escaped = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** The value at a JSON pointer. */
const at = (document: object, pointer: string): unknown =>
  pointer
    .slice(1)
    .split('/')
    .reduce<unknown>(
      (value, part) => (value as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );

import { createConfig, lintFromString } from '@redocly/openapi-core';
import test from 'ava';
import { errorCodes, reservedErrorCodes } from '../../contract/base/errors.ts';
import { features } from '../../features/features.ts';
import { allowedMethods, endpointsOf } from '../../http/exchange/route.ts';
import { breakingChanges } from '../../scripts/docs/openapi/breaking-changes.ts';
import { describedRoutes } from '../../scripts/docs/openapi/document.ts';
import type { Json } from '../../scripts/docs/openapi/json.ts';
import { type Operation, readableDocument, responseOf } from '../../scripts/docs/openapi/read-document.ts';
import { absentCodes, codesOfFeatures } from '../features/codes.ts';
import { schemaValidator } from '../json-schemas.ts';
import { textOf } from './markdown.ts';

const source = await textOf('docs/openapi.json');
const document = readableDocument.parse(JSON.parse(source));

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

test('the description has no fault that a linter finds', async (t) => {
  // A test below holds each example against its schema, and finds what this rule finds in half of the time.
  const rules = { 'no-invalid-media-type-examples': 'off' } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  t.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
    [],
  );
});

test('every route of the table is described with its methods, and none besides', (t) => {
  const described = operations.map(({ path, method }) => `${method} ${path}`);
  const routes = describedRoutes().flatMap((route) =>
    allowedMethods(route)
      .split(', ')
      .filter((method) => method !== 'OPTIONS' && (method !== 'HEAD' || route.HEAD !== undefined))
      .map((method) => `${method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`),
  );
  t.deepEqual(described.sort(), routes.sort());
});

const codesOf = ({ responses }: Operation): string[] =>
  Object.values(responses).flatMap((answer) =>
    [...responseOf(document, answer).description.matchAll(/^`(\w+)`: /gm)].map(([, code = '']) => code),
  );

test('every code that is sent is described for the operations that may end with it', (t) => {
  const described = new Set(operations.flatMap(({ operation }) => codesOf(operation)));
  // The introduction covers all paths: this is about methods without an operation.
  const elsewhere = ['method_not_allowed', 'owned_ingest_unavailable', ...reservedErrorCodes];
  t.deepEqual(
    Object.keys(errorCodes).filter((code) => !described.has(code)),
    Object.keys(errorCodes).filter((code) => elsewhere.includes(code) || absentCodes.has(code)),
  );
});

const refusalsOf = (routes: ReturnType<typeof describedRoutes>): Set<string> =>
  new Set(routes.flatMap((route) => endpointsOf(route).flatMap(([, { description }]) => description.refusals)));

test('the codes of a feature are those that only its paths send', (t) => {
  const whole = refusalsOf(describedRoutes());
  const codes = features.map((feature) => {
    const without = refusalsOf(describedRoutes(features.filter((each) => each !== feature)));
    return [feature.name, Object.keys(errorCodes).filter((code) => whole.has(code) && !without.has(code))] as const;
  });
  t.deepEqual(
    codes,
    features.map(({ name }) => [name, codesOfFeatures[name] ?? []]),
  );
});

/** Operations without an example from a run, and the reasons. */
const withoutExample: Readonly<Record<string, string>> = {
  checkCaptions: 'captions are checked at once, and a check that is missing takes a crash',
  readOwnedUpload: 'the answer is a head alone',
  sendOwnedUploadPart: 'the answer is a head alone',
  endOwnedUpload: 'the answer is a head alone',
  readEvidenceObject: 'a picture is bytes',
  readCaptionChunk: 'the captions of the sample are within one record',
  readBundle: 'an archive is bytes',
  readPrivateMedia: 'media is bytes',
  followEvents: 'it ends with its client',
  readDescription: 'it would hold itself',
  collectGarbage: 'what it finds differs from run to run',
  readDiskUse: 'what is measured differs from run to run',
  readHostChecks: 'it says what this machine has',
  readMetrics: 'what is measured differs from run to run',
  proposeScriptAlignment: 'the speech of the sample is not recognized',
  alignScript: 'the speech of the sample is not recognized',
  listEngines: 'it estimates the speed of this machine',
  beginEngineWork: 'it starts a command that fetches files',
  stopEngineWork: 'it estimates the speed of this machine',
  proposeSubtitleFix: 'the sample is too short to prove that subtitles are off',
  fixSubtitles: 'the sample is too short to prove that subtitles are off',
};

test('every operation shows an exchange of a real run, and each fits its schema', (t) => {
  const ajv = schemaValidator({ validateSchema: false, logger: false });
  ajv.addSchema(document, 'wire');
  const shown = operations.flatMap(({ path, method, operation }) => {
    const place = `/paths/${path.replaceAll('/', '~1')}/${method.toLowerCase()}`;
    const contents = Object.entries(operation.responses).flatMap(([status, answer]) => {
      const pointer = '$ref' in answer ? String(answer.$ref).slice(1) : `${place}/responses/${status}`;
      return Object.entries(responseOf(document, answer).content ?? {}).map((each) => [pointer, ...each] as const);
    });
    const bodies = Object.entries(operation.requestBody?.content ?? {});
    const all = [...contents, ...bodies.map((each) => [`${place}/requestBody`, ...each] as const)];
    for (const [pointer, type, { example, examples = {} }] of all) {
      const values = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ];
      const schema = `${pointer}/content/${type.replace('/', '~1')}/schema`;
      for (const value of values) {
        const validate = ajv.compile({ $ref: `wire#${encodeURI(schema)}` });
        t.true(validate(value), `${pointer}: ${ajv.errorsText(validate.errors)}`);
      }
    }
    return contents.some(([, , { example }]) => example !== undefined) ? [operation.operationId] : [];
  });
  t.deepEqual(
    operations.map(({ operation }) => operation.operationId).filter((id) => !shown.includes(id)),
    operations.map(({ operation }) => operation.operationId).filter((id) => id in withoutExample),
  );
});

const object = (properties: Json, required = Object.keys(properties)): Json => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

const text = { type: 'string' };
const inJson = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

/** A wire with one operation that takes and answers this. */
const wire = (request: Json, answer: Json, operation: Json = {}): Json => ({
  paths: {
    '/v1/things': { post: { requestBody: inJson(request), responses: { 200: inJson(answer), 404: {} }, ...operation } },
  },
  components: {
    schemas: { Words: { oneOf: [object({ kind: { const: 'word' } }), object({ kind: { const: 'line' } })] } },
  },
});

const place = 'POST /v1/things';
const none = object({});
const request = (schema: Json): Json => wire(schema, none);
const answer = (schema: Json): Json => wire(none, schema);

test('an operation, a status, a field or a kind of body that is gone breaks clients', (t) => {
  const released = wire(object({ a: text, b: text }, []), object({ c: text, d: text }));
  t.deepEqual(breakingChanges(released, { paths: {} }), [`${place}: is gone`]);
  t.deepEqual(breakingChanges(released, wire(object({ a: text }, []), object({ c: text }))), [
    `${place} request.b: is gone`,
    `${place} 200.d: is gone`,
  ]);
  const moved = { responses: { 201: inJson(none) }, requestBody: { content: { 'text/plain': {} } } };
  t.deepEqual(breakingChanges(released, wire(none, none, moved)), [
    `${place} request: application/json is not taken any more`,
    `${place} 200: is gone`,
    `${place} 404: is gone`,
  ]);
});

test('what clients send must stay good: nothing new is required, and nothing is narrower', (t) => {
  const released = request(object({ a: text, n: { type: 'integer', maximum: 9 }, k: { enum: ['x', 'y'] } }, ['a']));
  const narrowed = request(
    object({ a: { ...text, pattern: '^x' }, n: { type: 'integer', maximum: 8 }, k: { enum: ['x'] }, z: text }, [
      'a',
      'z',
    ]),
  );
  t.deepEqual(breakingChanges(released, narrowed), [
    `${place} request.z: is required now`,
    `${place} request.a: a value of another pattern is not taken any more`,
    `${place} request.n: a value of another maximum is not taken any more`,
    `${place} request.k: y is not taken any more`,
  ]);
  // The other way round everything is wider, but for a field that was taken.
  t.deepEqual(breakingChanges(narrowed, released), [`${place} request.z: is gone`]);
});

test('answers to clients must stay within their description: nothing missing or wider', (t) => {
  const released = answer(object({ a: text, n: { type: 'integer' }, k: { const: 'x' } }));
  const widened = answer(
    object({ a: { anyOf: [text, { type: 'null' }] }, n: { type: 'number' }, k: { enum: ['x', 'y'] } }, []),
  );
  t.deepEqual(breakingChanges(released, widened), [
    `${place} 200.a: may be missing now`,
    `${place} 200.n: may be missing now`,
    `${place} 200.k: may be missing now`,
    `${place} 200.a: another kind of value may come now`,
    `${place} 200.n: a value of type number may come now`,
    `${place} 200.k: y may come now`,
  ]);
});

test('alternatives are compared with those of the same kind, behind references and in lists', (t) => {
  const list = { type: 'array', items: { $ref: '#/components/schemas/Words' } };
  const released = answer(list);
  const current = answer(list);
  t.deepEqual(breakingChanges(released, current), []);
  const [word, line] = [object({ kind: { const: 'word' } }), object({ kind: { const: 'line' }, long: text }, ['kind'])];
  t.deepEqual(
    breakingChanges(released, { ...current, components: { schemas: { Words: { oneOf: [word, line] } } } }),
    [],
  );
  const page = object({ kind: { const: 'page' } });
  t.deepEqual(breakingChanges(released, { ...current, components: { schemas: { Words: { oneOf: [word, page] } } } }), [
    `${place} 200[]: another kind of value may come now`,
  ]);
});

test('parameters may be added if they are optional', (t) => {
  const parameter = (name: string, required: boolean) => ({ name, in: 'query', required, schema: text });
  const with1 = (...parameters: Json[]) => wire(none, none, { parameters });
  t.deepEqual(breakingChanges(with1(parameter('a', false)), with1(parameter('b', true))), [
    `${place} query a: is gone`,
    `${place} query b: is required now`,
  ]);
  t.deepEqual(breakingChanges(with1(parameter('a', true)), with1(parameter('a', false), parameter('b', false))), []);
});

test('new operations, new optional fields, wider requests and narrower answers break no client', (t) => {
  const released = wire(object({ a: { enum: ['x'] } }), object({ b: { enum: ['x', 'y'] } }));
  const current = wire(
    object({ a: { enum: ['x', 'y'] }, more: text }, ['a']),
    object({ b: { enum: ['x'] }, more: text }),
  );
  const paths = { ...(current.paths as Json), '/v1/others': { get: { responses: {} } } };
  t.deepEqual(breakingChanges(released, { ...current, paths }), []);
});

test('the wire breaks no client of the last release, except in approved lines', async (t) => {
  const released: Json = JSON.parse(await textOf('fixtures/released-wire/openapi.json'));
  const current: Json = JSON.parse(await textOf('docs/openapi.json'));
  const paths = released.paths as Readonly<Record<string, Json>>;
  // A line begins with its operation. A program without a feature has none of its operations.
  const isHere = (line: string): boolean => {
    const [method = '', path = ''] = line.split(' ');
    return paths[path]?.[method.toLowerCase()] !== undefined;
  };
  const approved = (await textOf('fixtures/released-wire/approved.txt')).split('\n').filter(isHere);
  t.deepEqual(breakingChanges(released, current), approved);
});

import test from 'ava';
import { breakingChanges } from '../../scripts/docs/openapi/breaking-changes.ts';
import type { Json } from '../../scripts/docs/openapi/json.ts';
import { textOf } from './markdown.ts';

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

test('what clients get must stay what they were told: nothing may be missing, and nothing is wider', (t) => {
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

test('parameters may be added where they are optional', (t) => {
  const parameter = (name: string, required: boolean) => ({ name, in: 'query', required, schema: text });
  const with1 = (...parameters: Json[]) => wire(none, none, { parameters });
  t.deepEqual(breakingChanges(with1(parameter('a', false)), with1(parameter('b', true))), [
    `${place} query a: is gone`,
    `${place} query b: is required now`,
  ]);
  t.deepEqual(breakingChanges(with1(parameter('a', true)), with1(parameter('a', false), parameter('b', false))), []);
});

test('new operations, new optional fields, wider requests and narrower answers break nobody', (t) => {
  const released = wire(object({ a: { enum: ['x'] } }), object({ b: { enum: ['x', 'y'] } }));
  const current = wire(
    object({ a: { enum: ['x', 'y'] }, more: text }, ['a']),
    object({ b: { enum: ['x'] }, more: text }),
  );
  const paths = { ...(current.paths as Json), '/v1/others': { get: { responses: {} } } };
  t.deepEqual(breakingChanges(released, { ...current, paths }), []);
});

test('the wire breaks no client of the last release, but where an approved line says so', async (t) => {
  const released: Json = JSON.parse(await textOf('fixtures/released-wire/openapi.json'));
  const current: Json = JSON.parse(await textOf('docs/openapi.json'));
  const approved = (await textOf('fixtures/released-wire/approved.txt')).split('\n').filter((line) => line !== '');
  t.deepEqual(breakingChanges(released, current), approved);
});

import test from 'ava';
import type { Question, WireAnswer } from '../host/wire-question.ts';
import { DescribedWire } from './described-wire.ts';

const wire = await DescribedWire.read();
const runtime = '/v1/runtimes/runtime:00000000-0000-4000-8000-000000000000';

const answer = (status: number, body: object, headers: WireAnswer['headers'] = {}): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});

const refusal = (code: string): object => ({
  schema: 'studio.local-runtime-error.v1',
  error: { code, message: 'No.' },
});
const sources = { schema: 'studio.local-source-session-list.v1', sourceSessions: [] };

const check = (method: string, target: string, given: WireAnswer, question: Question = {}) =>
  wire.check(method, target, question, given);

test('an answer that is described passes, granted or refused', (t) => {
  t.notThrows(() => check('GET', '/v1/source-sessions', answer(200, sources)));
  t.notThrows(() => check('GET', runtime, answer(404, refusal('unknown_runtime'))));
  t.notThrows(() => check('HEAD', runtime, { ...answer(404, {}), body: Buffer.alloc(0) }));
  t.notThrows(() => check('PUT', runtime, answer(405, refusal('method_not_allowed'))));
  t.notThrows(() => check('GET', '/v1/nothing', answer(404, refusal('not_found'))));
});

test('an answer is refused for its status, its head, its type, its body or its code', (t) => {
  const refused = (given: WireAnswer, message: RegExp, target = '/v1/source-sessions') =>
    t.throws(() => check('GET', target, given), { message });
  refused(answer(201, sources), /no such status/);
  refused(answer(200, sources, { etag: '"1"' }), /fields that are not described: etag/);
  refused(answer(200, sources, { 'content-type': 'text/plain' }), /the body is text\/plain/);
  refused(answer(200, { ...sources, more: 1 }), /must NOT have additional properties/);
  refused(answer(200, { ...sources, sourceSessions: [{}] }), /must have required property/);
  refused(answer(404, refusal('unknown_ingest')), /must be equal to one of/, runtime);
  refused(answer(409, refusal('cursor_past_head')), /must be equal to one of/, runtime);
  refused(answer(404, refusal('unknown_runtime')), /no operation/, '/v1/nothing');
  const head = { 'studio-journal-head': '7', 'access-control-expose-headers': 'Studio-Journal-Head' };
  refused(answer(200, {}, head), /Studio-Journal-Head .*pattern/, runtime);
});

test('a request that was granted must be one that the description allows', (t) => {
  const refused = (target: string, message: RegExp) =>
    t.throws(() => check('GET', target, answer(200, sources)), { message });
  refused('/v1/source-sessions?page=1', /keys that are not described: page/);
  const opened = {
    schema: 'studio.owned-media-ingest.v1',
    ingestId: 'owned-ingest:00000000-0000-4000-8000-000000000000',
    status: 'queued',
    updatedAt: '2026-01-02T03:04:05.678Z',
    source: null,
    failure: null,
  };
  const post = (json: unknown) => check('POST', '/v1/owned-media-ingests', answer(202, opened), { json });
  t.throws(() => post({ filename: 'a.wav' }), { message: /the body of the request .*required/ });
  const rights = { rightsScope: 'local_processing', ownershipAttested: true, rightsHolder: 'Me' };
  t.notThrows(() => post({ filename: 'a.wav', declaredBytes: 5, label: 'A', ...rights }));
});

import test from 'ava';
import {
  type EngineChoices,
  noEngines,
  noPermissions,
  type Translations,
} from '../../../actors/engines/engine-choices.ts';
import { engineIdleMs } from '../../../actors/engines/engine-registry.ts';
import {
  RecognitionFailure,
  type Recognizer,
  RecognizerUnavailable,
} from '../../../executors/recognition/recognizer.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';
import { namedRecognizer, namedTranslator, registryOf } from './named-engines.ts';

const provider = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: null, isLocal: true };
const identity = { model: 'small', promptContentId: 'sha256:1', configurationContentId: 'sha256:2' };

const silence = { samples: Buffer.alloc(0), language: null };
const { signal } = new AbortController();

function bench() {
  const clock = new SimulatedClock(1_000);
  const opened: string[] = [];
  const state = { isCurrent: true, failure: null as Error | null, opening: null as Error | null };
  const recognizerOf = (model: string): Recognizer => ({
    engine: 'whisper-cli',
    tools: [{ name: 'whisper-model', version: model, digest: `sha256:${'0'.repeat(64)}` }],
    parameters: {},
    languages: null,
    wordTimes: 'none',
    isCurrent: async () => state.isCurrent,
    recognize: async () => {
      if (state.failure !== null) throw state.failure;
      return { language: null, lines: [] };
    },
  });
  const translations: Translations = {
    identity,
    isAbsent: async () => false,
    translated: async (job) => ({ job, writes: [] }),
  };
  const whisper = (model: string): EngineChoices => ({
    ...noEngines,
    recognizer: namedRecognizer({
      engine: 'whisper-cli',
      model,
      open: async () => {
        opened.push(model);
        if (state.opening !== null) throw state.opening;
        return recognizerOf(model);
      },
    }),
  });
  const translating = (isAskedOnce: boolean): EngineChoices => ({
    ...noEngines,
    translator: namedTranslator({
      provider,
      model: 'small',
      settings: { isAskedOnce },
      open: async () => {
        opened.push('small');
        return translations;
      },
    }),
  });
  return {
    clock,
    opened,
    state,
    whisper,
    translating,
    registry: (choices: EngineChoices) => registryOf(choices, clock),
  };
}

test('an engine is opened by its first use, once for all who ask meanwhile', async (t) => {
  const { registry, whisper, opened } = bench();
  const engines = registry(whisper('/a'));
  t.deepEqual(opened, []);
  t.like(engines.recognizerRecord, { place: 'whisper-cli', model: '/a', tools: [], last: null });
  const found = await Promise.all([engines.recognizer(), engines.recognizer()]);
  t.is(found[0], found[1]);
  t.is(await engines.recognizer(), found[0]);
  t.deepEqual(opened, ['/a']);
  t.like(engines.recognizerRecord, { tools: found[0].tools, last: null });
});

test('an engine is forgotten after a while without use, and its uses keep it', async (t) => {
  const { registry, whisper, clock, opened } = bench();
  const engines = registry(whisper('/a'));
  const recognizer = await engines.recognizer();
  clock.advance(engineIdleMs - 1);
  await recognizer.recognize(silence, signal);
  clock.advance(engineIdleMs - 1);
  await engines.recognizer();
  t.deepEqual(opened, ['/a']);
  clock.advance(1);
  await engines.recognizer();
  t.deepEqual(opened, ['/a', '/a']);
  engines.close();
  t.is(clock.pending, 0);
});

test('a change of the choice opens another engine, and users of the one before go on with it', async (t) => {
  const { registry, whisper, opened } = bench();
  const engines = registry(whisper('/a'));
  const before = await engines.recognizer();
  engines.use({ ...whisper('/a'), permissions: { ...noPermissions, recognition: true } });
  t.is(await engines.recognizer(), before);
  engines.use(whisper('/b'));
  t.like(engines.recognizerRecord, { model: '/b', tools: [] });
  t.not(await engines.recognizer(), before);
  t.deepEqual(opened, ['/a', '/b']);
  await t.notThrowsAsync(before.recognize(silence, signal));
  t.is(engines.recognizerRecord?.last, null);
  engines.use(noEngines);
  t.is(engines.recognizerRecord, null);
  await t.throwsAsync(engines.recognizer(), { instanceOf: RecognizerUnavailable });
});

test('an engine that cannot be opened says why in its record, and the next use tries it again', async (t) => {
  const { registry, whisper, opened, state } = bench();
  const engines = registry(whisper('/a'));
  state.opening = new RecognizerUnavailable('whisper-cli is not on PATH');
  await t.throwsAsync(engines.recognizer(), { message: /not on PATH/ });
  t.is(engines.recognizerRecord?.last?.failure, 'recognizer_unavailable: whisper-cli is not on PATH');
  state.opening = null;
  await t.notThrowsAsync(engines.recognizer());
  t.deepEqual(opened, ['/a', '/a']);
  t.is(engines.recognizerRecord?.last, null);
});

test('a record has the result of the last use, and a use that was given up is not noted', async (t) => {
  const { registry, whisper, clock, state } = bench();
  const engines = registry(whisper('/a'));
  const recognizer = await engines.recognizer();
  clock.advance(5);
  state.failure = new RecognitionFailure('http_401', 'the server refused the request');
  await t.throwsAsync(recognizer.recognize(silence, AbortSignal.abort()));
  t.is(engines.recognizerRecord?.last, null);
  await t.throwsAsync(recognizer.recognize(silence, signal), { instanceOf: RecognitionFailure });
  const refused = { atMs: 1_005, failure: 'http_401: the server refused the request' };
  t.deepEqual(engines.recognizerRecord?.last, refused);
  clock.advance(engineIdleMs);
  const again = await engines.recognizer();
  t.deepEqual(engines.recognizerRecord?.last, refused, 'an opening asks no server');
  state.failure = null;
  await again.recognize(silence, signal);
  t.is(engines.recognizerRecord?.last?.failure, null);
});

test('a recognizer whose files changed is opened again', async (t) => {
  const { registry, whisper, opened, state } = bench();
  const engines = registry(whisper('/a'));
  await engines.recognizer();
  state.isCurrent = false;
  await engines.recognizer();
  t.deepEqual(opened, ['/a', '/a']);
});

test('a translator is another one if its server, its model or its questions are', async (t) => {
  const { registry, translating, opened } = bench();
  const engines = registry(translating(false));
  await engines.translator();
  engines.use(translating(false));
  t.is((await engines.translator())?.identity, identity);
  t.deepEqual(opened, ['small']);
  engines.use(translating(true));
  await engines.translator();
  t.deepEqual(opened, ['small', 'small']);
  engines.use(noEngines);
  t.is(await engines.translator(), null);
});

test('bug: a server whose permission was withdrawn got the rest of the sound and the text of work under way', async (t) => {
  const permissions = { ...noPermissions, recognition: true, servers: [provider.baseUrl] };
  const ended: string[] = [];
  const untilAborted = (what: string, under: AbortSignal) =>
    new Promise<never>((_, reject) => {
      under.addEventListener('abort', () => {
        ended.push(what);
        reject(under.reason);
      });
    });
  const recognizer = namedRecognizer({
    engine: 'openai',
    provider,
    model: 'small',
    open: async () => ({
      engine: 'openai',
      tools: [{ name: 'server', version: '1', digest: `sha256:${'0'.repeat(64)}` }],
      parameters: {},
      languages: null,
      wordTimes: 'none',
      recognize: (_, under) => untilAborted('sound', under),
    }),
  });
  const translator = namedTranslator({
    provider,
    open: async () => ({
      identity,
      isAbsent: async () => false,
      translated: (_, under) => untilAborted('text', under),
    }),
  });
  const permitted: EngineChoices = { ...noEngines, recognizer, translator, permissions };
  const engines = registryOf(permitted, new SimulatedClock(1_000));
  const [recognizing, translating] = [await engines.recognizer(), await engines.translator()];
  const job = {} as Parameters<Translations['translated']>[0];
  const work = [recognizing.recognize(silence, signal), translating?.translated(job, signal)];
  const refusals = Promise.allSettled(work);
  // Another model of a permitted server: what has begun goes on.
  engines.use({ ...permitted, recognizer: { ...recognizer, model: 'large' } });
  t.deepEqual(ended, []);
  engines.use({ ...permitted, translator: null, permissions: { ...permissions, servers: [] } });
  t.deepEqual(
    (await refusals).map((each) => each.status === 'rejected' && each.reason.message),
    [
      'not_permitted: the permission for this server was withdrawn',
      'translator: not_permitted: the permission for this server was withdrawn',
    ],
  );
  t.deepEqual(ended, ['sound', 'text']);
  await t.throwsAsync(recognizing.recognize(silence, signal), { message: /^not_permitted: / });
  t.is(engines.recognizerRecord?.last, null, 'it says nothing of the server');
});

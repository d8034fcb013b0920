import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { localPrograms, serverProgramAt } from '../../../executors/model-server/server-programs.ts';
import {
  asrWebservice,
  lmStudio,
  ollama,
  openaiSpeech,
  type ProgramBehavior,
  programServer,
  whisperServer,
} from '../../../fixtures/hosted-model/speech-programs.ts';
import { translating } from '../../../fixtures/hosted-model/translating-programs.ts';
import { runCommand } from '../../cli/command.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

async function serving(t: ExecutionContext, behavior: ProgramBehavior) {
  const server = await programServer(behavior);
  t.teardown(server.close);
  return server;
}

/** A data root that no host has had, and the command on it. */
async function onRoot(t: Parameters<typeof scratchFolder>[0]) {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const engines = (...args: readonly string[]) => runCommand(['engines', ...args, '--data-root', root]);
  const settings = async () => JSON.parse(await readFile(join(root, 'settings.json'), 'utf8').catch(() => '{}'));
  const keyFile = async (mode: number, text = 'sk-test-0123456789\n') => {
    const path = join(folder, `key-${mode.toString(8)}`);
    await writeFile(path, text);
    await chmod(path, mode);
    return path;
  };
  return { folder, root, engines, settings, keyFile };
}

test('whisper-server at its own path is added by one command, tried, listed, used and removed', async (t) => {
  const { root, engines, settings } = await onRoot(t);
  const server = await serving(t, whisperServer());
  const added = await engines('add', 'living room', '--server', server.origin, '--json');
  t.is(added.exit, 0, added.stderr);
  t.like(JSON.parse(added.stdout), { use: 'recognizer', program: 'whisper-server', isInUse: true });
  t.like(JSON.parse(added.stdout).selfTest, { wordsRight: 13, hasWords: true, hasTimes: true, hasConfidences: true });
  const used = {
    'semantic-recognizer': 'openai',
    'semantic-recognizer-server': server.origin,
    'semantic-recognizer-model': 'living room',
    'permit-recognition': true,
    'permit-server': [server.origin],
  };
  t.deepEqual(await settings(), used);
  const rows = JSON.parse((await engines('--json')).stdout).engines;
  t.like(rows[0], { name: 'living room', use: 'recognizer', state: 'in_use', hasWords: true });
  t.is(rows.filter(({ use, state }: Record<string, unknown>) => use === 'recognizer' && state === 'in_use').length, 1);
  t.is((await engines('test', 'living room')).exit, 0);
  t.regex((await engines('add', 'living room', '--server', server.origin)).stderr, /^name_taken: /);
  t.is((await engines('remove', 'living room')).exit, 0);
  t.deepEqual(await settings(), {});
  t.false(existsSync(join(root, 'engines/living room')));
});

test('speech and translation have their own server, key and model', async (t) => {
  const { engines, settings, keyFile } = await onRoot(t);
  const key = { value: 'sk-test-0123456789', status: 403 } as const;
  const models = [
    { id: 'Systran/faster-whisper-small', task: 'automatic-speech-recognition' },
    { id: 'speaches-ai/Kokoro-82M', task: 'text-to-speech' },
  ];
  const speaches = await serving(t, openaiSpeech({ models, key }));
  const chat = await serving(
    t,
    translating(ollama({ 'nomic-embed-text:latest': ['embedding'], '千问 3': ['completion', 'tools'] })),
  );
  const path = await keyFile(0o600);
  const speech = await engines('add', 'speech', '--server', speaches.origin, '--key-file', path);
  t.is(speech.exit, 0, speech.stderr);
  const text = await engines('add', 'text', '--server', `${chat.origin}/v1`);
  t.is(text.exit, 0, text.stderr);
  t.deepEqual(await settings(), {
    'semantic-recognizer': 'openai',
    'semantic-recognizer-server': `${speaches.origin}/v1`,
    'semantic-recognizer-key-file': path,
    'semantic-recognizer-model': 'Systran/faster-whisper-small',
    'permit-recognition': true,
    'permit-server': [`${speaches.origin}/v1`, `${chat.origin}/v1`],
    'caption-translation-server': `${chat.origin}/v1`,
    'caption-translation-model': '千问 3',
  });
  t.true(speaches.work().every(({ key: sent }) => sent === 'Bearer sk-test-0123456789'));
  t.true(
    chat.asked.every(({ key: sent }) => sent === undefined),
    'the key of speech is not sent to the other server',
  );
  // Another server without a key takes the place of both settings.
  const plain = await serving(t, whisperServer());
  t.is((await engines('add', 'plain', '--server', plain.origin)).exit, 0);
  t.is((await settings())['semantic-recognizer-key-file'], undefined);
  t.true(plain.asked.every(({ key: sent }) => sent === undefined));
});

test('a key file that others can read is refused before anything is sent', async (t) => {
  const { folder, engines, settings, keyFile } = await onRoot(t);
  const server = await serving(t, openaiSpeech({ models: [{ id: 'whisper-1' }] }));
  await mkdir(join(folder, 'folder'), { mode: 0o700 });
  for (const path of [
    await keyFile(0o644),
    await keyFile(0o640),
    await keyFile(0o400, 'two words'),
    join(folder, 'none'),
    join(folder, 'folder'),
  ]) {
    const { exit, stderr } = await engines('add', 'speech', '--server', server.origin, '--key-file', path);
    t.is(exit, 1, path);
    t.regex(stderr, /^key_file_refused: /);
    t.false(stderr.includes('two words'));
  }
  t.deepEqual(server.asked, []);
  t.deepEqual(await settings(), {});
  const refused = await runCommand([
    ...['settings', 'set', 'semantic-recognizer=openai', 'semantic-recognizer-model=small', 'permit-recognition=true'],
    ...[`semantic-recognizer-server=${server.origin}`, `semantic-recognizer-key-file=${await keyFile(0o644)}`],
    ...['--data-root', join(folder, 'root')],
  ]);
  t.regex(refused.stderr, /nothing was changed: .*mode 0600/);
});

test('a server that refuses a key with 401 or 403 says so, and what to do', async (t) => {
  const { engines, keyFile } = await onRoot(t);
  for (const status of [401, 403] as const) {
    const server = await serving(t, openaiSpeech({ models: [{ id: 'whisper-1' }], key: { value: 'other', status } }));
    const without = await engines('add', 'speech', '--server', server.origin);
    t.regex(without.stderr, /^key_refused: .* wants a key \(status 40[13]\); .*--key-file/);
    const wrong = await engines('add', 'speech', '--server', server.origin, '--key-file', await keyFile(0o600));
    t.regex(wrong.stderr, /^key_refused: .* refuses the key in /);
    t.deepEqual(server.work(), []);
  }
});

test('a model without times is added, also one whose server fails at the verbose format', async (t) => {
  for (const status of [400, 500]) {
    const { engines } = await onRoot(t);
    const refusesVerbose = () => ({ status, body: 'Internal Server Error' });
    const server = await serving(t, openaiSpeech({ models: [{ id: 'nvidia/parakeet-tdt-0.6b-v3' }], refusesVerbose }));
    const added = await engines('add', 'parakeet', '--server', server.origin, '--json');
    t.is(added.exit, 0, added.stderr);
    t.like(JSON.parse(added.stdout).selfTest, { wordsRight: 13, hasWords: false });
  }
});

test('bad servers have a closed code each, and nothing is written', async (t) => {
  const { root, engines, settings } = await onRoot(t);
  const speech = await serving(
    t,
    openaiSpeech({ models: [{ id: 'whisper-1' }, { id: 'whisper-2' }, { id: 'text-embedding-3' }] }),
  );
  const embedding = await serving(t, ollama({ 'nomic-embed-text': ['embedding'] }));
  const deaf = await serving(t, (asked, response) => {
    if (asked.method === 'GET') return openaiSpeech({ models: [{ id: 'whisper-1' }] })(asked, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":""}');
  });
  const codes: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^server_refused: .* not an http/, ['add', 'x', '--server', 'ftp://127.0.0.1']],
    [/^server_refused: .*must be https/, ['add', 'x', '--server', 'http://models.example']],
    [/^server_refused: .*must not hold a name/, ['add', 'x', '--server', 'http://me:secret@127.0.0.1:1']],
    [/^server_unreachable: /, ['add', 'x', '--server', 'http://127.0.0.1:9']],
    [
      /^model_unknown: .* several models .*: whisper-1, whisper-2; name one of its models with --model/,
      ['add', 'x', '--server', speech.origin],
    ],
    [/^model_unknown: .* has no model whisper-3/, ['add', 'x', '--server', speech.origin, '--model', 'whisper-3']],
    [/^model_unknown: .* no model that translates/, ['add', 'x', '--server', embedding.origin, '--as', 'translator']],
    [/^model_unknown: nomic-embed-text is no model/, ['add', 'nomic-embed-text', '--server', embedding.origin]],
    [/nothing_heard: /, ['add', 'x', '--server', deaf.origin]],
    [/^unknown_engine: \.\./, ['add', '..', '--server', speech.origin]],
  ];
  for (const [code, args] of codes) {
    const { exit, stderr } = await engines(...args);
    t.is(exit, 1, args.join(' '));
    t.regex(stderr, code);
    t.false(stderr.includes('secret'));
  }
  t.is((await engines('add', 'x', '--key-file', 'f')).exit, 2);
  t.deepEqual(await settings(), {});
  t.false(existsSync(join(root, 'engines/x')));
});

test('servers are known by their answers, with models by what these can do', async (t) => {
  const programs: readonly (readonly [string, ProgramBehavior, Record<string, string | null>])[] = [
    ['whisper-server', whisperServer(), {}],
    ['whisper-asr-webservice', asrWebservice(), {}],
    [
      'speaches',
      openaiSpeech({
        models: [
          { id: 'a', task: 'automatic-speech-recognition' },
          { id: 'whisper-voice', task: 'text-to-speech' },
        ],
      }),
      { a: 'recognizer', 'whisper-voice': null },
    ],
    ['vLLM', openaiSpeech({ models: [{ id: 'Qwen/Qwen3-8B', owned_by: 'vllm' }] }), { 'Qwen/Qwen3-8B': 'translator' }],
    [
      'llama-server',
      openaiSpeech({
        models: [
          { id: '/models/my model (Q4).gguf', owned_by: 'llamacpp' },
          { id: 'my model (Q4).gguf', owned_by: 'llamacpp' },
        ],
      }),
      { 'my model (Q4).gguf': 'translator' },
    ],
    [
      'Ollama',
      ollama({ 'qwen3:8b': ['completion', 'thinking'], 'whisper large.gguf': ['embedding'] }),
      { 'qwen3:8b': 'translator', 'whisper large.gguf': null },
    ],
    [
      'LM Studio',
      lmStudio({ gemma: 'llm', 'text-embedding-nomic': 'embeddings' }),
      { gemma: 'translator', 'text-embedding-nomic': null },
    ],
    [
      'LocalAI',
      (asked, response) => {
        if (asked.path === '/readyz') return void response.writeHead(200).end();
        openaiSpeech({ models: [{ id: 'whisper-1' }, { id: 'bert-embeddings' }, { id: 'gemma 3' }] })(asked, response);
      },
      { 'whisper-1': 'recognizer', 'bert-embeddings': null, 'gemma 3': 'translator' },
    ],
  ];
  for (const [program, behavior, uses] of programs) {
    const server = await serving(t, behavior);
    for (const address of [server.origin, `${server.origin}/v1`]) {
      const found = await serverProgramAt(address, null);
      if (found === null || 'refused' in found) return t.fail(program);
      t.is(found.program, program);
      t.deepEqual(Object.fromEntries(found.models.map(({ name, use }) => [name, use])), uses, program);
    }
    const [local] = await localPrograms([server.port, 9]);
    t.is(local?.program, program);
    t.deepEqual(server.work(), [], 'nothing is transcribed or translated by a search');
  }
});

import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { chatServerShapes } from '../../../fixtures/hosted-model/chat-server-shapes.ts';
import {
  lmStudio,
  ollama,
  openaiSpeech,
  type ProgramBehavior,
  programServer,
} from '../../../fixtures/hosted-model/speech-programs.ts';
import { translating } from '../../../fixtures/hosted-model/translating-programs.ts';
import { runCommand } from '../../cli/command.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

// The self-test of servers that translate: one line, then eight, with the requests of captions.

/** A data root that no host has had, a server, and the command on both. */
async function onServer(t: ExecutionContext, behavior: ProgramBehavior) {
  const server = await programServer(behavior);
  t.teardown(server.close);
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const engines = (...args: readonly string[]) => runCommand(['engines', ...args, '--data-root', root]);
  const add = (...args: readonly string[]) => engines('add', 'text', '--server', server.origin, ...args);
  const settings = async () => JSON.parse(await readFile(join(root, 'settings.json'), 'utf8').catch(() => '{}'));
  return { server, folder, root, engines, add, settings };
}

const llamaServer = openaiSpeech({ models: [{ id: 'my model (Q4).gguf', owned_by: 'llamacpp' }] });

const programs: readonly (readonly [string, ProgramBehavior, keyof typeof chatServerShapes, boolean])[] = [
  ['llama-server', llamaServer, 'llama-server', false],
  ['Ollama', ollama({ 'qwen3:8b': ['completion', 'thinking'] }), 'Ollama', true],
  ['vLLM', openaiSpeech({ models: [{ id: 'Qwen/Qwen3-8B', owned_by: 'vllm' }] }), 'vLLM', true],
  ['LM Studio', lmStudio({ 'gemma 3': 'llm' }), 'LM Studio', false],
];

for (const [program, list, shape, isThinking] of programs) {
  test(`a model of ${program} is tried with one line and with eight before it is used`, async (t) => {
    const { server, add, engines } = await onServer(t, translating(list, { shape: chatServerShapes[shape] }));
    const added = await add('--json');
    t.is(added.exit, 0, added.stderr);
    const { translatorTest, isInUse } = JSON.parse(added.stdout);
    t.true(isInUse);
    t.like(translatorTest, { from: 'en', to: 'es', lines: 9, answered: 9, numbersKept: 9, unchanged: 0 });
    t.like(translatorTest, { isSchemaKept: true, isThinking });
    t.true(translatorTest.tokensPerSecond > 0);
    // A trial of the form, one line, then eight: each as captions ask.
    const asked = server.work().map(({ body }) => JSON.parse(body));
    t.deepEqual(
      asked.map(({ messages }) => Object.keys(JSON.parse(messages[1].content).lines).length),
      [1, 1, 8],
    );
    t.true(asked.every(({ reasoning_effort: effort, stream }) => effort === 'none' && stream === true));
    const again = await engines('test', 'text');
    t.regex(
      again.stdout,
      /^text works\nen to es: 9 of 9 lines translated, such as "Traducido: 7\."; numbers kept in 9\n/,
    );
    t.regex(
      again.stdout,
      /form of answers kept: yes; thinks before it answers: (yes|no)\nspeed: [\d.]+ tokens a second\n/,
    );
    t.regex(again.stdout, /88 lines take about /);
  });
}

test('a server that ignores the schema is asked in another way, and the trial says so', async (t) => {
  const ignoring = translating(llamaServer, {
    says: ({ response_format: format }) => (format?.schema === undefined ? 'Claro, aquí está.' : null),
  });
  const { add } = await onServer(t, ignoring);
  const added = await add();
  t.is(added.exit, 0, added.stderr);
  t.regex(added.stdout, /^text was added and is in use\n/);
  t.regex(added.stdout, /form of answers kept: no; /);
});

const refusals: readonly (readonly [string, ProgramBehavior, RegExp])[] = [
  [
    'gives every line back',
    translating(llamaServer, { change: (lines) => lines.map(({ source }) => ({ source, translation: source })) }),
    /^not_translated: it gave every line back as it was, such as "The train leaves at 7\."; take another translator$/m,
  ],
  [
    'exchanges lines',
    translating(llamaServer, {
      change: (lines) => lines.map((line, at) => lines[(at + 1) % lines.length] ?? line),
    }),
    /^lines_exchanged: only 1 of 9 translations have the number of their line/m,
  ],
  [
    'leaves lines out',
    translating(llamaServer, { change: (lines) => lines.map((line, at) => (at === 0 ? line : null)) }),
    /^nothing_translated: it answered 2 of 9 lines from en to es/m,
  ],
  [
    'writes no JSON in any form',
    translating(llamaServer, { says: () => 'Claro, aquí está la traducción.' }),
    /^engine_failed: invalid_output: the text of the answer is not JSON; correct what this names/m,
  ],
  [
    'fails',
    translating(llamaServer, { refuses: { status: 500, message: 'out of memory' } }),
    /^engine_failed: http_500: .*out of memory/m,
  ],
];

for (const [what, behavior, refusal] of refusals) {
  test(`a model that ${what} is refused with its reason, and nothing is written`, async (t) => {
    const { root, add, settings } = await onServer(t, behavior);
    const { exit, stderr } = await add();
    t.is(exit, 1);
    t.regex(stderr, refusal);
    t.deepEqual(await settings(), {});
    t.false(existsSync(join(root, 'engines/text')));
  });
}

test('a server that lists its models without a key and refuses a chat wants the key file', async (t) => {
  for (const status of [401, 403]) {
    const behavior = translating(llamaServer, { refuses: { status, message: 'Not authenticated' } });
    const { folder, add } = await onServer(t, behavior);
    t.regex((await add()).stderr, new RegExp(`^key_refused: .* wants a key \\(status ${status}\\); .*--key-file`, 'm'));
    const path = join(folder, 'key');
    await writeFile(path, 'sk-test-0123456789\n');
    await chmod(path, 0o600);
    const refused = await add('--key-file', path);
    t.regex(refused.stderr, /^key_refused: .* refuses the key in /m);
    t.false(refused.stderr.includes('sk-test'));
  }
});

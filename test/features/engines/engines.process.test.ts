import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'ava';
import { installation } from '../../../features/engines/installation.ts';
import { takeLock } from '../../../storage/process-lock.ts';
import { repository, runCommand } from '../../cli/command.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';

const program = join(repository, 'fixtures/executables/whisper-cli-hears-the-train');

/** A model file of the user, a data root that no host has had, and the command on it. */
async function onRoot(t: Parameters<typeof scratchFolder>[0], name = 'my-model.bin') {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  const model = join(folder, name);
  await writeFile(model, 'weights');
  const engines = (...args: readonly string[]) => runCommand(['engines', ...args, '--data-root', root]);
  const settings = async () => JSON.parse(await readFile(join(root, 'settings.json'), 'utf8'));
  return { root, model, engines, settings };
}

test('a model and a program of this machine are added, listed, tried, used and removed', async (t) => {
  const { root, model, engines, settings } = await onRoot(t);
  const added = await engines('add', model, '--program', program, '--as', 'installed');
  t.is(added.exit, 0, added.stderr);
  t.false(existsSync(join(root, 'settings.json')), 'no setting is changed');
  const record = installation.parse(
    JSON.parse(await readFile(join(root, 'engines/my-model/installation.json'), 'utf8')),
  );
  t.false(record.isPublished);
  t.is(record.model.path, model);
  t.regex(record.program.sha256, /^[0-9a-f]{64}$/);
  t.is(record.selfTest.wordsRight, 13);

  t.is((await engines('use', 'my-model')).exit, 0);
  t.deepEqual(await settings(), {
    'semantic-recognizer': 'whisper-cli',
    'semantic-recognizer-program': program,
    'semantic-recognizer-model': model,
    'permit-recognition': true,
  });
  const listed = JSON.parse((await engines('--json')).stdout);
  t.like(listed.engines[0], { name: 'my-model', use: 'recognizer', state: 'in_use', sends: 'nothing', hasWords: true });
  t.true(
    listed.engines.some(({ name, state }: Record<string, unknown>) => name === 'whisper-base' && state === 'available'),
  );
  const tried = JSON.parse((await engines('test', 'my-model', '--json')).stdout);
  t.like(tried, { wordsRight: 13, wordsSpoken: 13, wordsInvented: 26, hasTimes: true, hasConfidences: true });
  t.regex((await engines('add', model, '--program', program)).stderr, /^name_taken: /);

  t.is((await engines('remove', 'my-model')).exit, 0);
  t.deepEqual(await settings(), {});
  t.true(existsSync(model), 'a file of the user stays');
  t.false(existsSync(join(root, 'engines/my-model')));
});

test('bug: a model that hears nothing was accepted by the settings', async (t) => {
  const { root, model, engines } = await onRoot(t, 'hears-nothing.bin');
  const added = await engines('add', model, '--program', program);
  t.is(added.exit, 1);
  t.regex(added.stderr, /nothing_heard: /);
  t.false(existsSync(join(root, 'settings.json')));
  t.false(existsSync(join(root, 'engines/hears-nothing')));
});

test('an engine of the catalogue is fetched only after a person agreed, and never with another digest', async (t) => {
  const { root, engines } = await onRoot(t);
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.end(Buffer.alloc(32_152_673));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const add = ['add', 'whisper-tiny-q5_1', '--program', program, '--origin', origin];
  const refused = await engines(...add);
  t.regex(refused.stderr, /not_confirmed: /);
  t.regex(refused.stderr, new RegExp(`fetches 32\\.2 MB from ${origin}/ggml-tiny-q5_1\\.bin`));
  t.deepEqual(asked, []);
  const fetched = await engines(...add, '--yes');
  t.is(fetched.exit, 1);
  t.regex(fetched.stderr, /digest_mismatch: /);
  t.deepEqual(asked, ['/ggml-tiny-q5_1.bin']);
  t.false(existsSync(join(root, 'settings.json')));
});

test('bug: a killed engines add left a folder that nothing named', async (t) => {
  const { root, model, engines } = await onRoot(t);
  const folder = (name: string) => join(root, 'engines', name);
  await mkdir(folder('whisper-base'), { recursive: true });
  await mkdir(join(folder('half'), 'program'), { recursive: true });
  await mkdir(folder('begun'));
  await writeFile(join(folder('begun'), 'ggml-base.bin.part'), 'begun');
  const listed = JSON.parse((await engines('--json')).stdout);
  t.false(existsSync(folder('whisper-base')));
  t.false(existsSync(folder('half')));
  t.true(existsSync(join(folder('begun'), 'ggml-base.bin.part')), 'a download continues');
  t.false(listed.engines.some(({ state }: Record<string, unknown>) => state === 'installed'));
  t.regex((await engines('remove', 'begun')).stdout, /begun was not installed; what was fetched of it was removed/);
  t.false(existsSync(folder('begun')));
  const lock = await takeLock(join(root, 'engines/.lock'));
  t.regex((await engines('add', model, '--program', program)).stderr, /^busy: .*; wait until it has ended/);
  await lock?.close();
});

test('bad calls have a closed code each', async (t) => {
  const { model, engines } = await onRoot(t);
  const codes: readonly (readonly [RegExp, readonly string[]])[] = [
    [/unknown_engine: whisper-bse is not in the catalogue/, ['add', 'whisper-bse']],
    [/file_missing: /, ['add', './none.bin']],
    [/program_missing: /, ['add', model, '--program', '/none/whisper-cli']],
    [/digest_mismatch: /, ['add', 'whisper-base', '--from', model, '--program', program]],
    [/file_missing: /, ['add', 'whisper-base', '--from', '/none', '--program', program]],
    [/unknown_engine: none is not installed; no engine is; to see all names: media-study engines/, ['use', 'none']],
    [/unknown_engine: \.\. is not installed/, ['remove', '..']],
    [/unknown_engine: the settings name no recognizer/, ['test']],
  ];
  for (const [code, args] of codes) {
    const { exit, stderr } = await engines(...args);
    t.is(exit, 1, args.join(' '));
    t.regex(stderr, code);
  }
  t.is((await engines('install', 'x')).exit, 2);
  t.is((await engines('add')).exit, 2);
});

const models = process.env.MEDIA_STUDY_MODELS;
const withModels = models === undefined ? test.skip : test;

withModels('with MEDIA_STUDY_MODELS: whisper.cpp hears the sentence, and a cut model is refused', async (t) => {
  const { root, model, engines } = await onRoot(t, 'cut.bin');
  const folder = models ?? '';
  const weights = join(folder, 'ggml/ggml-tiny.en-q5_1.bin');
  const whisper = ['--program', join(folder, 'bin/whisper-cli')];
  const added = await engines('add', weights, ...whisper, '--json');
  t.is(added.exit, 0, added.stderr);
  t.like(JSON.parse(added.stdout).selfTest, { wordsRight: 13, hasWords: true, hasTimes: true, hasConfidences: true });
  t.regex(await readFile(join(root, 'settings.json'), 'utf8'), /tiny\.en/);
  for (const bytes of [300_000, 20_000_000]) {
    await writeFile(model, (await readFile(weights)).subarray(0, bytes));
    t.regex((await engines('add', model, ...whisper)).stderr, /engine_failed: .*model_broken/);
  }
});

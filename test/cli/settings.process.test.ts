import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { serverFault } from '../../executors/model-server/found-servers.ts';
import { serverShapes } from '../../fixtures/hosted-model/server-shapes.ts';
import { stubTranscriber } from '../../fixtures/hosted-model/stub-transcriber.ts';
import { RunningHost } from '../http/running-host.ts';
import { runCommand } from './command.ts';

const executor = ['caption-executor=grouped-subtitles', 'allow-embedded-subtitle-captions=true'];

async function newRoot(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'settings-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'root');
}

test('a host starts with settings that were made before its data root existed', async (t) => {
  const root = await newRoot(t);
  const set = await runCommand(['settings', 'set', ...executor, 'port=0', '--data-root', root]);
  t.is(set.exit, 0, set.stderr);
  t.is(set.stdout.split('\n')[1], 'caption-executor: grouped-subtitles');
  const host = new RunningHost({ flags: ['--data-root', root] });
  t.teardown(() => host.kill());
  t.is((await host.announced()).captionExecutor, 'grouped-subtitle-tracks-no-model');

  const running = await runCommand(['settings', 'set', 'log-format=json', '--data-root', root]);
  t.is(running.stderr, 'a host runs on this data root: restart it to apply log-format\n');
  const limit = await runCommand(['settings', 'set', 'maximum-study-range-ms=1200000', '--data-root', root]);
  t.is(limit.stderr, 'a host runs on this data root: restart it to apply log-format\n');
  const unset = await runCommand(['settings', 'unset', 'log-format', '--data-root', root]);
  t.is(unset.stderr, 'a host runs on this data root, and has taken the change\n');
});

test('bug: another caption executor met the permission of the one before', async (t) => {
  const root = await newRoot(t);
  await runCommand(['settings', 'set', ...executor, '--data-root', root]);
  const other = ['caption-executor=recognized', 'allow-recognized-captions=true'];
  const set = await runCommand(['settings', 'set', ...other, '--data-root', root]);
  t.is(set.exit, 0, set.stderr);
  t.false((await readFile(join(root, 'settings.json'), 'utf8')).includes('allow-embedded-subtitle-captions'));
});

test('a host refuses to start with settings that it cannot read, and names the place', async (t) => {
  const path = `${await newRoot(t)}.json`;
  await writeFile(path, '{ "port": }');
  const host = new RunningHost({ flags: ['--data-root', await newRoot(t), '--settings', path] });
  t.deepEqual(await host.ended, { code: 2, signal: null });
  t.true(host.stderr.includes(`invalid_settings: ${path}: 1:11: ValueExpected`), host.stderr);
  const absent = new RunningHost({ flags: ['--data-root', await newRoot(t), '--settings', '/no/settings.json'] });
  t.deepEqual(await absent.ended, { code: 2, signal: null });
});

test('bug: a refused value of the settings file was reported as a flag that was never given', async (t) => {
  const root = await newRoot(t);
  const path = `${root}.json`;
  const refusalOf = async (settings: object, flags: readonly string[] = []): Promise<string> => {
    await writeFile(path, JSON.stringify(settings));
    const call = ['serve', '--port', '0', '--settings', path, ...flags, '--data-root', root];
    const { exit, stderr } = await runCommand(call);
    t.is(exit, 2, stderr);
    return stderr.trimEnd().replaceAll(` --data-root ${root}`, '').split('\n').at(-1) ?? '';
  };
  const by = (words: string) => `correct it by media-study settings ${words}`;
  const file = `--settings ${path}`;
  const workers = { 'study-workers': 0 };
  t.is(
    await refusalOf(workers),
    `invalid_flags: ${path}: study-workers 0: an integer from 1 to 256 is needed; ${by(`set study-workers=VALUE ${file}, or unset study-workers`)}`,
  );
  t.is(
    await refusalOf(workers, ['--study-workers', '999']),
    'invalid_flags: --study-workers 999: an integer from 1 to 256 is needed; --help lists all flags',
  );
  t.is(
    await refusalOf({ 'semantic-recognizer': 'whisper-cli' }),
    `executor_not_allowed: ${path}: semantic-recognizer whisper-cli needs allow-real-semantic-evidence; ${by(`set allow-real-semantic-evidence=true ${file}, or unset semantic-recognizer`)}`,
  );
  t.is(
    await refusalOf({ 'allow-recognized-captions': true }),
    `executor_not_allowed: ${path}: allow-recognized-captions needs caption-executor recognized or subtitles-or-recognized; ${by(`set caption-executor=VALUE ${file}, or unset allow-recognized-captions`)}`,
  );
  const translator = {
    'caption-executor': 'subtitles-translated',
    'caption-translation-model': 'small',
    'allow-real-caption-production': true,
  };
  t.is(
    await refusalOf({ ...translator, 'model-server': 'ftp://models' }),
    `invalid_translation_provider: ${path}: model-server is not an http(s) address; ${by(`set model-server=VALUE ${file}, or unset model-server`)}`,
  );
  t.regex(
    await refusalOf(translator, ['--model-server', 'ftp://models']),
    /: --model-server is not an http\(s\) address;/,
  );
});

test('bug: a refused setting was reported as a flag', async (t) => {
  const root = await newRoot(t);
  const refusalOf = async (...words: string[]) => {
    const { exit, stderr } = await runCommand(['settings', 'set', ...words, '--data-root', root]);
    t.is(exit, 2);
    return stderr;
  };
  t.is(await refusalOf('port=99999'), 'nothing was changed: port 99999: an integer from 0 to 65535 is needed\n');
  const needs = 'semantic-recognizer whisper-cli needs allow-real-semantic-evidence';
  t.is(await refusalOf('semantic-recognizer=whisper-cli'), `nothing was changed: ${needs}\n`);
  t.regex(await refusalOf('foo=1'), /^unknown setting "foo"; the options of media-study serve --help/);
});

test('bug: a command referred to its own flags for a fault in the settings of the data root', async (t) => {
  const root = await newRoot(t);
  await mkdir(join(root, 'ledger'), { recursive: true, mode: 0o700 });
  await writeFile(join(root, 'settings.json'), '{ "prot": 1 }');
  const { exit, stderr } = await runCommand(['sources', '--data-root', root]);
  t.is(exit, 2);
  t.regex(
    stderr,
    /^invalid_settings: .*settings\.json: 1:3: unknown setting "prot", did you mean port\?; correct the file/,
  );
});

test('an engine that is not there changes nothing', async (t) => {
  const root = await newRoot(t);
  await runCommand(['settings', 'set', ...executor, '--data-root', root]);
  const before = await readFile(join(root, 'settings.json'), 'utf8');
  const engine = [
    'semantic-recognizer=whisper-cli',
    'semantic-recognizer-model=/no/model',
    'allow-real-semantic-evidence=true',
  ];
  const refused = await runCommand(['settings', 'set', ...engine, '--data-root', root], { PATH: '/usr/bin' });
  t.is(refused.exit, 1);
  t.is(
    refused.stderr,
    'nothing was changed: recognizer_unavailable: whisper-cli is not on PATH; install the recognizer, or correct semantic-recognizer and semantic-recognizer-model\n',
  );
  t.is(await readFile(join(root, 'settings.json'), 'utf8'), before);
});

test('bug: settings were set that no host starts with, and a fault could not be taken out beside another one', async (t) => {
  const root = await newRoot(t);
  const set = (...words: string[]) => runCommand(['settings', ...words, '--data-root', root]);
  const refusalOf = async (word: string) => {
    const { exit, stderr } = await set('set', word);
    t.not(exit, 0, stderr);
    return stderr;
  };
  t.regex(await refusalOf('screen-text-languages=xyz'), /^nothing was changed: screen-text-languages needs /);
  t.regex(await refusalOf(`source-directory=${root}/none`), /^nothing was changed: file_missing: folder of .*none; /);
  const { exit, stderr } = await set('set', 'screen-text=tesseract', 'screen-text-languages=xyz');
  t.is(exit, 1);
  t.regex(
    stderr,
    /^nothing was changed: screen_text_unavailable: the package @tesseract\.js-data\/xyz is not installed; /,
  );
  await mkdir(root, { mode: 0o700 });
  const faults = { 'source-directory': [`${root}/none`], 'screen-text': 'tesseract', 'screen-text-languages': 'xyz' };
  await writeFile(join(root, 'settings.json'), JSON.stringify(faults));
  t.is((await set('unset', 'source-directory')).exit, 0);
  t.is((await set('unset', 'screen-text', 'screen-text-languages')).exit, 0);
});

test('bug: a host that was killed was said to run on the data root', async (t) => {
  const root = await newRoot(t);
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root] });
  await host.announced();
  await host.kill();
  t.true((await readdir(root)).includes('host.json'));
  const set = await runCommand(['settings', 'set', 'port=0', '--data-root', root]);
  t.deepEqual([set.exit, set.stderr], [0, '']);
});

test('a model server must answer before it is set', async (t) => {
  const server = createServer((_request, response) => void response.end('{"data":[]}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const translator = (url: string) => [
    'caption-executor=recognized-translated',
    'caption-translation-model=small',
    'allow-real-caption-production=true',
    `model-server=${url}`,
  ];
  const root = await newRoot(t);
  const url = `http://127.0.0.1:${port}/v1`;
  t.is((await runCommand(['settings', 'set', ...translator(url), '--data-root', root])).exit, 0);
  await new Promise((resolve) => server.close(resolve));
  const refused = await runCommand(['settings', 'set', 'port=0', '--data-root', root]);
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /no model server answers at http:\/\/127\.0\.0\.1:\d+\/v1/);
});

test('bug: the check of a model server took one that refuses every request for one that works', async (t) => {
  const server = createServer((_request, response) => void response.writeHead(401).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const faultFor = async (apiKey: string | null) => (await serverFault({ baseUrl, apiKey, isLocal: true }))?.detail;
  t.is(await faultFor(null), `the model server at ${baseUrl} needs a key`);
  t.is(await faultFor('wrong'), `the model server at ${baseUrl} refuses its key`);
});

test('bug: a server on this machine got the key of another one as soon as a setting named it', async (t) => {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.end('{"data":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const words = [
    ...['caption-executor=recognized-translated', 'caption-translation-model=small'],
    ...['allow-real-caption-production=true', `model-server=${url}`],
  ];
  const root = await newRoot(t);
  for (const [named, sent] of [
    ['', undefined],
    ['https://models.example/v1', undefined],
    [new URL(url).origin, 'Bearer key-for-tests'],
  ] as const) {
    const environment = { OPENAI_API_KEY: 'key-for-tests', OPENAI_BASE_URL: named };
    const { exit } = await runCommand(['settings', 'set', ...words, '--data-root', root], environment);
    t.is(exit, 0);
    t.is(keys.at(-1), sent, named);
  }
  t.is(keys.length, 3);
});

test('bug: a model server with a fragment was set, and refused only once a model was chosen', async (t) => {
  const root = await newRoot(t);
  for (const [value, fault] of [
    ['http://127.0.0.1:11434/v1#part', 'must not have a query or a fragment'],
    ['http://127.0.0.1:11434/v1?', 'must not have a query or a fragment'],
    ['https://me:secret@models.example/v1', 'must not hold a name or a password'],
    ['models.example', 'is not an http(s) address'],
  ]) {
    const set = await runCommand(['settings', 'set', `model-server=${value}`, '--data-root', root]);
    t.deepEqual([set.exit, set.stderr, set.stdout], [2, `nothing was changed: model-server ${fault}\n`, '']);
  }
  t.is((await runCommand(['settings', 'set', 'model-server=http://127.0.0.1:9/v1', '--data-root', root])).exit, 0);
});

test('bug: the settings showed the password of a queue', async (t) => {
  const root = await newRoot(t);
  const words = ['work-queue=redis://me:secret@127.0.0.1:6379', `object-source=${dirname(root)}`];
  const set = await runCommand(['settings', 'set', ...words, '--data-root', root]);
  t.is(set.exit, 0, set.stderr);
  const shown = [set, await runCommand(['settings', '--json', '--data-root', root])].map(({ stdout }) => stdout);
  for (const text of shown) {
    t.true(text.includes('redis://127.0.0.1:6379'), text);
    t.notRegex(text, /secret/);
  }
  t.regex(await readFile(join(root, 'settings.json'), 'utf8'), /redis:\/\/me:secret@/);
});

test('a call that sets nothing names the missing part', async (t) => {
  const root = await newRoot(t);
  for (const [args, message] of [
    [['set'], /NAME=VALUE is missing/],
    [['set', 'port'], /give NAME=VALUE/],
    [['unset', 'prot'], /did you mean port\?/],
    [['change'], /change: one of show, set, unset/],
    [['show', 'port'], /port: settings show takes no names/],
  ] as const) {
    const { exit, stderr } = await runCommand(['settings', ...args, '--data-root', root]);
    t.is(exit, 2);
    t.regex(stderr, message);
  }
});

test('bug: the check of a model server followed redirects to other addresses', async (t) => {
  const elsewhere: (string | undefined)[] = [];
  const other = createServer((request, response) => void response.end(String(elsewhere.push(request.url))));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/models`;
  const server = createServer((_request, response) => void response.writeHead(307, { location }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const each of [other, server]) each.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  t.is(await serverFault({ baseUrl, apiKey: null, isLocal: true }), null);
  t.deepEqual(elsewhere, []);
});

test('bug: a recognizer with a broken model was refused in code words', async (t) => {
  const root = await newRoot(t);
  const folder = await mkdtemp(join(tmpdir(), 'broken-model-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, 'whisper-cli');
  await writeFile(program, '#!/bin/sh\necho "error: failed to initialize whisper context" >&2\nexit 3\n', {
    mode: 0o755,
  });
  const model = join(folder, 'model.bin');
  await writeFile(model, 'cut');
  const { exit, stderr } = await runCommand(
    [
      'settings',
      'set',
      'semantic-recognizer=whisper-cli',
      `semantic-recognizer-model=${model}`,
      'permit-recognition=true',
      '--data-root',
      root,
    ],
    { MEDIA_STUDY_WHISPER_CLI: program },
  );
  t.is(exit, 1);
  t.regex(
    stderr,
    /^nothing was changed: whisper-cli cannot load its model, .*; name a whole model file: .*settings set semantic-recognizer-model=FILE/,
  );
});

test('bug: a setting that goes with another one was unset in silence', async (t) => {
  const root = await newRoot(t);
  const server = await stubTranscriber(serverShapes.openai);
  t.teardown(server.close);
  const set = (...words: string[]) => runCommand(['settings', ...words, '--data-root', root]);
  const permitted = [`model-server=${server.baseUrl}`, `permit-server=${server.baseUrl}`];
  t.is((await set('set', ...permitted, 'caption-translation-model=small')).exit, 0);
  const { exit, stderr } = await set('unset', 'permit-server');
  t.is(exit, 0, stderr);
  t.is(stderr, 'also unset, because nothing uses it any more: caption-translation-model\n');
});

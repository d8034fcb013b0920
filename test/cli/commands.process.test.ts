import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { completionScript } from '../../cli/completions.ts';
import { WrongCall } from '../../cli/terminal/call.ts';
import { StudyHost } from '../../client/study-host.ts';
import { exportNames } from '../../contract/exports.ts';
import { pairing } from '../../contract/operation.ts';
import { firstMissing } from '../docs/shown-blocks.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { repository, runCommand as run, runCommand, runOn } from './command.ts';
import { completedCommands as commands } from './completed-commands.ts';
import { exporting } from './exported-facts.ts';
import { commandOn, serving } from './foreign-host.ts';

const sample = join(repository, 'fixtures/sample/source/media/sample.mp4');
const rights = ['--rights-holder', 'Me', '--attest-rights'];
let folder = '';

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-study-'));
});

test.after.always(() => rm(folder, { recursive: true, force: true }));

test('one command ingests and studies the sample and prints what the README and the guide show', async (t) => {
  const { exit, stdout, stderr } = await runOn(join(folder, 'one'), ['study', sample, '--language', 'ko', ...rights]);
  t.is(exit, 0, stderr);
  t.true(stderr.startsWith(`sources and studies are kept in ${join(folder, 'one')}\n`), stderr);
  for (const page of ['README.md', 'docs/guides/command-line.md']) {
    const shown = await printedIn(page);
    t.true(shown.length > 5, page);
    t.is(firstMissing(shown, stdout), undefined, `${page}\n${stdout}`);
  }
  // It has stopped again, and has left nothing that says it runs.
  await t.throwsAsync(stat(join(folder, 'one', 'host.json')), { code: 'ENOENT' });
});

/** The part of a page about the first study: the lines on stdout, after the questions, without the list that it cuts short. */
async function printedIn(page: string): Promise<readonly string[]> {
  const [, block = ''] = /^(Study finished [\s\S]*?)^```$/m.exec(await readFile(join(repository, page), 'utf8')) ?? [];
  return block.split('\n').filter((line) => line !== '' && !line.startsWith('exports: '));
}

/** Exchanges a pairing code for a token, as a page does. */
const exchange = (baseUrl: string, code: string): Promise<Response> =>
  fetch(`${baseUrl}/v1/pairings`, {
    method: 'POST',
    headers: { Origin: 'http://127.0.0.1:4321', 'Content-Type': 'application/json' },
    body: JSON.stringify({ schema: 'studio.pairing-request.v1', code }),
  });

test('a running host is found by its data root, or by the environment, and a killed one is not', async (t) => {
  const root = join(folder, 'two');
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root] });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = await host.announced();
  t.is((await stat(join(root, 'host.json'))).mode & 0o777, 0o600);
  const found = await run(['sources', '--json', '--data-root', root]);
  t.is(found.exit, 0);
  t.like(JSON.parse(found.stdout), { label: 'Reading room (sample)', durationMs: 50_000 });
  const address = `${listening}/#token=${authorizationToken}`;
  t.is((await run(['open', '--print', '--data-root', root])).stdout, `${address}\n`);
  t.is((await run(['open', '--data-root', root], { BROWSER: '/no/browser' })).stdout, `${address}\n`);
  t.is((await run(['open', '--data-root', root], { BROWSER: '/bin/true' })).stdout, '');
  t.is((await stat(join(root, 'console.html'))).mode & 0o777, 0o600);
  t.true((await readFile(join(root, 'console.html'), 'utf8')).includes(`0;url=${address}`));
  const pair = await run(['pair', '--data-root', root]);
  t.deepEqual([pair.exit, pair.stderr.includes('one page can use this code until')], [0, true]);
  const exchanged = await exchange(String(listening), pair.stdout.trim());
  const { authorizationToken: token } = pairing.parse(await exchanged.json());
  t.not(token, authorizationToken);
  t.is((await StudyHost.connect({ baseUrl: String(listening), token }, { proof: false }).sources()).length, 1);
  const usedUp = await exchange(String(listening), pair.stdout.trim());
  t.like(await usedUp.json(), { error: { code: 'pairing_refused' } });
  const named = { MEDIA_STUDY_HOST: String(listening), MEDIA_STUDY_TOKEN: String(authorizationToken) };
  t.is((await run(['sources', '--data-root', join(folder, 'elsewhere')], named)).exit, 0);
  // The token from the environment is in no data root.
  const other = await mkdtemp(join(folder, 'other-'));
  t.is((await run(['open', '--data-root', other], { ...named, BROWSER: '/bin/true' })).stdout, `${address}\n`);
  t.deepEqual(await readdir(other), []);
  t.is((await run(['evidence', 'runtime:none', '--data-root', root])).exit, 1);
  t.is((await run(['export', 'runtime:none', 'cuts.edl', '--data-root', root])).exit, 1);
  t.is((await run(['export', 'runtime:none', 'cuts.mov', '--data-root', root])).exit, 2);
  t.deepEqual(await run(['runtimes', '--data-root', root]), { exit: 0, stdout: '', stderr: '' });
  t.is((await run(['runtimes', '--lifecycle', 'done', '--data-root', root])).exit, 2);
  const nothing = await run(['cancel', 'runtime:none', '--data-root', root]);
  t.is(nothing.exit, 1);
  t.regex(nothing.stderr, /unknown_runtime/);
  const review = await run(['review', 'approve', 'runtime:none', '--data-root', root]);
  t.is(review.exit, 1);
  t.is(review.stderr, `unknown_runtime: no such runtime; media-study runtimes --data-root ${root} lists the studies\n`);
  await host.kill();
  const gone = await run(['sources', '--data-root', root]);
  t.is(gone.exit, 0);
  t.regex(
    gone.stderr,
    /^host\.json in .* is stale: its process \d+ has ended; it was put aside as host\.json\.stale\n$/,
  );
});

test('nothing is taken in without an attestation, and without a terminal nothing is attested', async (t) => {
  const root = ['--data-root', join(folder, 'three')];
  for (const given of [['--rights-holder', 'Me'], ['--attest-rights']]) {
    const { exit, stderr } = await run(['ingest', sample, ...given, ...root]);
    t.is(exit, 2, stderr);
  }
  const none = join(folder, 'none.mp4');
  t.deepEqual(await run(['ingest', none, ...rights, ...root]), {
    exit: 2,
    stdout: '',
    stderr: `there is no file ${none}\n`,
  });
  const missing = await run(['study', none, ...rights, ...root]);
  t.is(missing.exit, 2);
  t.regex(missing.stderr, /there is no file .*none\.mp4, and no source/);
});

test('a wrong call ends with 2 and names the error', async (t) => {
  for (const [args, line] of [
    [['stduy'], /^media-study: there is no command stduy, did you mean study\?; media-study --help lists them/],
    [['study', '--langauge', 'ko'], /^unknown flag --langauge, did you mean --language\?/],
    [['review', 'approve', 'x', '--data-root', join(folder, 'four')], /^no host has ever kept its data in/],
  ] as const) {
    const { exit, stderr } = await run(args);
    t.is(exit, line.source.includes('no host') ? 3 : 2);
    t.regex(stderr, line);
  }
  t.is((await run([])).exit, 2);
  t.regex((await run(['--help'])).stdout, /^usage: media-study COMMAND/);
  t.regex((await run(['study', '--help'])).stdout, /--target-language TAG/);
});

test('a file that is not media is refused before it is sent', async (t) => {
  const text = join(folder, 'notes.mp4');
  await writeFile(text, 'not media');
  const { exit, stderr } = await run(['ingest', text, ...rights, '--data-root', join(folder, 'five')]);
  t.is(exit, 1);
  t.regex(stderr, /^not_media: the file is text, not media; /m);
});

test('one file that is not media fails alone, by name; the others are taken in', async (t) => {
  const text = join(folder, 'first.mp4');
  await writeFile(text, 'not media');
  const { exit, stdout, stderr } = await run(['ingest', text, sample, ...rights, '--data-root', join(folder, 'six')]);
  t.is(exit, 1);
  t.true(stderr.includes(`\n${text}: not_media: `), stderr);
  t.regex(stdout, /^source-session:[0-9a-f]{64} {2}0:50\.000 {2}Reading room \(sample\)\n$/);
});

// No program may listen on the port, and `fetch` asks none there.
const nowhere = { MEDIA_STUDY_HOST: 'http://127.0.0.1:1', MEDIA_STUDY_TOKEN: 'any' };

test('a command whose environment names a host that is not there starts no other in its place', async (t) => {
  const root = join(folder, 'untouched');
  const { exit, stdout, stderr } = await run(['gc', '--data-root', root], nowhere);
  t.deepEqual([exit, stdout], [3, '']);
  t.regex(stderr, /^no host answers at http:\/\/127\.0\.0\.1:1 of MEDIA_STUDY_HOST, or it refuses MEDIA_STUDY_TOKEN; /);
  await t.throwsAsync(stat(root), { code: 'ENOENT' });
});

test('an environment that names a half of a host, or no address, is a wrong call', async (t) => {
  const root = ['--data-root', join(folder, 'none')];
  const half = await run(['sources', ...root], { MEDIA_STUDY_HOST: nowhere.MEDIA_STUDY_HOST });
  t.deepEqual(half, {
    exit: 2,
    stdout: '',
    stderr: 'MEDIA_STUDY_HOST is set and MEDIA_STUDY_TOKEN is not: set both, or neither\n',
  });
  const { exit, stderr } = await run(['sources', ...root], { ...nowhere, MEDIA_STUDY_HOST: '127.0.0.1:4312' });
  t.is(exit, 2);
  t.regex(stderr, /^MEDIA_STUDY_HOST 127\.0\.0\.1:4312: the address of a host is needed, such as http:/);
});

test('another program that got the port of a killed host is not taken for it', async (t) => {
  const listening = await serving(t, (_request, response) => response.writeHead(404).end('<p>nothing here'));
  const root = join(folder, 'killed');
  await mkdir(root, { mode: 0o700 });
  const file = { listening, authorizationToken: 'any', pid: 1 };
  await writeFile(join(root, 'host.json'), JSON.stringify(file), { mode: 0o600 });
  const { exit, stderr } = await run(['sources', '--data-root', root]);
  t.is(exit, 3);
  t.regex(stderr, /^no host has ever kept its data in /);
});

/** The exit code of the command and what it says on stderr. */
async function refusalOf(...args: readonly string[]): Promise<readonly [number, string]> {
  const { exit, stderr } = await runCommand(args);
  return [exit, stderr];
}

test('a wrong call is reported before a host is started for it', async (t) => {
  const folder = await scratchFolder(t);
  const root = ['--data-root', join(folder, 'data')];
  const [media, empty, none, nameless] = ['a.wav', 'empty.wav', 'none.wav', 'recording'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  await writeFile(media, 'x');
  await writeFile(nameless, 'x');
  await writeFile(empty, '');
  const bothMissing =
    '--rights-holder and --attest-rights are missing: name who owns the rights to a.wav, and confirm that you may process it';
  for (const [args, message] of [
    [['ingest', none], `there is no file ${none}`],
    [['study', none, ...rights], `there is no file ${none}, and no source of a new data root has that name`],
    [['caption', none, ...rights], `there is no file ${none}, and no source of a new data root has that name`],
    [['ingest', folder], `${folder} is a folder: name the files in it, such as ${folder}/*`],
    [['ingest', empty], `${empty} is empty`],
    [['ingest', media, '--subtitles', none], `there is no subtitle file ${none}`],
    [['study', media, '--subtitles', none], `there is no subtitle file ${none}`],
    [['study', media, '--language', 'korean'], '--language: korean is not a language tag, did you mean ko (Korean)?'],
    [
      ['study', media, '--again', 'a/b'],
      '--again a/b: a name has letters, digits and . _ : - alone, begins with a letter or a digit, and is at most 160 long',
    ],
    [
      ['study', media, '--target-language', 'jp'],
      '--target-language: jp is not a language tag, did you mean ja (Japanese)?',
    ],
    [
      ['ingest', nameless],
      `${nameless}: the file name must end with an extension; rename the file, or give a link with another name`,
    ],
    [['ingest', media], bothMissing],
    [['study', media], bothMissing],
    [['study', media, '--attest-rights'], '--rights-holder is missing: name who owns the rights to a.wav'],
    [
      ['study', media, '--rights-holder', 'Me'],
      'Stopped: you did not confirm that you may process a.wav (--attest-rights). Nothing was copied.',
    ],
    [['study', media, '--from', '20', '--to', '0:10'], '--to is not after --from: the range is empty'],
    [['study', media, '--to', 'ten'], '--to ten: a time is needed, such as 90, 1:30 or 1:02:03.250'],
  ] as const) {
    t.deepEqual(await refusalOf(...args, ...root), [2, `${message}\n`], args.join(' '));
  }
  t.false(existsSync(join(folder, 'data')), 'bug: a study of a file that does not exist made a data root');
});

test('a call without its first argument shows how the command is called', async (t) => {
  const root = ['--data-root', join(tmpdir(), 'no-such-data-root')];
  for (const [args, message] of [
    [['study'], 'SOURCE is missing; usage: media-study study SOURCE… [flags]'],
    [['review'], 'approve|reject|revoke is missing; usage: media-study review approve|reject|revoke RUNTIME [flags]'],
    [['backup'], 'the folder of the backup is missing; usage: media-study backup DIR [flags]'],
  ] as const) {
    t.deepEqual(await refusalOf(...args, ...root), [2, `${message}\n`]);
  }
});

test('a wrong review or export is refused before a host is looked for or anybody attests', async (t) => {
  const root = ['--data-root', join(tmpdir(), 'no-such-data-root')];
  const rejections =
    'evidence_requires_additional_review, source_scope_not_approved, rights_or_policy_concern, other_review_concern';
  const revocations = 'approval_entered_in_error, new_review_required, source_scope_changed, rights_or_policy_concern';
  for (const [args, message] of [
    [['review', 'maybe', 'runtime:any'], 'maybe: one of approve, reject, revoke'],
    [['review', 'approve', 'runtime:any', '--reason', 'good'], '--reason is for reject and revoke'],
    [['review', 'reject', 'runtime:any'], `reject needs at least one --reason: ${rejections}`],
    [['review', 'reject', 'runtime:any', '--reason', 'bad'], `--reason bad: one of ${rejections}`],
    [['review', 'revoke', 'runtime:any', '--reason', 'bad'], `--reason bad: one of ${revocations}`],
    [
      ['export', 'runtime:any', 'facts'],
      `unknown export facts, did you mean facts.csv?; choose one of bundle, ${exportNames.join(', ')}`,
    ],
    [['export', 'runtime:any', 'facts.csv', '--side', 'source'], '--side is for captions'],
    [['export', 'runtime:any', 'bundle', '--side', 'source'], '--side is for captions'],
    [['export', 'runtime:any', 'captions.srt', '--side', 'all'], '--side all: one of source, target, both'],
    [['export', 'runtime:any', 'captions.srt', '--rate', '25'], '--rate is for cuts.edl and cuts.otio'],
    [
      ['export', 'runtime:any', 'cuts.edl', '--rate', '23'],
      '--rate 23: one of 24, 25, 30, 50, 60, 23.976, 29.97, 59.94',
    ],
    [['export', 'runtime:any', 'cuts.edl', '--media'], '--media is for a bundle'],
  ] as const) {
    t.deepEqual(await refusalOf(...args, ...root), [2, `${message}\n`], args.join(' '));
  }
});

test('bug: a wrong call started a host before it was refused', async (t) => {
  const root = ['--data-root', join(tmpdir(), 'no-such-data-root')];
  for (const [args, message] of [
    [['evidence'], 'RUNTIME is missing; usage: media-study evidence RUNTIME [flags]'],
    [['watch'], 'RUNTIME is missing; usage: media-study watch RUNTIME [flags]'],
    [['cancel'], 'RUNTIME is missing; usage: media-study cancel RUNTIME [flags]'],
    [['captions'], 'RUNTIME is missing; usage: media-study captions [edit] RUNTIME [flags]'],
    [['captions', 'runtime:any', '--side', 'both'], '--side both: source or target'],
    [['subtitles'], 'SOURCE is missing; usage: media-study subtitles SOURCE [FILE[:LANG]…] [flags]'],
    [['subtitles', 'any', '--detach', 'last'], '--detach last: the number of a track is needed'],
    [['delete'], 'runtime or source is missing; usage: media-study delete runtime|source ID [flags]'],
    [['delete', 'host', 'any'], 'host: one of runtime, source'],
    [['delete', 'runtime'], 'ID is missing; usage: media-study delete runtime|source ID [flags]'],
    [['disk', '--limit', '0'], '--limit is a number from 1 to 200'],
    [['runtimes', '--limit', 'all'], '--limit is a number of at least 1'],
    [
      ['runtimes', '--lifecycle', 'over'],
      '--lifecycle is one of accepted, initializing, running, terminal, failed, interrupted',
    ],
  ] as const) {
    t.deepEqual(await refusalOf(...args, ...root), [2, `${message}\n`], args.join(' '));
  }
});

test('a command that is named to be pasted names a data root as a shell reads it', async (t) => {
  const folder = join(await scratchFolder(t), 'wrong calls');
  await mkdir(folder);
  const said = `no host has ever kept its data in ${folder}; media-study study FILE --data-root '${folder}' takes media in and studies it\n`;
  t.deepEqual(await refusalOf('sources', '--data-root', folder), [3, said]);
});

/** A whole id, for which no list of studies is needed. */
const anyStudy = 'runtime:00000000-0000-4000-8000-000000000000';

for (const call of [['disk'], ['evidence', anyStudy], ['captions', anyStudy, '--produce'], ['gc']]) {
  test(`Ctrl-C ends ${call[0]} although the host still works on its answer`, async (t) => {
    const program = new EventEmitter();
    const asked = once(program, 'asked');
    const address = await serving(t, ({ url }, response) => {
      if (url === '/v1/source-sessions') response.end('{"sourceSessions":[]}');
      else program.emit('asked');
    });
    const { command, said } = commandOn(t, address, call);
    const ended = once(command, 'close');
    await asked;
    command.kill('SIGINT');
    t.deepEqual(await ended, [130, null]);
    t.is(said(), 'interrupted\n');
  });
}

test('a command that follows a study ends when its reader leaves; the study goes on', async (t) => {
  let seq = 0;
  const address = await serving(t, ({ url }, response) => {
    response.setHeader('Content-Type', 'application/json');
    if (url === '/v1/source-sessions') {
      response.end('{"sourceSessions":[]}');
      return;
    }
    seq += 1;
    const event = { seq, type: 'task.transitioned', recordedAt: '2026-01-01T00:00:00.000Z' };
    response.end(JSON.stringify({ events: [event], terminal: false, reachedHead: true }));
  });
  const { command, said } = commandOn(t, address, ['watch', anyStudy]);
  const ended = once(command, 'exit');
  const [line] = await once(command.stdout, 'data');
  t.regex(String(line), /^1 2026-01-01T00:00:00.000Z task.transitioned\n/);
  command.stdout.destroy();
  t.deepEqual(await ended, [0, null]);
  t.is(said(), '');
});

test('an export puts no file in the place of a device or a folder', async (t) => {
  const { folder, write } = await exporting(t);
  const path = join(folder, 'a-socket');
  const server = createServer();
  t.teardown(() => server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await t.throwsAsync(write(path), { instanceOf: WrongCall, message: /a-socket is not a regular file: / });
  t.true((await lstat(path)).isSocket());
  await t.throwsAsync(write(folder), { instanceOf: WrongCall, message: /is a folder: name a file in it$/ });
});

test('a reader that leaves before an export is whole is not a failure, for any command', async (t) => {
  const address = await serving(t, async ({ url }, response) => {
    if (url === '/v1/source-sessions') {
      response.end('{"sourceSessions":[]}');
      return;
    }
    command.stdout.destroy();
    await once(command.stdout, 'close');
    response.end(Buffer.alloc(1024 * 1024));
  });
  const { command, said } = commandOn(t, address, ['export', anyStudy, 'bundle']);
  t.deepEqual(await once(command, 'close'), [0, null]);
  t.is(said(), '');
});

const execute = promisify(execFile);

/** The proposals of bash for the last of these words, through its completion. */
async function proposed(script: string, ...words: readonly string[]): Promise<string[]> {
  const asked = `${script}
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
compopt() { echo "compopt $*"; }
_media_study
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute('bash', ['-c', asked, 'bash', 'media-study', ...words]);
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash proposes commands, then the words and flags of one, and files where a path belongs', async (t) => {
  const script = completionScript('bash', commands);
  t.deepEqual(await proposed(script, ''), ['export', 'watch', '--help', '--version']);
  t.deepEqual(await proposed(script, 'w'), ['watch']);
  t.deepEqual(await proposed(script, 'export', ''), ['bundle', 'cuts.edl', '--output', '--rate', '--media', '--help']);
  t.deepEqual(await proposed(script, 'export', '--m'), ['--media']);
  t.deepEqual(await proposed(script, 'export', '--output', ''), ['compopt -o default']);
  t.deepEqual(await proposed(script, 'export', '--rate', ''), []);
  t.deepEqual(await proposed(script, 'watch', './a'), ['compopt -o default']);
});

test('the command prints completions of its own commands, which bash can use', async (t) => {
  const { stdout } = await runCommand(['completions', 'bash']);
  const names = await proposed(stdout, '');
  for (const name of ['serve', 'study', 'verify', 'export', 'doctor', 'mcp', 'completions'])
    t.true(names.includes(name));
  t.true((await proposed(stdout, 'export', 'runtime:x', 'b')).includes('bundle'));
  t.deepEqual(await proposed(stdout, 'verify', '--tr'), ['--trust']);
  t.deepEqual(await proposed(stdout, 'completions', 'z'), ['zsh']);
  const wrong = await runCommand(['completions', 'sh']);
  t.true(wrong.exit !== 0);
  t.regex(wrong.stderr, /SHELL is one of bash, zsh, fish/);
});

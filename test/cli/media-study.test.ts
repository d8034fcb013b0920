import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { HostError } from '../../client/host-error.ts';
import { pairWith } from '../../client/pairing.ts';
import { StudyHost } from '../../client/study-host.ts';
import { firstMissing } from '../docs/shown-blocks.ts';
import { RunningHost } from '../http/running-host.ts';
import { runCommand as run, runOn } from './command.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const sample = join(repository, 'fixtures/sample/source/media/sample.mp4');
const rights = ['--rights-holder', 'Me', '--attest-rights'];

let folder = '';
test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-study-'));
});
test.after.always(() => rm(folder, { recursive: true, force: true }));

test('one command takes the sample in, studies it, and prints what the README and the guide show, on a data root that has no host', async (t) => {
  const { exit, stdout, stderr } = await runOn(join(folder, 'one'), ['study', sample, '--language', 'ko', ...rights]);
  t.is(exit, 0, stderr);
  t.regex(stderr, /started a host on .* for this command/);
  for (const page of ['README.md', 'docs/guides/command-line.md']) {
    const shown = await printedIn(page);
    t.true(shown.length > 5, page);
    t.is(firstMissing(shown, stdout), undefined, `${page}\n${stdout}`);
  }
  // It has stopped again, and has left nothing that says it runs.
  await t.throwsAsync(stat(join(folder, 'one', 'host.json')), { code: 'ENOENT' });
});

/** What a page shows of the first study: the lines on stdout, behind the questions, without the list that it cuts short. */
async function printedIn(page: string): Promise<readonly string[]> {
  const [, block = ''] = /^(study runtime:[\s\S]*?)^```$/m.exec(await readFile(join(repository, page), 'utf8')) ?? [];
  return block.split('\n').filter((line) => line !== '' && !line.startsWith('exports: '));
}

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
  const page = 'http://127.0.0.1:4321';
  const paired = await pairWith(String(listening), pair.stdout.trim(), page);
  t.not(paired.token, authorizationToken);
  t.is((await StudyHost.connect(paired).sources()).length, 1);
  const usedUp = { instanceOf: HostError, code: 'pairing_refused' };
  await t.throwsAsync(pairWith(String(listening), pair.stdout.trim(), page), usedUp);
  const named = { MEDIA_STUDY_HOST: String(listening), MEDIA_STUDY_TOKEN: String(authorizationToken) };
  t.is((await run(['sources', '--data-root', join(folder, 'elsewhere')], named)).exit, 0);
  // The token of a host that the environment names is left in no data root.
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
  t.regex(gone.stderr, /^started a host on .* for this command\n$/);
});

test('nothing is taken in that nobody attested, and no terminal means nobody', async (t) => {
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

test('a wrong call ends with 2 and names what is wrong', async (t) => {
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

test('a file that is no media fails with the reason of its ingest', async (t) => {
  const text = join(folder, 'notes.mp4');
  await writeFile(text, 'not media');
  const { exit, stderr } = await run(['ingest', text, ...rights, '--data-root', join(folder, 'five')]);
  t.is(exit, 1);
  t.regex(stderr, /^probe_failed: /m);
});

test('of several files one that is no media fails alone, by its name, and the others are taken in', async (t) => {
  const text = join(folder, 'first.mp4');
  await writeFile(text, 'not media');
  const { exit, stdout, stderr } = await run(['ingest', text, sample, ...rights, '--data-root', join(folder, 'six')]);
  t.is(exit, 1);
  t.true(stderr.includes(`\n${text}: probe_failed: `), stderr);
  t.regex(stdout, /^source-session:[0-9a-f]{64} {2}0:50\.000 {2}sample\n$/);
});

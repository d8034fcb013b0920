import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { hostToken } from '../../cli/host-files.ts';
import { changeSettings, readSettings } from '../../cli/settings/settings-file.ts';
import { changeSmallFile, readSmallFile } from '../../storage/objects/small-file.ts';
import { takeLock } from '../../storage/process-lock.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { runCommand, startBuilt } from './command.ts';

// The files that a person and a host share: settings, token, and where the host listens.

const draftsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /\.(draft|fresh|new|\d+)$/.test(name));

interface Announced {
  readonly listening: string;
  readonly authorizationToken: string;
}

async function hostOn(t: ExecutionContext, root: string, ...flags: readonly string[]) {
  // The program of a recognizer that is there: what its model is, is looked at before it runs.
  const environment = { MEDIA_STUDY_WHISPER_CLI: process.execPath };
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root, ...flags], environment });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = (await host.announced()) as unknown as Announced;
  const change = async (set: object, signal?: AbortSignal) => {
    const answer = await fetch(`${listening}/v1/settings-changes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${authorizationToken}`,
        Origin: 'http://127.0.0.1:4321',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ schema: 'studio.settings-change.v1', set }),
      ...(signal && { signal }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return { host, change, token: authorizationToken };
}

test('bug: of settings that the command and a page changed at the same time, one was lost', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  const { change } = await hostOn(t, root);
  for (let round = 1; round <= 6; round += 1) {
    const [command, page] = await Promise.all([
      runCommand(['settings', 'set', `reviewer-label=Ann ${round}`, `port=${round}`, '--data-root', root]),
      change({ 'maximum-live-studies': round, 'maximum-study-range-ms': 600_000 + round }),
    ]);
    t.is(command.exit, 0, command.stderr);
    t.is(page.status, 200, page.text);
    t.deepEqual(Object.fromEntries((await readSettings(join(root, 'settings.json'))) ?? []), {
      'reviewer-label': `Ann ${round}`,
      port: round,
      'maximum-live-studies': round,
      'maximum-study-range-ms': 600_000 + round,
    });
  }
});

test('bug: a change was checked beside settings that another process had changed meanwhile', async (t) => {
  const path = join(await scratchFolder(t), 'settings.json');
  const seen: unknown[] = [];
  await changeSettings(path, async (before) => {
    seen.push(Object.fromEntries(before));
    if (seen.length === 1) await changeSettings(path, async () => new Map([['port', 1]]));
    return new Map([['study-workers', 2]]);
  });
  t.deepEqual(seen, [{}, { port: 1 }]);
  t.deepEqual(Object.fromEntries((await readSettings(path)) ?? []), { port: 1, 'study-workers': 2 });
});

test('the lock of a file ends with a process that is killed, and another process waits for it', async (t) => {
  const folder = await scratchFolder(t);
  const lock = join(folder, 'lock');
  await (await takeLock(lock))?.close();
  const code = `
    const { ClassicLevel } = await import('classic-level');
    const level = new ClassicLevel(${JSON.stringify(lock)});
    await level.open();
    console.log('held');
    setInterval(() => undefined, 1000);`;
  const child = startBuilt('--input-type=module', ['-e', code]);
  t.teardown(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  t.is(await takeLock(lock), null);
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
  const taken = await takeLock(lock);
  t.not(taken, null);
  t.is(await takeLock(lock), null, 'also within one process');
  await taken?.close();
  // A loss of power can leave its store like this.
  for (const name of await readdir(lock)) if (name !== 'LOCK') await truncate(join(lock, name), 0);
  const again = await takeLock(lock);
  t.not(again, null);
  await again?.close();
  t.is((await stat(lock)).mode & 0o777, 0o700);
  for (const name of await readdir(lock)) t.is((await stat(join(lock, name))).mode & 0o077, 0, name);
});

test('bug: a settings file that a loss of power had emptied let neither the host nor a command start', async (t) => {
  const root = join(await scratchFolder(t), 'root');
  await mkdir(root, { mode: 0o700 });
  const path = join(root, 'settings.json');
  for (const content of ['', '\0'.repeat(4096), '\n']) {
    await writeFile(path, content);
    const named = `${path} is empty, perhaps since a loss of power: it sets nothing, and every option has its default\n`;
    const { host } = await hostOn(t, root);
    t.true(host.stderr.includes(named), host.stderr);
    await host.kill();
    const shown = await runCommand(['settings', '--data-root', root]);
    t.deepEqual([shown.exit, shown.stderr], [0, named]);
    const set = await runCommand(['settings', 'set', 'port=0', '--data-root', root]);
    t.is(set.exit, 0, set.stderr);
    t.is(await readFile(path, 'utf8'), '{\n  "port": 0\n}\n');
    const other = join(dirname(root), 'other.json');
    await writeFile(other, content);
    const given = await hostOn(t, root, '--settings', other);
    t.regex(given.host.stderr, /other\.json is empty, /);
    await given.host.kill();
  }
});

test('bug: a token file that a loss of power had emptied kept the host from starting', async (t) => {
  const folder = await scratchFolder(t);
  const file = join(folder, 'token');
  for (const content of ['', '\0'.repeat(65)]) {
    await writeFile(file, content, { mode: 0o600 });
    const said: string[] = [];
    // Two hosts of one token file that start at once, as after a loss of power.
    const [one, other] = await Promise.all([0, 1].map(() => hostToken(file, (line) => void said.push(line))));
    t.regex(one ?? '', /^[a-f0-9]{64}$/);
    t.is(other, one);
    t.is(await readFile(file, 'utf8'), `${one}\n`);
    t.is((await stat(file)).mode & 0o777, 0o600);
    t.deepEqual(said, [`--token-file ${file} was empty, perhaps since a loss of power: a new token is in it now`]);
  }
  await writeFile(join(folder, 'real'), '', { mode: 0o600 });
  await symlink('real', join(folder, 'link'));
  const behind = await hostToken(join(folder, 'link'));
  t.is(await readFile(join(folder, 'real'), 'utf8'), `${behind}\n`);
});

test('bug: drafts of killed processes stayed in the data root for good', async (t) => {
  const folder = await scratchFolder(t);
  const [root, token] = [join(folder, 'root'), join(folder, 'token')];
  await mkdir(root, { mode: 0o700 });
  const gone = 4_194_304;
  const left = [
    `settings.json.${gone}`,
    `host.json.${gone}`,
    'host.json.new',
    'console.html.fresh',
    '.settings.json.draft',
  ];
  // The command before the first host was killed; all but its drafts come later.
  await writeFile(join(root, `settings.json.${gone}`), '{');
  const first = await hostOn(t, root);
  await first.host.kill();
  for (const name of [...left, `console.html.${gone}`]) await writeFile(join(root, name), 'draft');
  await writeFile(join(folder, '.token.draft'), 'draft', { mode: 0o600 });
  // A copy of the person, and the draft of a process that runs.
  const kept = ['settings.json.20261128', 'settings.json.bak', `settings.json.${process.pid}`];
  for (const name of kept) await writeFile(join(root, name), '{}');
  await hostOn(t, root, '--token-file', token);
  t.deepEqual((await draftsIn(root)).sort(), kept.filter((name) => !name.endsWith('.bak')).sort());
  t.deepEqual((await readdir(folder)).sort(), ['.token.lock', 'root', 'token']);
});

test('bug: the draft of a change under way was taken for a leftover', async (t) => {
  const folder = await scratchFolder(t);
  const root = join(folder, 'root');
  await mkdir(root, { mode: 0o700 });
  const path = join(root, 'settings.json');
  await changeSmallFile(path, async (held) => {
    await writeFile(join(root, '.settings.json.draft'), '{}');
    await hostOn(t, root);
    t.deepEqual(await draftsIn(root), ['.settings.json.draft']);
    await held.replace(Buffer.from('{}\n'));
  });
  t.is(await readFile(path, 'utf8'), '{}\n');
  t.deepEqual(await draftsIn(root), []);
});

/** Entries of other kinds in the place of a small file. */
async function oddEntries(t: ExecutionContext): Promise<Readonly<Record<string, string>>> {
  const folder = await scratchFolder(t);
  const [pipe, large, socket] = [join(folder, 'pipe'), join(folder, 'large'), join(folder, 'socket')];
  execFileSync('mkfifo', ['-m', '600', pipe]);
  await writeFile(large, '', { mode: 0o600 });
  // Sparse: it takes no space.
  await truncate(large, 2 ** 40);
  const server = createServer().listen(socket);
  t.teardown(() => server.close());
  return { device: '/dev/zero', pipe, folder, large, socket };
}

test('bug: a host and its commands waited forever for a pipe or a device in the place of a small file', async (t) => {
  const odd = await oddEntries(t);
  const root = join(await scratchFolder(t), 'root');
  for (const [what, path] of Object.entries(odd)) {
    await t.throwsAsync(readSmallFile(path), { message: /^it is not a regular file$|^it has \d+ bytes/ }, what);
    const shown = await runCommand(['settings', '--settings', path, '--data-root', root]);
    t.is(shown.exit, 2, what);
    t.regex(shown.stderr, /^\/.*: it (is not a regular file|has \d+ bytes, and at most \d+ are read)/, what);
    await t.throwsAsync(hostToken(path), { code: 'invalid_host_token' }, what);
  }
});

test('bug: a setting that named a device or a pipe over HTTP was never answered, and the host did not stop', async (t) => {
  const odd = await oddEntries(t);
  const root = join(await scratchFolder(t), 'root');
  const { host, change } = await hostOn(t, root);
  for (const [what, model] of [...Object.entries(odd), ['all folders', '/']]) {
    const { status, text } = await change({
      'semantic-recognizer': 'whisper-cli',
      'semantic-recognizer-model': model,
      'allow-real-semantic-evidence': true,
    });
    t.is(status, 409, `${what}: ${text}`);
    t.regex(text, /engine_unavailable/, what);
  }
  const set = await change({ 'maximum-live-studies': 9 });
  t.is(set.status, 200, set.text);
  t.deepEqual(await host.stop(), { code: 0, signal: null });
  await rm(root, { recursive: true });
});

/** A small volume of its own; null where this user may not mount one. */
function smallVolume(t: ExecutionContext, folder: string): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'none', folder], { stdio: 'pipe' });
  } catch {
    t.log('skipped: this user may not mount a volume of a given size');
    return null;
  }
  t.teardown(() => execFileSync('umount', ['-l', folder]));
  return folder;
}

const full = 'its volume is full; make room, or choose another place (ENOSPC)';

for (const isChangedBefore of [true, false]) {
  const what = isChangedBefore ? 'another change' : 'the first change';
  test(`bug: settings on a full volume were an internal failure over HTTP, and not said as by the command: ${what}`, async (t) => {
    const folder = await scratchFolder(t);
    const volume = smallVolume(t, await mkdtemp(join(folder, 'volume-')));
    if (volume === null) {
      t.pass();
      return;
    }
    const path = join(volume, 'settings.json');
    await writeFile(path, '{}\n');
    const root = join(folder, 'root');
    const { change } = await hostOn(t, root, '--settings', path);
    if (isChangedBefore) t.is((await change({ 'maximum-live-studies': 9 })).status, 200);
    const before = await readFile(path, 'utf8');
    const filler = join(volume, 'filler');
    t.throws(() => execFileSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k'], { stdio: 'pipe' }));
    const refused = await change({ 'maximum-live-studies': 8, 'reviewer-label': 'A'.repeat(80) });
    t.is(refused.status, 507, refused.text);
    t.like(JSON.parse(refused.text), { error: { code: 'insufficient_storage' } });
    t.true(refused.text.includes(`nothing was changed: the settings file: ${full}`), refused.text);
    const set = await runCommand(['settings', 'set', 'port=1', '--settings', path, '--data-root', root]);
    t.deepEqual([set.exit, set.stderr], [1, `${path}: ${full}\n`]);
    t.is(await readFile(path, 'utf8'), before);
    t.deepEqual(await draftsIn(volume), []);
    await rm(filler);
    const taken = await change({ 'maximum-live-studies': 8 });
    t.is(taken.status, 200, taken.text);
  });
}

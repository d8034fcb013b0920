import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { HostSettings } from '../../contract/settings.ts';
import { RunningHost } from '../http/running-host.ts';
import { eventually, patienceMs } from '../patience.ts';
import { withoutDownloader } from '../without-downloader.ts';
import { isAlive } from './command.ts';

// A host that restarts for its operator keeps its address, its settings and its parent process.

interface Address {
  readonly listening: string;
  readonly authorizationToken: string;
}

const fields = ({ listening, authorizationToken }: Address) => ({
  Authorization: `Bearer ${authorizationToken}`,
  'Content-Type': 'application/json',
  Origin: listening,
});

const settingsOf = async (host: Address): Promise<HostSettings> => {
  const answer = await fetch(`${host.listening}/v1/settings`, { headers: fields(host) });
  return (await answer.json()) as HostSettings;
};

async function post(host: Address, path: string, request: object): Promise<number> {
  const answer = await fetch(`${host.listening}${path}`, {
    method: 'POST',
    headers: fields(host),
    body: JSON.stringify(request),
  });
  return answer.status;
}

const identified = { 'reviewer-id': 'reviewer:ann' };
const change = (set: object) => ({ schema: 'studio.settings-change.v1', set });
const settingOf = ({ settings }: HostSettings, of: string) => settings.find(({ name }) => name === of)?.value;

/** Restarts a host, and waits until it is back at the same address with the same token. */
async function restarted(t: ExecutionContext, host: Address): Promise<HostSettings> {
  const { startedAt } = await settingsOf(host);
  t.is(await post(host, '/v1/host-restarts', { schema: 'studio.host-restart-request.v1' }), 202);
  let settings: HostSettings | undefined;
  const isBack = async () => {
    settings = await settingsOf(host).catch(() => undefined);
    return settings !== undefined && settings.startedAt !== startedAt;
  };
  await eventually('the host to be back', isBack, 50);
  if (settings === undefined) throw new Error('it is not back');
  return settings;
}

async function newRoot(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'restart-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'root');
}

test('a host restarts twice with its settings, address and token, and ends by a signal to the first process', async (t) => {
  const root = await newRoot(t);
  const host = new RunningHost({ flags: ['--data-root', root, '--port', '0'] });
  t.teardown(() => host.kill());
  const address = (await host.announced()) as unknown as Address & { readonly pid: number };
  t.is(await post(address, '/v1/settings-changes', change(identified)), 200);
  t.is(settingOf(await settingsOf(address), 'reviewer-id'), null);
  const settings = await restarted(t, address);
  t.is(settingOf(settings, 'reviewer-id'), 'reviewer:ann');
  t.false(settings.restart.isNeeded);
  await restarted(t, address);
  const { pid } = JSON.parse(await readFile(join(root, 'host.json'), 'utf8')) as { readonly pid: number };
  process.kill(address.pid, 'SIGTERM');
  t.deepEqual(await host.ended, { code: 0, signal: null });
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});

for (const kept of ['first', 'successor']) {
  test(`bug: a host (${kept}) whose keeper is killed while it starts ends, and does not listen for ever`, async (t) => {
    const host = spawn(
      process.execPath,
      ['build/media-study.js', 'serve', '--data-root', await newRoot(t), '--port', '0'],
      {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        env: { ...process.env, ...withoutDownloader, MEDIA_STUDY_KEPT: kept },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      },
    );
    t.teardown(() => host.kill('SIGKILL'));
    host.disconnect();
    t.deepEqual(await once(host, 'exit', { signal: AbortSignal.timeout(patienceMs) }), [0, null]);
  });
}

test('the host of a command that stays restarts under it, with settings in the place of its own options', async (t) => {
  const root = await newRoot(t);
  const command = spawn(process.execPath, ['build/media-study.js', 'open', '--data-root', root], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, ...withoutDownloader, BROWSER: 'true' },
    stdio: 'ignore',
  });
  t.teardown(() => command.kill('SIGKILL'));
  const ended = new Promise((resolve) => command.once('close', resolve));
  const file = async (): Promise<Address & { readonly pid: number }> =>
    JSON.parse(await readFile(join(root, 'host.json'), 'utf8'));
  await eventually('the host of the command', async () => (await file().catch(() => null)) !== null, 50);
  const address = await file();
  const before = await settingsOf(address);
  t.like(
    before.settings.find(({ name }) => name === 'caption-executor'),
    { value: 'grouped-subtitles', source: 'command' },
  );
  const recorded = { 'caption-executor': 'deterministic-test', 'allow-deterministic-caption-test-seam': true };
  t.is(await post(address, '/v1/settings-changes', change(recorded)), 200);
  const now = (await settingsOf(address)).settings.find(({ name }) => name === 'caption-executor');
  t.like(now, { value: 'deterministic-test', source: 'file' });
  t.is(settingOf(await restarted(t, address), 'caption-executor'), 'deterministic-test');
  const { pid } = await file();
  command.kill('SIGINT');
  await ended;
  await eventually('the host to end with its command', () => !isAlive(pid), 50);
  t.pass();
});

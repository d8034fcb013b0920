import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdir, realpath, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { readSettings } from '../../cli/settings/settings-file.ts';
import { StudyHost } from '../../client/study-host.ts';
import { runCommand } from '../cli/command.ts';
import { studyUntil } from '../client/asked-study.ts';
import { RunningHost } from '../http/running-host.ts';
import { eventually } from '../patience.ts';
import { scratchFolder, seededNumbers } from '../storage/ledger/scratch.ts';

// A volume that loses its power: XFS on a loop device, shut down under load without its log. XFS keeps a name that was not synced and
// loses the bytes behind it, so that a file is empty or full of NUL. Whatever was answered must be there after the next mount.

const rounds = Number(process.env.MEDIA_STUDY_TEST_POWER_LOSSES ?? 50);
const below = seededNumbers(Number(process.env.MEDIA_STUDY_TEST_SEED ?? 20_261_128));
const run = (command: string, ...args: string[]): string => execFileSync(command, args, { stdio: 'pipe' }).toString();

/** The power goes within this time after a page and a command had an answer, in ms. */
const lifeMs = 1_000;

interface Announced {
  readonly listening: string;
  readonly authorizationToken: string;
}

/** A volume of XFS on a file; null if a tool or a right is missing, which the log names. */
async function xfsVolume(t: ExecutionContext, folder: string) {
  const [image, volume] = [join(folder, 'image'), join(folder, 'volume')];
  await writeFile(image, '');
  await truncate(image, 512 * 1024 * 1024);
  await mkdir(volume);
  let device: string;
  try {
    run('xfs_io', '-V');
    run('mkfs.xfs', '-q', image);
    device = run('losetup', '--find', '--show', image).trim();
    t.teardown(() => void run('losetup', '--detach', device));
    run('mount', device, volume);
  } catch (error) {
    t.log(`skipped: a volume of XFS needs root, loop devices and xfsprogs: ${String(error).split('\n')[0]}`);
    return null;
  }
  t.teardown(() => void run('umount', '--lazy', volume));
  return {
    path: volume,
    /** Ends the volume at once, without its log. It is mounted again when all its users have ended. */
    losePower: () => run('xfs_io', '-x', '-c', 'shutdown', volume),
    mountAgain: async () => {
      for (let looks = 0; ; looks += 1) {
        try {
          run('umount', volume);
          break;
        } catch (error) {
          if (looks === 50) throw error;
          await delay(100);
        }
      }
      run('mount', device, volume);
    },
  };
}

/** Writes without an end, and syncs nothing. */
const loadOn = (volume: string): ChildProcess =>
  spawn('sh', ['-c', `while :; do dd if=/dev/zero of=${volume}/ballast bs=1M count=64 2>/dev/null || exit; done`], {
    detached: true,
    stdio: 'ignore',
  });

/** It ends by itself once it cannot write; else with its group. */
function endLoad({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}

async function startOn(t: ExecutionContext, root: string, tokenFile: string) {
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root, '--token-file', tokenFile] });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = (await host.announced()) as unknown as Announced;
  const client = StudyHost.connect({ baseUrl: listening, token: authorizationToken }, { reconnectMs: 0 });
  const change = async (set: object): Promise<boolean> => {
    const answer = await fetch(`${listening}/v1/settings-changes`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${authorizationToken}`,
        Origin: 'http://127.0.0.1:4321',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ schema: 'studio.settings-change.v1', set }),
    });
    await answer.arrayBuffer();
    return answer.status === 200;
  };
  return { host, client, change, token: authorizationToken };
}

/** The last value of a setting that was answered, and the one that was sent and may be there. */
class Asked {
  answered = 0;
  sent = 0;

  async next(send: (value: number) => Promise<boolean>): Promise<boolean> {
    this.sent += 1;
    const value = this.sent;
    const isAnswered = await send(value).catch(() => false);
    if (isAnswered) this.answered = value;
    return isAnswered;
  }
}

test('no change of settings, no token and no study that was answered is lost with the power', async (t) => {
  t.timeout(rounds * 60_000, 'power losses');
  const volume = await xfsVolume(t, await realpath(await scratchFolder(t)));
  if (volume === null) {
    t.pass();
    return;
  }
  const root = join(volume.path, 'root');
  const [pages, commands] = [new Asked(), new Asked()];
  const studies = new Set<string>();
  let [answers, lost] = [0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    const tokenFile = join(volume.path, `token-${round}`);
    const load = loadOn(volume.path);
    const first = await startOn(t, root, tokenFile);
    let isOn = true;
    const whileOn = async (step: () => Promise<boolean>): Promise<void> => {
      while (isOn) {
        if (!(await step())) return;
        if (isOn) answers += 1;
      }
    };
    const session = (await first.client.sources()).find(({ durationMs }) => durationMs > 0);
    const endMs = 500 + 10 * round;
    const working = Promise.all([
      whileOn(() => pages.next((value) => first.change({ 'maximum-live-studies': 100 + value }))),
      whileOn(() =>
        commands.next(async (value) => {
          const words = ['settings', 'set', `reviewer-label=Ann ${value}`, '--data-root', root];
          return (await runCommand(words)).exit === 0;
        }),
      ),
      session === undefined
        ? null
        : first.client
            .study(session, studyUntil(endMs, 'evidence'))
            .started.then(({ runtimeId }) => void studies.add(runtimeId))
            .catch(() => undefined),
    ]);
    const [pagesBefore, commandsBefore] = [pages.answered, commands.answered];
    await eventually(
      'a page and a command have an answer',
      () => pages.answered > pagesBefore && commands.answered > commandsBefore,
    );
    await delay(below(lifeMs));
    volume.losePower();
    isOn = false;
    await first.host.kill();
    endLoad(load);
    await working;
    await volume.mountAgain();

    const settings = await readSettings(join(root, 'settings.json'));
    for (const [asked, value] of [
      [pages, Number(settings?.get('maximum-live-studies') ?? 100) - 100],
      [commands, Number(String(settings?.get('reviewer-label') ?? 'Ann 0').slice('Ann '.length))],
    ] as const) {
      const isThere = value >= asked.answered && value <= asked.sent;
      if (!isThere) lost += 1;
      t.true(isThere, `round ${round}: ${value} is there, ${asked.answered} was answered`);
      asked.answered = value;
    }
    const next = await startOn(t, root, tokenFile);
    t.is(next.token, first.token, `round ${round}`);
    for (const runtimeId of studies) t.is((await next.client.status(runtimeId)).runtimeId, runtimeId);
    await next.host.kill();
  }
  t.log(`${rounds} power losses, ${answers} answered changes of settings, ${studies.size} studies: ${lost} lost`);
});

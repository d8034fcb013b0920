import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * The data that a host hands to the next one when it restarts, so that its clients find it again. It has the port, the token, and
 * whether the host ends with a command.
 */
const handover = z.object({ port: z.number(), token: z.string(), endsWithCommand: z.boolean() });
export type Handover = z.infer<typeof handover>;

/** The message between a host and the process before it, its keeper, in both directions: another host follows. */
const succession = z.object({ successor: handover });

/** Set for a host whose keeper starts the next one; `successor` for a host that gets a handover first. */
const keeperVariable = 'MEDIA_STUDY_KEPT';

const program = fileURLToPath(new URL('media-study.js', import.meta.url));

/** A host in a process of its own, which ends with this process, also by kill -9. */
export function spawnHost(flags: readonly string[], stdio: SpawnOptions['stdio'], next: Handover | null): ChildProcess {
  const child = spawn(process.execPath, [...process.execArgv, program, 'serve', ...flags], {
    stdio,
    // Ctrl-C ends this process, which then lets its host stop in order.
    detached: true,
    env: { ...process.env, [keeperVariable]: next === null ? 'first' : 'successor' },
  });
  // The token goes through the channel: other programs of this user could read it in the environment.
  if (next !== null) child.send({ successor: next });
  return child;
}

/** The handover that a host leaves when it ends to be started again; null for one that just ended. */
export function followHandover(child: ChildProcess): () => Handover | null {
  let next: Handover | null = null;
  child.on('message', (message) => {
    next = succession.safeParse(message).data?.successor ?? next;
  });
  return () => next;
}

/** Ends this process if its keeper ends while it starts, also by kill -9. Once it listens, `HostEnd` stops it in order instead. */
export function endWithKeeper(): void {
  if (process.env[keeperVariable] === undefined) return;
  if (!process.connected) process.exit(0);
  process.once('disconnect', () => process.exit(0));
}

/** The handover of the host before this one; null for a first host. */
export async function receivedHandover(): Promise<Handover | null> {
  if (process.env[keeperVariable] !== 'successor' || !process.connected) return null;
  const [message] = await once(process, 'message');
  return succession.parse(message).successor;
}

/** True if the process that started this host starts the next one. */
export const isKept = (): boolean => process.env[keeperVariable] !== undefined && process.connected === true;

/**
 * Lets the next host follow this one, which has stopped. The caller knows only the process of the first host, which keeps the
 * terminal. So this process stays, as the keeper of the hosts that follow. Resolves with the exit code.
 */
export async function succeeded(flags: readonly string[], first: Handover): Promise<number> {
  if (isKept()) {
    await new Promise<void>((resolve) => process.send?.({ successor: first }, () => resolve()));
    return 0;
  }
  for (let next: Handover | null = first; ; ) {
    const child = spawnHost(flags, ['ignore', 'inherit', 'inherit', 'ipc'], next);
    const after = followHandover(child);
    let signals = 0;
    const stop = () => {
      signals += 1;
      // A host without its keeper stops in order; a second signal ends it at once, as it does a first host.
      if (signals === 1 && child.connected) child.disconnect();
      else child.kill('SIGKILL');
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeAllListeners(signal).on(signal, stop);
    process.removeAllListeners('disconnect').once('disconnect', stop);
    const [code] = (await once(child, 'close')) as [number | null];
    next = after();
    if (next === null) return code ?? 1;
  }
}

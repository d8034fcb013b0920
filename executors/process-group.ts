import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import type { ChildExit, ChildHandle } from './guarded-process.ts';
import { ProcessFailure, type ProcessRequest } from './process.ts';
import type { WallCommand } from './process-walls.ts';

/**
 * Starts a tool as the leader of its own process group: no shell, bare environment, `folder` as home,
 * working folder and place of temporary files. Rejects with `launch_failed` when the system gives no process.
 */
export async function spawnGroup(
  { walls, prefix }: WallCommand,
  request: ProcessRequest,
  folder: string,
  pathText: string,
): Promise<ChildHandle> {
  const [file = request.tool, ...args] = [...prefix(request.limits), request.tool, ...request.args];
  const subprocess = execa(file, args, {
    cwd: folder,
    extendEnv: false,
    env: { ...request.environment, PATH: pathText, HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8' },
    stdio: [request.stdin ?? 'ignore', 'pipe', 'pipe', ...new Array<'pipe'>(request.extraPipes ?? 0).fill('pipe')],
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    encoding: 'buffer',
    stripFinalNewline: false,
  });
  const { pid, stdin, stdout, stderr } = subprocess;
  if (pid === undefined || stdout === null || stderr === null) {
    const { code } = await subprocess;
    throw new ProcessFailure('launch_failed', `no process could be started (${code ?? 'unknown'})`);
  }
  const exited = new Promise<ChildExit>((resolve) => {
    subprocess.once('exit', (code, signal) => {
      // A namespace is empty once its first process is gone; a plain group may still hold others.
      if (walls.pidNamespace === 'none') killGroup(pid);
      resolve({ code, signal });
    });
  });
  const extra = subprocess.stdio.slice(3).filter((pipe) => pipe instanceof Readable);
  const killAll = walls.pidNamespace === 'none' ? () => killGroup(pid) : () => killNamespace(pid);
  return { stdin, stdout, stderr, extra, exited, killAll };
}

function killGroup(leader: number): void {
  sendKill(-leader);
}

// The kernel lets the first process of a namespace go only after all others in it are gone, and the wrapper waits for
// that first process: killing it, not the wrapper, makes the wrapper's exit mean that nothing is left.
function killNamespace(wrapper: number): void {
  const first = onlyChild(wrapper);
  if (first === null || !sendKill(first)) killGroup(wrapper);
}

function sendKill(target: number): boolean {
  try {
    return process.kill(target, 'SIGKILL');
  } catch {
    // It is gone already.
    return false;
  }
}

function onlyChild(parent: number): number | null {
  try {
    const child = Number.parseInt(readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8'), 10);
    return Number.isInteger(child) && child > 1 ? child : null;
  } catch {
    return null;
  }
}

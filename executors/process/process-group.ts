import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import type { ChildExit, ChildHandle } from './guarded-process.ts';
import { NO_LISTENER_EXIT, PROXY_PORT, takeListener } from './own-network.ts';
import { ProcessFailure, type ProcessProxy, type ProcessRequest } from './process.ts';
import type { SandboxCommand } from './process-sandbox.ts';

/**
 * Starts a tool as the leader of its own process group: no shell, bare environment, `folder` as home,
 * working folder and place of temporary files. Rejects with `launch_failed` when the system gives no process.
 */
export async function spawnGroup(
  { sandbox, prefix }: SandboxCommand,
  request: ProcessRequest,
  folder: string,
  pathText: string,
): Promise<ChildHandle> {
  const { tool, limits, proxy } = request;
  const handsOver = proxy !== undefined && sandbox.network === 'own';
  const [file = tool, ...args] = [...prefix(limits, proxy !== undefined), tool, ...request.args];
  const port = proxy === undefined || handsOver ? PROXY_PORT : await sharedPort(proxy);
  const environment = { ...request.environment, ...proxy?.environmentAt(port) };
  const extraPipes = new Array<'pipe'>(request.extraPipes ?? 0).fill('pipe');
  const subprocess = await begun(file, args, {
    cwd: folder,
    env: { ...environment, PATH: pathText, HOME: folder, TMPDIR: folder, LC_ALL: 'C.UTF-8' },
    stdio: [request.stdin ?? 'ignore', 'pipe', 'pipe', ...extraPipes, ...(handsOver ? ['ipc' as const] : [])],
    detached: true,
  });
  const { pid, stdin, stdout, stderr } = subprocess;
  if (pid === undefined || stdout === null || stderr === null) throw noProcess('no pipes');
  let isServed = !handsOver;
  if (handsOver) {
    takeListener(subprocess, (listener) => {
      isServed = true;
      proxy.serve(listener);
    });
  }
  const exited = new Promise<ChildExit>((resolve) => {
    subprocess.once('exit', (code, signal) => {
      // A namespace is empty once its first process is gone; a plain group may still hold others.
      if (sandbox.pidNamespace === 'none') killGroup(pid);
      resolve({ code, signal, unborn: !isServed && code === NO_LISTENER_EXIT });
    });
  });
  const extra = subprocess.stdio.slice(3).filter((pipe) => pipe instanceof Readable);
  const killAll = sandbox.pidNamespace === 'none' ? () => killGroup(pid) : () => killNamespace(pid);
  return { stdin, stdout, stderr, extra, exited, killAll };
}

const noProcess = (detail: string): ProcessFailure =>
  new ProcessFailure('launch_failed', `no process could be started (${detail})`);

/**
 * Starts a process, and rejects when the system gives none. Where descriptors have run out, Node makes an object without streams and
 * emits the error afterwards: a caller that touches the streams first never comes to listen for it, and the host would end.
 */
async function begun(file: string, args: readonly string[], options: SpawnOptions): Promise<ChildProcess> {
  let subprocess: ChildProcess;
  try {
    subprocess = spawn(file, args, options);
  } catch (error) {
    throw noProcess(codeOf(error));
  }
  if (subprocess.pid === undefined) {
    const [error] = await once(subprocess, 'error');
    throw noProcess(codeOf(error));
  }
  // Such as that of a channel whose other end has died: the exit says the same.
  subprocess.on('error', () => {});
  return subprocess;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';

/** Opens the proxy's door in the network of this machine, where a process cannot have one of its own. */
async function sharedPort(proxy: ProcessProxy): Promise<number> {
  const listener = createServer();
  try {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
  } catch {
    throw new ProcessFailure('launch_failed', 'the system gave the proxy no port');
  }
  const address = listener.address();
  proxy.serve(listener);
  return typeof address === 'object' && address !== null ? address.port : 0;
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

import { spawn } from 'node:child_process';

/** A command that has not failed by then has handed the address to a browser. */
const patienceMs = 3_000;

/** What opens a file with the browser of the system; `BROWSER` decides alone where it is set. */
function openerOf(file: string): readonly [command: string, ...args: string[]] {
  const named = process.env.BROWSER;
  if (named !== undefined && named !== '') return [named, file];
  if (process.platform === 'darwin') return ['open', file];
  if (process.platform === 'win32') return ['explorer.exe', file];
  return ['xdg-open', file];
}

/** Starts a browser with a file. False where none could be started. */
export function startBrowser(file: string): Promise<boolean> {
  const [command, ...args] = openerOf(file);
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    const timer = setTimeout(() => {
      child.unref();
      resolve(true);
    }, patienceMs);
    const settle = (isStarted: boolean): void => {
      clearTimeout(timer);
      resolve(isStarted);
    };
    child.once('error', () => settle(false));
    child.once('exit', (code) => settle(code === 0));
  });
}

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { withoutDownloader } from '../without-downloader.ts';
import { type Ended, repository } from './command.ts';

/** The program of util-linux that gives a command a terminal of its own. */
const script = '/usr/bin/script';

/** True if commands can be run at a terminal here: the `script` of other systems takes other options. */
export const hasTerminal = process.platform === 'linux' && existsSync(script);

/** So wide that no line is broken, whatever folder a test has. */
const columns = 1000;

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** A question, and what a person types then, which may follow from something that they do first. */
export type Answer = readonly [question: RegExp, typed: string | (() => Promise<string>)];

/**
 * Runs the built `media-study` at a terminal. Each answer is typed once its question is on the line, in this order. All that the terminal
 * shows is in `stdout`.
 */
export const runAtTerminal = (
  args: readonly string[],
  answers: readonly Answer[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const command = ['node', 'build/media-study.js', ...args].map(quoted).join(' ');
    const child = spawn(script, ['-qefc', `stty cols ${columns}; ${command}`, '/dev/null'], {
      cwd: repository,
      env: { ...process.env, ...withoutDownloader, ...environment },
    });
    const left = [...answers];
    let shown = '';
    let seen = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const found = left[0]?.[0].exec(shown.slice(seen)) ?? null;
      if (found === null) return;
      seen += found.index + found[0].length;
      const [, typed = ''] = left.shift() ?? [];
      if (typeof typed === 'string') child.stdin.write(`${typed}\n`);
      else void typed().then((text) => child.stdin.write(`${text}\n`), reject);
    });
    child.once('close', (code) => resolve({ exit: code ?? 1, stdout: shown.replaceAll('\r\n', '\n'), stderr: '' }));
  });

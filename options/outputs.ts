import { escapedText } from '../contract/base/grammar.ts';
import type { RequestLog } from '../http/exchange/request-log.ts';
import { meaningOf } from './failures.ts';
import { oneOf } from './flags.ts';

/** How `media-study` ends. `docs/guides/command-line.md` explains each. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  noHost: 3,
  /** The work was done, and its result is withheld or rejected. */
  withheld: 4,
  /** The captions were written, and `--strict` asks for more than they have. */
  incomplete: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Aborted once the reader of the results of this process has gone, which shows when the next one is written. */
export function readerGone(): AbortSignal {
  const gone = new AbortController();
  process.stdout.once('error', (error) => gone.abort(error));
  return gone.signal;
}

/** From here on every file and folder that this process makes is for its owner alone, whatever the shell allows others. */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

/**
 * Lets this process outlive the readers of its outputs, and the room for its log. A pager, `head` or a collector of logs may end
 * at any time. Later output is lost, which is not a failure of this process. Neither is a log that cannot be written, such as on
 * a full volume: there is no place to report it. Results that cannot be written end the process.
 */
export function outliveReaders(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'EIO' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`stdout: ${meaningOf(code) ?? 'it cannot be written'} (${code})\n`);
    process.exit(exitCodes.failed);
  });
}

/** A text of another origin for stdout: on a terminal it must not steer that, and everywhere else it stays as it is. */
export const shownOn = ({ isTTY }: { readonly isTTY?: boolean }, text: string): string =>
  isTTY === true ? escapedText(text) : text;

/** The log of the host on stderr. Each line is written before the call returns, so that none is lost when the process ends. */
export interface Log extends RequestLog {
  /** Logs the error that ends the process. */
  readonly fatal: (line: string) => void;
}

/** Writes a line for people to stderr. It may quote what came from outside, which must not steer the terminal. */
export const report = (line: string): void => void process.stderr.write(`${escapedText(line)}\n`);

/** Lines for people: what they should know of, and not every request. */
export const textLog: Log = {
  report: (line, requestId) => report(requestId === undefined ? line : `request ${requestId}: ${line}`),
  fatal: report,
  answered: null,
};

/** One JSON document a line, with every request that got its answer. `now` is in milliseconds since the epoch. */
export async function jsonLog(now: () => number): Promise<Log> {
  // Only a host that writes JSON loads it.
  const { default: pino } = await import('pino');
  const destination = pino.destination({ dest: 2, sync: true });
  // A full volume ends no host (`outliveReaders`); later lines are written again once there is room.
  destination.on('error', () => undefined);
  const lines = pino(
    {
      base: { pid: process.pid },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    destination,
  );
  return {
    report: (line, requestId) => lines.info(requestId === undefined ? {} : { requestId }, line),
    fatal: (line) => lines.fatal(line),
    answered: (request) => lines.info(request, `answered ${request.method} ${request.path} with ${request.status}`),
  };
}

/** How a process writes on stderr. */
export const logFormat = (who: 'host' | 'worker') =>
  oneOf(
    'NAME',
    ['text', 'json'],
    `text or json: the form of the log of the ${who} on stderr, as lines of text or as one JSON document a line`,
  );

import { exitCodes } from './terminal/exit-codes.ts';
import { meaningOf } from './terminal/system-failure.ts';

/** Aborted once nobody reads the results of this process any more, which shows when the next one is written. */
export function readerGone(): AbortSignal {
  const gone = new AbortController();
  process.stdout.once('error', (error) => gone.abort(error));
  return gone.signal;
}

/**
 * Lets this process outlive the readers of its outputs, and the room for its log. A pager, `head` or a collector of logs may end at
 * any time; what is written after that goes nowhere, and is no failure of what this process does. Neither is a log that cannot
 * be written, such as on a full volume: there is nowhere to say so. Results that cannot be written end the process.
 */
export function outliveReaders(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'EIO' }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    process.stderr.write(`stdout: ${meaningOf(code) ?? 'it cannot be written'} (${code})\n`);
    process.exit(exitCodes.failed);
  });
}

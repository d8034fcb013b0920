import { choice, integer } from './closed-values.ts';
import { type FlagTable, parseFlags, single } from './flags.ts';
import type { CommandWords } from './help.ts';
import { recognizerFlags, recognizerFlagsOf } from './recognizer.ts';
import { StartError } from './start-error.ts';
import { workQueueFlags, workQueueOf } from './work-queue.ts';

const leaseFlag = 'lease-ms';
const leases = { least: 1000, preset: 15_000, most: 600_000 } as const;

const flags: FlagTable = {
  ...workQueueFlags,
  [leaseFlag]: single(
    'MS',
    String(leases.preset),
    'after so long without a sign of life of this worker, another takes its work over; 1000 to 600000',
  ),
  ...recognizerFlags,
  'log-format': single('NAME', 'text', 'text or json: what the worker says on stderr, as lines or as JSON documents'),
};

export const workerWords: CommandWords = {
  usage: 'media-study worker --work-queue ADDRESS --object-source DIR [flags]',
  purpose:
    'Measures media for the hosts of a work queue, one operation at a time. It prints one line of JSON on stdout once it takes work, and everything else on stderr.',
  flags,
};

export type WorkerFlags = ReturnType<typeof workerFlags>;

/** Reads the flags of `worker`. Throws `StartError` with the closed start-up codes. */
export function workerFlags(args: readonly string[]) {
  const given = parseFlags(args, flags);
  const workQueue = workQueueOf(given);
  if (workQueue === null) throw new StartError('invalid_work_queue', '--work-queue and --object-source are needed');
  const recognizer = recognizerFlagsOf(given);
  if (recognizer?.engine === 'openai') {
    throw new StartError('executor_not_allowed', '--semantic-recognizer openai: a host asks a server by itself');
  }
  const leaseMs = integer(given, leaseFlag, leases.preset, leases.least, leases.most, 'invalid_flags');
  return { workQueue, leaseMs, recognizer, logFormat: choice(given, 'log-format', ['text', 'json']) };
}

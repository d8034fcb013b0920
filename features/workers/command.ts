import { systemClock } from '../../actors/supervision/system-clock.ts';
import { version } from '../../contract/base/program-version.ts';
import { failureLine, StartError } from '../../options/failures.ts';
import { jsonLog, type Log, textLog } from '../../options/outputs.ts';
import type { Feature } from '../feature.ts';
import { demandObjectSource, type WorkerFlags, workerFlags, workQueueNotice } from './options.ts';
import { openWorker, type Worker } from './worker.ts';

let log: Log = textLog;
const report = (line: string): void => log.report(line);

async function work({ workQueue, recognizer, notices, leaseMs, logFormat }: WorkerFlags): Promise<void> {
  if (logFormat === 'json') log = await jsonLog(systemClock.now);
  report(`Local Media Study Service ${version}, worker`);
  await demandObjectSource(workQueue);
  const { address, objectSource } = workQueue;
  const worker = await openWorker({
    workQueue: address,
    objectSource,
    leaseMs,
    recognizer,
    environment: process.env,
    clock: systemClock,
    report,
  });
  stopOnSignals(worker);
  for (const line of [workQueueNotice(workQueue), ...notices]) report(line);
  const announced = { service: 'Local Media Study Service', worker: worker.name, version, pid: process.pid };
  process.stdout.write(`${JSON.stringify(announced)}\n`);
}

function stopOnSignals(worker: Worker): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      report(`${signal}: stopping; what is under way goes back to the queue`);
      worker.close().then(
        () => process.exit(0),
        (error: unknown) => {
          report(`stopping failed: ${error instanceof Error ? error.message : error}`);
          process.exit(1);
        },
      );
    });
  }
}

/** Runs a worker until a signal ends it. Ends the process with the code of a start that is refused. */
export async function runWorker(args: readonly string[], features: readonly Feature[]): Promise<void> {
  try {
    await work(workerFlags(args, features, process.env));
  } catch (error) {
    log.fatal(failureLine(error));
    process.exit(error instanceof StartError ? error.exitCode : 1);
  }
}

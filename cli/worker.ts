import { systemClock } from '../actors/supervision/system-clock.ts';
import { openWorker, type Worker } from '../actors/workers/worker.ts';
import { version } from '../contract/base/program-version.ts';
import { failureLine, StartError } from '../options/failures.ts';
import { answersQuestion } from '../options/flags.ts';
import { jsonLog, keepFilesPrivate, type Log, outliveReaders, textLog } from '../options/outputs.ts';
import { recognizerNotice, recognizerOf } from './options/engines.ts';
import {
  demandObjectSource,
  type WorkerFlags,
  workerFlags,
  workerWords,
  workQueueNotice,
} from './options/worker-options.ts';

let log: Log = textLog;
const report = (line: string): void => log.report(line);

async function work(flags: WorkerFlags): Promise<void> {
  if (flags.logFormat === 'json') log = await jsonLog(systemClock.now);
  report(`Local Media Study Service ${version}, worker`);
  await demandObjectSource(flags.workQueue);
  const recognizer = recognizerOf(flags.recognizer, process.env);
  const { address, objectSource } = flags.workQueue;
  const worker = await openWorker({
    workQueue: address,
    objectSource,
    leaseMs: flags.leaseMs,
    recognizer,
    environment: process.env,
    clock: systemClock,
    report,
  });
  stopOnSignals(worker);
  report(workQueueNotice(flags.workQueue));
  if (recognizer !== null) report(recognizerNotice(recognizer));
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

keepFilesPrivate();
outliveReaders();
const args = process.argv.slice(2);
try {
  if (!answersQuestion(args, workerWords, (text) => process.stdout.write(text))) await work(workerFlags(args));
} catch (error) {
  log.fatal(failureLine(error));
  process.exit(error instanceof StartError ? error.exitCode : 1);
}

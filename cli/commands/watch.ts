import type { WorkProgress } from '../../contract/operation/work-progress.ts';
import { readerGone } from '../closed-outputs.ts';
import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { studyArgument } from './named-study.ts';

async function run(call: Call) {
  const { host, terminal, signal } = call;
  const runtimeId = await studyArgument(call);
  const gone = readerGone();
  const onProgress = (progress: WorkProgress) => terminal.measured('study', progress);
  try {
    for await (const event of host.follow(runtimeId, { signal: AbortSignal.any([signal, gone]), onProgress })) {
      terminal.result(event, [`${event.seq} ${event.recordedAt} ${event.type}`]);
    }
  } catch (error) {
    if (gone.aborted && !signal.aborted) return exitCodes.done;
    throw error;
  }
  const { lifecycle } = await host.status(runtimeId);
  return lifecycle === 'terminal' ? exitCodes.done : exitCodes.failed;
}

/** Follows the journal of a study. */
export const watch: HostCommand = {
  usage: 'media-study watch RUNTIME [flags]',
  purpose: 'Prints the journal of a study as it grows, to its end.',
  flags: hostFlags,
  positionals: 1,
  studyAt: 0,
  run,
};

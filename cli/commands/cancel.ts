import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { studyArgument } from './named-study.ts';

async function run(call: Call) {
  const { host, terminal } = call;
  const status = await host.cancel(await studyArgument(call));
  terminal.result(status, [`study ${status.runtimeId}: ${status.lifecycle}`]);
  return exitCodes.done;
}

/** Ends a study that has not ended. */
export const cancel: HostCommand = {
  usage: 'media-study cancel RUNTIME [flags]',
  purpose: 'Cancels a study that runs or waits; what it had stored stays readable.',
  flags: hostFlags,
  positionals: 1,
  studyAt: 0,
  run,
};

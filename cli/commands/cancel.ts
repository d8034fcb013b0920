import { argument, type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';

async function run({ host, given, terminal }: Call) {
  const status = await host.cancel(argument(given, 0, 'RUNTIME'));
  terminal.result(status, [`study ${status.runtimeId}: ${status.lifecycle}`]);
  return exitCodes.done;
}

/** Ends a study that has not ended. */
export const cancel: HostCommand = {
  usage: 'media-study cancel RUNTIME [flags]',
  purpose: 'Cancels a study that runs or waits; what it had stored stays readable.',
  flags: hostFlags,
  positionals: 1,
  run,
};

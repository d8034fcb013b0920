import type { KnownMachine } from '../../actors/opening/known-machine.ts';
import type { SandboxedLauncher } from '../../executors/process/launcher.ts';
import { ProcessFailure, type ProcessRequest } from '../../executors/process/process.ts';

/** What a machine without walls around its processes says of itself; nothing is started to find it out. */
const sandbox = {
  limits: false,
  ownSession: false,
  parentDeathSignal: false,
  noNewPrivileges: false,
  noNetwork: false,
} as unknown as SandboxedLauncher['sandbox'];

/** A machine that nothing has to be asked of. The tools are those that the data root names. */
export const idleMachine: Pick<KnownMachine, 'sandbox' | 'known' | 'note'> = {
  sandbox: new Promise(() => undefined),
  known: () => undefined,
  note: () => undefined,
};

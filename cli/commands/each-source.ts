import { IngestFailed, NotMedia } from '../../client/host-error.ts';
import type { Call } from '../terminal/call.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts';

/**
 * Works on the arguments one after the other. Of several, media that cannot be taken in ends its own work alone: a line on stderr
 * names it with the reason, the others follow, and the command ends with 1.
 */
export async function onEachSource(call: Call, work: (what: string) => Promise<ExitCode>): Promise<ExitCode> {
  const { positional } = call.given;
  let exit: ExitCode = exitCodes.done;
  for (const what of positional) {
    try {
      const ended = await work(what);
      if (ended !== exitCodes.done) exit = ended;
    } catch (error) {
      const isFile = error instanceof IngestFailed || error instanceof NotMedia;
      if (!isFile || positional.length === 1 || call.signal.aborted) throw error;
      call.terminal.remark(`${what}: ${error.code}: ${error.message}`);
      exit = exitCodes.failed;
    }
  }
  return exit;
}

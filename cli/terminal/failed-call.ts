import {
  AnswerLate,
  HostError,
  HostUnproved,
  HostUnreachable,
  IngestFailed,
  MediaUnreadable,
  NothingYet,
  NotMedia,
} from '../../client/host-error.ts';
import { escapedLine } from '../../contract/base/grammar.ts';
import { terminalRemedy } from '../../contract/causes/refusals.ts';
import { refusalCauseOf } from '../../contract/causes/stored-failures.ts';
import { failureLine, StartError } from '../../options/failures.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { asTyped, MissingArgument, programAsTyped, terminalText, WrongCall } from './call.ts';
import { NoHost } from './running-host.ts';
import { Interrupted } from './terminal.ts';

/** The word for the study in a remedy, unless the call names the study. */
const unnamed = 'RUNTIME';

/** A refusal as a line, with its cause if it has several, and with a command as the remedy if there is one. `study` is its name. */
function refusalLine({ code, message, hint }: HostError, study = unnamed): string {
  const cause = refusalCauseOf(code, message);
  const words = cause === null ? null : terminalText(cause);
  const remedy = words?.remedy ?? terminalRemedy(code, { typed: asTyped, study }) ?? hint;
  return [`${code}: ${words?.what ?? message}`, remedy ?? []].flat().join('; ');
}

/** How a call ends that failed. */
interface Failure {
  readonly line: string;
  readonly exit: ExitCode;
}

/** The call that failed: its command with the usage, the signal of Ctrl-C, and how it names its study. */
interface FailedCall {
  readonly command: string;
  readonly usage?: string | undefined;
  readonly signal?: AbortSignal;
  readonly study?: string | undefined;
}

/** The error in words, and the exit code of the process. */
export function failedEnd(error: unknown, call: FailedCall): Failure {
  const failure = failed(error, call);
  // A wrong call may be explained in several lines; the message of any other error quotes what it is about.
  return error instanceof WrongCall ? failure : { ...failure, line: escapedLine(failure.line) };
}

function failed(error: unknown, { command, usage, signal, study }: FailedCall): Failure {
  if (signal?.aborted || error instanceof Interrupted) return { line: 'interrupted', exit: exitCodes.interrupted };
  if (error instanceof MissingArgument) {
    return { line: usage === undefined ? error.message : `${error.message}; usage: ${usage}`, exit: exitCodes.usage };
  }
  if (error instanceof WrongCall) return { line: error.message, exit: exitCodes.usage };
  if (error instanceof StartError && error.exitCode === exitCodes.usage) {
    // The settings of the data root, which the call does not name.
    if (error.code === 'invalid_settings' && command !== 'settings')
      return { line: failureLine(error), exit: exitCodes.usage };
    return { line: `${error.message}; ${programAsTyped()} ${command} --help shows its flags`, exit: exitCodes.usage };
  }
  if (error instanceof NoHost) return { line: error.message, exit: exitCodes.noHost };
  // Another program has the port of the host. The hint is for programs.
  if (error instanceof HostUnproved) return { line: error.message, exit: exitCodes.noHost };
  if (error instanceof HostUnreachable) return { line: `${error.message}; ${error.hint}`, exit: exitCodes.noHost };
  if (error instanceof IngestFailed) return { line: `${error.code}: ${error.message}`, exit: exitCodes.failed };
  if (error instanceof NotMedia)
    return { line: `${error.code}: ${error.message}; ${error.hint}`, exit: exitCodes.failed };
  if (error instanceof AnswerLate || error instanceof NothingYet || error instanceof MediaUnreadable)
    return { line: `${error.message}; ${error.hint}`, exit: exitCodes.failed };
  if (error instanceof HostError) {
    return { line: refusalLine(error, study), exit: exitCodes.failed };
  }
  return { line: failureLine(error), exit: exitCodes.failed };
}

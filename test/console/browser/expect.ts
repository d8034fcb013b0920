/** Reports checks, one line each. */
export type Expect = (what: string, holds: boolean) => void;

/** Writes what was expected to stdout; a failure is the exit code of the process. */
export const expectOnStdout: Expect = (what, holds) => {
  process.stdout.write(`${holds ? 'ok  ' : 'FAIL'} ${what}\n`);
  if (!holds) process.exitCode = 1;
};

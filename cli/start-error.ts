/** A start that cannot happen: the process says why on stderr and exits with 2 for a wrong call, else with 1. */
export class StartError extends Error {
  readonly code: string;
  readonly exitCode: 1 | 2;
  constructor(code: string, message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = 'StartError';
    this.code = code;
    this.exitCode = exitCode;
  }
}

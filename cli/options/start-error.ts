import { type StartCode, startCodes } from './start-codes.ts';

/** A start that cannot happen: the process says why on stderr and exits with the code of the table. */
export class StartError extends Error {
  readonly code: StartCode;
  readonly exitCode: 1 | 2;
  constructor(code: StartCode, message: string) {
    super(message);
    this.name = 'StartError';
    this.code = code;
    this.exitCode = startCodes[code];
  }
}

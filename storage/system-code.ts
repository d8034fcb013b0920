import { constants } from 'node:os';

/** The system's name of what it refused, such as `ENOSPC`; undefined where an error is not of the system. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // libuv has no name for a used up quota: Node says `Unknown system error` and the number.
  if ('errno' in error && error.errno === -constants.errno.EDQUOT) return 'EDQUOT';
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

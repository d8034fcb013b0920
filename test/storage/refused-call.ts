import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';

/** The error with which Node tells that the system refused a call for this reason. */
export function refusedCall(reason: 'ENOSPC' | 'EDQUOT' | 'EIO' | 'EROFS'): Error {
  const errno = -constants.errno[reason];
  const code = getSystemErrorName(errno);
  return Object.assign(new Error(`${code}: refused, write`), { errno, code, syscall: 'write', path: '/data' });
}

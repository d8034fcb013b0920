import { addressFault, baseAddress } from '../executors/model-server/hosted-provider.ts';
import type { HostPermissions } from '../receipts/captions/methods.ts';
import { StartError } from './failures.ts';
import { type FlagTable, type GivenFlags, repeatable, toggle, valuesOf } from './flags.ts';
import { option, worded } from './start-text.ts';

export const serverPermissionFlag = 'permit-server';
const seamPermissionFlag = 'permit-test-seam';

const permission = { setting: { room: 'captions', change: 'at_once', role: 'permission' } } as const;

/** The flags by which a person permits what requests may name; without a request they change nothing. */
export const permissionFlags = {
  [serverPermissionFlag]: {
    ...permission,
    ...repeatable(
      'URL',
      null,
      'permits that text or sound is sent to this server, for requests that need it; the same address as that of the model server, such as http://127.0.0.1:11434/v1',
    ),
    read: serversIn,
  },
  [seamPermissionFlag]: {
    ...permission,
    ...toggle('permits captions of fixed texts, for tests of clients'),
  },
} satisfies FlagTable;

/** The addresses of permitted servers, as a host has them. Throws `StartError`, without an address that may hold a secret. */
function serversIn(given: GivenFlags, name: string): readonly string[] {
  return given.all(name).map((address) => {
    const fault = addressFault(address);
    if (fault !== null) throw new StartError('invalid_flags', worded`${option(name)} ${fault}`);
    return baseAddress(address);
  });
}

/** The permissions of a person beside those that features ask for. Throws `StartError`. */
export function permissionsOf(given: GivenFlags): Omit<HostPermissions, 'recognition'> {
  const { [serverPermissionFlag]: servers, [seamPermissionFlag]: testSeam } = valuesOf(given, permissionFlags);
  return { servers, testSeam };
}

import { lookup } from 'node:dns/promises';
import type { NameLookup } from './video-host.ts';

/** Asks the system, as every other program of this user does; IPv4 first, because more networks carry it. */
export const lookupAddresses: NameLookup = async (hostName) => {
  const found = await lookup(hostName, { all: true, verbatim: false });
  return found.map(({ address }) => address);
};

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

// The one block of IPv6 from which global unicast addresses are given out (IANA registry, RFC 4291).
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * Whether an address is one of the public internet's own. False for everything that can lead back to this machine, its
 * network or its provider (private, loopback, link-local, shared, multicast, unspecified, reserved), for every IPv6
 * form that carries an IPv4 address, for zoned addresses, and for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/** Whether an address is this machine's own loopback, in its plain form. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';
}

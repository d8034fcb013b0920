import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { NameLookup } from './video-host.ts';

// The one block of IPv6 from which global unicast addresses are given out (IANA registry, RFC 4291).
const GLOBAL_UNICAST: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/**
 * True if an address is one of the public internet's own. False for everything that can lead back to this machine, its network or
 * its provider: private, loopback, link-local, shared, multicast, unspecified and reserved addresses. False also for every IPv6
 * form that carries an IPv4 address, for zoned addresses, and for any other text.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/** True if an address is this machine's own loopback, in its plain form. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';
}

/** The destination of a request, as the URL standard reads it. */
export interface ProxyTarget {
  readonly origin: string;
  /** A name, or an address without brackets. */
  readonly hostName: string;
  readonly port: number;
}

/** The targets that may be reached. */
export interface TargetRules {
  readonly lookup: NameLookup;
  /** The one origin that is reached although its address is loopback, or null. */
  readonly openOrigin: string | null;
}

/** `address_refused`: not allowed, whatever answers there. `host_unreachable`: allowed, but nothing answers. */
export class TargetFailure extends Error {
  readonly reason: 'address_refused' | 'host_unreachable';
  constructor(reason: 'address_refused' | 'host_unreachable', detail: string) {
    super(detail);
    this.name = 'TargetFailure';
    this.reason = reason;
  }
}

const LOOKUP_MS = 10_000;
const MOST_ADDRESSES = 4;
// Below this, ports belong to other protocols: mail, shells, file shares.
const FIRST_FREE_PORT = 1024;

/** The target of `CONNECT host:port`; null for any other text. */
export function tunnelTarget(authority: string): ProxyTarget | null {
  return /^[^\s/?#@\\]+:\d{1,5}$/.test(authority)
    ? (targetOf(`https://${authority}/`, 'https:')?.target ?? null)
    : null;
}

/** The target and path of an absolute-form request, or null when it is not plain http. */
export function plainTarget(url: string): { target: ProxyTarget; path: string } | null {
  return targetOf(url, 'http:');
}

function targetOf(text: string, protocol: 'http:' | 'https:'): { target: ProxyTarget; path: string } | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.protocol !== protocol || url.username !== '' || url.password !== '') return null;
  const port = url.port === '' ? (protocol === 'http:' ? 80 : 443) : Number(url.port);
  const hostName = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { target: { origin: url.origin, hostName, port }, path: `${url.pathname}${url.search}` };
}

/**
 * Resolves the target once and answers the addresses that may be connected to, at least one. One address that is not
 * public is enough to refuse a name: names that mix both are made to deceive. Rejects with `TargetFailure`.
 */
export async function allowedAddresses(target: ProxyTarget, rules: TargetRules): Promise<readonly string[]> {
  const isOpen = target.origin === rules.openOrigin;
  if (!isOpen && target.port < FIRST_FREE_PORT && target.port !== 80 && target.port !== 443) {
    throw new TargetFailure('address_refused', `port ${target.port} is not for http`);
  }
  const addresses = isIP(target.hostName) === 0 ? await lookupInTime(target.hostName, rules.lookup) : [target.hostName];
  const isAllowed = isOpen ? isLoopbackAddress : isPublicAddress;
  if (!addresses.every(isAllowed)) throw new TargetFailure('address_refused', 'the address is not public');
  if (addresses.length === 0) throw new TargetFailure('host_unreachable', 'the name has no address');
  return addresses.slice(0, MOST_ADDRESSES);
}

async function lookupInTime(hostName: string, lookup: NameLookup): Promise<readonly string[]> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new TargetFailure('host_unreachable', 'the name was not resolved in time')),
      LOOKUP_MS,
    );
  });
  try {
    return await Promise.race([lookup(hostName), tooLate]);
  } catch (error) {
    if (error instanceof TargetFailure) throw error;
    throw new TargetFailure('host_unreachable', 'the name has no address');
  } finally {
    clearTimeout(timer);
  }
}

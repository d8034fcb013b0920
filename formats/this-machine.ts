/**
 * True if a host name is one of this machine: `localhost`, 127.0.0.0/8, and ::1, also as an IPv4 address in IPv6. So are 0.0.0.0 and
 * ::, which the system connects to its own loopback. Names below `localhost` are not: some systems look them up in the network.
 * `hostname` is that of a `URL`, which writes every spelling of an address in one way.
 */
export const isThisMachine = (hostname: string): boolean =>
  /^localhost\.?$/.test(hostname) ||
  /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/.test(hostname) ||
  /^\[::(?:1|ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}|ffff:0:0)?\]$/.test(hostname);

/** True if requests to a URL stay on this machine; false for a text that is not a URL. */
export const isOnThisMachine = (url: string): boolean => URL.canParse(url) && isThisMachine(new URL(url).hostname);

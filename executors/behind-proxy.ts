import { type FilteringProxy, openFilteringProxy } from './filtering-proxy.ts';
import type { ProxyFindings } from './proxy-findings.ts';
import type { VideoHostDeps } from './video-host.ts';
import { verdictOn } from './video-host-verdict.ts';

const NOTHING_SEEN: ProxyFindings = { requests: 0, refusedAddress: false, overLimit: false, lastOutcome: null };

/**
 * Does work whose processes reach the network through a proxy of their own, which lets `maximumBytes` pass. The proxy is
 * closed when this settles; the failure of a process becomes what the proxy saw of it.
 */
export async function behindProxy<T>(
  { lookup, openOrigin, newSecret }: Pick<VideoHostDeps, 'lookup' | 'openOrigin' | 'newSecret'>,
  maximumBytes: number,
  work: (proxy: FilteringProxy) => Promise<T>,
): Promise<T> {
  const options = { lookup, openOrigin, secret: newSecret(), maximumBytes };
  const proxy = await openFilteringProxy(options).catch((error) => {
    throw verdictOn(error, NOTHING_SEEN);
  });
  try {
    return await work(proxy);
  } catch (error) {
    throw verdictOn(error, proxy.findings);
  } finally {
    await proxy.close();
  }
}

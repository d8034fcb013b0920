import { type FilteringProxy, openFilteringProxy } from './filtering-proxy.ts';
import type { VideoHostDeps } from './video-host.ts';
import { verdictOn } from './video-host-verdict.ts';

/**
 * Does work whose processes reach the network through a proxy of their own, which lets `maximumBytes` pass. The proxy is
 * closed when this settles; the failure of a process becomes what the proxy saw of it.
 */
export async function behindProxy<T>(
  { lookup, openOrigin, newSecret }: Pick<VideoHostDeps, 'lookup' | 'openOrigin' | 'newSecret'>,
  maximumBytes: number,
  work: (proxy: FilteringProxy) => Promise<T>,
): Promise<T> {
  const proxy = openFilteringProxy({ lookup, openOrigin, secret: newSecret(), maximumBytes });
  try {
    return await work(proxy);
  } catch (error) {
    throw verdictOn(error, proxy.findings);
  } finally {
    await proxy.close();
  }
}

import type { Pairing } from '../contract/operation/pairing.ts';
import type { HostAddress } from './host-address.ts';
import { Transport } from './transport.ts';

/** Exchanges the code that the owner of a host gave to this page for a token of its own. Throws `HostError` `pairing_refused`. */
export async function pairWith(baseUrl: string, code: string, origin?: string): Promise<HostAddress> {
  const json = { schema: 'studio.pairing-request.v1', code };
  const call = { method: 'POST', json, ...(origin !== undefined && { origin }) } as const;
  const transport = new Transport({ baseUrl, token: '' }, {});
  const { authorizationToken } = await transport.json<Pairing>('/v1/pairings', call);
  return { baseUrl, token: authorizationToken };
}

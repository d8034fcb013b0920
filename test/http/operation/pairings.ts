import test from 'ava';
import { issuedPairingCode, pairing } from '../../../contract/operation/pairing.ts';
import { type HostContract, pageOrigin } from '../host/contract.ts';

const codes = '/v1/pairing-codes';
const pairings = '/v1/pairings';
const pageFields = ['access-control-allow-origin', 'access-control-expose-headers', 'vary'];

/** How a page without a token gets one. */
export function pairingOfPages(contract: HostContract): void {
  const exchange = (code: string, headers: Record<string, string> = { Origin: pageOrigin }) =>
    contract.ask('POST', pairings, { token: null, headers, json: { schema: 'studio.pairing-request.v1', code } });

  test.serial(contract.title('a page gets a token of its own for a code of the owner, once'), async (t) => {
    contract.refused(t, await contract.ask('POST', codes, { token: null, json: {} }), 'unauthorized', [
      'www-authenticate',
    ]);
    const { code } = contract.granted(t, await contract.post(codes, {}), 201, issuedPairingCode);
    contract.refused(t, await exchange(code, {}), 'origin_required');
    contract.refused(t, await exchange(code, { Origin: 'http://evil.example' }), 'origin_not_allowed');
    const { authorizationToken } = contract.granted(t, await exchange(code), 201, pairing, pageFields);
    t.is((await contract.get('/v1/source-sessions', { token: authorizationToken })).status, 200);
    contract.refused(t, await exchange(code), 'pairing_refused', pageFields);
    contract.refused(t, await contract.post(codes, { code }), 'invalid_pairing_request');
    contract.refused(t, await exchange('short'), 'invalid_pairing_request', pageFields);
    await contract.kill();
    await contract.start();
    const late = await contract.get('/v1/source-sessions', { token: authorizationToken });
    contract.refused(t, late, 'unauthorized', ['www-authenticate']);
  });

  test.serial(contract.title('a refusal can be read by a page of an allowed origin, and by no other'), async (t) => {
    const ask = (path: string, origin: string, token?: null) =>
      contract.get(path, { headers: { Origin: origin }, ...(token === null && { token }) });
    contract.refused(t, await ask('/v1/source-sessions', pageOrigin, null), 'unauthorized', [
      ...pageFields,
      'www-authenticate',
    ]);
    contract.refused(t, await ask('/v1/nothing', pageOrigin), 'not_found', pageFields);
    contract.refused(t, await ask('/v1/runtimes?limit=0', pageOrigin), 'invalid_cursor', pageFields);
    contract.refused(t, await ask('/v1/nothing', 'http://evil.example'), 'origin_not_allowed');
  });
}

import test from 'ava';
import { version } from '../../../contract/base/program-version.ts';
import { hostHealth } from '../../../contract/operation/host-health.ts';
import { type HostContract, pageOrigin } from '../host/contract.ts';

const path = '/v1/health';

/** What a host says of itself without a token. */
export function health(contract: HostContract): void {
  test.serial(contract.title('the health of a host needs no token, and says its version and no more'), async (t) => {
    const answer = await contract.get(path, { token: null });
    t.deepEqual(contract.granted(t, answer, 200, hostHealth), {
      schema: 'studio.host-health.v1',
      status: 'ok',
      version,
    });
    t.is((await contract.ask('HEAD', path, { token: null })).status, 200);
  });

  test.serial(
    contract.title('the health of a host is guarded by Host and Origin, and by its exact path'),
    async (t) => {
      const { port } = contract.client;
      const ask = (headers: Record<string, string>, target = path) => contract.get(target, { token: null, headers });
      contract.refused(t, await ask({ Host: `evil.example:${port}` }), 'host_not_allowed');
      contract.refused(t, await ask({ Origin: 'http://evil.example' }), 'origin_not_allowed');
      contract.refused(t, await ask({}, `${path}?a=1`), 'unknown_query');
      for (const other of [`${path}/`, `${path}z`, '/v1/%68ealth', '/v1']) {
        contract.refused(t, await ask({}, other), 'unauthorized', ['www-authenticate']);
      }
      const page = await ask({ Origin: pageOrigin });
      t.is(page.headers['access-control-allow-origin'], pageOrigin);
      const posted = await contract.ask('POST', path, { token: null, json: {} });
      contract.refused(t, posted, 'method_not_allowed', ['allow']);
    },
  );
}

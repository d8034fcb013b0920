import test from 'ava';
import { hostChecks } from '../../../contract/operation/host-checks.ts';
import type { HostContract } from '../host/contract.ts';

const path = '/v1/host-checks';

/** What a host finds of its machine, and which engines it has. */
export function checksOfHost(contract: HostContract): void {
  test.serial(
    contract.title('a host says what it found of its machine, and what leaves it by which engine'),
    async (t) => {
      const { checks, engines } = contract.granted(t, await contract.get(path), 200, hostChecks);
      t.deepEqual(
        checks.filter(({ state }) => state === 'failed'),
        [],
      );
      for (const check of ['ffmpeg', 'ffprobe', 'sandbox', 'space']) {
        t.true(
          checks.some((each) => each.check === check),
          check,
        );
      }
      t.deepEqual(engines.filter(({ isOn }) => isOn).map(({ engine, reach, mayCost }) => [engine, reach, mayCost])[0], [
        'detectors',
        'this_host',
        false,
      ]);
      contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
      contract.refused(t, await contract.get(`${path}?a=1`), 'unknown_query');
    },
  );
}

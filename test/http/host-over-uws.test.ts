import test from 'ava';
import { findUwsBinary, THIS_RUNTIME } from '../../http/listener/uws-binding.ts';
import { hostContract } from './host-contract.ts';
import { RunningHost } from './running-host.ts';

if (findUwsBinary(THIS_RUNTIME) !== undefined) {
  hostContract('uws');
} else {
  test('where no native binary fits, a host that must use it does not start', async (t) => {
    const host = new RunningHost({ flags: ['--port', '0', '--http-adapter', 'uws'] });
    t.deepEqual(await host.ended, { code: 1, signal: null });
    t.regex(host.stderr, /^http_adapter_unavailable: /);
    t.is(host.stdout, '');
  });
}

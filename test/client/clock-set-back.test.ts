import test from 'ava';
import { HostUnreachable } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';

test('bug: a clock that was set back kept a caller waiting for a host that was gone', async (t) => {
  const { now } = Date;
  t.teardown(() => {
    Date.now = now;
  });
  let asked = 0;
  const setBack: typeof fetch = async () => {
    asked += 1;
    Date.now = () => now() - 3_600_000;
    // A caller that still waits now would do so for an hour.
    if (asked === 4) return Response.json({});
    throw new TypeError('fetch failed');
  };
  const host = StudyHost.connect({ baseUrl: 'http://127.0.0.1:1', token: 'token' }, { reconnectMs: 1, fetch: setBack });
  await t.throwsAsync(host.health(), { instanceOf: HostUnreachable });
});

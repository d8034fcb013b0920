import test from 'ava';
import { sourceSessionList } from '../../contract/sources/source-session-list.ts';
import { TestHost } from '../host/test-host.ts';

test('the list of sources begins with the sample alone', async (t) => {
  const host = await TestHost.open(t);
  const list = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  t.is(list.sourceSessions.length, 1);
});

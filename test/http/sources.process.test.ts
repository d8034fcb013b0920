import test from 'ava';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { TestHost } from '../host/test-host.ts';
import { attach, attached, hello } from './host/subtitle-steps.ts';

// ffmpeg reads each file that is attached: 32 of them are too many for the quick run.
test('a source has at most 32 text tracks', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested', mediaTools: true });
  const { sourceSessions } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  const { sourceSessionId = '' } = sourceSessions.find(({ label }) => label === 'A hum') ?? {};
  for (let at = 0; at < 32; at += 1) await attached(t, host, sourceSessionId, hello, { label: `Lines ${at}` });
  host.refused(t, await attach(host, sourceSessionId, hello), 'subtitle_track_limit');
});

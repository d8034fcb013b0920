import test from 'ava';
import { fake } from '../process/launcher-for-tests.ts';
import { failed, openVideoHostBench, type VideoHostBench } from './video-host-for-tests.ts';

let bench: VideoHostBench;
test.before(async () => {
  bench = await openVideoHostBench();
});
test.after.always(() => bench.close());

for (const [name, reason] of [
  ['describes-live', 'live_stream'],
  ['describes-members-only', 'login_required'],
  ['describes-adults-only', 'login_required'],
  ['describes-protected', 'no_media'],
] as const) {
  test.serial(`a tool that ${name.replaceAll('-', ' ')} ends as ${reason}`, async (t) => {
    const before = bench.host.requests.length;
    await failed(t, bench.resolve('/media.mp4', { ytdlp: { ...bench.deps.ytdlp, path: fake(name) } }), reason);
    t.is(bench.host.requests.length, before);
  });
}

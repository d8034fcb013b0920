import test from 'ava';
import { tooOld } from '../../../../features/workers/engine/bullmq-queue.ts';

test('a Redis before 6.2 is named with its version, and any later one serves', (t) => {
  const info = (version: string) => `# Server\r\nredis_version:${version}\r\nredis_mode:standalone\r\n`;
  for (const version of ['6.2.0', '6.2.14', '7.0.15', '8.0.0', '10.1.2']) t.is(tooOld(info(version)), null, version);
  for (const version of ['5.0.14', '6.0.16', '6.1.240']) {
    t.is(tooOld(info(version)), `Redis ${version} is older than 6.2`);
  }
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { diskUse, garbageCollection } from '../../contract/deletion.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { TestHost } from '../host/test-host.ts';
import { within } from '../patience.ts';

/** A host on a studied data root; `count` of its objects became something else meanwhile. */
async function withOdd(t: ExecutionContext, count: number, make: (path: string) => void): Promise<TestHost> {
  const host = await TestHost.open(t, { life: 'studied' });
  const { objects } = dataRootAt(host.dataRoot);
  const paths = readdirSync(objects, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  for (const path of paths.sort().slice(0, count)) {
    rmSync(join(objects, path));
    make(join(objects, path));
  }
  return host;
}

const pipe = (path: string): void => void execFileSync('mkfifo', [path]);

test('bug: pipes in the place of objects held every answer of the disk use, and the stop of the host', async (t) => {
  // As many as Node has threads for work on files, and some more.
  const host = await withOdd(t, 8, pipe);
  const use = host.granted(t, await within('the disk use', host.get('/v1/disk-use')), 200, diskUse);
  t.true(use.total.objects.files > 8);
  const { known } = host;
  const deleted = await host.ask('DELETE', `/v1/runtimes/${known.studies.oneSecond}`);
  t.is(deleted.status, 200, deleted.body.toString());
  await within('the stop', host.stop());
  t.deepEqual(
    host.reports().filter((line) => line.includes('next start')),
    [],
  );
});

test('bug: a folder in the place of an object that nothing reaches ended every collection of garbage', async (t) => {
  const host = await TestHost.open(t, { life: 'ingested' });
  const hex = 'ab'.repeat(32);
  const { objects, quarantine } = dataRootAt(host.dataRoot);
  mkdirSync(join(objects, 'ab', hex), { recursive: true });
  const answer = await host.post('/v1/garbage-collections', { dryRun: false });
  t.is(host.granted(t, answer, 200, garbageCollection).removed.object.files, 1);
  t.deepEqual(readdirSync(join(objects, 'ab')), []);
  t.deepEqual(readdirSync(quarantine), [`${hex}.1`]);
});

import { join } from 'node:path';
import test from 'ava';
import { rowKey } from '../../../../storage/ledger/keys.ts';
import { clipIngest } from '../../../receipts/sources/sealed-clip.ts';
import { scratchFolder, startOfTest, withRawRows } from '../../../storage/ledger/scratch.ts';
import { openLife } from '../ingest-life.ts';

const day = 24 * 60 * 60 * 1000;

test('a probe that refuses the media ends the ingest and leaves no media behind', async (t) => {
  const life = await openLife(t, await scratchFolder(t));
  const ingestId = await life.open();
  await life.send(ingestId);
  await life.probed(1);
  life.probings[0]?.reject(new Error('it is not media'));
  const { failure } = await life.reaches(ingestId, 'failed');
  t.deepEqual(failure, { code: 'probe_failed', message: 'it is not media' });
  await life.holds(0);
  // The note goes after the file that it is about.
  while ((await life.notes()) > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('media that two ingests hold is removed with the second', async (t) => {
  const life = await openLife(t, await scratchFolder(t));
  const [first, second] = [await life.open(), await life.open()];
  await life.send(first);
  await life.send(second);
  await life.probed(2);
  await life.service.cancel(first);
  t.true(life.probings[0]?.signal.aborted);
  await life.holds(1);
  life.probings[1]?.reject(new Error('it is not media'));
  await life.reaches(second, 'failed');
  await life.holds(0);
});

test('an ingest that is canceled during its upload refuses the end of it and leaves nothing', async (t) => {
  const life = await openLife(t, await scratchFolder(t));
  const ingestId = await life.open();
  const upload = life.begin(ingestId);
  t.like(await life.service.cancel(ingestId), { status: 'failed', failure: { code: 'canceled' } });
  await t.throwsAsync(upload.end(), { code: 'ingest_upload_conflict' });
  await life.holds(0);
  // The note goes after the file that it is about.
  while ((await life.notes()) > 0) await new Promise((resolve) => setImmediate(resolve));
  t.throws(() => life.begin(ingestId), { code: 'ingest_upload_conflict' });
  await t.throwsAsync(life.service.cancel(ingestId), { code: 'ingest_already_terminal' });
});

test('media that is being stored for one ingest outlives the end of another with the same bytes', async (t) => {
  const life = await openLife(t, await scratchFolder(t));
  const [first, second] = [await life.open('First'), await life.open('Second')];
  await life.send(first);
  await life.probed(1);
  life.onceStored(async () => {
    await life.service.cancel(first);
    // Whoever looks for leftovers now has the time to find some.
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  await life.send(second);
  await life.probed(2);
  life.probings[1]?.resolve(clipIngest.probe);
  t.is((await life.reaches(second, 'registered')).source?.label, 'Second');
  while ((await life.notes()) > 0) await new Promise((resolve) => setImmediate(resolve));
});

test('an ingest without media is given up a day after it was opened, however often the host starts', async (t) => {
  const root = await scratchFolder(t);
  const first = await openLife(t, root);
  const [early, late] = [await first.open(), await first.open()];
  first.clock.advance(day - 1000);
  t.is(first.service.status(early).status, 'queued');
  await first.send(late);
  await first.close();

  const life = await openLife(t, root, startOfTest + day - 500);
  t.is(life.service.status(early).status, 'queued');
  life.clock.advance(500);
  t.like((await life.reaches(early, 'failed')).failure, { code: 'upload_failed' });
  t.not(life.service.status(late).status, 'failed');
  await life.close();
  const after = await openLife(t, root, startOfTest + 2 * day);
  t.like(after.service.status(early).failure, { code: 'upload_failed' });
});

test('an ingest that ends during a long upload keeps the reason of its end', async (t) => {
  const life = await openLife(t, await scratchFolder(t));
  const ingestId = await life.open();
  const upload = life.begin(ingestId);
  life.clock.advance(day);
  await life.reaches(ingestId, 'failed');
  await t.throwsAsync(upload.end(), { code: 'ingest_upload_conflict' });
  t.like(life.service.status(ingestId).failure, { code: 'upload_failed' });
  await life.holds(0);
});

test('a probe that was cut by the end of the host runs again in the next', async (t) => {
  const root = await scratchFolder(t);
  const first = await openLife(t, root);
  const ingestId = await first.open();
  await first.send(ingestId);
  await first.probed(1);
  await first.close();
  t.true(first.probings[0]?.signal.aborted);

  const life = await openLife(t, root);
  t.is(life.service.status(ingestId).status, 'probing');
  await life.probed(1);
  life.probings[0]?.resolve(clipIngest.probe);
  const { source } = await life.reaches(ingestId, 'registered');
  t.deepEqual(life.registry.list().rows, source === null ? [] : [source]);
  await life.close();
  t.deepEqual((await openLife(t, root)).service.status(ingestId).source, source);
});

test('a damaged row of an ingest is a 409 of its own, and the others answer', async (t) => {
  const root = await scratchFolder(t);
  const first = await openLife(t, root);
  const [damaged, whole] = [await first.open(), await first.open()];
  await first.close();
  await withRawRows(join(root, 'ledger'), (rows) =>
    rows.put(rowKey('snapshot', damaged), Buffer.from('not a row at all')),
  );
  const life = await openLife(t, root);
  t.throws(() => life.service.status(damaged), { code: 'stored_content_inconsistent' });
  t.throws(() => life.begin(damaged), { code: 'stored_content_inconsistent' });
  await t.throwsAsync(life.service.cancel(damaged), { code: 'stored_content_inconsistent' });
  t.is(life.service.status(whole).status, 'queued');
});

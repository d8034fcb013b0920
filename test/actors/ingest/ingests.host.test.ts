import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { rowKey } from '../../../storage/ledger/keys.ts';
import { clipIngest } from '../../receipts/sources/sealed-clip.ts';
import { scratchFolder, startOfTest, withRawRows } from '../../storage/ledger/scratch.ts';
import { newLife, openLife } from './ingest-lives.ts';
import { type Left, leave, oddities } from './odd-rows.ts';

const day = 24 * 60 * 60 * 1000;

test('a probe that refuses the media ends the ingest and leaves no media behind', async (t) => {
  const life = await newLife(t);
  const ingestId = await life.open();
  await life.send(ingestId);
  await life.probed(1);
  life.probings[0]?.reject(new Error('it is not media'));
  const { failure } = await life.reaches(ingestId, 'failed');
  t.deepEqual(failure, { code: 'probe_failed', message: 'it is not media' });
  await life.holds(0);
  // The note goes after the file that it is about.
  await life.until(async () => (await life.notes()) === 0);
});

/** The ways in which media comes to an owned ingest. */
const ways: Readonly<
  Record<string, (life: Awaited<ReturnType<typeof newLife>>, ingestId: string) => Promise<unknown>>
> = {
  'as a whole': (life, ingestId) => life.send(ingestId),
  'in parts': (life, ingestId) => {
    const { part } = life.service.beginPart(ingestId, { offset: 0, bytes: null, checksum: null });
    part.connect({ pause: () => undefined, resume: () => undefined });
    part.chunk(life.media);
    part.end();
    return part.answered;
  },
};

for (const [how, send] of Object.entries(ways)) {
  test(`bug: an ingest that failed took an object that a study had stored before, if its file had the same bytes, sent ${how}`, async (t) => {
    const life = await newLife(t);
    // A keyframe of a study, for example, that a person takes for media.
    const contentId = await life.put(life.media);
    const ingestId = await life.open();
    await send(life, ingestId);
    await life.probed(1);
    life.probings[0]?.reject(new Error('it is not media'));
    await life.reaches(ingestId, 'failed');
    await life.until(async () => (await life.notes()) === 0);
    await life.close();
    t.deepEqual(await life.objects(), [contentId.slice('sha256:'.length)]);
  });
}

test('media that two ingests hold is removed with the second', async (t) => {
  const life = await newLife(t);
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
  const life = await newLife(t);
  const ingestId = await life.open();
  const upload = life.begin(ingestId);
  t.like(await life.service.cancel(ingestId), { status: 'failed', failure: { code: 'canceled' } });
  await t.throwsAsync(upload.end(), { code: 'ingest_upload_conflict' });
  await life.holds(0);
  // The note goes after the file that it is about.
  await life.until(async () => (await life.notes()) === 0);
  t.throws(() => life.begin(ingestId), { code: 'ingest_upload_conflict' });
  await t.throwsAsync(life.service.cancel(ingestId), { code: 'ingest_already_terminal' });
});

test('media that is being stored for one ingest outlives the end of another with the same bytes', async (t) => {
  const life = await newLife(t);
  const [first, second] = [await life.open('First'), await life.open('Second')];
  await life.send(first);
  await life.probed(1);
  life.onceStored(async () => {
    await life.service.cancel(first);
    // A search for leftovers now has the time to find some.
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
  await life.send(second);
  await life.probed(2);
  life.probings[1]?.resolve(clipIngest.probe);
  t.is((await life.reaches(second, 'registered')).source?.label, 'Second');
  await life.until(async () => (await life.notes()) === 0);
});

test('bug: media that was stored when its host died, and was not noticed by its ingest, stayed without a record', async (t) => {
  const root = await scratchFolder(t);
  const first = await openLife(t, root);
  const ingestId = await first.open();
  // The host dies before the ingest gets the event.
  first.onceStored(() => new Promise(() => undefined));
  void first.send(ingestId);
  await first.until(async () => (await first.objects()).length === 1);
  await first.close();

  const life = await openLife(t, root);
  t.is(life.service.status(ingestId).status, 'queued');
  t.deepEqual(await life.objects(), []);
  t.is(await life.notes(), 0);
  t.is((await life.send(ingestId)).status, 'queued');
});

test('an ingest without media is given up a day after its opening, however often hosts start', async (t) => {
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
  const life = await newLife(t);
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

const owned: readonly Left[] = [
  { status: 'queued', value: { queued: 'awaitingMedia' }, hasMedia: false, code: 'upload_failed' },
  { status: 'queued', value: { queued: 'awaitingWorker' }, hasMedia: true, code: 'upload_failed' },
  { status: 'probing', value: 'probing', hasMedia: true, code: 'probe_failed' },
  { status: 'sealing', value: { sealing: 'writing' }, hasMedia: true, code: 'seal_failed' },
  { status: 'sealing', value: { sealing: 'registering' }, hasMedia: true, code: 'seal_failed' },
];

/** Opens an ingest in a life that ends at once; what it holds of media is on disk. */
async function openedIngest(t: ExecutionContext, root: string, hasMedia: boolean): Promise<string> {
  const life = await openLife(t, root);
  const ingestId = await life.open();
  if (hasMedia) {
    await life.send(ingestId);
    await life.probed(1);
  }
  await life.close();
  return ingestId;
}

for (const left of owned) {
  for (const [how, way] of Object.entries(oddities)) {
    const title = `an ingest in ${JSON.stringify(left.value)}, ${how}, fails and keeps no media`;
    test(title, async (t) => {
      const root = await scratchFolder(t);
      const ingestId = await openedIngest(t, root, left.hasMedia);
      await leave(root, ingestId, left, way(left.value));
      const life = await openLife(t, root);
      const { failure } = await life.reaches(ingestId, 'failed');
      t.is(failure?.code, left.code);
      await life.holds(0);
      t.is(await life.notes(), 0);
      const other = await life.open();
      t.is((await life.send(other)).status, 'queued');
    });
  }
}

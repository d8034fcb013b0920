import test, { type ExecutionContext } from 'ava';
import { type Admission, SourceRegistry } from '../../../actors/sources/source-registry.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { rowKey } from '../../../storage/ledger/keys.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import { sealedClip } from '../../receipts/sources/sealed-clip.ts';
import { openScratchLedger, scratchFolder, withRawRows } from '../../storage/ledger/scratch.ts';

const clip = sealedClip(1).source;

interface Variant {
  readonly session?: string;
  readonly revision: string;
  readonly folder?: string;
  readonly label?: string;
}

/** The sealed clip as another revision, by default of one and the same session. */
const sourceOf = ({ session = 'session:1', revision, folder, label = 'A clip' }: Variant): RegisteredSource => ({
  ...clip,
  label,
  folder: folder ?? null,
  files: clip.files.map((file) => ({ ...file, path: folder === undefined ? null : `${folder}/${file.contentId}` })),
  session: { ...clip.session, sessionId: session, revisionId: revision },
});

/** One life of a registry: what it admits is committed and then shown. */
async function living(ledger: Ledger) {
  const registry = new SourceRegistry();
  const damaged = await registry.load(ledger);
  const keep = async ({ revisionId, writes }: Admission) => {
    await ledger.commit(writes);
    registry.committed();
    return revisionId;
  };
  return {
    registry,
    damaged,
    folder: (source: RegisteredSource) => keep(registry.admitFolder(source)),
    upload: (source: RegisteredSource) => keep(registry.admitUpload(source)),
    listed: () => registry.list().rows.map(({ sourceRevisionId }) => sourceRevisionId),
  };
}

const ledgerOf = async (t: ExecutionContext): Promise<Ledger> => {
  const ledger = await openScratchLedger(t, await scratchFolder(t));
  t.teardown(() => ledger.close());
  return ledger;
};

test('a session has one row in the list, its newest revision; the older ones can still be found', async (t) => {
  const life = await living(await ledgerOf(t));
  await life.upload(sourceOf({ revision: 'r:1' }));
  t.is(await life.upload(sourceOf({ revision: 'r:2', label: 'Another label' })), 'r:2');
  t.deepEqual(life.listed(), ['r:2']);
  t.is(life.registry.current('session:1')?.session.revisionId, 'r:2');
  t.is(life.registry.revision('r:1')?.label, 'A clip');
  t.is(life.registry.current('session:none'), undefined);
});

test('the same bytes under the same names are the revision that there is', async (t) => {
  const life = await living(await ledgerOf(t));
  await life.upload(sourceOf({ revision: 'r:1' }));
  const again = life.registry.admitUpload(sourceOf({ revision: 'r:2' }));
  t.deepEqual(again, { revisionId: 'r:1', writes: [] });
  t.is(life.registry.revision('r:2'), undefined);
});

test('the same bytes are a new revision where a track is now known to be flagged as default', async (t) => {
  const life = await living(await ledgerOf(t));
  await life.upload(sourceOf({ revision: 'r:1' }));
  t.is(await life.upload({ ...sourceOf({ revision: 'r:2' }), defaultTracks: [1] }), 'r:2');
  t.deepEqual(life.listed(), ['r:2']);
});

test('an admission that did not reach the disk is written when it is repeated', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  const { writes } = first.registry.admitUpload(sourceOf({ revision: 'r:1' }));
  t.deepEqual(first.registry.admitUpload(sourceOf({ revision: 'r:1' })).writes, writes);
  await first.upload(sourceOf({ revision: 'r:1' }));
  t.deepEqual((await living(ledger)).listed(), ['r:1']);
});

test('the list is sorted by session and follows the commit only', async (t) => {
  const life = await living(await ledgerOf(t));
  for (const session of ['session:b', 'session:C', 'session:a']) {
    await life.upload(sourceOf({ session, revision: `${session}.r1` }));
  }
  t.deepEqual(life.listed(), ['session:C.r1', 'session:a.r1', 'session:b.r1']);
  const before = life.registry.list();
  life.registry.admitUpload(sourceOf({ session: 'session:a', revision: 'r:new', label: 'New' }));
  t.is(life.registry.list(), before);
  life.registry.committed();
  t.deepEqual(life.listed(), ['session:C.r1', 'r:new', 'session:b.r1']);
  t.true(life.registry.list().version > before.version);
});

test('what was committed is there in the next life', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  await first.upload(sourceOf({ revision: 'r:1' }));
  await first.upload(sourceOf({ revision: 'r:2', label: 'Another label' }));
  const life = await living(ledger);
  t.deepEqual(life.damaged, []);
  t.deepEqual(life.listed(), ['r:2']);
  t.deepEqual(life.registry.revision('r:1'), sourceOf({ revision: 'r:1' }));
});

test('an upload of a folder’s bytes takes over until the files of the folder change', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  await first.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));
  t.is(await first.upload(sourceOf({ revision: 'upload:1' })), 'upload:1');
  t.deepEqual(first.listed(), ['upload:1']);

  const unchanged = await living(ledger);
  await unchanged.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));
  t.deepEqual(unchanged.listed(), ['upload:1']);

  const changed = await living(ledger);
  await changed.folder(sourceOf({ revision: 'folder:2', folder: '/clip' }));
  t.deepEqual(changed.listed(), ['folder:2']);
});

test('a folder that moved is read where it lies; one not given is known, but not offered', async (t) => {
  const ledger = await ledgerOf(t);
  const first = await living(ledger);
  await first.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));

  const moved = await living(ledger);
  await moved.folder(sourceOf({ revision: 'folder:1', folder: '/moved' }));
  t.is(moved.registry.current('session:1')?.files[0]?.path?.startsWith('/moved/'), true);

  const without = await living(ledger);
  t.deepEqual(without.listed(), []);
  t.is(without.registry.current('session:1'), undefined);
  t.is(without.registry.withContent(clip.session.source.contentId), undefined);
  t.is(without.registry.revision('folder:1')?.folder, '/moved');
});

test('bytes are held by revisions whose files are objects, not by folders', async (t) => {
  const life = await living(await ledgerOf(t));
  const { contentId } = clip.session.source;
  await life.folder(sourceOf({ revision: 'folder:1', folder: '/clip' }));
  t.false(life.registry.holds(contentId));
  await life.upload(sourceOf({ revision: 'upload:1' }));
  await life.upload(sourceOf({ revision: 'upload:2', label: 'Another label' }));
  t.true(life.registry.holds(contentId));
  t.is(life.registry.withContent(contentId)?.session.revisionId, 'upload:2');
});

test('a damaged row takes its own revision out of the list and no other', async (t) => {
  const folder = await scratchFolder(t);
  const first = await openScratchLedger(t, folder);
  const life = await living(first);
  for (const session of ['session:a', 'session:b', 'session:c']) {
    await life.upload(sourceOf({ session, revision: `${session}.r1` }));
  }
  await first.close();
  await withRawRows(folder, async (rows) => {
    await rows.put(rowKey('source', 'session:a.r1'), Buffer.from('not a row at all'));
    await rows.put(rowKey('session', 'session:c'), Buffer.from('not a row at all'));
  });
  const ledger = await openScratchLedger(t, folder);
  t.teardown(() => ledger.close());
  const next = await living(ledger);
  t.deepEqual(next.damaged, ['session:a.r1', 'session:a', 'session:c']);
  t.deepEqual(next.listed(), ['session:b.r1']);
});

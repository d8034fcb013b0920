import test from 'ava';
import { ReachedObjects } from '../../../actors/deletion/reached-objects.ts';
import { version } from '../../../contract/base/program-version.ts';
import { newDataRoot, openStore } from '../reopening/stored-studies.ts';

const media = `sha256:${'a'.repeat(64)}`;

test('bug: a window that another version of the program kept of a pass was reached for ever', async (t) => {
  const { ledger, objectStore } = await openStore(await newDataRoot(t));
  t.teardown(() => ledger.close());
  const keep = async (key: string, program: object) => {
    const bytes = Buffer.from(`the state of ${key}`);
    const state = { contentId: await objectStore.put(bytes), bytes: bytes.length };
    const value = { sourceContentId: media, ...program, window: { state, named: state } };
    await ledger.commit([{ put: 'operation', key, value }]);
    return state.contentId;
  };
  const own = await keep('own', { program: version });
  const older = await keep('older', { program: '0.3.0-older' });
  const unnamed = await keep('unnamed', {});

  const reached = new ReachedObjects({ ledger, objectStore });
  const operations = await reached.operations();
  t.deepEqual(
    operations.toSorted((a, b) => a.key.localeCompare(b.key)),
    [
      { key: 'older', source: media, isOutdated: true },
      { key: 'own', source: media, isOutdated: false },
      { key: 'unnamed', source: media, isOutdated: true },
    ],
  );
  const spent = new Set(operations.filter(({ isOutdated }) => isOutdated).map(({ key }) => key));
  const found = await reached.find(spent);
  t.true(found.has(own));
  t.false(found.has(older));
  t.false(found.has(unnamed));
});

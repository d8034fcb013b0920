import test from 'ava';
import { DeletionFigures } from '../../../actors/deletion/deletion-figures.ts';
import { Deletions } from '../../../actors/deletion/deletions.ts';
import { Measure } from '../../../actors/deletion/measure.ts';
import { ReachedObjects } from '../../../actors/deletion/reached-objects.ts';
import { RowsOf } from '../../../actors/deletion/rows-of.ts';
import { revisionKey } from '../../../actors/ingest/ingest-revision.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { SourceUses } from '../../../actors/sources/source-uses.ts';
import { KeyedMutex } from '../../../storage/keyed-mutex.ts';
import type { Write } from '../../../storage/ledger/ledger.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { acceptedAt } from '../../receipts/sources/korean-clip.ts';
import { newDataRoot, openStore, store } from '../reopening/stored-studies.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const study = storedStudy({ version: 1, windows: 4 });
const { source } = study;
const { sessionId, revisionId } = source.session;
const newer = { ...source, session: { ...source.session, revisionId: `source-revision:${'e'.repeat(64)}` } };
const ingestId = 'owned-ingest:00000000-0000-4000-8000-000000000001';

test('bug: an ingest that registered a revision while its source was being deleted left its rows for ever', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  const { ledger, objectStore } = opened;
  t.teardown(() => ledger.close());
  await store(opened, study);
  const registry = new SourceRegistry();
  await registry.load(ledger);
  await ledger.commit(registry.admitRevision(source).writes);
  const measure = new Measure({
    ...{ ledger, objectStore, registry },
    rowsOf: new RowsOf(ledger),
    reached: new ReachedObjects({ ledger, objectStore }),
  });
  let measured = 0;
  const deletions = new Deletions({
    ...{ ledger, registry },
    sourceUses: new SourceUses(),
    clock: new SimulatedClock(Date.parse(acceptedAt)),
    mutex: new KeyedMutex(),
    // No study needs it, and no ingest is live any more when that is asked.
    needs: { ofSource: async () => null, ofLiveWork: () => null },
    measure: {
      source: async (id: string) => {
        const found = await measure.source(id);
        measured += 1;
        if (measured === 1) {
          const row: Write = {
            put: 'record',
            key: revisionKey(ingestId),
            value: { revisionId: newer.session.revisionId },
          };
          await ledger.commit([...registry.admitRevision(newer).writes, row]);
        }
        return found;
      },
    },
    figures: new DeletionFigures(),
    erasure: { note: () => ({ put: 'record', key: 'erasing/it', value: {} }), soon: () => undefined },
    runtimeDeleted: () => undefined,
    actorsDeleted: () => undefined,
  } as never);
  const { deleted } = await deletions.source(sessionId, null);
  t.like(deleted, {
    sourceRevisionIds: [revisionId, newer.session.revisionId],
    ingestIds: [ingestId],
  });
  t.deepEqual(await ledger.list('record', 'ingest/'), []);
  t.deepEqual(await ledger.list('source'), []);
});

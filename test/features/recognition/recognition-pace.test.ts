import test from 'ava';
import type { Recognizer } from '../../../executors/recognition/recognizer.ts';
import { RecognitionPace } from '../../../features/recognition/pace.ts';
import type { Ledger, Write } from '../../../storage/ledger/ledger.ts';

const recognizerOf = (model: string) =>
  ({ engine: 'pocketsphinx', tools: [], parameters: { model } }) as unknown as Recognizer;

/** A ledger in memory, as far as a pace needs one. */
function ledger() {
  const rows = new Map<string, unknown>();
  const kept: Pick<Ledger, 'list' | 'commit'> = {
    list: async (_space, prefix = '') =>
      [...rows].flatMap(([key, value]) => (key.startsWith(prefix) ? [{ key, value }] : [])),
    commit: async (writes: readonly Write[]) => {
      for (const write of writes) if ('put' in write) rows.set(write.key, write.value);
    },
  };
  return { rows, kept };
}

test('bug: the time of recognition was foretold by a pace that this machine never had', async (t) => {
  const { kept } = ledger();
  const pace = new RecognitionPace(kept, recognizerOf('en-us'));
  t.is(await pace.read(), null);
  await pace.noted(60_000, 72_000.4);
  t.deepEqual(await pace.read(), { rate: 1.2, studies: 1 });
  // A host that comes later goes on from there; another model has a pace of its own.
  t.deepEqual(await new RecognitionPace(kept, recognizerOf('en-us')).read(), { rate: 1.2, studies: 1 });
  t.is(await new RecognitionPace(kept, recognizerOf('other')).read(), null);
});

test('the newest studies count, and one without speech adds nothing', async (t) => {
  const { rows, kept } = ledger();
  const pace = new RecognitionPace(kept, recognizerOf('en-us'));
  for (let study = 0; study < 4; study += 1) await pace.noted(10_000, 2000);
  await pace.noted(0, 500);
  for (let study = 0; study < 8; study += 1) await pace.noted(10_000, 60_000);
  t.deepEqual(await pace.read(), { rate: 6, studies: 8 });
  t.is(rows.size, 8);
});

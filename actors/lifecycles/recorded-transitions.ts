import { type Ledger, LedgerError } from '../../storage/ledger/ledger.ts';
import { DamagedRow } from '../../storage/ledger/row-codec.ts';
import { type TransitionRow, transitionRow, transitionSeqOf, transitionsOf } from '../supervision/transition-rows.ts';

/** One kept transition with its number. */
export type RecordedTransition = TransitionRow & { readonly seq: number };

/** The transitions of an actor that are kept, in their order. Throws what `readStored` takes for damage. */
export async function recordedTransitions(ledger: Ledger, actorId: string): Promise<readonly RecordedTransition[]> {
  const rows = await ledger.list('transition', transitionsOf(actorId));
  return rows.map(({ key, value }) => {
    if (value instanceof DamagedRow) throw new LedgerError('damaged_row', value.error.message);
    return { ...transitionRow.parse(value), seq: transitionSeqOf(key) };
  });
}

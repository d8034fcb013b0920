import { type DeletionReceipt, deletionReceipt } from '../contract/deletion.ts';
import { hashOf } from '../formats/canonical-json.ts';
import { demandDerived } from './evidence-chain.ts';

/** The facts that identify a deletion; everything else of its receipt follows. */
export type DeletionFacts = Omit<DeletionReceipt, 'schema' | 'receiptId'>;

/** The receipt of a deletion. It is of no run, and so no artifact of one: the ledger keeps it as a row. */
export const deletionReceiptOf = (facts: DeletionFacts): DeletionReceipt => ({
  schema: 'studio.deletion.receipt.v1',
  receiptId: `deletion-receipt:${hashOf(facts)}`,
  ...facts,
});

/** Reads a stored receipt and derives it again. Throws `ZodError` and `EvidenceChainError`. */
export function reopenDeletionReceipt(stored: unknown): DeletionReceipt {
  const found = deletionReceipt.parse(stored);
  const { schema: _, receiptId: __, ...facts } = found;
  demandDerived('row', found, deletionReceiptOf(facts), 'receiptId');
  return found;
}

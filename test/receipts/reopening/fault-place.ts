import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';

/** Which link of the evidence chain an audit finds broken and where, such as `read: facts[0].endMs`; null if none. */
export function faultPlace(audit: () => void): string | null {
  try {
    audit();
    return null;
  } catch (error) {
    if (error instanceof EvidenceChainError) return `${error.link}: ${error.place}`;
    throw error;
  }
}

import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';

/** The error of this class that an attempt throws; null if it throws nothing. Any other error passes through. */
export function failureOf<Failure extends Error>(
  kind: abstract new (...given: never[]) => Failure,
  attempt: () => unknown,
): Failure | null {
  try {
    attempt();
    return null;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
}

/** The first broken link of the evidence chain that an audit finds, such as `read: facts[0].endMs`; null if none. */
export function faultPlace(audit: () => unknown): string | null {
  const fault = failureOf(EvidenceChainError, audit);
  return fault === null ? null : `${fault.link}: ${fault.place}`;
}

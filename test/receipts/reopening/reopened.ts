import type { CheckedLink } from '../../../receipts/core/checked-link.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import type { StoredContent } from '../../../receipts/core/stored-content.ts';
import { reopenRuntime, type StoredRuntime, type VerifiedRuntime } from '../../../receipts/reopening/reopen-runtime.ts';

export interface Reopening {
  readonly runtime: VerifiedRuntime;
  readonly checked: readonly CheckedLink[];
}

/** Reopens a runtime and keeps what was reported on the way. */
export async function reopened(stored: StoredRuntime, content: StoredContent): Promise<Reopening> {
  const checked: CheckedLink[] = [];
  const runtime = await reopenRuntime(stored, content, (link) => checked.push(link));
  return { runtime, checked };
}

/** Where a reopening stops: the fault, or null for a runtime that is whole. */
export async function faultOf(stored: StoredRuntime, content: StoredContent): Promise<EvidenceChainError | null> {
  try {
    await reopenRuntime(stored, content, () => undefined);
    return null;
  } catch (error) {
    if (error instanceof EvidenceChainError) return error;
    throw error;
  }
}

/** As `faultOf`, in one line: `link: place`. */
export async function placeOf(stored: StoredRuntime, content: StoredContent): Promise<string | null> {
  const fault = await faultOf(stored, content);
  return fault === null ? null : `${fault.link}: ${fault.place}`;
}

import type { WholeRuntime } from '../actors/reopening/verify-runtime.ts';
import { type CheckedLink, counted } from '../receipts/core/checked-link.ts';
import type { EvidenceChainError, EvidenceLink } from '../receipts/core/evidence-chain-error.ts';
import { journalHeadField } from '../receipts/reopening/runtime-events.ts';

/** The place of the first thing that does not hold. */
export interface VerificationFault {
  readonly link: EvidenceLink | 'store';
  readonly place: string;
  readonly contentId: string | null;
}

/** What a verification came to, as `--json` prints it. */
export interface Verification {
  readonly schema: 'studio.runtime-verification.v1';
  readonly runtimeId: string;
  readonly verdict: 'intact' | 'damaged';
  /** Number of events and chain digest, as in the field `Studio-Journal-Head`; null for a damaged runtime. */
  readonly journalHead: string | null;
  readonly checked: readonly CheckedLink[];
  readonly fault: VerificationFault | null;
}

export const faultOf = ({ link, place, contentId }: EvidenceChainError): VerificationFault => ({
  link,
  place,
  contentId,
});

export function verificationOf(
  runtimeId: string,
  checked: readonly CheckedLink[],
  outcome: WholeRuntime | VerificationFault,
): Verification {
  const isWhole = 'runtime' in outcome;
  return {
    schema: 'studio.runtime-verification.v1',
    runtimeId,
    verdict: isWhole ? 'intact' : 'damaged',
    journalHead: isWhole ? journalHeadField(outcome.head) : null,
    checked,
    fault: isWhole ? null : outcome,
  };
}

const columns = { link: 15, contentId: 'sha256:'.length + 64 } as const;

const row = (mark: string, link: string, contentId: string | null, text: string): string =>
  `${mark}  ${link.padEnd(columns.link)}  ${(contentId ?? '-').padEnd(columns.contentId)}  ${text}`;

/** One line for people: what was checked, the file that was hashed, what it is. */
export const checkedLine = ({ link, subject, contentId, detail }: CheckedLink): string =>
  row('ok  ', link, contentId, `${subject}: ${detail}`);

/** One line for people: the place of a fault. */
export const faultLine = ({ link, contentId, place }: VerificationFault): string => row('FAIL', link, contentId, place);

/** The last lines: the place of the fault, if there is one, and the verdict. */
export function verdictLines({ runtimeId, journalHead, checked, fault }: Verification): string[] {
  if (fault === null) {
    const files = new Set(checked.flatMap(({ contentId }) => (contentId === null ? [] : [contentId]))).size;
    return ['', `intact: ${runtimeId}, ${counted(files, 'file')}, journal head ${journalHead}`];
  }
  const { link, place } = fault;
  return [faultLine(fault), '', `damaged: ${runtimeId}, at ${link}: ${place}`];
}

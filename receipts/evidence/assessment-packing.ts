import { assessmentLimits } from '../../contract/evidence/evidence-assessment.ts';
import type { EvidenceFact } from '../../contract/evidence/evidence-read.ts';
import { claimCountOf } from './evidence-claims.ts';

/**
 * Puts reads into assessments: each goes into the first that still has room for it and its claims. Returns as many groups
 * as that takes.
 */
export function packReads<Read extends { readonly facts: readonly EvidenceFact[] }>(reads: readonly Read[]): Read[][] {
  const groups: { claims: number; reads: Read[] }[] = [];
  for (const read of reads) {
    const claims = claimCountOf(read.facts);
    const room = groups.find(
      (group) =>
        group.reads.length < assessmentLimits.maxReadReceipts && group.claims + claims <= assessmentLimits.maxClaims,
    );
    const group = room ?? { claims: 0, reads: [] };
    if (room === undefined) groups.push(group);
    group.claims += claims;
    group.reads.push(read);
  }
  return groups.map((group) => group.reads);
}

import {
  assessmentLimits,
  type Claim,
  type ClaimState,
  claimStates,
  type Decision,
} from '../contract/evidence/assessment.ts';
import type { EvidenceFact, EvidenceReadReceipt } from '../contract/evidence/evidence-read.ts';
import { canonicalJson, contentIdOfJson } from '../formats/canonical-json.ts';
import { hullOf } from './time-spans.ts';

/**
 * The assertion of a fact: a speech value, a language code (null for one that was not identified), or recognized words or texts.
 */
const assertionOf = (fact: EvidenceFact) => {
  if (fact.kind === 'recognised_line') return { kind: 'transcript', value: 'recognised' } as const;
  if (fact.kind === 'recognised_text') return { kind: 'screen_text', value: 'recognised' } as const;
  if (fact.kind !== 'language_range') {
    return { kind: 'speech_activity', value: fact.kind === 'speech_window' ? 'speech' : 'non_speech' } as const;
  }
  const { decision } = fact;
  return { kind: 'language_identity', value: decision.status === 'classified' ? decision.code : null } as const;
};

/** Equal for two facts that the same claim cites. */
export function claimKeyOf(fact: EvidenceFact): string {
  const { kind, value } = assertionOf(fact);
  return `${kind} ${value ?? ''}`;
}

/** The states of a claim over these facts, the gravest first; only what has none of the others is supported. */
function statesOf(facts: readonly EvidenceFact[], truncated: boolean): ClaimState[] {
  const found = new Set<ClaimState>(truncated ? ['truncated'] : []);
  for (const fact of facts) {
    if (fact.kind === 'language_range' && fact.decision.status !== 'classified') found.add(fact.decision.status);
  }
  return found.size === 0 ? ['supported'] : claimStates.filter((state) => found.has(state));
}

interface Cited {
  readonly assertion: ReturnType<typeof assertionOf>;
  readonly facts: EvidenceFact[];
  readonly indexes: number[];
}

function citedByValue(facts: readonly EvidenceFact[]): Cited[] {
  const groups = new Map<string, Cited>();
  for (const [index, fact] of facts.entries()) {
    const key = claimKeyOf(fact);
    const group = groups.get(key) ?? { assertion: assertionOf(fact), facts: [], indexes: [] };
    groups.set(key, group);
    group.facts.push(fact);
    group.indexes.push(index);
  }
  return [...groups.values()];
}

/** One claim for each value among the facts of a read, in the order of their first facts. */
function claimsOfRead(read: EvidenceReadReceipt, firstIndex: number): Claim[] {
  const receiptContentId = contentIdOfJson(read);
  return citedByValue(read.facts).map(({ assertion, facts, indexes }, order) => ({
    claimIndex: firstIndex + order,
    ...assertion,
    range: hullOf(facts),
    states: statesOf(facts, read.result.truncated),
    citations: [{ receiptId: read.receiptId, receiptContentId, factIndexes: indexes }],
  }));
}

/** All that the reads say, numbered in their order. */
export function claimsOf(reads: readonly EvidenceReadReceipt[]): Claim[] {
  const claims: Claim[] = [];
  for (const read of reads) claims.push(...claimsOfRead(read, claims.length));
  return claims;
}

/** How many claims a read with these facts gives. */
const claimCountOf = (facts: readonly EvidenceFact[]): number => new Set(facts.map(claimKeyOf)).size;

// A word, a number or an identity counts as one; so does every other visible character.
const token = /[\p{L}\p{N}_:-]+|[^\s]/gu;

/** The length of claims in structured tokens over their canonical JSON; no model's tokens. */
export const tokenCountOf = (claims: readonly Claim[]): number => canonicalJson(claims).match(token)?.length ?? 0;

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

const gapStates = ['withheld', 'unknown', 'truncated'] as const;

/**
 * The policy `withhold_on_preserved_gap_state`: any claim that is withheld, unknown or truncated withholds the study, with
 * one reason for each such state; otherwise it proceeds.
 */
export function decisionOf(states: ReadonlySet<ClaimState>): Decision {
  const gaps = gapStates.filter((state) => states.has(state));
  return gaps.length === 0
    ? { outcome: 'proceed_to_publish_review', reasonCodes: ['all_audited_claims_supported'] }
    : { outcome: 'withheld', reasonCodes: gaps.map((state) => `audited_claim_${state}` as const) };
}

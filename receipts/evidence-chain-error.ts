import { ServiceError } from '../contract/service-error.ts';
import { firstDifference } from './first-difference.ts';

/** The records that rest on each other from a detector's facts to the review queue. */
export type EvidenceLink =
  | 'evidence'
  | 'read'
  | 'assessment'
  | 'decision'
  | 'study_record'
  | 'readiness'
  | 'intake'
  | 'review'
  | 'revocation';

/**
 * A stored record of the evidence chain is not what it must be; `place` names the first field that is not, or what is
 * wrong with its bytes. On the wire it is `stored_content_inconsistent`.
 */
export class EvidenceChainError extends ServiceError {
  readonly link: EvidenceLink;
  readonly place: string;
  constructor(link: EvidenceLink, place: string, cause?: unknown) {
    super('stored_content_inconsistent', `the ${link} fails at: ${place}`);
    this.name = 'EvidenceChainError';
    this.link = link;
    this.place = place;
    this.cause = cause;
  }
}

const without = (record: object, name: string): object =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

/**
 * Throws `EvidenceChainError` at the first place where `found` is not what was derived again. Its own id comes last: it
 * differs with every other field.
 */
export function demandDerived(link: EvidenceLink, found: object, derived: object, ownId = 'receiptId'): void {
  const place = firstDifference(without(found, ownId), without(derived, ownId)) ?? firstDifference(found, derived);
  if (place !== null) throw new EvidenceChainError(link, place);
}

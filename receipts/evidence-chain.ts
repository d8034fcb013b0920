import { failureMessage, ServiceError } from '../contract/base/errors.ts';
import type { CaptionTranslation } from '../contract/captions/caption-translation.ts';
import type { Judgement } from '../contract/judgement.ts';
import type { StageLink } from '../contract/study/stages.ts';
import { firstDifference } from '../formats/canonical-json.ts';
import type { Steps } from '../formats/steps.ts';

/** The links of a runtime's chain of evidence, each resting on those before it. */
export type EvidenceLink = 'bundle' | 'signature' | 'row' | 'journal' | 'start' | 'source' | StageLink;

/**
 * A stored record of the evidence chain is not what it must be. `place` names the first wrong field, or the fault of its bytes,
 * and `contentId` the stored object if it is known. On the wire it is `stored_content_inconsistent`.
 */
export class EvidenceChainError extends ServiceError {
  readonly link: EvidenceLink;
  readonly place: string;
  readonly contentId: string | null;
  constructor(link: EvidenceLink, place: string, cause?: unknown, contentId: string | null = null) {
    const what = contentId === null ? link : `${link} ${contentId}`;
    super('stored_content_inconsistent', failureMessage(`the ${what} fails at: ${place}`));
    this.name = 'EvidenceChainError';
    this.link = link;
    this.place = place;
    this.contentId = contentId;
    this.cause = cause;
  }
}

/** Checks one stored object: a fault without a place is one of this object. */
export function checkObject<Value>(contentId: string, check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    throw asFaultOf(contentId, error);
  }
}

/** The same in steps. */
export function* checkObjectInSteps<Value>(contentId: string, check: () => Steps<Value>): Steps<Value> {
  try {
    return yield* check();
  } catch (error) {
    throw asFaultOf(contentId, error);
  }
}

const asFaultOf = (contentId: string, error: unknown): unknown =>
  error instanceof EvidenceChainError && error.contentId === null
    ? new EvidenceChainError(error.link, error.place, error.cause, contentId)
    : error;

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

/** True if two records have the same fields with the same values, in steps: one for each item of a list. */
function* areSame(found: object, derived: object): Steps<boolean> {
  const others = new Map<string, unknown>(Object.entries(derived));
  for (const [name, value] of Object.entries(found)) {
    const other = others.get(name);
    if (!others.delete(name)) return false;
    if (!Array.isArray(value) || !Array.isArray(other)) {
      if (firstDifference(value, other) !== null) return false;
      continue;
    }
    if (value.length !== other.length) return false;
    for (const [at, item] of value.entries()) {
      yield;
      if (firstDifference(item, other[at]) !== null) return false;
    }
  }
  return others.size === 0;
}

/** `demandDerived` in steps, for records with long lists. */
export function* demandDerivedInSteps(
  link: EvidenceLink,
  found: object,
  derived: object,
  ownId = 'receiptId',
): Steps<void> {
  if (!(yield* areSame(found, derived))) demandDerived(link, found, derived, ownId);
}

/** One thing that a runtime rests on or left behind, and that was found whole. */
export interface CheckedLink {
  readonly link: EvidenceLink;
  /** Its name, such as an operation's id or the name of a file. */
  readonly subject: string;
  /** The stored file that was hashed; null for what lies in the ledger. */
  readonly contentId: string | null;
  /** A few words for people: how much there was of it, or what it says. */
  readonly detail: string;
  /** By which rules it was judged; absent for what no rules decided. */
  readonly judgement?: Judgement | undefined;
}

/** Takes each checked link; that of a translation comes with its record, whose answers a program may give again. */
export type ReportLink = (checked: CheckedLink, translation?: CaptionTranslation) => void;

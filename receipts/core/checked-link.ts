import type { EvidenceLink } from './evidence-chain-error.ts';

/** One thing that a runtime rests on or left behind, and that was found whole. */
export interface CheckedLink {
  readonly link: EvidenceLink;
  /** What it is called, such as an operation's id or the name of a file. */
  readonly subject: string;
  /** The stored file that was hashed; null for what lies in the ledger. */
  readonly contentId: string | null;
  /** A few words for people: how much there was of it, or what it says. */
  readonly detail: string;
}

export type ReportLink = (checked: CheckedLink) => void;

/** A number of things in words, such as `1 fact` and `2 facts`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

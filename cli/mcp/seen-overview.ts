import type { RuntimeOverview } from '../../contract/overview/runtime-overview.ts';
import { maximumAnswerCharacters } from './paged.ts';

/** Places of each finding that an agent sees where all of them are too many for one answer. */
const fewPlaces = 5;

/** An overview within one answer: what is too long loses places first, which `read_evidence` has, and then findings. */
export function seenOverview(overview: RuntimeOverview): object {
  if (JSON.stringify(overview).length <= maximumAnswerCharacters) return overview;
  const findings = overview.findings.map((finding) => ({ ...finding, places: finding.places.slice(0, fewPlaces) }));
  const shorter = { ...overview, findings, isShortened: true };
  if (JSON.stringify(shorter).length <= maximumAnswerCharacters) return shorter;
  return { ...shorter, findings: findings.map(({ kind, title, state, text }) => ({ kind, title, state, text })) };
}

import type { Range } from '../../contract/base/grammar.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { joined } from '../core/time-spans.ts';

/**
 * How detected speech is put before a recogniser. Detected edges are late by up to 200 ms, and a word that is cut is a word
 * that is invented: so much is added on both sides. 30 s is the window of the Whisper family; what is longer is cut by it.
 */
export const REGION_RULE = { paddingMs: 200, longestMs: 30_000 } as const;

const spansOf = ({ facts }: EvidenceArtifact, kind: 'speech_window' | 'silence'): Range[] =>
  facts.flatMap((fact) => (fact.kind === kind ? [{ startMs: fact.startMs, endMs: fact.endMs }] : []));

/** The speech windows of detected speech activity, joined. */
export const speechOf = (speech: EvidenceArtifact): Range[] => joined(spansOf(speech, 'speech_window'));

const middleOf = ({ startMs, endMs }: Range): number => Math.floor((startMs + endMs) / 2);

/** What lies between spans that follow each other. */
const gapsOf = (spans: readonly Range[]): Range[] =>
  spans.slice(1).map(({ startMs }, at) => ({ startMs: spans[at]?.endMs ?? startMs, endMs: startMs }));

/** Cuts a stretch that is too long, each time at the last pause that the region reaches: where no speech is, else where it is silent. */
function pieces(stretch: Range, pauses: readonly (readonly number[])[]): Range[] {
  const cut: Range[] = [];
  let { startMs } = stretch;
  while (stretch.endMs - startMs > REGION_RULE.longestMs) {
    const latest = startMs + REGION_RULE.longestMs;
    const reached = pauses.map((times) => times.filter((ms) => ms > startMs && ms <= latest).at(-1));
    const endMs = reached.find((ms) => ms !== undefined) ?? latest;
    cut.push({ startMs, endMs });
    startMs = endMs;
  }
  return [...cut, { startMs, endMs: stretch.endMs }];
}

/**
 * The regions of a range that are recognised, in order and apart: each stretch of detected speech with its padding, those
 * that touch joined, none longer than 30 s.
 */
export function speechRegions(range: Range, speech: EvidenceArtifact, silences: EvidenceArtifact): Range[] {
  const spoken = speechOf(speech);
  const padded = spoken.map(({ startMs, endMs }) => ({
    startMs: Math.max(range.startMs, startMs - REGION_RULE.paddingMs),
    endMs: Math.min(range.endMs, endMs + REGION_RULE.paddingMs),
  }));
  const pauses = [gapsOf(spoken).map(middleOf), joined(spansOf(silences, 'silence')).map(middleOf)];
  return joined(padded).flatMap((stretch) => pieces(stretch, pauses));
}

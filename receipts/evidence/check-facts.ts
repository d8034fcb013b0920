import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { KeyframeFact, WaveformFact } from '../../contract/evidence/evidence-object.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { checkPictureFacts } from './check-picture-facts.ts';
import { checkSoundFacts } from './check-sound-facts.ts';
import { statedNumber } from './stated-number.ts';

type Measured = EvidenceArtifact | FurtherArtifact;
type Fact = Measured['facts'][number];

// The format of a waveform: five integers of 32 bits, then two of 16 bits for each window.
const headerBytes = 20;
const windowBytes = 4;

const fault = (place: string): EvidenceChainError => new EvidenceChainError('evidence', place);

/** The facts of each kind are counted from 0, each number once. Those of several channels need not be in the order of time. */
function checkCounts(facts: readonly Fact[]): void {
  const counted = new Map<string, Set<number>>();
  const totals = new Map<string, number>();
  for (const { kind } of facts) totals.set(kind, (totals.get(kind) ?? 0) + 1);
  for (const [at, fact] of facts.entries()) {
    if (!('index' in fact)) continue;
    const known = counted.get(fact.kind) ?? new Set();
    if (known.has(fact.index) || fact.index >= (totals.get(fact.kind) ?? 0)) throw fault(`facts[${at}].index`);
    counted.set(fact.kind, known.add(fact.index));
  }
}

/** Facts of these kinds are found one behind the other: they are counted in the order of time, and none overlaps another. */
const successive: readonly Fact['kind'][] = [
  'silence',
  'shot_change',
  'black',
  'frozen',
  'keyframe',
  'field_order',
  'letterbox',
];

/** A cut begins a shot, which is another moment than that of the next cut; it lies before the end of the range. */
function checkSuccession({ facts, input: { range } }: Measured): void {
  let reached = range.startMs;
  for (const [at, fact] of facts.entries()) {
    if (!successive.includes(fact.kind)) continue;
    if ('index' in fact && fact.index !== at) throw fault(`facts[${at}].index`);
    const span = fact.kind === 'shot_change' ? { startMs: fact.atMs, endMs: fact.atMs + 1 } : fact;
    if (!('startMs' in span)) continue;
    if (span.startMs < reached) throw fault(`facts[${at}]`);
    if (span.endMs <= span.startMs || span.endMs > range.endMs) throw fault(`facts[${at}]`);
    reached = span.endMs;
  }
}

/** What is measured over a whole range is one fact. */
function checkWhole({ kind, facts, input: { range } }: Measured): void {
  if (kind !== 'loudness' && kind !== 'waveform') return;
  const [fact] = facts;
  if (facts.length !== 1 || fact === undefined || !('startMs' in fact)) throw fault('facts');
  if (fact.startMs !== range.startMs) throw fault('facts[0].startMs');
  // The drawing ends with the sound.
  if (kind === 'loudness' && fact.endMs !== range.endMs) throw fault('facts[0].endMs');
}

/** Field orders follow each other without a gap from the start of the range to its end. */
function checkOrders({ kind, facts, input: { range } }: Measured): void {
  if (kind !== 'interlacing') return;
  let reached = range.startMs;
  for (const [at, fact] of facts.entries()) {
    if (fact.kind !== 'field_order') continue;
    if (fact.startMs !== reached) throw fault(`facts[${at}].startMs`);
    reached = fact.endMs;
  }
  if (facts.length > 0 && reached !== range.endMs) throw fault('facts');
}

function checkKeyframe(
  { startMs, endMs, atMs, width, height }: KeyframeFact,
  at: number,
  longest: number | null,
): void {
  if (atMs < startMs || atMs >= endMs) throw fault(`facts[${at}].atMs`);
  if (longest !== null && Math.max(width, height) > longest) throw fault(`facts[${at}].width`);
}

function checkWaveform({ startMs, endMs, windowMs, windows, bytes }: WaveformFact, at: number, stated: number | null) {
  if (stated !== null && windowMs !== stated) throw fault(`facts[${at}].windowMs`);
  if (windows !== Math.ceil((endMs - startMs) / windowMs)) throw fault(`facts[${at}].windows`);
  if (bytes !== headerBytes + windows * windowBytes) throw fault(`facts[${at}].bytes`);
}

/**
 * Checks what facts of one artifact say of each other and of its range, whatever was measured: how they are counted, and what
 * follows from their own fields. Throws `EvidenceChainError` of the evidence.
 */
export function checkFactsAmongThemselves(artifact: Measured): void {
  checkCounts(artifact.facts);
  checkWhole(artifact);
  checkOrders(artifact);
  checkSuccession(artifact);
  checkSoundFacts(artifact);
  checkPictureFacts(artifact);
  for (const [at, fact] of artifact.facts.entries()) {
    if (fact.kind === 'keyframe') checkKeyframe(fact, at, statedNumber(artifact, 'longestSide'));
    if (fact.kind === 'waveform') checkWaveform(fact, at, statedNumber(artifact, 'windowMs'));
  }
}

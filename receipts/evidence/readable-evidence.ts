import type { Artifact } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { assessmentLimits } from '../../contract/evidence/assessment.ts';
import type { DetectedFact, EvidenceArtifact, FurtherArtifact, SpeechFact } from '../../contract/evidence/evidence.ts';
import { type EvidenceObjectFact, jpegSizeOf, waveformHeaderOf } from '../../contract/evidence/evidence-object.ts';
import {
  type EvidenceFact,
  type LanguageRangeFact,
  type ReadableKind,
  readLimits,
} from '../../contract/evidence/evidence-read.ts';
import type { LanguageRange, LanguageRanges } from '../../contract/sources/languages.ts';
import { claimKeyOf } from '../../rules/claims.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import type { StoredContent } from '../stored-records.ts';

/** 16 kHz. */
export const samplesPerMs = 16;

/** An evidence artifact of a run and its facts in order of time, before any window is laid over them. */
export interface ReadableEvidence {
  readonly kind: ReadableKind;
  readonly artifact: Pick<Artifact, 'id' | 'content'>;
  readonly facts: readonly EvidenceFact[];
}

const inOrder = <Fact extends EvidenceFact>(facts: readonly Fact[]): Fact[] =>
  facts.toSorted((one, other) => one.startSample - other.startSample || one.endSample - other.endSample);

/** A speech fact whose milliseconds are those of its samples, cut to the range that was measured. */
function checkedSpeechFact(fact: DetectedFact, index: number, range: Range): SpeechFact {
  if (fact.kind !== 'speech_window' && fact.kind !== 'non_speech_window') {
    throw new EvidenceChainError('evidence', `facts[${index}].kind`);
  }
  const startMs = Math.max(Math.floor(fact.startSample / samplesPerMs), range.startMs);
  const endMs = Math.min(Math.ceil(fact.endSample / samplesPerMs), range.endMs);
  if (fact.startMs !== startMs) throw new EvidenceChainError('evidence', `facts[${index}].startMs`);
  if (fact.endMs !== endMs) throw new EvidenceChainError('evidence', `facts[${index}].endMs`);
  return fact;
}

/**
 * The speech evidence that a study detected itself. Throws `EvidenceChainError` when the artifact holds other facts or
 * facts whose times contradict their samples.
 */
export function speechEvidence(
  artifact: ReadableEvidence['artifact'],
  { kind, facts, input }: EvidenceArtifact,
): ReadableEvidence {
  if (kind !== 'speech_activity') throw new EvidenceChainError('evidence', 'kind');
  const checked = facts.map((fact, index) => checkedSpeechFact(fact, index, input.range));
  return { kind, artifact, facts: inOrder(checked) };
}

const languageFactOf = (found: LanguageRange): LanguageRangeFact => {
  const { token_id, ...decision } = found.decision;
  return {
    kind: 'language_range',
    speechWindowIndex: found.speech_window_index,
    chunkIndex: found.chunk_index,
    startSample: found.start_sample,
    endSample: found.end_sample,
    startMs: Math.floor(found.start_sample / samplesPerMs),
    endMs: Math.ceil(found.end_sample / samplesPerMs),
    decision,
  };
};

/** The spoken languages with their ranges, in order of time. */
export const languageFactsOf = ({ ranges }: LanguageRanges): LanguageRangeFact[] => inOrder(ranges.map(languageFactOf));

/** The language evidence that came with the source, over all of it. */
export const languageEvidence = (artifact: ReadableEvidence['artifact'], record: LanguageRanges): ReadableEvidence => ({
  kind: 'language_ranges',
  artifact,
  facts: languageFactsOf(record),
});

/** The lines of a study's transcript that passed every gate; withheld ones are not evidence. */
export const transcriptEvidence = (
  artifact: ReadableEvidence['artifact'],
  { facts }: EvidenceArtifact,
): ReadableEvidence => ({
  kind: 'transcript',
  artifact,
  facts: inOrder(
    facts.flatMap((fact) => {
      if (fact.kind !== 'transcript_line' || fact.outcome !== 'passed') return [];
      const { index, startMs, endMs, text } = fact;
      const samples = { startSample: startMs * samplesPerMs, endSample: endMs * samplesPerMs };
      return [{ kind: 'recognised_line' as const, index, ...samples, startMs, endMs, text }];
    }),
  ),
});

/** The texts on the screen of a study that passed every gate; withheld ones are not evidence. */
export const screenTextEvidence = (
  artifact: ReadableEvidence['artifact'],
  { facts }: FurtherArtifact,
): ReadableEvidence => ({
  kind: 'screen_text',
  artifact,
  facts: inOrder(
    facts.flatMap((fact) => {
      if (fact.kind !== 'screen_text' || fact.outcome !== 'passed') return [];
      const { index, startMs, endMs, text } = fact;
      const samples = { startSample: startMs * samplesPerMs, endSample: endMs * samplesPerMs };
      return [{ kind: 'recognised_text' as const, index, ...samples, startMs, endMs, text }];
    }),
  ),
});

/** Of facts in order of time those that share at least one sample with the window, each cut to it. */
export function factsWithin(facts: readonly EvidenceFact[], window: Range): EvidenceFact[] {
  const cut: EvidenceFact[] = [];
  for (const fact of facts) {
    if (fact.startSample >= window.endMs * samplesPerMs) break;
    const startSample = Math.max(fact.startSample, window.startMs * samplesPerMs);
    const endSample = Math.min(fact.endSample, window.endMs * samplesPerMs);
    if (startSample >= endSample) continue;
    const times = {
      startSample,
      endSample,
      startMs: Math.floor(startSample / samplesPerMs),
      endMs: Math.ceil(endSample / samplesPerMs),
    };
    cut.push(isAt(fact, times) ? fact : { ...fact, ...times });
  }
  return cut;
}

const isAt = (
  fact: EvidenceFact,
  times: Pick<EvidenceFact, 'startSample' | 'endSample' | 'startMs' | 'endMs'>,
): boolean =>
  fact.startSample === times.startSample &&
  fact.endSample === times.endSample &&
  fact.startMs === times.startMs &&
  fact.endMs === times.endMs;

/** The length of a fact or a list of facts in bytes of canonical JSON, which does not depend on the order of the keys. */
export const factBytesOf = (facts: EvidenceFact | readonly EvidenceFact[]): number =>
  Buffer.byteLength(JSON.stringify(facts));

/** The lengths of facts that were measured: a plan of reads tries each fact in several windows, and the read has it again. */
const lengths = new WeakMap<EvidenceFact, number>();

function lengthOf(fact: EvidenceFact): number {
  const known = lengths.get(fact);
  if (known !== undefined) return known;
  const length = factBytesOf(fact);
  lengths.set(fact, length);
  return length;
}

/**
 * The leading facts that one read can return. They are at most 64, take at most 32768 bytes of canonical JSON, and have no more
 * values than one assessment has claims for.
 */
export function boundedFacts(facts: readonly EvidenceFact[]): EvidenceFact[] {
  const kept: EvidenceFact[] = [];
  const values = new Set<string>();
  let bytes = '[]'.length;
  for (const fact of facts) {
    bytes += lengthOf(fact) + (kept.length === 0 ? 0 : ','.length);
    values.add(claimKeyOf(fact));
    const fits = kept.length < readLimits.maxItems && bytes <= readLimits.maxBytes;
    if (!fits || values.size > assessmentLimits.maxClaims) break;
    kept.push(fact);
  }
  return kept;
}

/** The part before the frame header of a keyframe takes less. */
const headBytes = 4096;

/** The facts that name objects beside their artifact. */
export const objectFactsOf = ({ facts }: Pick<FurtherArtifact, 'facts'>): EvidenceObjectFact[] =>
  facts.flatMap((fact) => (fact.kind === 'keyframe' || fact.kind === 'waveform' ? [fact] : []));

/** True if an object has the properties that its fact states. */
function isOfForm(fact: EvidenceObjectFact, head: Uint8Array): boolean {
  if (fact.kind === 'keyframe') {
    const size = jpegSizeOf(head);
    return size?.width === fact.width && size.height === fact.height;
  }
  const stated = [1, 0, samplesPerMs * 1000, samplesPerMs * fact.windowMs, fact.windows];
  const header = waveformHeaderOf(head);
  return header !== null && stated.every((value, at) => header[at] === value);
}

/**
 * Checks that every object that the facts name exists with the stated bytes. It must have the right form: a picture of their
 * size, a drawing of their windows. Throws `EvidenceChainError` of it.
 */
export async function checkEvidenceObjects(artifact: FurtherArtifact, content: StoredContent): Promise<void> {
  for (const fact of objectFactsOf(artifact)) {
    const { contentId, bytes } = fact;
    const found = await content.verifiedHead(contentId, headBytes);
    if (typeof found === 'string') throw new EvidenceChainError('evidence', found, undefined, contentId);
    if (found.bytes !== bytes) throw new EvidenceChainError('evidence', 'size', undefined, contentId);
    if (!isOfForm(fact, found.head)) throw new EvidenceChainError('evidence', 'form', undefined, contentId);
  }
}

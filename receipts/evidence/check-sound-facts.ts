import type { EvidenceArtifact, LoudnessFact, SpeechFact } from '../../contract/evidence/evidence.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { SoundFaultFact } from '../../contract/evidence/sound-fault.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { samplesPerMs } from './readable-evidence.ts';
import { statedNumber } from './stated-number.ts';

type Measured = EvidenceArtifact | FurtherArtifact;

const fault = (place: string): EvidenceChainError => new EvidenceChainError('evidence', place);

/** The milliseconds of a window are those of its samples, of which it has at least one. */
function checkWindow({ startSample, endSample, startMs, endMs }: SpeechFact, at: number): void {
  if (endSample <= startSample) throw fault(`facts[${at}].endSample`);
  if (startMs !== Math.floor(startSample / samplesPerMs)) throw fault(`facts[${at}].startMs`);
  if (endMs !== Math.ceil(endSample / samplesPerMs)) throw fault(`facts[${at}].endMs`);
}

/** A range has no more samples than its length. */
function checkDecoded({ input }: Measured): void {
  if (!('derivedAudio' in input) || input.derivedAudio === null) return;
  const { startMs, endMs } = input.range;
  if (input.derivedAudio.samples > (endMs - startMs) * samplesPerMs) throw fault('input.derivedAudio.samples');
}

/**
 * What is silent lies below a threshold that follows from the measured levels, for as long as the parameters demand; versions
 * that stated no window measured by another rule.
 */
function checkSilences(artifact: Measured): void {
  const stated = (name: string): number | null => statedNumber(artifact, name);
  const [leastMs, gate, below, above] = [
    stated('minimumMs'),
    stated('absoluteGateDbfs'),
    stated('belowProgrammeDb'),
    stated('aboveFloorDb'),
  ];
  if (artifact.kind !== 'silence' || leastMs === null || gate === null || below === null || above === null) return;
  const [programme, floor] = [stated('programmeDbfs'), stated('floorDbfs')];
  const levels = [gate, ...(programme === null ? [] : [programme - below]), ...(floor === null ? [] : [floor + above])];
  if (stated('thresholdDbfs') !== Math.max(...levels)) throw fault('parameters.thresholdDbfs');
  const short = artifact.facts.findIndex((fact) => fact.kind === 'silence' && fact.endMs - fact.startMs < leastMs);
  if (short !== -1) throw fault(`facts[${short}].endMs`);
}

const channelsOf = (fact: SoundFaultFact): string => ('channel' in fact ? `${fact.kind} ${fact.channel}` : fact.kind);

function hasItsMeasures(fact: SoundFaultFact, artifact: Measured): boolean {
  const stated = (name: string, otherwise: number): number => statedNumber(artifact, name) ?? otherwise;
  const lengthMs = fact.endMs - fact.startMs;
  if (fact.kind === 'clipping') return fact.longestSamples >= stated('clipping.leastSamples', 1);
  if (fact.kind === 'silent_channel') return lengthMs >= stated('silentChannel.leastMs', 0);
  if (fact.kind === 'dropout')
    return lengthMs >= stated('dropout.leastMs', 0) && lengthMs <= stated('dropout.mostMs', lengthMs);
  if (fact.kind === 'true_peak')
    return fact.truePeakCentiDbtp > 100 * stated('truePeak.mostDbtp', Number.NEGATIVE_INFINITY);
  const mostMilli = Math.round(1000 * stated('phaseInversion.mostCorrelated', 0));
  return lengthMs >= stated('phaseInversion.leastMs', 0) && fact.correlationMilli <= mostMilli;
}

/** The faults of one kind in one channel are apart, and what each says of itself makes it one. */
function checkFault(fact: SoundFaultFact, at: number, artifact: Measured, reached: Map<string, number>): void {
  const channel = channelsOf(fact);
  if (fact.endMs < fact.startMs || fact.startMs < (reached.get(channel) ?? 0)) throw fault(`facts[${at}].startMs`);
  if (!hasItsMeasures(fact, artifact)) throw fault(`facts[${at}]`);
  reached.set(channel, fact.endMs);
}

/** What follows from the fields of facts of sound. Throws `EvidenceChainError` of the evidence. */
export function checkSoundFacts(artifact: Measured): void {
  checkDecoded(artifact);
  checkSilences(artifact);
  const reached = new Map<string, number>();
  for (const [at, fact] of artifact.facts.entries()) {
    if (fact.kind === 'speech_window' || fact.kind === 'non_speech_window') checkWindow(fact, at);
    else if (artifact.kind === 'audio_faults') checkFault(fact as SoundFaultFact, at, artifact, reached);
  }
}

/** A true peak is one of the faults exactly where loudness measured one that is too high. Throws `EvidenceChainError`. */
export function checkTruePeak(faults: FurtherArtifact, loudness: EvidenceArtifact | null): void {
  const most = statedNumber(faults, 'truePeak.mostDbtp');
  if (faults.kind !== 'audio_faults' || most === null) return;
  const measured = loudness?.facts.find((fact): fact is LoudnessFact => fact.kind === 'loudness')?.truePeakCentiDbtp;
  const derived = measured != null && measured > 100 * most ? [measured] : [];
  const found = faults.facts.flatMap((fact) => (fact.kind === 'true_peak' ? [fact.truePeakCentiDbtp] : []));
  if (found.length !== derived.length || found[0] !== derived[0]) throw fault('facts.true_peak');
}

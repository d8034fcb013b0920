import type {
  BlackFact,
  EvidenceArtifact,
  FieldOrderFact,
  FrozenFact,
  FurtherArtifact,
  LetterboxFact,
  LoudnessFact,
  SoundFaultFact,
  SpeechFact,
} from '../../contract/evidence/evidence.ts';
import type { KeyframeFact, WaveformFact } from '../../contract/evidence/evidence-object.ts';
import { EvidenceChainError } from '../evidence-chain.ts';
import { samplesPerMs } from './readable-evidence.ts';

/** A threshold that evidence states among its parameters; null where its version stated none. */
export function statedNumber({ parameters }: Pick<EvidenceArtifact, 'parameters'>, name: string): number | null {
  const value = parameters[name];
  return typeof value === 'number' ? value : null;
}

type Measured = EvidenceArtifact | FurtherArtifact;

/** Shares of one whole that are rounded each by itself differ from it by less than this, in thousandths. */
const roundedMilli = 3;

const fault = (place: string): EvidenceChainError => new EvidenceChainError('evidence', place);

const milli = (share: number | null): number | null => (share === null ? null : Math.round(1000 * share));

/** A run is as long as its parameters demand, unless the range cuts it off; and its pictures are what it is of. */
function checkRun(fact: BlackFact | FrozenFact, at: number, artifact: Measured): void {
  const { range } = artifact.input;
  const isCut = fact.startMs === range.startMs || fact.endMs === range.endMs;
  const leastMs = statedNumber(artifact, 'leastMs') ?? 0;
  if (!isCut && fact.endMs - fact.startMs < leastMs) throw fault(`facts[${at}].endMs`);
  if (fact.kind === 'black') {
    const least = milli(statedNumber(artifact, 'pictureShare')) ?? 0;
    if (fact.blackMilli < least) throw fault(`facts[${at}].blackMilli`);
  } else {
    const most = milli(statedNumber(artifact, 'mostChange')) ?? fact.changeMilli;
    if (fact.changeMilli > most) throw fault(`facts[${at}].changeMilli`);
  }
}

/** A definite order shows in the shares, whose sum is a whole. */
function checkOrder(fact: FieldOrderFact, at: number, artifact: Measured): void {
  const { order, pictures, progressiveMilli, topFirstMilli, bottomFirstMilli, undeterminedMilli, repeatedMilli } = fact;
  const interlaced = topFirstMilli + bottomFirstMilli;
  const shown = progressiveMilli + interlaced;
  if (shown + undeterminedMilli !== (pictures === 0 ? 0 : 1000)) throw fault(`facts[${at}].undeterminedMilli`);
  const clear = (statedNumber(artifact, 'clearShare') ?? 0) * shown - roundedMilli;
  const repeated = 1000 * (statedNumber(artifact, 'repeatedShare') ?? 0) - roundedMilli;
  const telecined = (statedNumber(artifact, 'telecinedShare') ?? 0) * shown - roundedMilli;
  const isShown: Readonly<Record<FieldOrderFact['order'], boolean>> = {
    progressive: progressiveMilli >= clear,
    top_first: topFirstMilli >= clear,
    bottom_first: bottomFirstMilli >= clear,
    telecined: repeatedMilli >= repeated && interlaced >= telecined,
    mixed: pictures > 0,
    unknown: true,
  };
  if (!isShown[order] || (pictures === 0 && order !== 'unknown')) throw fault(`facts[${at}].order`);
  const before = artifact.facts[at - 1];
  if (before?.kind === 'field_order' && before.order === order) throw fault(`facts[${at}].order`);
}

/** The area within the bars is a part of the picture. */
function checkBars({ left, top, width, height, pictureWidth, pictureHeight }: LetterboxFact, at: number): void {
  if (left + width > pictureWidth) throw fault(`facts[${at}].width`);
  if (top + height > pictureHeight) throw fault(`facts[${at}].height`);
  if (width === pictureWidth && height === pictureHeight) throw fault(`facts[${at}]`);
}

/** Checks the consequences of the fields of facts of pictures. Throws `EvidenceChainError` of the evidence. */
function checkPictureFacts(artifact: Measured): void {
  for (const [at, fact] of artifact.facts.entries()) {
    if (fact.kind === 'black' || fact.kind === 'frozen') checkRun(fact, at, artifact);
    else if (fact.kind === 'field_order') checkOrder(fact, at, artifact);
    else if (fact.kind === 'letterbox') checkBars(fact, at);
    else if (
      (fact.kind === 'transition' || fact.kind === 'flash' || fact.kind === 'strobe') &&
      fact.endMs <= fact.startMs
    )
      throw fault(`facts[${at}].endMs`);
  }
}

/** The ends of the pieces of shots that may have a keyframe. */
function piecesOf(shots: EvidenceArtifact, pieceMs: number): Map<number, number> {
  const { startMs, endMs } = shots.input.range;
  const cuts = shots.facts.flatMap((fact) => (fact.kind === 'shot_change' && fact.atMs > startMs ? [fact.atMs] : []));
  const pieces = new Map<number, number>();
  let from = startMs;
  for (const until of [...cuts, endMs]) {
    for (; from < until; from = Math.min(from + pieceMs, until)) pieces.set(from, Math.min(from + pieceMs, until));
  }
  return pieces;
}

/**
 * A keyframe stands for a piece of one shot, as the cuts of the same pass divide the range. Throws `EvidenceChainError` of the
 * evidence.
 */
export function checkKeyframePieces(keyframes: FurtherArtifact, shots: EvidenceArtifact | null): void {
  const pieceMs = statedNumber(keyframes, 'pieceMs');
  if (keyframes.kind !== 'keyframes' || shots === null || pieceMs === null || pieceMs < 1) return;
  const pieces = piecesOf(shots, pieceMs);
  for (const [at, { startMs, endMs }] of keyframes.facts.entries()) {
    if (pieces.get(startMs) !== endMs) throw fault(`facts[${at}]`);
  }
}

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
 * Silent stretches lie below a threshold that follows from the measured levels, for as long as the parameters demand. Versions
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

/** The faults of one kind in one channel are apart, and the fields of each make it one. */
function checkFault(fact: SoundFaultFact, at: number, artifact: Measured, reached: Map<string, number>): void {
  const channel = channelsOf(fact);
  if (fact.endMs < fact.startMs || fact.startMs < (reached.get(channel) ?? 0)) throw fault(`facts[${at}].startMs`);
  if (!hasItsMeasures(fact, artifact)) throw fault(`facts[${at}]`);
  reached.set(channel, fact.endMs);
}

/** Checks the consequences of the fields of facts of sound. Throws `EvidenceChainError` of the evidence. */
function checkSoundFacts(artifact: Measured): void {
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

type Fact = Measured['facts'][number];

// The format of a waveform: five integers of 32 bits, then two of 16 bits for each window.
const headerBytes = 20;
const windowBytes = 4;

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

/** A measurement over a whole range is one fact. */
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
 * Checks the facts of one artifact against each other and against its range, whatever was measured: their counts, and the
 * consequences of their own fields. Throws `EvidenceChainError` of the evidence.
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

import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { BlackFact, FrozenFact, FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import type { FieldOrderFact, LetterboxFact } from '../../contract/evidence/picture-form.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';
import { statedNumber } from './stated-number.ts';

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

/** An order that was told shows in the shares, whose sum is a whole. */
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

/** What is within the bars is a part of the picture. */
function checkBars({ left, top, width, height, pictureWidth, pictureHeight }: LetterboxFact, at: number): void {
  if (left + width > pictureWidth) throw fault(`facts[${at}].width`);
  if (top + height > pictureHeight) throw fault(`facts[${at}].height`);
  if (width === pictureWidth && height === pictureHeight) throw fault(`facts[${at}]`);
}

/** What follows from the fields of facts of pictures. Throws `EvidenceChainError` of the evidence. */
export function checkPictureFacts(artifact: Measured): void {
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

/** Where the pieces of shots begin and end that may have a keyframe. */
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

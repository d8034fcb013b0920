import type { AlignedStretch } from './caption-plan.ts';

type Unknown = Extract<AlignedStretch, { verdict: 'unknown' }>;

/** The verdict for a stretch of cues, with its place on the clock of the film. */
type JudgedStretch =
  | Pick<Unknown, 'verdict' | 'reason'>
  | Pick<Exclude<AlignedStretch, Unknown>, 'verdict' | 'numerator' | 'denominator' | 'offsetMs'>;

const reasonWords: Readonly<Record<Unknown['reason'], string>> = {
  no_speech: 'no speech was detected there',
  too_few_cues: 'there are too few cues',
  no_better_than_chance: 'they fit no better than chance',
  part_does_not_fit: 'they do not fit where the others do',
  pieces_unproven: 'they are too few for a proof of their own',
};

const seconds = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(2)} s`;
const millionths = 1_000_000;

/** The verdict for a stretch in words: `2.31 s late`. Late subtitles are moved back: the offset is below 0. */
export function verdictWords(stretch: JudgedStretch): string {
  if (stretch.verdict === 'unknown') return `unknown: ${reasonWords[stretch.reason]}`;
  const { verdict, numerator, denominator, offsetMs } = stretch;
  const signed = `${offsetMs < 0 ? '-' : '+'}${seconds(offsetMs)}`;
  const shift = `${seconds(offsetMs)} ${offsetMs < 0 ? 'late' : 'early'}`;
  if (verdict === 'in_sync') return `in sync (${signed})`;
  if (numerator === denominator) return verdict === 'shifted' ? shift : `other cut, ${shift}`;
  const rate = Math.round((millionths * numerator) / denominator) / millionths;
  return `${verdict === 'drifts' ? 'drifts' : 'other cut, drifts'}: times × ${rate}, then ${signed}`;
}

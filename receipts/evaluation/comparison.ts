import type { EvaluationReceipt, EvaluationScores, LanguageScore, UtteranceScore } from '../../contract/evaluation.ts';
import { joinedCounts, utteranceScoreOf } from '../../rules/evaluation/text.ts';
import { type EvaluationCounts, pooledCounts, scoresOf } from './counts.ts';

/** One number of an evaluation that may get better or worse. */
export interface ScoreMeasure {
  /** Such as `speech.collar_500ms.f1`. */
  readonly name: string;
  readonly unit: 'micro' | 'ms' | 'us';
  readonly value: number | null;
  readonly better: 'higher' | 'lower';
  /** By how much it may be worse, in its unit, before that counts. */
  readonly tolerance: number;
}

/**
 * Half a percent. The speech model computes in floating point, whose last digits differ between processors. So a window may end a
 * frame of 32 ms earlier or later. Of 25 s of speech half a percent is almost four such frames.
 */
export const speechToleranceMicro = 5000;

type Direction = ScoreMeasure['better'];

const share = (name: string, value: number | null, better: Direction, tolerance = 0): ScoreMeasure => ({
  name,
  unit: 'micro',
  value,
  better,
  tolerance,
});

interface Retrieval {
  readonly precisionMicro: number | null;
  readonly recallMicro: number | null;
  readonly f1Micro: number | null;
}

const retrieval = (name: string, score: Retrieval, tolerance = 0): ScoreMeasure[] => [
  share(`${name}.precision`, score.precisionMicro, 'higher', tolerance),
  share(`${name}.recall`, score.recallMicro, 'higher', tolerance),
  share(`${name}.f1`, score.f1Micro, 'higher', tolerance),
];

/** The measures of a score; none if there is no such label. */
const measured = <Score>(
  score: Score | null | undefined,
  measuresIn: (score: Score) => ScoreMeasure[],
): ScoreMeasure[] => (score == null ? [] : measuresIn(score));

const languages = (name: string, { accuracyMicro, abstentionMicro }: LanguageScore): ScoreMeasure[] => [
  share(`${name}.accuracy`, accuracyMicro, 'higher'),
  share(`${name}.abstention`, abstentionMicro, 'lower'),
];

/** A window may end a few moments earlier or later for the same reason. */
const edgeToleranceMs = 5;

const milliseconds = (name: string, value: number | null): ScoreMeasure => ({
  name,
  unit: 'ms',
  value,
  better: 'lower',
  tolerance: edgeToleranceMs,
});

const edges = (name: string, { medianMs, medianSizeMs, ninetiethSizeMs }: UtteranceScore['onset']): ScoreMeasure[] => [
  milliseconds(`${name}.bias`, medianMs === null ? null : Math.abs(medianMs)),
  milliseconds(`${name}.median`, medianSizeMs),
  milliseconds(`${name}.ninetieth`, ninetiethSizeMs),
];

/** The measures of all utterances together; then those under each condition, or of its sound if it has no speech. */
function utterances(scores: readonly UtteranceScore[]): ScoreMeasure[] {
  const all = utteranceScoreOf(joinedCounts('all', scores));
  return [
    share('utterances.words_found', all.wordsFoundMicro, 'higher', speechToleranceMicro),
    share('utterances.phrases_found', all.phrasesFoundMicro, 'higher', speechToleranceMicro),
    ...edges('utterances.onset', all.onset),
    ...edges('utterances.offset', all.offset),
    ...scores.flatMap((score): ScoreMeasure[] => {
      const name = `utterances.${score.condition}`;
      if (score.words + score.phrases === 0) {
        return [share(`${name}.taken_for_speech`, score.foundMicro, 'lower', speechToleranceMicro)];
      }
      return [
        share(`${name}.words_found`, score.wordsFoundMicro, 'higher', speechToleranceMicro),
        milliseconds(`${name}.onset.median`, score.onset.medianSizeMs),
        milliseconds(`${name}.offset.median`, score.offset.medianSizeMs),
      ];
    }),
  ];
}

const cueError = (name: string, unit: 'ms' | 'us', value: number | null): ScoreMeasure => ({
  name: `subtitles.${name}`,
  unit,
  value,
  better: 'lower',
  tolerance: 0,
});

/** Every measure of the scores, in a fixed order. Two evaluations of one pack have the same. */
export const measuresOf = (scores: EvaluationScores): ScoreMeasure[] => [
  ...(scores.speech ?? []).flatMap((score) => {
    const name = `speech.collar_${score.collarMs}ms`;
    return [
      ...retrieval(name, score, speechToleranceMicro),
      share(`${name}.detection_error_rate`, score.detectionErrorRateMicro, 'lower', speechToleranceMicro),
    ];
  }),
  ...(scores.cuts ?? []).flatMap((score) => retrieval(`cuts.within_${score.toleranceFrames}_frames`, score)),
  ...measured(scores.subtitles, (score) => [
    ...retrieval('subtitles.exact', score),
    cueError('mean_error', 'us', score.meanErrorUs),
    cueError('largest_error', 'ms', score.largestErrorMs),
  ]),
  ...measured(scores.trackLanguages, (score) => languages('languages.tracks', score)),
  ...measured(scores.cueLanguages, (score) => languages('languages.cues', score)),
  ...measured(scores.captionGate, ({ acceptedMicro, caughtMicro }) => [
    share('caption_gate.complete_accepted', acceptedMicro, 'higher'),
    share('caption_gate.defects_caught', caughtMicro, 'higher'),
  ]),
  ...laterMeasures(scores),
];

/** The measures of the labels that packs of 0.2.0 did not have. */
const laterMeasures = (scores: EvaluationScores): ScoreMeasure[] => [
  ...measured(scores.transitions, (score) => [
    ...retrieval('transitions', score),
    share('transitions.with_bounds', score.boundedMicro, 'higher'),
  ]),
  ...(scores.soundFaults ?? []).flatMap((score) => retrieval(`sound_faults.${score.kind}`, score)),
  ...measured(scores.keyframes, ({ coveredMicro }) => [share('keyframes.shots_covered', coveredMicro, 'higher')]),
  ...measured(scores.transcript, ({ wordErrorMicro, characterErrorMicro, inventionMicro }) => [
    share('transcript.word_error_rate', wordErrorMicro, 'lower', speechToleranceMicro),
    share('transcript.character_error_rate', characterErrorMicro, 'lower', speechToleranceMicro),
    share('transcript.invention_rate', inventionMicro, 'lower'),
  ]),
  ...measured(scores.translations, ({ withheldMicro, defects }) => [
    share('translations.right_withheld', withheldMicro, 'lower'),
    ...defects.flatMap(({ defect, caughtMicro, caughtTogetherMicro, caughtSeenMicro }) => [
      share(`translations.${defect}.caught`, caughtMicro, 'higher'),
      share(`translations.${defect}.caught_together`, caughtTogetherMicro, 'higher'),
      share(`translations.${defect}.caught_seen`, caughtSeenMicro, 'higher'),
    ]),
  ]),
  ...measured(scores.pairing, ({ captionedMicro, keptMicro, rightMicro }) => [
    share('pairing.files_with_captions', captionedMicro, 'higher'),
    share('pairing.words_kept', keptMicro, 'higher'),
    share('pairing.lines_right', rightMicro, 'higher'),
  ]),
  ...measured(scores.screenTexts, ({ foundMicro, wrongMicro, inventedMicro }) => [
    share('screen_texts.found', foundMicro, 'higher'),
    share('screen_texts.wrong', wrongMicro, 'lower'),
    share('screen_texts.invented', inventedMicro, 'lower'),
  ]),
  ...measured(scores.utterances, utterances),
];

export type ScoreChange = 'equal' | 'better' | 'tolerated' | 'worse';

export interface ComparedMeasure extends ScoreMeasure {
  readonly baseline: number | null;
  readonly change: ScoreChange;
}

/** The relation of a new evaluation to the accepted one: one worse measure makes it a regression, whatever else got better. */
interface EvaluationComparison {
  readonly verdict: 'equal' | 'better' | 'regression';
  readonly measures: readonly ComparedMeasure[];
}

/** A time that can no longer be given, because nothing was found, is worse than any that could. A share of errors is zero then. */
function changeOf({ value, unit, better, tolerance }: ScoreMeasure, baseline: number | null): ScoreChange {
  if (value === baseline) return 'equal';
  const isShare = unit === 'micro';
  const nothingFound = isShare && better === 'lower' ? 0 : null;
  const [now, before] = [value ?? nothingFound, baseline ?? nothingFound];
  // To find nothing is better than findings of which none is right, and worse than all others.
  if (now === null) return isShare && before === 0 ? 'better' : 'worse';
  if (before === null) return isShare && now === 0 ? 'worse' : 'better';
  if (now === before) return 'equal';
  const gain = better === 'higher' ? now - before : before - now;
  if (gain > 0) return 'better';
  return -gain <= tolerance ? 'tolerated' : 'worse';
}

/** Compares the totals of two receipts of the same pack. */
export function compareEvaluations(receipt: EvaluationReceipt, baseline: EvaluationReceipt): EvaluationComparison {
  const before = new Map(measuresOf(baseline.totals).map(({ name, value }) => [name, value]));
  const measures = measuresOf(receipt.totals).map((measure): ComparedMeasure => {
    const accepted = before.get(measure.name) ?? null;
    return { ...measure, baseline: accepted, change: changeOf(measure, accepted) };
  });
  const is = (change: ScoreChange) => measures.some((measure) => measure.change === change);
  return { verdict: is('worse') ? 'regression' : is('better') ? 'better' : 'equal', measures };
}

/** Between which values a measure lies in 95 of 100 packs that are drawn from the same kind of media. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A measure of all items, with what the choice of the files leaves open; null for fewer than two files with such labels. */
interface EstimatedMeasure extends ScoreMeasure {
  readonly interval: Interval | null;
}

const resamples = 1000;
const outside = 0.025;

/** Numbers in (0, 1) that follow from a seed alone (Park and Miller). */
function* drawn(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

/** The counts of each file; several items may share one, and are drawn together. */
function byFile({ items }: EvaluationReceipt): EvaluationCounts[][] {
  const files = new Map<string, EvaluationCounts[]>();
  for (const { sourceContentId, scores } of items) {
    // The ratios of scores follow from their counts: adding those up again needs the counts alone.
    files.set(sourceContentId, [...(files.get(sourceContentId) ?? []), scores]);
  }
  return [...files.values()];
}

function intervalOf(values: readonly number[]): Interval {
  const ascending = values.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? 0;
  return { low: at(outside), high: at(1 - outside) };
}

/**
 * The measures of a receipt with bootstrap intervals. A thousand times, its files are sampled with replacement, as many as there
 * are, and measured as one pack. The interval is between the 2.5th and the 97.5th percentile. Equal receipts give equal
 * intervals.
 */
export function estimatedMeasures(receipt: EvaluationReceipt): EstimatedMeasure[] {
  const files = byFile(receipt);
  const chance = drawn(1);
  const values = new Map<string, number[]>();
  for (let draw = 0; draw < resamples && files.length > 1; draw += 1) {
    const pack = files.flatMap(() => files[Math.floor(chance.next().value * files.length)] ?? []);
    for (const { name, value } of measuresOf(scoresOf(pooledCounts(pack)))) {
      if (value === null) continue;
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    }
  }
  const labeledIn = (name: string): number =>
    files.filter((counts) => measuresOf(scoresOf(pooledCounts(counts))).some((measure) => measure.name === name))
      .length;
  return measuresOf(receipt.totals).map((measure) => {
    const resampled = values.get(measure.name) ?? [];
    const isOpen = measure.value !== null && labeledIn(measure.name) > 1 && resampled.length > 0;
    return { ...measure, interval: isOpen ? intervalOf(resampled) : null };
  });
}

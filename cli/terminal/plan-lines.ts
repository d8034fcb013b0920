import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionSide } from '../../contract/captions/caption-line.ts';
import type { Alignment, CaptionPlan, otherTrackReason, trackReason } from '../../contract/captions/caption-plan.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import type { PlanRemark } from '../../contract/causes/plan-remarks.ts';
import { isReason, reasonTexts } from '../../contract/causes/reasons.ts';
import { causeText, rateText, type Spelling } from '../../contract/causes/wording.ts';
import type { DerivedOrigin } from '../../contract/sources/subtitle-track.ts';
import { countText, secondsText, timeCode } from '../../formats/readable-numbers.ts';
import { withoutLines } from '../../rules/speech-gaps.ts';
import { terminalSpelling } from './call.ts';
import { englishName } from './language-tag.ts';

/** So many places of a list are named before the question. */
const firstPlaces = 4;
const firstTexts = 2;
/** The longest piece of a text that a list shows, in characters. */
const longestText = 40;

const chosenFor: Readonly<Record<(typeof trackReason.options)[number], string>> = {
  chosen_by_person: 'chosen with --track',
  attached_by_person: 'attached by you',
  only_track: 'the only one',
  exact_tag: 'its language is exactly the one asked for',
  default_track: 'the default',
  plain_track: 'the plain dialogue',
  most_cues: 'it has the most lines',
  first_track: 'the first one',
};

const notTakenFor: Readonly<Record<(typeof otherTrackReason.options)[number], string>> = {
  another_was_chosen: 'another was chosen',
  another_was_attached: 'a file was attached',
  moved_one_taken: 'the same with other times was taken',
  other_language: 'another language',
  other_script: 'another script',
  other_region: 'of another region',
  language_contradicted: 'its text is in another language',
  commentary: 'commentary',
  forced_signs: 'signs only',
  hearing_impaired: 'for the hard of hearing',
  not_default: 'not the default',
  fewer_cues: 'fewer lines',
  later_track: 'comes later',
};

/** How the program made a file, before the name of the text that it was made of. */
const madeOf: Readonly<Record<DerivedOrigin, string>> = {
  resynced: 'moved to the speech from',
  aligned: 'with the times of the speech, from',
};

/** Why lines are left out, for lists; other reasons have the words of `reasonTexts`. */
const shortReasons: Readonly<Record<string, string>> = {
  low_confidence: 'not certain',
  no_speech_evidence: 'too little speech there',
  repetition: 'the same again and again',
  boundary_only: 'at the edge of the speech',
  disagreement: 'recognized differently each time',
  language_mismatch: 'in another language',
  translator_missing_line: 'no translation',
  translator_unavailable: 'no translation',
  recognizer_unavailable: 'no original',
};

/** A time as lists have it: tenths of a second are enough to find the place. */
const placeText = (ms: number): string => timeCode(ms).slice(0, -2);

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

type PlanSide = CaptionPlan['sides'][CaptionSide];
type Choice = NonNullable<PlanSide['choice']>;
type Candidate = Pick<Choice['others'][number], 'trackIndex' | 'origin' | 'title'>;

/** Text of one line, cut where a list would become hard to read. */
function quoted(text: string | null): string {
  if (text === null) return '(no text)';
  const line = text.replaceAll(/\s+/g, ' ');
  const characters = [...line];
  return characters.length <= longestText
    ? `'${line}'`
    : `'${characters
        .slice(0, longestText - 1)
        .join('')
        .trimEnd()}…'`;
}

const trackText = ({ trackIndex, origin, title }: Candidate): string =>
  [origin === 'file' ? `file (track ${trackIndex})` : `track ${trackIndex}`, title === null ? [] : quoted(title)]
    .flat()
    .join(', ');

const languageText = ({ chosen, asked }: Choice): string => englishName(chosen?.language ?? chosen?.tag ?? asked);

/** The origin of the lines of a side, with the reason for it; null for a side without lines. */
function originLine({ origin, engine, choice }: PlanSide, { translation }: CaptionPlan): string | null {
  if (origin === 'recognizer') return `Captions source: speech recognized by ${engine ?? 'the recognizer'}`;
  if (origin === 'translator') {
    const what = translation === null ? 'lines' : countText(translation.lines, 'line');
    const language = choice === null ? '' : ` into ${englishName(choice.asked)}`;
    return `${what} will be translated${language} by ${engine ?? 'the model'}; a translation that fails its checks is left out`;
  }
  if (origin === 'test_seam') return 'Captions source: the fixed texts of a test';
  if (origin === 'none' || choice?.chosen == null) return null;
  const { chosen, others } = choice;
  // A track in another language is not an alternative.
  const rivals = others.filter(({ reason }) => reason !== 'other_language');
  const notTaken = rivals.map((other) => `${trackText(other)}, ${notTakenFor[other.reason]}`);
  const made = chosen.derived === undefined ? '' : `, ${madeOf[chosen.derived.origin]} ${chosen.derived.parentLabel}`;
  return [
    `${languageText(choice)} subtitles: ${trackText(chosen)}${made}, ${chosenFor[chosen.reason]}`,
    ...(notTaken.length === 0 ? [] : [`not taken: ${notTaken.join('; ')}`]),
  ].join('; ');
}

const sidesOf = ({ sides: { source, target } }: CaptionPlan): readonly PlanSide[] => {
  const track = ({ choice }: PlanSide) => choice?.chosen?.trackIndex;
  const isOne = source.origin === target.origin && track(source) === track(target);
  return isOne ? [source] : [source, target];
};

const singleNames: Readonly<Record<PlanSide['origin'], string>> = {
  track: 'the subtitle track',
  file: 'the subtitle file',
  recognizer: 'the text',
  translator: 'the text',
  test_seam: 'the text',
  none: 'the text',
};

/** Languages by their names, and lengths as people say them. Of captions in one language there is no original. */
function spellingOf(plan: CaptionPlan): Spelling {
  const [single, other] = sidesOf(plan);
  return {
    ...terminalSpelling,
    language: englishName,
    length: (ms) => (ms < 60_000 ? secondsText(ms) : placeText(ms)),
    ...(single !== undefined && other === undefined && { side: () => singleNames[single.origin] }),
  };
}

/** A cause or a remark of a plan as one line. */
const causeLine = (plan: CaptionPlan, cause: Cause | PlanRemark): string =>
  capital(causeText(cause, 'terminal', spellingOf(plan)).what);

function withRemedy(plan: CaptionPlan, cause: Cause | PlanRemark): string {
  const { remedy } = causeText(cause, 'terminal', spellingOf(plan));
  return remedy === null ? causeLine(plan, cause) : `${causeLine(plan, cause)}; ${remedy}`;
}

/** The origin of the lines of a plan, a line for each side. */
const originLines = (plan: CaptionPlan): readonly string[] =>
  sidesOf(plan).flatMap((side) => originLine(side, plan) ?? []);

/** Remarks whose places a plan lists. */
const listedRemarks: readonly PlanRemark['code'][] = [
  'passages_without_line',
  'lines_left_out',
  'lines_without_speech',
  'texts_apart',
];

/** Entries as a list, which ends with `…` if it does not name all of them. */
function list(entries: readonly string[], count: number, most: number, mark = ', '): string {
  const named = entries.slice(0, most);
  return [...named, ...(count > named.length ? ['…'] : [])].join(mark);
}

const gapsText = ({ counts, gaps }: CaptionPlan, most: number): readonly string[] =>
  counts.gaps === 0
    ? []
    : [
        `${countText(counts.gaps, 'spoken passage')} ${counts.gaps === 1 ? 'has' : 'have'} no line: ${list(
          gaps.map(({ startMs }) => placeText(startMs)),
          counts.gaps,
          most,
        )}`,
      ];

const reasonOf = (code: string): string => shortReasons[code] ?? (isReason(code) ? reasonTexts[code] : code);

const leftOutText = ({ counts, leftOut }: CaptionPlan, most: number): readonly string[] =>
  counts.leftOut === 0
    ? []
    : [
        `${countText(counts.leftOut, 'line')} left out: ${list(
          leftOut.map(
            ({ startMs, text, reasonCode }) => `${placeText(startMs)} ${quoted(text)} (${reasonOf(reasonCode)})`,
          ),
          counts.leftOut,
          most,
          '; ',
        )}`,
      ];

const apartText = ({ counts, apart }: CaptionPlan, most: number): readonly string[] =>
  counts.apart === 0
    ? []
    : [
        `${counts.apart === 1 ? '1 sign or note' : `${counts.apart} signs and notes`} over speech, in no line: ${list(
          apart.map(({ startMs, text }) => `${placeText(startMs)} ${quoted(text)}`),
          counts.apart,
          most,
          '; ',
        )}`,
      ];

const withoutSpeechText = ({ counts, withoutSpeech }: CaptionPlan, most: number): readonly string[] =>
  counts.withoutSpeech === 0
    ? []
    : [
        `${countText(counts.withoutSpeech, 'line')} ${counts.withoutSpeech === 1 ? 'is' : 'are'} where no speech was found: ${list(
          withoutSpeech.map(({ startMs }) => placeText(startMs)),
          counts.withoutSpeech,
          most,
        )}`,
      ];

/** Words for the lines to read first, before their list. */
export const readFirst = (lines: number): string =>
  lines === 1
    ? 'Read this line first: the recognizer is least sure of it.'
    : `Read these ${lines} lines first: the recognizer is least sure of them.`;

const doubtfulText = ({ doubtful }: CaptionPlan): readonly string[] =>
  doubtful === undefined
    ? []
    : [
        `${countText(doubtful.lines, 'line')} with a word that the recognizer doubts. ${readFirst(doubtful.first.length)}`,
        ...doubtful.first.map(
          ({ startMs, text, words }) => `  ${placeText(startMs)} ${quoted(text)} (${words.map(quoted).join(', ')})`,
        ),
      ];

const comparedTexts: Readonly<Record<CaptionPlan['compared'], string | null>> = {
  with_sound: null,
  both: null,
  with_other_side: 'The two languages were compared with each other, and not with the speech.',
  none: 'Nothing was compared with the film: check a few lines against it.',
};

/** Remarks that say the same of both sides are one. */
const remarksOf = (plan: CaptionPlan): readonly PlanRemark[] => {
  const isSingle = sidesOf(plan).length === 1;
  return plan.remarks.filter(({ params }) => !isSingle || !('side' in params) || params.side === 'source');
};

/** The sentences of a plan that a person has to see before they approve it. For a film with which all is right, these are its sources. */
export function planLines(plan: CaptionPlan): readonly string[] {
  // A comparison without a result has a remark of its own.
  const isUnknown = plan.remarks.some(({ code }) => code === 'timing_unknown');
  const compared = isUnknown ? null : comparedTexts[plan.compared];
  return [
    ...originLines(plan),
    ...remarksOf(plan)
      .filter(({ code }) => !listedRemarks.includes(code))
      .map((remark) => causeLine(plan, remark)),
    ...gapsText(plan, firstPlaces),
    ...leftOutText(plan, firstTexts),
    ...apartText(plan, firstTexts),
    ...withoutSpeechText(plan, firstPlaces),
    ...(compared === null ? [] : [compared]),
  ];
}

const unknownTimings: Readonly<Record<Extract<Alignment, { verdict: 'unknown' }>['reason'], string>> = {
  no_speech: 'no speech',
  too_few_cues: 'too few lines',
  no_better_than_chance: 'no better than by chance',
  part_does_not_fit: 'some lines do not fit',
  pieces_unproven: 'the lines seem to be of another cut',
};

const verdictText = (alignment: Alignment): string => {
  if (alignment.verdict === 'unknown') return `unknown (${unknownTimings[alignment.reason]})`;
  if (alignment.verdict === 'other_cut') return `another cut of the film, in ${alignment.pieces.length} pieces`;
  const { verdict, numerator, denominator, offsetMs, score, bound } = alignment;
  const found = [
    ...(verdict === 'in_sync' ? ['in time'] : []),
    ...(verdict === 'drifts' ? [rateText(numerator, denominator)] : []),
    ...(verdict === 'shifted' ? [`${secondsText(Math.abs(offsetMs))} ${offsetMs < 0 ? 'late' : 'early'}`] : []),
  ];
  const [evidence, least] = [score, bound].map((hundredths) => Math.round(hundredths / 100));
  return `${found.join()} (evidence ${evidence}, at least ${least} is needed)`;
};

function wholeSide(name: string, side: PlanSide, plan: CaptionPlan): readonly string[] {
  const line = originLine(side, plan);
  if (line === null) return [];
  const others = side.choice?.others ?? [];
  return [
    `${name}${line}`,
    ...(side.choice?.chosen == null ? [] : [`  ${countText(side.choice.chosen.cues, 'cue')} in the track`]),
    ...others.map(
      (each) => `  not taken: ${trackText(each)}, ${notTakenFor[each.reason]}, ${countText(each.cues, 'cue')}`,
    ),
    ...(side.withSound === null ? [] : [`  compared with the speech: ${verdictText(side.withSound)}`]),
  ];
}

/** The whole plan, for the person who asks for it. */
export function wholePlanLines(plan: CaptionPlan): readonly string[] {
  const { sides, withOtherSide, agreement } = plan;
  const isSingle = sidesOf(plan).length === 1;
  const compared = comparedTexts[plan.compared];
  return [
    ...wholeSide(isSingle ? '' : 'Original: ', sides.source, plan),
    ...(isSingle ? [] : wholeSide('Translation: ', sides.target, plan)),
    ...(withOtherSide === null ? [] : [`The two languages: ${verdictText(withOtherSide)}`]),
    ...(agreement === null
      ? []
      : [`${agreement.agreeMilli} of 1000 lines agree in time; at least ${agreement.leastMilli} have to`]),
    ...(compared === null ? [] : [compared]),
    ...remarksOf(plan)
      .filter(({ code }) => !listedRemarks.includes(code))
      .map((remark) => withRemedy(plan, remark)),
    ...gapsText(plan, Infinity),
    ...leftOutText(plan, Infinity),
    ...apartText(plan, Infinity),
    ...withoutSpeechText(plan, Infinity),
    ...doubtfulText(plan),
    `${countText(plan.lines.count, 'line')} will be written`,
  ];
}

/** The rules behind a plan. */
export const ruleLines = ({ rules: { captions, trackChoice, alignment, gaps } }: CaptionPlan): readonly string[] => [
  `A spoken passage is named if it lasts at least ${secondsText(gaps.leastMs)}, and lines cover less than ${gaps.coveredMilli / 10} % of it`,
  `Versions of the rules: captions ${captions}, tracks ${trackChoice}, timing ${alignment}`,
];

/** The obstacles of a plan, a line each, with what to do. */
export const obstacleLines = (plan: CaptionPlan): readonly string[] =>
  plan.obstacles.map((obstacle) => withRemedy(plan, obstacle));

const unsureTimings: readonly PlanRemark['code'][] = [
  'timing_unknown',
  'side_shifted',
  'side_drifts',
  'side_in_parts',
  'sides_disagree',
  'speech_not_measured',
];

/** True if lines of a plan lack nothing that is known, and their times are known to be right. */
export const isComplete = ({ counts, compared, remarks }: CaptionPlan): boolean =>
  counts.gaps === 0 &&
  counts.leftOut === 0 &&
  compared !== 'none' &&
  !remarks.some(({ code }) => unsureTimings.includes(code));

/**
 * A plan with the passages that still lack a line, and the lines that are still left out, after corrections. The thresholds are those
 * of the plan.
 */
export function presentPlan(plan: CaptionPlan, lines: readonly Range[]): CaptionPlan {
  const gaps = withoutLines(plan.gaps, lines, plan.rules.gaps);
  const leftOut = withoutLines(plan.leftOut, lines, plan.rules.gaps);
  const counts = {
    ...plan.counts,
    gaps: plan.counts.gaps - plan.gaps.length + gaps.length,
    leftOut: plan.counts.leftOut - plan.leftOut.length + leftOut.length,
  };
  return { ...plan, gaps, leftOut, counts };
}

/**
 * Captions that are made, in one line. Captions that nothing was compared with are written, and not accepted. `lines` is how many the
 * file has.
 */
export function endLine(plan: CaptionPlan, lines: number): string {
  const isCompared = plan.compared !== 'none';
  const timing = remarksOf(plan).filter(({ code }) => unsureTimings.includes(code) && code !== 'timing_unknown');
  return [
    `Captions ${isCompared ? 'ready' : 'written'}: ${countText(lines, 'line')}`,
    ...(isCompared ? [] : ['nothing was compared with the film']),
    ...timing.map((remark) => causeText(remark, 'terminal', spellingOf(plan)).what),
    ...gapsText(plan, firstPlaces),
    ...leftOutText(plan, 0).map((text) => text.replace(/: …$/, '')),
  ].join('; ');
}

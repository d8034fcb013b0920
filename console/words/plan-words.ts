import type { Alignment, CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { PlanRemark } from '../../contract/causes/plan-remarks.ts';
import { pageReason, pageText } from './cause-words.ts';
import { languageName } from './language-name.ts';
import { counted, mediaTime } from './numbers.ts';

export type PlanSide = CaptionPlan['sides']['source'];
type Choice = NonNullable<PlanSide['choice']>;
type Chosen = NonNullable<Choice['chosen']>;
type OtherTrack = Choice['others'][number];

/** Why a track was taken. */
const reasons: Readonly<Record<Chosen['reason'], string>> = {
  chosen_by_person: 'you chose it',
  attached_by_person: 'it was attached to the film',
  only_track: 'the only one in this language',
  exact_tag: 'its language is exactly the one that you chose',
  default_track: 'the default of the film',
  plain_track: 'the only one without a special purpose',
  most_cues: 'it has the most lines',
  first_track: 'the first of equal ones',
};

/** Why another one was not. */
const otherReasons: Readonly<Record<OtherTrack['reason'], string>> = {
  another_was_chosen: 'you chose another one',
  another_was_attached: 'a file was attached',
  other_language: 'another language',
  other_script: 'another script',
  other_region: 'another region',
  language_contradicted: 'its text is not in the language that it states',
  commentary: 'a commentary',
  forced_signs: 'signs and foreign speech alone',
  hearing_impaired: 'for people with hearing loss',
  not_default: 'not the default of the film',
  fewer_cues: 'fewer lines',
  later_track: 'comes after an equal one',
};

/** A track by its place, language and title: `track 3, English “Commentary”`. */
export function trackName({ trackIndex, origin, language, title }: Omit<OtherTrack, 'reason'>): string {
  const name = language === null ? 'language unknown' : languageName(language);
  return `${origin === 'file' ? 'attached file' : 'track'} ${trackIndex}, ${name}${title === null ? '' : ` “${title}”`}`;
}

/** Another track with the reason against it: `track 3, English “Commentary”: a commentary`. */
export const otherTrackWords = (track: OtherTrack): string =>
  `${trackName(track)}, ${counted(track.cues, 'line')}: ${otherReasons[track.reason]}`;

/** The origin of the lines of a side. */
export function originWords({ origin, engine, choice }: PlanSide): string {
  const chosen = choice?.chosen ?? null;
  if (origin === 'recognizer') return `speech recognized by ${engine ?? 'the recognizer'}`;
  if (origin === 'translator') return `translated by ${engine ?? 'the translator'}`;
  if (origin === 'test_seam') return 'fixed texts, for tests';
  if (chosen === null) return 'no lines';
  return `subtitles: ${trackName(chosen)} (${reasons[chosen.reason]})`;
}

/** A length in seconds as people say it: `2.3 s`. */
const seconds = (ms: number): string => `${Math.round(Math.abs(ms) / 100) / 10} s`;

/** How the lines of a side lie against the speech or against the other language; null if that is unknown. */
export function timingWords(alignment: Alignment | null, against: string): string | null {
  switch (alignment?.verdict) {
    case 'in_sync':
      return `in time with ${against}`;
    case 'shifted':
      return `${seconds(alignment.offsetMs)} ${alignment.offsetMs < 0 ? 'after' : 'before'} ${against}`;
    case 'drifts':
      return `at another rate than ${against} (${alignment.numerator}:${alignment.denominator})`;
    case 'other_cut':
      return `of another cut than ${against}: ${counted(alignment.pieces.length, 'piece')} with a place each`;
    default:
      // A remark has the reason.
      return null;
  }
}

/** The comparisons behind the timing of the lines. */
export const comparedWords: Readonly<Record<CaptionPlan['compared'], string>> = {
  with_sound: 'They were compared with the speech of the film.',
  with_other_side: 'The two languages were compared with each other, and not with the speech.',
  both: 'They were compared with the speech of the film, and the two languages with each other.',
  none: 'Nothing was compared with them: only you can tell if they fit the film.',
};

/** How well the sides agree, with the meaning of the number; null for a single side. */
export const agreementWords = ({ agreement }: Pick<CaptionPlan, 'agreement'>): string | null =>
  agreement === null
    ? null
    : `${agreement.agreeMilli / 10} % of the lines are shown together with one of the other language; at least ${agreement.leastMilli / 10} % are needed.`;

/** The remarks that have a list of places of their own. */
const withPlaces: readonly PlanRemark['code'][] = [
  'passages_without_line',
  'lines_left_out',
  'texts_apart',
  'lines_without_speech',
];

/** The other remarks of a plan: those with the same remedy are together, since a person reads it once. */
export function remarkGroups({ remarks }: Pick<CaptionPlan, 'remarks'>): readonly (readonly PlanRemark[])[] {
  const groups = new Map<string, PlanRemark[]>();
  for (const remark of remarks) {
    if (withPlaces.includes(remark.code)) continue;
    const key = pageText(remark).remedy ?? JSON.stringify(remark);
    groups.set(key, [...(groups.get(key) ?? []), remark]);
  }
  return [...groups.values()];
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A place of a list of a plan: its time, and its words. */
export interface PlanPlace extends Span {
  /** Null for speech without a line. */
  readonly text: string | null;
  readonly why: string | null;
}

export interface PlanList {
  readonly title: string;
  readonly count: number;
  readonly places: readonly PlanPlace[];
}

/** Missing lines and texts apart: each list with its places, and how many there are in all. */
export function planLists({ counts, gaps, leftOut, apart, withoutSpeech }: CaptionPlan): readonly PlanList[] {
  const lists: readonly PlanList[] = [
    {
      title: `${counted(counts.gaps, 'spoken passage has', 'spoken passages have')} no line`,
      count: counts.gaps,
      places: gaps.map((each) => ({ ...each, text: null, why: null })),
    },
    {
      title: `${counted(counts.leftOut, 'line is', 'lines are')} left out`,
      count: counts.leftOut,
      places: leftOut.map(({ reasonCode, ...each }) => ({ ...each, why: pageReason(reasonCode) })),
    },
    {
      title: `${counted(counts.apart, 'sign or note is', 'signs and notes are')} shown over speech, and in no line`,
      count: counts.apart,
      places: apart.map((each) => ({ ...each, why: null })),
    },
    {
      title: `${counted(counts.withoutSpeech, 'line is', 'lines are')} where no speech was found`,
      count: counts.withoutSpeech,
      places: withoutSpeech.map((each) => ({ ...each, text: null, why: null })),
    },
  ];
  return lists.filter(({ count }) => count > 0);
}

/** A time as a link says it: tenths are enough to find it. */
export const placeTime = (ms: number): string => mediaTime(Math.round(ms / 100) * 100).replace(/00$/, '');

/**
 * The passages of a plan that still have no line in a draft. The rule of the plan decides: lines with its margin cover enough of a
 * passage, or they do not.
 */
export function openGaps(plan: Pick<CaptionPlan, 'gaps' | 'rules'>, lines: readonly Span[]): readonly Span[] {
  const { marginMs, coveredMilli } = plan.rules.gaps;
  return plan.gaps.filter(({ startMs, endMs }) => {
    const covered = lines.reduce((sum, line) => {
      const [from, to] = [Math.max(startMs, line.startMs - marginMs), Math.min(endMs, line.endMs + marginMs)];
      return sum + Math.max(0, to - from);
    }, 0);
    return covered * 1000 < coveredMilli * (endMs - startMs);
  });
}

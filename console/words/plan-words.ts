import type { Alignment, CaptionPlan } from '../../contract/captions/caption-plan.ts';
import type { Cause } from '../../contract/causes/causes.ts';
import type { PlanRemark } from '../../contract/causes/plan-remarks.ts';
import type { Spelling } from '../../contract/causes/wording.ts';
import { pageReason, pageSpelling, pageText } from './cause-words.ts';
import { languageName } from './language-name.ts';
import { counted, mediaTime } from './numbers.ts';
import { sentence } from './sentence.ts';

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

/** The reasons against a track that hold even if a person chooses it: no side of these captions takes it. */
const closedReasons: readonly OtherTrack['reason'][] = ['other_language', 'other_script'];

/**
 * The tracks that a side was not made of. Those of another language are left out if they may serve the other side, which has them
 * among its own.
 */
export function otherTracks({ choice }: PlanSide, beside: PlanSide | null): readonly OtherTrack[] {
  const ofBeside = beside?.choice ?? null;
  const isOfBeside = ({ trackIndex }: OtherTrack): boolean =>
    ofBeside !== null &&
    (ofBeside.chosen?.trackIndex === trackIndex ||
      ofBeside.others.some((each) => each.trackIndex === trackIndex && isChoosable(each)));
  return (choice?.others ?? []).filter((track) => isChoosable(track) || !isOfBeside(track));
}

/** True if a person may choose a track for its side. */
export const isChoosable = ({ reason }: Pick<OtherTrack, 'reason'>): boolean => !closedReasons.includes(reason);

/** Why another one was not. */
const otherReasons: Readonly<Record<OtherTrack['reason'], string>> = {
  another_was_chosen: 'you chose another one',
  another_was_attached: 'a file was attached',
  moved_one_taken: 'the same with other times was taken',
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

/** How the program made a file, before the name of the text that it was made of. */
const madeOf = { resynced: 'moved to the speech from', aligned: 'with the times of the speech, from' } as const;

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
  const { derived } = chosen;
  const made = derived === undefined ? '' : `, ${madeOf[derived.origin]} ${derived.parentLabel}`;
  return `subtitles: ${trackName(chosen)}${made} (${reasons[chosen.reason]})`;
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

/** The words for the sides of captions: by their languages. Captions in one language have one text. */
export function sidesSpelling(languages: { readonly source: string | null; readonly target: string }): Spelling {
  const { source, target } = languages;
  const nameOf = { source: source === null ? 'spoken' : languageName(source), target: languageName(target) };
  return { ...pageSpelling, side: (side) => (source === target ? 'the text' : `the ${nameOf[side]} text`) };
}

type Group = readonly PlanRemark[];

/** A remark that says the same as an obstacle of another code. */
const obstacleOf: Readonly<Partial<Record<PlanRemark['code'], Cause['code']>>> = {
  other_script_refused: 'subtitles_in_other_script',
};

/** The other remarks of a plan, without those that an obstacle tells: those with the same remedy are together, since a person reads it once. */
export function remarkGroups({ remarks, obstacles }: Pick<CaptionPlan, 'remarks' | 'obstacles'>): readonly Group[] {
  const groups = new Map<string, PlanRemark[]>();
  const isInObstacles = ({ code }: PlanRemark): boolean =>
    obstacles.some((each) => each.code === (obstacleOf[code] ?? code));
  for (const remark of remarks) {
    if (withPlaces.includes(remark.code) || isInObstacles(remark)) continue;
    const key = pageText(remark).remedy ?? JSON.stringify(remark);
    groups.set(key, [...(groups.get(key) ?? []), remark]);
  }
  return [...groups.values()];
}

/** A group of remarks in sentences. What holds for both languages is one sentence. */
export function remarkSentences(group: Group, spelling: Spelling): readonly string[] {
  const sidesOf = new Map<string, PlanRemark[]>();
  for (const remark of group) {
    const key = JSON.stringify({ ...remark, params: { ...remark.params, side: null } });
    sidesOf.set(key, [...(sidesOf.get(key) ?? []), remark]);
  }
  const ofBoth: Spelling = { ...spelling, side: () => 'the text of both languages' };
  return [...sidesOf.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : `${sentence(pageText(first, others.length > 0 ? ofBoth : spelling).what)}.`,
  );
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
  /** The words of the text that the recognizer doubts, in their order. */
  readonly doubtful?: readonly string[];
}

export interface PlanList {
  readonly title: string;
  readonly count: number;
  readonly places: readonly PlanPlace[];
}

/**
 * Missing lines and texts apart: each list with its places, and how many there are in all. A plan without any line has no list of
 * passages: all speech would be in it.
 */
export function planLists({
  lines,
  counts,
  gaps,
  leftOut,
  apart,
  withoutSpeech,
  doubtful,
}: Pick<
  CaptionPlan,
  'lines' | 'counts' | 'gaps' | 'leftOut' | 'apart' | 'withoutSpeech' | 'doubtful'
>): readonly PlanList[] {
  const lists: readonly PlanList[] = [
    {
      title: `${counted(doubtful?.lines ?? 0, 'line has', 'lines have')} a doubtful word; read these first`,
      count: doubtful?.lines ?? 0,
      places: (doubtful?.first ?? []).map(({ words, ...each }) => ({ ...each, why: null, doubtful: words })),
    },
    {
      title: `${counted(counts.gaps, 'spoken passage has', 'spoken passages have')} no line`,
      count: lines.count === 0 ? 0 : counts.gaps,
      places: gaps.map((each) => ({ ...each, text: null, why: null })),
    },
    withReason({
      title: `${counted(counts.leftOut, 'line is', 'lines are')} left out`,
      count: counts.leftOut,
      places: leftOut.map(({ reasonCode, ...each }) => ({ ...each, why: pageReason(reasonCode) })),
    }),
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

/** A list with a reason that all its places share in its title, and no more at each of them. */
function withReason(list: PlanList): PlanList {
  const [first, ...others] = list.places;
  if (first === undefined || others.length === 0 || others.some(({ why }) => why !== first.why)) return list;
  return {
    ...list,
    title: `${list.title} (${first.why})`,
    places: list.places.map((each) => ({ ...each, why: null })),
  };
}

/** A time as a link says it: tenths are enough to find it. */
export const placeTime = (ms: number): string => mediaTime(Math.round(ms / 100) * 100).replace(/(\.\d)00$/, '$1');

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

import type { TrackChoice, TrackFlag } from '../contract/captions/caption-plan.ts';
import type { PlanRemark } from '../contract/causes/plan-remarks.ts';
import { areOneLanguage, baseLanguage, isMember } from './languages.ts';
import { localeOf, scriptOfTag, scriptOfText } from './scripts.ts';

/** The version of the order in which tracks are taken. */
export const TRACK_CHOICE_VERSION = 1;

type Chosen = NonNullable<TrackChoice['chosen']>;
type Candidate = Omit<Chosen, 'reason'>;
type OtherReason = TrackChoice['others'][number]['reason'];

/** A text track or an attached file with all that decides if it is taken. `language` is the tag that its lines really have. */
export interface TrackCandidate extends Candidate {
  /** True if the text as a whole is in another language, or another script, than the tag states. */
  readonly isContradicted: boolean;
}

/** The roles of tracks beside the plain dialogue. */
export type TrackRole = 'commentary' | 'forced_signs' | 'hearing_impaired';

const roleFlags: readonly (readonly [TrackFlag, TrackRole])[] = [
  ['comment', 'commentary'],
  ['forced', 'forced_signs'],
  ['hearing_impaired', 'hearing_impaired'],
  // They have the noises and the names of the speakers, for the hearing-impaired.
  ['captions', 'hearing_impaired'],
];

// How titles of tracks call these roles, in the languages in which films are mostly sold. Abbreviations count in capitals alone.
const roleTitles: readonly (readonly [TrackRole, RegExp])[] = [
  [
    'commentary',
    /comment(?:ar[yi]|aire|o\b)|comentari|comentári|kommentar|kommentár|commentaar|kommentti|koment[aá][rř]|коммент|коментар|yorum|解説|評論|评论|コメンタリー|코멘터리|해설/iu,
  ],
  [
    'forced_signs',
    /(?<!non[- ]?|not |un)forced|forcé|forzad|forçad|forzat|erzwungen|geforceerd|tvungn|tvingad|pakotet|wymuszon|vynucen|форсир|強制|强制|강제|\bsigns?\b|\bsongs?\b|foreign (?:parts|language)|надписи|letreros|carteles|panneaux/iu,
  ],
  [
    'hearing_impaired',
    /hearing|impaired|malentendant|\bsourds?\b|\bsord[io]s?\b|non ?udenti|\bsurdos?\b|hörgeschädigt|gehörlos|schwerhörig|slechthorend|hörselskad|hørehæmm|hørselshemm|niesłysz|neslyš|nepočuj|hallássérült|слабослыш|глухих|işitme|聴覚|難聴|听障|聽障|청각/iu,
  ],
];
const hearingImpairedInCapitals = /\bSDH\b|\bCC\b|\(HI\)|\[HI\]/u;

/** A title that says that all dialogue is there: `Dialogue, signs & songs`. */
const wholeDialogue = /\b(?:full|complete|dialogues?|dialogs?|komplett|complet|completo)\b/iu;

/**
 * The role of a track by its flags, or by its title if no flag names one. A title is weak evidence, since people write it. Null for
 * plain dialogue, and if neither names a role.
 */
export function roleOfTrack({ flags, title }: Pick<Candidate, 'flags' | 'title'>): {
  readonly role: TrackRole;
  readonly from: 'flag' | 'title';
} | null {
  const flagged = roleFlags.find(([flag]) => flags?.includes(flag) === true);
  if (flagged !== undefined) return { role: flagged[1], from: 'flag' };
  if (title === null) return null;
  const named = roleTitles.find(([, words]) => words.test(title));
  if (named !== undefined && !(named[0] === 'forced_signs' && wholeDialogue.test(title)))
    return { role: named[0], from: 'title' };
  return hearingImpairedInCapitals.test(title) ? { role: 'hearing_impaired', from: 'title' } : null;
}

// How titles call a region or a script, of languages whose tracks are sold in several.
const titledSubtags: Readonly<Record<string, readonly (readonly [string, RegExp])[]>> = {
  pt: [
    ['BR', /bra[sz]il/iu],
    ['PT', /portugal|europ|iber|lusit/iu],
  ],
  es: [
    ['419', /latin|am[ée]rica/iu],
    ['MX', /m[eé]xic/iu],
    ['ES', /spain|espa[nñ]a|europ|castil|castellano|iber/iu],
  ],
  fr: [
    ['CA', /canad|qu[eé]b|\bVFQ\b/iu],
    ['FR', /france|europ|paris|\bVFF\b/iu],
  ],
  zh: [
    ['Hans', /simplif|简|簡體|简体|\bCHS\b|\bGB\b/iu],
    ['Hant', /tradi|繁|\bCHT\b|\bBIG5\b/iu],
  ],
  sr: [
    ['Latn', /latin/iu],
    ['Cyrl', /cyril|ćiril|ћирил|кирил/iu],
  ],
};

/** The region or script that a title names. */
function subtagOfTitle(base: string, title: string | null): string | null {
  const named = (title === null ? [] : (titledSubtags[base] ?? [])).filter(([, words]) => words.test(title ?? ''));
  // `Español (España)` and the like name one. A title with two names tells nothing.
  return named.length === 1 ? (named[0]?.[0] ?? null) : null;
}

/**
 * The tag of the lines of a track. `tag` is stated by the container or a person, or identified. The text decides a script that it does
 * not state, and the title a region, or a script that the text leaves open. `isOtherScript` is true if the text is in another script than
 * the tag states.
 */
export function writtenTag(
  tag: string,
  texts: readonly string[],
  title: string | null,
): { readonly language: string; readonly isOtherScript: boolean } {
  const locale = localeOf(tag);
  const base = baseLanguage(tag);
  if (locale === null || base === null) return { language: tag, isOtherScript: false };
  const stated = scriptOfTag(tag);
  const written = scriptOfText(tag, texts);
  const titled = subtagOfTitle(base, title);
  const isRegion = titled !== null && titled.length < 4;
  const script = locale.script ?? (stated === null ? (written ?? (isRegion ? null : titled)) : null);
  const region = locale.region ?? (isRegion ? titled : null);
  const language = new Intl.Locale(locale, {
    ...(script !== null && { script }),
    ...(region !== null && { region }),
  }).toString();
  return { language, isOtherScript: stated !== null && written !== null && stated !== written };
}

/** How far a track is from the asked tag, nearest first. What is behind `other_member` is not taken. */
const distances = [
  'same_tag',
  'same_writing',
  'parent_region',
  'unstated_region',
  'related_region',
  'other_region',
  'other_member',
  'other_script',
  'other_language',
] as const;
type Distance = (typeof distances)[number];

const otherRegions: readonly Distance[] = ['parent_region', 'related_region', 'other_region'];

/**
 * The parents of regional forms, from Unicode's CLDR 45 (`supplemental/parentLocales.json` of its package `cldr-core`). It has the
 * languages whose subtitles are sold in several regions. Other forms have their language as parent.
 */
const parentLocales: ReadonlyMap<string, string> = new Map(
  [
    ['es-419', 'AR BO BR BZ CL CO CR CU DO EC GT HN JP MX NI PA PE PR PY SV US UY VE'],
    ['pt-PT', 'AO CH CV FR GQ GW LU MO MZ ST TL'],
    ['en-001', '150 AG AI AU BB BM BS BW BZ CC CK CM CX CY DG DM ER FJ FK FM GB GD GG GH'],
    ['en-001', 'GI GM GY HK ID IE IL IM IN IO JE JM KE KI KN KY LC LR LS MG MO MS MT MU'],
    ['en-001', 'MV MW MY NA NF NG NR NU NZ PG PK PN PW RW SB SC SD SG SH SL SS SX SZ TC'],
    ['en-001', 'TK TO TT TV TZ UG VC VG VU WS ZA ZM ZW'],
    ['en-150', 'AT BE CH DE DK FI NL SE SI'],
    ['zh-Hant-HK', 'Hant-MO'],
  ].flatMap(([parent = '', regions = '']) =>
    regions.split(' ').map((region) => [`${parent.split('-', 1)[0]}-${region}`, parent] as const),
  ),
);

/** A locale and its parents with a region, nearest first: `en-AT`, `en-150`, `en-001`. The script of Chinese is named. */
function regionalLine(locale: Intl.Locale): string[] {
  const { language, region } = locale;
  if (region === undefined) return [];
  const script = language === 'zh' ? locale.maximize().script : undefined;
  const line: string[] = [];
  for (
    let each: string | undefined = [language, script, region].filter((part) => part !== undefined).join('-');
    each !== undefined;
    each = parentLocales.get(each)
  ) {
    line.push(each);
  }
  return line;
}

/** How far another region is from the wanted one: a parent of it, one that has a parent in common with it, or neither. */
function distanceOfRegions(wanted: Intl.Locale, found: Intl.Locale): Distance {
  const [line, [own = '', ...parents]] = [regionalLine(wanted), regionalLine(found)];
  if (line.includes(own)) return 'parent_region';
  return parents.some((each) => line.includes(each)) ? 'related_region' : 'other_region';
}

function distanceOf({ tag, language }: Pick<Candidate, 'tag' | 'language'>, asked: string): Distance {
  if (language === null || !areOneLanguage(language, asked)) return 'other_language';
  const [wanted, found] = [localeOf(asked), localeOf(language)];
  if (wanted === null || found === null) return 'other_language';
  const [wantedScript, script] = [scriptOfTag(asked), scriptOfTag(language)];
  if (wantedScript !== null && script !== null && wantedScript !== script) return 'other_script';
  if (wanted.language !== found.language) return 'other_member';
  if (tag !== null && localeOf(tag)?.toString() === wanted.toString()) return 'same_tag';
  if (wanted.region === found.region && (wantedScript === script || wanted.script === undefined)) return 'same_writing';
  const isOther = wanted.region !== undefined && found.region !== undefined && wanted.region !== found.region;
  return isOther ? distanceOfRegions(wanted, found) : 'unstated_region';
}

/** How many parents are between the region of a track and the asked one; zero for a region that is not a parent of it. */
function parentsBetween({ language }: Pick<Candidate, 'language'>, asked: string): number {
  const [wanted, found] = [localeOf(asked), language === null ? null : localeOf(language)];
  const [own = ''] = found === null ? [] : regionalLine(found);
  return wanted === null ? 0 : Math.max(0, regionalLine(wanted).indexOf(own));
}

/** True if a track with this tag may serve for an asked one: in one language with it, and not in another script. */
export function mayServe(tag: string, asked: string): boolean {
  const distance = distanceOf({ tag, language: tag }, asked);
  return distance !== 'other_language' && distance !== 'other_script';
}

/** One side of the order: of two tracks the one with the smaller value is taken. */
interface Step {
  readonly rankOf: (ranked: Ranked) => number;
  /** Why the one with the smaller value is taken; null if the other one counts as none. */
  readonly chosen: Chosen['reason'] | null;
  readonly other: OtherReason | ((ranked: Ranked) => OtherReason);
}

interface Ranked {
  readonly candidate: TrackCandidate;
  readonly distance: Distance;
  /** How many parents are between its region and the asked one. */
  readonly parents: number;
  readonly role: TrackRole | null;
  readonly isNamed: boolean;
  /** True for a track if the same text with the times of the film is there, too. */
  readonly isMoved: boolean;
}

const isOff = (is: boolean): number => (is ? 0 : 1);

const byDistance: Readonly<Record<Distance, OtherReason>> = {
  same_tag: 'other_region',
  same_writing: 'other_region',
  parent_region: 'other_region',
  unstated_region: 'other_region',
  related_region: 'other_region',
  other_region: 'other_region',
  other_member: 'other_language',
  other_script: 'other_script',
  other_language: 'other_language',
};

/**
 * The order of tracks in one language. The roles of commentary and signs weigh more than the tag: signs in the exact region lack the
 * dialogue. The dialogue for the hearing-impaired is whole, so the right region of it comes before another region.
 */
const order: readonly Step[] = [
  { rankOf: ({ isNamed }) => isOff(isNamed), chosen: 'chosen_by_person', other: 'another_was_chosen' },
  { rankOf: ({ candidate }) => isOff(!candidate.isContradicted), chosen: null, other: 'language_contradicted' },
  {
    rankOf: ({ role }) => (role === 'commentary' ? 2 : role === 'forced_signs' ? 1 : 0),
    chosen: 'plain_track',
    other: ({ role }) => (role === 'commentary' ? 'commentary' : 'forced_signs'),
  },
  {
    rankOf: ({ candidate }) => isOff(candidate.origin === 'file'),
    chosen: 'attached_by_person',
    other: ({ isMoved }) => (isMoved ? 'moved_one_taken' : 'another_was_attached'),
  },
  { rankOf: ({ isMoved }) => (isMoved ? 1 : 0), chosen: 'attached_by_person', other: 'moved_one_taken' },
  {
    rankOf: ({ distance }) => distances.indexOf(distance),
    chosen: 'exact_tag',
    other: ({ distance }) => byDistance[distance],
  },
  { rankOf: ({ parents }) => parents, chosen: 'exact_tag', other: ({ distance }) => byDistance[distance] },
  { rankOf: ({ role }) => isOff(role === null), chosen: 'plain_track', other: 'hearing_impaired' },
  {
    rankOf: ({ candidate }) => isOff(candidate.flags?.includes('default') === true),
    chosen: 'default_track',
    other: 'not_default',
  },
  { rankOf: ({ candidate }) => -candidate.cues, chosen: 'most_cues', other: 'fewer_cues' },
  { rankOf: ({ candidate }) => candidate.trackIndex, chosen: 'first_track', other: 'later_track' },
];

/** The first step that tells two tracks apart; none for one and the same. */
const stepBetween = (one: Ranked, other: Ranked): Step | undefined =>
  order.find(({ rankOf }) => rankOf(one) !== rankOf(other));

function compared(one: Ranked, other: Ranked): number {
  const step = stepBetween(one, other);
  return step === undefined ? 0 : step.rankOf(one) - step.rankOf(other);
}

const shown = ({ isContradicted: _, ...candidate }: TrackCandidate): Candidate => candidate;

function reasonOf(chosen: Ranked, [nearest]: readonly Ranked[]): Chosen['reason'] {
  if (chosen.isNamed) return 'chosen_by_person';
  if (chosen.candidate.origin === 'file') return 'attached_by_person';
  const reason = (nearest === undefined ? null : stepBetween(chosen, nearest)?.chosen) ?? 'only_track';
  const isExact = chosen.distance === 'same_tag' || chosen.distance === 'same_writing';
  // The only one that is not of another region.
  return reason === 'exact_tag' && !isExact ? 'only_track' : reason;
}

/**
 * The track that one side of captions is made of, and why; every other one with the reason why not.
 *
 * The track that a person named comes first, then those whose text does not contradict the tag, and dialogue before commentary and signs.
 * Among these an attached file is first, one with the times of the film before the one that it was made of. Then the nearest tag, the default flag, the most cues, the first track. A track in another
 * region is taken if there is no nearer one; of several, one that has a parent in common with `asked`. One in another script is never taken, unless `asked` names its script or none. `named` are
 * stream indexes.
 */
export function chooseTrack(
  candidates: readonly TrackCandidate[],
  asked: string,
  named: readonly number[] = [],
): TrackChoice {
  const ranked = candidates.map(
    (candidate): Ranked => ({
      candidate,
      distance: distanceOf(candidate, asked),
      parents: parentsBetween(candidate, asked),
      role: roleOfTrack(candidate)?.role ?? null,
      isNamed: named.includes(candidate.trackIndex),
      isMoved: candidates.some(
        ({ derived }) => derived?.origin === 'resynced' && derived.parentTrackIndex === candidate.trackIndex,
      ),
    }),
  );
  const isFit = ({ distance }: Ranked): boolean => distance !== 'other_script' && distance !== 'other_language';
  const [chosen, ...rivals] = ranked.filter(isFit).sort(compared);
  const reasonOfOther = (other: Ranked): OtherReason => {
    if (!isFit(other) || chosen === undefined) return byDistance[other.distance];
    const reason = stepBetween(chosen, other)?.other ?? 'later_track';
    return typeof reason === 'string' ? reason : reason(other);
  };
  return {
    asked,
    chosen: chosen === undefined ? null : { ...shown(chosen.candidate), reason: reasonOf(chosen, rivals) },
    others: ranked
      .filter((each) => each !== chosen)
      .map((each) => ({ ...shown(each.candidate), reason: reasonOfOther(each) })),
  };
}

/** The remarks on a choice: another region was taken, or another script was refused. */
export function remarksOfChoice(side: 'source' | 'target', { asked, chosen, others }: TrackChoice): PlanRemark[] {
  if (chosen !== null) {
    const { language } = chosen;
    const distance = distanceOf(chosen, asked);
    const isOther =
      otherRegions.includes(distance) ||
      (distance === 'other_member' && language !== null && isMember(asked) && isMember(language));
    return isOther && language !== null
      ? [{ code: 'other_region_taken', params: { side, asked, found: language } }]
      : [];
  }
  const refused = others.flatMap(({ reason, language }) => (reason === 'other_script' ? (language ?? []) : []));
  return [...new Set(refused)].map((found) => ({ code: 'other_script_refused', params: { side, asked, found } }));
}

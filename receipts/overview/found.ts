import type { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import type { CorrectedLineDecision } from '../../contract/captions/correction.ts';
import type { qualityControlReason } from '../../contract/captions/quality-control.ts';
import type { EvidenceCause, PlainCause } from '../../contract/causes/causes.ts';
import { isReason } from '../../contract/causes/reasons.ts';
import { wireText } from '../../contract/causes/wording.ts';
import type { ClaimState, DecisionReason } from '../../contract/evidence/assessment.ts';
import {
  type FurtherArtifact,
  type FurtherFact,
  type GateReason,
  type PassKind,
  type ScreenTextReason,
  screenTextReasons,
  type UnavailableReason,
} from '../../contract/evidence/evidence.ts';
import type { Finding, FindingMeasure } from '../../contract/overview.ts';
import type { intakeReason, rejectionReasons, revocationReasons } from '../../contract/review.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { countText, secondsText, timeCode } from '../../formats/readable-numbers.ts';
import { joined, totalLengthOf } from '../../rules/time-spans.ts';

type StoredReason =
  | 'language_not_declared'
  | UnavailableReason
  | GateReason
  | ScreenTextReason
  | Exclude<ClaimState, 'supported'>
  | Exclude<DecisionReason, 'all_audited_claims_supported'>
  | z.infer<typeof intakeReason>
  | (typeof rejectionReasons)[number]
  | (typeof revocationReasons)[number]
  | CaptionReason
  | Exclude<z.infer<typeof qualityControlReason>, 'current_run_candidate_structurally_complete'>
  | Exclude<CorrectedLineDecision['reasonCode'], 'line_structurally_complete' | 'line_attested_by_person'>
  | 'corrected_lines_withheld'
  | 'no_lines_left';

/** The type makes sure that every reason of a record has words. */
const isStored = (code: string): code is StoredReason => isReason(code);

/** A reason code as a cause; null for one that this version does not know. */
export const reasonCause = (code: string): PlainCause | null => (isStored(code) ? { code, params: {} } : null);

/** The causes of codes, as far as this version knows them. */
export const reasonCauses = (codes: readonly string[]): PlainCause[] =>
  codes.map((code) => reasonCause(code)).filter((cause) => cause !== null);

/** A reason code in words; the code itself where there are none. */
export function reasonWords(code: string, declaresLanguage = true): string {
  const cause = reasonCause(code === 'language_not_recognised' && !declaresLanguage ? 'language_not_declared' : code);
  return cause === null ? code.replaceAll('_', ' ') : wireText(cause);
}

export const reasonsText = (codes: readonly string[]): string => codes.map((code) => reasonWords(code)).join('; ');

/** The text of evidence before it is bounded: words, numbers and every place. */
export interface Found {
  readonly text: string;
  /** The text without the places that it names; absent if it names none. */
  readonly brief?: string;
  /** The languages that were found, and how long each lasts in ms if that is known. */
  readonly languages?: Finding['languages'];
  readonly fieldOrders?: Finding['fieldOrders'];
  readonly measures: readonly FindingMeasure[];
  /** A moment begins and ends at once. */
  readonly places: readonly Range[];
}

type Fact = EvidenceRow['facts'][number];
type FactOf<Kind extends Fact['kind']> = Fact & { readonly kind: Kind };

const factsOf = <Kind extends Fact['kind']>({ facts }: EvidenceRow, kind: Kind): FactOf<Kind>[] =>
  facts.flatMap((fact) => (fact.kind === kind ? [fact as FactOf<Kind>] : []));

const percentOf = (lengthMs: number, { startMs, endMs }: Range): number =>
  Math.round((100 * lengthMs) / (endMs - startMs));

function windows(spans: readonly Range[], range: Range): Found {
  const lengthMs = totalLengthOf(joined(spans));
  const share = percentOf(lengthMs, range);
  return {
    text: `${countText(spans.length, 'window')}, ${secondsText(lengthMs)}, ${share} %`,
    measures: [
      { name: 'count', value: spans.length, unit: '' },
      { name: 'total', value: lengthMs / 1000, unit: 's' },
      { name: 'share', value: share, unit: '%' },
    ],
    places: spans,
  };
}

// Loudness is measured in blocks of 400 ms, and its range in blocks of three seconds (EBU R 128, EBU Tech 3342).
const LOUDNESS_BLOCK_MS = 400;
const LOUDNESS_RANGE_BLOCK_MS = 3000;

const measuredText = (value: number | null, unit: string, isTooShort = false): string =>
  value === null ? `too ${isTooShort ? 'short' : 'quiet'} to measure (${unit})` : `${value.toFixed(1)} ${unit}`;

const hundredths = (value: number | null): number | null => (value === null ? null : value / 100);

function loudness({ startMs, endMs, integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp }: FactOf<'loudness'>): Found {
  const [integrated, range, peak] = [integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp].map(hundredths) as [
    number | null,
    number | null,
    number | null,
  ];
  // A sound without a peak is silence, however short it is.
  const isShorterThan = (blockMs: number): boolean => peak !== null && endMs - startMs < blockMs;
  const loudnessText = measuredText(integrated, 'LUFS', isShorterThan(LOUDNESS_BLOCK_MS));
  const rangeText = measuredText(range, 'LU', isShorterThan(LOUDNESS_RANGE_BLOCK_MS));
  return {
    text: `${loudnessText}, range ${rangeText}, true peak ${measuredText(peak, 'dBTP')}`,
    measures: [
      { name: 'integrated_loudness', value: integrated, unit: 'LUFS' },
      { name: 'loudness_range', value: range, unit: 'LU' },
      { name: 'true_peak', value: peak, unit: 'dBTP' },
    ],
    places: [],
  };
}

// A line for people names the first of them; all are in the places.
const namedCuts = 8;

function cuts(shots: readonly FactOf<'shot_change'>[]): Found {
  const named = shots.slice(0, namedCuts).map(({ atMs }) => timeCode(atMs));
  const more = shots.length > named.length ? ', …' : '';
  return {
    brief: countText(shots.length, 'cut'),
    text: `${countText(shots.length, 'cut')}${named.length === 0 ? '' : ` at ${named.join(', ')}${more}`}`,
    measures: [{ name: 'count', value: shots.length, unit: '' }],
    places: shots.map(({ atMs }) => ({ startMs: atMs, endMs: atMs })),
  };
}

function cues(row: EvidenceRow): Found {
  const unreadable = factsOf(row, 'unreadable_cue');
  const all = [...factsOf(row, 'subtitle_cue'), ...unreadable].sort((one, other) => one.startMs - other.startMs);
  const lost = unreadable.length === 0 ? '' : `, ${unreadable.length} of them unreadable`;
  const untimed = all.filter(({ end }) => end === 'assumed').length;
  const assumed = untimed === 0 ? '' : `, ${untimed} of them without a duration: shown until the next, at most 7 s`;
  return {
    text: `${countText(all.length, 'cue')}${lost}${assumed}`,
    measures: [{ name: 'count', value: all.length, unit: '' }],
    places: all,
  };
}

/** A line that a gate withheld is counted, and not shown. Neither are regions that were not recognized. */
function recognized(
  lines: readonly FactOf<'transcript_line'>[],
  regions: readonly FactOf<'recognised_region'>[],
): Found {
  const missing = regions.filter(({ cause }) => cause !== undefined).length;
  const passed = lines.filter(({ outcome }) => outcome === 'passed');
  const withheld = lines.length - passed.length;
  return {
    text: `${countText(passed.length, 'line')} recognized${withheld === 0 ? '' : `, ${withheld} more withheld`}${missing === 0 ? '' : `; ${countText(missing, 'passage')} not recognized`}`,
    measures: [{ name: 'count', value: passed.length, unit: '' }],
    places: passed,
  };
}

/** The texts that passed, and of those that a gate withheld how many by each reason; one may have several. */
export function textsFound({ facts }: FurtherArtifact): Found {
  const texts = facts.flatMap((fact) => (fact.kind === 'screen_text' ? [fact] : []));
  const passed = texts.filter(({ outcome }) => outcome === 'passed');
  const reasons = screenTextReasons.flatMap((reason) => {
    const count = texts.filter(({ reasonCodes }) => reasonCodes.includes(reason)).length;
    return count === 0 ? [] : [`${reason} ${count}`];
  });
  const withheld = texts.length - passed.length;
  return {
    text: `${countText(passed.length, 'text')} recognized${withheld === 0 ? '' : `, ${withheld} more withheld (${reasons.join(', ')})`}`,
    measures: [{ name: 'count', value: passed.length, unit: '' }],
    places: passed,
  };
}

const unidentified = 'not identified';

const languageText = ({ code, taggedLanguage }: FactOf<'track_language'>): string =>
  `${code ?? unidentified}${taggedLanguage === null ? '' : `, tagged ${taggedLanguage}`}`;

function spokenLanguages(ranges: readonly FactOf<'language_range'>[]): Found {
  const spans = new Map<string, Range[]>();
  for (const range of ranges) {
    const name = range.decision.status === 'classified' ? range.decision.code : unidentified;
    spans.set(name, [...(spans.get(name) ?? []), range]);
  }
  const lengths = [...spans].map(([language, found]) => ({ language, totalMs: totalLengthOf(joined(found)) }));
  const said = lengths.map(({ language, totalMs }) => `${language} in ${secondsText(totalMs)}`);
  return {
    languages: lengths.filter(({ language }) => language !== unidentified),
    text: said.length === 0 ? 'no speech to identify' : said.join(', '),
    measures: [{ name: 'count', value: ranges.length, unit: '' }],
    places: ranges,
  };
}

/** Why evidence is missing, in words: the failure of its engine if it is known, else its reason. */
export const absenceWords = (reasonCode: string, declaresLanguage: boolean, cause: EvidenceCause | null): string =>
  cause === null || isReason(cause.code) ? reasonWords(reasonCode, declaresLanguage) : wireText(cause);

/** The text of evidence that is missing. */
export const unavailable = (
  reasonCode: string | null,
  declaresLanguage = true,
  cause: EvidenceCause | null = null,
): Found => ({
  text:
    reasonCode === null
      ? 'unavailable'
      : `unavailable: ${absenceWords(reasonCode, declaresLanguage, cause)} (${reasonCode})`,
  measures: [],
  places: [],
});

/** The text of one kind of evidence. */
export function foundOf(row: EvidenceRow, range: Range, declaresLanguage = true): Found {
  if (row.state === 'unavailable') return unavailable(row.reasonCode, declaresLanguage, row.cause);
  switch (row.kind) {
    case 'speech_activity':
    case 'speech-activity-receipt':
      return windows(factsOf(row, 'speech_window'), range);
    case 'silence':
      return windows(factsOf(row, 'silence'), range);
    case 'loudness': {
      const [measured] = factsOf(row, 'loudness');
      return measured === undefined ? { text: 'not measured', measures: [], places: [] } : loudness(measured);
    }
    case 'shot_changes':
      return cuts(factsOf(row, 'shot_change'));
    case 'subtitle_track':
      return cues(row);
    case 'text_language': {
      const facts = factsOf(row, 'track_language');
      const languages = facts.flatMap(({ code }) => (code === null ? [] : [{ language: code, totalMs: null }]));
      return { text: facts.map(languageText).join('; '), languages, measures: [], places: [] };
    }
    case 'transcript':
      return recognized(factsOf(row, 'transcript_line'), factsOf(row, 'recognised_region'));
    case 'language-ranges-receipt':
      return spokenLanguages(factsOf(row, 'language_range'));
  }
}

type FurtherFactOf<Kind extends FurtherFact['kind']> = FurtherFact & { readonly kind: Kind };

const furtherOfKind = <Kind extends FurtherFact['kind']>(
  facts: readonly FurtherFact[],
  kind: Kind,
): FurtherFactOf<Kind>[] => facts.flatMap((fact) => (fact.kind === kind ? [fact as FurtherFactOf<Kind>] : []));

// A line for people names the first of them; all are in the places.
const namedPlaces = 8;

/** Where facts lie, the first of them by name. */
function atPlaces(places: readonly Range[]): string {
  if (places.length === 0) return '';
  const named = places.slice(0, namedPlaces).map(({ startMs }) => timeCode(startMs));
  return ` at ${named.join(', ')}${places.length > named.length ? ', …' : ''}`;
}

const plurals: Readonly<Record<string, string>> = {
  flash: 'flashes',
  stretch: 'stretches',
  'stretch of clipping': 'stretches of clipping',
};

const severalOf = (count: number, word: string): string =>
  count !== 1 && Object.hasOwn(plurals, word) ? `${count} ${plurals[word]}` : countText(count, word);

/** Words with how often each occurs, in the order of their first one. */
function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => severalOf(count, word)).join(', ');
}

const countOf = (value: number): Found['measures'] => [{ name: 'count', value, unit: '' }];

/** Places, counted by their kinds. */
const placed = (facts: readonly Range[], words: readonly string[]): Found => ({
  brief: facts.length === 0 ? 'none' : tally(words),
  text: facts.length === 0 ? 'none' : `${tally(words)}${atPlaces(facts)}`,
  measures: countOf(facts.length),
  places: facts,
});

/** Stretches of one sort, with their whole length. */
function stretches(facts: readonly Range[]): Found {
  const totalMs = totalLengthOf(joined(facts));
  const brief = facts.length === 0 ? 'none' : `${severalOf(facts.length, 'stretch')}, ${secondsText(totalMs)}`;
  return {
    brief,
    text: `${brief}${atPlaces(facts)}`,
    measures: [...countOf(facts.length), { name: 'total', value: totalMs / 1000, unit: 's' }],
    places: facts,
  };
}

const faultWords: Readonly<Record<string, string>> = {
  clipping: 'stretch of clipping',
  silent_channel: 'silent channel',
  phase_inversion: 'inverted channel',
  dropout: 'dropout',
};

/** The faults of the sound; the highest peak is a measurement, and does not count. */
function faults(facts: readonly FurtherFact[]): Found {
  const found = facts.filter(({ kind }) => Object.hasOwn(faultWords, kind));
  return placed(
    found,
    found.map(({ kind }) => faultWords[kind] ?? kind),
  );
}

const orderWords: Readonly<Record<FurtherFactOf<'field_order'>['order'], string>> = {
  progressive: 'progressive',
  top_first: 'interlaced, the upper field first',
  bottom_first: 'interlaced, the lower field first',
  telecined: 'telecined from film',
  mixed: 'mixed',
  unknown: 'not certain',
};

/** The measurements of a whole stretch, in words. */
const wholeStretch = (facts: readonly Range[], words: readonly string[], none: string): Found => ({
  text: words.length === 0 ? none : [...new Set(words)].join('; '),
  measures: [],
  places: facts,
});

const readers: Readonly<Record<PassKind, (facts: readonly FurtherFact[]) => Found>> = {
  transitions: (facts) => {
    const found = facts.flatMap((fact) =>
      fact.kind === 'transition' || fact.kind === 'flash' || fact.kind === 'strobe' ? [fact] : [],
    );
    return placed(
      found,
      found.map((fact) => (fact.kind === 'transition' ? fact.form : fact.kind)),
    );
  },
  black_frames: (facts) => stretches(furtherOfKind(facts, 'black')),
  frozen_frames: (facts) => stretches(furtherOfKind(facts, 'frozen')),
  keyframes: (facts) => {
    const found = furtherOfKind(facts, 'keyframe');
    return {
      text: countText(found.length, 'picture'),
      measures: countOf(found.length),
      places: found.map(({ atMs }) => ({ startMs: atMs, endMs: atMs })),
    };
  },
  waveform: (facts) => {
    const found = furtherOfKind(facts, 'waveform');
    return wholeStretch(
      found,
      found.map(({ windowMs }) => `lowest and highest sample of every ${windowMs} ms`),
      'none',
    );
  },
  audio_faults: faults,
  interlacing: (facts) => {
    const found = furtherOfKind(facts, 'field_order');
    const orders = found.map(({ order }) => order);
    return {
      ...wholeStretch(
        found,
        orders.map((order) => orderWords[order]),
        'not measured',
      ),
      fieldOrders: [...new Set(orders)],
    };
  },
  letterbox: (facts) => {
    const found = furtherOfKind(facts, 'letterbox');
    return wholeStretch(
      found,
      found.map(
        ({ width, height, pictureWidth, pictureHeight }) =>
          `picture of ${width} × ${height} in ${pictureWidth} × ${pictureHeight}`,
      ),
      'none',
    );
  },
};

/** The text of one of the further kinds of a pass. */
export const furtherFoundOf = (kind: PassKind, facts: readonly FurtherFact[]): Found => readers[kind](facts);

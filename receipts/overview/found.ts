import type { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import type { CorrectedLineDecision } from '../../contract/captions/correction.ts';
import type { qualityControlReason } from '../../contract/captions/quality-control.ts';
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
import type { FindingMeasure } from '../../contract/overview.ts';
import type { intakeReason, rejectionReasons, revocationReasons } from '../../contract/review.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { secondsText, timeCode } from '../../formats/readable-numbers.ts';
import { joined, totalLengthOf } from '../../rules/time-spans.ts';
import { countText } from '../evidence-chain.ts';

type ReasonCode =
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

const words: Readonly<Record<ReasonCode, string>> = {
  no_audio_track: 'the media has no audio track',
  no_video_track: 'the media has no video track',
  no_text_subtitle_track: 'the media has no text subtitle track',
  no_audio_in_range: 'the range has no sound',
  no_frames_in_range: 'the range has no pictures',
  subtitle_format_unsupported: 'the format of this track is not read',
  subtitle_limit_exceeded: 'this track is more than is read',
  language_not_recognised: 'the recognizer does not serve the declared language',
  recognition_failed: 'the recognizer failed, or the time of the study was used up',
  no_speech_evidence: 'too little speech is detected at its time, or it has no words',
  repetition: 'it says the same again and again',
  low_confidence: 'it is not certain enough',
  compression: 'it is more regular than speech is',
  boundary_only: 'it lies at the edge of the speech alone',
  disagreement: 'another look came to another text',
  too_short: 'it has fewer than two letters or digits',
  seen_once: 'one picture alone shows it',
  clutter: 'few letters around it are certain',
  unread_language: 'it is in a language that the engine was not given',
  withheld: 'a fact behind the claim is withheld',
  unknown: 'a fact behind the claim could not be identified',
  truncated: 'the claim does not rest on all facts',
  audited_claim_withheld: 'a claim is withheld',
  audited_claim_unknown: 'a claim is unknown',
  audited_claim_truncated: 'a claim does not rest on all facts',
  hidden_gap: 'a part of the range is not covered by what was read',
  non_supported_root_coverage: 'a part of the range has no supported claim',
  stored_content_integrity_failed: 'what is stored does not verify',
  unresolved_conflict: 'claims contradict each other',
  unsupported_synthesized_claim: 'a claim does not follow from its facts',
  evidence_requires_additional_review: 'the reviewer wants the evidence looked at again',
  source_scope_not_approved: 'the reviewer does not approve the source or the range',
  rights_or_policy_concern: 'the reviewer has a concern about rights or policy',
  other_review_concern: 'the reviewer has another concern',
  approval_entered_in_error: 'the approval was given by mistake',
  new_review_required: 'the study needs a new review',
  source_scope_changed: 'the source or the range is another one now',
  recorded_quality_gate_withheld: 'the recorded captions were withheld',
  recognizer_unavailable: 'there is no text in the spoken language',
  recognizer_empty: 'nothing was recognized',
  translator_unavailable: 'there is no text in this language at this time',
  translator_missing_line: 'the translation lacks this line',
  translation_source_mismatch: 'the translation came with another line than this one',
  translation_numbers_changed: 'the translation has other numbers',
  translation_names_changed: 'the translation lacks a name',
  translation_repeated: 'the translation is that of another line too',
  translation_disagreement: 'the translator gave different translations of the same line',
  translation_length_outlier: 'the translation is much shorter or longer than those around it',
  source_unavailable: 'the source cannot be read',
  study_coverage_withheld: 'the study withholds this time',
  study_coverage_unknown: 'the study could not identify this time',
  study_coverage_failed: 'the study failed at this time',
  study_coverage_unavailable: 'the study has no evidence of this time',
  study_coverage_truncated: 'the study did not read all facts of this time',
  study_coverage_conflict: 'the study contradicts itself at this time',
  study_coverage_uncovered: 'the study claims nothing of this time',
  study_readiness_withheld: 'the study is not ready',
  study_citation_mismatch: 'the study cites nothing for this time',
  not_in_requested_dialogue_scope: 'this was not asked for',
  language_mismatch: 'the text is in another language than it should be',
  recorded_fixture_test_demo_only: 'recorded captions are for demonstrations only',
  candidate_has_no_lines: 'there are no lines',
  candidate_has_unavailable_or_withheld_lines: 'lines lack a text',
  current_run_candidate_accepted_in_part: 'lines without both texts are left out',
  line_unavailable_or_withheld: 'a text is missing',
  line_out_of_order: 'it begins while a line before it is visible',
  corrected_lines_withheld: 'some lines do not pass',
  no_lines_left: 'there are no lines',
};

/** The meaning of a reason in a study that declared no spoken language. */
const undeclaredWords: Readonly<Record<string, string>> = {
  language_not_recognised: 'the recognizer needs the spoken language, and the study declared none',
};

/** A reason code in words; the code itself where there are none. */
export const reasonWords = (code: string, declaresLanguage = true): string =>
  (declaresLanguage ? undefined : undeclaredWords[code]) ??
  (Object.hasOwn(words, code) ? words[code as ReasonCode] : code.replaceAll('_', ' '));

export const reasonsText = (codes: readonly string[]): string => codes.map((code) => reasonWords(code)).join('; ');

/** The text of evidence before it is bounded: words, numbers and every place. */
export interface Found {
  readonly text: string;
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
    text: `${countText(shots.length, 'cut')}${named.length === 0 ? '' : ` at ${named.join(', ')}${more}`}`,
    measures: [{ name: 'count', value: shots.length, unit: '' }],
    places: shots.map(({ atMs }) => ({ startMs: atMs, endMs: atMs })),
  };
}

function cues(row: EvidenceRow): Found {
  const unreadable = factsOf(row, 'unreadable_cue');
  const all = [...factsOf(row, 'subtitle_cue'), ...unreadable].sort((one, other) => one.startMs - other.startMs);
  const lost = unreadable.length === 0 ? '' : `, ${unreadable.length} of them unreadable`;
  return {
    text: `${countText(all.length, 'cue')}${lost}`,
    measures: [{ name: 'count', value: all.length, unit: '' }],
    places: all,
  };
}

/** A line that a gate withheld is counted, and not shown. */
function recognized(lines: readonly FactOf<'transcript_line'>[]): Found {
  const passed = lines.filter(({ outcome }) => outcome === 'passed');
  const withheld = lines.length - passed.length;
  return {
    text: `${countText(passed.length, 'line')} recognized${withheld === 0 ? '' : `, ${withheld} more withheld`}`,
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

const languageText = ({ code, taggedLanguage }: FactOf<'track_language'>): string =>
  `${code ?? 'not identified'}${taggedLanguage === null ? '' : `, tagged ${taggedLanguage}`}`;

function spokenLanguages(ranges: readonly FactOf<'language_range'>[]): Found {
  const spans = new Map<string, Range[]>();
  for (const range of ranges) {
    const name = range.decision.status === 'classified' ? range.decision.code : 'not identified';
    spans.set(name, [...(spans.get(name) ?? []), range]);
  }
  const said = [...spans].map(([name, found]) => `${name} in ${secondsText(totalLengthOf(joined(found)))}`);
  return {
    text: said.length === 0 ? 'no speech to identify' : said.join(', '),
    measures: [{ name: 'count', value: ranges.length, unit: '' }],
    places: ranges,
  };
}

/** The text of evidence that is missing. */
export const unavailable = (reasonCode: string | null, declaresLanguage = true): Found => ({
  text:
    reasonCode === null ? 'unavailable' : `unavailable: ${reasonWords(reasonCode, declaresLanguage)} (${reasonCode})`,
  measures: [],
  places: [],
});

/** The text of one kind of evidence. */
export function foundOf(row: EvidenceRow, range: Range, declaresLanguage = true): Found {
  if (row.state === 'unavailable') return unavailable(row.reasonCode, declaresLanguage);
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
      const identified = factsOf(row, 'track_language').map(languageText);
      return { text: identified.join('; '), measures: [], places: [] };
    }
    case 'transcript':
      return recognized(factsOf(row, 'transcript_line'));
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
  text: facts.length === 0 ? 'none' : `${tally(words)}${atPlaces(facts)}`,
  measures: countOf(facts.length),
  places: facts,
});

/** Stretches of one sort, with their whole length. */
function stretches(facts: readonly Range[]): Found {
  const totalMs = totalLengthOf(joined(facts));
  return {
    text:
      facts.length === 0 ? 'none' : `${severalOf(facts.length, 'stretch')}, ${secondsText(totalMs)}${atPlaces(facts)}`,
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
    return wholeStretch(
      found,
      found.map(({ order }) => orderWords[order]),
      'not measured',
    );
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

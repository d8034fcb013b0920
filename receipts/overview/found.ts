import type { Range } from '../../contract/base/grammar.ts';
import type { FurtherArtifact } from '../../contract/evidence/further-evidence.ts';
import { screenTextReasons } from '../../contract/evidence/screen-text.ts';
import type { FindingMeasure } from '../../contract/overview/runtime-overview.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { counted } from '../core/checked-link.ts';
import { secondsText, timeCode } from '../core/time-code.ts';
import { joined, lengthOf } from '../core/time-spans.ts';
import { reasonWords } from './reason-words.ts';

/** What evidence says, before it is bounded: words, numbers and every place. */
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
  const lengthMs = lengthOf(joined(spans));
  const share = percentOf(lengthMs, range);
  return {
    text: `${counted(spans.length, 'window')}, ${secondsText(lengthMs)}, ${share} %`,
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
    text: `${counted(shots.length, 'cut')}${named.length === 0 ? '' : ` at ${named.join(', ')}${more}`}`,
    measures: [{ name: 'count', value: shots.length, unit: '' }],
    places: shots.map(({ atMs }) => ({ startMs: atMs, endMs: atMs })),
  };
}

function cues(row: EvidenceRow): Found {
  const unreadable = factsOf(row, 'unreadable_cue');
  const all = [...factsOf(row, 'subtitle_cue'), ...unreadable].sort((one, other) => one.startMs - other.startMs);
  const lost = unreadable.length === 0 ? '' : `, ${unreadable.length} of them unreadable`;
  return {
    text: `${counted(all.length, 'cue')}${lost}`,
    measures: [{ name: 'count', value: all.length, unit: '' }],
    places: all,
  };
}

/** A line that a gate withheld is counted, and not shown. */
function recognised(lines: readonly FactOf<'transcript_line'>[]): Found {
  const passed = lines.filter(({ outcome }) => outcome === 'passed');
  const withheld = lines.length - passed.length;
  return {
    text: `${counted(passed.length, 'line')} recognised${withheld === 0 ? '' : `, ${withheld} more withheld`}`,
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
    text: `${counted(passed.length, 'text')} recognised${withheld === 0 ? '' : `, ${withheld} more withheld (${reasons.join(', ')})`}`,
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
  const said = [...spans].map(([name, found]) => `${name} in ${secondsText(lengthOf(joined(found)))}`);
  return {
    text: said.length === 0 ? 'no speech to identify' : said.join(', '),
    measures: [{ name: 'count', value: ranges.length, unit: '' }],
    places: ranges,
  };
}

/** What evidence says that is not there. */
export const unavailable = (reasonCode: string | null, declaresLanguage = true): Found => ({
  text:
    reasonCode === null ? 'unavailable' : `unavailable: ${reasonWords(reasonCode, declaresLanguage)} (${reasonCode})`,
  measures: [],
  places: [],
});

/** What one kind of evidence says. */
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
      return recognised(factsOf(row, 'transcript_line'));
    case 'language-ranges-receipt':
      return spokenLanguages(factsOf(row, 'language_range'));
  }
}

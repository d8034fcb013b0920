import type { Cause } from '../../contract/causes/causes.ts';
import type { AssessmentAudits, ClaimState } from '../../contract/evidence/assessment.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { Finding } from '../../contract/overview.ts';
import type { EvidenceRow, FurtherRow } from '../../contract/study/runtime-evidence.ts';
import { pageReason, whatWords } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { clockTime, rangeCode } from '../words/numbers.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import type { Stretch } from './ticks.ts';

/** A fact of any kind: what it is called, and its figures. Kinds that this page has no words for are shown as they are. */
export type Fact = Readonly<Record<string, unknown>> & { readonly kind: string };

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

/** True if a fact has a place in time. */
const isPlaced = (fact: Fact): boolean => isTime(fact.atMs) || (isTime(fact.startMs) && isTime(fact.endMs));

/** The range of a fact; a moment has no length. */
function stretchOf(fact: Fact): Stretch {
  if (isTime(fact.startMs) && isTime(fact.endMs)) return { startMs: fact.startMs, endMs: fact.endMs };
  return { startMs: Number(fact.atMs), endMs: Number(fact.atMs) };
}

const centi = (value: unknown, unit: string): string | null =>
  isTime(value) ? `${(value / 100).toFixed(1)} ${unit}` : null;

const inWords: Readonly<Record<string, (fact: Fact) => string>> = {
  speech_window: () => 'speech',
  non_speech_window: () => 'no speech',
  silence: () => 'silence',
  shot_change: () => 'cut',
  loudness: ({ integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp }) =>
    [
      centi(integratedCentiLufs, 'LUFS') ?? 'too quiet to measure',
      centi(rangeCentiLu, 'LU'),
      centi(truePeakCentiDbtp, 'dBTP'),
    ]
      .filter((part) => part !== null)
      .join(', '),
  language_range: ({ decision }) => {
    const { code, status } = decision as { code: string | null; status: string };
    const name = code === null ? 'language' : languageName(code);
    return status === 'classified' ? name : `${name}: ${status}`;
  },
  transition: ({ form }) => String(form),
  keyframe: ({ atMs }) => `keyframe at ${clockTime(Number(atMs))}`,
  waveform: ({ windowMs }) => `waveform, the lowest and highest sample of every ${windowMs} ms`,
  clipping: ({ channel, runs }) => `clipping, ${channel}, ${runs} ${runs === 1 ? 'flat peak' : 'flat peaks'}`,
  silent_channel: ({ channel }) => `the ${channel} channel is silent`,
  phase_inversion: () => 'left and right cancel each other out in a mix',
  dropout: () => 'dropout: every channel is silent for a moment',
  true_peak: ({ truePeakCentiDbtp }) => `highest true peak, ${centi(truePeakCentiDbtp, 'dBTP')}`,
  strobe: ({ flashes }) => `strobe, ${flashes} flashes`,
  black: () => 'black pictures',
  frozen: () => 'frozen pictures',
  field_order: ({ order, repeatedMilli }) =>
    `${order === 'unknown' ? 'the order of fields is not known' : `${wordsOf(String(order))} fields`}${isTime(repeatedMilli) && repeatedMilli > 0 ? `, ${repeatedMilli / 10} % repeated` : ''}`,
  letterbox: ({ width, height, left, top }) => `black bars around ${width} × ${height} pixels, from ${left}, ${top} on`,
  recognised_region: ({ cause }) =>
    cause === undefined
      ? wordsOf('recognised_region')
      : `speech that was not recognized: ${whatWords([cause as Cause])}`,
  unreadable_cue: ({ reasonCode }) => `a cue that cannot be read: ${pageReason(String(reasonCode))}`,
};

const reasonsOf = ({ reasonCodes }: Fact): readonly string[] =>
  Array.isArray(reasonCodes) ? reasonCodes.map(String) : [];

/** A fact in a few words, without its place. */
export function factWords(fact: Fact): string {
  // A withheld part is shown as withheld, and never as spoken or written words.
  if (fact.outcome === 'withheld') return `a line that is withheld: ${reasonsOf(fact).map(pageReason).join(', ')}`;
  if (typeof fact.text === 'string') return fact.text;
  return inWords[fact.kind]?.(fact) ?? wordsOf(fact.kind);
}

/** A fact with its place: what a hover and a screen reader say. */
export const placedWords = (words: string, { startMs, endMs }: Stretch): string =>
  `${words}, ${rangeCode(startMs, endMs)}`;

const tones: Readonly<Record<string, string>> = {
  speech_window: 'speech',
  non_speech_window: 'gap',
  silence: 'silence',
  loudness: 'level',
  shot_change: 'cut',
  transition: 'change',
  flash: 'flash',
  strobe: 'flash',
  black: 'dark',
  frozen: 'still',
  letterbox: 'dark',
  keyframe: 'seen',
  waveform: 'seen',
  clipping: 'damage',
  silent_channel: 'damage',
  phase_inversion: 'damage',
  dropout: 'damage',
  true_peak: 'level',
  transcript_line: 'text',
  screen_text: 'text',
  subtitle_cue: 'text',
  unreadable_cue: 'fault',
  language_range: 'language',
};

/** The class that a fact is drawn with. */
export const toneOfFact = ({ kind, outcome, cause }: Fact): string =>
  outcome === 'withheld' || cause !== undefined ? 'fault' : (tones[kind] ?? 'other');

export type AuditedClaim = AssessmentAudits['audits'][number]['claims'][number];
type AnyRow = EvidenceRow | FurtherRow;
export type AvailableRow = Extract<AnyRow, { state: 'available' }>;

/** The subject of a mark, which opens when the mark is chosen. */
export type Subject =
  | { readonly kind: 'fact'; readonly row: AvailableRow; readonly title: string; readonly factIndex: number }
  | { readonly kind: 'claim'; readonly claim: AuditedClaim; readonly operationId: string }
  /** A passage with speech that no line of the captions has. */
  | { readonly kind: 'gap'; readonly title: string };

export interface Mark extends Stretch {
  readonly key: string;
  readonly tone: string;
  /** For claims, which state they are in. */
  readonly claimState: ClaimState | null;
  /** The label of the mark if there is room; a screen reader always reads it. */
  readonly words: string;
  readonly subject: Subject;
}

export interface Lane {
  readonly key: string;
  /** The pictures or sound that the facts of the lane name, drawn behind them. */
  readonly backdrop: 'pictures' | 'sound' | null;
  readonly title: string;
  /** Why there are no marks; null where there are some. `unplaced` facts hold for the whole, without a place in time. */
  readonly absence: { readonly kind: 'unavailable' | 'empty' | 'unplaced'; readonly words: string } | null;
  readonly marks: readonly Mark[];
}

const byTime = (a: Mark, b: Mark): number => a.startMs - b.startMs || a.endMs - b.endMs;

/** From the sound to speech and text; kinds that this page does not know come last. */
const order: readonly string[] = [
  'waveform',
  'speech_activity',
  'silence',
  'loudness',
  'audio_faults',
  'keyframes',
  'shot_changes',
  'transitions',
  'black_frames',
  'frozen_frames',
  'interlacing',
  'letterbox',
  'subtitle_track',
  'text_language',
  'transcript',
];

const placeOf = ({ kind }: AnyRow): number => {
  const place = order.indexOf(kind);
  return place === -1 ? order.length : place;
};

const backdrops: Readonly<Record<string, Lane['backdrop']>> = { keyframes: 'pictures', waveform: 'sound' };

/** The language that was found in the subtitles of a track, by its name; null if none was. */
export function trackLanguage(of: Finding, findings: readonly Finding[]): string | null {
  const found = findings.find(
    ({ kind, trackIndex, state }) => kind === 'text_language' && trackIndex === of.trackIndex && state === 'available',
  );
  const [first] = found?.languages ?? [];
  return first === undefined ? null : languageName(first.language);
}

/** The title of a finding. Subtitles of several tracks differ by their language: `Korean (track 2)`. */
function titleOf(finding: Finding, findings: readonly Finding[]): string {
  const language = finding.kind === 'subtitle_track' ? trackLanguage(finding, findings) : null;
  if (language === null || finding.trackIndex === null) return sentence(finding.title);
  return `${language} (track ${finding.trackIndex})`;
}

/** One lane for each evidence that the host answers, of whatever kind; several of one kind are in the order of the host. */
export function evidenceLanes(rows: readonly AnyRow[], findings: readonly Finding[]): readonly Lane[] {
  return rows
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((row, at) => {
      const finding = findings.find(({ artifactId, kind, reasonCode }) =>
        row.state === 'available' ? artifactId === row.artifactId : kind === row.kind && reasonCode === row.reasonCode,
      );
      const title = finding === undefined ? sentence(wordsOf(row.kind)) : titleOf(finding, findings);
      const key = `${row.kind} ${row.artifactId ?? at}`;
      if (row.state === 'unavailable') {
        return {
          key,
          backdrop: null,
          title,
          marks: [],
          absence: { kind: 'unavailable', words: whatWords([row.cause]) },
        };
      }
      const marks = marksOf(row, title, key).sort(byTime);
      return {
        key,
        backdrop: backdrops[row.kind] ?? null,
        title,
        marks,
        absence:
          marks.length > 0
            ? null
            : { kind: row.facts.length === 0 ? 'empty' : 'unplaced', words: finding?.text ?? 'nothing found' },
      };
    });
}

const marksOf = (row: AvailableRow, title: string, key: string): Mark[] =>
  (row.facts as readonly Fact[]).flatMap((fact, factIndex) =>
    isPlaced(fact)
      ? {
          key: `${key} ${factIndex}`,
          ...stretchOf(fact),
          tone: toneOfFact(fact),
          claimState: null,
          words: factWords(fact),
          subject: { kind: 'fact' as const, row, title, factIndex },
        }
      : [],
  );

/** The range of a cited fact, and the text that was recognized there. */
type Cited = Stretch & { readonly text?: string };

const gravest = ({ states }: AuditedClaim): ClaimState => states[0] ?? 'unknown';

/** The facts of a read that a claim cites; its own range where the read is not at hand. */
function citedStretches(claim: AuditedClaim, reads: ReadonlyMap<string, EvidenceReadReceipt>): readonly Cited[] {
  const cited = claim.citations.flatMap(({ receiptId, factIndexes }) => {
    const facts = reads.get(receiptId)?.facts;
    return facts === undefined ? [] : factIndexes.flatMap((index) => facts[index] ?? []);
  });
  return cited.length > 0 ? cited : [claim.range];
}

export function claimWords({ kind, value }: AuditedClaim): string {
  if (kind === 'speech_activity') return value === 'speech' ? 'speech' : 'no speech';
  if (kind === 'language_identity') return value === null ? 'language' : languageName(value);
  return value === null ? wordsOf(kind) : `${value} ${wordsOf(kind)}`;
}

/** One lane for each kind of claim. */
export function claimLanes(audits: AssessmentAudits, reads: ReadonlyMap<string, EvidenceReadReceipt>): readonly Lane[] {
  const lanes = new Map<string, Mark[]>();
  for (const { operationId, claims } of audits.audits) {
    for (const claim of claims) {
      const marks = lanes.get(claim.kind) ?? [];
      lanes.set(claim.kind, marks);
      const state = gravest(claim);
      for (const [at, { startMs, endMs, text }] of citedStretches(claim, reads).entries()) {
        marks.push({
          key: `claim ${operationId} ${claim.claimIndex} ${at}`,
          startMs,
          endMs,
          tone: claim.value === 'non_speech' ? 'claim-quiet' : 'claim',
          claimState: state,
          words: `${text === undefined ? claimWords(claim) : `“${text}”`}: ${state}`,
          subject: { kind: 'claim', claim, operationId },
        });
      }
    }
  }
  return [...lanes].map(([kind, marks]) => ({
    key: `claims ${kind}`,
    backdrop: null,
    title: `Claims: ${wordsOf(kind)}`,
    absence: null,
    marks: marks.sort(byTime),
  }));
}

const gapTitle = 'Speech without line';

/** The lane of passages with speech and no line; none if there are no such passages. */
export const gapLanes = (gaps: readonly Stretch[]): readonly Lane[] =>
  gaps.length === 0
    ? []
    : [
        {
          ...{ key: 'gaps', backdrop: null, title: gapTitle, absence: null },
          marks: gaps.map((gap, at) => ({
            ...{ ...gap, key: `gap ${at}`, tone: 'fault', claimState: null, words: 'speech without a line' },
            subject: { kind: 'gap' as const, title: gapTitle },
          })),
        },
      ];

import type { AssessmentAudits, ClaimState } from '../../contract/evidence/assessment.ts';
import type { DescribedKind, MarkTone } from '../../contract/evidence/evidence-kinds.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { Finding } from '../../contract/overview.ts';
import type { EvidenceRow, FurtherRow } from '../../contract/study/runtime-evidence.ts';
import { pageReason, whatWords } from '../words/cause-words.ts';
import { type Kinds, textOfParts } from '../words/kind-words.ts';
import { languageName } from '../words/language-name.ts';
import { rangeCode } from '../words/numbers.ts';
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

const reasonsOf = ({ reasonCodes }: Fact): readonly string[] =>
  Array.isArray(reasonCodes) ? reasonCodes.map(String) : [];

/** How the host words and draws a sort of facts; null for one that it does not describe. */
type FactLook = DescribedKind['facts'][number] | null;

/** A fact in a few words, without its place. */
export function factWords(fact: Fact, look: FactLook): string {
  // A withheld part is shown as withheld, and never as spoken or written words.
  if (fact.outcome === 'withheld') return `a line that is withheld: ${reasonsOf(fact).map(pageReason).join(', ')}`;
  return look === null ? wordsOf(fact.kind) : textOfParts(look.words, fact);
}

/** A fact with its place: what a hover and a screen reader say. */
export const placedWords = (words: string, { startMs, endMs }: Stretch): string =>
  `${words}, ${rangeCode(startMs, endMs)}`;

/** The class that a fact is drawn with. */
export const toneOfFact = ({ outcome, cause }: Fact, look: FactLook): MarkTone =>
  outcome === 'withheld' || cause !== undefined ? 'fault' : (look?.tone ?? 'other');

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

/** Kinds that the host does not describe come last. */
function placeOf({ kind }: AnyRow, kinds: Kinds): number {
  const place = kinds.findIndex((each) => each.kind === kind);
  return place === -1 ? kinds.length : place;
}

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
export function evidenceLanes(rows: readonly AnyRow[], findings: readonly Finding[], kinds: Kinds): readonly Lane[] {
  return rows
    .toSorted((a, b) => placeOf(a, kinds) - placeOf(b, kinds))
    .map((row, at) => {
      const finding = findings.find(({ artifactId, kind, reasonCode }) =>
        row.state === 'available' ? artifactId === row.artifactId : kind === row.kind && reasonCode === row.reasonCode,
      );
      const title = finding === undefined ? sentence(wordsOf(row.kind)) : titleOf(finding, findings);
      const key = `${row.kind} ${row.artifactId ?? at}`;
      const described = kinds.find(({ kind }) => kind === row.kind) ?? null;
      if (row.state === 'unavailable') {
        return {
          key,
          backdrop: null,
          title,
          marks: [],
          absence: { kind: 'unavailable', words: whatWords([row.cause]) },
        };
      }
      const marks = marksOf(row, title, key, described).sort(byTime);
      return {
        key,
        backdrop: described?.backdrop ?? null,
        title,
        marks,
        absence:
          marks.length > 0
            ? null
            : { kind: row.facts.length === 0 ? 'empty' : 'unplaced', words: finding?.text ?? 'nothing found' },
      };
    });
}

const marksOf = (row: AvailableRow, title: string, key: string, described: DescribedKind | null): Mark[] =>
  (row.facts as readonly Fact[]).flatMap((fact, factIndex) => {
    if (!isPlaced(fact)) return [];
    const look = described?.facts.find(({ kind }) => kind === fact.kind) ?? null;
    return {
      key: `${key} ${factIndex}`,
      ...stretchOf(fact),
      tone: toneOfFact(fact, look),
      claimState: null,
      words: factWords(fact, look),
      subject: { kind: 'fact' as const, row, title, factIndex },
    };
  });

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

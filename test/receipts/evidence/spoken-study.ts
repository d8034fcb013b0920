import type { Artifact } from '../../../contract/base/artifact.ts';
import type { Range } from '../../../contract/base/grammar.ts';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import type { EvidenceAssessmentReceipt } from '../../../contract/evidence/assessment.ts';
import type { SpeechFact } from '../../../contract/evidence/evidence.ts';
import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import type { LanguageRange, LanguageRanges } from '../../../contract/sources/languages.ts';
import { contentIdOfJson, storedBytes } from '../../../formats/canonical-json.ts';
import {
  languageEvidence,
  type ReadableEvidence,
  speechEvidence,
} from '../../../receipts/evidence/readable-evidence.ts';
import { outputArtifact, preflightEvidenceArtifact } from '../../../receipts/identities.ts';
import { planStudy } from '../../../receipts/study/plan.ts';
import { acceptStudy } from '../../../receipts/study/start.ts';
import type { StudyRun } from '../../../receipts/study-run.ts';
import { acceptedAt, clipRequest, clipStudyIds, koreanClip } from '../sources/korean-clip.ts';
import { reopenAssessment, reopenRead } from './opened-records.ts';
import { performAssessments, performReads } from './performed.ts';

const hex = (digit: string): string => digit.repeat(64);

const { record } = acceptStudy(planStudy(koreanClip, clipRequest), koreanClip, acceptedAt);

/** A study of [1000, 41000) ms of the clip. */
export const run: StudyRun = { record, ids: clipStudyIds() };
export const runId = record.runtimeId;
export const { range } = clipRequest;

export const vad = { name: 'silero-vad', version: '5', digest: `sha256:${hex('d')}` };

/** Divides a range into windows of whole milliseconds, as even as they get. */
export const divided = ({ startMs, endMs }: Range, count: number): Range[] =>
  Array.from({ length: count }, (_, at) => ({
    startMs: startMs + Math.floor((at * (endMs - startMs)) / count),
    endMs: startMs + Math.floor(((at + 1) * (endMs - startMs)) / count),
  }));

/** Speech and silence by turns over these windows, which follow each other. */
export const turns = (windows: readonly Range[], first: 'speech' | 'silence' = 'speech'): SpeechFact[] =>
  windows.map(({ startMs, endMs }, index) => ({
    kind: (index % 2 === 0) === (first === 'speech') ? 'speech_window' : 'non_speech_window',
    index,
    startSample: startMs * 16,
    endSample: endMs * 16,
    startMs,
    endMs,
  }));

/** Results of the study's own detection. */
export function spoken(facts: readonly SpeechFact[]): ReadableEvidence {
  const content = {
    schema: 'studio.detected-evidence.v1' as const,
    kind: 'speech_activity' as const,
    input: { sourceContentId: koreanClip.session.source.contentId, range, trackIndex: 1, derivedAudio: null },
    tool: vad,
    parameters: {},
    facts: [...facts],
  };
  const artifact: Artifact = outputArtifact({
    runId,
    kind: 'detected-speech-activity',
    origin: { kind: 'operation_output', operationId: `operation:media-detect:${hex('a')}` },
    contentId: contentIdOfJson(content),
    bytes: storedBytes(content).length,
    sourceArtifactIds: [record.sourceArtifactId],
    producer: run.ids,
  });
  return speechEvidence(artifact, content);
}

const confidence = { token_id: null, probability: null, margin: null };

/** A language tag, or the status of an abstention. */
export type LanguageOutcome = string | 'unknown' | 'withheld';

export const decisionFor = (language: LanguageOutcome): LanguageRange['decision'] =>
  language === 'unknown' || language === 'withheld'
    ? { status: language, code: null, ...confidence, reason: 'below_margin' }
    : { status: 'classified', code: language, ...confidence, reason: null };

/** The preflight's language evidence for these windows. */
export function identified(language: readonly (Range & { readonly language: LanguageOutcome })[]): ReadableEvidence {
  const content: LanguageRanges = {
    schema: 'studio.language-ranges.v1',
    producer: 'studio.fixture-script',
    run: { tools: [], models: [] },
    input: {
      source_content_id: koreanClip.session.source.contentId,
      speech_activity_content_id: `sha256:${hex('1')}`,
      audio_content_id: `sha256:${hex('2')}`,
    },
    configuration: {},
    languages: ['ko', 'en'],
    ranges: language.map((each, index) => ({
      speech_window_index: index,
      chunk_index: 0,
      start_sample: each.startMs * 16,
      end_sample: each.endMs * 16,
      scores: [],
      decision: decisionFor(each.language),
    })),
  };
  const pinned = {
    kind: 'language-ranges-receipt' as const,
    contentId: contentIdOfJson(content),
    bytes: storedBytes(content).length,
  };
  return languageEvidence(preflightEvidenceArtifact(runId, koreanClip, pinned), content);
}

/** Languages over the range, one after the other. */
export const inTurn = (language: readonly LanguageOutcome[]): ReadableEvidence =>
  identified(divided(range, language.length).map((window, at) => ({ ...window, language: language[at] ?? 'unknown' })));

export const readsOf = (evidence: readonly ReadableEvidence[]): EvidenceReadReceipt[] =>
  performReads(run, evidence).objects.map(reopenRead);

export const assessmentsOf = (reads: readonly EvidenceReadReceipt[]): EvidenceAssessmentReceipt[] =>
  performAssessments(run, reads).objects.map(reopenAssessment);

export const contentIdsOf = (objects: readonly StoredObject[]): string[] => objects.map(({ contentId }) => contentId);

/** One element, which must be there. */
export function only<Value>(values: readonly Value[]): Value {
  const [value] = values;
  if (value === undefined || values.length !== 1) throw new RangeError(`${values.length} values instead of one`);
  return value;
}

import { z } from 'zod';
import { artifactId, operationId } from '../base/artifact.ts';
import {
  contentId,
  count,
  identity,
  identityOf,
  languageTag,
  positive,
  range,
  wellFormedText,
} from '../base/grammar.ts';
import { decisionReference, readReceiptId } from '../evidence/assessment.ts';
import { modelName } from '../explanations/executor.ts';
import { approvalReference } from '../review.ts';
import { coverage, readinessReference, studyReference } from '../study/study-record.ts';
import { lineBreakNames } from './line-breaks.ts';

/** The limits of one production; bytes are those of UTF-8. */
export const captionLimits = {
  maxDurationMs: 120_000,
  maxLines: 64,
  maxSourceBytes: 32_768,
  maxTargetBytes: 32_768,
  maxArtifactBytes: 131_072,
  maxWallMs: 60_000,
} as const;

/**
 * The reason why a side of a line has no text. `language_mismatch`: its track is in another language than the container states,
 * or its translation in another than requested. Those that begin with `translation_` are gates that a translation did not pass.
 */
export const captionReason = z.enum([
  'recorded_quality_gate_withheld',
  'recognizer_unavailable',
  'recognizer_empty',
  'translator_unavailable',
  'translator_missing_line',
  'source_unavailable',
  'study_coverage_withheld',
  'study_coverage_unknown',
  'study_coverage_failed',
  'study_coverage_unavailable',
  'study_coverage_truncated',
  'study_coverage_conflict',
  'study_coverage_uncovered',
  'study_readiness_withheld',
  'study_citation_mismatch',
  'not_in_requested_dialogue_scope',
  'language_mismatch',
  'translation_source_mismatch',
  'translation_numbers_changed',
  'translation_names_changed',
  'translation_repeated',
  'translation_length_outlier',
  'translation_disagreement',
  'translation_unknown_words',
  'translation_source_words',
]);
export type CaptionReason = z.infer<typeof captionReason>;

const isLineBreakOrTab = (character: string): boolean => ['\t', '\n', '\r'].includes(character);

/** The largest text of a line, in bytes of UTF-8. */
const maximumCaptionTextBytes = 8192;

/** The text of a line: well formed, trimmed, at most 4096 characters, of control characters only tabs and line breaks. */
export const captionWords = wellFormedText
  .min(1)
  .max(4096)
  .refine((text) => Buffer.byteLength(text, 'utf8') <= maximumCaptionTextBytes, 'is too long')
  .refine((text) => text === text.trim(), 'must be trimmed')
  .refine(
    (text) => [...text].every((character) => !/\p{Cc}/u.test(character) || isLineBreakOrTab(character)),
    'has control characters',
  );

/** One side of a line: its text, or why there is none. */
export const captionText = z.discriminatedUnion('state', [
  z.strictObject({ language: languageTag, state: z.literal('available'), text: captionWords, reasonCode: z.null() }),
  z.strictObject({
    language: languageTag,
    state: z.enum(['withheld', 'unavailable']),
    text: z.null(),
    reasonCode: captionReason,
    /** The first words that the translator does not know, or has no form of; only of `translation_unknown_words`. */
    unknownWords: z.array(wellFormedText.min(1).max(100)).min(1).max(8).optional(),
  }),
]);

/** A run of adjacent windows that one read returned. */
export const observation = z.strictObject({
  observationId: z.string().regex(/^observation:[a-f0-9]{64}$/),
  startMs: count,
  endMs: positive,
});

/** A read that speaks of a line's time. */
export const semanticCitation = z.strictObject({
  operationId,
  artifactId,
  contentId,
  receiptId: readReceiptId,
  receiptContentId: contentId,
  observations: z.array(observation).min(1),
});

/** The assessment that took a cited read in, and what was decided on it. */
export const childReport = z.strictObject({
  reportId: operationId,
  childTaskId: identity,
  childAgentId: identity,
  artifactId,
  contentId,
  dispositionId: decisionReference.shape.operationId,
  dispositionReceiptId: decisionReference.shape.receiptId,
  dispositionReceiptContentId: contentId,
  admissionId: readinessReference.shape.readinessId,
  admissionReceiptId: readinessReference.shape.receiptId,
  admissionReceiptContentId: contentId,
  readOperationId: operationId,
  readReceiptId,
});

const lineId = identityOf(200);
export const captionJobId = z.string().regex(/^caption-production:[a-f0-9]{64}$/);

const lineCoverage = z.strictObject({
  coverageId: coverage.shape.coverageId,
  state: coverage.shape.state,
  reasonCode: coverage.shape.reasonCode,
});

const executorOfLine = z.strictObject({
  jobId: captionJobId,
  id: identityOf(200),
  version: z.literal('1'),
  executionScope: z.enum(['current_run', 'test_demo_only']),
  cognitionClaim: z.literal('none'),
});

/** On what a line rests: its source, the study that covers its time, the approval, and who produced it. */
export const lineLineage = z.strictObject({
  derivation: z.literal('current_run_source_execution'),
  source: z.strictObject({ artifactId, contentId, window: range }),
  study: studyReference.extend({
    coverage: lineCoverage,
    claimIds: z.array(identityOf(200)),
    semanticCitations: z.array(semanticCitation),
    childReports: z.array(childReport),
  }),
  readiness: readinessReference,
  approval: approvalReference,
  captionExecutor: executorOfLine,
});

export const captionLine = z.strictObject({
  id: lineId,
  startMs: count,
  endMs: positive,
  lineage: lineLineage,
  source: captionText,
  target: captionText,
});

/** A read that lines cite, with its report. */
export const sharedCitation = z.strictObject({
  semanticCitation: semanticCitation.omit({ observations: true }),
  childReport,
});

/** The common part of the lineages of many lines, stated once: every read that a line cites, with its report. */
export const sharedLineage = lineLineage.extend({
  source: z.strictObject({ artifactId, contentId }),
  study: studyReference.extend({ citations: z.array(sharedCitation) }),
});

/** A line whose lineage says only what is its own; `citations` point into what is shared. */
export const sharingQueue = captionLine.extend({
  lineage: z.strictObject({
    window: range,
    coverage: lineCoverage,
    claimIds: z.array(identityOf(200)),
    citations: z.array(z.strictObject({ index: count, observations: z.array(observation).min(1) })),
  }),
});

/** A line that was cut from a transcript: the indexes of the recognized lines that its words come from. */
export const recognisedQueue = sharingQueue.extend({ transcriptLines: z.array(count).min(1) });

export type SharedLineage = z.infer<typeof sharedLineage>;
export type SharingQueue = z.infer<typeof sharingQueue>;
export type CaptionText = z.infer<typeof captionText>;
export type CaptionLine = z.infer<typeof captionLine>;
export type LineLineage = z.infer<typeof lineLineage>;
export type SemanticCitation = z.infer<typeof semanticCitation>;
export type ChildReport = z.infer<typeof childReport>;

/** The two texts of a line of captions: the spoken one, and its translation. */
export const captionSide = z.enum(['source', 'target']);
export type CaptionSide = z.infer<typeof captionSide>;

/** The texts of a file of captions: one, or the translation above the original. */
export const shownSides = z.enum([...captionSide.options, 'both']);
export type ShownSides = z.infer<typeof shownSides>;

/** How the lines of a file are broken: as their author broke them, or by a rule set with its version. */
export const lineBreaks = z.enum(lineBreakNames);
export type LineBreaks = z.infer<typeof lineBreaks>;

/** The translator as captions name it: a model, and digests of its prompt and settings. */
export const captionTranslator = z.strictObject({
  model: modelName,
  promptContentId: contentId,
  configurationContentId: contentId,
});

export type CaptionTranslator = z.infer<typeof captionTranslator>;

const name = identityOf(200);

const common = {
  version: z.literal('1'),
  cognitionClaim: z.literal('none'),
  recognizer: name,
  translator: name,
  /** The stored text that the source side was taken from; null where it was not taken from a stored text. */
  sourceCaptionContentId: contentId.nullable(),
};

/** The producer of captions, and the worth of its words: no executor of this host claims to have understood anything. */
export const captionExecutor = z.discriminatedUnion('classification', [
  z.strictObject({
    id: z.literal('studio.recorded-caption-fixture-adapter'),
    classification: z.literal('recorded_real_pipeline_fixture'),
    executionScope: z.literal('test_demo_only'),
    ...common,
  }),
  z.strictObject({
    id: z.literal('studio.deterministic-current-run-caption-test-seam'),
    classification: z.literal('deterministic_current_run_test_seam'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  z.strictObject({
    id: z.literal('studio.embedded-subtitle-caption-producer'),
    classification: z.literal('embedded_subtitle_tracks'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  /** The media's own tracks, as groups of cues that belong together however each track splits its sentences. */
  z.strictObject({
    id: z.literal('studio.grouped-subtitle-caption-producer'),
    classification: z.literal('grouped_subtitle_tracks'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  /** The same, where a model translates a track in the source language if none is in the target language. */
  z.strictObject({
    id: z.literal('studio.translated-subtitle-caption-producer'),
    classification: z.literal('subtitle_tracks_translated'),
    executionScope: z.literal('current_run'),
    ...common,
    ...captionTranslator.shape,
  }),
  /** Lines of the study's own transcript; both sides are one language. `recognizer` names the engine that wrote it. */
  z.strictObject({
    id: z.literal('studio.recognised-caption-producer'),
    classification: z.literal('recognised_transcript'),
    executionScope: z.literal('current_run'),
    ...common,
  }),
  /** The same, with a model that translates; digests name its prompt and settings. */
  z.strictObject({
    id: z.literal('studio.recognised-translated-caption-producer'),
    classification: z.literal('recognised_transcript_translated'),
    executionScope: z.literal('current_run'),
    ...common,
    ...captionTranslator.shape,
  }),
]);

export type CaptionExecutorIdentity = z.infer<typeof captionExecutor>;
export type CaptionClassification = CaptionExecutorIdentity['classification'];

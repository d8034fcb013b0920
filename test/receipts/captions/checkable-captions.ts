import {
  type CaptionExecutorIdentity,
  type CaptionLine,
  type CaptionSide,
  captionLimits,
} from '../../../contract/captions/caption-line.ts';
import {
  type CaptionInput,
  type CaptionReceipt,
  captionArtifact,
  captionReceipt,
} from '../../../contract/captions/caption-production.ts';
import type { ApprovalReference } from '../../../contract/review.ts';
import { contentIdOfJson, storedBytes } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { type CheckableCaptions, qualityControl } from '../../../receipts/captions/quality-control.ts';
import { wholeCaptionsOf } from '../../../receipts/captions/stored-captions.ts';
import { webVttOf } from '../../../receipts/captions/webvtt.ts';
import { captionRunReceipt as storedReceipt } from '../../../receipts/stages/captions.ts';
import { range, run, runId } from '../evidence/spoken-study.ts';

const hex = (digit: string): string => digit.repeat(64);
const sha = (digit: string): string => `sha256:${hex(digit)}`;
const artifactNamed = (digit: string): string => `artifact:${hex(digit)}`;

export const jobId = `caption-production:${hex('1')}`;

export const executor: CaptionExecutorIdentity = {
  id: 'studio.embedded-subtitle-caption-producer',
  classification: 'embedded_subtitle_tracks',
  executionScope: 'current_run',
  version: '1',
  cognitionClaim: 'none',
  recognizer: 'embedded-subtitle-track',
  translator: 'embedded-subtitle-track',
  sourceCaptionContentId: sha('2'),
};

export const input: CaptionInput = {
  sourceArtifactId: run.record.sourceArtifactId,
  sourceContentId: run.record.sourceSession.source.contentId,
  analysisRequestId: run.record.analysisRequest.requestId,
  range,
  sourceLanguage: 'ko',
  targetLanguage: 'en',
  study: {
    studyId: `study:${hex('3')}`,
    artifactId: artifactNamed('3'),
    contentId: sha('3'),
    executorReceiptId: `span:${hex('4')}`,
    executorReceiptContentId: sha('4'),
  },
  readiness: {
    readinessId: `study-readiness:${hex('5')}`,
    artifactId: artifactNamed('5'),
    receiptId: `study-readiness-receipt:${hex('5')}`,
    receiptContentId: sha('5'),
  },
};

const approval: ApprovalReference = {
  reviewId: `publish-review:${hex('6')}`,
  artifactId: artifactNamed('6'),
  receiptId: `publish-review-decision-receipt:${hex('6')}`,
  receiptContentId: sha('6'),
};

const readReceiptId = `evidence-read:${hex('7')}`;

export interface Words {
  readonly startMs: number;
  readonly endMs: number;
  readonly source: string | null;
  readonly target: string | null;
}

const textOf = (language: string, text: string | null): CaptionLine['source'] =>
  text === null
    ? { language, state: 'withheld', text: null, reasonCode: 'translator_unavailable' }
    : { language, state: 'available', text, reasonCode: null };

/** A line that rests on a supported stretch, of which one read returned more than the line's time. */
export function lineOf({ startMs, endMs, source, target }: Words, index: number, producer = executor): CaptionLine {
  const operationId = `operation:evidence-read:${hex('8')}`;
  const assessed = `operation:evidence-assess:${hex('9')}`;
  const window = { startMs: Math.max(startMs - 1, range.startMs), endMs: Math.min(endMs + 1, range.endMs) };
  const { id, version, executionScope, cognitionClaim } = producer;
  return {
    id: `line-${index + 1}`,
    startMs,
    endMs,
    lineage: {
      derivation: 'current_run_source_execution',
      source: { artifactId: input.sourceArtifactId, contentId: input.sourceContentId, window: { startMs, endMs } },
      study: {
        ...input.study,
        coverage: { coverageId: `coverage:${hex('a')}`, state: 'supported', reasonCode: null },
        claimIds: [`${assessed}:claim:0`],
        semanticCitations: [
          {
            operationId,
            artifactId: artifactNamed('b'),
            contentId: sha('b'),
            receiptId: readReceiptId,
            receiptContentId: sha('7'),
            observations: [{ observationId: `observation:${hex('c')}`, ...window }],
          },
        ],
        childReports: [
          {
            reportId: assessed,
            childTaskId: run.ids.taskId,
            childAgentId: run.ids.agentId,
            artifactId: artifactNamed('d'),
            contentId: sha('d'),
            dispositionId: `operation:evidence-decide:${hex('e')}`,
            dispositionReceiptId: `evidence-decision:${hex('e')}`,
            dispositionReceiptContentId: sha('e'),
            admissionId: input.readiness.readinessId,
            admissionReceiptId: input.readiness.receiptId,
            admissionReceiptContentId: input.readiness.receiptContentId,
            readOperationId: operationId,
            readReceiptId,
          },
        ],
      },
      readiness: input.readiness,
      approval,
      captionExecutor: { jobId, id, version, executionScope, cognitionClaim },
    },
    source: textOf(input.sourceLanguage, source),
    target: textOf(input.targetLanguage, target),
  };
}

const sideOf = ({ state, reasonCode }: CaptionLine['source']) => ({ state, reasonCode });

/** Captions of these lines as a production stores them; the counts are not those of a real production. */
export function checkableCaptions(lines: readonly CaptionLine[], producer = executor): CheckableCaptions {
  const counts = {
    status: 'completed' as const,
    lineCount: lines.length,
    sourceAvailableCount: lines.length,
    targetAvailableCount: lines.length,
    withheldCount: 0,
    unavailableCount: 0,
  };
  const artifact = wholeCaptionsOf(
    captionArtifact.parse({
      schema: 'studio.caption-production.artifact.v1',
      jobId,
      runId,
      input,
      executor: producer,
      lines,
      result: counts,
    }),
  );
  const reference = {
    jobId,
    artifactId: artifactNamed('f'),
    contentId: contentIdOfJson(artifact),
  };
  const receipt: CaptionReceipt = captionReceipt.parse({
    schema: 'studio.caption-production.receipt.v1',
    receiptId: `caption-production-receipt:${hex('0')}`,
    jobId,
    authority: {
      approval,
      verification: {
        integrity: 'stored_review_and_verified_queued_intake',
        producer: 'host_publish_review_v1',
        outcome: 'approve_for_caption_production',
        readiness: input.readiness,
        study: input.study,
        unrevokedAtStart: true,
      },
    },
    input,
    producer: {
      id: 'studio.host-caption-production',
      version: '1',
      policy: 'verified_unrevoked_approval_only',
      executor: producer,
    },
    limits: captionLimits,
    result: {
      ...counts,
      captionArtifactId: reference.artifactId,
      captionContentId: reference.contentId,
      captionBytes: storedBytes(artifact).length,
      lines: lines.map(({ id, startMs, endMs, source, target }) => ({
        lineId: id,
        startMs,
        endMs,
        source: sideOf(source),
        target: sideOf(target),
      })),
    },
  });
  const { artifactId: receiptArtifactId, ...names } = storedReceipt.referenceOf(runId, receipt);
  return { artifact, receipt, reference: { ...reference, ...names, receiptArtifactId } };
}

/** Three lines over [1000, 9000) ms, with all that a line needs. */
export const threeLines: readonly CaptionLine[] = [
  { startMs: 1000, endMs: 3000, source: '안녕하세요', target: 'Good morning' },
  { startMs: 3000, endMs: 6000, source: '어서 오세요', target: 'Come in' },
  { startMs: 7000, endMs: 9000, source: '감사합니다', target: 'Thank you' },
].map((words, index) => lineOf(words, index));

/** As many lines as fit into the largest stored captions. */
export const perFile = 28;

export const oneSecondEach = (texts: readonly string[]): CaptionLine[] =>
  texts.map((target, index) =>
    lineOf({ startMs: index * 1000, endMs: index * 1000 + 999, source: 'x', target }, index),
  );

/** The WebVTT file of captions that were checked. */
export function fileOf(lines: readonly CaptionLine[], side: CaptionSide = 'target'): string {
  const captions = checkableCaptions(lines);
  return resultOfSteps(webVttOf({ ...captions, qualityControl: qualityControl.of(run, captions) }, side));
}

import { z } from 'zod';
import { artifactId, operationId, operationRequest } from '../base/artifact.ts';
import { failure } from '../base/errors.ts';
import { eventType } from '../base/event-envelope.ts';
import { contentId, count, identity, positive } from '../base/grammar.ts';
import {
  assessmentReference,
  evidenceAssessmentReceipt,
  evidenceDecisionReceipt,
  readReceiptId,
} from './assessment.ts';
import { evidenceReadReceipt, readableKind } from './evidence-read.ts';

const failed = z.strictObject({ operationId, reason: failure });

/** The journal events of evidence reads. */
export const readEvents = [
  eventType(
    'evidence.read_started',
    'evidence_host',
    z.strictObject({
      request: operationRequest.extend({ artifactId }),
      grantId: identity,
      evidenceKind: readableKind,
      sourceArtifactId: artifactId,
      startMs: count,
      endMs: positive,
      maxBytes: positive,
      maxItems: positive,
    }),
  ),
  eventType(
    'evidence.read_completed',
    'evidence_host',
    z.strictObject({ operationId, receiptContentId: contentId, receipt: evidenceReadReceipt }),
  ),
  eventType('evidence.read_failed', 'evidence_host', failed),
] as const;

/** The journal events of assessments of reads. */
export const assessmentEvents = [
  eventType(
    'analysis.evidence.assessment_started',
    'assessment_host',
    z.strictObject({
      request: operationRequest.extend({
        readReceipts: z.array(z.strictObject({ receiptId: readReceiptId, receiptContentId: contentId })).min(1),
      }),
      grantId: identity,
      maxReadReceipts: positive,
      maxClaims: positive,
      maxCitations: positive,
      maxTokens: positive,
    }),
  ),
  eventType(
    'analysis.evidence.assessment_completed',
    'assessment_host',
    z.strictObject({
      operationId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: evidenceAssessmentReceipt,
    }),
  ),
  eventType('analysis.evidence.assessment_failed', 'assessment_host', failed),
] as const;

/** The journal events of decisions on assessments. */
export const decisionEvents = [
  eventType(
    'analysis.evidence.decision_started',
    'decision_host',
    z.strictObject({
      request: operationRequest.extend({ auditedAssessments: z.array(assessmentReference).min(1) }),
      grantId: identity,
      maxAuditedAssessments: positive,
    }),
  ),
  eventType(
    'analysis.evidence.decision_completed',
    'decision_host',
    z.strictObject({
      operationId,
      outputArtifactId: artifactId,
      receiptContentId: contentId,
      receipt: evidenceDecisionReceipt,
    }),
  ),
  eventType('analysis.evidence.decision_failed', 'decision_host', failed),
] as const;

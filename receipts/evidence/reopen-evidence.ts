import type { z } from 'zod';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import { evidenceArtifact, maximumEvidenceBytes } from '../../contract/evidence/evidence.ts';
import {
  evidenceAssessmentReceipt,
  maximumAssessmentReceiptBytes,
} from '../../contract/evidence/evidence-assessment.ts';
import { evidenceDecisionReceipt, maximumDecisionReceiptBytes } from '../../contract/evidence/evidence-decision.ts';
import { evidenceReadReceipt, maximumReadReceiptBytes } from '../../contract/evidence/evidence-read.ts';
import { publishReviewIntakeReceipt } from '../../contract/review/publish-review-intake.ts';
import { maximumReviewReceiptBytes, studyReadinessReceipt } from '../../contract/study/study-readiness.ts';
import { maximumStudyRecordBytes, studyRecord } from '../../contract/study/study-record.ts';
import { reopenJson, type StoredShape } from '../core/stored-json.ts';

// How each kind of record is stored: what it is called when it fails, its closed shape and its largest size.

export const evidenceShape = {
  link: 'evidence',
  schema: evidenceArtifact,
  maximumBytes: maximumEvidenceBytes,
} as const satisfies StoredShape<z.ZodType>;

export const readShape = {
  link: 'read',
  schema: evidenceReadReceipt,
  maximumBytes: maximumReadReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

export const assessmentShape = {
  link: 'assessment',
  schema: evidenceAssessmentReceipt,
  maximumBytes: maximumAssessmentReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

export const decisionShape = {
  link: 'decision',
  schema: evidenceDecisionReceipt,
  maximumBytes: maximumDecisionReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

export const studyRecordShape = {
  link: 'study_record',
  schema: studyRecord,
  maximumBytes: maximumStudyRecordBytes,
} as const satisfies StoredShape<z.ZodType>;

export const readinessShape = {
  link: 'readiness',
  schema: studyReadinessReceipt,
  maximumBytes: maximumReviewReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

export const intakeShape = {
  link: 'intake',
  schema: publishReviewIntakeReceipt,
  maximumBytes: maximumReviewReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

// Each reads one stored record back and throws `EvidenceChainError`; whether it follows from the others is audited apart.

export const reopenRead = (stored: StoredObject) => reopenJson(readShape, stored);

export const reopenAssessment = (stored: StoredObject) => reopenJson(assessmentShape, stored);

export const reopenDecision = (stored: StoredObject) => reopenJson(decisionShape, stored);

export const reopenStudyRecord = (stored: StoredObject) => reopenJson(studyRecordShape, stored);

export const reopenReadiness = (stored: StoredObject) => reopenJson(readinessShape, stored);

export const reopenIntake = (stored: StoredObject) => reopenJson(intakeShape, stored);

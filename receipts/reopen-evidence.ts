import { evidenceAssessmentReceipt, maximumAssessmentReceiptBytes } from '../contract/evidence-assessment.ts';
import { evidenceDecisionReceipt, maximumDecisionReceiptBytes } from '../contract/evidence-decision.ts';
import { evidenceReadReceipt, maximumReadReceiptBytes } from '../contract/evidence-read.ts';
import { publishReviewIntakeReceipt } from '../contract/publish-review-intake.ts';
import type { StoredObject } from '../contract/stored-object.ts';
import { maximumReviewReceiptBytes, studyReadinessReceipt } from '../contract/study-readiness.ts';
import { maximumStudyRecordBytes, studyRecord } from '../contract/study-record.ts';
import { reopenJson } from './stored-json.ts';

// Each reads one stored record back and throws `EvidenceChainError`; whether it follows from the others is audited apart.

export const reopenRead = (stored: StoredObject) =>
  reopenJson({ link: 'read', schema: evidenceReadReceipt, maximumBytes: maximumReadReceiptBytes }, stored);

export const reopenAssessment = (stored: StoredObject) =>
  reopenJson(
    { link: 'assessment', schema: evidenceAssessmentReceipt, maximumBytes: maximumAssessmentReceiptBytes },
    stored,
  );

export const reopenDecision = (stored: StoredObject) =>
  reopenJson({ link: 'decision', schema: evidenceDecisionReceipt, maximumBytes: maximumDecisionReceiptBytes }, stored);

export const reopenStudyRecord = (stored: StoredObject) =>
  reopenJson({ link: 'study_record', schema: studyRecord, maximumBytes: maximumStudyRecordBytes }, stored);

export const reopenReadiness = (stored: StoredObject) =>
  reopenJson({ link: 'readiness', schema: studyReadinessReceipt, maximumBytes: maximumReviewReceiptBytes }, stored);

export const reopenIntake = (stored: StoredObject) =>
  reopenJson({ link: 'intake', schema: publishReviewIntakeReceipt, maximumBytes: maximumReviewReceiptBytes }, stored);

import type { StoredObject } from '../../../contract/base/stored-object.ts';
import { reopenJson } from '../../../receipts/core/stored-json.ts';
import { assessmentReceipt } from '../../../receipts/evidence/evidence-assessment.ts';
import { decisionReceipt } from '../../../receipts/evidence/evidence-decision.ts';
import { readShape } from '../../../receipts/evidence/evidence-read.ts';
import { intakeReceipt } from '../../../receipts/study/publish-review-intake.ts';
import { readinessReceipt } from '../../../receipts/study/study-readiness.ts';
import { storedStudyRecord } from '../../../receipts/study/study-record.ts';

// Each reads one stored record back; whether it follows from others is no question here.

export const reopenRead = (stored: StoredObject) => reopenJson(readShape, stored);

export const reopenAssessment = (stored: StoredObject) => reopenJson(assessmentReceipt.shape, stored);

export const reopenDecision = (stored: StoredObject) => reopenJson(decisionReceipt.shape, stored);

export const reopenStudyRecord = (stored: StoredObject) => reopenJson(storedStudyRecord.shape, stored);

export const reopenReadiness = (stored: StoredObject) => reopenJson(readinessReceipt.shape, stored);

export const reopenIntake = (stored: StoredObject) => reopenJson(intakeReceipt.shape, stored);

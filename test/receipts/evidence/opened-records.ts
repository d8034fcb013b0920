import type { StoredObject } from '../../../contract/base/stored-object.ts';
import { assessmentReceipt, decisionReceipt } from '../../../receipts/stages/assess.ts';
import { readShape } from '../../../receipts/stages/read.ts';
import { reopenJson } from '../../../receipts/stored-records.ts';
import { intakeReceipt, readinessReceipt } from '../../../receipts/study/admission.ts';
import { storedStudyRecord } from '../../../receipts/study/record.ts';

// Each reads one stored record back; whether it follows from others is no question here.

export const reopenRead = (stored: StoredObject) => reopenJson(readShape, stored);

export const reopenAssessment = (stored: StoredObject) => reopenJson(assessmentReceipt.shape, stored);

export const reopenDecision = (stored: StoredObject) => reopenJson(decisionReceipt.shape, stored);

export const reopenStudyRecord = (stored: StoredObject) => reopenJson(storedStudyRecord.shape, stored);

export const reopenReadiness = (stored: StoredObject) => reopenJson(readinessReceipt.shape, stored);

export const reopenIntake = (stored: StoredObject) => reopenJson(intakeReceipt.shape, stored);

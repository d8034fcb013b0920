import type { StoredObject } from '../../../contract/base/stored-object.ts';
import { intakeReceipt, readinessReceipt } from '../../../receipts/stages/admit.ts';
import { assessmentReceipt } from '../../../receipts/stages/assess.ts';
import { decisionReceipt } from '../../../receipts/stages/decide.ts';
import { readShape } from '../../../receipts/stages/read.ts';
import { reopenJson } from '../../../receipts/stored-records.ts';
import { storedStudyRecord } from '../../../receipts/study/record.ts';

// Each reads one stored record back; checks that compare records are elsewhere.

export const reopenRead = (stored: StoredObject) => reopenJson(readShape, stored);

export const reopenAssessment = (stored: StoredObject) => reopenJson(assessmentReceipt.shape, stored);

export const reopenDecision = (stored: StoredObject) => reopenJson(decisionReceipt.shape, stored);

export const reopenStudyRecord = (stored: StoredObject) => reopenJson(storedStudyRecord.shape, stored);

export const reopenReadiness = (stored: StoredObject) => reopenJson(readinessReceipt.shape, stored);

export const reopenIntake = (stored: StoredObject) => reopenJson(intakeReceipt.shape, stored);

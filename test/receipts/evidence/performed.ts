import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import type { StudyRun } from '../../../receipts/core/study-run.ts';
import { stepOf } from '../../../receipts/core/study-step.ts';
import { eachAssessment } from '../../../receipts/evidence/evidence-assessment.ts';
import { eachRead } from '../../../receipts/evidence/evidence-read.ts';
import type { ReadableEvidence } from '../../../receipts/evidence/readable-evidence.ts';

/** All reads of a step at once. */
export const performReads = (run: StudyRun, evidence: readonly ReadableEvidence[]) =>
  stepOf([...eachRead(run, evidence)]);

/** All assessments of a step at once. */
export const performAssessments = (run: StudyRun, reads: readonly EvidenceReadReceipt[]) =>
  stepOf([...eachAssessment(run, reads)]);

import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import type { ReadableEvidence } from '../../../receipts/evidence/readable-evidence.ts';
import { eachAssessment } from '../../../receipts/stages/assess.ts';
import { eachRead } from '../../../receipts/stages/read.ts';
import { type StudyRun, stepOf } from '../../../receipts/study-run.ts';

/** All reads of a step at once. */
export const performReads = (run: StudyRun, evidence: readonly ReadableEvidence[]) =>
  stepOf([...eachRead(run, evidence)]);

/** All assessments of a step at once. */
export const performAssessments = (run: StudyRun, reads: readonly EvidenceReadReceipt[]) =>
  stepOf([...eachAssessment(run, reads)]);

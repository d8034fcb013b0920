import type { AssessmentAudits } from '../contract/assessment-audits.ts';
import type { DecisionReceipts } from '../contract/decision-receipts.ts';
import type { RuntimeEvidence } from '../contract/runtime-evidence.ts';
import type { EvidenceKind } from '../contract/study-record.ts';
import { assessmentAuditsOf } from '../receipts/assessment-audits.ts';
import { decisionReceiptsOf } from '../receipts/decision-receipts.ts';
import { runtimeEvidenceOf } from '../receipts/runtime-evidence.ts';
import type { VerifiedRuntimes } from './verified-runtimes.ts';

/**
 * The service behind the evidence of runtimes and what was made of it. Every answer rests on a runtime that was reopened as
 * a whole; all throw `unknown_runtime` and `stored_content_inconsistent`.
 */
export class EvidenceAudits {
  readonly #runtimes: VerifiedRuntimes;

  constructor(runtimes: VerifiedRuntimes) {
    this.#runtimes = runtimes;
  }

  async assessments(runtimeId: string): Promise<AssessmentAudits> {
    return assessmentAuditsOf(await this.#runtimes.read(runtimeId));
  }

  async decisions(runtimeId: string): Promise<DecisionReceipts> {
    return decisionReceiptsOf(await this.#runtimes.read(runtimeId));
  }

  /** Evidence of all kinds, or of one. */
  async evidence(runtimeId: string, kind: EvidenceKind | null): Promise<RuntimeEvidence> {
    return runtimeEvidenceOf(await this.#runtimes.read(runtimeId), kind);
  }
}

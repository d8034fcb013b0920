import type { AssessmentAudits } from '../../contract/study/assessment-audits.ts';
import type { DecisionReceipts } from '../../contract/study/decision-receipts.ts';
import type { AskedKind, RuntimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { assessmentAuditsOf } from '../../receipts/reopening/assessment-audits.ts';
import { decisionReceiptsOf } from '../../receipts/reopening/decision-receipts.ts';
import { runtimeEvidenceOf } from '../../receipts/reopening/runtime-evidence.ts';
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

  /** Evidence of the kinds that every client knows, of one kind, or of all. */
  async evidence(runtimeId: string, kind: AskedKind | null): Promise<RuntimeEvidence> {
    return runtimeEvidenceOf(await this.#runtimes.read(runtimeId), kind);
  }
}

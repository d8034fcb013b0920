import { ServiceError } from '../../contract/base/errors.ts';
import type { AssessmentAudits, DecisionReceipts } from '../../contract/evidence/assessment.ts';
import { evidenceObjectTypes } from '../../contract/evidence/evidence-object.ts';
import type { RuntimeJudgements } from '../../contract/judgement.ts';
import type { AskedKind, RuntimeEvidence } from '../../contract/study/runtime-evidence.ts';
import {
  assessmentAuditsOf,
  decisionReceiptsOf,
  objectFactIn,
  runtimeEvidenceOf,
} from '../../receipts/published/evidence.ts';
import { runtimeJudgementsOf } from '../../receipts/published/runtime.ts';
import { readObject } from '../../receipts/stored-records.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ReadObjects } from './read-objects.ts';
import type { VerifiedRuntimes } from './verified-runtimes.ts';

/** An object that a fact names, as a client is given it. */
interface EvidenceObject {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * The service behind the evidence of runtimes and what was made of it. Every answer rests on a runtime that was reopened as
 * a whole; all throw `unknown_runtime` and `stored_content_inconsistent`.
 */
export class EvidenceAudits {
  readonly #runtimes: VerifiedRuntimes;
  readonly #objectStore: ObjectStore;

  constructor(runtimes: VerifiedRuntimes, objectStore: ObjectStore) {
    this.#runtimes = runtimes;
    this.#objectStore = objectStore;
  }

  async assessments(runtimeId: string): Promise<AssessmentAudits> {
    return assessmentAuditsOf(await this.#runtimes.read(runtimeId));
  }

  async decisions(runtimeId: string): Promise<DecisionReceipts> {
    return decisionReceiptsOf(await this.#runtimes.read(runtimeId));
  }

  /** By which rules its records were judged. */
  async judgements(runtimeId: string): Promise<RuntimeJudgements> {
    return runtimeJudgementsOf(await this.#runtimes.read(runtimeId));
  }

  /** Evidence of the kinds that every client knows, of one kind, or of all. */
  async evidence(runtimeId: string, kind: AskedKind | null): Promise<RuntimeEvidence> {
    return runtimeEvidenceOf(await this.#runtimes.read(runtimeId), kind);
  }

  /**
   * The bytes of an object that a fact of this runtime names, such as a keyframe. Throws `not_found` for every other object of the
   * host.
   */
  async object(runtimeId: string, contentId: string): Promise<EvidenceObject> {
    const fact = objectFactIn(await this.#runtimes.read(runtimeId), contentId);
    if (fact === null) throw new ServiceError('not_found', 'no fact of this runtime names such an object');
    const content = new ReadObjects(this.#objectStore, () => undefined);
    const bytes = await readObject('evidence', content, contentId, fact.bytes);
    return { mediaType: evidenceObjectTypes[fact.kind], bytes };
  }
}

import type { Clock } from '../../contract/base/clock.ts';
import type { EffectOutcome } from '../../machines/commit-emission.ts';
import type { AssessOutcome, StudyInput } from '../../machines/study-types.ts';
import type { StepResult } from '../../receipts/core/study-step.ts';
import { performAssessments } from '../../receipts/evidence/evidence-assessment.ts';
import { performDecision } from '../../receipts/evidence/evidence-decision.ts';
import { performReads } from '../../receipts/evidence/evidence-read.ts';
import { admitStudy } from '../../receipts/study/study-admission.ts';
import { executionFinished, taskCompleted } from '../../receipts/study/study-closing.ts';
import { concludeStudy } from '../../receipts/study/study-record.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import { type ReceiptReference, StudyContents } from './study-contents.ts';
import { readStudy, stepKey } from './study-row.ts';
import { spanOf } from './study-span.ts';

export interface EvidenceStepsOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  readonly registry: SourceRegistry;
  readonly clock: Clock;
}

/** The steps that turn evidence into a decision. Each reopens what the steps before it stored; none trusts its memory. */
export class EvidenceSteps {
  readonly #options: EvidenceStepsOptions;
  readonly #contents: StudyContents;

  constructor(options: EvidenceStepsOptions) {
    this.#options = options;
    this.#contents = new StudyContents(options);
  }

  async read({ runtimeId }: StudyInput): Promise<EffectOutcome> {
    const study = readStudy(this.#options.ledger, runtimeId);
    const evidence = await this.#contents.readableEvidence(study);
    return this.#stored(runtimeId, 'read', performReads(study, evidence));
  }

  async assess({ runtimeId }: StudyInput): Promise<AssessOutcome> {
    const study = readStudy(this.#options.ledger, runtimeId);
    const result = performAssessments(study, await this.#contents.reads(runtimeId));
    return { ...(await this.#stored(runtimeId, 'assess', result)), claimCount: result.refs.length };
  }

  async decide({ runtimeId }: StudyInput): Promise<EffectOutcome> {
    const study = readStudy(this.#options.ledger, runtimeId);
    const reads = await this.#contents.reads(runtimeId);
    const assessments = await this.#contents.assessments(runtimeId);
    const { refs, ...result } = performDecision(study, { reads, assessments });
    return this.#stored(runtimeId, 'decide', { ...result, refs: [refs] });
  }

  /** Concludes the study and enters it into the review queue: its record, the end of the execution, readiness, intake. */
  async admit({ runtimeId }: StudyInput): Promise<EffectOutcome> {
    const { ledger, clock, objectStore } = this.#options;
    const study = readStudy(ledger, runtimeId);
    const findings = {
      evidence: await this.#contents.studyEvidence(study),
      reads: await this.#contents.reads(runtimeId),
      assessments: await this.#contents.assessments(runtimeId),
      decision: await this.#contents.decision(runtimeId),
    };
    const concluded = concludeStudy(study, findings);
    const span = spanOf(ledger, clock, runtimeId);
    if (span === null) throw new Error('a study that is admitted was opened');
    const finished = executionFinished(study, span, concluded.refs);
    const reference = {
      ...concluded.refs,
      executorReceiptId: finished.receipt.receiptId,
      executorReceiptContentId: finished.receiptContentId,
    };
    const admitted = admitStudy(study, reference, findings.decision);
    await objectStore.putAll([...concluded.objects, ...admitted.objects]);
    return {
      events: [...concluded.events, finished.event, ...admitted.events, taskCompleted(study)],
      writes: [
        { put: 'record', key: stepKey(runtimeId, 'admit'), value: { study: reference, admission: admitted.refs } },
      ],
    };
  }

  async #stored(
    runtimeId: string,
    step: 'read' | 'assess' | 'decide',
    { objects, events, refs }: StepResult<readonly ReceiptReference[]>,
  ): Promise<EffectOutcome> {
    await this.#options.objectStore.putAll(objects);
    const value = { operationIds: refs.map(({ operationId }) => operationId), receipts: refs };
    return { events, writes: [{ put: 'record', key: stepKey(runtimeId, step), value }] };
  }
}

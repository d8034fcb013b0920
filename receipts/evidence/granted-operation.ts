import type { z } from 'zod';
import type { Artifact, ToolIdentity } from '../../contract/base/artifact.ts';
import type { Failure } from '../../contract/base/errors.ts';
import type { StepCause } from '../../contract/causes/causes.ts';
import { failingEngines } from '../../contract/causes/engine-failures.ts';
import { stepFailureOf } from '../../contract/causes/stored-failures.ts';
import type { EvidenceArtifact, FurtherArtifact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { MediaLimits } from '../../contract/evidence/media-operation.ts';
import type { EventData, EventType, JournalEvent } from '../../contract/journal.ts';
import type { Judgement } from '../../contract/judgement.ts';
import { type OptionalStage, studyStages } from '../../contract/study/stages.ts';
import type { RuntimeStart } from '../../contract/study/start.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { demandDerived } from '../evidence-chain.ts';
import { outputArtifact } from '../identities.ts';
import { artifactRecorded, draftEvent } from '../journal.ts';
import { readStoredReceipt, type StoredShape, storedJson } from '../stored-records.ts';
import { causeOf, type FoldContext, optionalGrantOf, type StepResult, type StudyRun } from '../study-run.ts';
import { detectedArtifactKind, operationRequestOf, type StartingEvidence } from './media-operation.ts';

interface Producer {
  readonly engine: string;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/** How a run has such an operation carried out: by what, set how, within which limits, and from which evidence. */
export interface GrantedWork<Carrier extends Producer = Producer> {
  readonly producer: Carrier;
  readonly limits: MediaLimits;
  readonly from: StartingEvidence;
}

/** The stored result of such an operation; or the reason why there is none. */
export type KeptEvidence =
  | { readonly state: 'available'; readonly contentId: string; readonly bytes: number }
  | { readonly state: 'unavailable'; readonly reasonCode: UnavailableReason };

/** The evidence of such an operation as its receipt states it. */
interface Delivered {
  readonly kind: string;
  readonly state: 'available' | 'unavailable';
  readonly reasonCode: UnavailableReason | null;
  readonly contentId: string | null;
}

export interface GrantedReceipt {
  readonly schema: string;
  readonly receiptId: string;
  readonly operationId: string;
  readonly producer: Producer;
  readonly evidence: Delivered;
  readonly result: object;
  readonly reused: boolean;
}

/** The evidence that such an operation finds. */
export type GrantedFinding = EvidenceArtifact | FurtherArtifact;

type BeforeStarted<Type> = Type extends `${infer Events}_started` ? Events : never;

/** The prefixes of the types of the events of such operations: those whose start names a producer and limits. */
type GrantedEvents = BeforeStarted<
  Extract<JournalEvent, { readonly data: { readonly producer: unknown; readonly limits: unknown } }>['type']
>;

/** One kind of operation that a run has a grant of its own for. Its receipt is not an artifact of the run. */
interface GrantedDeclaration<Receipt extends GrantedReceipt, Found extends GrantedFinding>
  extends StoredShape<z.ZodType<Receipt>> {
  /** The optional stage that carries it out. */
  readonly stage: OptionalStage;
  /** The value of the receipt's field `schema`. */
  readonly name: Receipt['schema'];
  /** The prefix of its `receiptId`; the digest of all other fields follows. */
  readonly idPrefix: string;
  /** The kind of the evidence that it finds, and how that is stored. */
  readonly kind: Found['kind'];
  readonly found: StoredShape<z.ZodType<Found>>;
  /** The field by which requests and receipts name the evidence that it starts from. */
  readonly from: string;
  /** The prefix of the types of its events. */
  readonly events: GrantedEvents;
  /** The engine that a start asks for; null if any will do. By default any will. */
  readonly wishedEngine?: (record: RuntimeStart) => string | null;
  /** How many of the findings passed their gates, and how many did not. */
  readonly countsOf: (found: Found | null) => Receipt['result'];
}

/** The outputs of a completed operation. */
interface CompletedGrant<Receipt> {
  /** The findings as an artifact of the run; null if there are none. */
  readonly artifact: Artifact | null;
  readonly receipt: Receipt;
  readonly step: StepResult<{ readonly receiptContentId: string }>;
}

/** One kind of operation that a run has a grant of its own for: started, failed and completed by its declaration. */
export class GrantedOperation<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  readonly declared: GrantedDeclaration<Receipt, Found>;
  readonly capability: string;

  constructor(declared: GrantedDeclaration<Receipt, Found>) {
    this.declared = declared;
    this.capability = studyStages[declared.stage].grant.capability;
  }

  /** The identity of the work: the media, the evidence, the range, the tools and the parameters alone. */
  keyOf(run: StudyRun, work: GrantedWork): string {
    return this.#requestOf(run, work).operationKey;
  }

  /** True if an engine is one that the start of a run asks for. */
  isWished({ record }: Pick<StudyRun, 'record'>, engine: string): boolean {
    const wished = this.declared.wishedEngine?.(record) ?? null;
    return wished === null || wished === engine;
  }

  /** Journaled before it runs. Throws `RangeError` for a run without a grant. */
  started(run: StudyRun, work: GrantedWork): EventDraft {
    const { record, ids } = run;
    const { from, ...how } = work;
    return this.#event(run, 'started', {
      ...how,
      request: { ...this.#requestOf(run, work), [this.declared.from]: from },
      grantId: this.#grantOf(run),
      executionId: ids.executionId,
      launchClaimId: ids.claimId,
      sourceContentId: record.analysisRequest.sourceContentId,
    });
  }

  /** Journaled where it was started and came to nothing; the study goes on without what it would have found. */
  failed(run: StudyRun, work: GrantedWork, reason: Failure): EventDraft {
    return this.#event(run, 'failed', { operationId: this.#requestOf(run, work).operationId, reason });
  }

  /**
   * The completed operation for this run: an artifact over the stored findings, and the receipt. `reused` means that an earlier
   * operation with the same key is taken over.
   */
  completed(
    run: StudyRun,
    work: GrantedWork,
    result: { readonly kept: KeptEvidence; readonly found: Found | null; readonly reused: boolean },
  ): CompletedGrant<Receipt> {
    const { name, idPrefix, from, countsOf } = this.declared;
    const { record, ids } = run;
    const { operationId, operationKey } = this.#requestOf(run, work);
    const artifact = this.#artifactOf(run, operationId, work, result.kept);
    const body = {
      operationId,
      operationKey,
      capability: this.capability,
      authorization: { grantId: this.#grantOf(run), taskId: ids.taskId, agentId: ids.agentId },
      input: {
        artifactId: record.sourceArtifactId,
        contentId: record.analysisRequest.sourceContentId,
        range: record.analysisRequest.range,
        [from]: work.from,
      },
      producer: work.producer,
      evidence: this.#delivered(result.kept, artifact),
      result: countsOf(result.found),
      reused: result.reused,
    };
    const receipt = { schema: name, receiptId: `${idPrefix}:${hashOf(body)}`, ...body } as unknown as Receipt;
    const stored = storedJson(receipt);
    const completed = this.#event(run, 'completed', {
      operationId,
      outputArtifactId: artifact?.id ?? null,
      outputContentId: artifact?.content.contentId ?? null,
      receiptContentId: stored.contentId,
      receipt,
    });
    return {
      artifact,
      receipt,
      step: {
        objects: [stored],
        events: [...(artifact === null ? [] : [artifactRecorded(artifact, causeOf(run))]), completed],
        refs: { receiptContentId: stored.contentId },
      },
    };
  }

  #grantOf({ ids }: StudyRun): string {
    const grantId = optionalGrantOf(ids, this.declared.stage);
    if (grantId === undefined) throw new RangeError(`the run has no grant for ${this.capability}`);
    return grantId;
  }

  #requestOf(run: StudyRun, { producer: { engine, tools, parameters }, from }: GrantedWork) {
    return operationRequestOf(run, { operation: this.capability, tools, parameters: { engine, ...parameters }, from });
  }

  /** It names the source and the evidence that it was made from. */
  #artifactOf(run: StudyRun, operationId: string, { from }: GrantedWork, kept: KeptEvidence): Artifact | null {
    if (kept.state === 'unavailable') return null;
    return outputArtifact({
      runId: run.record.runtimeId,
      kind: detectedArtifactKind(this.declared.kind),
      origin: { kind: 'operation_output', operationId },
      contentId: kept.contentId,
      bytes: kept.bytes,
      sourceArtifactIds: [run.record.sourceArtifactId, ...from.map(({ artifactId }) => artifactId)],
      producer: run.ids,
    });
  }

  #delivered(kept: KeptEvidence, artifact: Artifact | null) {
    const { kind } = this.declared;
    return kept.state === 'available'
      ? { kind, state: kept.state, reasonCode: null, artifactId: artifact?.id ?? null, contentId: kept.contentId }
      : { kind, state: kept.state, reasonCode: kept.reasonCode, artifactId: null, contentId: null };
  }

  // The schema of the event, by which it is parsed, has the last word on its data.
  #event(run: StudyRun, end: 'started' | 'completed' | 'failed', data: object): EventDraft {
    const type = `${this.declared.events}_${end}` as const;
    return draftEvent<EventType>(type, data as unknown as EventData<EventType>, causeOf(run));
  }
}

/** The result of an operation with a grant of its own in a run: its findings, or the reason why there are none. */
export interface VerifiedGrant<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  readonly delivered: Receipt['evidence'];
  readonly found: Found | null;
  /** The run's own artifact over the findings; null if there are none. */
  readonly artifact: Artifact | null;
  /** Null where the operation failed. */
  readonly receipt: Receipt | null;
  /** How it failed, and by which engine; null unless it did. */
  readonly failure: { readonly reason: Failure; readonly engine: string } | null;
}

/** Why a step of a study came to nothing: its engine failed, or the study ended in the middle of it; null unless it failed. */
export const stepCauseOf = (
  granted: Pick<VerifiedGrant<GrantedReceipt, GrantedFinding>, 'failure'> | null,
): StepCause | null => {
  const failure = granted?.failure ?? null;
  if (failure === null) return null;
  return stepFailureOf(failure.reason, failingEngines.find((engine) => engine === failure.engine) ?? null);
};

/** The demands of one kind of operation on its findings. */
interface GrantedChecks<Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  /** The one reason for which there may be nothing. */
  readonly reason: string;
  /** By which gates it was judged. Throws `EvidenceChainError` where what was found does not follow. */
  readonly check: (found: Found, contentId: string, work: GrantedWork) => Judgement | undefined;
  /** The receipt in a few words for people. */
  readonly said: (receipt: Receipt) => string;
}

/** It begins once, after what it starts from, by the grant of the run. */
export function foldGrantStarted<Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  { run, journal }: FoldContext,
  operation: GrantedOperation<Receipt, Found>,
  from: () => StartingEvidence,
): void {
  const { events, stage } = operation.declared;
  const { producer, limits } = journal.expect(`${events}_started`).data;
  if (optionalGrantOf(run.ids, stage) === undefined) throw journal.fault('type');
  if (!operation.isWished(run, producer.engine)) throw journal.fault('data.producer.engine');
  journal.take([operation.started(run, { producer, limits, from: from() })]);
}

/** It failed, or was stopped with its study. */
export function foldGrantFailed<Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  { run, journal, report }: FoldContext,
  operation: GrantedOperation<Receipt, Found>,
  open: GrantedWork | null,
): VerifiedGrant<Receipt, Found> {
  const { events, kind, link } = operation.declared;
  const { operationId, reason } = journal.expect(`${events}_failed`).data;
  if (open === null) throw journal.fault('type');
  journal.take([operation.failed(run, open, reason)]);
  report({ link, subject: operationId, contentId: null, detail: `failed: ${reason.code}` });
  const nothing = { reasonCode: 'recognition_failed', artifactId: null, contentId: null } as const;
  const failure = { reason, engine: open.producer.engine };
  return { delivered: { kind, state: 'unavailable', ...nothing }, found: null, artifact: null, receipt: null, failure };
}

/**
 * Reopens and checks the findings, and derives receipt and artifact. Throws `EvidenceChainError` at the first place that does not
 * follow.
 */
export async function foldGrantCompleted<Receipt extends GrantedReceipt, Found extends GrantedFinding>(
  { run, journal, content, report }: FoldContext,
  operation: GrantedOperation<Receipt, Found>,
  open: GrantedWork | null,
  { reason, check, said }: GrantedChecks<Receipt, Found>,
): Promise<VerifiedGrant<Receipt, Found>> {
  const { declared } = operation;
  const { link, events } = declared;
  const recorded = journal.count('artifact.recorded');
  if (open === null) throw journal.fault('type', recorded);
  const { receiptContentId } = journal.expect(`${events}_completed`, recorded).data;
  const { body: receipt } = await readStoredReceipt(declared, content, receiptContentId);
  const { evidence: delivered } = receipt;
  const { reasonCode } = delivered;
  if (reasonCode !== null) demandDerived(link, { evidence: { reasonCode } }, { evidence: { reasonCode: reason } });
  const opened =
    delivered.contentId === null ? null : await readStoredReceipt(declared.found, content, delivered.contentId);
  const judgement = opened === null ? undefined : check(opened.body, opened.contentId, open);
  const kept: KeptEvidence =
    opened === null
      ? { state: 'unavailable', reasonCode: reasonCode ?? 'recognition_failed' }
      : { state: 'available', contentId: opened.contentId, bytes: opened.bytes };
  const found = opened?.body ?? null;
  const derived = operation.completed(run, open, { kept, found, reused: receipt.reused });
  demandDerived(link, receipt, derived.receipt);
  journal.take(derived.step.events);
  report({ link, subject: receipt.operationId, contentId: receiptContentId, detail: said(receipt), judgement });
  return { delivered, found, artifact: derived.artifact, receipt, failure: null };
}

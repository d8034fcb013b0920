import { z } from 'zod';
import { failureMessage } from '../../contract/base/failure.ts';
import { contentId } from '../../contract/base/grammar.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import {
  type EvidenceAssessmentReceipt,
  maximumAssessmentReceiptBytes,
} from '../../contract/evidence/evidence-assessment.ts';
import {
  type EvidenceDecisionReceipt,
  maximumDecisionReceiptBytes,
} from '../../contract/evidence/evidence-decision.ts';
import { type EvidenceReadReceipt, maximumReadReceiptBytes } from '../../contract/evidence/evidence-read.ts';
import { languageRanges } from '../../contract/sources/language-ranges.ts';
import { SourceInconsistent } from '../../contract/sources/source-fault.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { StudyEvidence } from '../../contract/study/study-record.ts';
import type { StudyFault } from '../../machines/study-types.ts';
import { preflightEvidenceArtifact } from '../../receipts/core/artifact.ts';
import { EvidenceChainError } from '../../receipts/core/evidence-chain-error.ts';
import { reopenJson } from '../../receipts/core/stored-json.ts';
import { languageEvidence, type ReadableEvidence, speechEvidence } from '../../receipts/evidence/readable-evidence.ts';
import {
  evidenceShape,
  reopenAssessment,
  reopenDecision,
  reopenRead,
} from '../../receipts/evidence/reopen-evidence.ts';
import { readSealedRecord } from '../../receipts/sources/sealed-record.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { isPassingFault } from '../../storage/patience/passing-fault.ts';
import { readSourceFile } from '../sources/source-files.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';
import { mediaStepRow } from './media-steps.ts';
import { type StudyRow, stepKey } from './study-row.ts';

/** How a step's row names a receipt that it stored. */
export interface ReceiptReference {
  readonly operationId: string;
  readonly receiptContentId: string;
}
const receiptsRow = z.object({ receipts: z.array(z.object({ receiptContentId: contentId })) });

export interface StudyContentsOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  readonly registry: SourceRegistry;
}

/** What a study stored so far, reopened from its bytes. Anything damaged ends the study as inconsistent. */
export class StudyContents {
  readonly #options: StudyContentsOptions;

  constructor(options: StudyContentsOptions) {
    this.#options = options;
  }

  reads(runtimeId: string): Promise<EvidenceReadReceipt[]> {
    return this.#receipts(runtimeId, 'read', maximumReadReceiptBytes, reopenRead);
  }

  assessments(runtimeId: string): Promise<EvidenceAssessmentReceipt[]> {
    return this.#receipts(runtimeId, 'assess', maximumAssessmentReceiptBytes, reopenAssessment);
  }

  /** The decision, or null for a study that had nothing to decide upon. */
  async decision(runtimeId: string): Promise<EvidenceDecisionReceipt | null> {
    const [decision] = await this.#receipts(runtimeId, 'decide', maximumDecisionReceiptBytes, reopenDecision);
    return decision ?? null;
  }

  /** The evidence that claims may rest on: the study's own speech activity, and languages that came with the source. */
  async readableEvidence(study: StudyRow): Promise<ReadableEvidence[]> {
    const { runtimeId, sourceSession } = study.record;
    const source = this.#source(sourceSession.revisionId);
    const { artifacts } = this.#mediaStep(runtimeId, 'detect');
    const readable: ReadableEvidence[] = [];
    for (const artifact of artifacts) {
      if (artifact.kind !== 'detected-speech-activity') continue;
      const evidence = await this.#evidence(artifact.content.contentId);
      readable.push(await intact(async () => speechEvidence(artifact, evidence)));
    }
    for (const pinned of source.pinnedEvidence) {
      if (pinned.kind !== 'language-ranges-receipt') continue;
      const bytes = await intact(() => readSourceFile(this.#options.objectStore, source, pinned.contentId));
      const record = await intact(async () => readSealedRecord(languageRanges, bytes, 'language-ranges'));
      readable.push(languageEvidence(preflightEvidenceArtifact(runtimeId, source, pinned), record));
    }
    return readable;
  }

  /** Every kind of evidence of a study with its state: what it detected, then what came with the source. */
  async studyEvidence(study: StudyRow): Promise<StudyEvidence[]> {
    const { runtimeId, sourceSession } = study.record;
    const source = this.#source(sourceSession.revisionId);
    const detected: StudyEvidence[] = [];
    for (const step of ['detect', 'subtitles'] as const) {
      for (const each of this.#mediaStep(runtimeId, step).receipt.evidence) {
        const tool = each.state === 'available' ? (await this.#evidence(each.contentId)).tool : null;
        detected.push(each.state === 'available' ? { ...each, tool } : { ...each, tool: null });
      }
    }
    const pinned = source.pinnedEvidence.map((each): StudyEvidence => {
      const artifact = preflightEvidenceArtifact(runtimeId, source, each);
      return {
        kind: each.kind,
        state: 'available',
        reasonCode: null,
        artifactId: artifact.id,
        contentId: each.contentId,
        tool: null,
      };
    });
    return [...detected, ...pinned];
  }

  async #receipts<Receipt>(
    runtimeId: string,
    step: string,
    maximumBytes: number,
    reopen: (stored: StoredObject) => Receipt,
  ): Promise<Receipt[]> {
    const row = this.#options.ledger.get('record', stepKey(runtimeId, step));
    if (row === undefined) return [];
    const receipts: Receipt[] = [];
    for (const { receiptContentId } of receiptsRow.parse(row).receipts) {
      receipts.push(
        await intact(async () =>
          reopen({
            contentId: receiptContentId,
            bytes: await this.#options.objectStore.read(receiptContentId, maximumBytes),
          }),
        ),
      );
    }
    return receipts;
  }

  #evidence(contentId: string): Promise<EvidenceArtifact> {
    return intact(async () =>
      reopenJson(evidenceShape, {
        contentId,
        bytes: await this.#options.objectStore.read(contentId, evidenceShape.maximumBytes),
      }),
    );
  }

  #mediaStep(runtimeId: string, step: 'detect' | 'subtitles') {
    return mediaStepRow.parse(this.#options.ledger.get('record', stepKey(runtimeId, step)));
  }

  #source(revisionId: string): RegisteredSource {
    const source = this.#options.registry.revision(revisionId);
    if (source === undefined) throw damaged('the source of the study is no longer registered');
    return source;
  }
}

const damaged = (message: string): StudyFault => ({
  lifecycle: 'failed',
  code: 'stored_content_inconsistent',
  message: failureMessage(message),
});

/** Runs a read of stored content; damage of any kind becomes the fault that ends the study. */
async function intact<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    const isDamage =
      (error instanceof ObjectStoreError && !isPassingFault(error)) ||
      error instanceof EvidenceChainError ||
      error instanceof SourceInconsistent;
    throw isDamage ? damaged(error.message) : error;
  }
}

import type { z } from 'zod';
import {
  type EvidenceReadReceipt,
  evidenceReadReceipt,
  maximumReadReceiptBytes,
  readLimits,
} from '../../contract/evidence/evidence-read.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';
import { hashOf } from '../core/canonical-json.ts';
import { draftEvent } from '../core/event-draft.ts';
import { operationIdOf } from '../core/operation-key.ts';
import { type StoredShape, storedJson } from '../core/stored-json.ts';
import { causeOf, readingOf, type StudyRun } from '../core/study-run.ts';
import type { StepResult } from '../core/study-step.ts';
import { type PlannedRead, planReads } from './read-plan.ts';
import { boundedFacts, factBytesOf, factsWithin, type ReadableEvidence } from './readable-evidence.ts';

const capability = 'evidence.read';

/** How a read is stored. It is no artifact of its run. */
export const readShape = {
  link: 'read',
  schema: evidenceReadReceipt,
  maximumBytes: maximumReadReceiptBytes,
} as const satisfies StoredShape<z.ZodType>;

/** Under which names a completed read is found again. */
export interface ReadReference {
  readonly operationId: string;
  readonly receiptId: string;
  readonly receiptContentId: string;
}

/** The schema of the artifact that each kind of evidence lies in. */
export const evidenceSchemas = {
  speech_activity: 'studio.detected-evidence.v1',
  language_ranges: 'studio.language-ranges.v1',
  transcript: 'studio.detected-evidence.v1',
  screen_text: 'studio.further-evidence.v1',
} as const satisfies Record<EvidenceReadReceipt['input']['evidenceKind'], string>;

/** The name of a read: which evidence, which window, within which bounds. */
export const readOperationIdOf = ({ authorization, input }: Pick<EvidenceReadReceipt, 'authorization' | 'input'>) => {
  const { startMs, endMs, maxBytes, maxItems } = authorization;
  return operationIdOf({
    operation: capability,
    inputContentIds: [input.contentId],
    range: { startMs, endMs },
    tools: [],
    parameters: { maxBytes, maxItems },
  });
};

/** A read receipt with the id that its other fields give it. */
export const identifiedRead = (body: Omit<EvidenceReadReceipt, 'schema' | 'receiptId'>): EvidenceReadReceipt => ({
  schema: 'studio.evidence-read.receipt.v2',
  receiptId: `evidence-read:${hashOf(body)}`,
  ...body,
});

/** Reads one window of one evidence artifact: what lies there, cut to the window, as much as a read may return. */
export function readEvidence({ record, ids }: StudyRun, { evidence, window }: PlannedRead): EvidenceReadReceipt {
  const { sourceArtifactId, sourceSession } = record;
  const { artifact, kind } = evidence;
  const within = factsWithin(evidence.facts, window);
  const facts = boundedFacts(within);
  const authorization = {
    grantId: ids.grantIds[capability],
    taskId: ids.taskId,
    agentId: ids.agentId,
    sourceArtifactId,
    startMs: window.startMs,
    endMs: window.endMs,
    maxBytes: readLimits.maxBytes,
    maxItems: readLimits.maxItems,
  };
  const input = {
    artifactId: artifact.id,
    contentId: artifact.content.contentId,
    bytes: artifact.content.bytes,
    evidenceKind: kind,
    receiptSchema: evidenceSchemas[kind],
  };
  return identifiedRead({
    operationId: readOperationIdOf({ authorization, input }),
    capability,
    authorization,
    input,
    producer: {
      id: 'studio.bounded-evidence-read',
      version: '2',
      rangePolicy: 'intersect_and_clip_to_authorized_window',
    },
    facts,
    result: {
      availableItems: within.length,
      returnedItems: facts.length,
      returnedFactBytes: factBytesOf(facts),
      truncated: facts.length < within.length,
    },
    lineage: {
      preflightId: sourceSession.preflight.preflightId,
      preflightContentId: sourceSession.preflight.contentId,
      sourceArtifactIds: [sourceArtifactId],
    },
  });
}

function readStarted(run: StudyRun, { operationId, authorization, input }: EvidenceReadReceipt) {
  const { grantId, taskId, agentId, ...bounds } = authorization;
  const request = { operationId, taskId, agentId, executionId: run.ids.executionId, artifactId: input.artifactId };
  return draftEvent(
    'evidence.read_started',
    { request, grantId, evidenceKind: input.evidenceKind, ...bounds },
    causeOf(run),
  );
}

/**
 * Reads all that the study's range holds of this evidence, in the order given, window by window. No evidence, no read.
 * The receipts are stored and stand in the journal; they are no artifacts. One after the other, so that others may work
 * in between.
 */
export function* eachRead(run: StudyRun, evidence: readonly ReadableEvidence[]): Generator<StepResult<ReadReference>> {
  for (const planned of planReads(run.record.analysisRequest.range, evidence, readingOf(run))) {
    const receipt = readEvidence(run, planned);
    const object = storedJson(receipt);
    const { operationId, receiptId } = receipt;
    yield {
      objects: [object],
      events: readEvents(run, receipt, object.contentId),
      refs: { operationId, receiptId, receiptContentId: object.contentId },
    };
  }
}

/** What the journal says of one read. */
export const readEvents = (run: StudyRun, receipt: EvidenceReadReceipt, receiptContentId: string): EventDraft[] => [
  readStarted(run, receipt),
  draftEvent('evidence.read_completed', { operationId: receipt.operationId, receiptContentId, receipt }, causeOf(run)),
];

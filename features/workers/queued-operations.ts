import { fileOf, intactPathOf, mediaOf } from '../../actors/sources/source-files.ts';
import { type MediaOperations, type MediaWork, type WorkWatch, watched } from '../../actors/study/media-operations.ts';
import { attachedFilesOf } from '../../actors/study/media-task.ts';
import { version } from '../../contract/base/program-version.ts';
import { type EvidenceArtifact, type FurtherArtifact, maximumEvidenceBytes } from '../../contract/evidence/evidence.ts';
import { type MediaOperationResult, mediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { WorkOrder } from '../../contract/workers.ts';
import type { StudyFault } from '../../machines/study-types.ts';
import { objectFactsOf } from '../../receipts/evidence/readable-evidence.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';
import { checkEvidence, checkPassResult, evidenceShape, furtherShape } from '../../receipts/stages/detect.ts';
import { reopenJson } from '../../receipts/stored-records.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { ObjectStoreError } from '../../storage/objects/object-store-error.ts';
import { OperationFailed, OutcomeRefused } from './order-identity.ts';
import type { SharedObjects } from './shared-objects.ts';
import type { WorkOrders } from './work-orders.ts';

/** Has operations over media carried out by workers. What they deliver is verified before it is stored here. */
export class QueuedOperations implements MediaOperations {
  readonly #objectStore: ObjectStore;
  readonly #orders: WorkOrders;

  constructor(objectStore: ObjectStore, orders: WorkOrders) {
    this.#objectStore = objectStore;
    this.#orders = orders;
  }

  async run(work: MediaWork, watch: WorkWatch): Promise<MediaOperationResult> {
    // A host that waits for a worker does nothing that could end it: it has no part in the deaths of hosts before.
    const waits = (reason: string | null): void => {
      watch.kept();
      watch.waits(reason);
    };
    try {
      return await this.#orders.carriedOut(
        {
          order: orderOf(work),
          provide: (objects) => this.#provide(work, objects),
          accept: (result, objects) => this.#accept(work, result, objects, watched(this.#objectStore, watch.stored)),
        },
        { ...watch, waits },
      );
    } catch (error) {
      if (!(error instanceof OperationFailed)) throw error;
      throw { lifecycle: 'failed', code: 'executor_failed', message: error.message } satisfies StudyFault;
    }
  }

  async #provide({ source, task }: MediaWork, objects: SharedObjects): Promise<void> {
    const attached = attachedFilesOf(task).map((contentId) => fileOf(source, contentId));
    for (const file of [mediaOf(source), ...attached]) {
      if ((await objects.verify(file.contentId)) === 'intact') continue;
      await objects.copyIn(await intactPathOf(this.#objectStore, file), file.contentId);
    }
  }

  async #accept(
    work: MediaWork,
    delivered: unknown,
    objects: SharedObjects,
    own: Pick<ObjectStore, 'putAll'>,
  ): Promise<MediaOperationResult> {
    const result = mediaOperationResult.safeParse(delivered);
    if (!result.success) throw new OutcomeRefused('it holds no result of a pass', result.error);
    const { study: run, source, request: operation, task } = work;
    const artifacts: (EvidenceArtifact | null)[] = [];
    for (const each of result.data.evidence) {
      if (each.state === 'unavailable') {
        artifacts.push(null);
        continue;
      }
      const stored = await fetched(objects, each);
      const artifact = demandEvidence(() => {
        const found = reopenJson(evidenceShape, stored);
        checkEvidence(found, { run, source, operation, kind: each.kind });
        return found;
      });
      artifacts.push(artifact);
      await own.putAll([stored]);
    }
    const furtherArtifacts: FurtherArtifact[] = [];
    for (const each of result.data.further ?? []) {
      const stored = await fetched(objects, each);
      const artifact = demandEvidence(() => {
        const found = reopenJson(furtherShape, stored);
        checkEvidence(found, { run, source, operation, kind: each.kind });
        return found;
      });
      for (const named of objectFactsOf(artifact)) await own.putAll([await fetched(objects, named)]);
      furtherArtifacts.push(artifact);
      await own.putAll([stored]);
    }
    const pass = { ...operation, capability: task.capability };
    demandEvidence(() =>
      checkPassResult({ run, source, operation: pass, result: result.data, artifacts, furtherArtifacts }),
    );
    return result.data;
  }
}

/** The order of an operation. What it reads is named by its content alone. */
function orderOf({ task, request: { operationKey, tools, parameters } }: MediaWork): WorkOrder {
  return { schema: 'studio.work-order.v1', version, operationKey, tools, parameters, task };
}

/** An object that a worker stored, with the bytes that it states. Throws `OutcomeRefused` for any other. */
async function fetched(objects: SharedObjects, { contentId, bytes }: { contentId: string; bytes: number }) {
  if (bytes > maximumEvidenceBytes) throw new OutcomeRefused(`${contentId} is too large`);
  try {
    const found = await objects.read(contentId, bytes);
    if (found.length === bytes) return { contentId, bytes: found };
  } catch (error) {
    if (error instanceof ObjectStoreError) throw new OutcomeRefused(error.message, error);
    throw error;
  }
  throw new OutcomeRefused(`${contentId} has not the length that is stated`);
}

function demandEvidence<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (error instanceof EvidenceChainError) throw new OutcomeRefused(error.message, error);
    throw error;
  }
}

import type { FurtherArtifact, FurtherResult } from '../../contract/evidence/evidence.ts';
import type { MediaOperationRequest, MediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import { encodeDetections, encodeFurther } from '../../receipts/evidence/media-operation.ts';
import { objectFactsOf } from '../../receipts/evidence/readable-evidence.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { StudyRow } from '../reopening/study-row.ts';
import { fileOf, intactPathOf, mediaOf, pathOf } from '../sources/source-files.ts';
import type { KeptWindows } from './kept-windows.ts';
import type { MediaPasses, PassRequest } from './media-passes.ts';
import { attachedFilesOf } from './media-task.ts';

/** The store for the findings of a pass. */
type PassObjects = Pick<ObjectStore, 'putAll' | 'read'>;

/** Runs a pass and stores what it found: every object that the result names is on disk when this resolves. */
export async function storedPass(
  passes: MediaPasses,
  objects: PassObjects,
  task: MediaTask,
  request: Omit<PassRequest, 'keep'>,
): Promise<MediaOperationResult> {
  const { detections, derivedAudio, further } = await passes.run(task, {
    ...request,
    keep: (object) => objects.putAll([object]),
  });
  const evidence: MediaOperationResult['evidence'] = [];
  // Each by itself: many large records at once would hold up everything else.
  for (const detection of detections) {
    const encoded = encodeDetections([detection], derivedAudio);
    await objects.putAll(encoded.objects);
    evidence.push(...encoded.result.evidence);
  }
  const beside: FurtherResult[] = [];
  for (const artifact of further) {
    const { object, result } = encodeFurther(artifact);
    await keepOn(objects, artifact);
    await objects.putAll([object]);
    beside.push(result);
  }
  return { evidence, derivedAudio, ...(beside.length === 0 ? {} : { further: beside }) };
}

/**
 * Stores the named objects of facts once more. In a pass of hours the oldest of them are no longer recent, so that a collection
 * of garbage would delete them.
 */
async function keepOn(objects: PassObjects, artifact: FurtherArtifact): Promise<void> {
  for (const { contentId, bytes } of objectFactsOf(artifact)) {
    await objects.putAll([{ contentId, bytes: await objects.read(contentId, bytes) }]);
  }
}

/** One operation over the media of a study. */
export interface MediaWork {
  readonly task: MediaTask;
  /** The request that is in the journal: the operation's key, and the tools and parameters that its result has to have. */
  readonly request: MediaOperationRequest;
  readonly study: StudyRow;
  readonly source: RegisteredSource;
}

export interface WorkWatch {
  readonly signal: AbortSignal;
  /** Called with the read part of the media, and the total, in ms of its time. */
  readonly measured: (completedMs: number, totalMs: number) => void;
  /** Called with the thing that the operation waits for, in words for people; null once it waits no more. */
  readonly waits: (reason: string | null) => void;
  /** Called whenever a part is kept, behind which a next host goes on, or while others do the work. */
  readonly kept: () => void;
  /** Called with each object before it is stored: if the operation fails, none of them may have a name. */
  readonly stored: (contentId: string) => void;
}

/** Runs operations over media, wherever that is. */
export interface MediaOperations {
  /**
   * Resolves with what is kept under the operation's key; every object that it names is in the object store by then. Rejects
   * with a `StudyFault` where the operation came to nothing.
   */
  run(work: MediaWork, watch: WorkWatch): Promise<MediaOperationResult>;
}

/** An object store that tells of each object before it stores it. */
export const watched = (
  objectStore: Pick<ObjectStore, 'putAll' | 'read'>,
  stored: WorkWatch['stored'],
): Pick<ObjectStore, 'putAll' | 'read'> => ({
  putAll: (objects) => {
    for (const { contentId } of objects) stored(contentId);
    return objectStore.putAll(objects);
  },
  read: (contentId, maximumBytes) => objectStore.read(contentId, maximumBytes),
});

/** Runs operations on this machine. */
export class LocalOperations implements MediaOperations {
  readonly #objectStore: ObjectStore;
  readonly #passes: MediaPasses;
  readonly #windows: Pick<KeptWindows, 'of'>;

  constructor(objectStore: ObjectStore, passes: MediaPasses, windows: Pick<KeptWindows, 'of'>) {
    this.#objectStore = objectStore;
    this.#passes = passes;
    this.#windows = windows;
  }

  async run(
    { task, source, request }: MediaWork,
    { signal, measured, kept, stored }: WorkWatch,
  ): Promise<MediaOperationResult> {
    const path = await intactPathOf(this.#objectStore, mediaOf(source));
    for (const contentId of attachedFilesOf(task)) await intactPathOf(this.#objectStore, fileOf(source, contentId));
    const attachedPath = (contentId: string): string => pathOf(this.#objectStore, fileOf(source, contentId));
    return storedPass(this.#passes, watched(this.#objectStore, stored), task, {
      path,
      attachedPath,
      signal,
      measured,
      windows: (lengthMs) => this.#windows.of(request, lengthMs, kept),
    });
  }
}

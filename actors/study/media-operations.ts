import type { MediaOperationRequest, MediaOperationResult } from '../../contract/evidence/media-operation.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import type { StudyRow } from '../reopening/study-row.ts';
import { fileOf, intactPathOf, mediaOf, pathOf } from '../sources/source-files.ts';
import type { KeptWindows } from './kept-windows.ts';
import type { MediaPasses } from './media-passes.ts';
import { attachedFilesOf } from './media-task.ts';
import { storedPass } from './stored-pass.ts';

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
  /** Told how much of the media was read, and how much will be, in ms of its time. */
  readonly measured: (completedMs: number, totalMs: number) => void;
  /** Told what the operation waits for, in words for people; null once it waits no more. */
  readonly waits: (reason: string | null) => void;
  /** Told whenever a part is kept behind which a next host goes on, or while others do the work. */
  readonly kept: () => void;
  /** Told of each object before it is stored: where the operation comes to nothing, none of them may have a name. */
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
      ...{ path, attachedPath, signal, measured },
      windows: (lengthMs) => this.#windows.of(request, lengthMs, kept),
    });
  }
}

import type { MediaOperationRequest } from '../../contract/evidence/media-operation.ts';
import type { MediaTask } from '../../contract/study/task.ts';
import { mediaRequestOf } from '../../receipts/evidence/media-operation.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import type { StudyRow } from '../reopening/study-row.ts';
import { liveRow } from '../supervision/actor-row.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import type { KeptWindows } from './kept-windows.ts';
import type { MediaPasses } from './media-passes.ts';
import { mediaOperationOf } from './media-task.ts';

/** One pass of a study over its media, and the ends of its windows; none if it is done at once. */
export interface WindowedPass {
  readonly runtimeId: string;
  readonly request: MediaOperationRequest;
  readonly endsMs: readonly number[];
}

interface WindowsOfStudiesOptions {
  readonly ledger: Ledger;
  readonly progress: Pick<LiveProgress, 'study'>;
  readonly passes: Pick<MediaPasses, 'identity' | 'windowEndsOf'>;
  readonly windows: Pick<KeptWindows, 'drop' | 'namedBy' | 'keysOf'>;
  /** The task of a study's pass. Throws if its source is gone. */
  readonly taskOf: (study: StudyRow) => MediaTask;
}

/** Removes windows that long passes have kept once no study goes on from them. Passes whose ranges begin at the same time share windows. */
export class WindowsOfStudies {
  readonly #options: WindowsOfStudiesOptions;
  readonly #slices = new TimeSlices();

  constructor(options: WindowsOfStudiesOptions) {
    this.#options = options;
  }

  /** Throws where what is stored of the study, or its source, cannot be read. */
  passOf(runtimeId: string): WindowedPass {
    const { progress, passes, taskOf } = this.#options;
    const study = progress.study(runtimeId);
    const task = taskOf(study);
    const request = mediaRequestOf(study, mediaOperationOf(passes, task));
    return { runtimeId, request, endsMs: passes.windowEndsOf(task) };
  }

  /** Drops the windows of a pass, but for those that another live study goes on from. */
  async drop(pass: WindowedPass): Promise<void> {
    await this.#options.windows.drop(pass.request, await this.#free(pass));
  }

  /** The same; resolves with the objects that they named. */
  async release(pass: WindowedPass): Promise<string[]> {
    const { windows } = this.#options;
    const endsMs = await this.#free(pass);
    const named = await windows.namedBy(pass.request, endsMs);
    await windows.drop(pass.request, endsMs);
    return named;
  }

  /** The ends of the windows of a pass that are kept, and that no other live study goes on from. */
  async #free(pass: WindowedPass): Promise<number[]> {
    const { ledger, windows } = this.#options;
    const keys = windows.keysOf(pass.request, pass.endsMs);
    const rows = await ledger.getMany('operation', keys);
    const kept = pass.endsMs.filter((_, at) => rows[at] !== undefined);
    if (kept.length === 0) return [];
    const others = await this.#goingOn(pass);
    const needed = new Set(others.flatMap(({ request, endsMs }) => windows.keysOf(request, endsMs)));
    return kept.filter((endMs) => windows.keysOf(pass.request, [endMs]).every((key) => !needed.has(key)));
  }

  /** The passes of other live studies that have no result yet. */
  async #goingOn({ runtimeId }: WindowedPass): Promise<WindowedPass[]> {
    const { ledger } = this.#options;
    const passes: WindowedPass[] = [];
    // The index has those as well that a starting host has not taken up yet.
    for (const { key, value } of await ledger.list('live')) {
      if (key === runtimeId || liveRow.safeParse(value).data?.kind !== 'runtime') continue;
      await this.#slices.pause();
      passes.push(...(this.#readablePassOf(key) ?? []));
    }
    const results = await ledger.getMany(
      'operation',
      passes.map(({ request }) => request.operationKey),
    );
    return passes.filter((_, at) => results[at] === undefined);
  }

  #readablePassOf(runtimeId: string): [WindowedPass] | null {
    try {
      return [this.passOf(runtimeId)];
    } catch {
      return null;
    }
  }
}

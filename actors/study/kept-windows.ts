import { z } from 'zod';
import type { ToolIdentity } from '../../contract/base/artifact.ts';
import type { Range } from '../../contract/base/grammar.ts';
import { version } from '../../contract/base/program-version.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import { keyframeFact } from '../../contract/evidence/evidence-object.ts';
import type { MediaOperationRequest } from '../../contract/evidence/media-operation.ts';
import type { KeptWindow, PassWindows } from '../../executors/evidence/decode-graph.ts';
import { storedBytes } from '../../formats/canonical-json.ts';
import { operationKeyOf } from '../../receipts/identities.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';

/** All that a part depends on beside its range. */
export interface PartInput {
  readonly sourceContentId: string;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: EvidenceArtifact['parameters'];
}

/** One kind of parts as the ledger keeps it: the operation of their keys, and the field of a row that holds one. */
interface PartKind<Part> {
  readonly operation: string;
  readonly field: string;
  readonly part: z.ZodType<Part>;
  /** False for a part of which something is missing that another attempt may find: it is not kept. By default every part is whole. */
  readonly isWhole?: (part: Part) => boolean;
}

/** How a part is made that is not kept. */
interface PartWork<Part> {
  readonly make: () => Promise<Part>;
  /** Called once it is on disk, also if another study made it meanwhile. */
  readonly kept: () => void;
  readonly signal: AbortSignal;
}

/**
 * The results of a long step for each part of a range, kept as soon as they exist. A part is a region of speech or a window of
 * the screen. If a host dies in the middle, the next one goes on with the next part. So does another attempt after the time of a
 * study was up. Of studies that want the same part at once, one makes it, and the others wait for it.
 */
export class KeptParts<Part> {
  readonly #ledger: Ledger;
  readonly #kind: PartKind<Part>;
  /** The parts that studies are making now, by their keys. */
  readonly #making = new Map<string, Promise<Part>>();

  constructor(ledger: Ledger, kind: PartKind<Part>) {
    this.#ledger = ledger;
    this.#kind = kind;
  }

  /**
   * The kept result for a range. Without one it is the answer of `make`. If that is whole, it is kept before this resolves; then
   * `kept` is called. Rejects with the reason of `signal` if that aborts during a wait for another study.
   */
  async of(input: PartInput, range: Range, work: PartWork<Part>): Promise<Part> {
    const { sourceContentId } = input;
    const key = this.#keyOf(input, range);
    // A server would be paid twice for it. If the other study fails, this one makes the part.
    for (let other = this.#making.get(key); other !== undefined; other = this.#making.get(key)) {
      // The study has moved, as if it had made the part: deaths of hosts up to here do not count against it.
      if (await succeeded(other, work.signal)) work.kept();
    }
    const making = this.#keptOr(key, sourceContentId, work).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  /** Has the parts of these ranges made again by the next work that wants them. */
  async forget(input: PartInput, ranges: readonly Range[]): Promise<void> {
    await this.#ledger.commit(ranges.map((range) => ({ del: 'operation', key: this.#keyOf(input, range) })));
  }

  #keyOf({ sourceContentId, tools, parameters }: PartInput, range: Range): string {
    const { operation } = this.#kind;
    return operationKeyOf({ operation, inputContentIds: [sourceContentId], range, tools, parameters });
  }

  async #keptOr(key: string, sourceContentId: string, { make, kept }: PartWork<Part>): Promise<Part> {
    const { field, part, isWhole = () => true } = this.#kind;
    const [row] = await this.#ledger.getMany('operation', [key]);
    // A row names its media, so that a deletion of the source finds it.
    const known = z.strictObject({ sourceContentId: z.string(), [field]: part }).safeParse(row);
    const before = known.success ? part.parse(known.data[field]) : null;
    if (before !== null && isWhole(before)) return before;
    const made = part.parse(await make());
    if (!isWhole(made)) return made;
    await this.#ledger.commit([{ put: 'operation', key, value: { sourceContentId, [field]: made } }]);
    kept();
    return made;
  }
}

/** True if the work of another study succeeds, once it settles. Rejects with the reason of `signal` once that aborts. */
function succeeded(work: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    const settle = (isMade: boolean) => {
      signal.removeEventListener('abort', stop);
      resolve(isMade);
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    work.then(
      () => settle(true),
      () => settle(false),
    );
  });
}

const stored = z.strictObject({ contentId: z.string(), bytes: z.number() });

/**
 * A row names its media, so that a deletion of the source finds it. It names the version of the program, so that a collection of
 * garbage finds rows that no later version reads. `state` has the measurements from the start of the range to the end of the
 * window. `named` lists the objects that its facts name, which stay for that.
 */
const windowRow = z.strictObject({
  sourceContentId: z.string(),
  program: z.string(),
  window: z.strictObject({ state: stored, named: stored }),
});
type WindowRow = z.infer<typeof windowRow>;

/** A list has its row's key, so that no two rows share one. */
const namedObjects = z.strictObject({
  key: z.string(),
  named: z.array(keyframeFact.pick({ contentId: true, bytes: true })),
});

/** Behind a window that is damaged the one before goes on. */
const keptAtOnce = 2;

type PassRequest = Pick<MediaOperationRequest, 'sourceContentId' | 'range' | 'tools' | 'parameters'>;

/**
 * The state of a long pass at the end of each window, kept as soon as it exists. After a crash the next host goes on with the
 * next window. The newest two are kept, and none once the pass has a result.
 */
export class KeptWindows {
  readonly #ledger: Ledger;
  readonly #objectStore: ObjectStore;
  readonly #report: (line: string) => void;

  constructor(ledger: Ledger, objectStore: ObjectStore, report: (line: string) => void) {
    this.#ledger = ledger;
    this.#objectStore = objectStore;
    this.#report = report;
  }

  /** The windows of one operation; `kept` is called for each that is on disk. */
  of(request: PassRequest, lengthMs: number, kept: () => void): PassWindows {
    return {
      lengthMs,
      newest: (endsMs) => this.#newest(request, endsMs),
      keep: async (window) => {
        await this.#keep(request, lengthMs, window);
        kept();
      },
    };
  }

  /** The keys of the windows of an operation. Those of another one that begins at the same time may be the same. */
  keysOf(request: PassRequest, endsMs: readonly number[]): string[] {
    return endsMs.map((endMs) => keyOf(request, endMs));
  }

  /** Removes what is kept of an operation that has its result. A host that is killed in between is to call it again. */
  async drop(request: PassRequest, endsMs: readonly number[]): Promise<void> {
    await this.#remove(this.keysOf(request, endsMs));
  }

  /** The objects that the facts of the windows name, where they can be read. */
  async namedBy(request: PassRequest, endsMs: readonly number[]): Promise<string[]> {
    const rows = await this.#ledger.getMany('operation', this.keysOf(request, endsMs));
    const found: string[] = [];
    for (const row of rows) {
      const { data } = windowRow.safeParse(row);
      if (data === undefined || (await this.#objectStore.verify(data.window.named.contentId)) !== 'intact') continue;
      found.push(...(await this.#listed(data)).map(({ contentId }) => contentId));
    }
    return found;
  }

  /** Throws where the list is gone or damaged. */
  async #listed({ window: { named } }: WindowRow): Promise<z.infer<typeof namedObjects>['named']> {
    return namedObjects.parse(JSON.parse(String(await this.#objectStore.read(named.contentId, named.bytes)))).named;
  }

  async #newest(request: PassRequest, endsMs: readonly number[]): Promise<Pick<KeptWindow, 'endMs' | 'state'> | null> {
    const rows = await this.#ledger.getMany('operation', this.keysOf(request, endsMs));
    for (const [at, endMs] of [...endsMs.entries()].reverse()) {
      const { data } = windowRow.safeParse(rows[at]);
      if (data === undefined || !(await this.#isWhole(data))) continue;
      const { contentId, bytes } = data.window.state;
      this.#report(`a pass over ${request.sourceContentId} goes on at ${endMs} ms`);
      return { endMs, state: await this.#objectStore.read(contentId, bytes) };
    }
    return null;
  }

  /** True if a window and every object that its facts name exist and are intact. */
  async #isWhole(row: WindowRow): Promise<boolean> {
    const { state, named } = row.window;
    if (!(await this.#isIntact(state.contentId)) || !(await this.#isIntact(named.contentId))) return false;
    for (const { contentId } of await this.#listed(row)) if (!(await this.#isIntact(contentId))) return false;
    return true;
  }

  async #isIntact(contentId: string): Promise<boolean> {
    const state = await this.#objectStore.verify(contentId);
    if (state === 'intact') return true;
    this.#report(`${contentId}, kept of a window of a pass, is ${state}; the window is measured again`);
    if (state === 'damaged') await this.#objectStore.quarantine(contentId);
    return false;
  }

  async #keep(request: PassRequest, lengthMs: number, { endMs, state, named }: KeptWindow): Promise<void> {
    const key = keyOf(request, endMs);
    const list = storedBytes({ key, named: named.map(({ contentId, bytes }) => ({ contentId, bytes })) });
    const value: WindowRow = {
      sourceContentId: request.sourceContentId,
      program: version,
      window: { state: await this.#put(state), named: await this.#put(list) },
    };
    await this.#ledger.commit([{ put: 'operation', key, value }]);
    const older: string[] = [];
    for (let end = endMs - keptAtOnce * lengthMs; end > request.range.startMs; end -= lengthMs)
      older.push(keyOf(request, end));
    await this.#remove(older);
  }

  async #put(bytes: Uint8Array): Promise<z.infer<typeof stored>> {
    return { contentId: await this.#objectStore.put(bytes), bytes: bytes.length };
  }

  /** The rows go first: an object that is left by a crash is one that nothing reaches. */
  async #remove(keys: readonly string[]): Promise<void> {
    const rows = await this.#ledger.getMany('operation', keys);
    const there = keys.flatMap((key, at) => {
      const { data } = windowRow.safeParse(rows[at]);
      return data === undefined ? [] : [{ key, window: data.window }];
    });
    if (there.length === 0) return;
    await this.#ledger.commit(there.map(({ key }) => ({ del: 'operation', key })));
    for (const { window } of there) {
      await this.#objectStore.discard(window.state.contentId);
      await this.#objectStore.discard(window.named.contentId);
    }
  }
}

/** Another version of the program may keep other states: it starts from the beginning. */
const keyOf = ({ sourceContentId, range, tools, parameters }: PassRequest, endMs: number): string =>
  operationKeyOf({
    operation: 'media.detect.window',
    inputContentIds: [sourceContentId],
    range: { startMs: range.startMs, endMs },
    tools,
    parameters: { ...parameters, program: version },
  });

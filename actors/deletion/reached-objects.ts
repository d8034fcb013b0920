import { z } from 'zod';
import { version } from '../../contract/base/program-version.ts';
import { addNamed, keepingValues, reachedFrom } from '../../storage/backup/named-objects.ts';
import type { HostBasis } from '../host-basis.ts';
import { TimeSlices } from '../supervision/time-slices.ts';

const maximumEvidenceBytes = 64 * 1024 * 1024;

const operation = z.object({ evidence: z.array(z.object({ contentId: z.string().optional() })) });
/** What was recognised of one region of media. */
const region = z.object({ sourceContentId: z.string() });
/** What was kept of a pass at the end of one of its windows. */
const keptWindow = z.object({ window: z.object({}), program: z.string().optional() });
const evidence = z.object({ input: z.object({ sourceContentId: z.string() }) });

export interface StoredOperation {
  readonly key: string;
  /** The content id of the media. */
  readonly source: string;
  /** It is a window of a pass that another version of the program kept: this one will not read it. */
  readonly isOutdated: boolean;
}

export type ReachOptions = Pick<HostBasis, 'ledger' | 'objectStore'>;

/**
 * Finds what is reached: every object that any row or event of the ledger names, and what those name in turn. An object that is
 * stored while this goes on, or shortly before, is known to the object store alone (`isRecent`).
 */
export class ReachedObjects {
  readonly #options: ReachOptions;
  readonly #slices = new TimeSlices();

  constructor(options: ReachOptions) {
    this.#options = options;
  }

  /** `spent`: keys of results of operations that do not count. Rejects with the reason of the signal. */
  find(spent: ReadonlySet<string>, signal?: AbortSignal): Promise<ReadonlySet<string>> {
    return this.from(this.#needed(spent), signal);
  }

  /** Everything that these bytes name, and what that names in turn. Rejects with the reason of the signal. */
  async from(values: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<ReadonlySet<string>> {
    const named = new Set<string>();
    const pause = (): Promise<void> | undefined => {
      signal?.throwIfAborted();
      return this.#slices.pause();
    };
    for await (const value of values) {
      await pause();
      addNamed(named, value);
    }
    return reachedFrom(named, (contentId) => this.#options.objectStore.locate(contentId), pause);
  }

  async *#needed(spent: ReadonlySet<string>): AsyncGenerator<Uint8Array> {
    for await (const { kind, key, value } of keepingValues(this.#options.ledger.stored())) {
      if (kind !== 'operation' || !spent.has(key)) yield value;
    }
  }

  /** The stored results of operations, each with the media that it, or its evidence, says it is of; without either none is said. */
  async operations(): Promise<StoredOperation[]> {
    const found: StoredOperation[] = [];
    for (const { key, value } of await this.#options.ledger.list('operation')) {
      const { data } = operation.safeParse(value);
      const [first] = data?.evidence.flatMap(({ contentId }) => contentId ?? []) ?? [];
      const named = region.safeParse(value).data?.sourceContentId ?? null;
      const source = first === undefined ? named : await this.#sourceOf(first);
      const kept = keptWindow.safeParse(value).data;
      if (source !== null) found.push({ key, source, isOutdated: kept !== undefined && kept.program !== version });
    }
    return found;
  }

  async #sourceOf(contentId: string): Promise<string | null> {
    await this.#slices.pause();
    try {
      const bytes = await this.#options.objectStore.read(contentId, maximumEvidenceBytes);
      return evidence.parse(JSON.parse(bytes.toString('utf8'))).input.sourceContentId;
    } catch {
      return null;
    }
  }
}

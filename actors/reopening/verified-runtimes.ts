import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import {
  type FoldPorts,
  foldEvents,
  reopenStartOf,
  type StoredRuntime,
  type VerifiedRuntime,
} from '../../receipts/fold.ts';
import { type EncodedAs, journalStart } from '../../receipts/journal.ts';
import { CoalescingMutex } from '../../storage/keyed-mutex.ts';
import type { Ledger, StoredJournalHead } from '../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../storage/objects/object-store.ts';
import { absentRuntime, deletedRuntimeError } from '../supervision/deletion-rows.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import { newKnownValues, ReadObjects } from './read-objects.ts';
import { readEventsAfter, readJournalOf, readStoredRuntime, rowShapes } from './stored-runtime.ts';

/** The schemas directly within one, whatever it is made of. A lazy one is left alone: it may lead back to itself. */
function partsOf(value: unknown): readonly z.core.$ZodType[] {
  if (value instanceof z.core.$ZodType) return [value];
  if (Array.isArray(value)) return value.flatMap(partsOf);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return [];
  return Object.values(value).flatMap(partsOf);
}

/**
 * Lets zod compile these shapes with a pause after each object in them. It compiles an object with the first value that it
 * parses. The first row of a runtime, with a hundred nested objects, would block everything else.
 */
export async function prepareShapes(shapes: readonly z.core.$ZodType[], pause: FoldPorts['pause']): Promise<void> {
  const open = [...shapes];
  const seen = new Set<z.core.$ZodType>();
  for (let shape = open.pop(); shape !== undefined; shape = open.pop()) {
    if (seen.has(shape)) continue;
    seen.add(shape);
    const { def } = shape._zod;
    // The answer does not matter, but for an object zod compiles before it finds out that this one has nothing.
    if (def.type === 'object') z.safeParse(shape, {});
    open.push(...partsOf({ ...def }));
    await pause();
  }
}

interface VerifiedRuntimesOptions {
  readonly ledger: Ledger;
  readonly objectStore: ObjectStore;
  /** The events that this process encoded; without it every event is parsed. */
  readonly encoded?: EncodedAs;
  /** How much is remembered, in bytes of what was read; parsed it takes several times as much. */
  readonly rememberedBytes?: number;
  /** How much one runtime may have that is remembered alone. */
  readonly aloneBytes?: number;
}

// A runtime at all limits of its evidence has half a megabyte, an explanation about 30 KiB.
const defaultRememberedBytes = 16 * 1024 * 1024;

// Without it each request about a study of hours would verify it again, for seconds.
const defaultAloneBytes = 64 * 1024 * 1024;

/** Of this process: what zod has compiled serves every host in it. */
let preparation: Promise<void> | undefined;

/** A verified runtime, and what it was verified from. */
export interface Verified {
  readonly runtime: VerifiedRuntime;
  readonly stored: StoredRuntime;
  readonly head: StoredJournalHead;
  readonly content: ReadObjects;
  /** Length of the events that were read. */
  readonly eventBytes: number;
  /** The time when the last check of all files began, on the clock of `performance.now`. */
  readonly lookedAtMs: number;
}

/**
 * Verifies runtimes for readers and for commands. The result stays valid while no file behind it was touched. Then it costs only
 * one check of each file, and a fold of the new events of its journal.
 */
export class VerifiedRuntimes {
  readonly #options: VerifiedRuntimesOptions;
  readonly #mutex = new CoalescingMutex<Verified>();
  readonly #slices = new TimeSlices();
  readonly #known = newKnownValues();
  /** For each runtime that is about to be read, the latest time from which a look is wanted. */
  readonly #wantedSinceMs = new Map<string, number>();
  readonly #verified: LRUCache<string, Verified>;

  constructor(options: VerifiedRuntimesOptions) {
    this.#options = options;
    const { rememberedBytes = defaultRememberedBytes } = options;
    // The cache would not keep one that is larger than all of it.
    const sizeCalculation = (verified: Verified) => Math.min(bytesOf(verified), rememberedBytes);
    this.#verified = new LRUCache({ maxSize: rememberedBytes, sizeCalculation });
  }

  /**
   * A runtime as far as it has come. Throws `unknown_runtime`, `runtime_deleted` and `stored_content_inconsistent`. A step of a
   * command that has read the runtime before gives the time at which the command began (`performance.now`). Files that were
   * checked since then are not checked again.
   */
  async read(runtimeId: string, lookedSinceMs?: number): Promise<VerifiedRuntime> {
    return (await this.verified(runtimeId, lookedSinceMs)).runtime;
  }

  /** As `read`, with what it was verified from. */
  verified(runtimeId: string, lookedSinceMs = performance.now()): Promise<Verified> {
    const { aloneBytes = defaultAloneBytes } = this.#options;
    this.#wantedSinceMs.set(runtimeId, Math.max(lookedSinceMs, this.#wantedSinceMs.get(runtimeId) ?? 0));
    return this.#mutex.take(runtimeId, async () => {
      const sinceMs = this.#wantedSinceMs.get(runtimeId) ?? 0;
      this.#wantedSinceMs.delete(runtimeId);
      try {
        const verified = await this.#verify(runtimeId, sinceMs);
        if (bytesOf(verified) <= aloneBytes) this.#verified.set(runtimeId, verified);
        return verified;
      } catch (error) {
        // A runtime that was deleted during the read is not damaged.
        throw deletedRuntimeError(this.#options.ledger, runtimeId) ?? error;
      }
    });
  }

  /** A reader of stored files that shares what was parsed of them with all runtimes. */
  content(): ReadObjects {
    return new ReadObjects(this.#options.objectStore, this.#slices.pause, this.#known);
  }

  /** Must be called after the commit that deletes a runtime. */
  deleted(runtimeId: string): void {
    this.#known.clear();
    this.#verified.delete(runtimeId);
  }

  async #verify(runtimeId: string, sinceMs: number): Promise<Verified> {
    const known = await this.#untouched(runtimeId, sinceMs);
    return known !== null && (await this.#isAtHead(runtimeId, known)) ? known : this.#folded(runtimeId, known);
  }

  /** The remembered result of a runtime, if every file behind it is still the same; it is forgotten until it was verified. */
  async #untouched(runtimeId: string, sinceMs: number): Promise<Verified | null> {
    const known = this.#verified.get(runtimeId);
    if (known === undefined) return null;
    this.#verified.delete(runtimeId);
    if (known.lookedAtMs >= sinceMs) return known;
    const lookedAtMs = performance.now();
    return (await known.content.isUntouched()) ? { ...known, lookedAtMs } : null;
  }

  async #isAtHead(runtimeId: string, { head }: Verified): Promise<boolean> {
    const { digest } = await readJournalOf(async () => this.#options.ledger.journalHead(runtimeId));
    return digest === head.digest;
  }

  /** Folds the events that follow those of a known runtime, or all of them if no valid result is known. */
  async #folded(runtimeId: string, known: Verified | null): Promise<Verified> {
    const { ledger } = this.#options;
    const { pause } = this.#slices;
    const lookedAtMs = known?.lookedAtMs ?? performance.now();
    preparation ??= prepareShapes(rowShapes, pause);
    await preparation;
    const stored = await readStoredRuntime(ledger, runtimeId, pause, known?.stored);
    if (stored === null) throw absentRuntime(ledger, runtimeId);
    const base = known !== null && isDeepStrictEqual(rowsOf(known.stored), rowsOf(stored)) ? known : null;
    const content = base?.content ?? this.content();
    const ports = { content, report: () => undefined, pause };
    const { events, bytes, head } = await readEventsAfter(
      ledger,
      runtimeId,
      base?.runtime.position ?? journalStart,
      pause,
      this.#options.encoded,
    );
    const runtime = await foldEvents(
      base?.runtime ?? (await reopenStartOf(stored, head.seq, ports)),
      stored,
      events,
      ports,
    );
    const eventBytes = (base?.eventBytes ?? 0) + bytes;
    return { runtime, stored, head, content, eventBytes, lookedAtMs };
  }
}

/** Length of everything that was read: the events, and the files that they name. */
const bytesOf = ({ content, eventBytes }: Verified): number => content.bytes + eventBytes;

/** The rows that a start left behind; they never change. */
const rowsOf = ({ start, source }: StoredRuntime) => ({ start, source });

import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../../receipts/fold.ts';
import { type JournalPosition, readEvent } from '../../../receipts/journal.ts';
import {
  contentOf,
  type JournalledRuntime,
  storedEvents,
  type WrittenEvent,
  writtenEvents,
} from '../core/stored-content-in-memory.ts';
import { changesOf, type Mutation } from './mutations.ts';

type Files = ReadonlyMap<string, Uint8Array>;

/** A test's replacement for the journal, for the stored files, and for the rows. */
export interface Damage {
  readonly events?: readonly unknown[];
  readonly files?: Files;
  readonly stored?: Partial<JournalledRuntime>;
}

const flipped = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = Uint8Array.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** A stored file that is gone, cut, longer, empty, replaced or has one changed bit, and the expected finding. */
export const spoiled = (bytes: Uint8Array, other: Uint8Array): [place: string, bytes: Uint8Array | null][] => [
  ['missing', null],
  ...[0, bytes.length >> 1, bytes.length - 1].map((at): [string, Uint8Array] => ['content', flipped(bytes, at)]),
  ['content', bytes.subarray(0, -1)],
  ['content', Buffer.concat([bytes, Buffer.from('\n')])],
  ['content', new Uint8Array()],
  ['content', other],
];

/** Every n-th change that really changes the value: each sweep takes seconds, and all of them take minutes. */
export const someChangesOf = (value: unknown, stride: number, offset = 0): Mutation[] =>
  changesOf(value).filter((_, index) => index % stride === offset % stride);

export const jsonOf = (bytes: Uint8Array | undefined): unknown => JSON.parse(Buffer.from(bytes ?? []).toString('utf8'));

/** A record as it is stored. */
export const canonicalBytes = (record: unknown): Buffer => Buffer.from(`${canonicalJson(record)}\n`);

const hexOf = (contentId: string): string => contentId.slice('sha256:'.length);

/** A whole runtime, to be damaged in one place and reopened. */
export class DamagedRuntime {
  readonly stored: JournalledRuntime;
  readonly files: Files;
  readonly events: readonly WrittenEvent[];
  /** How many events come before those that a test damages: whole commits, folded once. */
  readonly begin: number;
  readonly #ends: readonly number[];
  #texts: readonly string[] | undefined;
  readonly #sound = new Map<number, Promise<VerifiedRuntime>>();

  /** `ends` are those of commits, by which an undamaged part of the journal is folded once. */
  constructor(
    stored: JournalledRuntime,
    files: Files,
    events: readonly WrittenEvent[],
    begin = 0,
    ends: readonly number[] = [begin],
  ) {
    this.stored = stored;
    this.files = files;
    this.events = events;
    this.begin = begin;
    this.#ends = ends;
  }

  /** The events that a test damages, each with its place in the journal. */
  get tail(): [index: number, event: WrittenEvent][] {
    return [...this.events.entries()].slice(this.begin);
  }

  withFile(contentId: string, bytes: Uint8Array | null): Damage {
    const files = new Map(this.files);
    if (bytes === null) files.delete(contentId);
    else files.set(contentId, bytes);
    return { files };
  }

  /** A record stored under other bytes, renamed wherever the journal names it. */
  forged(contentId: string, bytes: Uint8Array): Damage {
    const forgedId = contentIdOfBytes(bytes);
    const [named, renamed] = [hexOf(contentId), hexOf(forgedId)];
    this.#texts ??= this.events.map((event) => JSON.stringify(event));
    const events = this.#texts.map((text, at) =>
      text.includes(named) ? JSON.parse(text.replaceAll(named, renamed)) : this.events[at],
    );
    return { events, ...this.withFile(forgedId, bytes) };
  }

  /** The journal with this event dropped, doubled, or behind the next one. */
  disordered(index: number): WrittenEvent[][] {
    const [event, next] = [this.events[index], this.events[index + 1]];
    if (event === undefined) return [];
    return [
      this.events.toSpliced(index, 1),
      this.events.toSpliced(index, 0, event),
      ...(next === undefined ? [] : [this.events.toSpliced(index, 2, next, event)]),
    ];
  }

  /** Numbered and timed again, as a forger of a journal would do it. */
  renumbered(changed: readonly WrittenEvent[]): WrittenEvent[] {
    return writtenEvents(
      this.stored.runtimeId,
      changed.map(({ producer, causationId, correlationId, type, data }) => ({
        producer,
        causationId,
        correlationId,
        type,
        data,
      })),
    );
  }

  /** The first place at which the runtime is not intact; null for an intact one. */
  async faultOf(damage: Damage): Promise<EvidenceChainError | null> {
    try {
      await this.#reopen(damage);
      return null;
    } catch (error) {
      if (error instanceof EvidenceChainError) return error;
      throw error;
    }
  }

  /** As `faultOf`, in one line: `link: place`. */
  async placeOf(damage: Damage): Promise<string | null> {
    const fault = await this.faultOf(damage);
    return fault === null ? null : `${fault.link}: ${fault.place}`;
  }

  /** Changes of each event of the tail, one of so many, that pass: the journal is numbered again, and nothing is found. */
  async unseenChanges(stride: number): Promise<{ index: number; event: WrittenEvent; at: string }[]> {
    const unseen: { index: number; event: WrittenEvent; at: string }[] = [];
    for (const [index, event] of this.tail) {
      for (const { at, value } of someChangesOf(event, stride, index)) {
        const place = await this.placeOf({ events: this.events.with(index, value as WrittenEvent) });
        if (place === null) unseen.push({ index, event, at });
      }
    }
    return unseen;
  }

  async #reopen({ events = this.events, files = this.files, stored }: Damage): Promise<VerifiedRuntime> {
    const row = { ...this.stored, ...stored };
    const ports = portsOver(files);
    const isOther = (event: WrittenEvent, at: number) => !isDeepStrictEqual(event, events[at]);
    const whole = files === this.files && stored === undefined ? this.events.findIndex(isOther) : this.begin;
    const from = this.#ends.findLast((end) => end <= whole) ?? 0;
    if (from === 0) return foldAfter(await reopenStartOf(row, events.length, ports), row, events, ports);
    return foldAfter(await this.#foldedTo(from), row, events.slice(from), ports);
  }

  #foldedTo(end: number): Promise<VerifiedRuntime> {
    const known = this.#sound.get(end);
    if (known !== undefined) return known;
    const ports = portsOver(this.files);
    const open = { ...this.stored, lifecycle: 'accepted' } as const;
    const folded = reopenStartOf(this.stored, this.events.length, ports).then((start) =>
      foldAfter(start, open, this.events.slice(0, end), ports),
    );
    this.#sound.set(end, folded);
    return folded;
  }
}

const portsOver = (files: Files) => ({ content: contentOf(files), report: () => undefined, pause: () => undefined });

function foldAfter(
  runtime: VerifiedRuntime,
  stored: JournalledRuntime,
  events: readonly unknown[],
  ports: ReturnType<typeof portsOver>,
): Promise<VerifiedRuntime> {
  let position: JournalPosition = runtime.position;
  const read = storedEvents(events).map((bytes) => {
    const event = readEvent(stored.runtimeId, position, bytes);
    position = event;
    return event;
  });
  return foldEvents(runtime, stored, read, ports);
}

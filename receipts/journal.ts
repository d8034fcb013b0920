import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import type { Artifact } from '../contract/base/artifact.ts';
import { type EventData, type EventOf, type EventType, type JournalEvent, journalEvent } from '../contract/journal.ts';
import { firstDifference, hasUnseenField, isCanonicalForm } from '../formats/canonical-json.ts';
import type { EventDraft } from '../storage/ledger/ledger.ts';
import { EvidenceChainError } from './evidence-chain.ts';
import { shapeFault } from './stored-records.ts';

/** The correlation of an event (the command of its run) and its causing event, if that is known. */
export interface EventCause {
  readonly correlationId: string;
  readonly causationId: string | null;
}

/** The one producer of this service; the kind beside it says in which capacity it wrote. */
const producerId = 'studio.local-runtime-host';

const shapes = new Map(journalEvent.options.map(({ shape }) => [shape.type.value, shape]));

/**
 * An event ready for the ledger, its producer kind fixed by its type.
 * Throws `ZodError` when `data` is not what the type allows: nothing malformed reaches a journal.
 */
export function draftEvent<Type extends EventType>(type: Type, data: EventData<Type>, cause: EventCause): EventDraft {
  const shape = shapes.get(type);
  if (shape === undefined) throw new TypeError(`no event type '${type}'`);
  return {
    producer: { kind: shape.producer.shape.kind.value, id: producerId },
    causationId: cause.causationId,
    correlationId: cause.correlationId,
    type,
    data: shape.data.parse(data),
  };
}

/** One more artifact of a run; it comes before any event that names it. */
export const artifactRecorded = (artifact: Artifact, cause: EventCause): EventDraft =>
  draftEvent('artifact.recorded', { artifact }, cause);

const fault = (seq: number, place: string, cause?: unknown): EvidenceChainError =>
  new EvidenceChainError('journal', `event ${seq}: ${place}`, cause);

/** The event that this process itself encoded as a text; undefined for any other text. */
export type EncodedAs = (text: string) => JournalEvent | undefined;

function parsedEvent(seq: number, stored: Uint8Array, encoded: EncodedAs): JournalEvent {
  // The text of other bytes has replacement characters, which an event may have, too.
  if (!isUtf8(stored)) throw fault(seq, 'encoding');
  const text = Buffer.from(stored).toString('utf8');
  const known = encoded(text);
  if (known !== undefined) return known;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fault(seq, 'encoding', error);
  }
  if (!isCanonicalForm(value, text) || hasUnseenField(text)) throw fault(seq, 'canonical_form');
  const event = journalEvent.safeParse(value);
  if (event.success) return event.data;
  throw fault(seq, shapeFault(event.error), event.error);
}

/** A position in a journal: the number and the time of the last event before it. */
export interface JournalPosition {
  readonly seq: number;
  /** UTC with milliseconds; empty before the first event. */
  readonly recordedAt: string;
}

export const journalStart: JournalPosition = { seq: 0, recordedAt: '' };

/**
 * Reads the stored event that follows a position: canonical JSON of the closed set, counted without a gap, in order of time.
 * One that `encoded` knows is not parsed again. Throws `EvidenceChainError` of the journal, which names the event by its seq.
 */
export function readEvent(
  runId: string,
  after: JournalPosition,
  stored: Uint8Array,
  encoded: EncodedAs = () => undefined,
): JournalEvent {
  const seq = after.seq + 1;
  const event = parsedEvent(seq, stored, encoded);
  const place = firstDifference(
    { runId: event.runId, seq: event.seq, eventId: event.eventId },
    { runId, seq, eventId: `event:${runId}:${seq}` },
  );
  if (place !== null) throw fault(seq, place);
  if (event.recordedAt < after.recordedAt) throw fault(seq, 'recordedAt');
  return event;
}

/** Goes through a part of a journal and holds each event against the one that had to be written. */
export class JournalCursor {
  readonly #before: JournalPosition;
  readonly #events: readonly JournalEvent[];
  #taken = 0;

  /** `events` follow the position `before`. */
  constructor(before: JournalPosition, events: readonly JournalEvent[]) {
    this.#before = before;
    this.#events = events;
  }

  /** The last event that was taken. */
  get position(): JournalPosition {
    return this.#events[this.#taken - 1] ?? this.#before;
  }

  /** The events that were taken after a position. */
  takenAfter({ seq }: JournalPosition): readonly JournalEvent[] {
    return this.#events.slice(seq - this.#before.seq, this.#taken);
  }

  /** The type of the event `offset` places after the next; null behind the last. */
  typeAt(offset = 0): EventType | null {
    return this.#events[this.#taken + offset]?.type ?? null;
  }

  /** The event `offset` places after the next, which has to be of this type. */
  expect<Type extends EventType>(type: Type, offset = 0): EventOf<Type> {
    const event = this.#events[this.#taken + offset];
    if (event === undefined) throw this.fault('missing', offset);
    if (event.type !== type) throw this.fault('type', offset);
    return event as EventOf<Type>;
  }

  /** How many events from the next one on are of this type without a break. */
  count(type: EventType): number {
    let count = 0;
    while (this.typeAt(count) === type) count += 1;
    return count;
  }

  /** Takes the next events, which have to be exactly these. */
  take(drafts: readonly EventDraft[]): void {
    for (const draft of drafts) {
      const event = this.#events[this.#taken];
      if (event === undefined) throw this.fault('missing');
      const { producer, causationId, correlationId, type, data } = event;
      const found = { producer, causationId, correlationId, type, data };
      if (!isDeepStrictEqual(found, draft)) throw this.fault(placeOf(found, draft));
      this.#taken += 1;
    }
  }

  /** The error that names an event as what does not hold. */
  fault(place: string, offset = 0): EvidenceChainError {
    return fault(this.position.seq + offset + 1, place);
  }
}

// Events of different types differ in everything: the type says it best.
const placeOf = (found: EventDraft, draft: EventDraft): string =>
  found.type === draft.type ? (firstDifference(found, draft) ?? '') : 'type';

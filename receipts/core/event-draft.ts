import type { Artifact } from '../../contract/base/artifact.ts';
import { type EventData, type EventType, journalEvent } from '../../contract/journal/journal-event.ts';
import type { EventDraft } from '../../storage/ledger/ledger.ts';

/** What an event belongs to (the command of its run) and which event brought it about, where that is known. */
export interface EventCause {
  readonly correlationId: string;
  readonly causationId: string | null;
}

/** The one producer of this service; the kind beside it says in which capacity it wrote. */
export const producerId = 'studio.local-runtime-host';

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

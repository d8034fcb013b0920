import { z } from 'zod';
import { captionEvents } from '../captions/caption-events.ts';
import { evidenceEvents } from '../evidence/evidence-events.ts';
import { mediaEvents } from '../evidence/media-events.ts';
import { languageExplanationEvents } from '../explanations/language-explanation-events.ts';
import { semanticEvents } from '../recognition/semantic-events.ts';
import { publishReviewEvents } from '../review/publish-review-events.ts';
import { screenTextEvents } from '../screentext/screen-text-events.ts';
import { taskEvents } from '../study/task-events.ts';

/** Every event that a journal may hold: a closed set, each type with its producer and its closed data. */
export const journalEvent = z.discriminatedUnion('type', [
  ...taskEvents,
  ...mediaEvents,
  ...semanticEvents,
  ...screenTextEvents,
  ...evidenceEvents,
  ...publishReviewEvents,
  ...captionEvents,
  ...languageExplanationEvents,
]);

export type JournalEvent = z.infer<typeof journalEvent>;
export type EventType = JournalEvent['type'];
export type EventOf<Type extends EventType> = Extract<JournalEvent, { type: Type }>;
export type EventData<Type extends EventType> = EventOf<Type>['data'];

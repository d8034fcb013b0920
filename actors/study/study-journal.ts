import type { StateValue } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import type { CommitFact } from '../../machines/commit-fact.ts';
import type { RuntimeFact, RuntimeStoppedFact } from '../../machines/runtime-types.ts';
import { operationFailed, operationStarted } from '../../receipts/evidence/media-operation.ts';
import { stopStudy } from '../../receipts/study/study-closing.ts';
import type { EventDraft, Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { Change } from '../supervision/actor-kind.ts';
import type { MediaStepName, MediaSteps } from './media-steps.ts';
import { readStudy } from './study-row.ts';
import { spanOf } from './study-span.ts';

export interface StudyJournalOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly media: Pick<MediaSteps, 'operation'>;
}

/** What the facts of one transition of a runtime add to its commit. */
export function studyFactWrites(options: StudyJournalOptions, change: Change): Write[] {
  return change.facts.flatMap((fact) => factWrites(options, change, fact as RuntimeFact));
}

function factWrites(options: StudyJournalOptions, change: Change, fact: RuntimeFact): Write[] {
  switch (fact.type) {
    case 'commit':
      return committed(change.id, fact);
    case 'step.started': {
      const study = readStudy(options.ledger, change.id);
      return appended(change.id, [operationStarted(study, options.media.operation(study, fact.step))]);
    }
    case 'runtime.stopped':
      return appended(change.id, stopped(options, change, fact));
  }
}

const committed = (runtimeId: string, { events, writes }: CommitFact): Write[] => [
  ...appended(runtimeId, events),
  ...writes,
];

const appended = (runtimeId: string, events: readonly EventDraft[]): Write[] =>
  events.length === 0 ? [] : [{ append: runtimeId, events }];

/** The failure of the operation that was open, then the end; nothing for a runtime whose journal was never opened. */
function stopped(options: StudyJournalOptions, { id, before }: Change, fact: RuntimeStoppedFact): EventDraft[] {
  const { ledger, clock, media } = options;
  const span = spanOf(ledger, clock, id);
  if (span === null) return [];
  const study = readStudy(ledger, id);
  const step = openStep(before);
  const failed = step === null ? [] : [operationFailed(study, media.operation(study, step), fact.reason)];
  return [...failed, ...stopStudy(study, { lifecycle: fact.lifecycle, reason: fact.reason, span })];
}

function openStep(before: StateValue | null): MediaStepName | null {
  const running = typeof before === 'object' && before !== null ? before.running : undefined;
  if (running === 'subtitles') return 'subtitles';
  return typeof running === 'object' && 'detect' in running ? 'detect' : null;
}

import type { StateValue } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import type { CommitEmission } from '../../machines/commit-emission.ts';
import type { StudyEmission, StudyStoppedEmission } from '../../machines/study-types.ts';
import { operationFailed, operationStarted } from '../../receipts/evidence/media-operation.ts';
import { stopStudy } from '../../receipts/study/study-closing.ts';
import type { EventDraft, Ledger, Write } from '../../storage/ledger/ledger.ts';
import type { Change } from '../supervision/actor-definition.ts';
import type { MediaStepName, MediaSteps } from './media-steps.ts';
import { readStudy } from './study-row.ts';
import { spanOf } from './study-span.ts';

export interface StudyJournalOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly media: Pick<MediaSteps, 'operation'>;
}

/** What the facts of one transition of a runtime add to its commit. */
export function studyEmissionWrites(options: StudyJournalOptions, change: Change): Write[] {
  return change.emissions.flatMap((emission) => emissionWrites(options, change, emission as StudyEmission));
}

function emissionWrites(options: StudyJournalOptions, change: Change, emission: StudyEmission): Write[] {
  switch (emission.type) {
    case 'commit':
      return committed(change.id, emission);
    case 'step.started': {
      const study = readStudy(options.ledger, change.id);
      return appended(change.id, [operationStarted(study, options.media.operation(study, emission.step))]);
    }
    case 'runtime.stopped':
      return appended(change.id, stopped(options, change, emission));
  }
}

const committed = (runtimeId: string, { events, writes }: CommitEmission): Write[] => [
  ...appended(runtimeId, events),
  ...writes,
];

const appended = (runtimeId: string, events: readonly EventDraft[]): Write[] =>
  events.length === 0 ? [] : [{ append: runtimeId, events }];

/** The failure of the operation that was open, then the end; nothing for a runtime whose journal was never opened. */
function stopped(options: StudyJournalOptions, { id, before }: Change, emission: StudyStoppedEmission): EventDraft[] {
  const { ledger, clock, media } = options;
  const span = spanOf(ledger, clock, id);
  if (span === null) return [];
  const study = readStudy(ledger, id);
  const step = openStep(before);
  const failed = step === null ? [] : [operationFailed(study, media.operation(study, step), emission.reason)];
  return [...failed, ...stopStudy(study, { lifecycle: emission.lifecycle, reason: emission.reason, span })];
}

function openStep(before: StateValue | null): MediaStepName | null {
  const running = typeof before === 'object' && before !== null ? before.running : undefined;
  return running === 'detect' || running === 'subtitles' ? running : null;
}

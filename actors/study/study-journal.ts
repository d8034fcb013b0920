import type { StudyEmission, StudyStoppedEmission } from '../../machines/study-types.ts';
import { operationFailed, operationStarted } from '../../receipts/evidence/media-operation.ts';
import { stopStudy } from '../../receipts/study/conclusion.ts';
import type { EventDraft, Write } from '../../storage/ledger/ledger.ts';
import type { HostBasis } from '../host-basis.ts';
import type { LiveProgress } from '../reopening/live-progress.ts';
import { readStudy, resumesOf } from '../reopening/study-row.ts';
import type { ActorChange } from '../supervision/actor-definition.ts';
import type { GrantedStudyStep } from './granted-steps.ts';
import type { MediaSteps } from './media-steps.ts';

export interface StudyJournalOptions extends Pick<HostBasis, 'ledger' | 'clock'> {
  readonly media: Pick<MediaSteps, 'operation'>;
  readonly recognition: Pick<GrantedStudyStep, 'started' | 'stopped'>;
  readonly screenText: Pick<GrantedStudyStep, 'started' | 'stopped'>;
  readonly progress: LiveProgress;
}

/** What the emissions of one transition of a runtime add to its commit. */
export function studyEmissionWrites(options: StudyJournalOptions, { id, emissions }: ActorChange): Write[] {
  return emissions.flatMap((emission) => {
    const { events, writes } = contentOf(options, id, emission as StudyEmission);
    const appended = options.progress.append(id, events);
    return [...(appended.length === 0 ? [] : [{ append: id, events: appended }]), ...writes];
  });
}

interface Added {
  readonly events: readonly EventDraft[];
  readonly writes: readonly Write[];
}

function contentOf(options: StudyJournalOptions, runtimeId: string, emission: StudyEmission): Added {
  switch (emission.type) {
    case 'commit':
      return emission;
    case 'step.started': {
      const study = readStudy(options.ledger, runtimeId);
      if (emission.step === 'recognize') return { events: options.recognition.started(study), writes: [] };
      if (emission.step === 'readScreen') return { events: options.screenText.started(study), writes: [] };
      return { events: [operationStarted(study, options.media.operation(study, emission.step))], writes: [] };
    }
    case 'runtime.stopped':
      return { events: stopped(options, runtimeId, emission), writes: [] };
  }
}

/** The failure of what was open, then the end; nothing for a runtime whose journal was never opened. */
function stopped(
  { ledger, clock, progress, recognition, screenText }: StudyJournalOptions,
  runtimeId: string,
  { lifecycle, reason }: StudyStoppedEmission,
): readonly EventDraft[] {
  const { startedAt, operationIds, openPass } = progress.of(runtimeId);
  if (startedAt === null) return [];
  const study = readStudy(ledger, runtimeId);
  const finishedAt = new Date(clock.now()).toISOString();
  const span = { startedAt, finishedAt, resumes: resumesOf(ledger, runtimeId), operationIds };
  const failed = openPass === null ? [] : [operationFailed(study, openPass, reason)];
  const unfound = [recognition, screenText].flatMap((step) => step.stopped(study, reason));
  return [...failed, ...unfound, ...stopStudy(study, { lifecycle, reason, span })];
}

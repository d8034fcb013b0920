import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import type { StudyFault, StudyInput } from '../../machines/study-types.ts';
import { openStudy } from '../../receipts/study/opening.ts';
import type { HostBasis } from '../host-basis.ts';
import { readStudy, studyBudgetMs } from '../reopening/study-row.ts';
import { sourceIsIntact } from '../sources/source-files.ts';

export interface StudyOpeningOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'clock'> {
  /** Lets the tools that this source will need come up while the opening is written. */
  readonly warm: (source: RegisteredSource) => void;
}

/** Opens a study: checks that its source is still whole and writes the first events of its journal. */
export function studyOpening({ ledger, objectStore, registry, clock, warm }: StudyOpeningOptions) {
  return async ({ runtimeId }: StudyInput): Promise<EffectOutcome> => {
    const study = readStudy(ledger, runtimeId);
    const { analysisRequest, sourceSession } = study.record;
    const source = registry.revision(sourceSession.revisionId);
    if (source === undefined || !(await sourceIsIntact(objectStore, source))) throw sourceChanged;
    warm(source);
    const startedAt = new Date(clock.now()).toISOString();
    const opening = openStudy({ ...study, source, maxWallMs: studyBudgetMs(analysisRequest.range), startedAt });
    return { events: opening.events, writes: [] };
  };
}

const sourceChanged: StudyFault = {
  lifecycle: 'interrupted',
  code: 'stored_content_inconsistent',
  message: 'the sealed files of the source are gone or have changed',
};

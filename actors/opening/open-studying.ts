import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { type OptionalStage, optionalStages } from '../../contract/study/stages.ts';
import type { Detector, DetectorTools } from '../../executors/detector/detector.ts';
import type { DetectorModel } from '../../executors/detector/detector-messages.ts';
import type { Launcher } from '../../executors/process/process.ts';
import { recognition } from '../../receipts/stages/recognize.ts';
import { screenReading } from '../../receipts/stages/screen.ts';
import type { HostBasis } from '../host-basis.ts';
import type { OpenFeature } from '../host-feature.ts';
import { LiveProgress } from '../reopening/live-progress.ts';
import { StudyCalibration } from '../study/calibration.ts';
import { absentStep, type GrantedStepsOptions, type GrantedStudyStep } from '../study/granted-steps.ts';
import { KeptWindows } from '../study/kept-windows.ts';
import { LocalOperations } from '../study/media-operations.ts';
import { type MediaPassesOptions, mediaPasses, usualWindowing, type Windowing } from '../study/media-passes.ts';
import { MediaSteps } from '../study/media-steps.ts';
import { EvidenceSteps, studyDefinition, studyOpening } from '../study/study-definition.ts';
import type { ActorDefinition } from '../supervision/actor-definition.ts';
import type { ProgressBoard } from '../supervision/progress-board.ts';
import type { TimeBudgets } from '../supervision/time-budgets.ts';
import type { WorkQueue } from '../supervision/work-queue.ts';

const modelsFor = ({ tracks }: RegisteredSource): DetectorModel[] => [
  ...(tracks.some(({ kind }) => kind === 'audio') ? (['speech'] as const) : []),
  ...(tracks.some(({ kind }) => kind === 'subtitle') ? (['language'] as const) : []),
];

interface StudyPartsOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'supervisor' | 'runtimes' | 'report'> {
  readonly budgets: TimeBudgets;
  readonly board: ProgressBoard;
}

/** The parts that every step of a study uses. */
export interface StudyParts {
  readonly steps: GrantedStepsOptions;
  /** Notes the thing that a study waits for; null once it waits no more. The clock of a study pauses meanwhile. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
}

/** Makes the parts that the steps of studies share. */
export function studyPartsOf(options: StudyPartsOptions): StudyParts {
  const { ledger, objectStore, registry, supervisor, runtimes, budgets, board, report } = options;
  return {
    steps: {
      ledger,
      objectStore,
      registry,
      board,
      budgets,
      report,
      content: () => runtimes.content(),
      progress: new LiveProgress(ledger),
      moved: (runtimeId) => void supervisor.notes.moved(runtimeId),
    },
    waits: (runtimeId, reason) => {
      board.waits(runtimeId, reason);
      if (reason === null) budgets.resume(runtimeId, 'waiting');
      else budgets.pause(runtimeId, 'waiting');
    },
  };
}

interface StudyingOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry' | 'supervisor' | 'runtimes' | 'clock' | 'report'> {
  readonly parts: StudyParts;
  readonly budgets: TimeBudgets;
  readonly launcher: Launcher;
  readonly tools: MediaPassesOptions['tools'];
  readonly detector: Detector;
  readonly detectorTools: DetectorTools;
  readonly features: readonly Pick<OpenFeature, 'stages' | 'operations'>[];
  /** The ranges that are decoded by windows; by default the usual ones. */
  readonly windowing?: Windowing | undefined;
  /** Deletes objects that a study has stored which came to nothing. */
  readonly abandoned: (runtimeId: string, contentIds: readonly string[]) => Promise<void>;
  readonly board: ProgressBoard;
  readonly queue: WorkQueue;
  /** Called after each commit of a runtime. */
  readonly committed: (runtimeId: string) => void;
}

/** The study actors and the parts that they use. */
interface Studying {
  readonly definition: ActorDefinition<'runtime'>;
  /** The optional stages beside recognition to which every study comes. */
  readonly optional: readonly OptionalStage[];
  readonly calibration: StudyCalibration;
  /** True if a live study holds an object that no record may name yet. */
  readonly isHeld: (contentId: string) => boolean;
}

/** Makes the definition of the actors that study, with all of their steps, and what these learn of the time that they take. */
export function openStudying(options: StudyingOptions): Studying {
  const { ledger, objectStore, registry, supervisor, budgets, runtimes, clock, queue, committed, report } = options;
  const { launcher, tools, detector, detectorTools, board, features, parts } = options;
  const { progress, content, moved } = parts.steps;
  const { waits } = parts;
  const passes = mediaPasses({
    launcher,
    tools,
    detector,
    detectorTools,
    windowing: options.windowing ?? usualWindowing,
  });
  const windows = new KeptWindows(ledger, objectStore, report);
  const calibration = new StudyCalibration({ ledger, objectStore, passes });
  const elsewhere = features.find(({ operations }) => operations !== undefined)?.operations;
  const operations = elsewhere ?? new LocalOperations(objectStore, passes, windows);
  // Without operations of its own, a host needs its detector for the language of recognized lines alone.
  const warm = (source: RegisteredSource) => (elsewhere === undefined ? detector.warm(modelsFor(source)) : undefined);
  const media = new MediaSteps({
    ledger,
    objectStore,
    content,
    registry,
    passes,
    operations,
    windows,
    progress,
    clock,
    board,
    waits,
    moved,
    report,
    abandoned: options.abandoned,
    calibration: elsewhere === undefined ? calibration : null,
  });
  const granted: Record<OptionalStage, GrantedStudyStep> = {
    recognize: absentStep(parts.steps, recognition),
    readScreen: absentStep(parts.steps, screenReading),
  };
  for (const { stages } of features) Object.assign(granted, stages);
  const definition = studyDefinition({
    ledger,
    supervisor,
    budgets,
    clock,
    queue,
    progress,
    committed,
    initialize: studyOpening({ progress, objectStore, registry, clock, warm }),
    media,
    granted,
    evidence: new EvidenceSteps({ ledger, objectStore, runtimes, clock }),
  });
  const optional = optionalStages.filter((name) => name !== 'recognize' && granted[name].isOffered);
  return { definition, optional, calibration, isHeld: (contentId) => media.isHeld(contentId) };
}

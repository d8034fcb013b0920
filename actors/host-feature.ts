import type { ToolIdentity } from '../contract/base/artifact.ts';
import type { Engine, HostFinding, Metric } from '../contract/operation.ts';
import type { Reviewer } from '../contract/review.ts';
import type { OptionalStage } from '../contract/study/stages.ts';
import type { Detector, DetectorTools } from '../executors/detector/detector.ts';
import type { SandboxedLauncher } from '../executors/process/launcher.ts';
import type { Environment, MediaTools, ToolMemory } from '../executors/process/tools.ts';
import type { DataRoot } from '../storage/objects/data-root.ts';
import type { EngineRegistry } from './engines/engine-registry.ts';
import type { HostBasis } from './host-basis.ts';
import type { IngestSealing } from './ingest/ingest-sealing.ts';
import type { FollowedIngests, IngestKind } from './ingest/ingest-service.ts';
import type { SubtitleTracks } from './sources/subtitle-tracks.ts';
import type { UnusedMedia } from './sources/unused-media.ts';
import type { GrantedStepsOptions, GrantedStudyStep } from './study/granted-steps.ts';
import type { MediaOperations } from './study/media-operations.ts';
import type { WarnOfWork } from './study/plan-warnings.ts';
import type { ProgressBoard } from './supervision/progress-board.ts';
import type { TimeBudgets } from './supervision/time-budgets.ts';
import type { WorkQueue } from './supervision/work-queue.ts';

/** The parts of a host for its features. They are open before any feature, and close after all of them. */
export interface HostCore extends HostBasis {
  readonly environment: Environment;
  readonly layout: DataRoot;
  readonly launcher: SandboxedLauncher;
  /** The tools that earlier starts found. */
  readonly toolMemory: ToolMemory;
  readonly tools: MediaTools;
  readonly detector: Detector;
  readonly detectorTools: DetectorTools;
  readonly engines: EngineRegistry;
  readonly budgets: TimeBudgets;
  readonly progress: ProgressBoard;
  readonly sealing: IngestSealing;
  readonly unused: UnusedMedia;
  /** Attaches the subtitles that a feature makes of others. */
  readonly subtitleTracks: Pick<SubtitleTracks, 'attach'>;
  /** The reviewer of now: another name is theirs at once. */
  readonly reviewer: Reviewer;
  readonly newId: () => string;
  /** Lets a waiting actor of a work queue run. */
  readonly grant: (actorId: string) => void;
  /** Must be called after each commit that added to the journal of a runtime. */
  readonly committed: (runtimeId: string) => void;
  /** For the steps of a study that a feature adds. */
  readonly steps: GrantedStepsOptions;
  /** Notes the thing that a study waits for, such as a server; null once it waits no more. Its clock pauses meanwhile. */
  readonly waits: (runtimeId: string, reason: string | null) => void;
}

/** A feature of a host with its options. A host names none: it opens its list. */
export interface HostFeature<Open extends OpenFeature = OpenFeature> {
  /** Registers its actors with the supervisor before those of earlier hosts are resumed. Rejects with a coded error. */
  open(core: HostCore): Promise<Open>;
}

/** The parts that an open feature adds to its host. An absent field adds nothing. */
export interface OpenFeature {
  /** The optional stages of a study that it carries out. */
  readonly stages?: Readonly<Partial<Record<OptionalStage, GrantedStudyStep>>>;
  /** Carries out the operations over media in place of this process. At most one feature of a host has it. */
  readonly operations?: MediaOperations;
  /** Its engines, on or off, as they are now. */
  readonly engineRows?: () => readonly Engine[];
  /** The tools that it found when it opened. */
  readonly tools?: readonly ToolIdentity[];
  /** Its findings on this machine while the host runs. */
  readonly findings?: () => readonly HostFinding[];
  /** Warns before a study of a request begins. Not called for a study that exists. */
  readonly warnings?: WarnOfWork;
  readonly metrics?: () => readonly Metric[];
  /** The ingests of the kinds that it runs. */
  readonly ingests?: Readonly<Partial<Record<IngestKind, FollowedIngests>>>;
  /** Its work queues, by the names that the metrics have for them. It opens them in `begin`. */
  readonly queues?: Readonly<Record<string, WorkQueue>>;
  /** True if its work is using a file or a folder of the data root by this name. */
  readonly isInUse?: (name: string) => boolean;
  /** Stops its work on a runtime, which is about to be revoked or deleted. Resolves once it has ended. */
  readonly stopWork?: (runtimeId: string) => Promise<void>;
  /** How many things it makes now that the end of the host would cut. */
  readonly producing?: () => number;
  /** Lets its waiting work start. */
  readonly begin?: () => void;
  readonly close?: () => Promise<void>;
}

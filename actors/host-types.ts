import type { ToolIdentity } from '../contract/base/artifact.ts';
import type { Clock } from '../contract/base/clock.ts';
import type { Reviewer } from '../contract/review.ts';
import type { ForecastEstimator } from '../contract/study/forecast.ts';
import type { Detector } from '../executors/detector/detector.ts';
import { probeSandbox, type SandboxedLauncher } from '../executors/process/launcher.ts';
import type { Environment, KnownTool, ToolMemory } from '../executors/process/tools.ts';
import type { DeletionService } from './deletion/deletions.ts';
import type { DiskUsage } from './deletion/disk-usage.ts';
import type { Garbage } from './deletion/garbage.ts';
import type { EngineChoices } from './engines/engine-choices.ts';
import type { EngineRegistry } from './engines/engine-registry.ts';
import type { Bundles } from './exports/bundles.ts';
import type { HostLimits } from './host-basis.ts';
import type { OwnedIngests } from './ingest/owned/owned-ingests.ts';
import type { LibraryService } from './library/library.ts';
import type { LaterStages } from './opening/open-later-stages.ts';
import type { HostChecks } from './operation/host-checks.ts';
import type { HostFigures } from './operation/host-figures.ts';
import type { LedgerSnapshots } from './operation/ledger-snapshots.ts';
import type { Pairings } from './operation/pairings.ts';
import type { Overviews } from './overview/overviews.ts';
import type { PrivatePlayback } from './playback/private-playback.ts';
import type { SourceDirectory } from './sources/source-folder.ts';
import type { SourceRecords } from './sources/source-records.ts';
import type { SourceRegistry } from './sources/source-registry.ts';
import type { SubtitleTracks } from './sources/subtitle-tracks.ts';
import type { ListedRuntimes } from './study/listed-runtimes.ts';
import type { Windowing } from './study/media-passes.ts';
import type { PlanWarnings } from './study/plan-warnings.ts';
import type { StudyService } from './study/studies.ts';
import type { FollowedTransitions } from './supervision/followed-transitions.ts';
import type { ProgressBoard } from './supervision/progress-board.ts';

/**
 * The facts that the hosts of one process need to find out only once: the sandbox around processes on this machine, and its
 * tools. A tool whose files changed is run again.
 */
export class KnownMachine implements ToolMemory {
  readonly sandbox = probeSandbox();
  readonly #tools = new Map<string, KnownTool>();

  known(path: string): KnownTool | undefined {
    return this.#tools.get(path);
  }

  note(tool: KnownTool): void {
    this.#tools.set(tool.path, tool);
  }
}

/** The options of a host. */
export interface HostOptions {
  readonly dataRoot: string;
  readonly sources: readonly SourceDirectory[];
  readonly limits: HostLimits;
  /** The kind of forecasts in plans; by default the least work alone. */
  readonly forecastEstimator?: ForecastEstimator;
  readonly studyWorkers: number;
  /** The one person who may decide on reviews. */
  readonly reviewer: Reviewer;
  /** The engines that its settings name at the start, and what they may do. */
  readonly choices: EngineChoices;
  /** The ranges that are decoded by windows; by default the usual ones, which a test makes shorter. */
  readonly windowing?: Windowing;
  /** Names tools by variables and holds PATH. */
  readonly environment: Environment;
  /** The findings of earlier hosts in this process; without them, the host finds out by itself. */
  readonly machine?: Pick<KnownMachine, 'sandbox' | 'known' | 'note'>;
  /** Starts external processes; absent for the sandboxed launcher. A test gives one that starts none. */
  readonly launcher?: SandboxedLauncher;
  readonly clock: Clock;
  /** Lines for people. */
  readonly report: (line: string) => void;
  /** A test hook, called at every point just before or after a write. */
  readonly points: (name: string) => void;
  /** Something could not be committed: the process has to end, and recovery to begin. */
  readonly onFatal: (error: Error) => void;
}

/** The work that an end of the host would cut. */
export interface WorkUnderWay {
  /** Studies that have not ended; the next host resumes them. */
  readonly studies: number;
  /** Captions, and what else is made of them now; the next host makes them again, and may ask a model again. */
  readonly productions: number;
  /** Files that are being received whole, which their clients have to send again. */
  readonly uploads: number;
}

/** A host that is ready for requests; `begin` lets waiting work start. */
export interface Host extends LaterStages {
  readonly sources: Pick<SourceRegistry, 'list' | 'revision'>;
  readonly sourceRecords: SourceRecords;
  readonly subtitleTracks: SubtitleTracks;
  readonly ownedIngests: OwnedIngests;
  readonly studies: StudyService;
  readonly planWarnings: PlanWarnings;
  readonly library: LibraryService;
  readonly overviews: Overviews;
  readonly listedRuntimes: ListedRuntimes;
  readonly playback: PrivatePlayback;
  readonly bundles: Bundles;
  readonly tools: readonly ToolIdentity[];
  readonly figures: HostFigures;
  readonly checks: HostChecks;
  readonly progress: ProgressBoard;
  readonly transitions: FollowedTransitions;
  /** Identifies the language of a text. */
  readonly languages: Pick<Detector, 'identify'>;
  readonly snapshots: LedgerSnapshots;
  readonly deletions: DeletionService;
  readonly garbage: Garbage;
  readonly diskUsage: DiskUsage;
  readonly pairings: Pairings;
  /** Sets the limits for requests from now on. */
  limit(limits: HostLimits): void;
  /** Names the reviewer in whatever is signed from now on. Their id stays. */
  nameReviewer(label: string): void;
  /** The engines that the settings name now, and what is known of each. */
  readonly engines: EngineRegistry;
  /** Takes other engines for whatever begins from now on. */
  useEngines(choices: EngineChoices): void;
  underWay(): WorkUnderWay;
  /**
   * Throws `commit_failed`, and ends the host as a failed commit does, if its data root was moved away. For whatever writes into the data
   * root by its path: another one may be in its place.
   */
  demandInPlace(): void;
  begin(): void;
  /** Notes the request to end this process, however it ends: it is not evidence against the work under way. */
  stopRequested(): Promise<void>;
  /** Stops every actor and process and closes the store; the next start resumes. */
  close(): Promise<void>;
}

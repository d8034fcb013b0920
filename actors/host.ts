import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { longestCaptions } from '../contract/captions/caption-production.ts';
import type { EngineKind } from '../contract/operation.ts';
import { probeMedia } from '../executors/sources/ffprobe.ts';
import { KeyedMutex } from '../storage/keyed-mutex.ts';
import { moveSigningKey, openSigningKey } from '../storage/signing-key.ts';
import { CaptionMethods } from './captions/caption-methods.ts';
import { openDeletions } from './deletion/deletions.ts';
import { EngineRegistry } from './engines/engine-registry.ts';
import { RememberedDigests } from './engines/remembered-digests.ts';
import { Bundles } from './exports/bundles.ts';
import type { HostBasis, HostLimits } from './host-basis.ts';
import type { HostCore, HostFeature, OpenFeature } from './host-feature.ts';
import { type Host, type HostOptions, KnownMachine } from './host-types.ts';
import { IngestSealing } from './ingest/ingest-sealing.ts';
import { openOwnedIngests } from './ingest/owned/owned-ingests.ts';
import { notedParts } from './ingest/owned/uploads.ts';
import { LibraryService } from './library/library.ts';
import { openChecks, openEngines } from './opening/open-engines.ts';
import { openLaterStages } from './opening/open-later-stages.ts';
import { openStorage } from './opening/open-storage.ts';
import { openStudying, studyPartsOf } from './opening/open-studying.ts';
import { HostFigures } from './operation/host-figures.ts';
import { LedgerSnapshots } from './operation/ledger-snapshots.ts';
import { StateDurations } from './operation/metrics.ts';
import { Pairings } from './operation/pairings.ts';
import { Overviews } from './overview/overviews.ts';
import { PlaybackGrants } from './playback/playback-grants.ts';
import { PrivatePlayback } from './playback/private-playback.ts';
import { VerifiedRuntimes } from './reopening/verified-runtimes.ts';
import { finishCutReviews } from './review/publish-reviews.ts';
import { RuntimeSignals } from './runtime-signals.ts';
import { loadFolders } from './sources/source-folder.ts';
import { SourceRecords } from './sources/source-records.ts';
import { SourceRegistry, SourceUses } from './sources/source-registry.ts';
import { SubtitleTracks } from './sources/subtitle-tracks.ts';
import { UnusedMedia } from './sources/unused-media.ts';
import { ListedRuntimes } from './study/listed-runtimes.ts';
import { PictureCaptions } from './study/picture-captions.ts';
import { PlanWarnings } from './study/plan-warnings.ts';
import { StudyService } from './study/studies.ts';
import { FollowedTransitions } from './supervision/followed-transitions.ts';
import { ProgressBoard } from './supervision/progress-board.ts';
import { endedInPeace, recover } from './supervision/recovery.ts';
import { Supervisor } from './supervision/supervisor.ts';
import { TimeBudgets } from './supervision/time-budgets.ts';
import { WorkQueue } from './supervision/work-queue.ts';

/** The longest wait for effects that were cut, in milliseconds. One that only reads, such as a large file to hash it, may end later. */
const effectsMs = 3000;

const elapsed = (): number => performance.now();

/** Opens features one after the other, in the order of their list: what each of them reports comes in that order. */
async function openFeatures<Open extends OpenFeature>(
  features: readonly HostFeature<Open>[],
  core: HostCore,
): Promise<readonly Open[]> {
  const open: Open[] = [];
  for (const feature of features) open.push(await feature.open(core));
  return open;
}

/** True if an engine of a feature is on. */
const isOn = (features: readonly OpenFeature[], engine: EngineKind): boolean =>
  features.some(({ engineRows }) => engineRows?.().some((row) => row.engine === engine && row.isOn));

/** Opens the store, loads the sources and resumes the work of an earlier process. Rejects with coded errors. */
export async function openHost<Open extends OpenFeature>(
  options: HostOptions & { readonly features: readonly HostFeature<Open>[] },
): Promise<Host & { readonly features: readonly Open[] }> {
  const { clock, report, onFatal } = options;
  let limits: HostLimits = options.limits;
  // It needs nothing of the data root, so what it finds out begins beside the opening.
  const machine = options.machine ?? new KnownMachine();
  const storage = await openStorage(options);
  const { layout, ledger, objectStore, encoded, commits, listeners } = storage;
  const opened = await openEngines(options, storage, machine);
  const { launcher, detector, detectorTools, tools, remembered } = opened;

  const registry = new SourceRegistry();
  const mutex = new KeyedMutex();
  for (const key of await registry.load(ledger)) report(`the stored source ${key} is damaged and is left aside`);
  await ledger.commit(await loadFolders(options.sources, registry, objectStore));
  registry.committed();

  const budgets = new TimeBudgets(clock);
  const durations = new StateDurations(elapsed);
  const board = new ProgressBoard({ clock, elapsed, report });
  const supervisor = new Supervisor({
    ledger,
    clock,
    elapsed,
    budgets,
    fatal: onFatal,
    report,
    committed: (actorId, row, isStored) => {
      durations.committed(actorId, row, isStored);
      board.committed(actorId);
    },
  });
  board.follow(supervisor, ledger);
  const runtimes = new VerifiedRuntimes({ ledger, objectStore, encoded: encoded.of });
  const basis: HostBasis = { ledger, objectStore, registry, supervisor, runtimes, mutex, clock, report };
  const signals = new RuntimeSignals();
  signals.follow({ deleted: (runtimeId) => runtimes.deleted(runtimeId) });
  const grant = (id: string) => void supervisor.send(id, { type: 'worker.granted' });
  const queues = {
    probes: new WorkQueue(options.studyWorkers, grant),
    studies: new WorkQueue(options.studyWorkers, grant),
  };

  const digests = new RememberedDigests(ledger);
  const engines = new EngineRegistry({
    clock,
    choices: options.choices,
    opening: { launcher, environment: options.environment, clock, ledger, detector, digestOf: digests.of },
    opened: () => digests.keep(),
  });
  const sourceUses = new SourceUses();
  const unused = new UnusedMedia({ ...basis, isRegistered: (contentId) => registry.holds(contentId) });
  await unused.load();
  const snapshots = new LedgerSnapshots({ ledger, workFolder: layout.work, newId: randomUUID });
  /** Those that may use a file or a folder of the data root by its name. */
  const inUse: ((name: string) => boolean)[] = [
    (name) => objectStore.isReceiving(name),
    (name) => launcher.isInUse(name),
    (name) => snapshots.isCopy(name),
  ];
  const deleting = openDeletions({
    ...basis,
    sourceUses,
    unused,
    isInUse: (name) => inUse.some((isInUse) => isInUse(name)),
    openParts: () => notedParts(ledger),
    dropCopies: () => snapshots.drop(),
    runtimeDeleted: signals.deleted,
    actorsDeleted: (actorIds) => {
      for (const actorId of actorIds) {
        supervisor.announce(actorId);
        listeners.gone(actorId);
      }
    },
  });
  const sealing = new IngestSealing({
    ...basis,
    unused,
    progress: board,
    probe: (path, signal, onRead) => probeMedia(launcher, tools, path, signal, onRead),
    probeTools: [tools.ffprobe.identity, tools.ffmpeg.identity],
  });
  const committed = (runtimeId: string): void => {
    signals.committed(runtimeId);
    supervisor.announce(runtimeId);
  };
  /** The reviewer of now: the services keep this object, so that another name is theirs at once. */
  const reviewer = { ...options.reviewer };
  const parts = studyPartsOf({ ...basis, budgets, board });
  const subtitleTracks = new SubtitleTracks({ ...basis, launcher, ffmpeg: tools.ffmpeg });
  const features = await openFeatures(options.features, {
    ...basis,
    environment: options.environment,
    layout,
    launcher,
    toolMemory: remembered,
    tools,
    detector,
    detectorTools,
    engines,
    budgets,
    progress: board,
    sealing,
    unused,
    subtitleTracks,
    reviewer,
    newId: randomUUID,
    grant,
    committed,
    steps: parts.steps,
    waits: parts.waits,
  });
  const foundTools = remembered.writes();
  if (foundTools.length > 0) await ledger.commit(foundTools);
  inUse.push(...features.flatMap(({ isInUse }) => isInUse ?? []));
  const {
    definition: studying,
    optional,
    calibration,
    isHeld,
  } = openStudying({
    ...basis,
    budgets,
    board,
    launcher,
    tools,
    detector,
    detectorTools,
    parts,
    features,
    windowing: options.windowing,
    abandoned: (runtimeId, contentIds) => deleting.erasure.abandon(runtimeId, contentIds),
    queue: queues.studies,
    committed: signals.committed,
  });
  unused.heldBy(isHeld);
  const studies = new StudyService({
    ...basis,
    definition: studying,
    sourceUses,
    newId: randomUUID,
    optional,
    engines,
    calibration: options.forecastEstimator === 'host-calibrated' ? calibration : undefined,
    maximumRangeMs: () => limits.maximumStudyRangeMs,
    maximumLive: () => limits.maximumLiveStudies,
  });
  const forgetStudy = (runtimeId: string): void => studies.committed(runtimeId);
  signals.follow({ committed: forgetStudy, deleted: forgetStudy });
  signals.follow({ deleted: () => encoded.clear() });
  /** The ability of now; a copy would miss the next change. */
  const captionAbility = {
    get classification() {
      return engines.choices.captions.classification;
    },
    get subtitlesFirst() {
      return engines.choices.captions.subtitlesFirst;
    },
    get allowance() {
      return limits.captionAllowance;
    },
    get translator() {
      return engines.choices.translator?.identity;
    },
  };
  const captionMethods = new CaptionMethods({
    ...basis,
    engines,
    allowance: () => limits.methodAllowance ?? longestCaptions,
  });
  const laterStages = openLaterStages({
    ...basis,
    captionAbility,
    captionMethods,
    engines,
    reviewer,
    features,
    committed,
  });
  const overviews = new Overviews({
    ...basis,
    budgets,
    board,
    host: { reviewerId: reviewer.id, captions: captionAbility, explains: isOn(features, 'explanations') },
  });
  const listedRuntimes = new ListedRuntimes(basis);
  const playback = new PrivatePlayback({
    ...basis,
    grants: new PlaybackGrants({ clock, elapsed, newId: randomUUID, newSecret: () => randomBytes(32) }),
  });
  signals.follow({ deleted: (runtimeId) => playback.deleted(runtimeId) });
  await moveSigningKey(layout.root);
  const openKey = async () => {
    ledger.demandInPlace();
    return openSigningKey(layout.root);
  };
  const bundles = new Bundles({ ...basis, openKey });
  const ownedIngests = openOwnedIngests({
    ...basis,
    sealing,
    unused,
    progress: board,
    newId: randomUUID,
    queue: queues.probes,
    maximumBytes: () => limits.maximumOwnedMediaBytes,
  });
  supervisor.register(studying);
  const allQueues: Record<string, WorkQueue> = { ...queues };
  for (const feature of features) Object.assign(allQueues, feature.queues);
  const measured = { supervisor, queues: allQueues, durations, commits, launcher };
  const figures = new HostFigures({
    ...measured,
    freeBytes: () => objectStore.freeBytes(),
    others: () => [...deleting.figures.metrics(), ...features.flatMap(({ metrics }) => metrics?.() ?? [])],
  });

  await finishCutReviews({ ledger, reviews: laterStages.reviews, report });
  const recovered = await recover(supervisor, ledger);
  // Whatever they hold is kept: only their own kind knows what that is.
  if (recovered.unserved.length > 0) unused.heldBy(() => true);
  await ownedIngests.resumeUploads();
  await unused.remove();
  if (recovered.resumed + recovered.waiting > 0) {
    report(`resumed ${recovered.resumed} and queued ${recovered.waiting} of an earlier run`);
  }
  for (const line of recovered.ended) report(`ended at recovery: ${line}`);
  for (const id of recovered.damaged) report(`the stored actor ${id} is damaged and is left aside`);
  for (const id of recovered.unserved) report(`left alone, because this program does not run its kind: ${id}`);

  const { checks, tools: allTools } = openChecks(options, storage, { ...opened, features, named: engines });
  // A store that takes no more has said so already.
  const stopRequested = async () => {
    await supervisor.notes.keepTimes();
    await endedInPeace(ledger).catch(() => undefined);
  };
  return {
    features,
    sources: registry,
    sourceRecords: new SourceRecords(registry, ledger, objectStore),
    subtitleTracks,
    ownedIngests,
    studies,
    listedRuntimes,
    library: new LibraryService({ ...basis, overviews, listed: listedRuntimes, elapsed }),
    ...laterStages,
    planWarnings: new PlanWarnings({
      studies,
      objectStore,
      captions: captionAbility,
      captionMethods,
      engines,
      pictureCaptions: new PictureCaptions({ objectStore, launcher, ffmpeg: tools.ffmpeg }),
      further: features.flatMap(({ warnings }) => warnings ?? []),
    }),
    overviews,
    playback,
    bundles,
    tools: allTools,
    languages: detector,
    figures,
    checks,
    progress: board,
    transitions: new FollowedTransitions({ ...basis, listeners }),
    pairings: new Pairings({ clock, elapsed, randomBytes }),
    snapshots,
    deletions: deleting.deletions,
    garbage: deleting.garbage,
    diskUsage: deleting.diskUsage,
    limit: (changed) => {
      limits = changed;
    },
    nameReviewer: (label) => {
      reviewer.label = label;
    },
    engines,
    useEngines: (choices) => engines.use(choices),
    underWay: () => ({
      studies: supervisor.countLive(studying.name),
      productions: laterStages.producing(),
      uploads: ownedIngests.receiving,
    }),
    demandInPlace: ledger.demandInPlace,
    begin: () => {
      deleting.erasure.soon();
      for (const queue of Object.values(queues)) queue.open();
      for (const { begin } of features) begin?.();
    },
    stopRequested,
    close: async () => {
      playback.close();
      figures.close();
      supervisor.stop();
      engines.close();
      await deleting.erasure.stop();
      await stopRequested();
      for (const { close } of features) await close?.();
      await detector.close();
      await launcher.close();
      // An effect or an upload that was cut may be storing bytes, and the data root is another host's once the ledger is closed.
      const ended = new AbortController();
      const late = delay(effectsMs, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([supervisor.effectsEnded().then(() => objectStore.settled()), late]);
      ended.abort();
      await ledger.close();
    },
  };
}

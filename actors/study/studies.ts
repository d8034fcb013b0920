import { LRUCache } from 'lru-cache';
import { failureMessage, retryAfter, ServiceError, withRemedy } from '../../contract/base/errors.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { RuntimeRequest } from '../../contract/study/plan.ts';
import type { OptionalStage } from '../../contract/study/stages.ts';
import { commandId as commandIdSchema, type RuntimePlan } from '../../contract/study/start.ts';
import { hasEnded, type RuntimeReason, type RuntimeStatus } from '../../contract/study/status.ts';
import { type MethodEngines, unrecognizedBy } from '../../receipts/captions/methods.ts';
import { plannedFilmOf } from '../../receipts/captions/prospect.ts';
import {
  type EventsPage,
  journalHeadField,
  runtimeEventsBytes,
  runtimeStatusOf,
} from '../../receipts/published/runtime.ts';
import { checkStudyBounds, planStudy, runtimeIdOf, runtimePlanOf, type StudyPlan } from '../../receipts/study/plan.ts';
import { acceptStudy, rememberStart } from '../../receipts/study/start.ts';
import { studyIdsFrom } from '../../receipts/study-run.ts';
import { isJournalDamage, type Ledger, type StoredJournalHead, type Write } from '../../storage/ledger/ledger.ts';
import { demandWish } from '../engines/permissions.ts';
import type { HostBasis } from '../host-basis.ts';
import {
  checkedRuntimeRow,
  lifecycleOf,
  readStudy,
  reasonOf,
  type StudyRow,
  studyBudgetMs,
  studyKey,
} from '../reopening/study-row.ts';
import { requireSpace } from '../sources/required-space.ts';
import { demandIntact } from '../sources/source-records.ts';
import type { SourceUses } from '../sources/source-registry.ts';
import type { ActorDefinition } from '../supervision/actor-definition.ts';
import { isRowOf, type RowOf, snapshotValue } from '../supervision/actor-row.ts';
import { absentRuntime, absentSource, refuseDeleted } from '../supervision/deletion-rows.ts';
import { readStored } from '../supervision/reads.ts';
import { storeBeforePromise } from '../supervision/refused-write.ts';
import type { StudyCalibration } from './calibration.ts';
import { listingWrites } from './listed-runtimes.ts';

/** A status as the bytes of its JSON answer, with the journal head that it speaks of. */
export interface StatusAnswer {
  readonly bytes: Buffer;
  readonly journalHead: string;
}

/** A page of a journal as the bytes of its JSON answer. */
export interface EventsAnswer extends StatusAnswer {
  /** The page is empty and the runtime may still add to it. */
  readonly mayGrow: boolean;
}

interface StudyPlansOptions extends Pick<HostBasis, 'ledger' | 'objectStore' | 'registry'> {
  /** The longest range of a study now. */
  readonly maximumRangeMs: () => number;
  /** The observations behind forecasts; absent if they state the least work alone. */
  readonly calibration?: Pick<StudyCalibration, 'of'> | undefined;
}

/** Plans over the sources of this host, with the forecasts that it makes of them now. */
class StudyPlans {
  readonly #options: StudyPlansOptions;

  constructor(options: StudyPlansOptions) {
    this.#options = options;
  }

  /** The plan of a request, and its source, whose files are whole. */
  async planned(request: RuntimeRequest): Promise<{ readonly source: RegisteredSource; readonly plan: StudyPlan }> {
    const { ledger, objectStore } = this.#options;
    const source = this.currentSource(request);
    const plan = planStudy(source, request);
    refuseDeleted(ledger, plan.runtimeId);
    await demandIntact(objectStore, source);
    return { source, plan: await this.calibrated(source, request, plan) };
  }

  /** The plan with the forecast that holds now; all else in it follows from the request alone. */
  async calibrated(source: RegisteredSource, request: RuntimeRequest, plan: StudyPlan): Promise<StudyPlan> {
    const finished = await this.#options.calibration?.of(source, plan.analysisRequest);
    return finished === undefined ? plan : planStudy(source, request, finished);
  }

  /** The source that a request names, where it may be studied as the request says. Throws the codes of requests. */
  currentSource(request: RuntimeRequest): RegisteredSource {
    const { registry, ledger, maximumRangeMs } = this.#options;
    const source = registry.current(request.sourceSessionId);
    if (source === undefined) throw absentSource(ledger, request.sourceSessionId);
    checkStudyBounds(source, request, maximumRangeMs());
    return source;
  }
}

interface StudiesOptions extends StudyPlansOptions, Pick<HostBasis, 'supervisor' | 'runtimes' | 'clock'> {
  readonly definition: ActorDefinition<'runtime'>;
  readonly sourceUses: SourceUses;
  readonly newId: () => string;
  /** The optional stages beside recognition that this host can carry out: the studies that it accepts come to them. */
  readonly optional: readonly OptionalStage[];
  /** The engines that the settings name now: they decide, with the wish of a start, whether its speech is recognized. */
  readonly engines: { readonly choices: MethodEngines };
  /** Studies that may be accepted and not have ended, at once. */
  readonly maximumLive: () => number;
}

const newAttempt = 'this attempt is over: for another one send the request with a new clientRequestId';

// How soon one of a full queue may have ended is not known: a client that asks this often does no harm.
const retryAfterSeconds = 10;

// A status takes about 8 KiB; there are twice as many as studies may be live at once.
const rememberedStatuses = 2048;

// About 500 pages of 100 events.
const rememberedBytes = 32 * 1024 * 1024;
// The size of a page in memory beside its bytes.
const entryBytes = 512;

// About 100 bytes each. If a runtime is forgotten here, its pages are read again.
const rememberedVersions = 4096;

interface PageRequest {
  readonly runtimeId: string;
  readonly after: number;
  readonly limit: number;
}

/** The service behind plans, starts, statuses and journals of runtimes. */
export class StudyService {
  readonly #options: StudiesOptions;
  readonly #plans: StudyPlans;
  readonly #journals: JournalHealth;
  readonly #statuses = new LRUCache<string, StatusAnswer>({
    max: rememberedStatuses,
    // A status that was made while its runtime committed goes to those who asked before, and is not kept.
    ignoreFetchAbort: true,
    fetchMethod: (runtimeId) => this.#encodedStatus(runtimeId),
  });
  /** Another number for each commit of a runtime: the pages under an earlier one are never found again. */
  readonly #versions = new LRUCache<string, number>({
    max: rememberedVersions,
    memoMethod: () => {
      this.#newestVersion += 1;
      return this.#newestVersion;
    },
  });
  #newestVersion = 0;
  /**
   * Pages of journals as the bytes of their answers. The events of a page never change, but its answer also contains the state of
   * the journal and of the runtime.
   */
  readonly #pages = new LRUCache<string, EventsAnswer, PageRequest>({
    maxSize: rememberedBytes,
    sizeCalculation: ({ bytes }) => bytes.length + entryBytes,
    ignoreFetchAbort: true,
    fetchMethod: async (name, _known, { context: { runtimeId, after, limit } }) => {
      const page = await this.#events(runtimeId, after, limit);
      if (page.mayGrow) this.#pages.delete(name);
      return page;
    },
  });
  readonly #starting = new Map<string, Promise<void>>();

  constructor(options: StudiesOptions) {
    this.#options = options;
    this.#plans = new StudyPlans(options);
    this.#journals = new JournalHealth(options.ledger, (runtimeId) => options.supervisor.isLive(runtimeId));
  }

  /** The plan that a start would promise. Writes nothing. Throws `permission_required` and `engine_unavailable` for a wish. */
  async plan(request: RuntimeRequest): Promise<RuntimePlan> {
    const { plan } = await this.planned(request);
    if (!this.isKnown(plan.runtimeId)) this.#demandWish(request);
    return runtimePlanOf(plan);
  }

  /** The plan of a request, and its source, whose files are whole. Throws as `plan`. */
  planned(request: RuntimeRequest): Promise<{ readonly source: RegisteredSource; readonly plan: StudyPlan }> {
    return this.#plans.planned(request);
  }

  /** True if a study with this id was started and is not deleted. Throws the codes of an unreadable store. */
  isKnown(runtimeId: string): boolean {
    return readStored(() => this.#options.supervisor.read(runtimeId)) !== undefined;
  }

  /** Starts a study, or finds the one that the same request started before. Resolves when it is on disk. */
  async start(request: RuntimeRequest): Promise<RuntimeStatus> {
    const named = this.#namedPlan(request);
    if (named !== null && this.isKnown(named.plan.runtimeId)) return this.#acknowledged(named.plan.runtimeId);
    const source = this.#plans.currentSource(request);
    const plan = named?.source === source ? named.plan : planStudy(source, request);
    const release = this.#options.sourceUses.begin(request.sourceSessionId);
    return this.#startOver(source, request, plan).finally(release);
  }

  async #startOver(source: RegisteredSource, request: RuntimeRequest, plan: StudyPlan): Promise<RuntimeStatus> {
    const { runtimeId } = plan;
    this.#demandWish(request);
    // Asked before anything is read, and again when the study joins: those that arrive together see each other.
    this.#demandRoom(runtimeId);
    await demandIntact(this.#options.objectStore, source);
    await requireSpace(this.#options.objectStore, 0);
    // Of equal requests that arrive together one starts the study; the others wait for it, or find that it has.
    if (!this.isKnown(runtimeId)) {
      this.#demandRoom(runtimeId);
      const starting = this.#starting.get(runtimeId) ?? this.#spawn(source, request, plan);
      this.#starting.set(runtimeId, starting);
      await starting.finally(() => this.#starting.delete(runtimeId));
    }
    return this.#acknowledged(runtimeId);
  }

  /** The state of a runtime, found by the command that started it. */
  async byCommand(commandId: string): Promise<StatusAnswer> {
    if (!commandIdSchema.safeParse(commandId).success) {
      throw new ServiceError('invalid_command_id', 'a command id is runtime-start: and 64 hex digits');
    }
    try {
      return await this.status(runtimeIdOf(commandId));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'unknown_runtime') throw error;
      throw new ServiceError('unknown_command', 'no study was started by this command');
    }
  }

  /** The state of a runtime. The bytes are kept until the next commit of the runtime. */
  status(runtimeId: string): StatusAnswer | Promise<StatusAnswer> {
    return this.#statuses.get(runtimeId) ?? this.#statuses.forceFetch(runtimeId);
  }

  /**
   * Cancels a study that has not ended, also one that waits for a worker; resolves when its end is on disk. Throws
   * `unknown_runtime`, `runtime_already_terminal`.
   */
  async cancel(runtimeId: string): Promise<StatusAnswer> {
    const { supervisor } = this.#options;
    this.#row(runtimeId);
    // The end speaks of every step that was done: one that is on its way to the disk gets there first.
    await supervisor.settled(runtimeId);
    if (!(await supervisor.send(runtimeId, { type: 'study.cancel' }))) {
      throw new ServiceError('runtime_already_terminal', 'the study has ended already');
    }
    return this.status(runtimeId);
  }

  async #encodedStatus(runtimeId: string): Promise<StatusAnswer> {
    const { status, head } = await this.#status('studio.local-runtime-status.v1', runtimeId);
    return { bytes: Buffer.from(`${JSON.stringify(status)}\n`, 'utf8'), journalHead: journalHeadField(head) };
  }

  /** Must be called after each commit of a runtime. */
  committed(runtimeId: string): void {
    this.#statuses.delete(runtimeId);
    this.#versions.delete(runtimeId);
  }

  /**
   * A page of the journal after `after`; a page that was read before, in the same turn. Throws `unknown_runtime`,
   * `cursor_past_head` and the codes of damage.
   */
  events(runtimeId: string, after: number, limit: number): EventsAnswer | Promise<EventsAnswer> {
    const name = `${this.#versions.memo(runtimeId)} ${after} ${limit}`;
    return this.#pages.get(name) ?? this.#pages.forceFetch(name, { context: { runtimeId, after, limit } });
  }

  async #events(runtimeId: string, after: number, limit: number): Promise<EventsAnswer> {
    const records = await this.records(runtimeId, after, limit);
    const { page, lifecycle } = records;
    return {
      bytes: runtimeEventsBytes(records),
      journalHead: journalHeadField(page.head),
      mayGrow: page.events.length === 0 && !hasEnded(lifecycle),
    };
  }

  /** The events of a page as they are stored, with the state of their runtime. Throws as `events`. */
  async records(runtimeId: string, after: number, limit: number): Promise<EventsPage> {
    // The row is read before the page: a lifecycle that has ended then always comes with its last event.
    const row = this.#row(runtimeId);
    const lifecycle = lifecycleOf(snapshotValue(row));
    const { commandId } = row.input;
    if (after > this.#head(runtimeId).seq) {
      throw new ServiceError('cursor_past_head', 'the cursor is past the last event');
    }
    const page = await readStored(() => this.#options.ledger.journalPage(runtimeId, after, limit));
    return { commandId, runtimeId, lifecycle, reason: reasonOf(row), after, page };
  }

  /** Calls back after each commit of a runtime, until the returned function is called. */
  watch(runtimeId: string, listener: () => void): () => void {
    return this.#options.supervisor.watch(runtimeId, listener);
  }

  async #status(
    schema: RuntimeStatus['schema'],
    runtimeId: string,
  ): Promise<{ status: RuntimeStatus; head: StoredJournalHead }> {
    const row = this.#row(runtimeId);
    const study = readStored(() => readStudy(this.#options.ledger, runtimeId));
    const damage = await this.#journals.damage(runtimeId);
    const head = damage?.lastGood ?? this.#head(runtimeId);
    const status = runtimeStatusOf(schema, {
      record: study.record,
      receiptContentId: study.receiptContentId,
      lifecycle: damage === null ? lifecycleOf(snapshotValue(row)) : 'failed',
      lastTransitionAt: new Date(row.updatedAt).toISOString(),
      reason: damage === null ? reasonOf(row) : damage.reason,
      journalHead: head.seq,
    });
    return { status, head };
  }

  #demandWish({ recognition }: RuntimeRequest): void {
    if (recognition != null) demandWish(recognition, this.#options.engines.choices);
  }

  /** The optional stages that a study comes to, by its wish and the settings of now. */
  #stagesOf(source: RegisteredSource, request: RuntimeRequest): readonly OptionalStage[] {
    const { optional, engines } = this.#options;
    const film = plannedFilmOf(source, request);
    return unrecognizedBy(engines.choices, request, film) === null ? [...optional, 'recognize'] : optional;
  }

  /** Throws `study_queue_full` when a study that is not there yet would be one too many. */
  #demandRoom(runtimeId: string): void {
    const { supervisor, definition, maximumLive } = this.#options;
    if (this.#starting.has(runtimeId) || this.isKnown(runtimeId)) return;
    const joining = [...this.#starting.keys()].filter((id) => !supervisor.isLive(id)).length;
    if (supervisor.countLive(definition.name) + joining < maximumLive()) return;
    const message = `${maximumLive()} studies run or wait already`;
    throw new ServiceError('study_queue_full', message, retryAfter(retryAfterSeconds));
  }

  /** The state of a study after its request. One that had ended badly before names the way to start another attempt. */
  async #acknowledged(runtimeId: string): Promise<RuntimeStatus> {
    const { status } = await this.#status('studio.local-runtime-start-ack.v1', runtimeId);
    const { reason } = status;
    return {
      ...status,
      reason: reason === null ? null : { ...reason, message: withRemedy(reason.message, newAttempt) },
    };
  }

  #head(runtimeId: string): StoredJournalHead {
    return readStored(() => this.#options.ledger.journalHead(runtimeId));
  }

  #row(runtimeId: string): RowOf<'runtime'> {
    const row = readStored(() => this.#options.supervisor.read(runtimeId));
    if (!isRowOf(row, 'runtime')) throw absentRuntime(this.#options.ledger, runtimeId);
    return readStored(() => checkedRuntimeRow(row));
  }

  /** The plan over the revision that a request names, which may have been accepted before its source had a newer one. */
  #namedPlan(request: RuntimeRequest): { readonly source: RegisteredSource; readonly plan: StudyPlan } | null {
    const source = this.#options.registry.revision(request.sourceRevisionId);
    if (source === undefined || source.session.sessionId !== request.sourceSessionId) return null;
    const plan = planStudy(source, request);
    refuseDeleted(this.#options.ledger, plan.runtimeId);
    return { source, plan };
  }

  async #spawn(source: RegisteredSource, request: RuntimeRequest, uncalibrated: StudyPlan): Promise<void> {
    const { definition, supervisor, objectStore, runtimes, clock, newId } = this.#options;
    const plan = await this.#plans.calibrated(source, request, uncalibrated);
    const accepted = acceptStudy(plan, source, new Date(clock.now()).toISOString());
    await storeBeforePromise(objectStore, accepted.files);
    rememberStart(runtimes.content(), accepted);
    const row: StudyRow = {
      record: accepted.record,
      receiptContentId: accepted.receiptContentId,
      requestContentId: accepted.requestContentId,
      ids: studyIdsFrom(newId, this.#stagesOf(source, request)),
    };
    const input = { runtimeId: plan.runtimeId, commandId: plan.commandId };
    const { sessionId } = source.session;
    const writes: Write[] = [
      { put: 'record', key: studyKey(plan.runtimeId), value: row },
      ...listingWrites(plan.runtimeId, sessionId, Date.parse(accepted.record.startedAt)),
    ];
    await supervisor.spawn(definition, plan.runtimeId, input, writes, studyBudgetMs(plan.analysisRequest.range));
  }
}

/** A journal that does not verify: what its runtime's status says, and how far it is still good. */
interface JournalDamage {
  readonly reason: RuntimeReason;
  readonly lastGood: StoredJournalHead | null;
}

// One entry is a few words.
const remembered = 4096;

/**
 * Verifies the journal of an ended runtime once in a process's life. A live one was verified when it was taken up, and
 * this process wrote the rest.
 */
export class JournalHealth {
  readonly #ledger: Ledger;
  readonly #isLive: (runtimeId: string) => boolean;
  readonly #verified = new LRUCache<string, { readonly damage: JournalDamage | null }>({
    max: remembered,
    ignoreFetchAbort: true,
    fetchMethod: async (runtimeId) => ({ damage: await this.#verify(runtimeId) }),
  });

  constructor(ledger: Ledger, isLive: (runtimeId: string) => boolean) {
    this.#ledger = ledger;
    this.#isLive = isLive;
  }

  /** The damage of a runtime's journal, or null. If it could not be read, the next request reads it again. */
  async damage(runtimeId: string): Promise<JournalDamage | null> {
    return this.#isLive(runtimeId) ? null : (await this.#verified.forceFetch(runtimeId)).damage;
  }

  async #verify(runtimeId: string): Promise<JournalDamage | null> {
    try {
      await this.#ledger.verifyJournal(runtimeId);
      return null;
    } catch (error) {
      if (!isJournalDamage(error)) throw error;
      const message = failureMessage(`the journal does not verify: ${error.message}`);
      return { reason: { code: 'stored_content_inconsistent', message }, lastGood: error.lastGood };
    }
  }
}

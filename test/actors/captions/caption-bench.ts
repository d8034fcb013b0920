import type { ExecutionContext } from 'ava';
import { CaptionMethods } from '../../../actors/captions/caption-methods.ts';
import { CaptionPlans } from '../../../actors/captions/caption-plans.ts';
import { captionProductionDefinition } from '../../../actors/captions/caption-production-definition.ts';
import { CaptionReads, CaptionService } from '../../../actors/captions/captions.ts';
import {
  type EngineChoices,
  noEngines,
  noPermissions,
  type Translations,
} from '../../../actors/engines/engine-choices.ts';
import { VerifiedRuntimes } from '../../../actors/reopening/verified-runtimes.ts';
import { finishCutReviews, PublishReviews } from '../../../actors/review/publish-reviews.ts';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import { type RecoveryReport, recover } from '../../../actors/supervision/recovery.ts';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import type { CaptionClassification, CaptionTranslator } from '../../../contract/captions/caption-line.ts';
import type { CaptionAllowance } from '../../../contract/captions/caption-production.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import { type ApprovalReference, attestations } from '../../../contract/review.ts';
import { defaultCaptionAllowance } from '../../../receipts/captions/allowance.ts';
import type { HostPermissions } from '../../../receipts/captions/methods.ts';
import { KeyedMutex } from '../../../storage/keyed-mutex.ts';
import type { Ledger } from '../../../storage/ledger/ledger.ts';
import type { ObjectStore } from '../../../storage/objects/object-store.ts';
import { type StudyShape, storedStudy } from '../../receipts/evidence/stored-study.ts';
import { twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { approval, withdrawal } from '../../receipts/review/review-steps.ts';
import { startOfTest } from '../../storage/ledger/scratch.ts';
import { translators } from '../engines/named-engines.ts';
import { newDataRoot, openStore, store } from '../reopening/stored-studies.ts';
import { openSupervisor } from '../supervision/bench.ts';
import { SimulatedClock } from '../supervision/simulated-clock.ts';

const reviewer = { id: 'reviewer:one', label: 'One' };

/** Fate of stored objects of this kind: stored at once, delayed, or failed. */
type Storing = (objects: readonly StoredObject[]) => Promise<void> | void;

/** An object store that asks the test before it stores anything. */
const asking = (objectStore: ObjectStore, hook: { storing: Storing }): ObjectStore =>
  new Proxy(objectStore, {
    get: (target, key) => {
      if (key === 'putAll') {
        return async (objects: readonly StoredObject[]) => {
          await hook.storing(objects);
          await target.putAll(objects);
        };
      }
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });

export interface CaptionBenchOptions {
  readonly classification?: CaptionClassification;
  /** How long captions may be. */
  readonly allowance?: CaptionAllowance;
  /** The model that translates; by default none. */
  readonly translator?: (ledger: Ledger) => Translations;
  /** The identities of the same model in earlier versions of the program. */
  readonly earlierTranslators?: readonly CaptionTranslator[];
  /** The permissions of a person; by default none. */
  readonly permissions?: HostPermissions;
  /** Changes what the supervisor knows of caption productions. */
  readonly definition?: (
    definition: ActorDefinition<'caption-production'>,
  ) => Partial<ActorDefinition<'caption-production'>>;
}

export type CaptionBench = Awaited<ReturnType<typeof openCaptionBench>>;

/** The services of reviews and captions over a real store, as one process would have them. */
export async function openCaptionBench(t: ExecutionContext, root: string, options: CaptionBenchOptions = {}) {
  const opening = await openStore(root);
  const reports: string[] = [];
  const opened = openSupervisor(t, opening.ledger, new SimulatedClock(startOfTest), {
    report: (line) => reports.push(line),
  });
  const { clock, ledger, supervisor, report, close } = opened;
  const hook: { storing: Storing } = { storing: () => undefined };
  const objectStore = asking(opening.objectStore, hook);
  const runtimes = new VerifiedRuntimes({ ledger, objectStore });
  const committed = () => undefined;
  const translator = options.translator?.(ledger) ?? null;
  const { classification = 'embedded_subtitle_tracks' } = options;
  const choices: EngineChoices = {
    ...noEngines,
    translator: translator === null ? null : { ...translators.here, identity: translator.identity },
    captions: { classification, subtitlesFirst: false },
    permissions: options.permissions ?? noPermissions,
  };
  const engines = { choices, translator: async () => translator };
  const usual = captionProductionDefinition({
    ledger,
    objectStore,
    supervisor,
    runtimes,
    engines,
    clock,
    committed,
    report,
  });
  const captioning: ActorDefinition<'caption-production'> = { ...usual, ...options.definition?.(usual) };
  const mutex = new KeyedMutex();
  const allowance = options.allowance ?? defaultCaptionAllowance;
  const { earlierTranslators } = options;
  const ability = { classification, allowance, translator: translator?.identity, earlierTranslators };
  const methods = new CaptionMethods({ runtimes, engines, allowance: () => allowance });
  const plans = new CaptionPlans({ runtimes, ability, methods });
  const captions = new CaptionService({
    ...{ definition: captioning, supervisor, runtimes, mutex, ability, methods, plans, engines },
  });
  // The first duty of a withdrawal; later stages add theirs.
  const stops = [(runtimeId: string) => captions.stop(runtimeId)];
  const stopWork = async (runtimeId: string) => {
    for (const stop of stops) await stop(runtimeId);
  };
  const reviews = new PublishReviews({
    ledger,
    objectStore,
    runtimes,
    reviewer,
    clock,
    mutex,
    plans,
    stopWork,
    committed,
  });
  supervisor.register(captioning);
  return {
    store: opening,
    ledger,
    hook,
    clock,
    reports,
    supervisor,
    captions,
    reviews,
    close,
    objectStore,
    runtimes,
    mutex,
    stops,
    plans,
    report,
    reads: new CaptionReads(runtimes),
    recover: async (): Promise<RecoveryReport> => {
      await finishCutReviews({ ledger, reviews, report });
      return recover(supervisor, ledger);
    },
    /** Has a queued study approved, with the plan of this digest if there is one; what the approval is called. */
    approve: async (runtimeId: string, plan?: string): Promise<ApprovalReference> => {
      const [queued] = (await reviews.intakes(runtimeId)).intakes;
      if (queued === undefined) throw new Error('nothing is queued');
      const { intakeId, artifactId, receiptId, receiptContentId } = queued;
      const answer = await reviews.decide(runtimeId, {
        intake: { intakeId, artifactId, receiptId, receiptContentId },
        reviewer: { id: reviewer.id, attestation: attestations.decision },
        decision: approval,
        ...(plan !== undefined && { plan }),
      });
      const [review] = answer.reviews;
      if (review === undefined) throw new Error('nothing was decided');
      return {
        reviewId: review.reviewId,
        artifactId: review.artifactId,
        receiptId: review.receiptId,
        receiptContentId: review.receiptContentId,
      };
    },
    revoke: (runtimeId: string, approved: ApprovalReference) =>
      reviews.revoke(runtimeId, {
        approval: approved,
        reviewer: { id: reviewer.id, attestation: attestations.revocation },
        revocation: withdrawal,
      }),
    /** The journal from this event on, one word for each: its type without the part that all events of a stage share. */
    journal: async (runtimeId: string, after: number): Promise<string[]> => {
      const { events } = await ledger.journalPage(runtimeId, after, 100);
      return events.map((bytes) => {
        const event = JSON.parse(Buffer.from(bytes).toString('utf8')) as JournalEvent;
        if (event.type === 'caption.production_failed') return `failed ${event.data.reason.message}`;
        return event.type.replace(/^(caption\.production|caption|publish\.review)[._]/, '');
      });
    },
  };
}

/** Services with a study that was approved; its options, and what is different about the study. */
export async function approvedStudy(
  t: ExecutionContext,
  options: CaptionBenchOptions = {},
  shape: Partial<StudyShape> = {},
) {
  const root = await newDataRoot(t);
  const bench = await openCaptionBench(t, root, options);
  await bench.recover();
  const runtimeId = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks, ...shape }));
  const approval = await bench.approve(runtimeId);
  return { root, bench, runtimeId, approval, after: bench.ledger.journalHead(runtimeId).seq };
}

/** Words of the journal for captions that are made, and for captions that are checked. */
export const made = ['started', 'artifact.recorded', 'artifact.recorded', 'completed'];
export const checked = ['artifact.recorded', 'quality_control_decided'];

/** A promise that the test resolves: everything that awaits it waits until then. */
export function held() {
  let release: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    /** Resolves as soon as something waits. */
    reached,
    release: () => release(),
    wait: () => {
      reach();
      return released;
    },
  };
}

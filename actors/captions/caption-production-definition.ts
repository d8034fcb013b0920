import type { StateValue } from 'xstate';
import type { Clock } from '../../contract/base/clock.ts';
import { firstDifference } from '../../formats/canonical-json.ts';
import { following } from '../../formats/followed-signal.ts';
import {
  type CaptionProductionContext,
  type CaptionProductionEmission,
  type CaptionProductionInput,
  captionProductionMachine,
  captionProductionVersion,
} from '../../machines/caption-production.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import { captionProductionMigrations } from '../../machines/migrations.ts';
import { captionLimitsOf, isTranslating } from '../../receipts/captions/allowance.ts';
import {
  CaptionFailure,
  type CaptionJob,
  captionExecutorOf,
  captionsInSlices,
} from '../../receipts/captions/artifact.ts';
import type { BegunCaptions } from '../../receipts/captions/judged-captions.ts';
import { translatorFor } from '../../receipts/captions/prospect.ts';
import { decisionBySteps, recordQualityControl } from '../../receipts/captions/quality-control.ts';
import { approvedStudyOf } from '../../receipts/published/captions.ts';
import { captionFailed, checkableBySteps, noCaptions, recordCaptionsBySteps } from '../../receipts/stages/captions.ts';
import { recordCorrectionCheck } from '../../receipts/stages/correction.ts';
import type { StepResult, StudyRun } from '../../receipts/study-run.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { TranslatingEngines } from '../engines/engine-choices.ts';
import type { HostBasis } from '../host-basis.ts';
import { readStudy } from '../reopening/study-row.ts';
import type { VerifiedRuntimes } from '../reopening/verified-runtimes.ts';
import { type ActorDefinition, type ChartPosition, effect, type Phase } from '../supervision/actor-definition.ts';
import type { RowOf } from '../supervision/actor-row.ts';
import { type FailureWords, withClientErrors } from '../supervision/refused-write.ts';
import { TimeSlices } from '../supervision/system-clock.ts';
import { WorkQueue } from '../supervision/work-queue.ts';

interface CaptionProductionKindOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'supervisor' | 'runtimes' | 'clock' | 'report'> {
  readonly engines: TranslatingEngines;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

const phases: Readonly<Record<string, Phase>> = {
  producing: 'working',
  checking: 'working',
  // Captions whose check could not be written down rest until a client asks for it again.
  unchecked: 'passivated',
};

const words: FailureWords = {
  stage: 'captions',
  isClientError: (error) => error instanceof CaptionFailure,
  damaged: (cause) => new CaptionFailure('damaged', 'what the captions rest on does not verify', cause),
  unwritten: (cause) => new CaptionFailure('internal', 'it could not be written down', cause),
};

const phaseOf = (value: StateValue): Phase => phases[String(value)] ?? 'ended';

/**
 * The state of the captions in the journal of a runtime. A check writes nothing before its result: captions without one rest
 * until a client asks for it.
 */
async function storedPositionOf(
  runtimes: VerifiedRuntimes,
  row: RowOf<'caption-production'>,
): Promise<ChartPosition | null> {
  const { input } = row;
  const { execution } = await runtimes.read(input.runtimeId);
  const { open, caption } = execution?.study.tail.captions ?? noCaptions;
  const context: CaptionProductionContext = { ...input, failure: null };
  if (open !== null) return { value: 'producing', context };
  return caption?.reference.jobId === input.jobId && caption.qualityControl === null
    ? { value: 'unchecked', context }
    : null;
}

/** Gives the chart of caption productions its effects, and the supervisor what it needs to know of them. */
export function captionProductionDefinition(
  options: CaptionProductionKindOptions,
): ActorDefinition<'caption-production'> {
  const { ledger, objectStore, supervisor, runtimes, engines, clock, committed, report } = options;
  const actorOf = ({ jobId }: CaptionProductionInput): string => jobId;
  const slices = new TimeSlices();
  const stored = async (
    runtimeId: string,
    signal: AbortSignal,
    result: StepResult<unknown>,
    writes: readonly Write[] = [],
  ): Promise<EffectOutcome> => {
    await objectStore.putAll(result.objects);
    signal.throwIfAborted();
    return { events: [], writes: [{ append: runtimeId, events: result.events }, ...writes] };
  };
  const produce = (input: CaptionProductionInput, signal: AbortSignal) =>
    withClientErrors(words, report, signal, () =>
      inTime(clock, captionLimitsOf(input).maxWallMs, signal, async (inTimeSignal) => {
        const { runtimeId, approval, attempt, classification, allowance } = input;
        const runtime = await runtimes.read(runtimeId);
        const study = approvedStudyOf(runtime, approval);
        if (study === null) throw new CaptionFailure('revoked', 'the approval is not valid any more');
        const translator = isTranslating(input) ? await engines.translator() : null;
        const plain = {
          study,
          attempt,
          classification,
          allowance,
          translator: translatorFor(translator?.identity, study),
        };
        demandBegun(plain, runtime.execution?.study.tail.captions.open ?? null);
        const translated = await translator?.translated(plain, inTimeSignal);
        const { job, writes } = translated ?? { job: plain, writes: [] };
        const artifact = await captionsInSlices(job, slices.pause);
        return stored(runtimeId, signal, await slices.run(recordCaptionsBySteps(job, artifact)), writes);
      }),
    );
  const check = ({ runtimeId }: CaptionProductionInput, signal: AbortSignal) =>
    withClientErrors(words, report, signal, async () => {
      const { execution } = await runtimes.read(runtimeId);
      const caption = execution?.study.tail.captions.caption ?? null;
      if (execution === null || caption === null) throw new Error('a check comes after its captions');
      const { run } = execution.opened;
      const checkable = await slices.run(checkableBySteps(caption));
      await slices.run(decisionBySteps(checkable));
      const checked = recordQualityControl(run, checkable);
      // Lines that were corrected before are checked as they are now, too.
      const corrected = recordCorrectionCheck(run, execution.study.tail.corrections);
      return stored(runtimeId, signal, {
        objects: [...checked.objects, ...corrected.objects],
        events: [...checked.events, ...corrected.events],
        refs: null,
      });
    });
  return {
    name: 'caption-production',
    version: captionProductionVersion,
    migrations: captionProductionMigrations,
    machine: captionProductionMachine.provide({
      actors: {
        produceCaptions: effect(supervisor, actorOf, produce),
        checkCaptions: effect(supervisor, actorOf, check),
      },
    }),
    // Deriving captions from a study takes no worker.
    queue: new WorkQueue(0, () => undefined),
    hasJournal: false,
    status: String,
    phase: phaseOf,
    storedPosition: (row) => storedPositionOf(runtimes, row),
    cutShort: (value) => (value === 'producing' ? { type: 'production.cut' } : null),
    writes: ({ emissions, input: { runtimeId, jobId } }) =>
      emissions.flatMap((emission) => emissionWrites(readStudy(ledger, runtimeId), jobId, emission)),
    committed: (_, { input }) => committed(input.runtimeId),
  };
}

/** Throws `CaptionFailure` if the settings name another translator than the one that the journal names for the attempt. */
function demandBegun(job: CaptionJob, begun: BegunCaptions | null): void {
  const isLost = isTranslating(job) && job.translator === undefined;
  if (!isLost && (begun === null || firstDifference(captionExecutorOf(job), begun.executor) === null)) return;
  throw new CaptionFailure('translator', 'the settings named another one after the attempt began');
}

function emissionWrites(run: StudyRun, jobId: string, emission: CaptionProductionEmission): Write[] {
  if (emission.type === 'commit') return [...emission.writes];
  return [{ append: run.record.runtimeId, events: [captionFailed(run, jobId, emission.reason)] }];
}

/**
 * Gives up when the time of a production is over, whatever it waits for. It aborts its requests, and no record names what it may
 * still store.
 */
async function inTime<Result>(
  clock: Clock,
  maxWallMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  let timer: unknown;
  const tooLate = new Promise<never>((_, reject) => {
    timer = clock.setTimeout(() => {
      reject(new CaptionFailure('timeout', `not made within ${maxWallMs} ms`));
      limit.abort();
    }, maxWallMs);
  });
  try {
    return await Promise.race([following([signal, limit.signal], run), tooLate]);
  } finally {
    clock.clearTimeout(timer);
  }
}

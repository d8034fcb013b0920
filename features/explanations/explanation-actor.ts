import type { StateValue } from 'xstate';
import type { HostBasis } from '../../actors/host-basis.ts';
import { readStudy } from '../../actors/reopening/study-row.ts';
import type { VerifiedRuntimes } from '../../actors/reopening/verified-runtimes.ts';
import { type ActorDefinition, type ChartPosition, effect } from '../../actors/supervision/actor-definition.ts';
import type { RowOf } from '../../actors/supervision/actor-row.ts';
import { type FailureWords, withClientErrors } from '../../actors/supervision/refused-write.ts';
import { WorkQueue } from '../../actors/supervision/work-queue.ts';
import { ExplanationFailure } from '../../contract/explanations/explanation.ts';
import type { EffectOutcome } from '../../machines/emission.ts';
import {
  type LanguageExplanationContext,
  type LanguageExplanationEmission,
  type LanguageExplanationInput,
  languageExplanationMachine,
  languageExplanationVersion,
} from '../../machines/language-explanation.ts';
import { languageExplanationMigrations } from '../../machines/migrations.ts';
import {
  askableKinds,
  explanationFailed,
  explanationOf,
  facetsOf,
  recordExplanation,
} from '../../receipts/explanations/explanation.ts';
import type { StudyRun } from '../../receipts/study-run.ts';
import type { Write } from '../../storage/ledger/ledger.ts';
import type { Explained, LanguageExplainer } from './engine/language-explainer.ts';

interface ExplanationActorOptions
  extends Pick<HostBasis, 'ledger' | 'objectStore' | 'supervisor' | 'runtimes' | 'report'> {
  /** Null on a host that was started without one: it still ends the attempts of an earlier one. */
  readonly explainer: LanguageExplainer | null;
  /** Called after each commit that added to a runtime's journal. */
  readonly committed: (runtimeId: string) => void;
}

const words: FailureWords = {
  stage: 'language explanation',
  isClientError: (error) => error instanceof ExplanationFailure,
  damaged: (cause) => new ExplanationFailure('damaged', 'what the explanation rests on does not verify', cause),
  unwritten: (cause) => new ExplanationFailure('not_recorded', 'it could not be written down', cause),
};

/** The result of a request none of whose facets the executor can explain. */
const unasked: Explained = {
  output: { facets: {} },
  execution: { providerResponseId: null, inputTokens: null, outputTokens: null },
};

/** The state of an attempt at an explanation in the journal of a runtime. */
async function storedPositionOf(
  runtimes: VerifiedRuntimes,
  row: RowOf<'language-explanation'>,
): Promise<ChartPosition | null> {
  const { input } = row;
  const { execution } = await runtimes.read(input.runtimeId);
  const attempt = execution?.study.tail.explanations.attempts.find(({ jobId }) => jobId === input.jobId);
  if (attempt?.state !== 'started') return null;
  return { value: 'started', context: { ...input, failure: null } satisfies LanguageExplanationContext };
}

/** Gives the chart of explanations its effect, and the supervisor what it needs to know of them. */
export function explanationActor(options: ExplanationActorOptions): ActorDefinition<'language-explanation'> {
  const { ledger, objectStore, supervisor, runtimes, explainer, committed, report } = options;
  const explain = ({ runtimeId, jobId }: LanguageExplanationInput, signal: AbortSignal): Promise<EffectOutcome> =>
    withClientErrors(words, report, signal, async () => {
      const { execution } = await runtimes.read(runtimeId);
      const job = execution?.study.tail.explanations.attempts.find((attempt) => attempt.jobId === jobId)?.job;
      if (job === undefined || explainer === null) throw new Error('an explanation comes after its start');
      const { input, request } = job;
      const kinds = askableKinds(input, request.facetKinds);
      const explained = kinds.length === 0 ? unasked : await explainer.explain({ input, kinds }, signal);
      const facets = facetsOf(input, request.facetKinds, explained.output);
      const { objects, events } = recordExplanation(job.run, explanationOf(job, facets), explained.execution);
      await objectStore.putAll(objects);
      signal.throwIfAborted();
      return { events: [], writes: [{ append: runtimeId, events }] };
    });
  return {
    name: 'language-explanation',
    version: languageExplanationVersion,
    migrations: languageExplanationMigrations,
    machine: languageExplanationMachine.provide({
      actors: { explain: effect(supervisor, ({ jobId }: LanguageExplanationInput) => jobId, explain) },
    }),
    // Waiting for a model takes no worker.
    queue: new WorkQueue(0, () => undefined),
    hasJournal: false,
    status: String,
    phase: (value) => (value === 'started' ? 'working' : 'ended'),
    storedPosition: (row) => storedPositionOf(runtimes, row),
    cutShort: (value: StateValue) => (value === 'started' ? { type: 'explanation.cut' } : null),
    writes: ({ emissions, input: { runtimeId, jobId } }) =>
      emissions.flatMap((emission) => emissionWrites(readStudy(ledger, runtimeId), jobId, emission)),
    committed: (_, { input }) => committed(input.runtimeId),
  };
}

function emissionWrites(run: StudyRun, jobId: string, emission: LanguageExplanationEmission): Write[] {
  if (emission.type === 'commit') return [...emission.writes];
  return [{ append: run.record.runtimeId, events: [explanationFailed(run, jobId, emission.reason)] }];
}

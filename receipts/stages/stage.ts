import type { z } from 'zod';
import type { EventType } from '../../contract/journal.ts';
import type { LaterStageName, StageName } from '../../contract/study/stages.ts';
import type { GrantedFinding, GrantedReceipt, VerifiedGrant } from '../evidence/granted-operation.ts';
import type { VerifiedSource } from '../sources/reopen-source.ts';
import type { ProgressSteps, StudyProgress } from '../study/progress.ts';
import type { FoldContext, StepResult, StudyRun } from '../study-run.ts';

/** A run under way, as a stage finds it. */
export interface RunSoFar<Findings> {
  readonly progress: StudyProgress;
  readonly findings: Findings;
}

type Folds<Context, Study, Changes> = Readonly<
  Partial<Record<EventType, (context: Context, study: Study) => Changes | null | Promise<Changes | null>>>
>;

/**
 * One stage of a run. Its name leads to its place in the order, its grant, its words and its marks in the chart
 * (`contract/study/stages.ts`), and to its events (`stageEvents`). `Needs` are the findings that it looks at, `Changes` what it
 * gives back: parts of the findings, or the end of the run.
 */
export interface RunStage<Needs, Own, Changes> {
  readonly name: StageName;
  /** The findings of this stage before it has run. */
  readonly nothing: Own;
  /** The schemas of the records that it stores, by the names under which bundles describe them. */
  readonly records: Readonly<Record<string, z.ZodType>>;
  /**
   * The results that it derives from the findings, one by one. Null for a stage whose work is an effect: a pass over the media,
   * the work of an engine, and the host's own work (`actors/study`).
   */
  readonly derived: ((run: StudyRun, source: VerifiedSource, findings: Needs) => Iterable<StepResult<unknown>>) | null;
  /** The result of an optional stage, for all readers of evidence; absent for other stages. */
  readonly evidence?: {
    readonly kind: GrantedFinding['kind'];
    readonly of: (findings: Needs) => VerifiedGrant<GrantedReceipt, GrantedFinding> | null;
  };
  readonly progress: ProgressSteps;
  /**
   * Takes one step of the stage from the journal, by the type of the first event behind its artifacts. It reopens the records
   * that the events name and derives them again. Null if the event is one of another stage. Throws `EvidenceChainError`.
   */
  readonly folds: Folds<FoldContext & { readonly startedAt: string }, RunSoFar<Needs>, Changes>;
}

/** One stage of what people and the host do with a study that has ended; `Tail` is what it looks at of all of them. */
export interface LaterStage<Study, Own> {
  readonly name: LaterStageName;
  /** The part of a study from this stage before it has run. */
  readonly nothing: Own;
  readonly records: Readonly<Record<string, z.ZodType>>;
  readonly folds: Folds<FoldContext, Study, Partial<Own>>;
  /** The effect of a step of another stage on it, by the type of the event of that step; called behind it. */
  readonly follows?: Readonly<Partial<Record<EventType, (study: Study) => Partial<Own>>>>;
}

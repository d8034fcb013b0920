import type { OptionalStage, StudyStep } from '../../contract/study/stages.ts';
import {
  foldGrantFailed,
  foldGrantStarted,
  type GrantedFinding,
  type GrantedOperation,
  type GrantedReceipt,
  type GrantedWork,
  type VerifiedGrant,
} from '../evidence/granted-operation.ts';
import type { StartingEvidence } from '../evidence/media-operation.ts';
import { isBeyond, operationDone, type ProgressSteps, type StudyProgress, withGranted } from '../study/progress.ts';
import type { FoldContext } from '../study-run.ts';
import { isMeasured, type PassFindings } from './detect.ts';
import type { RunSoFar, RunStage } from './stage.ts';

/** The field of the findings of a run that holds what an optional stage came to; null before it. */
type Own<Key extends string, Receipt extends GrantedReceipt, Found extends GrantedFinding> = {
  readonly [Name in Key]: VerifiedGrant<Receipt, Found> | null;
};

/** The parts of one optional stage alone. */
interface GrantedStage<Needs, Key extends string, Receipt extends GrantedReceipt, Found extends GrantedFinding> {
  readonly operation: GrantedOperation<Receipt, Found>;
  readonly key: Key;
  /** Its records, by their names in bundles. */
  readonly records: RunStage<unknown, unknown, never>['records'];
  /** The events that name the evidence it starts from. */
  readonly starts: ProgressSteps;
  /** The same evidence as it was verified. Throws `EvidenceChainError`. */
  readonly startsFrom: (findings: Needs) => StartingEvidence;
  /** Takes its result, of what was begun. Throws `EvidenceChainError`. */
  readonly completed: (
    context: FoldContext,
    begun: GrantedWork | null,
    findings: Needs,
  ) => Promise<VerifiedGrant<Receipt, Found>>;
}

/** The content of the events of such a stage that its progress depends on. */
interface Said {
  readonly started: Omit<GrantedWork, 'from'> & { readonly request: Readonly<Record<string, unknown>> };
  readonly completed: { readonly operationId: string };
}

/** The progress by the events of one optional stage, whose data the schemas of their types have checked. */
function progressSteps(name: OptionalStage, events: string, from: string): ProgressSteps {
  const done: StudyStep = name;
  return {
    [`${events}_started`]: (progress: StudyProgress, { producer, limits, request }: Said['started']) =>
      withGranted(progress, name, { begun: { producer, limits, from: request[from] as StartingEvidence } }),
    [`${events}_failed`]: (progress: StudyProgress) => ({ ...withGranted(progress, name, { begun: null }), done }),
    [`${events}_completed`]: (progress: StudyProgress, { operationId }: Said['completed']) =>
      operationDone(progress, done, operationId),
  } as ProgressSteps;
}

/**
 * A stage that a study comes to only with a grant for it: after the passes over the media, before anything is read. If it fails, the
 * study goes on without what it would have found, and a host that comes back may begin it again.
 */
export function grantedStage<
  Needs extends PassFindings,
  const Key extends string,
  Receipt extends GrantedReceipt,
  Found extends GrantedFinding,
>({
  operation,
  key,
  records,
  starts,
  startsFrom,
  completed,
}: GrantedStage<Needs, Key, Receipt, Found>): RunStage<
  Needs & Own<Key, Receipt, Found>,
  Own<Key, Receipt, Found>,
  { readonly findings: Own<Key, Receipt, Found> }
> {
  type Study = RunSoFar<Needs & Own<Key, Receipt, Found>>;
  const { stage: name, events, from } = operation.declared;
  const found = (own: VerifiedGrant<Receipt, Found> | null) => ({
    findings: { [key]: own } as Own<Key, Receipt, Found>,
  });
  const folds = {
    [`${events}_started`]: (context: FoldContext, study: Study) => {
      const own = study.findings[key];
      const isFirst = own === null || own.receipt === null;
      if (!isMeasured(study) || isBeyond(study.progress, name) || !isFirst) throw context.journal.fault('type');
      foldGrantStarted(context, operation, () => startsFrom(study.findings));
      return found(null);
    },
    [`${events}_failed`]: (context: FoldContext, { progress }: Study) =>
      found(foldGrantFailed(context, operation, progress.granted[name].begun)),
    [`${events}_completed`]: async (context: FoldContext, { progress, findings }: Study) =>
      found(await completed(context, progress.granted[name].begun, findings)),
  };
  return {
    name,
    nothing: { [key]: null } as Own<Key, Receipt, Found>,
    records,
    derived: null,
    evidence: { kind: operation.declared.kind, of: (findings) => findings[key] },
    progress: { ...starts, ...progressSteps(name, events, from) },
    folds,
  };
}

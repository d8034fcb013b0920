import type { OverviewPart } from '../../contract/overview/runtime-overview.ts';
import { hasEnded, type Lifecycle, type RuntimeReason } from '../../contract/study/runtime-status.ts';
import type { CaptionAbility } from '../captions/caption-ability.ts';
import type { VerifiedStudy } from '../reopening/fold-study.ts';
import type { VerifiedRuntime } from '../reopening/reopen-runtime.ts';

/** Where the actor of a runtime stood before its journal was read. */
export interface StudyStanding {
  readonly lifecycle: Lifecycle;
  readonly reason: RuntimeReason | null;
  /** How often a host took it up again so far. */
  readonly resumes: number;
  /** What is left of its time; null where nothing was measured. */
  readonly deadlineLeftMs: number | null;
  /** What the step under way waits for, in words for people; null where it waits for nothing. */
  readonly waitsFor: string | null;
}

/** What the host that answers could do next. */
export interface HostAbilities {
  readonly reviewerId: string;
  readonly captions: CaptionAbility;
  readonly explains: boolean;
  /** Whether a study of this source revision could be started now. */
  readonly sourceIsCurrent: boolean;
}

/** A runtime as its overview looks at it. */
export interface OverviewedRuntime {
  readonly runtime: VerifiedRuntime;
  /** Null before the first event. */
  readonly study: VerifiedStudy | null;
  readonly standing: StudyStanding;
  readonly lifecycle: Lifecycle;
  readonly hasEnded: boolean;
  readonly host: HostAbilities;
  /** The path of the runtime. */
  readonly base: string;
}

/** The parts of an overview that follow each other. */
export interface OverviewParts {
  readonly decision: OverviewPart;
  readonly review: OverviewPart;
  readonly captions: OverviewPart;
  readonly check: OverviewPart;
  readonly explanations: OverviewPart;
}

/** What the journal says of the end of a run is newer than what its actor said before. */
function lifecycleOf({ lifecycle }: StudyStanding, study: VerifiedStudy | null): Lifecycle {
  if (study?.conclusion) return 'terminal';
  return study?.stop?.lifecycle ?? lifecycle;
}

export function overviewedRuntime(
  runtime: VerifiedRuntime,
  standing: StudyStanding,
  host: HostAbilities,
): OverviewedRuntime {
  const study = runtime.execution?.study ?? null;
  const lifecycle = lifecycleOf(standing, study);
  const { runtimeId } = runtime.accepted.record;
  return {
    runtime,
    study,
    standing,
    lifecycle,
    hasEnded: hasEnded(lifecycle),
    host,
    base: `/v1/runtimes/${runtimeId}`,
  };
}

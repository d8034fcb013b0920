import type { EventType } from '../../contract/journal.ts';
import type { DerivedTrack } from '../../contract/sources/subtitle-track.ts';
import { optionalStages, type StageName, stageNames } from '../../contract/study/stages.ts';
import { furtherKindNames, passKinds } from '../../kinds/kinds.ts';
import type { GrantedFinding } from '../evidence/granted-operation.ts';
import type { ProgressSteps, StudyProgress, TypedEvent } from '../study/progress.ts';
import type { FoldContext } from '../study-run.ts';
import { admitStage, type ConcludableFindings, type VerifiedConclusion, type VerifiedStop } from './admit.ts';
import { assessStage } from './assess.ts';
import { decideStage } from './decide.ts';
import { detectStage, subtitlesStage } from './detect.ts';
import { openingStage } from './opening.ts';
import { readStage } from './read.ts';
import { recognizeStage } from './recognize.ts';
import { screenStage } from './screen.ts';
import type { RunSoFar, RunStage } from './stage.ts';

/** Every stage of a run by its name. */
const runStages = {
  initialize: openingStage,
  detect: detectStage,
  subtitles: subtitlesStage,
  recognize: recognizeStage,
  readScreen: screenStage,
  read: readStage,
  assess: assessStage,
  decide: decideStage,
  admit: admitStage,
} as const satisfies Readonly<Record<StageName, unknown>>;

type OwnOf<Stage> = Stage extends { readonly nothing: infer Own } ? Own : never;
type Every<Union> = (Union extends unknown ? (each: Union) => void : never) extends (every: infer All) => void
  ? All
  : never;

/** Everything that a run came to before it was concluded: what came with its source, and what each stage found. */
export type VerifiedFindings = Pick<ConcludableFindings, 'pinned'> &
  Every<{ [Name in StageName]: OwnOf<(typeof runStages)[Name]> }[StageName]> & {
    /** The attached subtitles that the program made of other text; absent for a source without any. */
    readonly derivedTracks?: readonly (DerivedTrack & { readonly trackIndex: number })[];
  };

/** The changes of a run by one step. */
interface RunChanges {
  readonly findings?: Partial<VerifiedFindings>;
  readonly conclusion?: VerifiedConclusion;
  readonly stop?: VerifiedStop;
}

/** One stage as every other part of the program sees it. */
export const stageNamed = (name: StageName): RunStage<VerifiedFindings, object, RunChanges> => runStages[name];

/** True for a further kind that a stage of its own finds. */
const isGrantedKind = (kind: GrantedFinding['kind']): boolean =>
  furtherKindNames.includes(kind) && !passKinds.some(({ name }) => name === kind);

/** The optional stages that find further evidence, in their order: the kind of each, and what it came to. */
export const furtherStages = optionalStages.flatMap((stage) => {
  const { evidence } = stageNamed(stage);
  if (evidence === undefined || !isGrantedKind(evidence.kind)) return [];
  return [{ stage, kind: evidence.kind, of: evidence.of }];
});

/** In their order. */
const inOrder: readonly RunStage<VerifiedFindings, object, RunChanges>[] = stageNames.map(stageNamed);

/** The findings of a run before its first stage, beside those that came with its source. */
export const nothingFound = Object.assign({}, ...inOrder.map(({ nothing }) => nothing)) as Omit<
  VerifiedFindings,
  'pinned'
>;

/** Takes the next step of a run by its stage, in their order; null if no stage has this event. Throws `EvidenceChainError`. */
export async function stepOfRun(
  type: EventType,
  context: FoldContext & { readonly startedAt: string },
  study: RunSoFar<VerifiedFindings>,
): Promise<RunChanges | null> {
  for (const { folds } of inOrder) {
    const changes = (await folds[type]?.(context, study)) ?? null;
    if (changes !== null) return changes;
  }
  return null;
}

type ProgressStep = (progress: StudyProgress, data: TypedEvent['data']) => StudyProgress;

const progressSteps = (steps: ProgressSteps, type: EventType): ProgressStep | undefined =>
  // The type of an event fixes its data.
  steps[type] as ProgressStep | undefined;

/** The progress of a run after one more event, which is taken at its word. */
export const progressAfter = (progress: StudyProgress, { type, data }: TypedEvent): StudyProgress =>
  inOrder.reduce((reached, stage) => progressSteps(stage.progress, type)?.(reached, data) ?? reached, progress);

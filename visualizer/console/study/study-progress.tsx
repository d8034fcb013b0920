import { useStore } from '../host/use-store.ts';
import { Badge } from '../parts/badge.tsx';
import { StepProgress } from '../parts/step-progress.tsx';
import { standingOf } from './standing.ts';
import type { Study, StudyModel } from './study-model.ts';

interface StudyProgressProps {
  readonly study: Study;
  readonly model: StudyModel;
}

/** Where the study stands, with the step that it is in. */
export function StandingBadge({ study, model }: StudyProgressProps) {
  const stage = useStore(model.store, ({ progress }) => progress?.stage ?? null);
  const { state, words } = standingOf(study.overview, stage);
  return <Badge state={state} words={words} />;
}

/** How far the step of a study is that is under way; a part of its own, so that ten measures a second draw nothing else anew. */
export function StudyProgress({ study, model }: StudyProgressProps) {
  const progress = useStore(model.store, (context) => context.progress);
  if (progress === null) return null;
  return <StepProgress progress={progress} label={study.overview.source.label} isNamed={false} />;
}

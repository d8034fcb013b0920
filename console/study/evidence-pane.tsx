import { useMemo, useState } from 'preact/hooks';
import type { Range } from '../../contract/base/grammar.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { useStore } from '../host/use-remote.ts';
import { Loading, Notice } from '../parts/notice.tsx';
import { playback } from '../player/playback.ts';
import { Player } from '../player/player.tsx';
import { Transcript } from '../player/transcript.tsx';
import { claimLanes, evidenceLanes, gapLanes, type Mark, type Subject } from '../timeline/lanes.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { readsOf } from '../verification/checks.ts';
import { StudyAnswer, Technical } from './answer.tsx';
import { Inspector } from './inspector.tsx';
import { useEndedPlan } from './plan-panel.tsx';
import type { StudyContents, StudyModel } from './study-model.ts';

interface EvidencePaneProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly runtimeId: string;
  /** The time at which the player begins; null for the start of the range. */
  readonly atMs: number | null;
}

/** The player, the answer or what was chosen beside it, the words, and the timeline below them. */
export function EvidencePane({ study, model, runtimeId, atMs }: EvidencePaneProps) {
  const { overview, evidence, audits, kinds } = study;
  const events = useStore(model.store, (context) => context.events);
  const control = useMemo(() => playback(atMs ?? overview.study.range.startMs), [runtimeId, atMs]);
  const [chosen, setChosen] = useState<Mark | null>(null);
  const plan = useEndedPlan(study);
  const lanes = useMemo(
    () => [
      ...gapLanes(plan?.gaps ?? []),
      ...evidenceLanes(evidence.evidence, overview.findings, kinds),
      ...claimLanes(audits, readsOf(events)),
    ],
    [evidence, overview, audits, events, plan, kinds],
  );
  const doneMs = useStore(model.store, ({ progress }) => measuredUntil(progress, overview.study.range));
  const choose = (mark: Mark) => {
    setChosen(mark);
    control.seek(mark.startMs);
  };
  const open = (subject: Subject) => {
    const mark = lanes.flatMap(({ marks }) => marks).find((each) => isSame(each.subject, subject));
    if (mark !== undefined) setChosen(mark);
  };
  return (
    <div class="evidence">
      <div class="evidence-top">
        <Player runtimeId={runtimeId} control={control} hasCaptions={overview.situation.code === 'captions_accepted'} />
        {chosen === null ? (
          lanes.length === 0 ? (
            <NoEvidence overview={overview} />
          ) : (
            <StudyAnswer overview={overview} kinds={kinds} plan={plan} />
          )
        ) : (
          <Inspector
            key={chosen.key}
            chosen={chosen}
            study={study}
            events={events}
            control={control}
            onOpen={open}
            onClose={() => setChosen(null)}
          />
        )}
        <Transcript lanes={lanes} control={control} onChoose={choose} />
      </div>
      {(lanes.length > 0 || overview.study.reason === null) && (
        <Timeline
          key={`${overview.study.range.startMs} ${overview.study.range.endMs}`}
          runtimeId={runtimeId}
          whole={overview.study.range}
          lanes={lanes}
          chosenKey={chosen?.key ?? null}
          onChoose={choose}
          control={control}
          doneMs={doneMs}
        />
      )}
      <Technical overview={overview} />
    </div>
  );
}

/** In the place of the answer, while there is none or if there never will be one. */
function NoEvidence({ overview: { situation, study } }: { readonly overview: RuntimeOverview }) {
  if (study.reason !== null) return <Notice kind="empty" title="The study ended before it found anything" />;
  return situation.code === 'waiting_for_a_worker' ? (
    <Notice kind="not-yet" title="The study waits for its turn">
      It begins by itself.
    </Notice>
  ) : (
    <div class="live-answer">
      <Notice kind="not-yet" title="Measuring sound and picture">
        What it finds appears here and on the timeline, one kind after another.
      </Notice>
      <Loading what="the first findings" lines={6} />
    </div>
  );
}

/** How far a pass over the media is, as a time of the source; null if nothing is measured now. */
export function measuredUntil(progress: WorkProgress | null, { startMs, endMs }: Range): number | null {
  if (progress?.stage !== 'detect' || progress.unit !== 'milliseconds' || progress.completed === null) return null;
  return Math.min(endMs, startMs + progress.completed);
}

const isSame = (a: Subject, b: Subject): boolean =>
  a.kind === 'fact' && b.kind === 'fact'
    ? a.row.artifactId === b.row.artifactId && a.factIndex === b.factIndex
    : a.kind === 'claim' &&
      b.kind === 'claim' &&
      a.operationId === b.operationId &&
      a.claim.claimIndex === b.claim.claimIndex;

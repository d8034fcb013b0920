import { useEffect, useMemo, useState } from 'preact/hooks';
import { useStore } from '../host/use-remote.ts';
import { Notice } from '../parts/notice.tsx';
import { type Playback, playback, pressed } from '../player/playback.ts';
import { Player } from '../player/player.tsx';
import { Transcript } from '../player/transcript.tsx';
import { claimLanes, evidenceLanes, type Mark, type Subject } from '../timeline/lanes.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { readsOf } from '../verification/checks.ts';
import { Inspector } from './inspector.tsx';
import { OverviewWords } from './overview-words.tsx';
import type { StudyContents, StudyModel } from './study-model.ts';

interface EvidencePaneProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly runtimeId: string;
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('input, textarea, select') !== null;

const isPressing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.closest('button, a, summary') !== null;

/** The keys of the player work wherever the focus is: a new view has it outside of the player. */
function usePlayerKeys(control: Playback): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // A space on a button presses that button.
      if (event.key === ' ' && isPressing(event.target)) return;
      if (pressed(event.key, control)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [control]);
}

/** The player, what was chosen, the timeline below them, and the study in words. */
export function EvidencePane({ study, model, runtimeId }: EvidencePaneProps) {
  const { overview, evidence, audits } = study;
  const events = useStore(model.store, (context) => context.events);
  const control = useMemo(() => playback(overview.study.range.startMs), [runtimeId]);
  const [chosen, setChosen] = useState<Mark | null>(null);
  const lanes = useMemo(
    () => [...evidenceLanes(evidence.evidence, overview.findings), ...claimLanes(audits, readsOf(events))],
    [evidence, overview, audits, events],
  );
  usePlayerKeys(control);
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
        <div class="playing">
          <Player
            runtimeId={runtimeId}
            control={control}
            hasCaptions={overview.situation.code === 'captions_accepted'}
          />
          <Transcript lanes={lanes} control={control} onChoose={choose} />
        </div>
        <Inspector key={chosen?.key} chosen={chosen} study={study} events={events} control={control} onOpen={open} />
      </div>
      {lanes.length === 0 ? (
        <Notice kind="not-yet" title="There is no evidence yet">
          {overview.situation.code === 'waiting_for_a_worker'
            ? 'The study waits for a worker. It begins by itself.'
            : overview.study.reason === null
              ? 'The detectors are at work. Each kind appears here once it is stored.'
              : 'The study ended before it stored any.'}
        </Notice>
      ) : (
        <Timeline
          key={`${overview.study.range.startMs} ${overview.study.range.endMs}`}
          runtimeId={runtimeId}
          whole={overview.study.range}
          lanes={lanes}
          chosenKey={chosen?.key ?? null}
          onChoose={choose}
          control={control}
        />
      )}
      <OverviewWords overview={overview} />
    </div>
  );
}

const isSame = (a: Subject, b: Subject): boolean =>
  a.kind === 'fact' && b.kind === 'fact'
    ? a.row.artifactId === b.row.artifactId && a.factIndex === b.factIndex
    : a.kind === 'claim' &&
      b.kind === 'claim' &&
      a.operationId === b.operationId &&
      a.claim.claimIndex === b.claim.claimIndex;

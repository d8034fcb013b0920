import { useEffect, useMemo } from 'preact/hooks';
import { HostError } from '../../client/host-error.ts';
import type { WorkStage } from '../../contract/operation.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import { stageWords } from '../../contract/study/stages.ts';
import { addressOf, type StudyPane, studyPanes } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAction, useEvery, useStore } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Icon } from '../parts/icon.tsx';
import { Failed, Notice, Story } from '../parts/notice.tsx';
import { StepProgress } from '../parts/step-progress.tsx';
import { failureStory } from '../words/failures.ts';
import { languageName, languageOfName } from '../words/language-name.ts';
import { moment, rangeCode } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { unsavedChanges } from './caption-draft.ts';
import { CaptionsPane } from './captions-pane.tsx';
import { EvidencePane } from './evidence-pane.tsx';
import { ExportsPane, saveCaptions } from './exports-pane.tsx';
import { JournalPane } from './journal-pane.tsx';
import { isPlanRecord } from './plan-panel.tsx';
import { ReviewPane } from './review-pane.tsx';
import { isInPart, Stepper } from './stepper.tsx';
import { linesOf, needsStudy, type StudyContents, type StudyModel, studyAgain, studyModel } from './study-model.ts';
import { failedParts, Unrecognized } from './unrecognized.tsx';

/** How each situation looks; the words come from the host. */
const states: Readonly<Record<string, string>> = {
  waiting_for_a_worker: 'queued',
  opening: 'running',
  studying: 'running',
  failed: 'failed',
  interrupted: 'interrupted',
  withheld_from_review: 'withheld',
  waiting_for_review: 'waiting',
  rejected: 'withheld',
  approval_withdrawn: 'withdrawn',
  producing_captions: 'running',
  captions_failed: 'failed',
  waiting_for_check: 'waiting',
  captions_withheld: 'withheld',
  approved: 'done',
  captions_accepted: 'done',
};

const liveCodes: readonly string[] = ['waiting_for_a_worker', 'opening', 'studying'];

interface ShownState {
  readonly state: string;
  readonly words: string;
}

/** The state of a study. `stage` is what the stream says that it does; the overview is as old as the last event. */
export function describeState(overview: RuntimeOverview, stage: WorkStage | null): ShownState {
  const { situation, lifecycle, check, study } = overview;
  // The reason of the failure is below, with the remedy.
  const ended = isCanceled(study.reason) ? 'canceled' : `study ${situation.code}`;
  const words = study.reason === null ? situation.text : ended;
  const said = { state: isInPart(check) ? 'withheld' : (states[situation.code] ?? lifecycle), words };
  if (stage === null || stage === 'ended' || !liveCodes.includes(situation.code)) return said;
  if (stage === 'queued') {
    return situation.code === 'waiting_for_a_worker' ? said : { state: 'queued', words: stageWords.queued };
  }
  return { state: 'running', words: stage === 'initialize' ? stageWords[stage] : `studying: ${stageWords[stage]}` };
}

interface StudyProgressProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
}

/** The state of the study, with the step that it is in. */
function StateBadge({ study, model }: StudyProgressProps) {
  const stage = useStore(model.store, ({ progress }) => progress?.stage ?? null);
  const { state, words } = describeState(study.overview, stage);
  return <Badge state={state} words={words} />;
}

/**
 * The progress of the present step of a study. It is a component of its own, so that ten updates a second redraw nothing else.
 */
function StudyProgress({ study, model }: StudyProgressProps) {
  const progress = useStore(model.store, (context) => context.progress);
  if (progress === null) return null;
  return <StepProgress progress={progress} label={study.overview.source.label} isNamed={false} />;
}

const liveStates: readonly string[] = ['accepted', 'initializing', 'running'];

/** The one thing that a person does next with a study; null if there is only waiting. */
type NextAction = 'review' | 'produce' | 'check' | 'download' | 'again' | null;

export function nextActionOf({ situation, actions, captions }: RuntimeOverview): NextAction {
  const may = (name: string): boolean => actions.some(({ action }) => action === name);
  if (situation.code === 'captions_accepted') return 'download';
  if (may('approve')) return 'review';
  if (captions.state === 'waiting') return 'produce';
  if (may('check_captions')) return 'check';
  return may('study_again') ? 'again' : null;
}

/** True if a part of the study shows the failures of its engines, with a button of its own for another study. */
const showsFailure = (study: StudyContents, pane: StudyPane): boolean =>
  failedParts(study.overview).length > 0 &&
  study.overview.actions.some(({ action }) => action === 'study_again') &&
  (pane === 'evidence' || pane === 'review' || (pane === 'captions' && !needsStudy(study)));

/** The next action as a primary button, with other actions beside it. */
function StudyActions({ study, model, pane }: StudyProgressProps & { readonly pane: StudyPane }) {
  const host = useHost();
  const { action, run } = useAction();
  const { overview } = study;
  const { runtimeId, lifecycle, actions } = overview;
  const next = nextActionOf(overview);
  const isBusy = action.state === 'busy';
  const cancel = () =>
    run(async () => {
      await host.cancel(runtimeId);
      await model.refresh();
    });
  const again = () => run(() => studyAgain(host, overview));
  const produce = () =>
    run(async () => {
      const isPlanned = model.store.getSnapshot().context.events.some(isPlanRecord);
      await host.captions.produce(runtimeId, isPlanned ? {} : linesOf(study.ready));
      await model.refresh();
      location.hash = addressOf({ view: 'study', runtimeId, pane: 'captions' });
    });
  const check = () =>
    run(async () => {
      await host.captions.checked(runtimeId);
      await model.refresh();
    });
  const download = () => run(async () => saveCaptions(host, overview));
  const isForCaptions = needsStudy(study);
  const isBelow = showsFailure(study, pane) || (isForCaptions && pane === 'captions');
  const mayStudyAgain = actions.some(({ action }) => action === 'study_again') && !isBelow && !isForCaptions;
  return (
    <div class="actions">
      {liveStates.includes(lifecycle) && (
        <button type="button" disabled={isBusy} onClick={cancel}>
          Cancel the study
        </button>
      )}
      {mayStudyAgain && (
        <button type="button" class={next === 'again' ? 'primary' : ''} disabled={isBusy} onClick={again}>
          Study again
        </button>
      )}
      {next === 'review' && pane !== 'review' && !isForCaptions && (
        <a class="button primary" href={addressOf({ view: 'study', runtimeId, pane: 'review' })}>
          Review
        </a>
      )}
      {((next === 'produce' && study.ready === null) || isForCaptions) && pane !== 'captions' && (
        <a class="button primary" href={addressOf({ view: 'study', runtimeId, pane: 'captions' })}>
          Make captions
        </a>
      )}
      {next === 'produce' && pane !== 'captions' && study.ready !== null && (
        <button type="button" class="primary" disabled={isBusy} onClick={produce}>
          {isBusy ? 'Making captions' : 'Make captions'}
        </button>
      )}
      {next === 'check' && (
        <button type="button" class="primary" disabled={isBusy} onClick={check}>
          Check the captions
        </button>
      )}
      {next === 'download' && pane !== 'captions' && unsavedChanges(overview) > 0 && (
        <a class="button primary" href={addressOf({ view: 'study', runtimeId, pane: 'captions' })}>
          Save the captions…
        </a>
      )}
      {next === 'download' && pane !== 'captions' && unsavedChanges(overview) === 0 && (
        <button type="button" class="primary" disabled={isBusy} onClick={download}>
          <Icon name="download" />
          Download captions
        </button>
      )}
      {action.state === 'failed' && <Failed error={action.error} />}
    </div>
  );
}

/** A review moves no actor, so no stream tells of it. */
const everyMs = 10_000;

/** True if the host has no study of this id, such as one that was deleted meanwhile. */
const isGone = (error: unknown): boolean => error instanceof HostError && error.code === 'unknown_runtime';

interface StudyViewProps {
  readonly runtimeId: string;
  readonly pane: StudyPane;
  /** The time at which the player begins; null for the start of the range. */
  readonly atMs: number | null;
  /** The event of the journal that the address names, by its number. */
  readonly seq: number | null;
}

/** One study: its state, evidence, review, captions, files and journal. */
export function StudyView({ runtimeId, pane, atMs, seq }: StudyViewProps) {
  const host = useHost();
  const model = useMemo(() => studyModel(host, runtimeId), [host, runtimeId]);
  useEffect(model.open, [model]);
  useEvery(everyMs, true, model.readIfChanged);
  const study = useStore(model.store, (context) => context.study);
  const error = useStore(model.store, (context) => context.error);
  return (
    <div class="page">
      {isGone(error) ? (
        <Notice kind="unavailable" title="This host has no such study">
          It may have been deleted. <a href="#/studies">Choose one of its studies</a>
        </Notice>
      ) : (
        error !== null && <Failed error={error} onRetry={() => void model.read()} />
      )}
      {study === null ? (
        <>
          <h1 class="sr">Study</h1>
          {error === null && <StudySkeleton />}
          {/* A long journal can be read long before the study is verified, and also if that fails. */}
          {!isGone(error) && (error !== null || pane === 'journal') && (
            <JournalPane model={model} runtimeId={runtimeId} seq={seq} />
          )}
        </>
      ) : (
        <Opened study={study} model={model} runtimeId={runtimeId} pane={pane} atMs={atMs} seq={seq} />
      )}
    </div>
  );
}

/** The shape of a study that is to come, so that nothing jumps when it is there. */
const StudySkeleton = () => (
  <div class="study-skeleton" aria-busy="true">
    <p class="sr">Loading the study</p>
    {['title', 'steps', 'player', 'answer', 'timeline'].map((part) => (
      <span key={part} class={`wait ${part}`} aria-hidden="true" />
    ))}
  </div>
);

interface OpenedProps extends StudyViewProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
}

/** The languages of a study: `Korean to English`, or `English` if both are equal. */
export function languagesInWords({ sourceLanguage, targetLanguage }: RuntimeOverview['study']): string {
  const [spoken, target] = [sourceLanguage.languages.map(languageName).join(', '), languageName(targetLanguage)];
  return spoken === target
    ? target
    : spoken === ''
      ? `Language to be detected, to ${target}`
      : `${spoken} to ${target}`;
}

function Opened({ study, model, runtimeId, pane, atMs, seq }: OpenedProps) {
  const { source, study: asked } = study.overview;
  return (
    <>
      <div class="study-head">
        <div>
          <h1 title={source.label} lang={languageOfName(source.label)}>
            {source.label}
          </h1>
          <p class="quiet">
            {rangeCode(asked.range.startMs, asked.range.endMs)} · {languagesInWords(asked)} · {moment(asked.acceptedAt)}
          </p>
        </div>
        <div class="study-state" aria-live="polite">
          {study.overview.lifecycle !== 'terminal' && <StateBadge study={study} model={model} />}
          <StudyActions study={study} model={model} pane={pane} />
        </div>
      </div>
      <StudyProgress study={study} model={model} />
      <Stepper overview={study.overview} />
      {asked.reason !== null && <Story story={failureStory(asked.reason, 'study')} />}
      {showsFailure(study, pane) && <Unrecognized overview={study.overview} />}
      <nav class="tabs" aria-label="Parts of the study">
        {studyPanes.map((each) => (
          <a
            key={each}
            href={addressOf({ view: 'study', runtimeId, pane: each })}
            aria-current={each === pane ? 'page' : undefined}
          >
            {sentence(each)}
          </a>
        ))}
      </nav>
      {pane === 'evidence' && <EvidencePane study={study} model={model} runtimeId={runtimeId} atMs={atMs} />}
      {pane === 'review' && <ReviewPane key={runtimeId} study={study} model={model} runtimeId={runtimeId} />}
      {pane === 'captions' && <CaptionsPane study={study} model={model} runtimeId={runtimeId} />}
      {pane === 'exports' && <ExportsPane study={study} runtimeId={runtimeId} />}
      {pane === 'journal' && <JournalPane model={model} runtimeId={runtimeId} seq={seq} />}
    </>
  );
}

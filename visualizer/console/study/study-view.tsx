import { useEffect, useMemo } from 'preact/hooks';
import { HostError } from '../../../client/host-error.ts';
import { addressOf, type StudyPane, studyPanes } from '../host/route.ts';
import { useHost } from '../host/use-host.ts';
import { useEvery } from '../host/use-remote.ts';
import { useStore } from '../host/use-store.ts';
import { Failed, Loading, Notice } from '../parts/notice.tsx';
import { sentence } from '../words/codes.ts';
import { languageName } from '../words/language-name.ts';
import { moment, rangeCode } from '../words/time-code.ts';
import { CaptionsPane } from './captions-pane.tsx';
import { EvidencePane } from './evidence-pane.tsx';
import { ExportsPane } from './exports-pane.tsx';
import { JournalPane } from './journal-pane.tsx';
import { ReviewPane } from './review-pane.tsx';
import { StudyDeeds } from './study-deeds.tsx';
import { type Study, type StudyModel, studyModel } from './study-model.ts';
import { StandingBadge, StudyProgress } from './study-progress.tsx';

/** A review moves no actor, so no stream tells of it. */
const everyMs = 10_000;

/** Whether the host has no study of this id, such as one that was deleted meanwhile. */
const isGone = (error: unknown): boolean => error instanceof HostError && error.code === 'unknown_runtime';

interface StudyViewProps {
  readonly runtimeId: string;
  readonly pane: StudyPane;
}

/** One study: where it stands, and its evidence, review, captions, files and journal. */
export function StudyView({ runtimeId, pane }: StudyViewProps) {
  const host = useHost();
  const model = useMemo(() => studyModel(host, runtimeId), [host, runtimeId]);
  useEffect(model.open, [model]);
  useEvery(everyMs, true, model.look);
  const study = useStore(model.store, (context) => context.study);
  const error = useStore(model.store, (context) => context.error);
  return (
    <div class="page wide">
      <p class="crumb">
        <a href="#/studies">Studies</a>
      </p>
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
          {error === null && <Loading what="the study" />}
          {/* A long journal can be looked at long before the study was verified, and also where that fails. */}
          {!isGone(error) && (error !== null || pane === 'journal') && (
            <JournalPane model={model} runtimeId={runtimeId} />
          )}
        </>
      ) : (
        <Opened study={study} model={model} runtimeId={runtimeId} pane={pane} />
      )}
    </div>
  );
}

interface OpenedProps extends StudyViewProps {
  readonly study: Study;
  readonly model: StudyModel;
}

function Opened({ study, model, runtimeId, pane }: OpenedProps) {
  const { source, situation, study: asked } = study.overview;
  return (
    <>
      <div class="study-head">
        <div>
          <h1>{source.label}</h1>
          <p class="quiet">
            {rangeCode(asked.range.startMs, asked.range.endMs)} ·{' '}
            {asked.sourceLanguage.languages.map(languageName).join(', ') || asked.sourceLanguage.mode} to{' '}
            {languageName(asked.targetLanguage)} · {moment(asked.acceptedAt)}
          </p>
        </div>
        <div class="study-state" aria-live="polite">
          <StandingBadge study={study} model={model} />
          <StudyDeeds study={study} model={model} />
        </div>
      </div>
      <StudyProgress study={study} model={model} />
      {asked.reason !== null && (
        <p class="quiet">
          {!situation.text.includes(asked.reason.message) && `${sentence(asked.reason.message)}. `}
          Study again takes over what this study has measured and stored, and does the rest.
        </p>
      )}
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
      {pane === 'evidence' && <EvidencePane study={study} model={model} runtimeId={runtimeId} />}
      {pane === 'review' && <ReviewPane study={study} model={model} runtimeId={runtimeId} />}
      {pane === 'captions' && <CaptionsPane study={study} model={model} runtimeId={runtimeId} />}
      {pane === 'exports' && <ExportsPane study={study} runtimeId={runtimeId} />}
      {pane === 'journal' && <JournalPane model={model} runtimeId={runtimeId} />}
    </>
  );
}

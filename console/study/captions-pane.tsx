import { useMemo, useState } from 'preact/hooks';
import type { Attested } from '../../client/reviews.ts';
import type { CaptionMethod } from '../../contract/captions/caption-method.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useAction, useRemote, useStore } from '../host/use-remote.ts';
import { Badge, Identity } from '../parts/facts.tsx';
import { FeaturePanels } from '../parts/feature-panels.tsx';
import { Failed, Notice, Remedies, RemotePart } from '../parts/notice.tsx';
import { type ChosenWays, permit, useWays, Ways } from '../parts/ways.tsx';
import type { CaptionWay } from '../words/caption-ways.ts';
import { whatWords } from '../words/cause-words.ts';
import { counted, moment } from '../words/numbers.ts';
import { placeTime } from '../words/plan-words.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import { CaptionEditor } from './caption-editor.tsx';
import { GuidelineSummary } from './guidelines.tsx';
import { isPlanRecord, PlanPanel, usePlan } from './plan-panel.tsx';
import { SignDialog } from './sign-dialog.tsx';
import { linesOf, type StudyContents, type StudyModel, studiedFilm, studyAgain } from './study-model.ts';

type Correction = CaptionCorrections['corrections'][number];

type Change = Correction['changes'][number];

/** The texts and times of lines, as a person compares them. */
function linesWords(lines: Change['before'], { kind }: Change, isOne: boolean): string {
  const times = ({ startMs, endMs }: Change['before'][number]) => `${placeTime(startMs)}–${placeTime(endMs)}`;
  const texts = ({ source, target }: Change['before'][number]) =>
    [target.text, ...(isOne ? [] : [source.text])].map((text) => text ?? '–').join(' / ');
  return lines.map((line) => (kind === 'reworded' ? texts(line) : `${times(line)} ${texts(line)}`)).join(' | ');
}

/** The lines of a correction, each before it and after it. */
const ChangeList = ({ changes, isOne }: { readonly changes: readonly Change[]; readonly isOne: boolean }) => (
  <ul class="plain changed">
    {changes.map((change, at) => (
      <li key={at}>
        <span class="quiet">{sentence(wordsOf(change.kind))}:</span>{' '}
        {change.before.length > 0 && <del>{linesWords(change.before, change, isOne)}</del>}
        {change.before.length > 0 && change.after.length > 0 && ' → '}
        {change.after.length > 0 && <ins>{linesWords(change.after, change, isOne)}</ins>}
      </li>
    ))}
  </ul>
);

interface HistoryProps {
  readonly corrections: CaptionCorrections;
  readonly onSaved: (corrections: CaptionCorrections) => Promise<void>;
}

/** The corrections of a study, the newest first, each of which can be taken back. */
function CorrectionHistory({ corrections, onSaved }: HistoryProps) {
  const host = useHost();
  const [undoing, setUndoing] = useState<string | null>(null);
  const { runtimeId, head, reviewer, obstacle, languages } = corrections;
  if (corrections.corrections.length === 0 || head === null) return null;
  const revert = (correction: Correction) => async (by: Attested) => {
    const answer = await host.captions.correct(
      runtimeId,
      { reverts: correction.correctionId },
      { by, on: corrections },
    );
    setUndoing(null);
    await onSaved(answer);
  };
  return (
    <details class="technical">
      <summary>{counted(corrections.corrections.length, 'correction')}</summary>
      <ul class="rows tight">
        {corrections.corrections.toReversed().map((correction) => (
          <li key={correction.correctionId} class="row">
            <div class="row-main">
              {correction.reverts !== null && <p class="row-title">Took a correction back</p>}
              <ChangeList changes={correction.changes} isOne={languages?.source === languages?.target} />
              <p class="quiet">
                {correction.reviewer.label}, {moment(correction.recordedAt)}
                {correction.note !== null && `: ${correction.note}`}
              </p>
              {undoing === correction.correctionId && (
                <SignDialog
                  reviewer={reviewer}
                  statement={reviewer.correctionAttestation}
                  button="Take it back"
                  isReady
                  onSigned={revert(correction)}
                >
                  <button type="button" onClick={() => setUndoing(null)}>
                    Keep it
                  </button>
                </SignDialog>
              )}
            </div>
            <Identity id={correction.receiptId} />
            {correction.revertedBy !== null ? (
              <Badge state="withdrawn" words="taken back" />
            ) : (
              obstacle === null &&
              undoing === null && (
                <button type="button" onClick={() => setUndoing(correction.correctionId)}>
                  Take back…
                </button>
              )
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface CaptionsPaneProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly runtimeId: string;
}

/** The lines are those of a method until captions are made of them: a correction before that would be one of other lines. */
const lockedLines = (corrections: CaptionCorrections, isOfHost: boolean): CaptionCorrections =>
  isOfHost || corrections.obstacle !== null || corrections.lines.length === 0
    ? corrections
    : {
        ...corrections,
        obstacle: { code: 'illegal_caption_correction', message: 'you can correct these lines once captions are made' },
      };

/** The captions of a study in their editor; before there are lines, the way to them. */
export function CaptionsPane({ study, model, runtimeId }: CaptionsPaneProps) {
  const host = useHost();
  const { overview, evidence, methods, ready } = study;
  const chosen = useWays(methods, studiedFilm(overview));
  const isOfHost =
    methods === null || (ready === 'host' && (chosen.way === null || chosen.way.method === methods.usual));
  const method = isOfHost ? null : chosen.way?.state === 'ready' ? chosen.way.method : null;
  const { remote, reload } = useRemote(
    () => host.captions.corrections(runtimeId, linesOf(method)),
    [host, runtimeId, method],
    overview.journalHead,
  );
  const cutsMs = useMemo(
    () =>
      evidence.evidence.flatMap(({ facts }) =>
        (facts ?? []).flatMap((fact) => (fact.kind === 'shot_change' && fact.grade === undefined ? [fact.atMs] : [])),
      ),
    [evidence],
  );
  const onSaved = async () => {
    reload();
    await model.refresh();
  };
  return (
    <div class="captions">
      {methods !== null && <WaysPanel study={study} model={model} chosen={chosen} isOfHost={isOfHost} />}
      {methods !== null && overview.lifecycle === 'terminal' && (method !== null || isOfHost) && (
        <PlanOf overview={overview} method={method} />
      )}
      <RemotePart of={remote} what="the captions" onRetry={reload}>
        {(corrections) => (
          <>
            {methods === null && <CaptionsNotice study={study} hasLines={corrections.lines.length > 0} />}
            {corrections.lines.length > 0 && (
              <>
                <CaptionEditor
                  overview={overview}
                  corrections={lockedLines(corrections, isOfHost)}
                  cutsMs={cutsMs}
                  onSaved={onSaved}
                  onReload={reload}
                />
                <CorrectionHistory corrections={corrections} onSaved={onSaved} />
                {overview.captions.state === 'done' && (
                  <>
                    <GuidelineSummary corrections={corrections} version={overview.journalHead} />
                    <FeaturePanels place="captions" given={{ overview }} />
                  </>
                )}
              </>
            )}
          </>
        )}
      </RemotePart>
    </div>
  );
}

interface PlanOfProps {
  readonly overview: RuntimeOverview;
  /** Null for the settings of the host. */
  readonly method: CaptionMethod | null;
}

/** The plan of the captions by the chosen way. A person chooses a track in the review. */
function PlanOf({ overview, method }: PlanOfProps) {
  const { remote, reload } = usePlan(overview.runtimeId, linesOf(method), overview.journalHead);
  return (
    <RemotePart of={remote} what="the plan of the captions" onRetry={reload}>
      {(planned) =>
        planned === null ? null : <PlanPanel plan={planned.plan} overview={overview} control={null} onTracks={null} />
      }
    </RemotePart>
  );
}

interface WaysPanelProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly chosen: ChosenWays;
  /** True where the settings of the host decide how, and no method is sent. */
  readonly isOfHost: boolean;
}

/** The words of the button of a way; null if a review comes first. */
function wayButton({ state, permission }: CaptionWay, isApproved: boolean): string | null {
  const allowed = (words: string): string => (permission === null ? words : `Allow and ${words.toLowerCase()}`);
  if (state === 'study') return allowed('Study again');
  if (isApproved) return allowed('Make captions');
  return permission === null ? null : 'Allow';
}

/** The way to the captions of a study that has none, with one button that permits what it needs and goes on. */
function WaysPanel({ study, model, chosen, isOfHost }: WaysPanelProps) {
  const host = useHost();
  const { action, run } = useAction();
  const isPlanned = useStore(model.store, ({ events }) => events.some(isPlanRecord));
  const { overview } = study;
  const { runtimeId, source, captions } = overview;
  const { way } = chosen;
  const may = (name: string): boolean => overview.actions.some(({ action }) => action === name);
  const isApproved = may('revoke');
  const words = way === null ? null : wayButton(way, isApproved);
  const act = (taken: CaptionWay) =>
    run(async () => {
      await permit(host, taken);
      if (taken.state === 'study') {
        // An engine that was set up just now has its name from the host.
        const { methods } = await host.captions.methods(runtimeId);
        const wish = methods.find(({ method }) => method === taken.method)?.recognition ?? undefined;
        return studyAgain(host, overview, wish);
      }
      // Captions follow the plan of their approval: it has the way, and a person chose it.
      if (isApproved) await host.captions.produce(runtimeId, isOfHost || isPlanned ? {} : { method: taken.method });
      await model.refresh();
    });
  const ways = <Ways of={chosen} sourceSessionId={source.sourceSessionId} />;
  return way === null ? (
    ways
  ) : (
    <section class="panel" aria-labelledby="ways">
      <h2 id="ways">{isApproved ? 'Make the captions' : 'How the captions are made'}</h2>
      {ways}
      {captions.state === 'waiting' && captions.causes.length > 0 && (
        <p class="bad-text">
          {`The last attempt failed: ${whatWords(captions.causes)}. `}
          <Remedies causes={captions.causes} />
        </p>
      )}
      <div class="actions">
        {words !== null && (
          <button type="button" class="primary" disabled={action.state === 'busy'} onClick={() => act(way)}>
            {action.state === 'busy' && isApproved ? 'Making captions' : words}
          </button>
        )}
        {may('approve') && way.state !== 'study' && (
          <a
            class={words === null ? 'button primary' : 'button'}
            href={addressOf({ view: 'study', runtimeId, pane: 'review' })}
          >
            Review the study
          </a>
        )}
      </div>
      {action.state === 'failed' && <Failed error={action.error} />}
    </section>
  );
}

interface CaptionsNoticeProps {
  readonly study: StudyContents;
  readonly hasLines: boolean;
}

/** Why a study has no captions; nothing once they exist. */
function CaptionsNotice({ study, hasLines }: CaptionsNoticeProps) {
  const { captions } = study.overview;
  if (hasLines && captions.state === 'done') return null;
  const kind =
    captions.state === 'withheld'
      ? 'withheld'
      : captions.state === 'failed'
        ? 'failed'
        : captions.state === 'never'
          ? 'unavailable'
          : 'not-yet';
  const { causes, text } = captions;
  return (
    <Notice kind={kind} title={sentence(causes.length === 0 ? text : whatWords(causes))}>
      <p>
        <Remedies causes={causes} sourceSessionId={study.overview.source.sourceSessionId} />
      </p>
    </Notice>
  );
}

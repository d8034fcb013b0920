import { useMemo, useState } from 'preact/hooks';
import type { Attested } from '../../client/reviews.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import type { CaptionQualityReports } from '../../contract/captions/quality-control.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useRemote } from '../host/use-remote.ts';
import { Badge, Identity } from '../parts/facts.tsx';
import { Notice, Remedies, RemotePart } from '../parts/notice.tsx';
import { pageReason, whatWords } from '../words/cause-words.ts';
import { languageName } from '../words/language-name.ts';
import { counted, moment } from '../words/numbers.ts';
import { sentence, wordsOf } from '../words/sentence.ts';
import { CaptionEditor } from './caption-editor.tsx';
import { Ceremony } from './ceremony.tsx';
import { ExplanationList } from './explainer.tsx';
import { guidelineNames } from './guidelines.tsx';
import type { StudyContents, StudyModel } from './study-model.ts';

type Report = CaptionQualityReports['reports'][number];

function findingWords({ findings }: Report): string {
  const counts = new Map<string, number>();
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts.size === 0 ? 'none' : [...counts].map(([code, count]) => `${count} × ${pageReason(code)}`).join(', ');
}

/** How often the captions depart from each guideline. A guideline decides nothing: the check alone does. */
function QualitySummary({ runtimeId, version }: { readonly runtimeId: string; readonly version: number }) {
  const host = useHost();
  const { remote, reload } = useRemote(() => host.captions.qualityReports(runtimeId), [host, runtimeId], version);
  return (
    <details class="technical">
      <summary>Guidelines for subtitles</summary>
      <RemotePart of={remote} what="the guidelines" onRetry={reload}>
        {({ reports }) => (
          <div class="scroll" tabIndex={0} role="region" aria-label="Guidelines">
            <table>
              <thead>
                <tr>
                  <th scope="col">Language</th>
                  <th scope="col">Guideline</th>
                  <th scope="col" class="number">
                    Lines
                  </th>
                  <th scope="col">Findings in the lines of the host</th>
                </tr>
              </thead>
              <tbody>
                {reports.map((report) => (
                  <tr key={`${report.side} ${report.profile.id}`}>
                    <td>{languageName(report.language)}</td>
                    <td>
                      {guidelineNames[report.profile.id]} <span class="quiet">{report.profile.date}</span>
                    </td>
                    <td class="number">{report.cues.length}</td>
                    <td>{findingWords(report)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </RemotePart>
    </details>
  );
}

type Correction = CaptionCorrections['corrections'][number];

/** A correction in words: `2 × reworded, 1 × split`. */
function correctionWords({ changes, reverts }: Correction): string {
  if (reverts !== null) return 'took a correction back';
  const counts = new Map<string, number>();
  for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} × ${wordsOf(kind)}`).join(', ');
}

interface HistoryProps {
  readonly corrections: CaptionCorrections;
  readonly onSaved: (corrections: CaptionCorrections) => Promise<void>;
}

/** The corrections of a study, the newest first, each of which can be taken back. */
function CorrectionHistory({ corrections, onSaved }: HistoryProps) {
  const host = useHost();
  const [undoing, setUndoing] = useState<string | null>(null);
  const { runtimeId, head, reviewer, obstacle } = corrections;
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
              <p class="row-title">{sentence(correctionWords(correction))}</p>
              <p class="quiet">
                {correction.reviewer.label}, {moment(correction.recordedAt)}
                {correction.note !== null && `: ${correction.note}`}
              </p>
              {undoing === correction.correctionId && (
                <Ceremony
                  reviewer={reviewer}
                  statement={reviewer.correctionAttestation}
                  button="Take it back"
                  isReady
                  onSigned={revert(correction)}
                >
                  <button type="button" onClick={() => setUndoing(null)}>
                    Keep it
                  </button>
                </Ceremony>
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

/** The captions of a study in their editor; before there are lines, what is missing for them. */
export function CaptionsPane({ study, model, runtimeId }: CaptionsPaneProps) {
  const host = useHost();
  const { overview, evidence } = study;
  const { remote, reload } = useRemote(
    () => host.captions.corrections(runtimeId),
    [host, runtimeId],
    overview.journalHead,
  );
  const cutsMs = useMemo(
    () =>
      evidence.evidence.flatMap(({ facts }) =>
        (facts ?? []).flatMap((fact) => (fact.kind === 'shot_change' ? [fact.atMs] : [])),
      ),
    [evidence],
  );
  const onSaved = async () => {
    reload();
    await model.refresh();
  };
  return (
    <div class="captions">
      <RemotePart of={remote} what="the captions" onRetry={reload}>
        {(corrections) => (
          <>
            <CaptionsNotice study={study} hasLines={corrections.lines.length > 0} />
            {corrections.lines.length > 0 && (
              <>
                <CaptionEditor
                  overview={overview}
                  corrections={corrections}
                  cutsMs={cutsMs}
                  onSaved={onSaved}
                  onReload={reload}
                />
                <CorrectionHistory corrections={corrections} onSaved={onSaved} />
                {overview.captions.state === 'done' && (
                  <>
                    <QualitySummary runtimeId={runtimeId} version={overview.journalHead} />
                    <ExplanationList overview={overview} />
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

interface CaptionsNoticeProps {
  readonly study: StudyContents;
  readonly hasLines: boolean;
}

/** The action that brings a study toward captions; null without one. It is never an approval if no captions can come of it. */
export function captionActionOf({ captions, actions }: RuntimeOverview): 'approve' | 'produce' | null {
  const may = (name: string): boolean => actions.some(({ action }) => action === name);
  if (captions.state === 'never') return null;
  return may('approve') ? 'approve' : may('produce_captions') ? 'produce' : null;
}

/** The next step toward captions; nothing once they exist. */
function CaptionsNotice({ study, hasLines }: CaptionsNoticeProps) {
  const { runtimeId, captions } = study.overview;
  const action = captionActionOf(study.overview);
  if (action === 'approve') {
    return (
      <Notice kind="not-yet" title="Captions need an approval">
        <p>
          {hasLines
            ? 'These are the lines that the captions will have. You can correct them before you approve.'
            : 'Approve the study first.'}
        </p>
        <a class="button" href={addressOf({ view: 'study', runtimeId, pane: 'review' })}>
          Review the study
        </a>
      </Notice>
    );
  }
  if (action === 'produce') {
    return (
      <Notice kind="not-yet" title="There are no captions yet">
        <p>The study is approved. Press “Make captions” above.</p>
        {captions.causes.length > 0 && (
          <p>
            The last attempt failed: {whatWords(captions.causes)}. <Remedies causes={captions.causes} />
          </p>
        )}
      </Notice>
    );
  }
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
        <Remedies causes={causes} />
      </p>
    </Notice>
  );
}

import type { CaptionProductionResults } from '../../contract/captions/caption-answers.ts';
import type { CaptionSide, CaptionText } from '../../contract/captions/caption-line.ts';
import type { CaptionFindingCode, CaptionQualityReports } from '../../contract/captions/quality-control.ts';
import { addressOf } from '../host/route.ts';
import { useHost } from '../host/session.ts';
import { useDeed, useRemote } from '../host/use-remote.ts';
import { Badge } from '../parts/facts.tsx';
import { Failed, Notice, RemotePart } from '../parts/notice.tsx';
import { isInPart, sentence, withoutName, withoutNo, wordsOf } from '../words/codes.ts';
import { languageName } from '../words/language-name.ts';
import { rangeCode, withTimes } from '../words/numbers.ts';
import { Explainer } from './explainer.tsx';
import type { StudyContents, StudyModel } from './study-model.ts';

type Artifact = CaptionProductionResults['results'][number]['artifact'];
type Reports = CaptionQualityReports['reports'];

const sides: readonly CaptionSide[] = ['source', 'target'];

interface CaptionLinesProps {
  readonly artifact: Artifact;
  readonly reports: Reports;
  /** The words of the host for reason codes. */
  readonly reasons: ReadonlyMap<string, string>;
}

/** Every line with both of its sides, what they rest on, and what guidelines say of it. */
function CaptionLines({ artifact, reports, reasons }: CaptionLinesProps) {
  const { sourceLanguage, targetLanguage } = artifact.input;
  return (
    <ol class="caption-lines">
      <li class="caption-line caption-head" aria-hidden="true">
        <span />
        <span>Spoken: {languageName(sourceLanguage)}</span>
        <span>Captions: {languageName(targetLanguage)}</span>
      </li>
      {artifact.lines.map((line) => (
        <li key={line.id} class="caption-line">
          <span class="mono quiet">{rangeCode(line.startMs, line.endMs)}</span>
          {sides.map((side) => (
            <div key={side}>
              <Side text={line[side]} reasons={reasons} />
              <SideFindings findings={findingsOf(reports, line.id, side)} />
            </div>
          ))}
        </li>
      ))}
    </ol>
  );
}

interface SideProps extends Pick<CaptionLinesProps, 'reasons'> {
  readonly text: CaptionText;
}

const Side = ({ text, reasons }: SideProps) =>
  text.state === 'available' ? (
    <p lang={text.language} class="caption-text">
      {text.text}
    </p>
  ) : (
    <p class="withheld-word">
      {text.state}: {reasons.get(text.reasonCode) ?? wordsOf(text.reasonCode)}
    </p>
  );

/** A figure of a finding with its unit; speeds and lengths of lines come in thousandths. */
function figureWords(code: CaptionFindingCode, value: number): string {
  const thousandths = String(Math.round(value / 100) / 10);
  if (code === 'reading_speed_too_high') return `${thousandths} characters a second`;
  if (code === 'line_too_long') return `${thousandths} characters`;
  return code === 'too_many_lines' ? `${value} lines` : `${value} ms`;
}

interface Finding {
  readonly code: CaptionFindingCode;
  readonly measured: number;
  readonly limit: number;
  /** The guidelines that set this limit. */
  readonly profiles: readonly string[];
}

/** What guidelines find in one side of a line; guidelines with the same limit find the same thing. */
function findingsOf(reports: Reports, lineId: string, side: CaptionSide): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { profile, findings } of reports.filter((report) => report.side === side)) {
    for (const { code, measured, limit } of findings.filter((finding) => finding.lineId === lineId)) {
      const key = `${code} ${limit}`;
      const profiles = [...(found.get(key)?.profiles ?? []), guidelineName(profile.id)];
      found.set(key, { code, measured, limit, profiles });
    }
  }
  return [...found.values()];
}

function SideFindings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="plain line-findings" aria-label="Findings of guidelines">
      {findings.map(({ code, measured, limit, profiles }) => (
        <li key={`${code} ${limit}`}>
          {wordsOf(code)}{' '}
          <span class="quiet">
            ({profiles.join(', ')}): {figureWords(code, measured)}, limit {figureWords(code, limit)}
          </span>
          <FindingBar measured={measured} limit={limit} />
        </li>
      ))}
    </ul>
  );
}

/** What was measured as a bar, and the limit as a line across it. */
function FindingBar({ measured, limit }: { readonly measured: number; readonly limit: number }) {
  const whole = Math.max(measured, limit, 1) * 1.1;
  const share = (value: number): string => `${(value / whole) * 100}%`;
  return (
    <span class="finding-bar" aria-hidden="true">
      <span class="finding-measured" style={{ width: share(measured) }} />
      <span class="finding-limit" style={{ left: share(limit) }} />
    </span>
  );
}

type Report = CaptionQualityReports['reports'][number];

/** How often each side departs from each guideline. A guideline judges nothing: captions are accepted by their check alone. */
function QualitySummary({ reports }: { readonly reports: readonly Report[] }) {
  if (reports.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Guidelines">
      <table>
        <caption>Held against guidelines for subtitles</caption>
        <thead>
          <tr>
            <th scope="col">Side</th>
            <th scope="col">Guideline</th>
            <th scope="col" class="number">
              Cues
            </th>
            <th scope="col">Findings</th>
          </tr>
        </thead>
        <tbody>
          {reports.map((report) => (
            <tr key={`${report.side} ${report.profile.id}`}>
              <td>
                {report.side}: {languageName(report.language)}
              </td>
              <td>
                {guidelineName(report.profile.id)} <span class="quiet">{report.profile.date}</span>
              </td>
              <td class="number">{report.cues.length}</td>
              <td>{findingWords(report)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function findingWords({ findings }: Report): string {
  const counts = new Map<string, number>();
  for (const { code } of findings) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts.size === 0 ? 'none' : [...counts].map(([code, count]) => `${count} × ${wordsOf(code)}`).join(', ');
}

type GuidelineId = CaptionQualityReports['reports'][number]['profile']['id'];

const names: Readonly<Record<GuidelineId, string>> = { netflix: 'Netflix', ted: 'TED' };

/** Whose guideline it is, as its makers write their name. */
const guidelineName = (id: GuidelineId): string => names[id];

interface CaptionsPaneProps {
  readonly study: StudyContents;
  readonly model: StudyModel;
  readonly runtimeId: string;
}

/** The captions of a study: how they are had, their lines side by side, and how they keep to the guidelines. */
export function CaptionsPane({ study, model, runtimeId }: CaptionsPaneProps) {
  const host = useHost();
  const { deed, run } = useDeed();
  const { captions, check, actions, journalHead } = study.overview;
  const may = (name: string): boolean => actions.some(({ action }) => action === name);
  const { remote, reload } = useRemote(
    async () => {
      const [{ results }, { reports }] = await Promise.all([
        host.captions.results(runtimeId),
        host.captions.qualityReports(runtimeId),
      ]);
      return { results, reports };
    },
    [host, runtimeId],
    journalHead,
  );
  const produce = () =>
    run(async () => {
      await host.captions.produce(runtimeId);
      await model.refresh();
    });
  return (
    <div class="captions">
      <div class="study-parts">
        <p>
          <Badge state={isInPart(check) ? 'withheld' : captions.state} words={captionWords(captions.text)} />
        </p>
        <p>
          <Badge
            state={isInPart(check) ? 'withheld' : check.state}
            words={`check: ${withoutNo(check.text)}${isInPart(check) ? '; files have only lines with both texts' : ''}`}
          />
        </p>
        {may('produce_captions') && (
          <button type="button" class="primary" disabled={deed.state === 'busy'} onClick={produce}>
            {deed.state === 'busy' ? 'Producing' : 'Produce captions'}
          </button>
        )}
        {deed.state === 'failed' && <Failed error={deed.error} />}
      </div>
      <RemotePart of={remote} what="the captions" onRetry={reload}>
        {({ results: [result], reports }) =>
          result === undefined ? (
            <NoCaptions study={study} />
          ) : (
            <>
              <QualitySummary reports={reports} />
              <CaptionLines artifact={result.artifact} reports={reports} reasons={reasonsOf(study)} />
              <Explainer artifact={result.artifact} study={study} runtimeId={runtimeId} />
            </>
          )
        }
      </RemotePart>
    </div>
  );
}

/** What is known of the captions, under their name once. */
const captionWords = (text: string): string =>
  withTimes(text.startsWith('captions ') ? text : `captions: ${withoutNo(text)}`);

/** The words of the host for each reason why something of this study is kept back. */
const reasonsOf = ({ overview }: StudyContents): ReadonlyMap<string, string> =>
  new Map(overview.withheld.map(({ what, reasonCode, text }) => [reasonCode, withoutName(text, what)]));

function NoCaptions({ study }: { readonly study: StudyContents }) {
  const { runtimeId, captions, actions } = study.overview;
  if (actions.some(({ action }) => action === 'approve')) {
    return (
      <Notice kind="not-yet" title="Captions need an approval">
        <p>A person has to approve the study first.</p>
        <a class="button" href={addressOf({ view: 'study', runtimeId, pane: 'review' })}>
          Review the study
        </a>
      </Notice>
    );
  }
  if (actions.some(({ action }) => action === 'produce_captions')) {
    return (
      <Notice kind="not-yet" title="There are no captions yet">
        The study is approved: produce them above.
      </Notice>
    );
  }
  const kind =
    captions.state === 'withheld'
      ? 'withheld'
      : captions.state === 'failed'
        ? 'failed'
        : captions.state === 'never'
          ? 'unavailable'
          : 'not-yet';
  return (
    <Notice kind={kind} title={sentence(withTimes(withoutNo(captions.text)))}>
      {captions.reasonCodes.length > 0 && <p>{captions.reasonCodes.map(wordsOf).join(', ')}</p>}
    </Notice>
  );
}

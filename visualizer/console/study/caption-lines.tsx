import type { CaptionProductionResults } from '../../../contract/captions/caption-answers.ts';
import type { CaptionSide, CaptionText } from '../../../contract/captions/caption-line.ts';
import type { CaptionFindingCode, CaptionQualityReports } from '../../../contract/captions/quality-control.ts';
import { wordsOf } from '../words/codes.ts';
import { guidelineName } from '../words/guideline-name.ts';
import { languageName } from '../words/language-name.ts';
import { rangeCode } from '../words/time-code.ts';

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
export function CaptionLines({ artifact, reports, reasons }: CaptionLinesProps) {
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

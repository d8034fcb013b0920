import type { CaptionCorrectionPreview, CaptionCorrections } from '../../contract/captions/correction.ts';
import type { GuidelineReport } from '../../contract/captions/guideline-report.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import { findingWords, guidelineNames, linesFound } from '../../contract/causes/guideline-words.ts';
import { useHost } from '../host/session.ts';
import { useRemote } from '../host/use-remote.ts';
import { RemotePart } from '../parts/notice.tsx';
import { languageName } from '../words/language-name.ts';
import { counted, mediaTime } from '../words/numbers.ts';
import { sentence } from '../words/sentence.ts';
import { byTime, type EditedLine, editedLines, type Side, sides } from './caption-draft.ts';

/** Something that guidelines for captions find in one text of a line, in words. Guidelines with the same limit find the same thing. */
export interface GuidelineNote {
  readonly side: Side;
  readonly words: string;
  /** The guidelines that set this limit, as their makers write their names. */
  readonly by: readonly string[];
}

/**
 * The findings of a preview by the lines of the draft that it measured: both are in order of time. They are those of the files, for
 * the sides that the draft shows: captions in one language have one text.
 */
export function findingsByLine(
  lines: readonly EditedLine[],
  { lines: measured, written = [] }: Pick<CaptionCorrectionPreview, 'lines' | 'written'>,
  shown: readonly Side[] = sides,
): ReadonlyMap<string, readonly GuidelineNote[]> {
  const inOrder = lines.toSorted(byTime);
  const keys = new Map(measured.map(({ id }, at) => [id, inOrder[at]?.key ?? id]));
  const found = new Map<string, GuidelineNote[]>();
  for (const report of written.flatMap(({ reports }) => reports)) {
    const { side } = report;
    if (!shown.includes(side)) continue;
    for (const finding of report.findings) {
      const key = keys.get(finding.lineId) ?? finding.lineId;
      const own = found.get(key) ?? [];
      const words = findingWords(finding, report);
      const at = own.findIndex((each) => each.side === side && each.words === words);
      const by = [...(own[at]?.by ?? []), guidelineNames[report.guideline.id]];
      if (at === -1) own.push({ side, words, by });
      else own[at] = { side, words, by };
      found.set(key, own);
    }
  }
  return found;
}

/** The findings of lines that have not changed since their check: those of an older text are not about the newer one. */
export function currentFindings(
  lines: readonly EditedLine[],
  measured: readonly EditedLine[],
  findings: ReadonlyMap<string, readonly GuidelineNote[]>,
): ReadonlyMap<string, readonly GuidelineNote[]> {
  return new Map([...findings].filter(([key]) => measured.some((line) => line.key === key && lines.includes(line))));
}

export function SideFindings({ findings }: { readonly findings: readonly GuidelineNote[] }) {
  if (findings.length === 0) return null;
  return (
    <ul class="plain line-findings" aria-label="Findings of guidelines">
      {findings.map(({ words, by }) => (
        <li key={words}>
          {sentence(words)} <span class="quiet">({by.join(', ')})</span>
        </li>
      ))}
    </ul>
  );
}

interface ReportRowProps {
  readonly report: GuidelineReport;
  readonly cues: number;
  readonly onSelect: (lineId: string) => void;
}

/** A guideline on one side of a file: how many lines break it, and each finding with the number of its cue in the file. */
function ReportRow({ report, cues, onSelect }: ReportRowProps) {
  const { guideline, findings, language, limits } = report;
  const isWidth = limits.row?.limits === 'width';
  return (
    <tr>
      <td>{languageName(language)}</td>
      <td>
        {guidelineNames[guideline.id]} <span class="quiet">{guideline.date}</span>
        {isWidth && limits.row !== null && (
          <div class="quiet">
            It limits the width of a row; {limits.row.milliCharacters / 1000} characters stand for it.
          </div>
        )}
      </td>
      <td>
        {findings.length === 0 ? (
          'none'
        ) : (
          <details>
            <summary>
              {counted(linesFound(report), 'line')} of {cues}
            </summary>
            <ul class="plain">
              {findings.map((finding) => (
                <li key={`${finding.number} ${finding.code}`}>
                  <button type="button" class="link" onClick={() => onSelect(finding.lineId)}>
                    Cue {finding.number} at {mediaTime(finding.startMs)}
                  </button>
                  : {findingWords(finding, report)}
                </li>
              ))}
            </ul>
          </details>
        )}
      </td>
    </tr>
  );
}

interface SummaryProps {
  readonly corrections: CaptionCorrections;
  readonly version: number;
}

/**
 * The findings in the downloaded files by each guideline; a press on one selects its line in the editor. A guideline decides nothing: the
 * check alone does.
 */
export function GuidelineSummary({ corrections, version }: SummaryProps) {
  const host = useHost();
  const { runtimeId } = corrections;
  const select = (lineId: string) => {
    editedLines(corrections, 0).draft.select(lineId);
    document.querySelector('.caption-editor')?.scrollIntoView();
  };
  const read = () =>
    Promise.all(
      (['target', 'source'] as const).map((side) =>
        host.captions.guidelines(runtimeId, { side, lines: presentBreaks }),
      ),
    );
  const { remote, reload } = useRemote(read, [host, runtimeId], version);
  return (
    <details class="technical">
      <summary>Guidelines for captions</summary>
      <RemotePart of={remote} what="the guidelines" onRetry={reload}>
        {(files) => (
          <div class="scroll" tabIndex={0} role="region" aria-label="Guidelines">
            <table>
              <thead>
                <tr>
                  <th scope="col">Language</th>
                  <th scope="col">Guideline</th>
                  <th scope="col">Lines that break it, in the file that you download</th>
                </tr>
              </thead>
              <tbody>
                {files
                  .filter(({ reports }, at) => at === 0 || reports[0]?.language !== files[0]?.reports[0]?.language)
                  .flatMap(({ file, reports }) =>
                    reports.map((report) => (
                      <ReportRow
                        key={`${report.side} ${report.guideline.id}`}
                        report={report}
                        cues={file.cues}
                        onSelect={select}
                      />
                    )),
                  )}
              </tbody>
            </table>
          </div>
        )}
      </RemotePart>
    </details>
  );
}

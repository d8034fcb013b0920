import type { CaptionQualityReports } from '../../../contract/captions/quality-control.ts';
import { wordsOf } from '../words/codes.ts';
import { guidelineName } from '../words/guideline-name.ts';
import { languageName } from '../words/language-name.ts';

type Report = CaptionQualityReports['reports'][number];

/** How often each side departs from each guideline. A guideline judges nothing: captions are accepted by their check alone. */
export function QualitySummary({ reports }: { readonly reports: readonly Report[] }) {
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

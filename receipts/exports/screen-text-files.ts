import { ServiceError } from '../../contract/base/errors.ts';
import type { ScreenTextFact } from '../../contract/evidence/evidence.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { screenTextsOf } from '../screentext.ts';
import type { ExportedFile } from './exported-file.ts';
import { labelLineOf, textCell } from './label-track.ts';

/** The texts on the screen that passed every gate. Throws `export_unavailable` where they were not read. */
function passedTexts({ execution }: VerifiedRuntime): { texts: ScreenTextFact[]; contentId: string } {
  const { delivered, found } = execution?.study.findings.screenText ?? { delivered: null, found: null };
  if (delivered?.state !== 'available' || found === null) {
    throw new ServiceError('export_unavailable', 'the study has no evidence of text on the screen');
  }
  return { texts: screenTextsOf(found).filter(({ outcome }) => outcome === 'passed'), contentId: delivered.contentId };
}

/** The text on the screen as a label track of Audacity. */
export function screenTextLabels(runtime: VerifiedRuntime): ExportedFile {
  const { texts, contentId } = passedTexts(runtime);
  return { text: texts.map((text) => labelLineOf(text, text.text)).join(''), madeOf: [contentId] };
}

/** The same as a table (RFC 4180) with place, confidence and language. */
export function screenTextTable(runtime: VerifiedRuntime): ExportedFile {
  const { texts, contentId } = passedTexts(runtime);
  const rows = texts.map(({ startMs, endMs, box, confidenceMilli, language, text }) =>
    [
      ...[startMs, endMs, box.leftMilli, box.topMilli, box.rightMilli, box.bottomMilli],
      ...[confidenceMilli, language ?? '', textCell(text), contentId],
    ].join(','),
  );
  const head = 'startMs,endMs,leftMilli,topMilli,rightMilli,bottomMilli,confidenceMilli,language,read,evidence';
  return { text: `${[head, ...rows].join('\r\n')}\r\n`, madeOf: [contentId] };
}

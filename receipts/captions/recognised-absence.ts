import { type CaptionedStudy, captionInputOf } from './captioned-study.ts';
import type { LinesAbsence } from './lines-absence.ts';
import { isOneLanguage, transcriptOf } from './recognised-lines.ts';

/** Why there is no line of captions in what a study recognised. */
export function recognisedAbsence(study: CaptionedStudy, translates: boolean): LinesAbsence {
  const { recognition } = study.findings;
  const transcript = transcriptOf(study.findings);
  if (recognition === null) {
    const text = 'the study was accepted by a host without a recogniser: study the range again with one';
    return { reason: 'not_recognised', text };
  }
  if (transcript === null) {
    const { reasonCode } = recognition.delivered;
    return { reason: 'nothing_recognised', text: `the study has no transcript: ${reasonCode ?? 'recognition_failed'}` };
  }
  if (transcript.lines.every(({ outcome }) => outcome === 'withheld')) {
    const count = transcript.lines.length;
    const text = count === 0 ? 'no words were recognised' : `the gates withheld all ${count} recognised lines`;
    return { reason: 'no_line_passed', text };
  }
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  const text = `the executor does not translate from ${sourceLanguage} to ${targetLanguage}: study the range with the target language ${sourceLanguage}, or start the host with --caption-executor recognized-translated`;
  return isOneLanguage(study) || translates
    ? { reason: 'no_supported_line', text: 'the evidence of the study carries none of the lines' }
    : { reason: 'no_translator', text };
}

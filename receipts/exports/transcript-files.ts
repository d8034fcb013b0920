import type { TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import { webVttText, webVttTime } from '../captions/webvtt.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { demandEvidence } from './exported-facts.ts';
import type { ExportedFile } from './exported-file.ts';
import { labelLineOf, textCell } from './label-track.ts';
import { subRipText } from './subrip-text.ts';

/** The lines of a transcript that passed every gate. Throws `export_unavailable` where nothing was recognised. */
function passedLines(runtime: VerifiedRuntime): { lines: TranscriptLineFact[]; contentId: string } {
  const { facts, contentId } = demandEvidence(runtime, 'transcript');
  const lines = facts.flatMap((fact) => (fact.kind === 'transcript_line' && fact.outcome === 'passed' ? [fact] : []));
  return { lines, contentId };
}

const timesOf = ({ startMs, endMs }: TranscriptLineFact): string => `${webVttTime(startMs)} --> ${webVttTime(endMs)}`;

/** What was recognised as SubRip. The format has no comments. */
export function subRipTranscript(runtime: VerifiedRuntime): ExportedFile {
  const { lines, contentId } = passedLines(runtime);
  const cues = lines.map((line, at) => `${at + 1}\n${timesOf(line).replaceAll('.', ',')}\n${subRipText(line.text)}\n`);
  return { text: cues.join('\n'), madeOf: [contentId] };
}

/** What was recognised as WebVTT, with a note that it was recognised and of what. */
export function webVttTranscript(runtime: VerifiedRuntime): ExportedFile {
  const { lines, contentId } = passedLines(runtime);
  const cues = lines.map((line) => `line-${line.index}\n${timesOf(line)}\n${webVttText(line.text)}`);
  return {
    text: `${['WEBVTT', `NOTE\nrecognised, transcript ${contentId}`, ...cues].join('\n\n')}\n`,
    madeOf: [contentId],
  };
}

/** What was recognised as a label track of Audacity: start, end and text in tabs, in seconds. */
export function transcriptLabels(runtime: VerifiedRuntime): ExportedFile {
  const { lines, contentId } = passedLines(runtime);
  const labels = lines.map((line) => labelLineOf(line, line.text));
  return { text: labels.join(''), madeOf: [contentId] };
}

/** The same as a table (RFC 4180), with the mean confidence of the words where the recogniser gave one. */
export function transcriptTable(runtime: VerifiedRuntime): ExportedFile {
  const { lines, contentId } = passedLines(runtime);
  const rows = lines.map(({ startMs, endMs, speaker, measures, text }) =>
    [startMs, endMs, speaker, measures.confidence ?? '', textCell(text), contentId].join(','),
  );
  return {
    text: `${['startMs,endMs,speaker,confidence,recognised,evidence', ...rows].join('\r\n')}\r\n`,
    madeOf: [contentId],
  };
}

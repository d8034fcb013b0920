import type { Range } from '../contract/base/grammar.ts';
import type { EvidenceRow, RuntimeEvidence } from '../contract/study/runtime-evidence.ts';
import type { RuntimeStatus } from '../contract/study/runtime-status.ts';
import { timeCode } from './time-code.ts';

/** What a person wants to know first of a study that has ended, a line for each kind of evidence. */
export function summaryLines(status: RuntimeStatus, { evidence }: RuntimeEvidence): string[] {
  const range = status.runStartReceipt?.record.analysisRequest.range ?? { startMs: 0, endMs: 0 };
  return [
    `study ${status.runtimeId}: ${status.lifecycle}${status.reason === null ? '' : ` (${status.reason.code}: ${status.reason.message})`}`,
    `range ${timeCode(range.startMs)} to ${timeCode(range.endMs)}`,
    ...evidence.map((row) => `${row.kind.replaceAll('_', ' ')}: ${sentenceOf(row, range)}`),
  ];
}

const hundredths = (value: number | null, unit: string): string =>
  value === null ? `too quiet to measure (${unit})` : `${(value / 100).toFixed(1)} ${unit}`;

const spans = (facts: readonly { readonly startMs: number; readonly endMs: number }[]): number =>
  facts.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);

const percent = (part: number, { startMs, endMs }: Range): string =>
  endMs === startMs ? '0 %' : `${Math.round((100 * part) / (endMs - startMs))} %`;

const inWindows = (count: number, lengthMs: number, range: Range): string =>
  `${count} ${count === 1 ? 'window' : 'windows'}, ${(lengthMs / 1000).toFixed(1)} s, ${percent(lengthMs, range)}`;

/** One kind of evidence in words. Throws nothing: what it does not read is counted. */
function sentenceOf(row: EvidenceRow, range: Range): string {
  if (row.state === 'unavailable') return `unavailable (${row.reasonCode})`;
  const speech = row.facts.flatMap((fact) => (fact.kind === 'speech_window' ? [fact] : []));
  const silence = row.facts.filter((fact) => fact.kind === 'silence');
  const cuts = row.facts.filter((fact) => fact.kind === 'shot_change');
  const [loudness] = row.facts.filter((fact) => fact.kind === 'loudness');
  const cues = row.facts.filter(({ kind }) => kind === 'subtitle_cue');
  const [language] = row.facts.filter((fact) => fact.kind === 'track_language');
  if (row.kind === 'speech_activity') return inWindows(speech.length, spans(speech), range);
  if (row.kind === 'silence') return inWindows(silence.length, spans(silence), range);
  if (row.kind === 'shot_changes') {
    const at = cuts.slice(0, 8).map(({ atMs }) => timeCode(atMs));
    return `${cuts.length} ${cuts.length === 1 ? 'cut' : 'cuts'}${at.length === 0 ? '' : ` at ${at.join(', ')}${cuts.length > at.length ? ', …' : ''}`}`;
  }
  if (loudness !== undefined) {
    const { integratedCentiLufs, rangeCentiLu, truePeakCentiDbtp } = loudness;
    return [
      hundredths(integratedCentiLufs, 'LUFS'),
      `range ${hundredths(rangeCentiLu, 'LU')}`,
      `true peak ${hundredths(truePeakCentiDbtp, 'dBTP')}`,
    ].join(', ');
  }
  if (language !== undefined) return `track ${language.trackIndex}: ${language.code ?? 'unknown'}`;
  if (cues.length > 0) return `${cues.length} ${cues.length === 1 ? 'cue' : 'cues'}`;
  return `${row.facts.length} ${row.facts.length === 1 ? 'fact' : 'facts'}`;
}

import { ServiceError } from '../../contract/base/errors.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { CorrectionReceipt, ShownCorrections } from '../../contract/captions/correction.ts';
import type { EvidenceArtifact, ScreenTextFact, TranscriptLineFact } from '../../contract/evidence/evidence.ts';
import type { UncertainChoice } from '../../contract/exports.ts';
import { webVttText } from '../../formats/caption-markup.ts';
import { subRipText } from '../../formats/subtitles.ts';
import type { AnyFact, EvidenceKind } from '../../kinds/kind.ts';
import { kindNamed } from '../../kinds/kinds.ts';
import { type UnrecognizedRegion, unrecognizedIn } from '../../rules/recognition.ts';
import { correctedTranscript, isCorrected, noCorrections, type SpokenLine } from '../captions/corrected-lines.ts';
import { webVttTime } from '../captions/webvtt.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { evidenceRowsOf, furtherRowsOf } from '../published/evidence.ts';
import { detectedEvidenceOf } from '../stages/admit.ts';
import { screenTextsOf } from '../stages/screen.ts';
import type { StoredReceipt } from '../stored-records.ts';

/** A runtime as a file for another program. */
export interface ExportedFile {
  readonly text: string;
  /** The receipts and evidence that it was made of: their content ids. */
  readonly madeOf: readonly string[];
}

type ExportedKind = 'shot_changes' | 'transcript';

/** Evidence of one kind, and the stored object that it is. */
interface ExportedEvidence {
  readonly facts: EvidenceArtifact['facts'];
  readonly contentId: string;
}

/** The evidence of a kind; null where the study has none or has not come to it. */
function evidenceOf({ execution }: VerifiedRuntime, kind: ExportedKind): ExportedEvidence | null {
  const evidence = execution === null ? [] : detectedEvidenceOf(execution.study.findings);
  for (const { delivered, artifact } of evidence) {
    if (artifact !== null && delivered.kind === kind) return { facts: artifact.facts, contentId: delivered.contentId };
  }
  return null;
}

/** The same. Throws `export_unavailable` if there is none. */
function demandEvidence(runtime: VerifiedRuntime, kind: ExportedKind): ExportedEvidence {
  const evidence = evidenceOf(runtime, kind);
  if (evidence !== null) return evidence;
  throw new ServiceError('export_unavailable', `the study has no evidence of ${kind.replaceAll('_', ' ')}`);
}

/** The studied range from cut to cut. */
export interface ExportedShots {
  readonly shots: readonly Range[];
  readonly contentId: string;
}

/** What is uncertain is in no file, unless it is asked for. */
export interface GradeForm {
  readonly uncertain?: UncertainChoice | undefined;
}

const isInFile = (fact: AnyFact, { uncertain }: GradeForm): boolean =>
  uncertain === 'include' || !('grade' in fact) || fact.grade !== 'uncertain';

/** Throws `export_unavailable` where cuts were not looked for. */
export function shotsOf(runtime: VerifiedRuntime, form: GradeForm): ExportedShots {
  const { facts, contentId } = demandEvidence(runtime, 'shot_changes');
  const { startMs, endMs } = runtime.accepted.record.analysisRequest.range;
  const cuts = facts.flatMap((fact) => (fact.kind === 'shot_change' && isInFile(fact, form) ? [fact.atMs] : []));
  const inside = cuts.filter((atMs) => atMs > startMs && atMs < endMs);
  const starts = [startMs, ...inside];
  const shots = starts.map((from, at) => ({ startMs: from, endMs: starts[at + 1] ?? endMs }));
  return { shots, contentId };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** A line of a label track of Audacity: start, end and text in tabs, in seconds. */
const labelLineOf = ({ startMs, endMs }: Range, text: string): string =>
  `${seconds(startMs)}\t${seconds(endMs)}\t${text}\n`;

// A table is opened by programs that take a cell with one of these at its start for a formula (OWASP, CSV Injection).
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

/** A cell of a table (RFC 4180) that holds a text from outside the program. */
const textCell = (text: string): string => `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

/** A fact as a row; a moment has both ends at one time. */
interface TimedFact {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly contentId: string;
}

/** The kinds whose facts are in a file: `kind` is one of them or `all`; without it those that such files have by default. */
interface FactForm extends GradeForm {
  readonly kind?: string | undefined;
}

/** The rows of the facts of one kind that have a place in time. */
function timedRows({ row }: EvidenceKind, facts: readonly AnyFact[], contentId: string): TimedFact[] {
  return facts.flatMap((fact): TimedFact[] => {
    const { startMs, endMs, atMs } = fact as AnyFact & { startMs?: number; endMs?: number; atMs?: number };
    const name = row.name(fact);
    if (name === null) return [];
    if (startMs !== undefined && endMs !== undefined) return [{ name, startMs, endMs, contentId }];
    return atMs === undefined ? [] : [{ name, startMs: atMs, endMs: atMs, contentId }];
  });
}

/** Facts in order of time. Throws `export_unavailable` for a study that has evidence of none of the kinds. */
function timedFacts(runtime: VerifiedRuntime, form: FactForm): { facts: TimedFact[]; madeOf: string[] } {
  const { kind: asked } = form;
  const isAsked = ({ name, row }: EvidenceKind): boolean =>
    asked === undefined ? row.usual : asked === 'all' || name === asked;
  const found = [...evidenceRowsOf(runtime), ...furtherRowsOf(runtime)].flatMap((row) => {
    const kind = kindNamed(row.kind);
    return row.state === 'available' && kind !== undefined && isAsked(kind) ? [{ ...row, declared: kind }] : [];
  });
  if (found.length === 0) {
    const what = asked === undefined || asked === 'all' ? 'speech, silence or cuts' : asked.replaceAll(/[_-]/g, ' ');
    throw new ServiceError('export_unavailable', `the study has no evidence of ${what}`);
  }
  const facts = found.flatMap(({ declared, facts: rows, contentId }) =>
    timedRows(
      declared,
      rows.filter((fact) => isInFile(fact, form)),
      contentId,
    ),
  );
  facts.sort((one, other) => one.startMs - other.startMs);
  return { facts, madeOf: found.map(({ contentId }) => contentId) };
}

/** Facts as a label track of Audacity: start, end and name in tabs, in seconds. */
export function audacityLabels(runtime: VerifiedRuntime, form: FactForm): ExportedFile {
  const { facts, madeOf } = timedFacts(runtime, form);
  return { text: facts.map((fact) => labelLineOf(fact, fact.name)).join(''), madeOf };
}

/** The same as a table (RFC 4180), each fact with its evidence. */
export function factTable(runtime: VerifiedRuntime, form: FactForm): ExportedFile {
  const { facts, madeOf } = timedFacts(runtime, form);
  const rows = facts.map(({ name, startMs, endMs, contentId }) => [name, startMs, endMs, contentId].join(','));
  return { text: `${['kind,startMs,endMs,evidence', ...rows].join('\r\n')}\r\n`, madeOf };
}

/** The shots of the studied range as chapters in WebVTT (section 1.4 of the format: one cue a chapter). */
export function webVttChapters(runtime: VerifiedRuntime, form: GradeForm): ExportedFile {
  const { shots, contentId } = shotsOf(runtime, form);
  const cues = shots.map(
    ({ startMs, endMs }, at) => `${at + 1}\n${webVttTime(startMs)} --> ${webVttTime(endMs)}\nShot ${at + 1}`,
  );
  return { text: `${['WEBVTT', `NOTE\nshot changes ${contentId}`, ...cues].join('\n\n')}\n`, madeOf: [contentId] };
}

/** ffmpeg reads these characters of a value after a backslash only (ffmpeg-formats, Metadata). */
const escaped = (text: string): string => text.replaceAll(/[=;#\\\n]/g, (character) => `\\${character}`);

/** The same chapters as metadata of ffmpeg. */
export function ffmetadataChapters(runtime: VerifiedRuntime, form: GradeForm): ExportedFile {
  const { shots, contentId } = shotsOf(runtime, form);
  const head = [';FFMETADATA1', `;shot changes ${contentId}`, `title=${escaped(runtime.source.registered.label)}`];
  const chapters = shots.flatMap(({ startMs, endMs }, at) => [
    '[CHAPTER]',
    'TIMEBASE=1/1000',
    `START=${startMs}`,
    `END=${endMs}`,
    `title=Shot ${at + 1}`,
  ]);
  return { text: `${[...head, ...chapters].join('\n')}\n`, madeOf: [contentId] };
}

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

/**
 * A line of a transcript in a file; one that a person corrected has neither the measures nor the speaker of the recognized line.
 */
type TranscriptFileLine = TranscriptLineFact | SpokenLine;

interface TranscriptFile {
  readonly lines: readonly TranscriptFileLine[];
  readonly contentId: string;
  /** The passages that were not recognized. */
  readonly missing: readonly UnrecognizedRegion[];
  /** The newest correction of the lines; null for a transcript as it was recognized. */
  readonly correction: StoredReceipt<CorrectionReceipt> | null;
}

/**
 * The lines of a transcript that passed every gate, with the corrections of a person unless the request is for the original.
 * Throws `export_unavailable` if nothing was recognized.
 */
function passedLines(runtime: VerifiedRuntime, { corrections: shown }: TranscriptForm): TranscriptFile {
  const { facts, contentId } = demandEvidence(runtime, 'transcript');
  const lines = facts.flatMap((fact) => (fact.kind === 'transcript_line' && fact.outcome === 'passed' ? [fact] : []));
  const { corrections } = runtime.execution?.study.tail ?? { corrections: noCorrections };
  const newest = corrections.chain.at(-1)?.receipt ?? null;
  const isShown = shown === 'applied' && isCorrected(corrections) && (corrections.base?.transcriptLines.size ?? 0) > 0;
  const missing = unrecognizedIn({ facts });
  if (!isShown || newest === null) return { lines, missing, contentId, correction: null };
  return { lines: correctedTranscript(lines, corrections), missing, contentId, correction: newest };
}

const madeOfTranscript = ({ contentId, correction }: TranscriptFile): string[] =>
  correction === null ? [contentId] : [contentId, correction.contentId];

/** The lines of a file of a transcript: the corrected or the original ones. */
interface TranscriptForm {
  readonly corrections: ShownCorrections;
}

const timesOf = ({ startMs, endMs }: SpokenLine): string => `${webVttTime(startMs)} --> ${webVttTime(endMs)}`;

/** The recognized text as SubRip. The format has no comments. */
export function subRipTranscript(runtime: VerifiedRuntime, form: TranscriptForm): ExportedFile {
  const file = passedLines(runtime, form);
  const cues = file.lines.map(
    (line, at) => `${at + 1}\n${timesOf(line).replaceAll('.', ',')}\n${subRipText(line.text)}\n`,
  );
  return { text: cues.join('\n'), madeOf: madeOfTranscript(file) };
}

/** The recognized text as WebVTT, with a note that it was recognized, from what, and which passages were not. */
export function webVttTranscript(runtime: VerifiedRuntime, form: TranscriptForm): ExportedFile {
  const file = passedLines(runtime, form);
  const { contentId, correction, missing } = file;
  const note = [
    ...(correction === null ? [] : [`corrected by a person, correction receipt ${correction.body.receiptId}`]),
    // The code alone: a note ends at an arrow, which may be in the words of a server.
    ...missing.map(
      ({ startMs, endMs, cause }) =>
        `not recognized from ${webVttTime(startMs)} to ${webVttTime(endMs)}: ${cause.code}`,
    ),
  ];
  // Parts of one line would have one name.
  const cues = file.lines.map((line, at) => {
    const name = 'words' in line ? `line-${line.index}` : `corrected-line-${at + 1}`;
    return `${name}\n${timesOf(line)}\n${webVttText(line.text)}`;
  });
  return {
    text: `${['WEBVTT', ['NOTE', `recognised, transcript ${contentId}`, ...note].join('\n'), ...cues].join('\n\n')}\n`,
    madeOf: madeOfTranscript(file),
  };
}

/** The recognized text as a label track of Audacity: start, end and text in tabs, in seconds. */
export function transcriptLabels(runtime: VerifiedRuntime, form: TranscriptForm): ExportedFile {
  const file = passedLines(runtime, form);
  const labels = file.lines.map((line) => labelLineOf(line, line.text));
  return { text: labels.join(''), madeOf: madeOfTranscript(file) };
}

/** The same as a table (RFC 4180), with the mean confidence of the words if the recognizer gave one. */
export function transcriptTable(runtime: VerifiedRuntime, form: TranscriptForm): ExportedFile {
  const file = passedLines(runtime, form);
  const rows = file.lines.map((line) => {
    const isRecognized = 'words' in line;
    const [speaker, confidence] = isRecognized ? [line.speaker, line.measures.confidence ?? ''] : ['unknown', ''];
    const from = isRecognized ? file.contentId : (file.correction?.contentId ?? '');
    return [line.startMs, line.endMs, speaker, confidence, textCell(line.text), from].join(',');
  });
  return {
    text: `${['startMs,endMs,speaker,confidence,recognised,evidence', ...rows].join('\r\n')}\r\n`,
    madeOf: madeOfTranscript(file),
  };
}

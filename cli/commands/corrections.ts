import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { correctionParts } from '../../client/captions.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { type CaptionSide, lineBreaks } from '../../contract/captions/caption-line.ts';
import type {
  AskedChange,
  AskedLine,
  CaptionCorrectionPreview,
  CaptionCorrections,
  CorrectionChange,
  ShownLine,
} from '../../contract/captions/correction.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import { styledSide, unreadMarkup } from '../../contract/captions/styled-text.ts';
import { findingWords, guidelineNames } from '../../contract/causes/guideline-words.ts';
import { placeOverride, subRipRow } from '../../formats/caption-markup.ts';
import { countText, timeCode } from '../../formats/readable-numbers.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { openSubtitleFile, plainOfSubRip } from '../../formats/subtitles.ts';
import { type FlagTable, type GivenFlags, pathOption, single, toggle } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { webVttTime } from '../../receipts/captions/webvtt.ts';
import { captionRows } from '../../rules/caption-rows.ts';
import { areOneLanguage } from '../../rules/languages.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { FileTooLarge, namedFile } from '../named-file.ts';
import { asTyped, type CommandCall, WrongCall } from '../terminal/call.ts';
import { englishName } from '../terminal/language-tag.ts';
import { isAgreed } from '../terminal/question.ts';
import { captionsFileLine, namedReasons } from '../terminal/summary.ts';
import { studyArgument } from './named.ts';
import { mustAgree } from './reviewer.ts';

/** The flags of `captions edit` beside those of `captions`. */
export const editFlags: FlagTable = {
  file: single('FILE', null, 'edit: an SRT with the corrected lines; without it your editor opens one'),
  revert: single('CORRECTION', null, 'edit: reverts a correction: its id, the beginning of its id, or last'),
  note: single('TEXT', null, 'edit: a note of up to 280 characters'),
  attest: toggle('edit: attests without a question; needs --reviewer'),
  reviewer: single('NAME', 'asked at a terminal', 'edit: the name or the id of the reviewer of the host'),
};

/** A cue of an edited file. */
export interface EditedCue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

/** The side of the lines that a file has, and its language; null if the study has not named its languages. */
export interface EditedSide {
  readonly side: CaptionSide;
  readonly language: string | null;
  /** Source and target have the same base language: there is one text. */
  readonly isOneLanguage: boolean;
  /** The file marks the lines that have no text on this side. An export leaves them out, which drops none of them. */
  readonly marksTextless: boolean;
}

const srtTime = (ms: number): string => webVttTime(ms).replace('.', ',');

/**
 * The text of a cue in a file to edit: the text of the line, or the reason why the host has none. A text in its place is a
 * person's. A line that a person added may have no text on a side, and no reason for it.
 */
const cueTextOf = (line: ShownLine, side: CaptionSide): string => {
  const { text, state, reasonCode } = line[side];
  if (text === null) return reasonCode === null ? '[no text yet]' : `[${state}: ${reasonCode}]`;
  // A blank line would end the cue.
  return plainOfSubRip(text).replaceAll(/\n\s*\n/g, '\n');
};

/** The lines as an SRT that a person edits. */
export const editableSrt = (lines: readonly ShownLine[], side: CaptionSide): string =>
  lines
    .map((line, at) => `${at + 1}\n${srtTime(line.startMs)} --> ${srtTime(line.endMs)}\n${cueTextOf(line, side)}\n`)
    .join('\n');

/** The old lines and the present cues between two cues that nothing changed. */
interface Stretch {
  readonly lines: ShownLine[];
  readonly cues: EditedCue[];
}

/** True if a cue has the text of a line: that of the editable file, or the rows of an export of any version. */
function hasTextOf(line: ShownLine, cue: EditedCue, { side, language }: EditedSide): boolean {
  if (cueTextOf(line, side) === cue.text) return true;
  if (line[side].text === null || language === null) return false;
  const styled = styledSide(line[side]);
  return lineBreaks.options.some((breaks) => {
    const rows = captionRows(styled, language, breaks).map(subRipRow);
    return plainOfSubRip(`${placeOverride(styled.alignment)}${rows.join('\n')}`) === cue.text;
  });
}

const isAsBefore = (line: ShownLine, cue: EditedCue, of: EditedSide): boolean =>
  line.startMs === cue.startMs && line.endMs === cue.endMs && hasTextOf(line, cue, of);

function stretchesOf(lines: readonly ShownLine[], cues: readonly EditedCue[], of: EditedSide): Stretch[] {
  const stretches: Stretch[] = [{ lines: [], cues: [] }];
  let next = 0;
  for (const line of lines) {
    const found = cues.findIndex((cue, at) => at >= next && isAsBefore(line, cue, of));
    if (found < 0) {
      stretches.at(-1)?.lines.push(line);
      continue;
    }
    stretches.at(-1)?.cues.push(...cues.slice(next, found));
    stretches.push({ lines: [], cues: [] });
    next = found + 1;
  }
  stretches.at(-1)?.cues.push(...cues.slice(next));
  return stretches.filter((stretch) => stretch.lines.length + stretch.cues.length > 0);
}

const overlaps = (one: Omit<EditedCue, 'text'>, other: Omit<EditedCue, 'text'>): boolean =>
  one.startMs < other.endMs && other.startMs < one.endMs;

/** True if the cues of a stretch are its lines in another time: most of them have the texts of these lines, in order. */
function areShifted({ lines, cues }: Stretch, of: EditedSide): boolean {
  if (cues.length !== lines.length || cues.every((cue) => lines.some((line) => overlaps(line, cue)))) return false;
  const same = lines.filter((line, at) => {
    const cue = cues[at];
    return cue !== undefined && hasTextOf(line, cue, of);
  });
  return 2 * same.length > lines.length;
}

/** Lines and cues that belong together: those whose times meet. A cue that meets no line is by itself: a person added it. */
function groupsOf(stretch: Stretch, of: EditedSide): Stretch[] {
  const { lines, cues } = stretch;
  if (areShifted(stretch, of)) {
    // They were shifted further than they are long.
    return lines.map((line, at) => ({ lines: [line], cues: cues.slice(at, at + 1) }));
  }
  const groups: Stretch[] = [];
  for (const line of lines) {
    const met = cues.filter((cue) => overlaps(line, cue));
    const last = groups.at(-1);
    const isJoined = last?.cues.some((cue) => met.includes(cue)) ?? false;
    if (last !== undefined && isJoined) {
      last.lines.push(line);
      last.cues.push(...met.filter((cue) => !last.cues.includes(cue)));
    } else groups.push({ lines: [line], cues: met });
  }
  const added = cues.filter((cue) => !groups.some((group) => group.cues.includes(cue)));
  return [...groups, ...added.map((cue) => ({ lines: [], cues: [cue] }))];
}

function changeOf({ lines, cues }: Stretch, of: EditedSide): AskedChange {
  const { side, isOneLanguage } = of;
  const other = side === 'source' ? 'target' : 'source';
  const isSplit = cues.length > 1 && !isOneLanguage;
  return {
    lineIds: lines.map(({ id }) => id),
    lines: cues.map((cue): AskedLine => {
      const { startMs, endMs } = cue;
      const kept = lines.find((line) => hasTextOf(line, cue, of));
      const text = kept === undefined ? cue.text : kept[side].text;
      // Each part of a line needs a text on both sides; only a person can tell which words of the other side are its own.
      const others = lines.flatMap((line) => line[other].text ?? []).join('\n');
      return {
        startMs,
        endMs,
        ...(text === null ? {} : { [side]: text }),
        ...(isSplit && others !== '' ? { [other]: others } : {}),
      };
    }),
  };
}

/**
 * The changes that a person made in a file of these lines. A cue in a time without a line adds one. Added lines come last, when the
 * others have made room for them.
 */
export function changesIn(lines: readonly ShownLine[], cues: readonly EditedCue[], of: EditedSide): AskedChange[] {
  const inOrder = cues.toSorted((one, other) => one.startMs - other.startMs || one.endMs - other.endMs);
  const isLeftOut = (group: Stretch): boolean =>
    !of.marksTextless && group.cues.length === 0 && group.lines.every((line) => line[of.side].text === null);
  const groups = stretchesOf(lines, inOrder, of)
    .flatMap((stretch) => groupsOf(stretch, of))
    .filter((group) => !isLeftOut(group));
  const isAdded = (group: Stretch): boolean => group.lines.length === 0;
  return [...groups.filter((group) => !isAdded(group)), ...groups.filter(isAdded)].map((group) => changeOf(group, of));
}

/** The cues of an edited file; `path` names it for people. Throws `WrongCall` for a file that is not SubRip. */
export function editedCues(bytes: Uint8Array, path: string): EditedCue[] {
  try {
    const { cues } = resultOfSteps(openSubtitleFile(bytes, { format: 'srt', encoding: null }));
    return cues.map(({ startMs, endMs, text }) => ({ startMs, endMs, text: plainOfSubRip(text.trim()) }));
  } catch (error) {
    throw new WrongCall(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Why a file with other text was not replaced by the captions of a study. It may have the edits of a person: the command that takes them
 * into the record comes first, the one that overwrites them last. `isEditable` is true for an SRT in one language, which can be taken.
 */
export function keptFileText(
  path: string,
  { runtimeId, isEditable, overwriting }: { runtimeId: string; isEditable: boolean; overwriting: string },
): string {
  const edit = `captions edit ${runtimeId}`;
  const taking = isEditable
    ? `Use your edits:\n  ${asTyped(`${edit} --file ${shellPath(path)}`)}`
    : `Edit the lines of the captions instead:\n  ${asTyped(edit)}`;
  return `${path} has other text than the captions, so it was kept. ${taking}\nOr overwrite it:\n  ${overwriting}`;
}

/** The most bytes of corrected lines: far more than captions of the longest range have. */
const mostEditedBytes = 64 * 1024 * 1024;

/**
 * True if a file has the present lines of a side, whatever its line breaks. The record has all edits in it then. False for a file that
 * is missing, and for one that is not SubRip.
 */
export async function hasPresentLines(
  path: string,
  { lines, languages }: Pick<CaptionCorrections, 'lines' | 'languages'>,
  side: CaptionSide,
): Promise<boolean> {
  if (languages === null) return false;
  const isOneLanguage = areOneLanguage(languages.source, languages.target);
  try {
    const cues = editedCues(await namedFile(path, mostEditedBytes), path);
    return (
      changesIn(lines, cues, { side, language: languages[side], isOneLanguage, marksTextless: false }).length === 0
    );
  } catch {
    return false;
  }
}

/** The bytes of the file that a person names. Throws `WrongCall`. */
async function fileOf(path: string): Promise<Uint8Array> {
  try {
    return await namedFile(path, mostEditedBytes);
  } catch (error) {
    if (error instanceof FileTooLarge) throw new WrongCall(`--file ${path}: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    throw new WrongCall(
      `--file ${path}: ${code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`}`,
    );
  }
}

/** Opens the editor of the person on a file; resolves when it is closed. Throws `WrongCall`. */
async function edited(path: string): Promise<void> {
  // A variable that is empty names no editor.
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi';
  // An editor may be given with arguments, as in `code --wait`.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, editor, path], { stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0)
    throw new WrongCall(`${editor} ended with ${code}: nothing was corrected; EDITOR names another editor`);
}

const shownText = (text: string | null): string => (text === null ? '(no text)' : text.replaceAll('\n', ' / '));

/** One change on the lines that a person reads before attesting it. */
function changeLines({ lineIds, lines: after }: AskedChange, known: readonly ShownLine[], side: CaptionSide): string[] {
  const before = known.filter(({ id }) => lineIds.includes(id));
  return [
    ...before.map((line) => `  - ${timeCode(line.startMs)}  ${shownText(line[side].text)}`),
    ...after.map((line) => `  + ${timeCode(line.startMs)}  ${shownText(line[side] ?? before[0]?.[side].text ?? null)}`),
  ];
}

/** The markup that a file will show as text, although a person may have meant it as a style. */
function unreadMarkupLines(changes: readonly AskedChange[], side: CaptionSide): string[] {
  const texts = changes.flatMap(({ lines }) => lines.map((line) => line[side] ?? ''));
  const found = [...new Set(texts.flatMap(unreadMarkup))];
  if (found.length === 0) return [];
  return [
    `shown as text: ${found.join(' ')} (captions keep <i>, <b>, <u>, and a place such as {\\an8}; remove what is not meant as text)`,
  ];
}

const sides = ['source', 'target'] as const satisfies readonly CaptionSide[];

/** The lines that a revert of one change takes and brings back, on the sides whose words it had changed. A change of times has one side. */
export function revertedLines({ kind, before, after }: CorrectionChange): string[] {
  const wordsOf = (lines: CorrectionChange['after'], side: CaptionSide) =>
    JSON.stringify(lines.map((line) => line[side].text));
  const changed = sides.filter((side) => wordsOf(before, side) !== wordsOf(after, side));
  const listed = (sign: string, lines: CorrectionChange['after'], side: CaptionSide) =>
    lines.map((line) => `  ${sign} ${timeCode(line.startMs)}  ${shownText(line[side].text)}`);
  return [
    `taken back: ${kind}`,
    ...(changed.length === 0 ? [sides[1]] : changed).flatMap((side) => [
      ...listed('-', after, side),
      ...listed('+', before, side),
    ]),
  ];
}

/** The findings of the check, and of the guidelines on the lines of one side that a draft changes: in the rows of its file. */
export function findingLines(
  { check, lines, written = [] }: Pick<CaptionCorrectionPreview, 'check' | 'lines' | 'written'>,
  side: CaptionSide,
): string[] {
  const changed = new Set(
    lines.flatMap(({ id, changed: by }) => (by !== null && by.correctionId === null ? [id] : [])),
  );
  const placeOf = (lineId: string) => timeCode(lines.find(({ id }) => id === lineId)?.startMs ?? 0);
  const withheld = lines.filter(({ id, decision }) => changed.has(id) && decision.outcome === 'withheld');
  const reports = written.find(({ file }) => file.side === side)?.reports ?? [];
  const found = reports.flatMap((report) =>
    report.findings
      .filter(({ lineId }) => changed.has(lineId))
      .map(
        (finding) =>
          `cue ${finding.number} at ${timeCode(finding.startMs)}: ${findingWords(finding, report)} (${guidelineNames[report.guideline.id]})`,
      ),
  );
  return [
    `check: ${check.outcome}, ${countText(check.acceptedCount, 'line')} of ${check.acceptedCount + check.withheldCount}`,
    ...withheld.map(({ id, decision }) => `  ${placeOf(id)}  withheld: ${namedReasons([decision.reasonCode])}`),
    ...found.map((line) => `  ${line}`),
  ];
}

/** Lets the person at the terminal attest, or takes the name that was given. Throws `WrongCall`. */
async function attested(call: CommandCall, { reviewer }: CaptionCorrections): Promise<void> {
  if (!(await mustAgree(call, reviewer, { statement: reviewer.correctionAttestation, verb: 'correct' }))) return;
  if (!(await isAgreed(call.terminal, 'Sign this correction?')))
    throw new WrongCall('nothing was corrected: not attested');
}

async function written(
  { given, host, terminal }: CommandCall,
  runtimeId: string,
  known: CaptionCorrections,
  asked: { readonly changes: readonly AskedChange[] } | { readonly reverts: string },
): Promise<ExitCode> {
  const by = { reviewerId: known.reviewer.id, attestation: known.reviewer.correctionAttestation };
  const note = given.single('note') ?? null;
  const answer = await host.captions.correct(runtimeId, asked, { by, note, on: known });
  const ids = answer.corrections.slice(known.corrections.length).map(({ correctionId }) => correctionId);
  const verdict = answer.check;
  terminal.result(answer, [
    ...ids,
    ...(verdict === null
      ? []
      : [
          verdict.outcome === 'accepted'
            ? `accepted: ${countText(verdict.acceptedCount, 'line')}`
            : `withheld: ${namedReasons([verdict.reasonCode])}; correct those lines, or take the correction back by --revert last`,
        ]),
  ]);
  const overview = await host.overview(runtimeId);
  if (overview.actions.some(({ action }) => action === 'read_captions')) terminal.remark(captionsFileLine(overview));
  return verdict?.outcome === 'withheld' ? exitCodes.withheld : exitCodes.done;
}

async function revert(
  call: CommandCall,
  runtimeId: string,
  known: CaptionCorrections,
  named: string,
): Promise<ExitCode> {
  const { corrections } = known;
  if (corrections.length === 0) throw new WrongCall('this study has no corrections');
  const meant = corrections.filter(({ correctionId }) =>
    [correctionId, correctionId.slice('caption-correction:'.length)].some((id) => id.startsWith(named)),
  );
  const [only, ...others] = named === 'last' ? corrections.slice(-1) : meant;
  if (only === undefined || others.length > 0) {
    const listed = corrections.map(({ correctionId, recordedAt }) => `  ${correctionId}  ${recordedAt}`);
    const what =
      only === undefined ? `no correction of this study is called ${named}` : `several corrections begin with ${named}`;
    throw new WrongCall([`${what}; its corrections:`, ...listed].join('\n'));
  }
  for (const change of only.changes) for (const line of revertedLines(change)) call.terminal.remark(line);
  await attested(call, known);
  return written(call, runtimeId, known, { reverts: only.correctionId });
}

interface EditedFile {
  readonly cues: readonly EditedCue[];
  readonly side: CaptionSide;
  /** The editor had the lines of `editableSrt`. */
  readonly isFromEditor: boolean;
}

/** Shows the changes with the findings of the check, asks for the attestation, and writes them. */
async function correct(
  call: CommandCall,
  runtimeId: string,
  known: CaptionCorrections,
  { cues, side, isFromEditor }: EditedFile,
): Promise<ExitCode> {
  const { terminal, host } = call;
  const { languages, lines, head } = known;
  const isOneLanguage = languages !== null && areOneLanguage(languages.source, languages.target);
  const marks = lines.filter((line) => line[side].text === null).map((line) => cueTextOf(line, side));
  const marksTextless = isFromEditor || cues.some(({ text }) => marks.includes(text));
  const language = languages?.[side] ?? null;
  const changes = changesIn(lines, cues, { side, language, isOneLanguage, marksTextless });
  if (changes.length === 0) {
    terminal.result(known, ['nothing was changed']);
    return exitCodes.done;
  }
  const whose = isOneLanguage || language === null ? '' : ` of the ${englishName(language)} lines`;
  terminal.remark(`${countText(changes.length, 'change')}${whose}:`);
  for (const change of changes) for (const line of changeLines(change, lines, side)) terminal.remark(line);
  for (const line of unreadMarkupLines(changes, side)) terminal.remark(line);
  if (head !== null && correctionParts(changes).length === 1) {
    const preview = await host.captions.correctionPreview(runtimeId, { head, changes, lines: presentBreaks });
    for (const line of findingLines(preview, side)) terminal.remark(line);
  }
  if (!isOneLanguage && changes.some((change) => change.lines.length > 1)) {
    const other = side === 'source' ? 'target' : 'source';
    terminal.remark(`each part of a split line has all words of its ${other} side: edit that with --side ${other}`);
  }
  await attested(call, known);
  return written(call, runtimeId, known, { changes });
}

/** The side of the lines that a call names. Throws `WrongCall`. */
export const sideOf = (given: GivenFlags): CaptionSide => {
  const side = given.single('side') ?? 'target';
  if (side !== 'source' && side !== 'target') throw new WrongCall(`--side ${side}: source or target`);
  return side;
};

/** Throws `WrongCall` for a call of `captions edit` that is wrong whatever the host answers. */
export function checkEdit(given: GivenFlags): void {
  sideOf(given);
  if (given.has('produce')) throw new WrongCall('--produce does not go with edit; leave it out');
  if (given.has('file') && given.has('revert')) throw new WrongCall('--file and --revert: give one of them');
  if (given.has('attest') && !given.has('reviewer')) throw new WrongCall('--attest needs --reviewer NAME');
}

/** The lines of a study that can be corrected. Throws `WrongCall` with the reason if none can. */
async function correctable(host: StudyHost, runtimeId: string): Promise<CaptionCorrections> {
  const known = await host.captions.corrections(runtimeId);
  if (known.obstacle === null) return known;
  throw new WrongCall(`nothing can be corrected: ${known.obstacle.message} (${known.obstacle.code})`);
}

/** Corrects captions: by an SRT of the person, by their editor, or by taking a correction back. */
export async function editCaptions(call: CommandCall): Promise<ExitCode> {
  const { given, terminal, host } = call;
  const runtimeId = await studyArgument(call, 1);
  const side = sideOf(given);
  const known = await correctable(host, runtimeId);
  const reverts = given.single('revert');
  if (reverts !== undefined) return revert(call, runtimeId, known, reverts);
  const file = pathOption(given, 'file');
  if (file !== null) {
    const cues = editedCues(await fileOf(file), file);
    return correct(call, runtimeId, known, { cues, side, isFromEditor: false });
  }
  if (!terminal.isInteractive) {
    throw new WrongCall('an editor needs a terminal: give the corrected lines by --file');
  }
  const folder = await mkdtemp(join(tmpdir(), 'media-study-captions-'));
  const path = join(folder, `captions.${known.languages?.[side] ?? side}.srt`);
  await writeFile(path, editableSrt(known.lines, side), { mode: 0o600 });
  try {
    await edited(path);
    const cues = editedCues(await readFile(path), path);
    const exit = await correct(call, runtimeId, known, { cues, side, isFromEditor: true });
    await rm(folder, { recursive: true, force: true });
    return exit;
  } catch (error) {
    terminal.remark(
      `your text is in ${path}: ${asTyped(`captions edit ${runtimeId} --side ${side} --file ${shellPath(path)}`)} continues with it`,
    );
    throw error;
  }
}

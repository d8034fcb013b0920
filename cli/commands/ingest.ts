import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { IngestFailed, NotMedia } from '../../client/host-error.ts';
import type { IngestOptions, UploadProgress } from '../../client/ingests.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { isSameName } from '../../contract/base/grammar.ts';
import { requestWords } from '../../contract/base/request-fault.ts';
import { ownedIngestFields } from '../../contract/ingest.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { timeCode } from '../../formats/readable-numbers.ts';
import { type FlagTable, type GivenFlags, single } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { dataRootOf, hasDataRoot } from '../options/data-root.ts';
import { argument, asTyped, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { namedHost } from '../terminal/running-host.ts';
import { bytesText, type Terminal } from '../terminal/terminal.ts';
import { attested, checkFile, checkRights, rightsFlags, rightsOf, usualLabel } from './given-file.ts';
import { knownFile, namedSource } from './named.ts';
import { attachedTo, checkSubtitleFiles, givenSubtitles, subtitlesFlags, trackLine } from './sources.ts';

/**
 * Milliseconds of a time as people write it: seconds (`90`, `90.5`), minutes (`1:30`) or hours (`1:02:03.250`). Null for
 * anything else.
 */
export function millisecondsOf(text: string): number | null {
  const match = /^(?:(?:(\d+):)?([0-5]?\d):)?(\d+)(?:\.(\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const [, hours = '0', minutes = '', seconds = '', fraction = ''] = match;
  if (minutes !== '' && Number(seconds) > 59) return null;
  const whole = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole * 1000 + Number(fraction.padEnd(3, '0'));
}

/**
 * Works on the arguments one after the other. If one of several media cannot be taken in, only its own work ends. A line on
 * stderr names it with the reason, the others follow, and the command ends with 1.
 */
export async function onEachSource(call: CommandCall, work: (what: string) => Promise<ExitCode>): Promise<ExitCode> {
  const { positional } = call.given;
  let exit: ExitCode = exitCodes.done;
  for (const what of positional) {
    try {
      const ended = await work(what);
      if (ended !== exitCodes.done) exit = ended;
    } catch (error) {
      const isFile = error instanceof IngestFailed || error instanceof NotMedia;
      if (!isFile || positional.length === 1 || call.signal.aborted) throw error;
      call.terminal.remark(`${what}: ${error.code}: ${error.message}`);
      exit = exitCodes.failed;
    }
  }
  return exit;
}

/** The part of a source, in time codes. */
export const rangeFlags: FlagTable = {
  from: single('TIME', 'the start', 'where the range begins, such as 90, 1:30 or 1:02:03.250'),
  to: single('TIME', 'the end', 'where the range ends'),
};

export const isAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** The value of `--from` or `--to` in milliseconds; null where it was not given. Throws `WrongCall`. */
export function timeOf({ given }: Pick<CommandCall, 'given'>, name: 'from' | 'to'): number | null {
  const text = given.single(name);
  if (text === undefined) return null;
  const value = millisecondsOf(text);
  if (value === null) throw new WrongCall(`--${name} ${text}: a time is needed, such as 90, 1:30 or 1:02:03.250`);
  return value;
}

/**
 * The source that an argument names by its id, its label or the bytes of a file, with the given subtitle files. Other media is
 * taken in first. So is a known file if the call has a label, or if no person answers for the source, such as the sample.
 * Throws `WrongCall` without an attestation, and for subtitle files of several media.
 */
export async function sourceOf(call: CommandCall, what: string): Promise<SourceSessionRow> {
  const isFile = existsSync(what);
  const hasLabel = call.given.single('label') !== undefined;
  const named = await namedSource(call, what, !isFile);
  if (named !== undefined) {
    if (hasLabel) call.terminal.remark(`${what} is there already and keeps its label: --label is only for new media`);
    return withSubtitles(call, named, givenSubtitles(call));
  }
  if (isAddress(what) || !isFile) return ingested(call, what);
  await checkMedia(resolve(what), what);
  const known = await knownFile(call, what);
  if (known === undefined || hasLabel || known.rightsScope !== 'local_processing') return ingested(call, what, known);
  remarkOnLabel(call, basename(what), known);
  return withSubtitles(call, known, givenSubtitles(call));
}

/** Names the source of a known file that is called otherwise. */
function remarkOnLabel({ terminal }: CommandCall, file: string, { label, sourceSessionId }: SourceSessionRow): void {
  if (isSameName(label, usualLabel(file, extname(file)))) return;
  terminal.remark(`${file} is known as "${label}" (${sourceSessionId}); --label TEXT renames it`);
}

/**
 * Takes in one file or one range of a video with the given subtitle files, and reports its progress. A file keeps the label of the
 * `known` source with its bytes. Throws `WrongCall` without an attestation, and for subtitle files of several media.
 */
async function ingested(call: CommandCall, what: string, known?: SourceSessionRow): Promise<SourceSessionRow> {
  const files = givenSubtitles(call);
  const source = await (isAddress(what) ? ingestedVideo(call, what) : ingestedFile(call, resolve(what), known));
  return withSubtitles(call, source, files);
}

/** Attaches subtitle files to a source, lists them as tracks, and returns the source with them. */
async function withSubtitles(
  call: CommandCall,
  source: SourceSessionRow,
  files: readonly string[],
): Promise<SourceSessionRow> {
  const attached = await attachedTo(call, source, files);
  for (const track of attached.tracks) call.terminal.remark(`attached ${trackLine(track)}`);
  return attached.source;
}

/** Throws `WrongCall` for what can be taken in neither by its bytes nor by its name. */
async function checkMedia(path: string, absent: string): Promise<void> {
  await checkFile(path, absent);
  const [issue] = ownedIngestFields.filename.safeParse(basename(path), requestWords).error?.issues ?? [];
  if (issue === undefined) return;
  throw new WrongCall(`${path}: the file name ${issue.message}; rename the file, or give a link with another name`);
}

/** True for the path of a file. The sources of a new data root, such as the sample, have neither a slash nor an extension. */
const isPath = (what: string): boolean => !isAddress(what) && (what.includes('/') || extname(what) !== '');

/** Throws `WrongCall` on a new data root for a missing file, and for one without an attestation: none is made for it then. */
export async function checkNewMedia(call: Pick<CommandCall, 'given' | 'terminal'>): Promise<void> {
  const { given } = call;
  if (namedHost(process.env) !== null || hasDataRoot(given)) return;
  // Settings may name folders of sources with any label.
  const hasSettings = existsSync(dataRootAt(dataRootOf(given)).settings);
  for (const what of given.positional) {
    if (existsSync(what)) await checkRights(call, basename(what));
    else if (isPath(what) && !hasSettings)
      throw new WrongCall(`there is no file ${resolve(what)}, and no source of a new data root has that name`);
  }
}

async function ingestedFile(call: CommandCall, path: string, known?: SourceSessionRow): Promise<SourceSessionRow> {
  const { host, given, signal, terminal } = call;
  const absent = `there is no file ${path}, and no source of this host has that name: ${asTyped('sources')} lists them`;
  await checkMedia(path, absent);
  const { size } = await stat(path);
  const filename = basename(path);
  if (known !== undefined && given.single('label') === undefined) remarkOnLabel(call, filename, known);
  const rightsHolder = await rightsOf(call, filename);
  terminal.progress(`${filename}: ${bytesText(size)}`);
  const shown = shownAs(call, filename);
  const label = given.single('label') ?? known?.label ?? usualLabel(path, extname(path));
  const onUpload = uploadProgressOf(call, filename);
  return host.ingestFile(path, { label, rightsHolder, ownershipAttested: true, ...shown, onUpload, signal });
}

async function ingestedVideo(call: CommandCall, url: string): Promise<SourceSessionRow> {
  const [startMs, endMs] = [timeOf(call, 'from'), timeOf(call, 'to')];
  if (startMs === null || endMs === null) throw new WrongCall('a video needs --from and --to');
  await attested(call, 'download and process this range');
  const request: Parameters<StudyHost['ingestVideo']>[0] = { url, startMs, endMs, localProcessingConfirmed: true };
  return call.host.ingestVideo(request, { ...shownAs(call, url), signal: call.signal });
}

/** How a person sees an ingest go on. */
const shownAs = ({ terminal }: CommandCall, name: string): Pick<IngestOptions, 'onProgress' | 'onMeasured'> => ({
  onProgress: ({ status }) => {
    if (status === 'registered' || status === 'failed') terminal.progress(`${name}: ${status}`);
  },
  onMeasured: (progress) => terminal.measured(name, progress),
});

/** Says each tenth of an upload once. */
function uploadProgressOf({ terminal }: CommandCall, name: string) {
  let said = 0;
  return ({ sent, total }: UploadProgress) => {
    const tenths = Math.floor((10 * sent) / total);
    if (tenths !== said) terminal.progress(`${name}: ${tenths * 10} % sent`);
    said = tenths;
  };
}

async function check(given: GivenFlags, terminal: Terminal): Promise<void> {
  argument(given, 0, 'FILE or URL');
  const files = given.positional.filter((what) => !isAddress(what)).map((what) => resolve(what));
  await Promise.all(files.map((path) => checkMedia(path, `there is no file ${path}`)));
  await checkSubtitleFiles({ given, terminal }, givenSubtitles({ given }));
  for (const path of files) await checkRights({ given, terminal }, basename(path));
}

async function run(call: CommandCall, what: string): Promise<ExitCode> {
  const source = await ingested(call, what, isAddress(what) ? undefined : await knownFile(call, what));
  call.terminal.result(source, [`${source.sourceSessionId}  ${timeCode(source.durationMs)}  ${source.label}`]);
  return exitCodes.done;
}

/** Takes in files, or a range of a video. */
export const ingest: HostCommand = {
  usage: 'media-study ingest FILE… [flags], or media-study ingest URL --from TIME --to TIME [flags]',
  purpose: 'Takes in media, and prints the new source.',
  flags: { ...rightsFlags, ...subtitlesFlags, ...rangeFlags, ...hostFlags },
  positionals: 100,
  beginsData: true,
  interrupted: () => 'an ingest under way is canceled',
  check,
  run: (call) => onEachSource(call, (what) => run(call, what)),
};

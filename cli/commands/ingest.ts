import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { IngestOptions } from '../../client/ingests.ts';
import type { StudyHost } from '../../client/study-host.ts';
import type { UploadProgress } from '../../client/upload.ts';
import { ownedIngestFields } from '../../contract/ingest/owned-ingest.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import { timeCode } from '../../receipts/core/time-code.ts';
import { type FlagTable, type GivenFlags, single } from '../options/flags.ts';
import { asTyped } from '../terminal/as-typed.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts';
import { checkFile } from '../terminal/given-file.ts';
import { bytesText } from '../terminal/size.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { millisecondsOf } from '../terminal/time-code.ts';
import { onEachSource } from './each-source.ts';
import { attested, checkRights, rightsFlags, rightsOf } from './rights.ts';
import { attachedTo, checkSubtitleFiles, givenSubtitles, subtitlesFlags, trackLine } from './subtitle-files.ts';
import { usualLabel } from './usual-label.ts';

/** The part of a source, in time codes. */
export const rangeFlags: FlagTable = {
  from: single('TIME', 'the start', 'where it begins, such as 90, 1:30 or 1:02:03.250'),
  to: single('TIME', 'the end', 'where it ends'),
};

export const isAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** The value of `--from` or `--to` in milliseconds; null where it was not given. Throws `WrongCall`. */
export function timeOf({ given }: Pick<Call, 'given'>, name: 'from' | 'to'): number | null {
  const text = given.single(name);
  if (text === undefined) return null;
  const value = millisecondsOf(text);
  if (value === null) throw new WrongCall(`--${name} ${text}: a time is needed, such as 90, 1:30 or 1:02:03.250`);
  return value;
}

/**
 * Takes in one file or one range of a video with the subtitle files that were given, and says how it goes. Throws `WrongCall`
 * without an attestation, and for subtitle files of several media.
 */
export async function ingested(call: Call, what: string): Promise<SourceSessionRow> {
  const files = givenSubtitles(call);
  const source = await (isAddress(what) ? ingestedVideo(call, what) : ingestedFile(call, resolve(what)));
  return withSubtitles(call, source, files);
}

/** Attaches subtitle files to a source, says which tracks they are, and returns the source as it is then. */
export async function withSubtitles(
  call: Call,
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
  const [issue] = ownedIngestFields.filename.safeParse(basename(path)).error?.issues ?? [];
  if (issue === undefined) return;
  throw new WrongCall(`${path}: the name of a file that is taken in ${issue.message}; rename it, or name a link to it`);
}

async function ingestedFile(call: Call, path: string): Promise<SourceSessionRow> {
  const { host, given, signal, terminal } = call;
  const absent = `there is no file ${path}, and no source of this host has that name: ${asTyped('sources')} lists them`;
  await checkMedia(path, absent);
  const { size } = await stat(path);
  const filename = basename(path);
  const rightsHolder = await rightsOf(call, filename);
  terminal.progress(`${filename}: ${bytesText(size)}`);
  const shown = shownAs(call, filename);
  const label = given.single('label') ?? usualLabel(path, extname(path));
  const onUpload = uploadProgressOf(call, filename);
  return host.ingestFile(path, { label, rightsHolder, ownershipAttested: true, ...shown, onUpload, signal });
}

async function ingestedVideo(call: Call, url: string): Promise<SourceSessionRow> {
  const [startMs, endMs] = [timeOf(call, 'from'), timeOf(call, 'to')];
  if (startMs === null || endMs === null) throw new WrongCall('a video needs --from and --to');
  await attested(call, 'you may download and process this range on this machine');
  const request: Parameters<StudyHost['ingestVideo']>[0] = { url, startMs, endMs, localProcessingConfirmed: true };
  return call.host.ingestVideo(request, { ...shownAs(call, url), signal: call.signal });
}

/** How a person sees an ingest go on. */
const shownAs = ({ terminal }: Call, name: string): Pick<IngestOptions, 'onProgress' | 'onMeasured'> => ({
  onProgress: ({ status }) => {
    if (status === 'registered' || status === 'failed') terminal.progress(`${name}: ${status}`);
  },
  onMeasured: (progress) => terminal.measured(name, progress),
});

/** Says each tenth of an upload once. */
function uploadProgressOf({ terminal }: Call, name: string) {
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
  await checkSubtitleFiles({ given }, givenSubtitles({ given }));
  for (const path of files) await checkRights({ given, terminal }, basename(path));
}

async function run(call: Call, what: string): Promise<ExitCode> {
  const source = await ingested(call, what);
  call.terminal.result(source, [`${source.sourceSessionId}  ${timeCode(source.durationMs)}  ${source.label}`]);
  return exitCodes.done;
}

/** Takes in files, or a range of a video. */
export const ingest: HostCommand = {
  usage: 'media-study ingest FILE… [flags], or media-study ingest URL --from TIME --to TIME [flags]',
  purpose: 'Takes in media, and prints the source that comes of it.',
  flags: { ...rightsFlags, ...subtitlesFlags, ...rangeFlags, ...hostFlags },
  positionals: 100,
  beginsData: true,
  interrupted: () => 'an ingest under way is canceled',
  check,
  run: (call) => onEachSource(call, (what) => run(call, what)),
};

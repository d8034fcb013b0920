import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { HostError } from '../../client/host-error.ts';
import { errorCodes, errorRemedies, ServiceError } from '../../contract/base/errors.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import {
  maximumSubtitleBytes,
  notesIn,
  type SubtitleFormat,
  type SubtitleNote,
  type SubtitleTrack,
  subtitleFormat,
} from '../../contract/sources/subtitle-track.ts';
import { countText } from '../../formats/readable-numbers.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import { faultyCues, openSubtitleFile, type WrittenCue } from '../../formats/subtitles.ts';
import { EncodingMismatch } from '../../formats/text-encoding.ts';
import { type FlagTable, type GivenFlags, repeatable, single, storedPath } from '../../options/flags.ts';
import { exitCodes } from '../../options/outputs.ts';
import { baseLanguage } from '../../rules/languages.ts';
import { FileTooLarge, namedFile } from '../named-file.ts';
import { argument, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { checkLanguage } from '../terminal/language-tag.ts';
import { checkFile, checkRights, rightsFlags, rightsOf, usualLabel } from './given-file.ts';
import { sourceLine, sourceNamed } from './named.ts';

async function listSources({ host, terminal }: CommandCall) {
  for (const source of await host.sources()) terminal.result(source, [sourceLine(source)]);
  return exitCodes.done;
}

/** Lists the sources of a host. */
export const sources: HostCommand = {
  usage: 'media-study sources [flags]',
  purpose: 'Lists the sources that can be studied.',
  flags: hostFlags,
  run: listSources,
};

/** The flags for attached subtitle files. */
const subtitleFileFlags: FlagTable = {
  encoding: single('NAME', 'utf-8', 'the encoding of the subtitle files, such as windows-1252'),
  format: single('NAME', 'what the file says', 'the format of the subtitle files: srt, webvtt or ass'),
};

/** The files that are attached to media that is taken in. */
export const subtitlesFlags: FlagTable = {
  subtitles: repeatable('FILE[:LANG]', null, 'a subtitle file to attach, and its language, such as lines.srt:de'),
  ...subtitleFileFlags,
};

/** A subtitle file and its language, as one argument has them; undefined for a language that is not given. */
interface NamedFile {
  readonly path: string;
  readonly language: string | undefined;
}

const withLanguage = /^(.+):([A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)$/s;

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function fileOf(text: string): Promise<NamedFile> {
  // A file may have a colon in its name.
  const isWhole = await isThere(storedPath(text));
  const [, named = text, language] = isWhole ? [] : (withLanguage.exec(text) ?? []);
  const path = storedPath(named);
  await checkFile(path, `there is no subtitle file ${path}`);
  if (language !== undefined) checkLanguage(language, text);
  return { path: resolve(path), language };
}

/**
 * The paths of subtitle files. Throws `WrongCall` for one that cannot be sent, for wrong statements about such files, and where an
 * attestation is missing that no person can give. Throws `HostError` for a file that no host takes: none of them is attached then.
 */
export async function checkSubtitleFiles(
  call: Pick<CommandCall, 'given' | 'terminal'>,
  files: readonly string[],
): Promise<readonly string[]> {
  const format = formatOf(call) ?? null;
  const encoding = call.given.single('encoding') ?? null;
  const named = await Promise.all(files.map(fileOf));
  for (const { path } of named) await checkRights(call, usualLabel(path));
  for (const { path, language: tag } of named) {
    const language = tag === undefined ? null : baseLanguage(tag);
    try {
      resultOfSteps(openSubtitleFile(await subtitleBytes(path), { format, encoding, language }));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { code } = error;
      const likely = error instanceof EncodingMismatch ? error.likely : null;
      const remedy = likely === null ? errorRemedies[code] : `name it: --encoding ${likely}`;
      const message = `${path}: ${error.message}; ${remedy}`;
      throw new HostError({ status: errorCodes[code], code, message, retryAfterSeconds: null });
    }
  }
  return named.map(({ path }) => path);
}

async function subtitleBytes(path: string): Promise<Uint8Array> {
  return namedFile(path, maximumSubtitleBytes).catch((error: unknown) => {
    if (!(error instanceof FileTooLarge)) throw error;
    throw new ServiceError('subtitle_file_too_large', `at most ${maximumSubtitleBytes} bytes are taken`);
  });
}

/** The subtitle files of `--subtitles`. Throws `WrongCall` where the command is about several media. */
export function givenSubtitles({ given }: Pick<CommandCall, 'given'>): readonly string[] {
  const files = given.all('subtitles');
  if (files.length > 0 && given.positional.length > 1) {
    throw new WrongCall('--subtitles belongs to one source: name the others in commands of their own');
  }
  return files;
}

function formatOf({ given }: Pick<CommandCall, 'given'>): SubtitleFormat | undefined {
  const text = given.single('format');
  if (text === undefined) return undefined;
  const format = subtitleFormat.safeParse(text);
  if (format.success) return format.data;
  throw new WrongCall(`--format ${text}: one of ${subtitleFormat.options.join(', ')}`);
}

/** One attached track on one line. */
export const trackLine = ({ trackIndex, language, format, measured, label }: SubtitleTrack): string =>
  `track ${trackIndex}: ${format}, ${language ?? 'language not stated'}, ${countText(measured.cues, 'cue')}, ${label}`;

/** So many cues with a fault are named. */
const namedCues = 5;

/** Cues by their numbers, with what is wrong with one and with several: `cue 4 has no duration`. */
function cuesText(numbers: readonly number[], one: string, several: string): string[] {
  if (numbers.length === 0) return [];
  if (numbers.length === 1) return [`cue ${numbers[0]} ${one}`];
  const named = numbers.slice(0, namedCues).join(', ');
  const all = numbers.length > namedCues ? `, … (${numbers.length} in all)` : '';
  return [`cues ${named}${all} ${several}`];
}

/** Remarks for a person on the cues of a file over media of so many ms, and on what was adapted in it. */
function remarksOn({ label, ...noted }: SubtitleTrack, cues: readonly WrittenCue[], durationMs: number): string[] {
  const { outOfOrder, overlapping, withoutDuration, beyondMedia } = faultyCues(cues, durationMs);
  const faults = [
    ...cuesText(outOfOrder, 'starts before the cue above it', 'start before the cues above them'),
    ...cuesText(overlapping, 'overlaps an earlier cue', 'overlap earlier cues'),
    ...cuesText(withoutDuration, 'has no duration, so it is never shown', 'have no duration, so they are never shown'),
    ...cuesText(beyondMedia, 'starts after the film ends', 'start after the film ends'),
  ];
  const adaptations = notesIn(noted).map(
    ({ note, line, count, found }) => `${adapted[note](count, found)}, from line ${line} on`,
  );
  return [...faults, ...adaptations].map((what) => `${label}: ${what}`);
}

/** The words for an adapted file, with the number of places. */
const adapted: Readonly<Record<SubtitleNote['note'], (count: number, found?: string) => string>> = {
  line_end: (count) => `${countText(count, 'line')} end with a carriage return alone`,
  cue_number: (count) => `${countText(count, 'cue')} without a number`,
  field_order: () => 'the fields of events are in another order',
  end_of_file: (count) => `${count} NUL characters or signs for the end of a file`,
  invisible_mark: (count) => `invisible marks around the numbers, times or headings of ${countText(count, 'line')}`,
  time_form: (count) => `${countText(count, 'cue')} with times in another form`,
  arrow: (count) => `${countText(count, 'line')} of text with the arrow of times`,
  line_separator: (count) => `${countText(count, 'event')} with line separators of Unicode`,
  stream_clock: () => 'the clock of a stream; the times are read as written, so compare them with the film',
  repeated_head: (count) => `${countText(count, 'heading')} of further parts`,
  other_letters: (count, found = '') => `${countText(count, 'cue')} with letters of another language (${found})`,
};

/**
 * Attaches subtitle files, each `FILE` or `FILE:LANG`, to a source; the source as it is then, and its new tracks. Throws
 * `WrongCall` for a file that is not there, and without an attestation.
 */
export async function attachedTo(
  call: CommandCall,
  source: SourceSessionRow,
  files: readonly string[],
): Promise<{ readonly source: SourceSessionRow; readonly tracks: readonly SubtitleTrack[] }> {
  const format = formatOf(call);
  const encoding = call.given.single('encoding');
  const named = await Promise.all(files.map(fileOf));
  const tracks: SubtitleTrack[] = [];
  let current = source;
  for (const { path, language } of named) {
    const label = usualLabel(path);
    const rightsHolder = await rightsOf(call, label);
    const attached = await call.host.subtitles.attach(source.sourceSessionId, path, {
      label,
      rightsHolder,
      ownershipAttested: true,
      signal: call.signal,
      ...(language !== undefined && { language }),
      ...(format !== undefined && { format }),
      ...(encoding !== undefined && { encoding }),
    });
    current = attached.source;
    tracks.push(attached.track);
    const { format: read, encoding: decoded } = attached.track;
    const { cues } = resultOfSteps(
      openSubtitleFile(await subtitleBytes(path), { format: read, encoding: encoding === undefined ? null : decoded }),
    );
    for (const remark of remarksOn(attached.track, cues, source.durationMs)) call.terminal.remark(remark);
  }
  return { source: current, tracks };
}

const { 'rights-holder': rightsHolder, 'attest-rights': attestRights } = rightsFlags;

const subtitlesCommandFlags: FlagTable = {
  detach: single('TRACK', null, 'removes the file of this track from the source'),
  ...subtitleFileFlags,
  ...(rightsHolder && { 'rights-holder': { ...rightsHolder, help: 'who holds the rights in the text' } }),
  ...(attestRights && { 'attest-rights': attestRights }),
  ...hostFlags,
};

/** The track that a call of `subtitles` takes off; null if it takes none off. Throws `WrongCall`. */
function detachedOf(given: GivenFlags): number | null {
  const track = given.single('detach');
  if (track === undefined) return null;
  if (!/^\d{1,9}$/.test(track)) throw new WrongCall(`--detach ${track}: the number of a track is needed`);
  return Number(track);
}

async function attachOrDetach(call: CommandCall) {
  const { host, given, terminal } = call;
  const source = await sourceNamed(call, argument(given, 0, 'SOURCE'));
  const [, ...files] = given.positional;
  await attachedTo(call, source, files);
  const track = detachedOf(given);
  if (track !== null) await host.subtitles.detach(source.sourceSessionId, track);
  const listed = await host.subtitles.list(source.sourceSessionId);
  const { subtitleTracks } = listed;
  terminal.result(
    listed,
    subtitleTracks.length === 0 ? ['no subtitle file is attached'] : subtitleTracks.map(trackLine),
  );
  return exitCodes.done;
}

/** Attaches subtitle files to a source, takes one off, and lists them. */
export const subtitles: HostCommand = {
  usage: 'media-study subtitles SOURCE [FILE[:LANG]…] [flags]',
  purpose:
    'Attaches subtitle files to a source, or removes one, and lists the attached ones. A SOURCE is the id of a source, the beginning of its id, or its label.',
  flags: subtitlesCommandFlags,
  takesVerbs: true,
  positionals: 33,
  check: async (given, terminal) => {
    argument(given, 0, 'SOURCE');
    detachedOf(given);
    await checkSubtitleFiles({ given, terminal }, given.positional.slice(1));
  },
  run: attachOrDetach,
};

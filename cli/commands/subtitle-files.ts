import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import { type SubtitleFormat, type SubtitleTrack, subtitleFormat } from '../../contract/sources/subtitle-track.ts';
import { counted } from '../../receipts/core/checked-link.ts';
import { type FlagTable, repeated, single } from '../options/flags.ts';
import { type Call, WrongCall } from '../terminal/call.ts';
import { checkFile } from '../terminal/given-file.ts';
import { checkLanguage } from '../terminal/language-tag.ts';
import { rightsOf } from './rights.ts';
import { usualLabel } from './usual-label.ts';

/** What is said of subtitle files that are attached. */
export const subtitleFileFlags: FlagTable = {
  encoding: single('NAME', 'utf-8', 'the encoding of the subtitle files, such as windows-1252'),
  format: single('NAME', 'what the file says', 'the format of the subtitle files: srt, webvtt or ass'),
};

/** The files that are attached to media that is taken in. */
export const subtitlesFlags: FlagTable = {
  subtitles: repeated('FILE[:LANG]', null, 'a subtitle file to attach, and its language, such as lines.srt:de'),
  ...subtitleFileFlags,
};

/** A subtitle file and its language, as they stand in one argument; undefined for a language that is not said. */
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
  const isWhole = await isThere(text);
  const [, path = text, language] = isWhole ? [] : (withLanguage.exec(text) ?? []);
  await checkFile(path, `there is no subtitle file ${path}`);
  if (language !== undefined) checkLanguage(language, text);
  return { path: resolve(path), language };
}

/** Throws `WrongCall` for a subtitle file that cannot be sent, and for what is wrongly said of such files. */
export async function checkSubtitleFiles(call: Pick<Call, 'given'>, files: readonly string[]): Promise<void> {
  formatOf(call);
  await Promise.all(files.map(fileOf));
}

/** The subtitle files of `--subtitles`. Throws `WrongCall` where the command is about several media. */
export function givenSubtitles({ given }: Pick<Call, 'given'>): readonly string[] {
  const files = given.all('subtitles');
  if (files.length > 0 && given.positional.length > 1) {
    throw new WrongCall('--subtitles belongs to one source: name the others in commands of their own');
  }
  return files;
}

function formatOf({ given }: Pick<Call, 'given'>): SubtitleFormat | undefined {
  const text = given.single('format');
  if (text === undefined) return undefined;
  const format = subtitleFormat.safeParse(text);
  if (format.success) return format.data;
  throw new WrongCall(`--format ${text}: one of ${subtitleFormat.options.join(', ')}`);
}

/** One attached track on one line. */
export const trackLine = ({ trackIndex, language, format, measured, label }: SubtitleTrack): string =>
  `track ${trackIndex}: ${format}, ${language ?? 'language not stated'}, ${counted(measured.cues, 'cue')}, ${label}`;

/** What a person should know of the cues of a file. */
function remarksOn({ measured, label }: SubtitleTrack): string[] {
  const found: readonly (readonly [number, string])[] = [
    [measured.outOfOrder, 'out of order'],
    [measured.overlapping, 'shown together with an earlier one'],
    [measured.withoutDuration, 'without duration, which are never shown'],
    [measured.beyondMedia, 'behind the end of the media'],
  ];
  return found.flatMap(([count, what]) =>
    count === 0 ? [] : [`${label}: ${count} of ${counted(measured.cues, 'cue')} ${what}`],
  );
}

/**
 * Attaches subtitle files, each `FILE` or `FILE:LANG`, to a source; the source as it is then, and its new tracks. Throws
 * `WrongCall` for a file that is not there, and without an attestation.
 */
export async function attachedTo(
  call: Call,
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
      ...{ label, rightsHolder, ownershipAttested: true, signal: call.signal },
      ...(language !== undefined && { language }),
      ...(format !== undefined && { format }),
      ...(encoding !== undefined && { encoding }),
    });
    current = attached.source;
    tracks.push(attached.track);
    for (const remark of remarksOn(attached.track)) call.terminal.remark(remark);
  }
  return { source: current, tracks };
}

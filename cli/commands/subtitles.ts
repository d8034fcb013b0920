import { type FlagTable, single } from '../options/flags.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { sourceNamed } from './named-source.ts';
import { rightsFlags } from './rights.ts';
import { attachedTo, checkSubtitleFiles, subtitleFileFlags, trackLine } from './subtitle-files.ts';

const { 'rights-holder': rightsHolder, 'attest-rights': attestRights } = rightsFlags;

const flags: FlagTable = {
  detach: single('TRACK', null, 'takes the file of this track off the source'),
  ...subtitleFileFlags,
  ...(rightsHolder && { 'rights-holder': { ...rightsHolder, help: 'who holds the rights in the text' } }),
  ...(attestRights && { 'attest-rights': attestRights }),
  ...hostFlags,
};

async function run(call: Call) {
  const { host, given, terminal } = call;
  const source = await sourceNamed(call, argument(given, 0, 'SOURCE'));
  const [, ...files] = given.positional;
  await attachedTo(call, source, files);
  const track = given.single('detach');
  if (track !== undefined) {
    if (!/^\d{1,9}$/.test(track)) throw new WrongCall(`--detach ${track}: the number of a track is needed`);
    await host.subtitles.detach(source.sourceSessionId, Number(track));
  }
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
    'Attaches subtitle files to a source, or takes one off, and lists those that are attached. A SOURCE is the id of a source, a beginning of it, or its label.',
  flags,
  positionals: 33,
  check: (given) => checkSubtitleFiles({ given }, given.positional.slice(1)),
  run,
};

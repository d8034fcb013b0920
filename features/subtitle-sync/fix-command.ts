import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { HostError } from '../../client/host-error.ts';
import type { FixedSubtitles } from '../../client/subtitles.ts';
import { isSameName, languageTag } from '../../contract/base/grammar.ts';
import type { Reviewer } from '../../contract/review.ts';
import { derivedStatement } from '../../contract/sources/derived-subtitles.ts';
import type { SubtitleFixProposal } from '../../contract/sources/subtitle-fix.ts';
import { maximumSubtitleBytes } from '../../contract/sources/subtitle-track.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { countText, timeCode } from '../../formats/readable-numbers.ts';
import { pathOption } from '../../options/flags.ts';
import { type ExitCode, exitCodes } from '../../options/outputs.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { type VerbCall, VerbRefusal } from '../feature.ts';
import { stretchLine, studyWithSpeech, subtitlesInStudy } from './check-command.ts';
import { presentFile, writeNewFile } from './new-file.ts';

/** Subtitles that may be moved, and what the host proposes for them. */
interface Candidate {
  readonly label: string;
  readonly language: string | null;
  readonly subtitles: FixedSubtitles;
  readonly proposal: SubtitleFixProposal;
}

const linesOf = ({ label, language, proposal }: Candidate): readonly string[] => [
  `${label}${language === null ? '' : ` (${language})`}:`,
  ...proposal.stretches.map(stretchLine),
];

const isOff = ({ proposal }: Candidate): boolean => proposal.digest !== null;
const isUnknown = ({ proposal }: Candidate): boolean => proposal.unknown > 0;

/** The host's proposal. A refusal is told in its own words. */
async function proposedFor(call: VerbCall, runtimeId: string, subtitles: FixedSubtitles): Promise<SubtitleFixProposal> {
  return call.host.subtitles.proposeFix(runtimeId, subtitles, call.signal).catch((error: unknown) => {
    throw error instanceof HostError && error.status < 500 ? new VerbRefusal(error.message) : error;
  });
}

/** A file that is named in the call. Throws `VerbRefusal`. */
async function givenFile({ given }: VerbCall, path: string): Promise<FixedSubtitles> {
  const size = await stat(path).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
  if (size === null) throw new VerbRefusal(`--file ${path}: there is no such file`);
  if (size > maximumSubtitleBytes)
    throw new VerbRefusal(`--file ${path}: it has more than ${maximumSubtitleBytes} bytes, and is not read`);
  const language = given.single('language');
  if (language !== undefined && !languageTag.safeParse(language).success)
    throw new VerbRefusal(`--language ${language}: a tag such as en or pt-BR is needed`);
  const encoding = given.single('encoding');
  return {
    bytes: new Uint8Array(await readFile(path)),
    label: basename(path),
    ...(language !== undefined && { language }),
    ...(encoding !== undefined && { encoding }),
  };
}

/** The subtitles that a call means, each with its proposal. Throws `VerbRefusal`. */
async function candidates(call: VerbCall, { runtimeId }: RuntimeRow, path: string | null): Promise<Candidate[]> {
  const { given, film } = call;
  if (path !== null) {
    const subtitles = await givenFile(call, path);
    const proposal = await proposedFor(call, runtimeId, subtitles);
    return [{ label: basename(path), language: given.single('language') ?? null, subtitles, proposal }];
  }
  const named = given.single('track');
  if (named !== undefined && !/^\d{1,9}$/.test(named))
    throw new VerbRefusal(`--track ${named}: the number of a track is needed`);
  const tracks = (await subtitlesInStudy(call, runtimeId)).flatMap(({ label, trackIndex, language }) =>
    trackIndex === null ? [] : [{ label, trackIndex, language }],
  );
  if (tracks.length === 0)
    throw new VerbRefusal(`the study of ${film} has no subtitles as text; name a file by --file`);
  const meant = tracks.filter(({ trackIndex }) => named === undefined || trackIndex === Number(named));
  if (meant.length === 0) {
    const known = tracks.map(({ trackIndex }) => trackIndex).join(', ');
    throw new VerbRefusal(`the text tracks of ${film} are ${known}, and ${named} is another one`);
  }
  const found: Candidate[] = [];
  for (const { label, trackIndex, language } of meant) {
    const subtitles = { track: trackIndex };
    found.push({ label, language, subtitles, proposal: await proposedFor(call, runtimeId, subtitles) });
  }
  return found;
}

const extensions = { srt: '.srt', webvtt: '.vtt', ass: '.ass', script: '.txt' } as const;

/** The path of the new file: the one that the call names, or one beside the subtitles or the film. */
async function outputOf({ given, film }: VerbCall, { label }: RuntimeRow, path: string | null, of: Candidate) {
  const named = pathOption(given, 'output');
  if (named !== null) return resolve(named);
  if (path !== null) return resolve(join(dirname(path), `${basename(path, extname(path))}.resynced${extname(path)}`));
  const isFile = await stat(film).then(
    (found) => found.isFile(),
    () => false,
  );
  const name = isFile ? basename(film, extname(film)) : (label ?? film).replaceAll(/[\\/\p{Cc}]/gu, '_');
  const { trackIndex, format } = of.proposal.parent;
  const ending = `.${of.language ?? `track${trackIndex}`}.resynced${extensions[format]}`;
  return resolve(join(isFile ? dirname(film) : '.', `${name}${ending}`));
}

/** What a person attests: what moves, by how much, and what stays as it is. */
function attestedLines({ proposal }: Candidate, output: string): readonly string[] {
  const { moved, early, unknown, range } = proposal;
  return [
    `${countText(moved, 'cue')} get other times, as said above. Text, styles, positions and order stay.`,
    ...(unknown > 0 ? [`${countText(unknown, 'cue')} of which nothing is known keep their times.`] : []),
    ...(early > 0 ? [`${countText(early, 'cue')} would begin before the film, and begin with it.`] : []),
    ...(range.startMs > 0
      ? [
          `Only ${timeCode(range.startMs)} to ${timeCode(range.endMs)} was studied; cues outside of it keep their times.`,
        ]
      : []),
    `The film gets a further subtitle track, and the file ${shellPath(output)} is written. Nothing is replaced.`,
  ];
}

/** Lets the person agree to what is proposed. Throws `VerbRefusal` if they do not, and if nobody can be asked. */
async function demandAgreed(
  { given, terminal }: VerbCall,
  { id, label }: Reviewer,
  ofFile: { readonly name: string; readonly rightsHolder: string } | null,
): Promise<void> {
  const named = given.single('reviewer');
  if (named !== undefined && !isSameName(named, label) && named !== id)
    throw new VerbRefusal(`--reviewer ${named}: the reviewer of this host is ${label} (${id}); name that one`);
  if (given.has('attest')) {
    if (named === undefined) throw new VerbRefusal('--attest needs --reviewer NAME');
    if (ofFile !== null && !given.has('attest-rights'))
      throw new VerbRefusal(`--attest-rights is missing: confirm that you may process ${ofFile.name} on this computer`);
    return;
  }
  if (!terminal.isInteractive) {
    const rights = ofFile === null ? '' : ' --attest-rights';
    throw new VerbRefusal(
      `nothing was moved: agree at a terminal, or with --attest --reviewer "${label}"${rights}, which attests "${derivedStatement}"`,
    );
  }
  if (ofFile !== null)
    terminal.remark(
      `You also confirm that you may process ${ofFile.name} on this computer (rights: ${ofFile.rightsHolder}).`,
    );
  terminal.remark(`${label}: "${derivedStatement}"`);
  if (!(await terminal.agreed('Move them?'))) throw new VerbRefusal('Nothing was moved.');
}

/** Writes the file, unless it is there with the same bytes. Throws `VerbRefusal` for a file with others. */
async function writtenTo(output: string, bytes: Uint8Array): Promise<boolean> {
  const present = await presentFile(output);
  if (present?.equals(bytes)) return false;
  const taken = () =>
    new VerbRefusal(`${output} is another file, and nothing is written over it: name a new one by --output`);
  if (present !== null) throw taken();
  await writeNewFile(output, bytes).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? taken() : error;
  });
  return true;
}

/** The one candidate to move, or what is said if there is none. Throws `VerbRefusal` if several are off. */
function chosen({ terminal, film }: VerbCall, all: readonly Candidate[]): Candidate | ExitCode {
  const off = all.filter(isOff);
  const [only] = off;
  if (off.length > 1) {
    for (const candidate of all) for (const line of linesOf(candidate)) terminal.remark(line);
    const words = off.map(({ proposal }) => `--track ${proposal.parent.trackIndex}`).join(' or ');
    throw new VerbRefusal(`several subtitles of ${film} are off: name one by ${words}`);
  }
  if (only !== undefined) return only;
  const unknown = all.filter(isUnknown);
  for (const candidate of all) {
    const nothing = isUnknown(candidate)
      ? 'Nothing is moved: only what is known to be off is.'
      : 'In sync: nothing to move.';
    const { cues: _, reviewer: __, ...said } = candidate.proposal;
    terminal.result(said, [...linesOf(candidate), nothing]);
  }
  return unknown.length > 0 ? exitCodes.incomplete : exitCodes.done;
}

/** Moves subtitles to the speech of a film: attaches them to it, and writes them to a new file. */
export async function fixSubtitles(call: VerbCall): Promise<ExitCode> {
  const { given, terminal, host, film } = call;
  const path = pathOption(given, 'file');
  if (path !== null && given.single('track') !== undefined)
    throw new VerbRefusal('--file and --track are two subtitles: name one');
  const { study } = await studyWithSpeech(call);
  const candidate = chosen(call, await candidates(call, study, path));
  if (typeof candidate === 'number') return candidate;
  const { proposal, subtitles } = candidate;
  const output = await outputOf(call, study, path, candidate);
  const isDone = proposal.attachedAs !== null;
  const present = await presentFile(output);
  if (present !== null && !isDone)
    throw new VerbRefusal(`${output} is there, and nothing is written over it: name a new file by --output`);
  for (const line of linesOf(candidate)) terminal.remark(line);
  const { reviewer } = proposal;
  const rightsHolder = given.single('rights-holder') ?? reviewer.label;
  if (!isDone) {
    for (const line of attestedLines(candidate, output)) terminal.remark(line);
    await demandAgreed(call, reviewer, path === null ? null : { name: basename(path), rightsHolder });
  }
  const { file, ...fixed } = await host.subtitles.fix(
    study.runtimeId,
    subtitles,
    {
      digest: proposal.digest ?? '',
      reviewerId: reviewer.id,
      attestation: reviewer.attestation,
      ...(path !== null && { rightsHolder }),
    },
    call.signal,
  );
  const isWritten = await writtenTo(output, Buffer.from(file.base64, 'base64'));
  const { trackIndex } = fixed.track;
  const { base64: _, ...named } = file;
  terminal.result({ ...fixed, file: { ...named, path: output } }, [
    isDone ? `Done before: track ${trackIndex} of ${film} has these times.` : `Attached as track ${trackIndex}.`,
    isWritten ? `Written: ${shellPath(output)}` : `The file is there: ${shellPath(output)}`,
    `next: ${terminal.typed(`caption ${shellPath(film)}`)}`,
  ]);
  return exitCodes.done;
}

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StudyHost } from '../../client/study-host.ts';
import { lineBreaks, shownSides } from '../../contract/captions/caption-line.ts';
import { type CaptionForm, shownCorrections } from '../../contract/captions/correction.ts';
import type { CaptionGuidelines } from '../../contract/captions/guideline-report.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import { type ExportName, editRate, exportName, exportNames, filesOfCuts } from '../../contract/exports.ts';
import { allKinds } from '../../kinds/kinds.ts';
import { type FlagTable, type GivenFlags, pathOption, single, suggestion, toggle } from '../../options/flags.ts';
import { exitCodes, shownOn } from '../../options/outputs.ts';
import { syncChosenFolder } from '../../storage/objects/durable-file.ts';
import { failedWith } from '../../storage/objects/object-store-error.ts';
import { argument, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { olderCaptionsNotes } from '../terminal/summary.ts';
import { guidelineLines } from './caption-lines.ts';
import { rethrownForCaptions } from './captions.ts';
import { targetFile } from './given-file.ts';
import { studyArgument } from './named.ts';

/** The thing to write: a file for another program with its options, or the whole study with or without its media. */
export type AskedExport =
  | {
      readonly name: ExportName;
      readonly options: {
        readonly rate?: string;
        readonly kind?: string;
        readonly uncertain?: string;
      } & Partial<CaptionForm>;
    }
  | { readonly name: 'bundle'; readonly media: boolean };

/** A file that was written. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  readonly contentId: string;
}

/** The bytes of an export as they come. Throws what a client of the host throws. */
async function exportedBytes(
  host: StudyHost,
  runtimeId: string,
  asked: AskedExport,
  signal: AbortSignal,
): Promise<Readable> {
  if (asked.name === 'bundle') return Readable.fromWeb(await host.bundle(runtimeId, { media: asked.media, signal }));
  const exported = host.export(runtimeId, asked.name, asked.options);
  const text = await (asked.name.startsWith('captions.')
    ? exported.catch(rethrownForCaptions(host, runtimeId))
    : exported);
  return Readable.from([Buffer.from(text, 'utf8')]);
}

/** True if a file is there that has other bytes than those with this digest. */
async function hasOtherBytes(path: string, sha256: string): Promise<boolean> {
  const there = createReadStream(path);
  try {
    const hash = createHash('sha256');
    for await (const piece of there) hash.update(piece);
    return hash.digest('hex') !== sha256;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return false;
    throw error;
  }
}

/** True if a volume or a quota has no room for what is written. */
const isFull = (error: Error): boolean => failedWith(error, 'ENOSPC', 'EDQUOT');

/**
 * Writes an export piece by piece. A file that did not become whole is removed, and one that was there before stays. So does one
 * with other bytes if there is a `refusal`. Throws `WrongCall` with that, and for a path that can be no file.
 */
export async function writeExport(
  host: StudyHost,
  runtimeId: string,
  asked: AskedExport,
  path: string,
  signal: AbortSignal,
  refusal: string | null = null,
): Promise<WrittenFile> {
  const target = await targetFile(path);
  // No other command, and no file of the person, has this name. It is short: that of the file may be as long as names can be.
  const part = join(dirname(target), `.${randomUUID()}.part`);
  const hash = createHash('sha256');
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _, pass) => {
      hash.update(chunk);
      bytes += chunk.length;
      pass(null, chunk);
    },
  });
  const body = await exportedBytes(host, runtimeId, asked, signal);
  try {
    await pipeline(body, counted, createWriteStream(part, { flush: true }), { signal });
    const sha256 = hash.digest('hex');
    if (refusal !== null && (await hasOtherBytes(target, sha256))) throw new WrongCall(refusal);
    await rename(part, target);
    await syncChosenFolder(dirname(target));
    return { path, bytes, contentId: `sha256:${sha256}` };
  } catch (error) {
    // The person has named the file, and does not know its part. The error of a write has no path.
    if (error instanceof Error && (isFull(error) || ('path' in error && error.path === part))) {
      throw Object.assign(error, { path });
    }
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}

const exportFlags: FlagTable = {
  output: single('FILE', 'stdout', 'the file to write'),
  media: toggle('bundle: includes the bytes of the media'),
  side: single('SIDE', 'target', 'captions: source, target or both'),
  corrections: single(
    'WHOSE',
    'applied',
    'captions and transcripts: applied, or original for the lines without corrections',
  ),
  lines: single(
    'RULES',
    presentBreaks,
    'captions: the rules that break the rows: author, for rows as they are stored, netflix.v1 or netflix.v2',
  ),
  rate: single(
    'RATE',
    'that of the film',
    'cuts: frames a second: 23.976, 24, 25, 29.97, 30, 50, 59.94 or 60; needed for a film of a variable rate',
  ),
  kind: single('KIND', 'speech, silence and cuts', 'labels.txt and facts.csv: the kind of their facts, or all'),
  uncertain: toggle('files of cuts and facts: includes cuts and transitions that are uncertain'),
  ...hostFlags,
};

const names = ['bundle', ...exportNames];

/** The value of a flag; undefined where it was not given. Throws `WrongCall` for another one than these. */
function oneOf<const Value extends string>(given: GivenFlags, name: string, values: readonly Value[]) {
  const text = given.single(name);
  const value = values.find((each) => each === text);
  if (text !== undefined && value === undefined) throw new WrongCall(`--${name} ${text}: one of ${values.join(', ')}`);
  return value;
}

function askedExport(given: GivenFlags): AskedExport {
  const asked = argument(given, 1, 'NAME');
  const name = exportName.safeParse(asked);
  if (!name.success && asked !== 'bundle') {
    throw new WrongCall(`unknown export ${asked}${suggestion(asked, names, '')}; choose one of ${names.join(', ')}`);
  }
  if (given.has('media') && asked !== 'bundle') throw new WrongCall('--media is for a bundle');
  if (given.has('side') && !asked.startsWith('captions.')) throw new WrongCall('--side is for captions');
  if (given.has('lines') && !asked.startsWith('captions.')) throw new WrongCall('--lines is for captions');
  if (given.has('corrections') && !/^(?:captions|transcript)\./.test(asked)) {
    throw new WrongCall('--corrections is for captions and transcripts');
  }
  if (given.has('kind') && !['labels.txt', 'facts.csv'].includes(asked)) {
    throw new WrongCall('--kind is for labels.txt and facts.csv');
  }
  if (given.has('rate') && !asked.startsWith('cuts.')) throw new WrongCall('--rate is for cuts.edl and cuts.otio');
  if (given.has('uncertain') && !filesOfCuts.some((each) => each === asked)) {
    throw new WrongCall(`--uncertain is for ${filesOfCuts.join(', ')}`);
  }
  if (!name.success) return { name: 'bundle', media: given.has('media') };
  const side = oneOf(given, 'side', shownSides.options);
  const rate = oneOf(given, 'rate', editRate.options);
  const kind = oneOf(given, 'kind', [...allKinds.map(({ name }) => name), 'all']);
  const corrections = oneOf(given, 'corrections', shownCorrections.options);
  const lines = asked.startsWith('captions.')
    ? (oneOf(given, 'lines', lineBreaks.options) ?? presentBreaks)
    : undefined;
  const options = {
    ...(side && { side }),
    ...(lines && { lines }),
    ...(rate && { rate }),
    ...(kind && { kind }),
    ...(corrections && { corrections }),
    ...(given.has('uncertain') && { uncertain: 'include' }),
  };
  return { name: name.data, options };
}

/** A text comes in one piece, and only a text goes to a terminal. */
async function* shownPieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer | string> {
  for await (const piece of pieces) {
    yield process.stdout.isTTY ? shownOn(process.stdout, piece.toString('utf8')) : piece;
  }
}

/** The findings of the guidelines in an exported file of captions; null for another export. */
async function guidelinesOf(host: StudyHost, runtimeId: string, asked: AskedExport): Promise<CaptionGuidelines | null> {
  if (asked.name === 'bundle' || !asked.name.startsWith('captions.')) return null;
  const { rate: _, kind: __, uncertain: ___, ...form } = asked.options;
  return host.captions.guidelines(runtimeId, form);
}

/** What a person has to know of an exported file of captions: lines that depart from guidelines, and captions of an earlier version. */
async function captionRemarks(host: StudyHost, runtimeId: string, guidelines: CaptionGuidelines | null) {
  if (guidelines === null) return [];
  return [...guidelineLines(guidelines), ...olderCaptionsNotes(await host.overview(runtimeId))];
}

async function exportStudy(call: CommandCall) {
  const { host, given, terminal, signal } = call;
  const runtimeId = await studyArgument(call, 0, ['facts.csv']);
  const asked = askedExport(given);
  const path = pathOption(given, 'output');
  if (path !== null) {
    const written = await writeExport(host, runtimeId, asked, path, signal);
    const guidelines = await guidelinesOf(host, runtimeId, asked);
    const found = guidelines === null ? {} : { guidelines: guidelines.reports };
    for (const line of await captionRemarks(host, runtimeId, guidelines)) terminal.remark(line);
    terminal.result({ runtimeId, name: asked.name, ...written, ...found }, [path]);
    return exitCodes.done;
  }
  if (asked.name === 'bundle' && process.stdout.isTTY) {
    throw new WrongCall('a bundle is not text for a terminal: name a file by --output');
  }
  const body = await exportedBytes(host, runtimeId, asked, signal);
  const guidelines = await guidelinesOf(host, runtimeId, asked);
  await pipeline(body, shownPieces, process.stdout, { signal, end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader has all that it wants (`outliveReaders`).
    if (error.code !== 'EPIPE') throw error;
  });
  for (const line of await captionRemarks(host, runtimeId, guidelines)) terminal.remark(line);
  return exitCodes.done;
}

/** Writes a study as a file for another program, or as a whole. */
export const exporting: HostCommand = {
  usage: 'media-study export RUNTIME NAME [flags]',
  purpose: `Writes a study as a file for another program, or as a bundle for media-study verify. NAME is one of ${names.join(', ')}.`,
  flags: exportFlags,
  choices: names,
  positionals: 2,
  studyAt: 0,
  check: async (given) => {
    if (given.positional.length > 0) askedExport(given);
  },
  run: exportStudy,
};

async function printKeys({ host, terminal }: CommandCall) {
  const document = await host.signingKeys();
  terminal.result(
    document,
    document.keys.flatMap(({ publicKey }) => publicKey.trimEnd().split('\n')),
  );
  return exitCodes.done;
}

/** Prints the public key that others need to trust the bundles of this host. */
export const printSigningKeys: HostCommand = {
  usage: 'media-study signing-keys [flags]',
  purpose: 'Prints the public key of the host in PEM, for verify --trust on another machine.',
  flags: hostFlags,
  beginsData: true,
  run: printKeys,
};

import { createHash } from 'node:crypto';
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { CaptionTranslator } from '../../../contract/captions/caption-line.ts';
import { type ProgramConfiguration, programLimits } from '../../../contract/captions/caption-translation.ts';
import { absoluteFolders, type Environment } from '../../../executors/process/tools.ts';
import { contentIdOfJson } from '../../../formats/canonical-json.ts';
import { baseLanguage } from '../../../rules/languages.ts';
import { programFormContentId } from '../../../rules/translation/program-lines.ts';

/** A mode of Apertium for two languages, by the name of its file. */
export interface PairName {
  /** Such as `spa-cat` or `es-pt_BR`. */
  readonly mode: string;
  readonly from: string;
  readonly to: string;
  /** The region or the variant of its target, such as `BR`; null for the plain one. */
  readonly variety: string | null;
}

/** A mode of this machine, ready to run. */
export interface InstalledPair extends PairName {
  /** The commands of its pipe, with absolute paths. */
  readonly commands: readonly (readonly string[])[];
  readonly configuration: ProgramConfiguration;
  readonly identity: CaptionTranslator;
}

/** A mode that is missing, or that this program does not run. */
export class PairUnavailable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PairUnavailable';
  }
}

/** The name of a mode between two languages. Others are steps of these, such as `spa-cat-morph`. */
const pairName = /^(?<from>[a-z]{2,3})(?:_[A-Za-z0-9]+)?-(?<to>[a-z]{2,3})(?:_(?<variety>[A-Za-z0-9_]+))?$/;

/** The languages of a mode; null for a name of another form. */
export function pairOf(mode: string): PairName | null {
  const { from, to, variety = null } = pairName.exec(mode)?.groups ?? {};
  const [source, target] = [from, to].map((code) => (code === undefined ? null : baseLanguage(code)));
  return source == null || target == null ? null : { mode, from: source, to: target, variety };
}

/** The parts of a tag behind its language, in small letters. */
const varietiesOf = (tag: string): readonly string[] => tag.toLowerCase().split('-').slice(1);

/** A region of two letters or three digits. */
const hasRegion = (tag: string): boolean => varietiesOf(tag).some((part) => /^(?:[a-z]{2}|\d{3})$/.test(part));

/**
 * The pair for two tags: the one of the variety that is asked for, else the plain one. One of a variety serves a tag without a region;
 * another region is not what was asked for. Null if none of the pairs does.
 */
export function pairFor<Pair extends PairName>(pairs: readonly Pair[], from: string, to: string): Pair | null {
  const [source, target] = [baseLanguage(from), baseLanguage(to)];
  const served = pairs.filter((pair) => pair.from === source && pair.to === target);
  const isAsked = ({ variety }: PairName) => variety !== null && varietiesOf(to).includes(variety.toLowerCase());
  return (
    served.find(isAsked) ?? served.find(({ variety }) => variety === null) ?? (hasRegion(to) ? null : served[0]) ?? null
  );
}

const isRunnable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

/** The first executable of this name on PATH; null if there is none. */
function programOnPath(name: string, environment: Environment): string | null {
  const found = absoluteFolders(environment.PATH ?? '').map((folder) => path.join(folder, name));
  return found.find(isRunnable) ?? null;
}

/** The folder of an installation with its programs and its modes; null without `apertium` on PATH. */
function installationOf(environment: Environment): { readonly programs: string; readonly modes: string } | null {
  const program = programOnPath('apertium', environment);
  if (program === null) return null;
  const programs = path.dirname(realpathSync(program));
  return { programs, modes: path.join(programs, '..', 'share', 'apertium', 'modes') };
}

/** The pairs of this machine by their modes, in order; none without Apertium. Reads names alone. */
export function pairNames(environment: Environment): readonly PairName[] {
  const found = installationOf(environment);
  if (found === null) return [];
  try {
    return readdirSync(found.modes)
      .filter((name) => name.endsWith('.mode'))
      .toSorted()
      .flatMap((name) => pairOf(name.slice(0, -'.mode'.length)) ?? []);
  } catch {
    return [];
  }
}

/** True if `apertium` is on PATH. */
export const hasApertium = (environment: Environment): boolean => installationOf(environment) !== null;

/** The programs of Apertium and of what its pipes are made of; a mode with another command is refused. */
const pipePrograms = /^(?:lt|lrx|lsx|cg|hfst|rtx|apertium)(?:-[a-z0-9-]+)?$/;

/** A word of a mode: in quotes, or without a sign that a shell reads. */
const modeWord =
  /'(?<single>[^'\n]*)'|"(?<double>[^"$`\\\n]*)"|(?<bar>\|)|(?<plain>[\w./@%+=:,-]+|\$[12](?![\w]))|(?<space>\s+)|(?<other>.)/gsu;

/** The most bytes of the file of a mode; they have a few hundred. */
const mostModeBytes = 64 * 1024;

/**
 * The commands of a mode: `$1` are the marks of unknown words (`-g`), `$2` the options of the tagger. Each part is told to answer at a
 * NUL. Throws `PairUnavailable`.
 */
export function pipeCommands(mode: string, text: string): string[][] {
  const commands: string[][] = [[]];
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  for (const { groups = {} } of lines.join(' ').matchAll(modeWord)) {
    const { single, double, bar, plain, other } = groups;
    if (other !== undefined) throw new PairUnavailable(`the mode ${mode} has a sign that only a shell reads: ${other}`);
    if (bar !== undefined) commands.push([]);
    const word = single ?? double ?? (plain === '$1' ? '-g' : plain === '$2' ? undefined : plain);
    if (word !== undefined && word !== '') commands.at(-1)?.push(word);
  }
  for (const command of commands) {
    const [program = ''] = command;
    if (!pipePrograms.test(path.basename(program))) {
      throw new PairUnavailable(
        `the mode ${mode} runs ${program === '' ? 'nothing' : program}, which is no part of Apertium`,
      );
    }
    if (!command.includes('-z') && !command.includes('--null-flush')) command.splice(1, 0, '-z');
  }
  return commands;
}

/** A file with its name in records, which is that of no folder of this machine. */
interface PinnedFile {
  readonly name: string;
  readonly file: string;
}

/** Digests by the state of each file: the data of a pair has some MB, and each study asks for it. */
const knownDigests = new Map<string, { readonly state: string; readonly bytes: number; readonly digest: string }>();

function pinned({ name, file }: PinnedFile): ProgramConfiguration['files'][number] {
  const { ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
  const state = `${ino}:${size}:${mtimeNs}:${ctimeNs}`;
  const known = knownDigests.get(file);
  if (known?.state === state) return { name, bytes: known.bytes, digest: known.digest };
  const bytes = readFileSync(file);
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  knownDigests.set(file, { state, bytes: bytes.length, digest });
  return { name, bytes: bytes.length, digest };
}

/** The libraries of these projects that a program names; those of the system are not part of its identity. */
const ownLibrary = /lib(?:lttoolbox|apertium|lrx|lsx|cg3|hfst|rtx)[\w+-]*\.so(?:\.\d+)*/gu;

const libraryFolders = ['lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu', 'lib64', 'lib'];

/** The own libraries of a program, and those that they name in turn. */
function librariesOf(program: string, known: Map<string, string>): void {
  for (const [name] of readFileSync(program, 'latin1').matchAll(ownLibrary)) {
    if (known.has(name)) continue;
    const prefix = path.join(path.dirname(program), '..');
    const found = libraryFolders.map((folder) => path.join(prefix, folder, name)).find((file) => isFile(file));
    if (found === undefined) continue;
    known.set(name, found);
    librariesOf(realpathSync(found), known);
  }
}

const isFile = (file: string): boolean => {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
};

/** The name of a file of language data: its last folder and its own. */
const dataName = (file: string): string => file.split(path.sep).slice(-2).join('/');

/** A pair of this machine with the digests of all that its answers follow from. Throws `PairUnavailable`. */
export function installedPair(mode: string, environment: Environment): InstalledPair {
  const named = pairOf(mode);
  if (named === null) throw new PairUnavailable(`${mode} is no mode between two languages that this program knows`);
  const installation = installationOf(environment);
  if (installation === null) throw new PairUnavailable('apertium is not on PATH');
  try {
    return openedPair(named, installation, environment);
  } catch (error) {
    if (error instanceof PairUnavailable) throw error;
    // A missing file of a mode has its path in the message of the system, which is no secret here.
    throw new PairUnavailable(`the pair ${mode} of Apertium is not installed whole: ${(error as Error).message}`);
  }
}

function openedPair(
  named: PairName,
  { programs, modes }: { readonly programs: string; readonly modes: string },
  environment: Environment,
): InstalledPair {
  const { mode } = named;
  const file = path.join(modes, `${mode}.mode`);
  if (!isFile(file)) throw new PairUnavailable(`there is no pair ${mode} of Apertium on this machine`);
  if (statSync(file).size > mostModeBytes) throw new PairUnavailable(`the mode ${mode} has more than 64 KiB`);
  const files = new Map<string, string>();
  const libraries = new Map<string, string>();
  const commands: string[][] = [];
  const pipe: string[][] = [];
  for (const [program = '', ...args] of pipeCommands(mode, readFileSync(file, 'utf8'))) {
    const name = path.basename(program);
    const beside = path.join(programs, name);
    const executable = isRunnable(beside) ? beside : programOnPath(name, environment);
    if (executable === null) throw new PairUnavailable(`${name}, which the pair ${mode} needs, is not on PATH`);
    files.set(name, executable);
    librariesOf(realpathSync(executable), libraries);
    for (const arg of args) if (path.isAbsolute(arg)) files.set(dataName(arg), arg);
    commands.push([executable, ...args]);
    pipe.push([name, ...args.map((arg) => (path.isAbsolute(arg) ? dataName(arg) : arg))]);
  }
  const model = `apertium:${mode}`;
  const configuration: ProgramConfiguration = {
    schema: 'studio.caption-translation.program.v1',
    program: 'apertium',
    model,
    mode,
    pipe,
    files: [...files, ...libraries]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, found]) => pinned({ name, file: found })),
    limits: programLimits,
  };
  const identity = {
    model,
    promptContentId: programFormContentId,
    configurationContentId: contentIdOfJson(configuration),
  };
  return { ...named, commands, configuration, identity };
}

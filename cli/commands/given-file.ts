import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { cutText, labelLine } from '../../contract/base/grammar.ts';
import { type FlagTable, single, toggle } from '../../options/flags.ts';
import { longestFileName } from '../../storage/objects/durable-file.ts';
import { type CommandCall, WrongCall } from '../terminal/call.ts';
import { isAgreed, textAnswer } from '../terminal/question.ts';

/** Throws `WrongCall` unless the user can read the path as a file with content. `absent` is the message if there is nothing. */
export async function checkFile(path: string, absent: string): Promise<void> {
  const found = await stat(path).catch(() => {
    throw new WrongCall(absent);
  });
  if (found.isDirectory()) throw new WrongCall(`${path} is a folder: name the files in it, such as ${path}/*`);
  if (!found.isFile()) throw new WrongCall(`${path} is not a regular file, so its length is unknown: copy it into one`);
  if (found.size === 0) throw new WrongCall(`${path} is empty`);
  await access(path, constants.R_OK).catch(() => {
    throw new WrongCall(`${path} may not be read by this user: change its owner or mode`);
  });
}

/**
 * The name of a file beside another, with that one's name in front of `suffix`. A name that would be too long for a file loses its end
 * there; characters stay whole.
 */
export function nameBeside(base: string, suffix: string): string {
  const letters = [...base];
  const room = longestFileName - Buffer.byteLength(suffix);
  while (Buffer.byteLength(letters.join('')) > room) letters.pop();
  return `${letters.join('').trimEnd()}${suffix}`;
}

/**
 * The file that a path stands for, behind links, for a command that writes it. Throws `WrongCall` if something else is there, which
 * a file would replace. So it does for a file without any right to write it: a person protected that. And for a name that is too long.
 */
export async function targetFile(path: string): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENAMETOOLONG') return null;
    const bytes = Buffer.byteLength(basename(path));
    throw new WrongCall(
      `the name of the file ${path} is too long: it has ${bytes} bytes, and most folders take ${longestFileName}: choose a shorter one`,
    );
  });
  if (found === null) return path;
  if (found.isDirectory()) throw new WrongCall(`${path} is a folder: name a file in it`);
  if (!found.isFile()) throw new WrongCall(`${path} is not a regular file: name another one`);
  if ((found.mode & 0o222) === 0) throw new WrongCall(`${path} is read-only: name another file, or change its mode`);
  return realpath(path);
}

/** The longest label that a host takes, in UTF-16 units. */
const longest = 160;

/** The label of a file without a given label: its name, made to fit. With an `extension`, without that. */
export function usualLabel(path: string, extension = ''): string {
  const name = basename(path, extension);
  return cutText(labelLine(name), longest) || name;
}

/** How a person answers for what is taken in. */
export const rightsFlags: FlagTable = {
  label: single('TEXT', 'that of a source with the same bytes, else the name of the file', 'the name of the source'),
  'rights-holder': single('NAME', 'asked at a terminal', 'who owns the rights to the media'),
  'attest-rights': toggle('confirms that you may process this media; without it the command asks you at the terminal'),
};

/** The statements about the media, and the terminal for asking a person. */
type Answering = Pick<CommandCall, 'given' | 'terminal' | 'rights'>;

/** The holder of the rights in a file. Throws `WrongCall` if no flag names one and no person can answer. */
async function rightsHolderOf({ given, terminal }: Answering, filename: string): Promise<string> {
  const question = `Who owns the rights to ${filename}? (a name, for example yours)`;
  const asked = async () => (terminal.isInteractive ? textAnswer(terminal, question) : null);
  const named = given.single('rights-holder') ?? (await asked()) ?? '';
  if (named === '') throw new WrongCall(`--rights-holder is missing: name who owns the rights to ${filename}`);
  return named;
}

/** Throws `WrongCall` unless a person confirms that they may do something on this computer, such as `process film.mkv`. */
export async function attested({ given, terminal }: Answering, what: string): Promise<void> {
  if (given.has('attest-rights')) return;
  if (terminal.isInteractive && (await isAgreed(terminal, `May you ${what} on this computer?`))) return;
  throw new WrongCall(`Stopped: you did not confirm that you may ${what} (--attest-rights). Nothing was copied.`);
}

/** Throws `WrongCall` unless a person answers for a file that is taken in; who owns the rights to it. */
export const rightsOf = (call: Answering, filename: string): Promise<string> =>
  call.rights === undefined
    ? answeredFor(call, filename)
    : call.rights.by(filename, (files) => answeredFor(call, files));

/** The same for one file, or for several as `these 3 films`. */
async function answeredFor(call: Answering, filename: string): Promise<string> {
  const { given, terminal } = call;
  if (!terminal.isInteractive && !given.has('rights-holder') && !given.has('attest-rights')) {
    throw new WrongCall(
      `--rights-holder and --attest-rights are missing: name who owns the rights to ${filename}, and confirm that you may process it`,
    );
  }
  const rightsHolder = await rightsHolderOf(call, filename);
  await attested(call, `process ${filename}`);
  return rightsHolder;
}

/** Throws `WrongCall` if flags have to answer for a file, because no person can, and do not. */
export async function checkRights(call: Answering, filename: string): Promise<void> {
  if (!call.terminal.isInteractive) await rightsOf(call, filename);
}

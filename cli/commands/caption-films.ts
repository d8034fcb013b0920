import { constants, existsSync } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { type GivenFlags, pathOption } from '../../options/flags.ts';
import { asTyped, type CommandCall, MissingArgument, WrongCall } from '../terminal/call.ts';
import { listed, SharedAnswer } from '../terminal/question.ts';
import { nameBeside, targetFile } from './given-file.ts';
import { checkSubtitleFiles, givenSubtitles } from './sources.ts';

export const captionFormats = ['srt', 'vtt', 'ass'] as const;
export type CaptionFormat = (typeof captionFormats)[number];

/** The files of a folder that are films or sound, by the ends of their names. */
const mediaFile =
  /\.(?:3gp|aac|aiff?|asf|avi|flac|flv|m2ts|m4a|m4v|mka|mkv|mov|mp3|mp4|mpe?g|mts|mxf|oga|ogg|ogv|opus|ts|vob|wav|webm|wma|wmv)$/i;

const subtitleFile = /\.(?:ass|srt|ssa|vtt)$/i;

/** Names with numbers in the order in which people count. */
const inOrder = new Intl.Collator('en', { numeric: true }).compare;

async function filmsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && mediaFile.test(entry.name))
    .map(({ name }) => name)
    .sort(inOrder);
  if (names.length === 0) throw new WrongCall(`there is no film in the folder ${folder}`);
  return names.map((name) => join(folder, name));
}

/** The flags that are about one film. */
const forOneFilm = ['output', 'mux', 'label', 'subtitles'] as const;

/**
 * The films that a call names, each once: files, sources, and for a folder the films and sound in it. Throws `WrongCall` for a folder
 * without any, for a subtitle file, and for a flag that is about one film.
 */
export async function namedFilms(given: GivenFlags): Promise<readonly string[]> {
  if (given.positional.length === 0) throw new MissingArgument('FILM');
  const named = await Promise.all(
    given.positional.map(async (what) => {
      const found = await stat(what).catch(() => null);
      if (found?.isDirectory()) return filmsIn(what);
      if (found?.isFile() && subtitleFile.test(what))
        throw new WrongCall(
          `${what} is a subtitle file. Use it with its film: ${asTyped(`caption FILM --subtitles ${what}:en`)}`,
        );
      return [what];
    }),
  );
  const films = new Map(named.flat().map((film) => [existsSync(film) ? resolve(film) : film, film]));
  const flag = films.size > 1 ? forOneFilm.find((name) => given.has(name)) : undefined;
  if (flag !== undefined) throw new WrongCall(`--${flag} is for one film, and ${films.size} are named`);
  return [...films.values()];
}

/** The given flags, for the functions of attached files: `--format` is that of the captions. */
export const forAttached = (given: GivenFlags): GivenFlags => ({
  ...given,
  single: (name) => (name === 'format' ? undefined : given.single(name)),
  has: (name) => name !== 'format' && given.has(name),
});

/** The call about each film alone. A person answers at once for the rights in all films, and in a film and its subtitle files. */
export function callsOf(call: CommandCall, films: readonly string[]): readonly CommandCall[] {
  const files = [...films, ...givenSubtitles({ given: { ...call.given, positional: films } }).map(withoutTag)].map(
    (path) => basename(path),
  );
  // A film that the host has needs no answer: its subtitle files come first then.
  const ofOne = (first: string): string => listed(files.slice(Math.max(0, files.indexOf(first))), 'and');
  const about = films.length > 1 ? () => `these ${films.length} films` : ofOne;
  const rights = new SharedAnswer<string>(about);
  const engine = new SharedAnswer<boolean>(about);
  return films.map((film) => ({ ...call, rights, engine, given: { ...call.given, positional: [film] } }));
}

/** The captions that a call asks for of a film. */
export interface AskedFile {
  readonly film: string;
  /** The tag of their language. */
  readonly target: string;
  readonly format: CaptionFormat;
}

/** The path of the film; for a source that is named otherwise, one in this folder. */
export const besideFilm = (film: string): string => resolve(existsSync(film) ? film : basename(film));

/** Throws `WrongCall` for a folder that takes no new file, before the command asks a person for anything. */
export async function checkFolder(path: string, flag: 'output' | 'mux'): Promise<void> {
  const folder = dirname(path);
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : 'takes no new file';
    throw new WrongCall(`the folder ${folder} ${reason}: name a file in another folder with --${flag}`);
  });
}

/** A subtitle file as `--subtitles` names it, without the tag of its language. */
const withoutTag = (file: string): string => file.replace(/:[\w-]+$/, '');

/** True if a path has the name of a subtitle file of the film: one of this call, or `attached` by an earlier one. */
export const isOfPerson = (path: string, given: GivenFlags, attached: readonly string[]): boolean =>
  attached.includes(basename(path)) ||
  given.all('subtitles').some((file) => [resolve(file), resolve(withoutTag(file))].includes(path));

/**
 * The path of captions with the language of their track, which may be of another region than the request. It is never that of a file
 * that the person attached; `attached` are the names of such files.
 */
export function outputIn(
  language: string,
  given: GivenFlags,
  asked: AskedFile,
  attached: readonly string[] = [],
): string {
  const path = outputOf(given, { ...asked, target: language });
  return isOfPerson(path, given, attached) ? outputOf(given, asked) : path;
}

/** The path of the captions: the named one, or else one beside the film. */
export function outputOf(given: GivenFlags, { film, target, format }: AskedFile): string {
  const named = pathOption(given, 'output');
  if (named !== null) return named;
  const path = besideFilm(film);
  return join(dirname(path), nameBeside(basename(path, extname(path)), `.${target}.${format}`));
}

/**
 * Throws `WrongCall` if the command would replace the film, a subtitle file that it attaches, or another file that it writes. Also for
 * a path that can be no file: found later, it would have cost an approval. `taken` maps each written file to its film.
 */
export async function checkTargets(
  { given, terminal }: Pick<CommandCall, 'given' | 'terminal'>,
  asked: AskedFile,
  taken: Map<string, string>,
): Promise<void> {
  const attaching = { given: forAttached(given), terminal };
  const media = [resolve(asked.film), ...(await checkSubtitleFiles(attaching, givenSubtitles(attaching)))];
  const read = await Promise.all(media.map((path) => realpath(path).catch(() => path)));
  for (const [flag, path] of [
    ['output', outputOf(given, asked)],
    ['mux', pathOption(given, 'mux')],
  ] as const) {
    if (path === null) continue;
    const place = await targetFile(path);
    if (read.includes(place)) {
      throw new WrongCall(`${path} is a file that this command reads: name another one by --${flag}`);
    }
    const film = taken.get(place);
    if (film !== undefined) {
      const whose = film === asked.film ? '' : ` of ${film}`;
      throw new WrongCall(`${path} is the file of the captions${whose}: name another one by --${flag}`);
    }
    taken.set(place, asked.film);
  }
}

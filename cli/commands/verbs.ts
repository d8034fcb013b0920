import { type HostVerb, VerbRefusal, verbsOf } from '../../features/feature.ts';
import { endOfFlags, parseFlags } from '../../options/flags.ts';
import { argument, asTyped, type HostCommand, WrongCall } from '../terminal/call.ts';
import { isAgreed } from '../terminal/question.ts';
import { checkNewMedia } from './ingest.ts';
import { studiesOfFilm } from './named.ts';

/** A verb as a command. It has ended once its own work gave an exit code; before that, an exit code is that of a failure. */
interface VerbCommand extends HostCommand {
  hasEnded(): boolean;
}

/**
 * The verb that a call names. The word before a film is the verb; alone it is the name of a source, which may be called so, too. Null if
 * the call names no verb.
 */
export async function calledVerb(command: string, args: readonly string[]): Promise<VerbCommand | null> {
  // The features name what they choose from, which is a good part of the program: a call without such a word loads none.
  if (args.length < 2 || args[0] === undefined || args[0].startsWith('-')) return null;
  const { features } = await import('../../features/features.ts');
  const verbs = verbsOf(features, command) ?? {};
  const verb = Object.hasOwn(verbs, args[0]) ? verbs[args[0]] : undefined;
  if (verb === undefined || !isBeforeFilm(verb, args)) return null;
  return asCommand(verb);
}

/** The verb and the film, and what some verbs have behind it. */
const wordsOf = ({ file }: HostVerb): readonly number[] => (file === undefined ? [2] : [2, 3]);

function isBeforeFilm(verb: HostVerb, args: readonly string[]): boolean {
  const { flags } = verb.words;
  const mostWords = Math.max(...wordsOf(verb));
  const asked = args.slice(0, args.includes(endOfFlags) ? args.indexOf(endOfFlags) : args.length);
  if (asked.includes('--help') || asked.includes('-h')) return true;
  try {
    return wordsOf(verb).includes(parseFlags(args, flags, mostWords).positional.length);
  } catch {
    // The refusal of a wrong flag is that of the verb, if a film may be meant.
    return args[1] !== undefined && !args[1].startsWith('-');
  }
}

/** The refusal of a verb is that of a wrong call. */
async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof VerbRefusal ? new WrongCall(error.message) : error;
  }
}

function asCommand(verb: HostVerb): VerbCommand {
  const { words, run, file, beginsData, check } = verb;
  let ended = false;
  return {
    ...words,
    positionals: Math.max(...wordsOf(verb)),
    ...(beginsData && { beginsData }),
    hasEnded: () => ended,
    check: async (given, terminal) => {
      const film = argument(given, 1, 'FILM');
      if (file !== undefined) argument(given, 2, file);
      await refusing(async () => check?.(given));
      if (beginsData) await checkNewMedia({ given: { ...given, positional: [film] }, terminal });
    },
    run: async (call) => {
      const { given, host, signal, terminal } = call;
      const film = argument(given, 1, 'FILM');
      const exit = await refusing(() =>
        run({
          given,
          host,
          signal,
          film,
          terminal: {
            ...terminal,
            agreed: (question) => isAgreed(terminal, question),
            typed: (words) => asTyped(words),
          },
          studies: () => studiesOfFilm(call, film),
          recognized: async () => (await import('./recognized-study.ts')).recognizedStudy(call, film),
        }),
      );
      ended = true;
      return exit;
    },
  };
}

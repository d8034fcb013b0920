import { type HostVerb, VerbRefusal, verbsOf } from '../../features/feature.ts';
import { endOfFlags, parseFlags } from '../../options/flags.ts';
import { argument, asTyped, type HostCommand, WrongCall } from '../terminal/call.ts';
import { isAgreed } from '../terminal/question.ts';
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

/** The verb and the film. */
const mostWords = 2;

function isBeforeFilm({ words: { flags } }: HostVerb, args: readonly string[]): boolean {
  const asked = args.slice(0, args.includes(endOfFlags) ? args.indexOf(endOfFlags) : args.length);
  if (asked.includes('--help') || asked.includes('-h')) return true;
  try {
    return parseFlags(args, flags, mostWords).positional.length === mostWords;
  } catch {
    // The refusal of a wrong flag is that of the verb, if a film may be meant.
    return args[1] !== undefined && !args[1].startsWith('-');
  }
}

function asCommand({ words, run }: HostVerb): VerbCommand {
  let ended = false;
  return {
    ...words,
    positionals: mostWords,
    hasEnded: () => ended,
    check: async (given) => void argument(given, 1, 'FILM'),
    run: async (call) => {
      const { given, host, signal, terminal } = call;
      const film = argument(given, 1, 'FILM');
      try {
        const exit = await run({
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
        });
        ended = true;
        return exit;
      } catch (error) {
        throw error instanceof VerbRefusal ? new WrongCall(error.message) : error;
      }
    },
  };
}

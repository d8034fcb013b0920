import { longestSearch, searchPage, type WordLine } from '../../contract/library.ts';
import { countText, timeCode } from '../../formats/readable-numbers.ts';
import { type GivenFlags, single } from '../../options/flags.ts';
import { exitCodes } from '../../options/outputs.ts';
import { searchedWords } from '../../receipts/published/words.ts';
import {
  asTyped,
  type CommandCall,
  type HostCommand,
  hostFlags,
  MissingArgument,
  WrongCall,
} from '../terminal/call.ts';

const kindWords: Readonly<Record<WordLine['kind'], string>> = {
  subtitle_track: 'subtitle',
  transcript: 'recognized speech',
  screen_text: 'text on the screen',
  captions: 'captions, corrected by a person',
};

/** The words and the most lines that a call names. Words behind each other are one search. Throws `WrongCall`. */
function askedOf(given: GivenFlags) {
  const query = given.positional.join(' ').normalize('NFC');
  if (given.positional.length === 0) throw new MissingArgument('WORDS');
  if (searchedWords(query).length === 0) throw new WrongCall('WORDS has no word to search for');
  if (query.length > longestSearch) throw new WrongCall(`WORDS has at most ${longestSearch} characters`);
  const limit = given.single('limit') ?? '100';
  if (!/^[1-9]\d{0,5}$/.test(limit)) throw new WrongCall(`--limit ${limit}: give a number of lines from 1 on`);
  return { query, limit: Number(limit) };
}

/** The place of a line in the console: the study, at the second. */
const fragmentOf = (runtimeId: string, startMs: number): string =>
  `#/studies/${encodeURIComponent(runtimeId)}?at=${startMs}`;

/** Prints lines that have all words, with their films and times. */
async function search({ host, given, terminal, isOwnHost }: CommandCall) {
  const { query, limit } = askedOf(given);
  const { baseUrl } = await host.address();
  // A host that ends with this command serves no link.
  const base = isOwnHost() ? '' : `${baseUrl}/`;
  let [found, left, searched] = [0, 0, 0];
  const damaged: string[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await host.library.search(query, { limit: searchPage.longest, ...(after !== undefined && { after }) });
    for (const { sourceSessionId, label } of page.sources) {
      const link = `${base}#/sources?details=${encodeURIComponent(sourceSessionId)}`;
      found += 1;
      terminal.result({ sourceSessionId, film: label, link }, [`${label}  (the name of the film)`, `  ${link}`]);
    }
    for (const { runtimeId, label, lines, more } of page.studies) {
      left += more;
      for (const { kind, startMs, endMs, text } of lines) {
        if (found >= limit) {
          left += 1;
          continue;
        }
        found += 1;
        const link = `${base}${fragmentOf(runtimeId, startMs)}`;
        const film = label ?? 'a film that was deleted';
        const words = kind === 'subtitle_track' ? '' : `  (${kindWords[kind]})`;
        terminal.result({ runtimeId, film: label, kind, startMs, endMs, text, link }, [
          `${film}  ${timeCode(startMs)}  ${text.replaceAll('\n', ' / ')}${words}`,
          `  ${link}`,
        ]);
      }
    }
    damaged.push(...page.damaged);
    searched += page.searched;
    after = page.nextCursor;
  }
  for (const runtimeId of damaged) terminal.remark(`${runtimeId} is damaged and was not searched`);
  if (left > 0) terminal.remark(`${countText(left, 'more line')} found; more words find fewer`);
  if (found === 0) terminal.remark(`nothing found in ${searched === 1 ? '1 study' : `${searched} studies`}`);
  else if (base === '') terminal.remark(`the links go behind the address of the page: ${asTyped('open --print')}`);
  return found === 0 ? exitCodes.failed : exitCodes.done;
}

/** Searches the words of every film. */
export const searching: HostCommand = {
  usage: 'media-study search WORDS [flags]',
  purpose:
    'Searches the names of films and their lines: captions with your corrections, subtitles, recognized speech and text on the screen. A line is found if it has all words. Exits with 1 if nothing is found.',
  flags: { limit: single('COUNT', '100', 'how many lines to print'), ...hostFlags },
  positionals: 100,
  check: async (given) => void askedOf(given),
  run: search,
};

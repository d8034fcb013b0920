import { type CommandWords, single, toggle } from '../../options/flags.ts';
import type { HostVerb } from '../feature.ts';

/** The words of `media-study subtitles align`. */
const alignWords: CommandWords = {
  usage: 'media-study subtitles align FILM SCRIPT [--language TAG] [--output FILE] [flags]',
  purpose:
    'Gives the lines of a script the times at which they are said. The text comes from the script, the times from the words that a recognizer heard, and from the edges of speech. Text that was not heard is withheld, and listed. It shows the result and asks once. Then it attaches the lines to the film as a text track, and writes them to a new SRT. Exits with 0 if all of the script has times, with 5 if some has none, and with 1 if nothing has. FILM is a file, or the id or label of a source; SCRIPT is plain text.',
  flags: {
    language: single(
      'TAG',
      'the only one that the film names',
      'the language of the script, which is spoken in the film',
    ),
    output: single(
      'FILE',
      'beside the film, such as film.en.script.srt',
      'the new file; nothing is written over another one',
    ),
    encoding: single('NAME', 'utf-8', 'the encoding of the script, such as windows-1252'),
    again: toggle('has the recognizer of now hear a film again that was heard before'),
    attest: toggle('attaches without a question; needs --reviewer'),
    reviewer: single('NAME', 'asked at a terminal', 'the reviewer of the host, by name or id, who answers for it'),
    label: single('TEXT', 'the name of the file', 'the name of a film that is taken in'),
    'rights-holder': single(
      'NAME',
      'asked at a terminal for a new film',
      'who owns the rights to the film and the script',
    ),
    'attest-rights': toggle('confirms that you may process both on this machine; the question does so, too'),
    'data-root': single('DIR', 'that of media-study settings', 'the data root whose host is used'),
    json: toggle('prints results as JSON, one document a line'),
  },
};

/** The verb. What it runs is loaded with it. */
export const alignVerb: HostVerb = {
  words: alignWords,
  file: 'SCRIPT',
  beginsData: true,
  check: async (given) => (await import('./align-command.ts')).checkScript(given),
  run: async (call) => (await import('./align-command.ts')).alignScript(call),
};

import { type CommandWords, type FlagTable, single, toggle } from '../../options/flags.ts';

const common: FlagTable = {
  encoding: single('NAME', 'utf-8', 'the encoding of that file, such as windows-1252'),
  'data-root': single('DIR', 'that of media-study settings', 'the data root whose host is used'),
  json: toggle('prints results as JSON, one document a line'),
};

/** The words of `media-study subtitles check`. */
export const checkWords: CommandWords = {
  usage: 'media-study subtitles check FILM [--file FILE] [flags]',
  purpose:
    'Compares subtitles with the speech of a studied film: for each stretch of cues in sync, by how much off, or unknown. Exits with 1 if a stretch is off, else with 5 if one is unknown. FILM is the id of a study, the label of its source, or the file. It computes from stored speech and records nothing.',
  flags: {
    file: single('FILE', 'the text tracks of the study', 'a subtitle file to compare instead: SRT, WebVTT or ASS'),
    ...common,
  },
};

/** The words of `media-study subtitles fix`. */
export const fixWords: CommandWords = {
  usage: 'media-study subtitles fix FILM [--file FILE] [--output FILE] [flags]',
  purpose:
    'Moves subtitles to the speech of a studied film. It shows the verdict for each stretch and asks once. Then it attaches the moved subtitles to the film, and writes them to a new file. Text, styles, positions and order stay; so do the times of cues of which nothing is known. The own track of the film stays, too. Exits with 0 for subtitles in sync, and with 5 if nothing is known.',
  flags: {
    file: single('FILE', 'a text track of the study', 'a subtitle file to move instead: SRT, WebVTT or ASS'),
    track: single('TRACK', 'the only one that is off', 'the text track to move, by its number'),
    language: single('TAG', 'identified by each study', 'the language of the file'),
    output: single('FILE', 'beside the subtitles, or the film', 'the new file; nothing is written over another one'),
    attest: toggle('moves without a question; needs --reviewer'),
    reviewer: single('NAME', 'asked at a terminal', 'the reviewer of the host, by name or id, who answers for it'),
    'rights-holder': single('NAME', 'the reviewer', 'who holds the rights in the text of the file'),
    'attest-rights': toggle('confirms that you may process the file on this machine; the question does so, too'),
    ...common,
  },
};

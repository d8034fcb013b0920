import { type CommandWords, single, toggle } from '../../options/flags.ts';

/** The words of `media-study subtitles check`. */
export const checkWords: CommandWords = {
  usage: 'media-study subtitles check FILM [--file FILE] [flags]',
  purpose:
    'Compares subtitles with the speech of a studied film: for each stretch of cues in sync, by how much off, or unknown. Exits with 1 if a stretch is off, else with 5 if one is unknown. FILM is the id of a study, the label of its source, or the file. It computes from stored speech and records nothing.',
  flags: {
    file: single('FILE', 'the text tracks of the study', 'a subtitle file to compare instead: SRT, WebVTT or ASS'),
    encoding: single('NAME', 'utf-8', 'the encoding of that file, such as windows-1252'),
    'data-root': single('DIR', 'that of media-study settings', 'the data root whose host is used'),
    json: toggle('prints results as JSON, one document a line'),
  },
};

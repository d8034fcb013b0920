import { type CommandWords, oneOf, single, toggle } from '../../options/flags.ts';

export const verbs = ['list', 'find', 'add', 'test', 'use', 'remove'] as const;

/** The words of `media-study engines`. */
export const enginesWords = (): CommandWords => ({
  usage: 'media-study engines [list | find | add NAME | test [NAME] | use NAME | remove NAME] [flags]',
  purpose: 'Installs, tries and chooses the programs and models that recognize speech and translate on this machine.',
  flags: {
    'data-root': single('DIR', 'that of media-study settings', 'the data root whose settings and engines are meant'),
    json: toggle('prints results as JSON, one document a line'),
    from: single('PATH', null, 'add: takes the files from a file or a folder of this machine, and fetches nothing'),
    program: single('FILE', null, 'add: the whisper-cli to use, in the place of the published one'),
    origin: single('URL', null, 'add: another server with the same files, such as a mirror; their digests are checked'),
    as: oneOf(
      'USE',
      ['recognizer', 'installed', 'translator'],
      'add: what becomes of it; installed changes no setting; translator is for a pair of Apertium',
    ),
    yes: toggle('add: fetches without a question'),
  },
  choices: verbs,
});

import { type CommandWords, type GivenFlags, oneOf, single, toggle } from '../../options/flags.ts';
import type { CommandParts, Feature } from '../feature.ts';

export const verbs = ['list', 'find', 'add', 'test', 'use', 'remove'] as const;

/** The words of `media-study engines`. */
export const enginesWords = (): CommandWords => ({
  usage: 'media-study engines [list | find | add NAME | test [NAME] | use NAME | remove NAME] [flags]',
  purpose: 'Installs, tries and chooses the programs, models and servers that recognize speech and translate.',
  flags: {
    'data-root': single('DIR', 'that of media-study settings', 'the data root whose settings and engines are meant'),
    json: toggle('prints results as JSON, one document a line'),
    from: single('PATH', null, 'add: takes the files from a file or a folder of this machine, and fetches nothing'),
    program: single('FILE', null, 'add: the whisper-cli to use, in the place of the published one'),
    origin: single('URL', null, 'add: another server with the same files, such as a mirror; their digests are checked'),
    server: single('URL', null, 'add: a server of models in the place of a program, such as http://127.0.0.1:8000'),
    model: single('NAME', 'its only model for this use', 'add: the model, as the --server names it'),
    'key-file': single('FILE', null, 'add: a file of mode 0600 with the key for the --server'),
    as: oneOf(
      'USE',
      ['recognizer', 'translator', 'installed'],
      'add: what becomes of it; translator is for a server or a pair of Apertium; installed changes no setting',
    ),
    yes: toggle('add: fetches without a question'),
  },
  choices: verbs,
});

/** A call of `media-study engines`. */
export interface EnginesCall extends CommandParts {
  readonly given: GivenFlags;
  /** The arguments after the verb. */
  readonly names: readonly string[];
  readonly features: readonly Feature[];
  /** The folder of installed engines. */
  readonly engines: string;
  readonly signal: AbortSignal;
}

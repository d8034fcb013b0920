/** Why an engine is not installed, tried or used. `docs/guides/engines.md` has what to do about each. */
export const engineRefusals = [
  'unknown_engine',
  'name_taken',
  'not_confirmed',
  'file_missing',
  'program_missing',
  'catalogue_refused',
  'busy',
  'disk_full',
  'download_failed',
  'digest_mismatch',
  'archive_refused',
  'engine_failed',
  'nothing_heard',
  'wrong_words',
  'nothing_translated',
  'not_translated',
  'lines_exchanged',
  'server_refused',
  'server_unreachable',
  'key_file_refused',
  'key_refused',
  'model_unknown',
  'settings_refused',
] as const;

export type EngineRefusalCode = (typeof engineRefusals)[number];

/** A command as the person types it: `engines add NAME` with the words before it. */
export type Typed = (words: string) => string;

/** What to do, with the commands as the person types them. */
type Remedy = (typed: Typed) => string;

/** A refusal of `media-study engines`. Its message begins with the code. */
export class EngineRefusal extends Error {
  constructor(
    readonly code: EngineRefusalCode,
    readonly detail: string,
    cause?: unknown,
    /** What to do, where it is another thing than for most refusals with this code. */
    readonly remedy: Remedy | string | null = null,
  ) {
    super(`${code}: ${detail}`, { cause });
    this.name = 'EngineRefusal';
  }
}

/** What to do about each refusal; `typed` spells the commands. Details name files, servers and what was found. */
const remedies: Readonly<Record<EngineRefusalCode, Remedy>> = {
  unknown_engine: (typed) => `to see all names: ${typed('engines')}`,
  name_taken: (typed) => `${typed('engines use NAME')} takes it, and ${typed('engines remove NAME')} removes it`,
  not_confirmed: () => 'run the same command at a terminal and answer yes, or give --yes',
  file_missing: () => 'correct the path',
  program_missing: () => 'name a whisper-cli with --program FILE',
  catalogue_refused: () => 'correct the file that MEDIA_STUDY_ENGINE_CATALOGUE names, or unset the variable',
  busy: () => 'wait until it has ended, or end it, then run the same command again',
  disk_full: () => 'free some space, then run the same command again: it continues where it stopped',
  download_failed: () =>
    'run the same command again when the network is there: it continues where it stopped; without a network, copy the files and give --from FOLDER',
  digest_mismatch: () =>
    'run the same command again; if it happens again, the server has other files: name another one with --origin, and a model of yours by its path',
  archive_refused: () => 'take the archive from its origin, or name a program with --program FILE',
  engine_failed: () => 'correct what this names, or take another engine',
  nothing_heard: () => 'take another model',
  wrong_words: () => 'take another model',
  nothing_translated: () => 'take another translator, or install its language data',
  not_translated: () => 'take another translator',
  lines_exchanged: () => 'take another translator',
  server_refused: () => 'correct the address of --server; outside this machine it is https',
  server_unreachable: (typed) =>
    `start the server, or correct its address; to see those of this machine: ${typed('engines find')}`,
  key_file_refused: () => 'put the key on one line of a file of yours, and give it mode 0600: chmod 600 FILE',
  key_refused: () => 'name the file of its key with --key-file',
  model_unknown: () => 'name one of its models with --model',
  settings_refused: (typed) => `correct what the line before names, then run ${typed('engines use NAME')}`,
};

/** What to do about a refusal. */
export function remedyOf({ code, remedy }: EngineRefusal, typed: Typed): string {
  if (remedy === null) return remedies[code](typed);
  return typeof remedy === 'string' ? remedy : remedy(typed);
}

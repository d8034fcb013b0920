import { afterFirstWord, firstWordOf } from '../contract/causes/stored-failures.ts';
import { systemCode } from '../storage/system-refusal.ts';
import { option, StartText, worded } from './start-text.ts';

/**
 * Every code with which a command of this folder refuses to begin, and its exit code: 2 where the call itself is wrong,
 * else 1. `docs/errors.md` explains each.
 */
export const startCodes = {
  invalid_flags: 2,
  invalid_port: 2,
  invalid_origin: 2,
  invalid_ingest_limit: 2,
  invalid_reviewer: 2,
  executor_not_allowed: 2,
  invalid_explanation_provider: 2,
  invalid_recognition_provider: 2,
  invalid_translation_provider: 2,
  invalid_key_file: 2,
  invalid_work_queue: 2,
  invalid_settings: 2,
  non_loopback_bind_rejected: 2,
  wildcard_origin_rejected: 2,
  invalid_host_token: 1,
  object_source_unavailable: 1,
  http_adapter_unavailable: 1,
  listen_failed: 1,
  charts_stale: 1,
} as const;

export type StartCode = keyof typeof startCodes;

/** A start that cannot happen: the process says why on stderr and exits with the code of the table. */
export class StartError extends Error {
  readonly code: StartCode;
  readonly exitCode: 1 | 2;
  /** The message, with the options that it names. */
  readonly text: StartText;
  /** What to do about it, for a code of a feature; null if the table has the remedy of the code. */
  readonly remedy: StartText | null;
  constructor(code: StartCode, text: string | StartText, remedy: StartText | null = null) {
    super(String(text));
    this.text = typeof text === 'string' ? worded`${text}` : text;
    this.remedy = remedy;
    this.name = 'StartError';
    this.code = code;
    this.exitCode = startCodes[code];
  }
}

const restore = worded`restore the sealed folder from a copy, or leave its ${option('source-directory')} out`;

/**
 * The remedy for a start that was refused, by the code that begins the message: the codes of the commands, of stores and of
 * tools. `docs/errors.md` shows the same. One clause, no capital, no full stop.
 */
const remedies: Readonly<Record<string, string | StartText>> = {
  invalid_flags: '--help lists all flags',
  invalid_port: worded`give ${option('port')} a number from 0 to 65535`,
  invalid_origin: 'give the origin as browsers send it, without path and trailing slash',
  wildcard_origin_rejected: worded`name each origin by an ${option('allowed-origin')} of its own`,
  non_loopback_bind_rejected: worded`leave ${option('host')} out; the host listens only on this machine`,
  invalid_ingest_limit: 'give a positive integer',
  invalid_reviewer: worded`correct ${option('reviewer-id')} or ${option('reviewer-label')}`,
  executor_not_allowed: 'add the option that is missing, or leave the other one out',
  invalid_explanation_provider: worded`correct ${option('model-server')}, or OPENAI_BASE_URL or OPENAI_API_KEY in the environment`,
  invalid_recognition_provider: worded`correct ${option('model-server')}, or OPENAI_BASE_URL or OPENAI_API_KEY in the environment`,
  invalid_translation_provider: worded`correct ${option('model-server')}, or OPENAI_BASE_URL or OPENAI_API_KEY in the environment`,
  invalid_key_file:
    'name a file of mode 0600, which holds the key on one line and belongs to this user: chmod 600 FILE',
  invalid_settings:
    'correct the file at that place; media-study settings shows its values, and media-study serve --help every name',
  invalid_host_token:
    'name a file of mode 0600 with 64 hex digits, or a new file in an existing folder: the host writes it',
  http_adapter_unavailable: worded`leave ${option('http-adapter')} out`,
  listen_failed: worded`choose another ${option('port')}, or 0 for a free one; or stop the process that listens there`,
  charts_stale: 'npm run charts, and review what changed',
  data_root_locked: worded`stop the other host, or choose another ${option('data-root')}`,
  data_root_permissions: worded`correct its owner and mode, by the options of the mount if these are fixed, or choose another ${option('data-root')}`,
  data_root_unrecognized: worded`choose an empty or a new folder by ${option('data-root')}; put a folder in the place of a link`,
  store_format_unsupported: worded`start the version that last used the data root, or choose another ${option('data-root')}`,
  ledger_missing: worded`put the folder ledger back from a copy of the data root, or choose another ${option('data-root')}`,
  store_unreadable: 'look at the disk; restore a copy of the data root',
  ledger_damaged:
    'put back a copy of the whole data root, or see what is lost and give it up: npm run verify -- --store',
  storage_full: 'make room on the volume of the data root',
  storage_read_only: worded`mount the file system of the data root for writing, or choose another ${option('data-root')}`,
  storage_access_denied: worded`correct owner and mode of the data root, or choose another one by ${option('data-root')}`,
  storage_descriptors_exhausted: 'raise the limit of open files by ulimit -n',
  storage_fault: worded`look at the disk behind the data root, or choose another ${option('data-root')}`,
  launch_failed: 'chmod 700 the folder work in the data root',
  tool_missing: 'node scripts/setup.mjs, or name the tool by the variable MEDIA_STUDY_FFMPEG or MEDIA_STUDY_FFPROBE',
  speech_runtime_missing: 'npm install --ignore-scripts onnxruntime-node@1.30.0, beside this package',
  backup_unreadable: 'name the folder that media-study backup wrote to the end; run the backup again',
  backup_damaged: 'restore another backup, or run the backup again into an empty folder',
  backup_incomplete: 'find what rests on the object by media-study verify, and restore an earlier backup',
  backup_target_busy: 'wait until it has ended, or choose another folder',
  backup_target_not_empty: worded`choose a new or an empty folder by ${option('data-root')}`,
  backup_target_unrecognized: 'choose a new or an empty folder, or one of an earlier backup',
  ambiguous_source_session: worded`give one of the two folders by ${option('source-directory')}`,
  file_missing: restore,
  file_unreadable: worded`make the file readable for the user of the host, or leave its ${option('source-directory')} out`,
  source_outside_root: worded`give a ${option('source-root')} that holds the folder, or move the folder`,
  record_too_large: restore,
  record_malformed: restore,
  content_mismatch: restore,
  identity_mismatch: restore,
  link_mismatch: restore,
  duration_mismatch: restore,
  evidence_invalid: restore,
};

/** The remedies as a command line has them. */
export const startRemedies: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(remedies).map(([code, remedy]) => [code, String(remedy)]),
);

/** A failed command: its code with what happened, and what can be done about it, if that is known. */
export interface StartFailure {
  readonly message: string;
  readonly remedy: string | null;
}

export function startFailureOf(error: unknown): StartFailure {
  const { code, text, remedy } = startTextsOf(error);
  return { message: `${code}${text}`, remedy: remedy === null ? null : String(remedy) };
}

/** A failed command with the options that its texts name. `code` is the code and a colon, or nothing. */
interface StartTexts {
  readonly code: string;
  readonly text: StartText;
  readonly remedy: StartText | null;
}

export function startTextsOf(error: unknown): StartTexts {
  if (error instanceof StartError) {
    return { code: `${error.code}: `, text: error.text, remedy: error.remedy ?? remedyTextOf(error.code) };
  }
  const message = systemFailure(error) ?? codedMessage(error);
  const own = ownRemedyOf(error);
  const codes = own === null ? Object.keys(startRemedies) : [own.code];
  const code = firstWordOf(message, codes);
  const text = worded`${afterFirstWord(message, codes)}`;
  if (code === null) return { code: '', text, remedy: null };
  return { code: `${code}: `, text, remedy: own?.remedy ?? remedyTextOf(code) };
}

/** The code and the remedy that an error carries: that of a feature, which this table does not have. */
function ownRemedyOf(error: unknown): { readonly code: string; readonly remedy: StartText } | null {
  if (!(error instanceof Error && 'code' in error && 'remedy' in error)) return null;
  const { code, remedy } = error;
  if (typeof code !== 'string' || !(typeof remedy === 'string' || remedy instanceof StartText)) return null;
  return { code, remedy: typeof remedy === 'string' ? worded`${remedy}` : remedy };
}

function remedyTextOf(code: string): StartText | null {
  const remedy = remedies[code];
  return typeof remedy === 'string' ? worded`${remedy}` : (remedy ?? null);
}

export const startFailureWords = ({ message, remedy }: StartFailure): string =>
  remedy === null ? message : `${message}; ${remedy}`;

/** A failed command in words for people. */
export const failureLine = (error: unknown): string => startFailureWords(startFailureOf(error));

/** The errors of the stores and tools begin with their code already. */
function codedMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  const isCoded = !('code' in error) || firstWordOf(message, [String(error.code)]) !== null;
  return isCoded ? message : `${error.code}: ${message}`;
}

/** The meaning of a failed system call for a path that a person named, and the remedy. */
const meanings: Readonly<Record<string, string>> = {
  ENOENT: 'a folder in its path does not exist; create it first, or correct the path',
  ENOTDIR: 'a part of the path to it is not a folder; correct the path',
  EISDIR: 'it is a folder; name a file in it',
  EEXIST: 'it exists already; choose another name',
  EACCES: 'this user has no permission there; change the owner or mode, or choose another place',
  EPERM: 'the system does not allow this there; choose another place',
  EROFS: 'its file system is read-only; choose another place',
  ENOSPC: 'its volume is full; make room, or choose another place',
  EDQUOT: 'the quota of this user is used up; make room, or choose another place',
  EMFILE: 'too many files are open; raise the limit by ulimit -n',
};

/** The meaning of a system error code for a path that a person named, and the remedy; undefined for the rare ones. */
export const meaningOf = (code: string): string | undefined =>
  Object.hasOwn(meanings, code) ? meanings[code] : undefined;

/** The refusals of a place that takes nothing: never of one that is read. */
const aboutTarget: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT', 'EROFS'];

/** A failed call of the system in words: the path, what it means and what to do. Undefined for every other error. */
export function systemFailure(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error && 'syscall' in error)) return undefined;
  const code = systemCode(error);
  // A copy fails with both paths, and a volume without room is that of the copy.
  const path = 'dest' in error && aboutTarget.includes(code) ? error.dest : error.path;
  if (code === undefined || typeof path !== 'string') return undefined;
  const meaning = meaningOf(code);
  return meaning === undefined ? undefined : `${path}: ${meaning} (${code})`;
}

import { errorEnvelope } from '../../../contract/base/errors.ts';
import type { Damage } from './damages.ts';
import { lists } from './stored-life.ts';

/** Observations of a damaged data root. */
export interface Seen {
  /** The names in the findings of a verification. */
  readonly found: readonly string[];
  /** The code with which a start refused it; null if a host opened it. */
  readonly refused: string | null;
  /** Status and body by path, of a host on it, and of one on the whole data root. */
  readonly answers: ReadonlyMap<string, string>;
  readonly before: ReadonlyMap<string, string>;
}

export interface Verdict {
  readonly outcome: 'refused' | 'named' | 'without loss' | 'unnamed';
  readonly complaints: readonly string[];
}

/** The answers that a client may get for a damaged or missing thing. */
const honest = [
  'stored_content_inconsistent',
  'malformed_journal',
  'invalid_journal_chain',
  'source_revalidation_failed',
  'signing_key_unusable',
  'unknown_runtime',
  'unknown_actor',
  'unknown_ingest',
  'unknown_source_session',
  'not_found',
];

/**
 * Kinds of things that may be gone, or damaged, without a word of a verification: they repeat or remember what can be had
 * again. What each costs is in docs/verification.md.
 */
const replaceable = [
  'operation',
  'observation',
  'record host',
  'record ingest',
  'record erasing',
  'object of a deletion',
  'record upload',
  'live',
  'transition',
  'inbox',
  'private-signing-key.pem',
  'ledger.tables',
  'ledger.mark',
  'MEDIA-STUDY-DATA-ROOT',
  'm:commit',
  'm:format',
];

/** The ids that a path or a fault names. */
const idsIn = (text: string): string[] => text.match(/[a-z-]+:[0-9a-f-]{36,64}/g) ?? [];

/** The code of an error; null for any other answer. */
function codeOf(answer: string): string | null {
  if (Number(answer.slice(0, 3)) < 400) return null;
  return errorEnvelope.parse(JSON.parse(answer.slice(4))).error.code;
}

const isList = (path: string): boolean => lists.some((list) => list === path);
/** Measures that move by themselves. */
const isMoving = (path: string): boolean => path === '/v1/disk-use';

/** Holds all that was seen against what a damage may do. */
export function judged({ kind, name, how }: Damage, { found, refused, answers, before }: Seen): Verdict {
  if (refused !== null) {
    return found.length > 0
      ? { outcome: 'refused', complaints: [] }
      : { outcome: 'unnamed', complaints: [`a start refuses it with ${refused}, and verification finds nothing`] };
  }
  const complaints: string[] = [];
  const changed = [...answers].filter(([path, answer]) => answer !== before.get(path) && !isMoving(path));
  const named = new Set([...found.flatMap(idsIn), ...idsIn(name)]);
  for (const [path, answer] of changed) {
    const code = codeOf(answer);
    if (code !== null && !honest.includes(code)) complaints.push(`${path} is answered with ${code}`);
    const isOfDamage = idsIn(path).some((id) => named.has(id)) || kind === 'source' || kind === 'session';
    if (!isList(path) && !isOfDamage && code === null)
      complaints.push(`${path} is another thing's, and was changed to ${answer.slice(0, 300)}`);
  }
  const isReplaceable = replaceable.includes(kind);
  if (found.length > 0) return { outcome: 'named', complaints };
  if (isReplaceable) return { outcome: 'without loss', complaints };
  return {
    outcome: 'unnamed',
    complaints: [...complaints, `verification finds nothing, ${changed.length} answers changed (${how})`],
  };
}

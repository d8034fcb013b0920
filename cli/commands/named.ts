import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isSameName } from '../../contract/base/grammar.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import type { RuntimeRow } from '../../contract/study/status.ts';
import { countText, timeCode } from '../../formats/readable-numbers.ts';
import { nearestName } from '../../options/flags.ts';
import { shellPath } from '../../storage/objects/data-root.ts';
import { asTyped, type CommandCall, typedAgain, WrongCall } from '../terminal/call.ts';

const prefix = 'runtime:';
const whole = /^runtime:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True if an id begins with this text, with the word before its colon or without it. */
const beginsWith = (id: string, beginning: string): boolean =>
  id.startsWith(beginning) || id.slice(id.indexOf(':') + 1).startsWith(beginning);

/** A study as it is listed; of a damaged one there is only its id. */
interface Listed {
  readonly runtimeId: string;
  readonly row: RuntimeRow | null;
}

/** Every study of a host, the newest first. */
async function* everyStudy({ host }: Pick<CommandCall, 'host'>): AsyncGenerator<Listed> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await host.runtimes({ limit: 200, ...(after !== undefined && { after }) });
    for (const row of page.runtimes) yield { runtimeId: row.runtimeId, row };
    for (const runtimeId of page.damaged) yield { runtimeId, row: null };
    after = page.nextCursor;
  }
}

/** A study on one line, as `runtimes` prints it. */
export function studyLine({ runtimeId, acceptedAt, lifecycle, reason, range, label }: RuntimeRow): string {
  const state = isCanceled(reason) ? 'canceled' : lifecycle;
  const part = `${timeCode(range.startMs)}-${timeCode(range.endMs)}`;
  return `${runtimeId}  ${acceptedAt}  ${state}  ${part}  ${label ?? '(source gone)'}`;
}

/** The languages of more studies take a person longer to read than the ids, and the host longer to find. */
const mostLanguages = 10;

/** The languages of a study, which set studies of one source apart; empty if its overview cannot be read. */
async function languagesIn({ host }: Pick<CommandCall, 'host'>, runtimeId: string): Promise<string> {
  const { study } = await host.overview(runtimeId).catch(() => ({ study: null }));
  if (study === null) return '';
  const spoken = study.sourceLanguage.languages.join(', ') || 'unknown language';
  return `  ${spoken} to ${study.targetLanguage}`;
}

/**
 * The id of the study that a person names: by its id, by a beginning of it, or by the label of its source. Throws `WrongCall` if
 * several studies match, and lists them. Any other text goes to the host as it is, which knows whether that id was deleted.
 */
export async function namedStudy(call: Pick<CommandCall, 'host'>, what: string): Promise<string> {
  if (whole.test(what)) return what;
  const labels = new Set<string>();
  const meant: Listed[] = [];
  for await (const listed of everyStudy(call)) {
    const label = listed.row?.label ?? null;
    if ((label !== null && isSameName(label, what)) || beginsWith(listed.runtimeId, what)) meant.push(listed);
    if (label !== null) labels.add(label);
  }
  const [only, ...others] = meant;
  if (only === undefined) return what.startsWith(prefix) ? what : await noStudy(call, what, [...labels]);
  if (others.length === 0) return only.runtimeId;
  const lines = await Promise.all(
    meant.map(async ({ runtimeId, row }, at) => {
      if (row === null) return `  ${runtimeId}  damaged`;
      return `  ${studyLine(row)}${at < mostLanguages ? await languagesIn(call, runtimeId) : ''}`;
    }),
  );
  throw new WrongCall(
    [`${meant.length} studies are called ${what}; name one by its id, or by the beginning of its id:`, ...lines].join(
      '\n',
    ),
  );
}

/**
 * The studies of one film, the newest first. A film is named by the id of a study, the label of its source, or its file.
 * Throws `WrongCall` if there is none, and if several films are meant.
 */
export async function studiesOfFilm(call: Pick<CommandCall, 'host' | 'signal'>, what: string): Promise<RuntimeRow[]> {
  const every: RuntimeRow[] = [];
  for await (const { row } of everyStudy(call)) if (row !== null) every.push(row);
  const exact = every.filter(({ runtimeId }) => runtimeId === what);
  if (exact.length > 0) return exact;
  let meant = every.filter(
    ({ runtimeId, label }) => (label !== null && isSameName(label, what)) || beginsWith(runtimeId, what),
  );
  if (meant.length === 0) {
    const isFile = await stat(what).then(
      (found) => found.isFile(),
      () => false,
    );
    const source = isFile ? await knownFile(call, what) : undefined;
    meant = every.filter(({ sourceSessionId }) => sourceSessionId === source?.sourceSessionId);
    if (meant.length === 0 && isFile) {
      throw new WrongCall(`${what} is not studied yet: ${asTyped(`study ${shellPath(what)}`)}`);
    }
  }
  const [first] = meant;
  if (first === undefined) {
    const labels = new Set(every.flatMap(({ label }) => label ?? []));
    return noStudy(call, what, [...labels]);
  }
  if (meant.every(({ sourceSessionId }) => sourceSessionId === first.sourceSessionId)) return meant;
  const lines = meant.map((row) => `  ${studyLine(row)}`);
  throw new WrongCall([`several films are called ${what}; name a study by its id:`, ...lines].join('\n'));
}

/** True if a host has a study of a source with this label. */
export async function hasStudyOf(call: Pick<CommandCall, 'host'>, label: string): Promise<boolean> {
  for await (const { row } of everyStudy(call))
    if (row !== null && row.label !== null && isSameName(row.label, label)) return true;
  return false;
}

/** Throws `WrongCall`: no study is named so. */
async function noStudy({ host }: Pick<CommandCall, 'host'>, what: string, labels: readonly string[]): Promise<never> {
  const source = (await host.sources()).find(
    ({ sourceSessionId, label }) => sourceSessionId === what || isSameName(label, what),
  );
  if (source !== undefined)
    throw new WrongCall(`${what} is not studied yet: ${asTyped(`study ${source.sourceSessionId}`)}`);
  const near = nearestName(what, labels);
  const meant = near === null ? '' : `, did you mean ${near}?`;
  throw new WrongCall(
    `no study has the label ${what} or an id that begins with it${meant}; ${asTyped('runtimes')} lists the studies`,
  );
}

/**
 * Throws `WrongCall` for a call that names no study. If the host has exactly one, the message has the whole command; `more` are the
 * arguments that follow the study.
 */
async function unnamedStudy(call: Pick<CommandCall, 'host'>, more: readonly string[]): Promise<never> {
  const studies: Listed[] = [];
  for await (const listed of everyStudy(call)) {
    studies.push(listed);
    if (studies.length > 1) break;
  }
  const [only, ...others] = studies;
  if (only === undefined) {
    throw new WrongCall(`RUNTIME is missing, and there is no study yet: ${asTyped('study FILE')} makes one`);
  }
  const label = only.row?.label ?? null;
  throw new WrongCall(
    others.length === 0
      ? `RUNTIME is missing; the only study${label === null ? '' : ` is of ${label}`}: ${typedAgain([only.runtimeId, ...more])}`
      : `RUNTIME is missing: give the id of a study or the label of its source; ${asTyped('runtimes')} lists the studies`,
  );
}

/**
 * The id of the study that the argument at a place names. Throws `WrongCall`, with the next step if the argument is missing: `more`
 * are the arguments that follow it.
 */
export async function studyArgument(
  call: Pick<CommandCall, 'host' | 'given'>,
  place = 0,
  more: readonly string[] = [],
): Promise<string> {
  const what = call.given.positional[place];
  return what === undefined ? unnamedStudy(call, more) : namedStudy(call, what);
}

/** A source on one line, as `sources` prints it. */
export const sourceLine = ({ sourceSessionId, label, durationMs, trackCount }: SourceSessionRow): string =>
  `${sourceSessionId}  ${timeCode(durationMs)}  ${countText(trackCount, 'track')}  ${label}`;

function onlyOne(what: string, meant: readonly SourceSessionRow[]): SourceSessionRow | undefined {
  const [only, ...others] = meant;
  if (others.length === 0) return only;
  const lines = meant.map((row) => `  ${sourceLine(row)}`);
  throw new WrongCall(
    [`${meant.length} sources are called ${what}; name one by its id, or by the beginning of its id:`, ...lines].join(
      '\n',
    ),
  );
}

/**
 * The source with this id or label; undefined if there is none. Throws `WrongCall` for a label of several, and lists them. A file
 * of that name is nearer than a beginning of an id, which counts only if `byBeginning`.
 */
export async function namedSource(
  { host }: Pick<CommandCall, 'host'>,
  what: string,
  byBeginning = true,
): Promise<SourceSessionRow | undefined> {
  const rows = await host.sources();
  const exact = rows.find(({ sourceSessionId }) => sourceSessionId === what);
  if (exact !== undefined) return exact;
  return onlyOne(
    what,
    rows.filter(
      ({ sourceSessionId, label }) => isSameName(label, what) || (byBeginning && beginsWith(sourceSessionId, what)),
    ),
  );
}

/** The same. Throws `WrongCall` if there is none. */
export async function sourceNamed(call: Pick<CommandCall, 'host'>, what: string): Promise<SourceSessionRow> {
  const source = await namedSource(call, what);
  if (source !== undefined) return source;
  const near = nearestName(
    what,
    (await call.host.sources()).map(({ label }) => label),
  );
  throw new WrongCall(
    `no source of this host is ${what}${near === null ? '' : `, did you mean ${near}?`}; ${asTyped('sources')} lists them`,
  );
}

/** The source that was made of the bytes of a file, rather one that a person answers for; undefined if there is none. */
export async function knownFile(
  { host, signal }: Pick<CommandCall, 'host' | 'signal'>,
  path: string,
): Promise<SourceSessionRow | undefined> {
  const rows = await host.sources();
  if (rows.length === 0) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal });
  const contentId = `sha256:${hash.digest('hex')}`;
  const known = rows.filter(({ sourceContentId }) => sourceContentId === contentId);
  return known.find(({ rightsScope }) => rightsScope === 'local_processing') ?? known[0];
}

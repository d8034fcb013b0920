import type { RuntimeRow } from '../../contract/study/runtimes.ts';
import { timeCode } from '../../receipts/core/time-code.ts';
import { nearestName } from '../options/did-you-mean.ts';
import { asTyped } from '../terminal/as-typed.ts';
import { argument, type Call, WrongCall } from '../terminal/call.ts';

const prefix = 'runtime:';
const whole = /^runtime:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether an id begins so, with the word before its colon or without it. */
export const beginsWith = (id: string, beginning: string): boolean =>
  id.startsWith(beginning) || id.slice(id.indexOf(':') + 1).startsWith(beginning);

/** A study as it is listed; of a damaged one there is only its id. */
interface Listed {
  readonly runtimeId: string;
  readonly row: RuntimeRow | null;
}

/** Every study of a host, the newest first. */
async function* everyStudy({ host }: Pick<Call, 'host'>): AsyncGenerator<Listed> {
  for (let after: string | null | undefined; after !== null; ) {
    const page = await host.runtimes({ limit: 200, ...(after !== undefined && { after }) });
    for (const row of page.runtimes) yield { runtimeId: row.runtimeId, row };
    for (const runtimeId of page.damaged) yield { runtimeId, row: null };
    after = page.nextCursor;
  }
}

/** A study on one line, as `runtimes` prints it. */
export function studyLine({ runtimeId, acceptedAt, lifecycle, range, label }: RuntimeRow): string {
  const part = `${timeCode(range.startMs)}-${timeCode(range.endMs)}`;
  return `${runtimeId}  ${acceptedAt}  ${lifecycle}  ${part}  ${label ?? '(source gone)'}`;
}

/**
 * The id of the study that a person names: by its id, by a beginning of it, or by the label of its source. Throws `WrongCall` if
 * several studies are meant, and lists them; what is none is left to the host, which says whether it was deleted.
 */
export async function namedStudy(call: Pick<Call, 'host'>, what: string): Promise<string> {
  if (whole.test(what)) return what;
  const labels = new Set<string>();
  const meant: Listed[] = [];
  for await (const listed of everyStudy(call)) {
    const label = listed.row?.label ?? null;
    if (label === what || beginsWith(listed.runtimeId, what)) meant.push(listed);
    if (label !== null) labels.add(label);
  }
  const [only, ...others] = meant;
  if (only === undefined) return what.startsWith(prefix) ? what : await noStudy(call, what, [...labels]);
  if (others.length === 0) return only.runtimeId;
  const lines = meant.map(({ runtimeId, row }) => `  ${row === null ? `${runtimeId}  damaged` : studyLine(row)}`);
  throw new WrongCall(
    [`${meant.length} studies are called ${what}; name one by its id, or by a beginning of it:`, ...lines].join('\n'),
  );
}

/** Throws `WrongCall`: no study is named so. */
async function noStudy({ host }: Pick<Call, 'host'>, what: string, labels: readonly string[]): Promise<never> {
  const source = (await host.sources()).find(({ sourceSessionId, label }) => [sourceSessionId, label].includes(what));
  if (source !== undefined)
    throw new WrongCall(`${what} is not studied yet: ${asTyped(`study ${source.sourceSessionId}`)}`);
  const near = nearestName(what, labels);
  const meant = near === null ? '' : `, did you mean ${near}?`;
  throw new WrongCall(
    `no study is called ${what}, and no id of one begins so${meant}; ${asTyped('runtimes')} lists the studies`,
  );
}

/** The id of the study that the argument at a place names. Throws `WrongCall`. */
export const studyArgument = (call: Pick<Call, 'host' | 'given'>, place = 0): Promise<string> =>
  namedStudy(call, argument(call.given, place, 'RUNTIME'));

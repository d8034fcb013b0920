import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import { counted } from '../../receipts/core/checked-link.ts';
import { timeCode } from '../../receipts/core/time-code.ts';
import { nearestName } from '../options/did-you-mean.ts';
import { asTyped } from '../terminal/as-typed.ts';
import { type Call, WrongCall } from '../terminal/call.ts';
import { beginsWith } from './named-study.ts';

/** A source on one line, as `sources` prints it. */
export const sourceLine = ({ sourceSessionId, label, durationMs, trackCount }: SourceSessionRow): string =>
  `${sourceSessionId}  ${timeCode(durationMs)}  ${counted(trackCount, 'track')}  ${label}`;

function onlyOne(what: string, meant: readonly SourceSessionRow[]): SourceSessionRow | undefined {
  const [only, ...others] = meant;
  if (others.length === 0) return only;
  const lines = meant.map((row) => `  ${sourceLine(row)}`);
  throw new WrongCall(
    [`${meant.length} sources are called ${what}; name one by its id, or by a beginning of it:`, ...lines].join('\n'),
  );
}

/**
 * The source with this id or label; undefined where there is none. Throws `WrongCall` for a label of several, and lists them. A file
 * of that name is nearer than a beginning of an id, which counts only if `byBeginning`.
 */
export async function namedSource(
  { host }: Pick<Call, 'host'>,
  what: string,
  byBeginning = true,
): Promise<SourceSessionRow | undefined> {
  const rows = await host.sources();
  const exact = rows.find(({ sourceSessionId }) => sourceSessionId === what);
  if (exact !== undefined) return exact;
  return onlyOne(
    what,
    rows.filter(({ sourceSessionId, label }) => label === what || (byBeginning && beginsWith(sourceSessionId, what))),
  );
}

/** The same. Throws `WrongCall` where there is none. */
export async function sourceNamed(call: Pick<Call, 'host'>, what: string): Promise<SourceSessionRow> {
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

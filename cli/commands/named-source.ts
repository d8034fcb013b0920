import type { SourceSessionRow } from '../../contract/sources/source-session-list.ts';
import { type Call, WrongCall } from '../terminal/call.ts';

/** The source with this id or label; undefined where there is none. Throws `WrongCall` for a label of several. */
export async function namedSource({ host }: Pick<Call, 'host'>, what: string): Promise<SourceSessionRow | undefined> {
  const known = (await host.sources()).filter(({ sourceSessionId, label }) => [sourceSessionId, label].includes(what));
  if (known.length > 1) throw new WrongCall(`several sources are called ${what}: give the id (media-study sources)`);
  return known[0];
}

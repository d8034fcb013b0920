import type { ExecutionContext } from 'ava';
import { writeExport } from '../../cli/commands/exports.ts';
import { StudyHost } from '../../client/study-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const { signal } = new AbortController();
const asked = { name: 'facts.csv', options: {} } as const;

/** A folder, and a function that writes an export without a host into a path. */
export async function exporting(t: ExecutionContext) {
  const folder = await scratchFolder(t);
  const answers = async () => new Response('kind,startMs\n');
  const host = StudyHost.connect({ baseUrl: 'http://127.0.0.1:1', token: 'any' }, { fetch: answers });
  return { folder, write: (path: string) => writeExport(host, 'runtime:any', asked, path, signal) };
}

import { lifecycle } from '../../contract/study/runtime-status.ts';
import { type FlagTable, single } from '../options/flags.ts';
import { type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { sourceNamed } from './named-source.ts';
import { studyLine } from './named-study.ts';

const flags: FlagTable = {
  source: single('SOURCE', null, 'only studies of this source: its id, a beginning of it, or its label'),
  lifecycle: single('NAME', null, `only studies that are ${lifecycle.options.join(', ')}`),
  label: single('TEXT', null, 'only studies of sources with this label'),
  limit: single('COUNT', '50', 'the most studies that are printed, the newest first'),
  ...hostFlags,
};

async function run({ host, given, terminal }: Call) {
  const asked = lifecycle.optional().safeParse(given.single('lifecycle'));
  if (!asked.success) throw new WrongCall(`--lifecycle is one of ${lifecycle.options.join(', ')}`);
  let left = Number(given.single('limit') ?? 50);
  if (!Number.isSafeInteger(left) || left < 1) throw new WrongCall('--limit is a number of at least 1');
  const [source, label] = [given.single('source'), given.single('label')];
  // A source that was deleted is none of this host, and its studies may still be there.
  const isWhole = source?.startsWith('source-session:') === true;
  const sourceSessionId =
    source === undefined || isWhole ? source : (await sourceNamed({ host }, source)).sourceSessionId;
  const filters = {
    ...(sourceSessionId !== undefined && { sourceSessionId }),
    ...(label !== undefined && { label }),
    ...(asked.data !== undefined && { lifecycle: asked.data }),
  };
  for (let after: string | null | undefined; after !== null && left > 0; ) {
    const page = await host.runtimes({ ...filters, limit: Math.min(left, 200), ...(after !== undefined && { after }) });
    for (const row of page.runtimes) terminal.result(row, [studyLine(row)]);
    for (const runtimeId of page.damaged) terminal.remark(`${runtimeId} is damaged: its status says more`);
    left -= page.runtimes.length + page.damaged.length;
    after = page.nextCursor;
  }
  return exitCodes.done;
}

/** Lists the studies of a host. */
export const runtimes: HostCommand = {
  usage: 'media-study runtimes [flags]',
  purpose: 'Lists studies, the newest first.',
  flags,
  run,
};

import { counted } from '../../receipts/core/checked-link.ts';
import { type FlagTable, single } from '../options/flags.ts';
import { type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { bytesText } from '../terminal/size.ts';

const flags: FlagTable = {
  limit: single('COUNT', '20', 'the most sources and runtimes that are printed, the largest first'),
  ...hostFlags,
};

async function run({ host, given, terminal }: Call) {
  const limit = Number(given.single('limit') ?? 20);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > 200)
    throw new WrongCall('--limit is a number from 1 to 200');
  const use = await host.deletions.diskUse({ limit });
  const { total, sources, runtimes, more } = use;
  terminal.result(use, [
    `total ${bytesText(total.bytes)}, free ${bytesText(total.freeBytes)}; no record reaches ${bytesText(total.unreached.bytes)}`,
    ...sources.map(({ sourceSessionId, label, media, own, shared, evidence, runtimes: count }) =>
      [
        `${sourceSessionId}  media ${bytesText(media.bytes)}, records ${bytesText(own.bytes)}`,
        `shared ${bytesText(shared.bytes)}, evidence ${bytesText(evidence.bytes)}, ${counted(count, 'runtime')}  ${label}`,
      ].join(', '),
    ),
    ...runtimes.map(({ runtimeId, journal, own, shared, evidence }) =>
      [
        `${runtimeId}  journal ${bytesText(journal.bytes)}, records ${bytesText(own.bytes)}`,
        `shared ${bytesText(shared.bytes)}, evidence ${bytesText(evidence.bytes)}`,
      ].join(', '),
    ),
    ...(more.sources + more.runtimes === 0
      ? []
      : [`and ${counted(more.sources, 'source')}, ${counted(more.runtimes, 'runtime')} more`]),
  ]);
  return exitCodes.done;
}

/** Shows what takes space. */
export const disk: HostCommand = {
  usage: 'media-study disk [flags]',
  purpose: 'Shows what takes space in the data root, by source and by runtime.',
  flags,
  run,
};

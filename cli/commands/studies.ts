import type { WorkProgress } from '../../contract/operation.ts';
import { isCanceled } from '../../contract/study/cancellation.ts';
import { lifecycle } from '../../contract/study/status.ts';
import { following } from '../../formats/followed-signal.ts';
import { type FlagTable, type GivenFlags, single } from '../../options/flags.ts';
import { exitCodes, readerGone } from '../../options/outputs.ts';
import { argument, type CommandCall, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { summaryLines } from '../terminal/summary.ts';
import { sourceNamed, studyArgument, studyLine } from './named.ts';

const runtimesFlags: FlagTable = {
  source: single('SOURCE', null, 'only studies of this source: its id, the beginning of its id, or its label'),
  lifecycle: single('NAME', null, `only studies that are ${lifecycle.options.join(', ')}`),
  label: single('TEXT', null, 'only studies of sources with this label'),
  limit: single('COUNT', '50', 'how many studies to print, the newest first'),
  ...hostFlags,
};

/** The lifecycle and the most studies that a call of `runtimes` names. Throws `WrongCall`. */
function listedOf(given: GivenFlags) {
  const asked = lifecycle.optional().safeParse(given.single('lifecycle'));
  if (!asked.success) throw new WrongCall(`--lifecycle is one of ${lifecycle.options.join(', ')}`);
  const limit = Number(given.single('limit') ?? 50);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new WrongCall('--limit is a number of at least 1');
  return { state: asked.data, limit };
}

async function listStudies({ host, given, terminal }: CommandCall) {
  const { state, limit } = listedOf(given);
  let left = limit;
  const [source, label] = [given.single('source'), given.single('label')];
  // A deleted source is no longer in the list of the host, while its studies may still be there.
  const isWhole = source?.startsWith('source-session:') === true;
  const sourceSessionId =
    source === undefined || isWhole ? source : (await sourceNamed({ host }, source)).sourceSessionId;
  const filters = {
    ...(sourceSessionId !== undefined && { sourceSessionId }),
    ...(label !== undefined && { label }),
    ...(state !== undefined && { lifecycle: state }),
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
export const runtimesCommand: HostCommand = {
  usage: 'media-study runtimes [flags]',
  purpose: 'Lists studies, the newest first.',
  flags: runtimesFlags,
  check: async (given) => void listedOf(given),
  run: listStudies,
};

/** Throws `WrongCall` for a call that names no study. */
const namesStudy = async (given: GivenFlags): Promise<void> => void argument(given, 0, 'RUNTIME');

async function watchStudy(call: CommandCall) {
  const { host, terminal, signal } = call;
  const runtimeId = await studyArgument(call);
  const gone = readerGone();
  const onProgress = (progress: WorkProgress) => terminal.measured('study', progress);
  try {
    await following([signal, gone], async (either) => {
      for await (const event of host.follow(runtimeId, { signal: either, onProgress })) {
        terminal.result(event, [`${event.seq} ${event.recordedAt} ${event.type}`]);
      }
    });
  } catch (error) {
    if (gone.aborted && !signal.aborted) return exitCodes.done;
    throw error;
  }
  const { lifecycle } = await host.status(runtimeId);
  return lifecycle === 'terminal' ? exitCodes.done : exitCodes.failed;
}

/** Follows the journal of a study. */
export const watch: HostCommand = {
  usage: 'media-study watch RUNTIME [flags]',
  purpose: 'Prints the journal of a study as it grows, to its end.',
  flags: hostFlags,
  positionals: 1,
  studyAt: 0,
  check: namesStudy,
  run: watchStudy,
};

const evidenceFlags: FlagTable = { kind: single('KIND', 'all', 'only this kind of evidence'), ...hostFlags };

async function showEvidence(call: CommandCall) {
  const { host, given, terminal } = call;
  const runtimeId = await studyArgument(call);
  const kind = given.single('kind');
  const evidence = await host.evidence(runtimeId, kind);
  terminal.result(evidence, summaryLines(await host.overview(runtimeId), kind));
  return exitCodes.done;
}

/** Reads the evidence of a study. */
export const evidence: HostCommand = {
  usage: 'media-study evidence RUNTIME [flags]',
  purpose: 'Prints what a study found; with --json all facts.',
  flags: evidenceFlags,
  positionals: 1,
  studyAt: 0,
  check: namesStudy,
  run: showEvidence,
};

async function cancelStudy(call: CommandCall) {
  const { host, terminal } = call;
  const status = await host.cancel(await studyArgument(call));
  terminal.result(status, [`study ${status.runtimeId}: ${isCanceled(status.reason) ? 'canceled' : status.lifecycle}`]);
  return exitCodes.done;
}

/** Ends a study that has not ended. */
export const cancel: HostCommand = {
  usage: 'media-study cancel RUNTIME [flags]',
  purpose: 'Cancels a study that runs or waits; what it had stored stays readable.',
  flags: hostFlags,
  positionals: 1,
  studyAt: 0,
  check: namesStudy,
  run: cancelStudy,
};

import { type FlagTable, single } from '../options/flags.ts';
import { type Call, type HostCommand, hostFlags } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { summaryLines } from '../terminal/summary.ts';
import { studyArgument } from './named-study.ts';

const flags: FlagTable = { kind: single('KIND', 'all', 'the one kind that is read'), ...hostFlags };

async function run(call: Call) {
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
  flags,
  positionals: 1,
  studyAt: 0,
  run,
};

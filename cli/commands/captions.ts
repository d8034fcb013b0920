import { type FlagTable, single, toggle } from '../options/flags.ts';
import { type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { noApproval, noCaptions, saidAs } from '../terminal/nothing-yet.ts';
import { standingCaptions } from '../terminal/standing-captions.ts';
import { studyArgument } from './named-study.ts';

const flags: FlagTable = {
  produce: toggle('makes captions under the approval that stands, unless the study has some, and prints them'),
  side: single('SIDE', 'target', 'source or target'),
  ...hostFlags,
};

/**
 * Whether captions of a study are there, or being made: asking for them again prints them. Throws `NothingYet` if an approval is
 * missing that would change nothing.
 */
async function hasCaptions({ host }: Call, runtimeId: string): Promise<boolean> {
  const overview = await host.overview(runtimeId);
  const { captions, actions } = overview;
  if (captions.state === 'never' && actions.some(({ action }) => action === 'approve')) throw noCaptions(overview);
  return ['done', 'withheld', 'under_way'].includes(captions.state);
}

async function run(call: Call) {
  const { host, given, terminal, signal } = call;
  const runtimeId = await studyArgument(call);
  const side = given.single('side') ?? 'target';
  if (side !== 'source' && side !== 'target') throw new WrongCall(`--side ${side}: source or target`);
  if (given.has('produce') && !(await hasCaptions(call, runtimeId))) {
    await host.captions.produce(runtimeId).catch(saidAs(noApproval(runtimeId)));
  }
  const { control, results } = await standingCaptions(host, runtimeId, signal);
  if (control.outcome === 'withheld') {
    terminal.result(control, [`withheld: ${control.reasonCodes.join(', ')}`]);
    return exitCodes.withheld;
  }
  if (terminal.json) terminal.result(results, []);
  else process.stdout.write(await host.captions.webvtt(runtimeId, side));
  return exitCodes.done;
}

/** Makes and reads captions. */
export const captions: HostCommand = {
  usage: 'media-study captions RUNTIME [flags]',
  purpose: 'Prints the accepted captions of a study as WebVTT; with --json every line with its lineage.',
  flags,
  positionals: 1,
  studyAt: 0,
  run,
};

import { writeFile } from 'node:fs/promises';
import { exportName, exportNames } from '../../contract/exports/export-name.ts';
import { type FlagTable, single } from '../options/flags.ts';
import { pathOption } from '../options/path-option.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';

const flags: FlagTable = {
  output: single('FILE', null, 'the file that is written; stdout without it'),
  side: single('SIDE', 'target', 'of captions: source or target'),
  rate: single('RATE', '25', 'of cuts.edl: 24, 25, 30, 50 or 60 frames a second'),
  ...hostFlags,
};

async function run({ host, given, terminal }: Call) {
  const runtimeId = argument(given, 0, 'RUNTIME');
  const name = exportName.safeParse(argument(given, 1, 'NAME'));
  if (!name.success) throw new WrongCall(`NAME is one of ${exportNames.join(', ')}`);
  const [side, rate] = [given.single('side'), given.single('rate')];
  const text = await host.export(runtimeId, name.data, { ...(side && { side }), ...(rate && { rate }) });
  const path = pathOption(given, 'output');
  if (path === null) process.stdout.write(text);
  else {
    await writeFile(path, text);
    terminal.result({ runtimeId, name: name.data, path }, [path]);
  }
  return exitCodes.done;
}

/** Writes a study as a file for another program. */
export const exporting: HostCommand = {
  usage: 'media-study export RUNTIME NAME [flags]',
  purpose: `Writes a study as a file for another program. NAME is one of ${exportNames.join(', ')}.`,
  flags,
  positionals: 2,
  startsHost: false,
  run,
};

import { pipeline } from 'node:stream/promises';
import { exportName, exportNames } from '../../contract/exports/export-name.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../options/flags.ts';
import { pathOption } from '../options/path-option.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type AskedExport, exportedBytes, writeExport } from '../terminal/written-export.ts';

const flags: FlagTable = {
  output: single('FILE', null, 'the file that is written; stdout without it'),
  media: toggle('of a bundle: with the bytes of the media'),
  side: single('SIDE', 'target', 'of captions: source or target'),
  rate: single('RATE', '25', 'of cuts.edl: 24, 25, 30, 50 or 60 frames a second'),
  ...hostFlags,
};

const names = ['bundle', ...exportNames];

function askedExport(given: GivenFlags): AskedExport {
  const asked = argument(given, 1, 'NAME');
  if (asked === 'bundle') return { name: asked, media: given.has('media') };
  const name = exportName.safeParse(asked);
  if (!name.success) throw new WrongCall(`NAME is one of ${names.join(', ')}`);
  if (given.has('media')) throw new WrongCall('--media is for a bundle');
  const [side, rate] = [given.single('side'), given.single('rate')];
  return { name: name.data, options: { ...(side && { side }), ...(rate && { rate }) } };
}

async function run({ host, given, terminal, signal }: Call) {
  const runtimeId = argument(given, 0, 'RUNTIME');
  const asked = askedExport(given);
  const path = pathOption(given, 'output');
  if (path !== null) {
    const written = await writeExport(host, runtimeId, asked, path, signal);
    terminal.result({ runtimeId, name: asked.name, ...written }, [path]);
    return exitCodes.done;
  }
  if (asked.name === 'bundle' && process.stdout.isTTY) {
    throw new WrongCall('a bundle is no text for a terminal: name a file by --output');
  }
  const body = await exportedBytes(host, runtimeId, asked, signal);
  await pipeline(body, process.stdout, { signal, end: false }).catch((error: NodeJS.ErrnoException) => {
    // The reader has all that it wants (`outliveReaders`).
    if (error.code !== 'EPIPE') throw error;
  });
  return exitCodes.done;
}

/** Writes a study as a file for another program, or as a whole. */
export const exporting: HostCommand = {
  usage: 'media-study export RUNTIME NAME [flags]',
  purpose: `Writes a study as a file for another program, or as a bundle for media-study verify. NAME is one of ${names.join(', ')}.`,
  flags,
  choices: names,
  positionals: 2,
  startsHost: false,
  run,
};

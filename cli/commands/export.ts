import { pipeline } from 'node:stream/promises';
import { captionSide } from '../../contract/captions/caption-side.ts';
import { editRate, exportName, exportNames } from '../../contract/exports/export-name.ts';
import { type FlagTable, type GivenFlags, single, toggle } from '../options/flags.ts';
import { pathOption } from '../options/path-option.ts';
import { argument, type Call, type HostCommand, hostFlags, WrongCall } from '../terminal/call.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type AskedExport, exportedBytes, writeExport } from '../terminal/written-export.ts';
import { studyArgument } from './named-study.ts';

const flags: FlagTable = {
  output: single('FILE', null, 'the file that is written; stdout without it'),
  media: toggle('of a bundle: with the bytes of the media'),
  side: single('SIDE', 'target', 'of captions: source or target'),
  rate: single(
    'RATE',
    '25',
    'of cuts.edl: 23.976, 24, 25, 29.97, 30, 50, 59.94 or 60 frames a second, as your media has them',
  ),
  ...hostFlags,
};

const names = ['bundle', ...exportNames];

/** The value of a flag; undefined where it was not given. Throws `WrongCall` for another one than these. */
function oneOf<const Value extends string>(given: GivenFlags, name: string, values: readonly Value[]) {
  const text = given.single(name);
  const value = values.find((each) => each === text);
  if (text !== undefined && value === undefined) throw new WrongCall(`--${name} ${text}: one of ${values.join(', ')}`);
  return value;
}

function askedExport(given: GivenFlags): AskedExport {
  const asked = argument(given, 1, 'NAME');
  const name = exportName.safeParse(asked);
  if (!name.success && asked !== 'bundle') throw new WrongCall(`NAME is one of ${names.join(', ')}`);
  if (given.has('media') && asked !== 'bundle') throw new WrongCall('--media is for a bundle');
  if (given.has('side') && !asked.startsWith('captions.')) throw new WrongCall('--side is for captions');
  if (given.has('rate') && asked !== 'cuts.edl') throw new WrongCall('--rate is for cuts.edl');
  if (!name.success) return { name: 'bundle', media: given.has('media') };
  const side = oneOf(given, 'side', captionSide.options);
  const rate = oneOf(given, 'rate', editRate.options);
  return { name: name.data, options: { ...(side && { side }), ...(rate && { rate }) } };
}

/** What a person may not expect of a file whose options were not given; null where there is nothing to say. */
const remarkOn = ({ name }: AskedExport, given: GivenFlags): string | null =>
  name === 'cuts.edl' && !given.has('rate')
    ? `${name} is at 25 frames a second: no record of a source names the rate of its pictures; if your media has another, give it by --rate`
    : null;

async function run(call: Call) {
  const { host, given, terminal, signal } = call;
  const runtimeId = await studyArgument(call);
  const asked = askedExport(given);
  const remark = remarkOn(asked, given);
  const path = pathOption(given, 'output');
  if (path !== null) {
    const written = await writeExport(host, runtimeId, asked, path, signal);
    terminal.result({ runtimeId, name: asked.name, ...written }, [path]);
    if (remark !== null) terminal.remark(remark);
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
  if (remark !== null) terminal.remark(remark);
  return exitCodes.done;
}

/** Writes a study as a file for another program, or as a whole. */
export const exporting: HostCommand = {
  usage: 'media-study export RUNTIME NAME [flags]',
  purpose: `Writes a study as a file for another program, or as a bundle for media-study verify. NAME is one of ${names.join(', ')}.`,
  flags,
  choices: names,
  positionals: 2,
  studyAt: 0,
  check: async (given) => {
    argument(given, 0, 'RUNTIME');
    askedExport(given);
  },
  run,
};

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  recognizerFlags,
  recognizerFlagsOf,
  responseFormatFlag,
  screenTextFlags,
  screenTextOf,
  secondRunFlag,
  secondRunOf,
} from './options/engines.ts';
import { absolutePath, type FlagTable, parseFlags, pathOption, single, toggle } from './options/flags.ts';

/** Every flag of `evaluate`. */
export const evaluateFlags: FlagTable = {
  baseline: single('FILE', 'baseline.json in the pack', 'the accepted receipt to compare with'),
  accept: toggle('writes the receipt of this evaluation as the new baseline'),
  receipts: single('DIR', null, 'a folder for the receipt, in a file named by its digest'),
  'data-root': single('DIR', 'a temporary one', 'the data root for the studies of the pack'),
  json: toggle('prints the receipt as JSON instead of lines'),
  report: single('FILE', null, 'draws the measures with their intervals into an SVG file'),
  ...recognizerFlags,
  ...responseFormatFlag,
  ...secondRunFlag,
  ...screenTextFlags,
};

export type EvaluateOptions = ReturnType<typeof evaluateOptions>;

const samplePack = fileURLToPath(new URL('../fixtures/sample', import.meta.url));

/** Reads the call `evaluate [PACK] [--baseline FILE] [--accept] …`. Throws `StartError` `invalid_flags`. */
export function evaluateOptions(args: readonly string[]) {
  const given = parseFlags(args, evaluateFlags, 1);
  const recognizer = recognizerFlagsOf(given);
  const pack = absolutePath(given.positional[0] ?? samplePack);
  return {
    pack,
    baseline: pathOption(given, 'baseline') ?? join(pack, 'baseline.json'),
    accept: given.has('accept'),
    receipts: pathOption(given, 'receipts'),
    dataRoot: pathOption(given, 'data-root'),
    json: given.has('json'),
    report: pathOption(given, 'report'),
    recognizer,
    recognizesTwice: secondRunOf(given, recognizer),
    screenText: screenTextOf(given),
  };
}

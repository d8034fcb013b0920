import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../executors/process/tools.ts';
import { type ConfiguredFeature, flagsOf } from '../features/feature.ts';
import { features } from '../features/features.ts';
import { absolutePath, type FlagTable, parseFlags, pathOption, single, toggle } from '../options/flags.ts';
import {
  recognizerFlags,
  recognizerFlagsOf,
  responseFormatFlag,
  secondRunFlag,
  secondRunOf,
} from './options/engines.ts';

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
  ...flagsOf(features, ['engine', 'study']),
};

export type EvaluateOptions = ReturnType<typeof evaluateOptions>;

const samplePack = fileURLToPath(new URL('../fixtures/sample', import.meta.url));

/** The features of the host that evaluates, with what was given for them. Throws `StartError`. */
export const evaluatedFeatures = (args: readonly string[], environment: Environment): readonly ConfiguredFeature[] => {
  const given = parseFlags(args, evaluateFlags, 1);
  return features.flatMap((feature) => feature.options?.(given)(environment) ?? []);
};

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
  };
}

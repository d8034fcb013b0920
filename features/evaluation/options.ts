import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  absolutePath,
  type CommandWords,
  type FlagTable,
  parseFlags,
  pathOption,
  single,
  toggle,
} from '../../options/flags.ts';
import { programFile } from '../../options/program-file.ts';
import { type Feature, type FeatureOptions, flagsOf } from '../feature.ts';

/** The flags of `evaluate` beside those of the engines. */
const ownFlags = {
  baseline: single('FILE', 'baseline.json in the pack', 'the accepted receipt to compare with'),
  accept: toggle('writes the receipt of this evaluation as the new baseline'),
  receipts: single('DIR', null, 'a folder for the receipt, in a file named by its digest'),
  'data-root': single('DIR', 'a temporary one', 'the data root for the studies of the pack'),
  json: toggle('prints the receipt as JSON instead of lines'),
  report: single('FILE', null, 'draws the measures with their intervals into an SVG file'),
} satisfies FlagTable;

/** The words of `evaluate`, which takes the options of the engines that studies use. */
export const evaluateWords = (features: readonly Feature[]): CommandWords => ({
  usage: 'media-study evaluate [PACK] [flags]',
  purpose: 'Studies the labeled media of a pack and compares the scores with an accepted receipt.',
  flags: { ...ownFlags, ...flagsOf(features, ['engine', 'study']) },
});

export type EvaluateOptions = ReturnType<typeof evaluateOptions>;

const samplePack = fileURLToPath(programFile('fixtures/sample'));

/** Reads the call `evaluate [PACK] [--baseline FILE] [--accept] …`. Throws `StartError`. */
export function evaluateOptions(args: readonly string[], features: readonly Feature[]) {
  const given = parseFlags(args, evaluateWords(features).flags, 1);
  const pack = absolutePath(given.positional[0] ?? samplePack);
  const studying: readonly FeatureOptions[] = features.flatMap(({ options }) => options?.(given) ?? []);
  return {
    pack,
    baseline: pathOption(given, 'baseline') ?? join(pack, 'baseline.json'),
    accept: given.has('accept'),
    receipts: pathOption(given, 'receipts'),
    dataRoot: pathOption(given, 'data-root'),
    json: given.has('json'),
    report: pathOption(given, 'report'),
    /** The features of the host that studies, once its environment is known. */
    features: studying,
  };
}

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ScreenTextChoice } from '../executors/screentext/tesseract.ts';
import { type FlagTable, parseFlags, single, toggle } from './options/flags.ts';
import { absolutePath, pathOption } from './options/path-option.ts';
import {
  type RecognizerFlags,
  recognizerFlags,
  recognizerFlagsOf,
  responseFormatFlag,
  secondRunFlag,
  secondRunOf,
} from './options/recognizer.ts';
import { screenTextFlags, screenTextOf } from './options/screen-text.ts';

/** Every flag of `evaluate`. */
export const evaluateFlags: FlagTable = {
  baseline: single('FILE', 'baseline.json in the pack', 'the receipt that this evaluation is held to'),
  accept: toggle('writes the receipt of this evaluation as the new baseline'),
  receipts: single('DIR', null, 'a folder that the receipt is written to, under its digest'),
  'data-root': single('DIR', 'a temporary one', 'the data root that the pack is ingested and studied in'),
  json: toggle('prints the receipt as JSON instead of lines'),
  report: single('FILE', null, 'draws the measures with their intervals into an SVG file'),
  ...recognizerFlags,
  ...responseFormatFlag,
  ...secondRunFlag,
  ...screenTextFlags,
};

export interface EvaluateOptions {
  /** The folder of the pack. */
  readonly pack: string;
  readonly baseline: string;
  readonly accept: boolean;
  /** A folder that the receipt is written to, under its digest. */
  readonly receipts: string | null;
  /** Null for one that is made for this evaluation and removed after it. */
  readonly dataRoot: string | null;
  readonly json: boolean;
  /** Where the drawn report goes. */
  readonly report: string | null;
  /** Null on a host without a recogniser. */
  readonly recognizer: RecognizerFlags | null;
  /** Whether speech is recognised twice. */
  readonly recognizesTwice: boolean;
  /** Null on a host that reads no text on the screen. */
  readonly screenText: ScreenTextChoice | null;
}

const samplePack = fileURLToPath(new URL('../fixtures/sample', import.meta.url));

/** Reads the call `evaluate [PACK] [--baseline FILE] [--accept] …`. Throws `StartError` `invalid_flags`. */
export function evaluateOptions(args: readonly string[]): EvaluateOptions {
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

import { messageOf } from '../contract/base/errors.ts';
import type { BundledCaptions } from '../contract/exports.ts';
import { countText } from '../formats/readable-numbers.ts';
import { resultOfSteps } from '../formats/steps.ts';
import { StartError } from '../options/failures.ts';
import {
  type CaptionsFinding,
  captionsFindingOf,
  type SpellingDifference,
} from '../receipts/exports/signed-captions.ts';
import type { VerifiedRuntime } from '../receipts/fold.ts';
import { namedFile } from './named-file.ts';

/** The most bytes of a captions file: those of the most lines, with room for other encodings. */
const mostCaptionBytes = 64 * 1024 ** 2;

/** The result of the comparison of a file, as `--json` prints it. */
export type CaptionsComparison = { readonly file: string } & CaptionsFinding;

/** Compares a named file with the captions of a verified study. Throws `StartError` for one that cannot be read. */
export async function captionsComparison(
  file: string,
  runtime: VerifiedRuntime,
  listed: BundledCaptions | null,
): Promise<CaptionsComparison> {
  const bytes = await namedFile(file, mostCaptionBytes).catch((error: unknown) => {
    throw new StartError('invalid_flags', `--captions ${file}: ${messageOf(error)}`);
  });
  return { file, ...resultOfSteps(captionsFindingOf(bytes, runtime, listed)) };
}

const differences: Readonly<Record<SpellingDifference, string>> = {
  byte_order_mark: 'it begins with a byte order mark',
  encoding: 'it is UTF-16',
  line_ends: 'its lines end with CR LF or CR',
  blank_ends: 'it begins or ends with other blank lines',
};

const formWords = ({ form }: Extract<CaptionsFinding, { readonly form: object }>): string => {
  const { name, side, lines, corrections } = form;
  return `${name}, ${side === 'both' ? 'both sides' : `${side} side`}, lines ${lines}, corrections ${corrections}`;
};

const firstOf = (cues: readonly string[]): string => (cues[0] ?? '').replaceAll('\n', ' / ');

/** The lines for people: whether the file is a signed one, and what differs. */
export function comparisonLines(comparison: CaptionsComparison): string[] {
  const { file } = comparison;
  if (comparison.state === 'no_captions') {
    return [`captions: ${file} cannot be compared: the study has no accepted captions that may be shown`];
  }
  if (comparison.state === 'another_file') {
    return [`captions: ${file} is another file: it shares no cue with the captions of this study`];
  }
  const form = formWords(comparison);
  if (comparison.state === 'signed') {
    const by =
      comparison.by === 'derived' ? '' : '; by the list in the bundle, because this program writes it otherwise';
    return [`captions: ${file} is the file of this study, byte for byte (${form}${by})`];
  }
  if (comparison.state === 'spelled_otherwise') {
    const how = comparison.differs.map((difference) => differences[difference]).join(', ');
    return [`captions: ${file} has the words and times of this study, but other bytes: ${how} (${form})`];
  }
  const { equalCues, added, missing } = comparison;
  return [
    `captions: ${file} was changed: ${countText(equalCues, 'cue')} as in this study, ${added.length} only in the file, ${missing.length} only in the study (${form})`,
    ...(added.length === 0 ? [] : [`  in the file:  ${firstOf(added)}`]),
    ...(missing.length === 0 ? [] : [`  in the study: ${firstOf(missing)}`]),
  ];
}

/** True if the file is the one of the study, or none was named. */
export const isSignedFile = (comparison: CaptionsComparison | null): boolean =>
  comparison === null || comparison.state === 'signed';

import { ServiceError } from '../../contract/base/errors.ts';
import { lineBreaks, shownSides } from '../../contract/captions/caption-line.ts';
import { type CaptionForm, shownCorrections } from '../../contract/captions/correction.ts';
import { presentBreaks } from '../../contract/captions/line-breaks.ts';
import type { BundledCaptions, CaptionFileName } from '../../contract/exports.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import type { Steps } from '../../formats/steps.ts';
import type { VerifiedRuntime } from '../fold.ts';
import { acceptedCaptionsOf } from '../published/captions.ts';
import { subRip, subStationAlpha, webVttCaptions } from './caption-files.ts';

const writers = { 'captions.srt': subRip, 'captions.vtt': webVttCaptions, 'captions.ass': subStationAlpha } as const;

/** The present rules first: a short line is broken by all of them alike, and the file is then named by these. */
const breaks = [presentBreaks, ...lineBreaks.exclude([presentBreaks]).options];

/** A file that a host writes of the captions of a study. */
export interface SignedCaptions extends CaptionForm {
  readonly name: CaptionFileName;
  readonly text: string;
}

/** Every form that the captions of a study have as one kind of file. */
function* formsOf(runtime: VerifiedRuntime): Steps<CaptionForm[]> {
  const { corrected } = yield* acceptedCaptionsOf(runtime);
  const corrections = corrected === undefined ? (['applied'] as const) : shownCorrections.options;
  return shownSides.options.flatMap((side) =>
    breaks.flatMap((lines) => corrections.map((whose) => ({ side, lines, corrections: whose }))),
  );
}

/** True if a study has no captions that may be shown: a host then writes no file of them. */
const isWithheld = (error: unknown): boolean => error instanceof ServiceError;

/**
 * Every captions file that a host writes of a study: each kind of file, side and rules of lines. Corrected captions are there with and
 * without the corrections. None for a study whose captions may not be shown. The same study gives the same texts.
 */
export function* captionFilesOf(
  runtime: VerifiedRuntime,
  names: readonly CaptionFileName[] = Object.keys(writers) as CaptionFileName[],
): Steps<SignedCaptions[]> {
  const files: SignedCaptions[] = [];
  try {
    for (const form of yield* formsOf(runtime)) {
      for (const name of names) {
        try {
          files.push({ name, ...form, text: (yield* writers[name](runtime, form)).text });
        } catch (error) {
          // Captions may be accepted only with their corrections.
          if (!isWithheld(error)) throw error;
        }
      }
    }
  } catch (error) {
    if (!isWithheld(error)) throw error;
  }
  return files;
}

/** The digests of the captions files of a study, as its bundle has them; null for a study without any. */
export function* bundledCaptionsOf(runtime: VerifiedRuntime): Steps<BundledCaptions | null> {
  const files = yield* captionFilesOf(runtime);
  if (files.length === 0) return null;
  return {
    schema: 'studio.runtime-bundle-captions.v1',
    files: files.map(({ text, ...form }) => {
      const bytes = Buffer.from(text, 'utf8');
      return { ...form, contentId: contentIdOfBytes(bytes), bytes: bytes.length };
    }),
  };
}

/** What differs of a file whose words and times are the signed ones. */
export type SpellingDifference = 'byte_order_mark' | 'encoding' | 'line_ends' | 'blank_ends';

/** Whether a file is a captions file of a study. `form` is the file that it is, or that it is most like. */
export type CaptionsFinding =
  /** `derived` if this program made the same file again; `listed` if only the list of the bundle has its digest. */
  | { readonly state: 'signed'; readonly form: Omit<SignedCaptions, 'text'>; readonly by: 'derived' | 'listed' }
  | {
      readonly state: 'spelled_otherwise';
      readonly form: Omit<SignedCaptions, 'text'>;
      readonly differs: readonly SpellingDifference[];
    }
  /** Cues that only the file has, and that only the signed file has: their numbers, and the first of each. */
  | {
      readonly state: 'changed';
      readonly form: Omit<SignedCaptions, 'text'>;
      readonly equalCues: number;
      readonly added: readonly string[];
      readonly missing: readonly string[];
    }
  | { readonly state: 'another_file' }
  | { readonly state: 'no_captions' };

const utf8Mark = Buffer.from([0xef, 0xbb, 0xbf]);
const utf16Mark = Buffer.from([0xff, 0xfe]);

/** The text of a file, with what its spelling adds. */
function spelledText(bytes: Buffer): { readonly text: string; readonly differs: SpellingDifference[] } {
  const differs: SpellingDifference[] = [];
  let text: string;
  if (bytes.subarray(0, 2).equals(utf16Mark)) {
    differs.push('encoding');
    text = bytes.subarray(2).toString('utf16le');
  } else {
    const isMarked = bytes.subarray(0, 3).equals(utf8Mark);
    if (isMarked) differs.push('byte_order_mark');
    text = bytes.subarray(isMarked ? 3 : 0).toString('utf8');
  }
  if (text.includes('\r')) differs.push('line_ends');
  return { text: text.replace(/\r\n?/g, '\n'), differs };
}

const nameOf = (text: string): CaptionFileName =>
  text.startsWith('WEBVTT') ? 'captions.vtt' : text.startsWith('[Script Info]') ? 'captions.ass' : 'captions.srt';

/** The cues of a file as blocks of text; those of SubRip without their numbers, which move with each cue before them. */
function cuesIn(name: CaptionFileName, text: string): string[] {
  if (name === 'captions.ass') return text.split('\n').filter((line) => line.startsWith('Dialogue:'));
  const blocks = text.split(/\n{2,}/).map((block) => block.trim());
  return blocks.filter((block) => block.includes('-->')).map((block) => block.replace(/^\d+\n/, ''));
}

/** The cues of one list that the other lacks. */
function without(cues: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const cue of others) left.set(cue, (left.get(cue) ?? 0) + 1);
  return cues.filter((cue) => {
    const count = left.get(cue) ?? 0;
    left.set(cue, count - 1);
    return count <= 0;
  });
}

const withoutText = ({ text: _, ...form }: SignedCaptions) => form;

/** Compares a file with the captions files of a study, and with those whose digests its bundle lists. */
export function* captionsFindingOf(
  bytes: Buffer,
  runtime: VerifiedRuntime,
  listed: BundledCaptions | null,
): Steps<CaptionsFinding> {
  const { text, differs } = spelledText(bytes);
  const name = nameOf(text);
  const files = yield* captionFilesOf(runtime, [name]);
  const same = files.find((file) => Buffer.from(file.text, 'utf8').equals(bytes));
  if (same !== undefined) return { state: 'signed', form: withoutText(same), by: 'derived' };
  const contentId = contentIdOfBytes(bytes);
  const known = listed?.files.find((file) => file.contentId === contentId);
  if (known !== undefined) {
    const { contentId: _, bytes: __, ...form } = known;
    return { state: 'signed', form, by: 'listed' };
  }
  if (files.length === 0) return { state: 'no_captions' };
  const trimmed = text.trim();
  const alike = files.find((file) => file.text.trim() === trimmed);
  if (alike !== undefined) {
    const ends: SpellingDifference[] = alike.text === text ? [] : ['blank_ends'];
    return { state: 'spelled_otherwise', form: withoutText(alike), differs: [...differs, ...ends] };
  }
  const cues = cuesIn(name, text);
  const compared = files.map((file) => {
    const signed = cuesIn(name, file.text);
    return { file, added: without(cues, signed), missing: without(signed, cues) };
  });
  const nearest = compared.reduce((best, each) => (each.added.length < best.added.length ? each : best));
  const equalCues = cues.length - nearest.added.length;
  if (equalCues === 0) return { state: 'another_file' };
  const { file, added, missing } = nearest;
  return { state: 'changed', form: withoutText(file), equalCues, added, missing };
}

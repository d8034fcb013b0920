import type { RuntimeOverview } from '../../contract/overview.ts';
import { languageName } from './language-name.ts';

/** A code of the wire as words: `no_audio_track` is `no audio track`. */
export const wordsOf = (code: string): string => code.replaceAll(/[_.-]+/g, ' ').trim();

export const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A text of the overview without the code at its end, which the page shows beside it. */
export const withoutCode = (text: string, code: string | null): string =>
  code === null || !text.endsWith(` (${code})`) ? text : text.slice(0, -` (${code})`.length);

/** The words for a host that makes no captions of any study. */
export const captionsOffWords = 'captions are off on this host';

/** The words for a film without a text that captions could be made of. */
export const noSubtitles =
  'this film has no text subtitles. Attach a subtitle file, or use a speech recognizer (Operations)';

/** The words for captions that only lack the spoken language. */
export const chooseLanguage = 'choose the spoken language in a new study';

/**
 * Why a study has no captions, or how far they are. A film without subtitles gives none in any language, so that
 * comes before a language that was not declared. With a recognizer the language is enough.
 */
export function captionsReason({ captions, findings }: Pick<RuntimeOverview, 'captions' | 'findings'>): string {
  const isOfText = /one declared source language$|\bno text track\b/.test(captions.text);
  const hasNone = findings.some(({ reasonCode }) => reasonCode === 'no_text_subtitle_track');
  const isRecognized = findings.some(({ kind }) => kind === 'transcript');
  return isOfText && hasNone && !isRecognized ? noSubtitles : withoutNo(captions.text);
}

/** A text of the overview about a missing part, without `no check: ` before it: the page shows the name of the part beside it. */
export const withoutNo = (text: string): string =>
  text
    .replace(/^no [a-z]+: /, '')
    .replace(/^captions would have no line: /, '')
    .replace(/^(this host does not make captions); .*$/, '$1')
    .replace(/^this host does not make captions$/, captionsOffWords)
    .replace(
      /\brestart the host with --caption-executor .*$/,
      'switch on “Captions from subtitle tracks” in Operations',
    )
    .replace(/^captions need (?:a study of )?one declared source language$/, chooseLanguage)
    .replace(/\btext track in ([a-z]{2,3})\b/, (_, code: string) => `text track in ${languageName(code)}`);

/** A text of the overview without the name at its beginning, which the page shows above it. */
export const withoutName = (text: string, name: string): string =>
  text.startsWith(`${name}: `) ? text.slice(`${name}: `.length) : text;

/** Missing parts in one line for each reason: `Keyframes, shot changes: no video track`. */
export function linesByReason(parts: readonly { readonly what: string; readonly why: string }[]): readonly string[] {
  const plain = (why: string): string => why.replace(/^unavailable: /, '').replace(/^the media has no /, 'no ');
  const whatsOf = (reason: string) =>
    parts.filter(({ why }) => plain(why) === reason).map(({ what }) => what.toLowerCase());
  const reasons = [...new Set(parts.map(({ why }) => plain(why)))];
  return reasons.map((reason) => `${sentence(whatsOf(reason).join(', '))}: ${reason}`);
}

/** True if captions were accepted although some lines lack a text: this is not a plain success. */
export const isInPart = ({ reasonCodes }: { readonly reasonCodes: readonly string[] }): boolean =>
  reasonCodes.includes('current_run_candidate_accepted_in_part');

/** A lifecycle in words that do not follow from its code. A study that was canceled is interrupted, and has words of its own. */
export const lifecycles: Readonly<Record<string, string>> = {
  accepted: 'waiting for its turn',
  initializing: 'opening the source',
  running: 'studying',
  terminal: 'studied',
  failed: 'failed',
  interrupted: 'interrupted',
};

/**
 * The look of a state. `good` went well, `busy` is under way, and `queued` waits for its turn. `waiting` waits for a person,
 * and `warning` needs a look. `kept` is withheld, `bad` went wrong, and `quiet` needs nothing.
 */
export type Tone = 'good' | 'busy' | 'queued' | 'waiting' | 'warning' | 'kept' | 'bad' | 'quiet';

const tones: Readonly<Record<string, Tone>> = {
  terminal: 'good',
  registered: 'good',
  supported: 'good',
  done: 'good',
  available: 'good',
  accepted: 'queued',
  queued: 'queued',
  waiting: 'waiting',
  initializing: 'busy',
  running: 'busy',
  under_way: 'busy',
  uploading: 'busy',
  probing: 'busy',
  sealing: 'busy',
  resolving: 'busy',
  downloading: 'busy',
  withheld: 'kept',
  truncated: 'kept',
  withdrawn: 'kept',
  interrupted: 'kept',
  unknown: 'kept',
  failed: 'bad',
};

export const toneOf = (state: string): Tone => tones[state] ?? 'quiet';

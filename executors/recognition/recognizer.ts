import type { ToolIdentity } from '../../contract/base/artifact.ts';
import { messageOf } from '../../contract/base/errors.ts';
import type { EngineFailureCode } from '../../contract/causes/engine-failures.ts';
import type { processFailures } from '../../contract/causes/failures.ts';
import { type EvidenceArtifact, maximumLineCharacters } from '../../contract/evidence/evidence.ts';
import type { HeardLanguage, RawRegion, RecognizerEngine } from '../../contract/recognition.ts';

/** A region, or a window of several, as the input of a recognizer: by itself, without any earlier text. */
export interface RegionSound {
  /** 16-bit samples at 16 kHz, mono, little-endian. */
  readonly samples: Buffer;
  /** Base code of the one declared language; null where several or none are declared. */
  readonly language: string | null;
}

/** The recognizer of speech on a host. A host without the option has none. */
export interface Recognizer {
  readonly engine: RecognizerEngine;
  /** The engine first, then its model if it has one here. */
  readonly tools: readonly [ToolIdentity, ...ToolIdentity[]];
  /** Everything that it is set to. */
  readonly parameters: EvidenceArtifact['parameters'];
  /** Base codes of the languages that it serves; null where that is up to its model. */
  readonly languages: readonly string[] | null;
  /**
   * Whether it gives times of words; `unknown` for one whose first answer tells. With them, regions are joined to windows, because their
   * lines can be told apart again.
   */
  readonly wordTimes: 'given' | 'unknown' | 'none';
  /**
   * Recognizes one sound. Rejects with `ProcessFailure` or `RecognitionFailure`. One that works elsewhere calls `waits` with the
   * thing that it waits for, and null once it waits no more.
   */
  recognize(sound: RegionSound, signal: AbortSignal, waits?: (reason: string | null) => void): Promise<RawRegion>;
  /**
   * The language that it hears in a sound, whatever language it is told; null if it states none. Rejects as `recognize` does. Absent for
   * a recognizer that cannot be asked, and for one whose answers state it.
   */
  readonly heardLanguage?: (sound: RegionSound, signal: AbortSignal) => Promise<HeardLanguage | null>;
  /** False once its program or its model is another file, so that it has to be opened again; absent for one without files here. */
  readonly isCurrent?: () => Promise<boolean>;
}

/** The cause of a recognizer's failure; the word begins the message. */
export type RecognitionFailureCause =
  | 'unreachable'
  | 'not_permitted'
  | 'timeout'
  | 'redirected'
  | 'too_large'
  | 'invalid_output'
  | 'model_changed'
  | 'model_broken'
  | 'uneven_sound'
  | 'worker_failed'
  | (typeof processFailures)[number]
  | `http_${number}`;

/**
 * A recognition that failed. `message` begins with the cause word. `code` follows it if that word has several causes
 * (`contract/causes/stored-failures.ts`).
 */
export class RecognitionFailure extends Error {
  readonly reason: RecognitionFailureCause;
  constructor(reason: RecognitionFailureCause, detail: string, cause?: unknown, code?: EngineFailureCode) {
    super(`${reason}: ${code === undefined ? '' : `${code}: `}${detail}`, { cause });
    this.name = 'RecognitionFailure';
    this.reason = reason;
  }
}

/** The recognizer of a host is missing. `message` begins with the code. */
export class RecognizerUnavailable extends Error {
  readonly code = 'recognizer_unavailable';
  constructor(
    readonly detail: string,
    cause?: unknown,
  ) {
    super(`recognizer_unavailable: ${detail}`, { cause });
    this.name = 'RecognizerUnavailable';
  }
}

/**
 * The most text in an answer for a region, in characters. The fastest recorded speech has 655 words a minute: Sean Shannon in 1995,
 * by Guinness World Records. With six characters for a word and its space that is 66 a second. A recognizer in a loop fills one
 * line besides. It is kept, and withheld by the gates.
 */
export const ANSWER_TEXT = { charactersPerSecond: 66, loopCharacters: maximumLineCharacters } as const;

const BYTES_PER_SECOND = 2 * 16_000;

/** The length of a sound in seconds. */
export const secondsOf = ({ samples }: Pick<RegionSound, 'samples'>): number => samples.length / BYTES_PER_SECOND;

/** Returns an answer for a region. Throws `RecognitionFailure` for one with more text, or more words, than its time can have. */
export function spokenIn(seconds: number, region: RawRegion): RawRegion {
  const lengths = {
    characters: (sum: number, { text }: RawRegion['lines'][number]) => sum + text.length,
    words: (sum: number, { words }: RawRegion['lines'][number]) => sum + words.length,
    'characters of words': (sum: number, { words }: RawRegion['lines'][number]) =>
      words.reduce((length, { text }) => length + text.length, sum),
  };
  for (const [what, add] of Object.entries(lengths)) demandSpoken(seconds, what, region.lines.reduce(add, 0));
  return region;
}

/** Throws `RecognitionFailure` if no speech has so many characters or words in a sound of this length. */
export function demandSpoken(seconds: number, what: string, found: number): void {
  const most = Math.floor(ANSWER_TEXT.charactersPerSecond * seconds) + ANSWER_TEXT.loopCharacters;
  if (found <= most) return;
  throw new RecognitionFailure(
    'invalid_output',
    `the answer has ${found} ${what} for ${seconds.toFixed(1)} s of sound, and the fastest speech has no more than ${most}`,
  );
}

// A tenth of a second without speech: enough to find out whether the engine and its model run.
const TRIAL_SAMPLES = 1600;

/**
 * Runs a recognizer on this machine once. With a declared language Whisper only loads its model. To find out the language of silence, a
 * medium model takes 48 s of one core. Rejects with `RecognizerUnavailable`.
 */
export async function demandRunning(recognizer: Pick<Recognizer, 'recognize'>): Promise<void> {
  const { signal } = new AbortController();
  try {
    await recognizer.recognize({ samples: Buffer.alloc(2 * TRIAL_SAMPLES), language: 'en' }, signal);
  } catch (error) {
    throw new RecognizerUnavailable(messageOf(error), error);
  }
}

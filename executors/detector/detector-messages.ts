import type { FoundSilences } from './silences.ts';

export type DetectorModel = 'speech' | 'language';

/**
 * What the host asks. `audio` carries the signals of a sound (s16le at 16 kHz, interleaved), `identify` a JSON array of texts.
 * `resume` opens a sound that can be kept, and carries what it goes on from, or nothing; `save` ends it so far, and is answered
 * with what another goes on from.
 */
export type DetectorRequest =
  | { readonly type: 'load'; readonly model: DetectorModel }
  | { readonly type: 'open' | 'resume' | 'audio' | 'save' | 'end' | 'abort' | 'identify'; readonly id: number };

/**
 * What the identifier says of one text: the languages that it is most like, the most probable first, each with the odds of its
 * mean score; and whether the text is as much like the first as texts in that language are. No languages where it has no words.
 */
export interface IdentifiedText {
  readonly isCovered: boolean;
  readonly odds: readonly (readonly [code: string, odds: number])[];
}

/** What the detector process answers: one message for each `end`, `save`, `abort` and `identify`. `saved` carries the state, and says how many samples of each signal lie behind it. */
export type DetectorAnswer =
  | {
      readonly type: 'sound';
      readonly id: number;
      /** How many samples each signal had, and the SHA-256 of the bytes of the mix. */
      readonly samples: number;
      readonly sha256: string;
      /** Start and end of each window of speech, in samples. */
      readonly speech: readonly (readonly [number, number])[];
      /** The channels that were measured beside the mix (places among the signals), and for how many milliseconds. */
      readonly apart: { readonly channels: readonly number[]; readonly ms: number };
      readonly silences: FoundSilences;
    }
  | { readonly type: 'languages'; readonly id: number; readonly texts: readonly IdentifiedText[] }
  | { readonly type: 'saved'; readonly id: number; readonly samples: number }
  | { readonly type: 'aborted'; readonly id: number };

/** The pipe on which the process answers: what a library prints on stdout cannot mix with it. */
export const ANSWER_DESCRIPTOR = 3;

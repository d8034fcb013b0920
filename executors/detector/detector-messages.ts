import type { FoundSilences } from './silences.ts';

export type DetectorModel = 'speech' | 'language';

/** What the host asks. `audio` carries the signals of a sound (s16le at 16 kHz, interleaved), `identify` a JSON array of texts. */
export type DetectorRequest =
  | { readonly type: 'load'; readonly model: DetectorModel }
  | { readonly type: 'open' | 'audio' | 'end' | 'abort' | 'identify'; readonly id: number };

/** What the detector process answers: one message for each `end`, `abort` and `identify`. */
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
  | { readonly type: 'languages'; readonly id: number; readonly codes: readonly (string | null)[] }
  | { readonly type: 'aborted'; readonly id: number };

/** The pipe on which the process answers: what a library prints on stdout cannot mix with it. */
export const ANSWER_DESCRIPTOR = 3;

export type DetectorModel = 'speech' | 'language';

/** What the host asks. `audio` carries s16le mono at 16 kHz, `identify` a JSON array of texts. */
export type DetectorRequest =
  | { readonly type: 'load'; readonly model: DetectorModel }
  | { readonly type: 'open' | 'audio' | 'end' | 'abort' | 'identify'; readonly id: number };

/** What the detector process answers: one message for each `end`, `abort` and `identify`. */
export type DetectorAnswer =
  | {
      readonly type: 'speech';
      readonly id: number;
      /** How many samples were measured, and the SHA-256 of their bytes. */
      readonly samples: number;
      readonly sha256: string;
      /** Start and end of each window of speech, in samples. */
      readonly spans: readonly (readonly [number, number])[];
    }
  | { readonly type: 'languages'; readonly id: number; readonly codes: readonly (string | null)[] }
  | { readonly type: 'aborted'; readonly id: number };

/** The pipe on which the process answers: what a library prints on stdout cannot mix with it. */
export const ANSWER_DESCRIPTOR = 3;

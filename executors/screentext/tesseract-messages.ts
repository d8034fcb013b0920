/** Parameters of Tesseract by their names. */
export type TesseractSettings = Readonly<Record<string, string>>;

/** The requests of the host: `open` first and once; then `read`, with a picture (PGM) as payload. */
export type TesseractRequest =
  | { readonly type: 'open'; readonly languages: readonly string[] }
  | { readonly type: 'read'; readonly id: number; readonly settings: TesseractSettings };

/** One line of a picture by its pixels; `confidence` from 0 to 100. */
export interface TesseractLine {
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
  readonly confidence: number;
  readonly words: readonly {
    readonly text: string;
    readonly box: readonly [left: number, top: number, right: number, bottom: number];
  }[];
}

/**
 * The answers of the process. `open` gets `ready`, with the form of the engine that this machine runs. Each `read` gets its
 * `lines`, or `failed` if the engine could not read the picture.
 */
export type TesseractAnswer =
  | { readonly type: 'ready'; readonly core: string }
  | { readonly type: 'lines'; readonly id: number; readonly lines: readonly TesseractLine[] }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** The pipe on which the process answers: what a library prints on stdout cannot mix with it. */
export const TESSERACT_ANSWER_DESCRIPTOR = 3;

import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import type { ReadText } from '../../../contract/screentext.ts';

/** The requests of the host: `open` first and once; then `read`, with a picture (PGM) as payload. */
export type TesseractRequest =
  | { readonly type: 'open'; readonly languages: readonly string[] }
  | { readonly type: 'read'; readonly id: number };

/**
 * The answers of the process. `open` gets `ready`, with the form of the engine that this machine runs, and with all that the reading
 * is set to. Each `read` gets its `texts`, or `failed` if the engine could not read the picture.
 */
export type TesseractAnswer =
  | { readonly type: 'ready'; readonly core: string; readonly parameters: EvidenceArtifact['parameters'] }
  | { readonly type: 'texts'; readonly id: number; readonly texts: ReadText[] }
  | { readonly type: 'failed'; readonly id: number; readonly reason: string };

/** The pipe on which the process answers: what a library prints on stdout cannot mix with it. */
export const TESSERACT_ANSWER_DESCRIPTOR = 3;

import type { KeptParts, PartInput } from '../../actors/study/kept-windows.ts';
import type { Range } from '../../contract/base/grammar.ts';
import type { SpokenLanguage } from '../../contract/evidence/evidence.ts';
import { type HeardLanguage, heardLanguage, type RawRegion } from '../../contract/recognition.ts';
import { ProcessFailure } from '../../executors/process/process.ts';
import { RecognitionFailure, type Recognizer, type RegionSound } from '../../executors/recognition/recognizer.ts';

/** How the ledger keeps the heard languages. One that was not stated is asked for again by the next work. */
export const keptLanguages: ConstructorParameters<typeof KeptParts<HeardLanguage | null>>[1] = {
  operation: 'semantic.recognize.language',
  field: 'heard',
  part: heardLanguage.nullable(),
  isWhole: (heard) => heard !== null,
};

/** A piece of sound that was recognized in one language, and what the question for its language needs. */
interface RecognizedPiece {
  readonly piece: Range;
  readonly raw: RawRegion;
  /** The language that the recognizer was told; null if it was told none. */
  readonly asked: string | null;
  readonly sound: () => Promise<RegionSound>;
  readonly kept: () => void;
  readonly signal: AbortSignal;
}

/**
 * The language that a recognizer hears in a piece that it wrote in the asked language: as its answer states it, else by a question of its own,
 * whose answer is kept. Undefined if there is no line to judge, if no language was asked for, and if the recognizer does not say. Rejects
 * with the reason of `signal`.
 */
export async function spokenIn(
  languages: KeptParts<HeardLanguage | null>,
  recognizer: Pick<Recognizer, 'heardLanguage'>,
  input: PartInput,
  { piece, raw, asked, sound, kept, signal }: RecognizedPiece,
): Promise<SpokenLanguage | undefined> {
  const { heardLanguage: hear } = recognizer;
  if (asked === null || raw.lines.length === 0) return undefined;
  const { startMs, endMs } = piece;
  if (raw.spoken !== undefined) return { ...raw.spoken, startMs, endMs };
  if (hear === undefined) return undefined;
  const make = async () => hear(await sound(), signal);
  try {
    const heard = await languages.of(input, piece, { make, kept, signal });
    return heard === null ? undefined : { ...heard, startMs, endMs };
  } catch (error) {
    signal.throwIfAborted();
    // The lines are there, and a program without this question is as good as it was without the answer.
    if (error instanceof RecognitionFailure || error instanceof ProcessFailure) return undefined;
    throw error;
  }
}

import { z } from 'zod';
import type { EngineRegistry } from '../../actors/engines/engine-registry.ts';
import { count } from '../../contract/base/grammar.ts';
import { timedOperation } from '../../contract/study/forecast.ts';
import { type Recognizer, RecognizerUnavailable } from '../../executors/recognition/recognizer.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { median } from '../../rules/statistics.ts';
import type { Ledger } from '../../storage/ledger/ledger.ts';

/** So many of the newest studies count: a machine that was busy last month says little of today. */
const mostStudies = 8;

const places = 'recognition/';

/** Speech that was recognized in one study: its length, and the wall-clock time of its recognition. */
const paced = z.strictObject({ number: count, timed: timedOperation });
type Paced = z.infer<typeof paced>;

/**
 * The pace of this host's recognizer in its last studies, as the ledger keeps it. The rows name no runtime, source or medium, and
 * there is a fixed number of them for each recognizer.
 */
export class RecognitionPace {
  readonly #ledger: Pick<Ledger, 'list' | 'commit'>;
  readonly #places: string;

  constructor(ledger: Pick<Ledger, 'list' | 'commit'>, { engine, tools, parameters }: Recognizer) {
    this.#ledger = ledger;
    this.#places = `${places}${hashOf({ engine, tools, parameters })}/`;
  }

  /** Keeps the time of a study; a study without speech has none. */
  async noted(speechMs: number, workMs: number): Promise<void> {
    if (speechMs <= 0) return;
    const [newest] = await this.#rows();
    const number = (newest?.number ?? -1) + 1;
    const value: Paced = { number, timed: { mediaMs: Math.round(speechMs), workMs: Math.round(workMs) } };
    await this.#ledger.commit([{ put: 'observation', key: `${this.#places}${number % mostStudies}`, value }]);
  }

  /** Work for each ms of speech, the median of the last studies, and of how many; null before the first. */
  async read(): Promise<{ readonly rate: number; readonly studies: number } | null> {
    const rows = await this.#rows();
    if (rows.length === 0) return null;
    return { rate: median(rows.map(({ timed }) => timed.workMs / timed.mediaMs)), studies: rows.length };
  }

  /** The rows, the newest first. One that cannot be read counts as none. */
  async #rows(): Promise<Paced[]> {
    const rows = await this.#ledger.list('observation', this.#places);
    return rows
      .flatMap(({ value }) => paced.safeParse(value).data ?? [])
      .sort((one, other) => other.number - one.number);
  }
}

/**
 * The pace of the recognizer of now; null before its first study, and if it cannot be opened. Without any recognized study it is not
 * opened: its files would be read for nothing.
 */
export async function paceOf(
  engines: Pick<EngineRegistry, 'recognizer'>,
  ledger: Pick<Ledger, 'list' | 'commit'>,
): ReturnType<RecognitionPace['read']> {
  if ((await ledger.list('observation', places)).length === 0) return null;
  try {
    return await new RecognitionPace(ledger, await engines.recognizer()).read();
  } catch (error) {
    if (error instanceof RecognizerUnavailable) return null;
    throw error;
  }
}

/** What ffmpeg writes with `-progress` is short lines; whatever is longer is no part of it. */
const longestLine = 256;

/** Reads how far ffmpeg has come from what it writes with `-progress`. */
export class OutTime {
  readonly #onTime: (ms: number) => void;
  #rest = '';
  #ms: number | null = null;

  /** `onTime` hears of each time that is stated, in ms of the output. */
  constructor(onTime: (ms: number) => void) {
    this.#onTime = onTime;
  }

  /** The time that was stated last; null while none was. */
  get ms(): number | null {
    return this.#ms;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) {
      const [, microseconds] = /^out_time_us=(\d+)$/.exec(line) ?? [];
      if (microseconds === undefined) continue;
      this.#ms = Math.round(Number(microseconds) / 1000);
      this.#onTime(this.#ms);
    }
  }
}

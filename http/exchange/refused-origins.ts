import { labelLine } from '../../contract/base/text.ts';

/** How long a refused origin is not named again, and how many are remembered: a page can invent as many as it likes. */
const silenceMs = 60_000;
const rememberedOrigins = 16;

/** An origin as it can be typed; whatever else a client sends is quoted and cut. */
const allowable = /^https?:\/\/[\w.:[\]-]{1,200}$/;

/**
 * Names refused origins to the operator of the host. A browser shows its page no more than *Failed to fetch*, because a
 * refusal without CORS fields is hidden from it. Each origin is named once a minute, and at most sixteen of them.
 */
export class RefusedOrigins {
  readonly #report: (line: string) => void;
  readonly #now: () => number;
  readonly #named = new Map<string, number>();

  /** `now` is in milliseconds, from any fixed point. */
  constructor(report: (line: string) => void, now: () => number) {
    this.#report = report;
    this.#now = now;
  }

  note(origin: string): void {
    const now = this.#now();
    for (const [named, at] of this.#named) if (now - at >= silenceMs) this.#named.delete(named);
    const isOrigin = allowable.test(origin);
    const shown = isOrigin ? origin : JSON.stringify(labelLine(origin.slice(0, 80)));
    if (this.#named.has(shown) || this.#named.size >= rememberedOrigins) return;
    this.#named.set(shown, now);
    const remedy = isOrigin
      ? `if the page is yours, start the host with --allowed-origin ${shown}`
      : 'only http and https origins can be allowed: serve the page from one';
    this.#report(`refused a request from the origin ${shown}: ${remedy}`);
  }
}

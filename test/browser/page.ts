export type Ask = (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;

/** An answer that a page received. */
export interface PageAnswer {
  readonly url: string;
  readonly status: number;
  readonly contentRange: string | null;
}

interface Response {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** One page of a browser. */
export class Page {
  /** Every answer that came so far. */
  readonly answers: PageAnswer[] = [];
  readonly #ask: Ask;
  #loaded = (): void => undefined;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Told of everything that the browser reports about the page. */
  heard(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method === 'Page.loadEventFired') this.#loaded();
    if (method !== 'Network.responseReceived') return;
    const { url, status, headers } = params.response as Response;
    const range = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-range');
    this.answers.push({ url, status, contentRange: range?.[1] ?? null });
  }

  async load(url: string): Promise<void> {
    await this.#ask('Page.enable', {});
    await this.#ask('Network.enable', {});
    const loaded = new Promise<void>((resolve) => {
      this.#loaded = resolve;
    });
    await this.#ask('Page.navigate', { url });
    await loaded;
  }

  /** Runs a function, given as its text, in the page with one argument, and waits for what it promises. */
  async run(source: string, argument: unknown): Promise<unknown> {
    const answer = await this.#ask('Runtime.evaluate', {
      expression: `(${source})(${JSON.stringify(argument)})`,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    const { result, exceptionDetails } = answer as {
      result: { value?: unknown };
      exceptionDetails?: { exception?: { description?: string } };
    };
    if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description ?? 'the page failed');
    return result.value;
  }
}

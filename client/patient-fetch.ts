/** What a long request needs of `fetch`. */
export interface PatientRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly signal: AbortSignal | null;
}

export type PatientFetch = (url: string, request: PatientRequest) => Promise<Response>;

/** Statuses of which an answer has no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

const isNode = (): boolean =>
  (globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } }).process?.versions?.node !==
  undefined;

/**
 * Asks as `fetch` does, and waits for the answer for as long as the connection stands. The `fetch` of Node gives up when the
 * head of an answer, or the next piece of its body, takes more than five minutes, and cannot be told to wait; `node:http` waits.
 * In a page it is the page's own `fetch`.
 */
export const patientFetch: PatientFetch = async (url, request) => {
  if (!isNode() || !url.startsWith('http:')) return fetch(url, request);
  const [http, { Readable }] = await Promise.all([import('node:http'), import('node:stream')]);
  const { method, headers, body, signal } = request;
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is kept may be closed by the host in the moment in which it is used again.
    const options = { method, headers, agent: false, ...(signal === null ? {} : { signal }) };
    const asked = http.request(url, options, (answer) => {
      const { statusCode: status = 0 } = answer;
      const head = new Headers();
      for (const [name, values = []] of Object.entries(answer.headersDistinct))
        for (const value of values) head.append(name, value);
      const content = bodiless.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
      if (content === null) answer.resume();
      resolve(new Response(content, { status, headers: head }));
    });
    asked.once('error', reject);
    asked.end(body ?? undefined);
  });
};

import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';

export interface BoundedFetchOptions {
  /** Sent as a bearer; null sends no authorization at all. */
  readonly apiKey: string | null;
  readonly maximumBytes: number;
}

// What else a client library sends describes this machine, or comes from its environment.
const sentHeaders = ['accept', 'content-type'];

function plainHeaders(given: RequestInit['headers'], apiKey: string | null): Headers {
  const headers = new Headers({ 'User-Agent': 'local-media-study-service' });
  for (const [name, value] of new Headers(given)) if (sentHeaders.includes(name)) headers.set(name, value);
  if (apiKey !== null) headers.set('authorization', `Bearer ${apiKey}`);
  return headers;
}

/** Reads a body, decompressed, and gives up at the first byte too many. */
async function boundedBody({ body }: Response, maximumBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the rest, and with it the connection.
    if (length > maximumBytes) throw new ExplanationFailure('too_large', `the answer passes ${maximumBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * A `fetch` for client libraries: it sends only what the request needs and the key, follows no redirect, and has the whole
 * answer, of at most `maximumBytes` bytes, before it resolves. Of a refusal it keeps the status alone: its words may repeat
 * the key, and a library makes errors of them. Rejects with `ExplanationFailure` of `redirected` and
 * `too_large`, and with the platform's error where no whole answer came.
 */
export const boundedFetch =
  ({ apiKey, maximumBytes }: BoundedFetchOptions): typeof fetch =>
  async (target, init) => {
    const response = await fetch(target, { ...init, redirect: 'manual', headers: plainHeaders(init?.headers, apiKey) });
    const { status, headers } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new ExplanationFailure('redirected', `the provider answered with ${status}`);
    }
    if (status >= 400) {
      await response.body?.cancel();
      return new Response(null, { status });
    }
    const bytes = await boundedBody(response, maximumBytes);
    const type = headers.get('content-type');
    return new Response(bytes.length === 0 ? null : new Uint8Array(bytes), {
      status,
      headers: type === null ? {} : { 'content-type': type },
    });
  };

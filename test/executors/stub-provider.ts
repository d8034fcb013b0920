import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { FacetKind } from '../../contract/language-explanation-facet.ts';

/** One request as the provider got it. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly response_format: { readonly json_schema: { readonly strict: boolean; readonly schema: object } };
    readonly max_completion_tokens?: number;
    readonly max_tokens?: number;
  };
}

/** What the provider does with one request. */
export type Behaviour = (response: ServerResponse, asked: Asked) => void;

const contents: Readonly<Record<FacetKind, object>> = {
  meaning: { sceneMeaning: ' A greeting between strangers. ' },
  word: { form: '안녕하다', sense: 'to be well', role: 'predicate' },
  phrase: { form: '안녕하세요', function: 'greets politely' },
  grammar: {
    construction: 'honorific -세요',
    explanation: 'Asks politely.',
    segments: [
      { form: '안녕하', role: 'stem' },
      { form: '세요', role: 'ending' },
    ],
  },
  translation_choice: { sourceChoice: '안녕하세요', targetChoice: 'Hello', rationale: 'The plain greeting.' },
};

/** The facets that a question asks for. */
export const kindsAsked = ({ body }: Asked): FacetKind[] => JSON.parse(body.messages[1]?.content ?? '{}').facets;

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
};

/** A chat completion around a text. */
export const completionOf = (content: unknown, others: object = {}): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'stub',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content, refusal: null } }],
  usage: { prompt_tokens: 321, completion_tokens: 45, total_tokens: 366 },
  ...others,
});

export const answers = (value: unknown): Behaviour => {
  return (response) => json(response, value);
};

export const says = (content: unknown): Behaviour => answers(completionOf(content));

/** Explains every facet that is asked for. */
export const explainsWell: Behaviour = (response, asked) => {
  const facets = kindsAsked(asked).map((kind) => [kind, { content: contents[kind], reason: null }]);
  json(response, completionOf(JSON.stringify({ facets: Object.fromEntries(facets) })));
};

/** Takes the question and never answers. */
export const hangs: Behaviour = () => undefined;

/** Sends the head and some of an answer, then nothing more. */
export const dribbles: Behaviour = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.write('{"id":');
};

/** Sends some of an answer and breaks the connection. */
export const closesEarly: Behaviour = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
  response.write('{"id":', () => response.destroy());
};

/** Sends an answer without an end. */
export const floods: Behaviour = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const more = (): void => {
    if (!response.destroyed) response.write(' '.repeat(16_384), more);
  };
  more();
};

/** Refuses with a status, and with words that repeat the key. */
export const refuses =
  (status: number): Behaviour =>
  (response, { headers }) => {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' });
    response.end(JSON.stringify({ error: { message: `no: ${headers.authorization}`, type: 'refused', code: null } }));
  };

export const redirects =
  (location: string): Behaviour =>
  (response) => {
    response.writeHead(307, { Location: location });
    response.end();
  };

/** A server that speaks just enough of the OpenAI interface, and behaves as it is told to. */
export class StubProvider {
  readonly #server: Server;
  readonly asked: Asked[] = [];
  behaviour: Behaviour = explainsWell;
  /** Connections that its clients ended before they had their answer. */
  abandoned = 0;
  readonly #responses: ServerResponse[] = [];
  #heard: () => void = () => undefined;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { url = '', headers } = request;
        const asked: Asked = { path: url, headers, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
        this.asked.push(asked);
        this.#responses.push(response);
        response.on('close', () => {
          if (!response.writableFinished) this.abandoned += 1;
          this.#heard();
        });
        this.behaviour(response, asked);
        this.#heard();
      });
    });
  }

  static async start(): Promise<StubProvider> {
    const stub = new StubProvider();
    await new Promise<void>((resolve) => stub.#server.listen(0, '127.0.0.1', resolve));
    return stub;
  }

  get baseUrl(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/v1`;
  }

  /** Answers a request, counted from 0, that was left without an answer. */
  answer(nth: number, behaviour: Behaviour): void {
    const [response, asked] = [this.#responses[nth], this.asked[nth]];
    if (response === undefined || asked === undefined) throw new RangeError(`request ${nth} did not come`);
    behaviour(response, asked);
  }

  /** Resolves once this holds; looked at whenever something comes or goes. */
  async until(holds: (stub: StubProvider) => boolean): Promise<void> {
    while (!holds(this)) {
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

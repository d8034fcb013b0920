import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { z } from 'zod';
import { type ErrorCode, errorCodes, errorRemedies } from '../../../contract/base/error-codes.ts';
import { errorEnvelope } from '../../../contract/base/error-envelope.ts';
import { DescribedWire } from '../described-wire.ts';
import { GatedFfmpeg } from '../gated-ffmpeg.ts';
import { type Ending, RunningHost } from '../running-host.ts';
import { type Question, type WireAnswer, WireClient } from '../wire-client.ts';

export const adapterNames = { uws: 'uWebSockets.js', node: 'node:http' } as const;
export type AdapterFlag = keyof typeof adapterNames;

/** What the host under test takes at most: one byte less than a declared length can say, and less than the sample. */
export const limits = { mediaBytes: Number.MAX_SAFE_INTEGER - 1, studyRangeMs: 30_000 } as const;

/** An origin that the host under test allows by default. */
export const pageOrigin = 'http://127.0.0.1:4321';

const jsonFields = ['content-type', 'content-length', 'cache-control', 'x-content-type-options', 'x-request-id'];
// What the server libraries add of their own.
const transportFields = ['connection', 'keep-alive', 'date', 'uwebsockets'];

/** One real host on one adapter, asked by all suites of the contract in turn. */
export class HostContract {
  readonly adapter: AdapterFlag;
  /** Every code that a suite has provoked so far. */
  readonly provoked = new Set<ErrorCode>();
  /** Every ingest that a suite has opened so far. */
  readonly opened: string[] = [];
  readonly #otherFlags: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #folder = '';
  #gate: GatedFfmpeg | undefined;
  #host: RunningHost | undefined;
  #client: WireClient | undefined;
  #described: DescribedWire | undefined;

  /**
   * `otherFlags` and `environment` are given to the host, at each start as they are then, beside those of all suites; a flag
   * that all suites give is replaced.
   */
  constructor(
    adapter: AdapterFlag,
    otherFlags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ) {
    this.adapter = adapter;
    this.#otherFlags = otherFlags;
    this.#environment = environment;
  }

  /** The title of a test. */
  title(sentence: string): string {
    return `${adapterNames[this.adapter]}: ${sentence}`;
  }

  async open(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), `host-${this.adapter}-`));
    await mkdir(this.dataRoot, { mode: 0o700 });
    this.#gate = await GatedFfmpeg.create(this.#folder);
    this.#described = await DescribedWire.read();
    await this.start();
  }

  async start(): Promise<void> {
    this.#host = new RunningHost({
      flags: this.flags,
      environment: { MEDIA_STUDY_FFMPEG: this.gate.path, ...this.#environment },
    });
    const { listening, authorizationToken } = await this.#host.announced();
    this.#client = new WireClient(Number(new URL(String(listening)).port), String(authorizationToken));
  }

  stop(): Promise<Ending> {
    this.client.close();
    return this.host.stop();
  }

  kill(): Promise<Ending> {
    this.client.close();
    return this.host.kill();
  }

  async close(): Promise<void> {
    await this.#gate?.open();
    this.#client?.close();
    await this.#host?.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get dataRoot(): string {
    return join(this.#folder, 'data');
  }

  get flags(): readonly string[] {
    const bounds = { 'maximum-owned-media-bytes': limits.mediaBytes, 'maximum-study-range-ms': limits.studyRangeMs };
    const pairs = { port: 0, 'http-adapter': this.adapter, 'data-root': this.dataRoot, 'study-workers': 2, ...bounds };
    const usual = Object.entries(pairs).map(([name, value]) => [`--${name}`, String(value)]);
    return [...usual.filter(([flag = '']) => !this.#otherFlags.includes(flag)).flat(), ...this.#otherFlags];
  }

  get gate(): GatedFfmpeg {
    return present(this.#gate);
  }

  get host(): RunningHost {
    return present(this.#host);
  }

  get client(): WireClient {
    return present(this.#client);
  }

  /** Asks the host, and holds its answer against the description of the wire. */
  async ask(method: string, path: string, question: Question = {}): Promise<WireAnswer> {
    const answer = await this.client.ask(method, path, question);
    present(this.#described).check(method, path, question, answer);
    return answer;
  }

  get(path: string, question?: Question): Promise<WireAnswer> {
    return this.ask('GET', path, question);
  }

  post(path: string, json: unknown): Promise<WireAnswer> {
    return this.ask('POST', path, { json });
  }

  /** Checks a JSON answer to the last field and gives its value; `others` are the fields it has beside the common. */
  json(t: ExecutionContext, { status, headers, body }: WireAnswer, others: readonly string[] = []): unknown {
    const text = body.toString('utf8');
    const own = Object.keys(headers).filter((name) => !transportFields.includes(name));
    t.deepEqual(own.sort(), [...jsonFields, ...others].sort(), text);
    t.is(headers['content-type'], 'application/json; charset=utf-8');
    t.is(headers['content-length'], String(body.length));
    t.is(headers['cache-control'], 'no-store');
    t.is(headers['x-content-type-options'], 'nosniff');
    const value: unknown = JSON.parse(text);
    t.is(text, `${JSON.stringify(value)}\n`, `${status}`);
    return value;
  }

  /**
   * Expects a refusal with this code, whose message ends with what can be done, and notes that the code was provoked. What
   * happened, which is the message without that.
   */
  refused(t: ExecutionContext, answer: WireAnswer, code: ErrorCode, others: readonly string[] = []): string {
    const { error } = errorEnvelope.parse(this.json(t, answer, others));
    t.is(error.code, code, error.message);
    t.is(answer.status, errorCodes[code]);
    this.provoked.add(code);
    const remedy = `; ${errorRemedies[code]}`;
    t.true(error.message.endsWith(remedy), error.message);
    return error.message.slice(0, -remedy.length);
  }

  /** Expects an answer with this status whose body fits the schema without a key too many. */
  granted<Body>(
    t: ExecutionContext,
    answer: WireAnswer,
    status: number,
    schema: z.ZodType<Body>,
    others: readonly string[] = [],
  ): Body {
    t.is(answer.status, status, answer.body.toString('utf8', 0, 300));
    return schema.parse(this.json(t, answer, others));
  }
}

function present<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the host was not started');
  return part;
}

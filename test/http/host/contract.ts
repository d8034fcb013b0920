import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CheckedWire } from '../../host/checked-wire.ts';
import type { Question, WireAnswer } from '../../host/wire-question.ts';
import { GatedFfmpeg } from '../gated-ffmpeg.ts';
import { type Ending, RunningHost } from '../running-host.ts';
import { WireClient } from '../wire-client.ts';

export const adapterNames = { uws: 'uWebSockets.js', node: 'node:http' } as const;
export type AdapterFlag = keyof typeof adapterNames;

/** The most that the host under test takes: one byte less than a declared length can express, and less than the sample. */
export const limits = { mediaBytes: Number.MAX_SAFE_INTEGER - 1, studyRangeMs: 30_000 } as const;

/** An origin that the host under test allows by default. */
export const pageOrigin = 'http://127.0.0.1:4321';

/** One real host on one adapter, asked by all suites of the contract in turn. */
export class HostContract extends CheckedWire {
  readonly adapter: AdapterFlag;
  readonly #otherFlags: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #folder = '';
  #gate: GatedFfmpeg | undefined;
  #host: RunningHost | undefined;
  #client: WireClient | undefined;

  /**
   * The host gets `otherFlags` and `environment` at each start, in their state at that time. They come after the flags
   * of all suites; a flag of the same name is replaced.
   */
  constructor(
    adapter: AdapterFlag,
    otherFlags: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ) {
    super();
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

  protected override send(method: string, path: string, question: Question): Promise<WireAnswer> {
    return this.client.ask(method, path, question);
  }
}

function present<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the host was not started');
  return part;
}

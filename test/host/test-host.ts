import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Clock } from '../../contract/base/clock.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { CheckedWire } from './checked-wire.ts';
import { copyAsLeft, type HostInProcess, openInProcess } from './host-in-process.ts';
import { type KnownOfLives, knownLives, type LifeName, livedRoot } from './lives.ts';
import { MemoryWire, memoryPort, type OpenAnswer, type OpenRequest } from './memory-wire.ts';
import { openRealLauncher, TestLauncher } from './test-launcher.ts';
import type { Question, WireAnswer } from './wire-question.ts';

export interface TestHostOptions {
  /** The life whose data root it is opened on. */
  readonly life?: LifeName;
  /** True to allow ffmpeg and ffprobe, and a detector that finds no speech; else no process is started. */
  readonly mediaTools?: boolean;
  /** True to have a yt-dlp, of which the host only reads the version. */
  readonly downloader?: boolean;
  /** Options of the command line. */
  readonly flags?: readonly string[];
  /** Added to the environment of the test. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** Called at every point at which something was, or is about to be, written. */
  readonly points?: (name: string) => void;
}

/** One host for one test, inside the test's process, on a data root that was lived before; asked over a wire in memory. */
export class TestHost extends CheckedWire {
  /** Another one after each death. */
  dataRoot: string;
  /** The port that it says it has. */
  readonly port = memoryPort;
  /** The answers that the client of the lives got. */
  readonly known: KnownOfLives;
  readonly #t: ExecutionContext;
  readonly #options: TestHostOptions;
  readonly #wire = new MemoryWire(randomUUID());
  #launcher = new TestLauncher(null);
  #host: HostInProcess | undefined;

  private constructor(t: ExecutionContext, options: TestHostOptions) {
    super();
    this.#t = t;
    this.#options = options;
    this.known = knownLives();
    this.dataRoot = livedRoot(t, options.life ?? 'fresh');
  }

  /** Opens a host; it ends with the test. */
  static async open(t: ExecutionContext, options: TestHostOptions = {}): Promise<TestHost> {
    const host = new TestHost(t, options);
    await host.start();
    return host;
  }

  /** Starts a host on the data root, with other options of the command line if they are given. */
  async start(flags: readonly string[] = this.#options.flags ?? []): Promise<void> {
    const { mediaTools = false, downloader = false, environment = {}, clock, points } = this.#options;
    const real = mediaTools ? await openRealLauncher(dataRootAt(this.dataRoot).work) : null;
    this.#launcher = new TestLauncher(real, downloader);
    const ytdlp = join(dirname(this.dataRoot), 'yt-dlp');
    if (downloader) writeFileSync(ytdlp, '#!/bin/sh\n', { mode: 0o755 });
    this.#host = await openInProcess(this.#t, this.dataRoot, {
      flags,
      environment: { ...(downloader ? { MEDIA_STUDY_YTDLP: ytdlp } : {}), ...environment },
      launcher: this.#launcher,
      wire: this.#wire,
      ...(clock === undefined ? {} : { clock }),
      ...(points === undefined ? {} : { points }),
    });
  }

  /** Stops the host, as a signal would. */
  async stop(): Promise<void> {
    await this.#host?.stop();
  }

  /** Stops the host and starts another on the same data root. */
  async restart(flags?: readonly string[]): Promise<void> {
    await this.stop();
    await this.start(flags);
  }

  /** Dies, and starts again on what it left; `meanwhile` changes something of that. */
  async die(meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
    const left = `${this.dataRoot}-left`;
    copyAsLeft(this.dataRoot, left);
    // Later changes do not belong to its life.
    await this.stop();
    this.dataRoot = left;
    await meanwhile();
    await this.start();
  }

  /** The launcher of the host, so that a test can hold its processes. */
  get launcher(): TestLauncher {
    return this.#launcher;
  }

  /** While it is closed, every pass over media waits, so that work stays under way. */
  readonly gate = {
    close: async (): Promise<void> => this.#launcher.hold(/^ffmpeg$/),
    open: async (): Promise<void> => this.#launcher.release(),
  };

  get token(): string {
    return this.#wire.token;
  }

  /** The lines that the host wrote for people. */
  reports(): readonly string[] {
    return this.#host?.reported() ?? [];
  }

  /** The file of an object. */
  objectFile(contentId: string): string {
    const digest = contentId.slice('sha256:'.length);
    return join(dataRootAt(this.dataRoot).objects, digest.slice(0, 2), digest);
  }

  /** Begins a request whose answer is read by and by. */
  begin(method: string, path: string, question: Question = {}): Promise<OpenAnswer> {
    return this.#wire.begin(method, path, question);
  }

  /** Sends the head of a request whose body comes by and by; without a length it comes in chunks. */
  request(method: string, path: string, bytes: number | null, headers: OutgoingHttpHeaders = {}): OpenRequest {
    return this.#wire.request(method, path, bytes, headers);
  }

  protected override send(method: string, path: string, question: Question): Promise<WireAnswer> {
    return this.#wire.ask(method, path, question);
  }
}

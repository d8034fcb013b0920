import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Page } from './page.ts';

// As root and without a network; sound and films may start without a hand on the mouse.
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--autoplay-policy=no-user-gesture-required',
  '--remote-debugging-pipe',
];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly sessionId?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A headless Chromium, spoken to over two pipes in the DevTools protocol: JSON texts that end with a zero byte. */
export class Chromium {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, (message: Message) => void>();
  readonly #listeners: ((message: Message) => void)[] = [];
  #sent = 0;

  private constructor(path: string, profile: string) {
    this.#profile = profile;
    this.#child = spawn(path, [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    let text = '';
    (this.#child.stdio[4] as Readable).setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      for (let end = text.indexOf('\0'); end !== -1; end = text.indexOf('\0')) {
        this.#take(JSON.parse(text.slice(0, end)));
        text = text.slice(end + 1);
      }
    });
  }

  static async open(path: string): Promise<Chromium> {
    return new Chromium(path, await mkdtemp(join(tmpdir(), 'chromium-')));
  }

  /** A new page of this address, once it was loaded. */
  async page(url: string): Promise<Page> {
    const { targetId } = await this.#ask('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.#ask('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page((method, params) => this.#ask(method, params, String(sessionId)));
    this.#listeners.push((message) => {
      if (message.sessionId === sessionId) page.heard(message.method ?? '', message.params ?? {});
    });
    await page.load(url);
    return page;
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await gone;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #ask(method: string, params: object, sessionId?: string): Promise<Readonly<Record<string, unknown>>> {
    this.#sent += 1;
    const id = this.#sent;
    (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (result === undefined) reject(new Error(`${method}: ${error?.message}`));
        else resolve(result);
      });
    });
  }

  #take(message: Message): void {
    if (message.id === undefined) for (const listener of this.#listeners) listener(message);
    else this.#waiting.get(message.id)?.(message);
  }
}

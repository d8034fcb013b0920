import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StudyHost } from '../../client/study-host.ts';
import type { HostAddress } from '../../client/transport.ts';
import { RunningHost } from '../http/running-host.ts';

const captionFlags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];

/** One data root with a host that a test can restart; the client finds each new one. */
export class OneHost {
  readonly client: StudyHost;
  #running: RunningHost | null = null;
  #address: HostAddress | null = null;

  private constructor(readonly dataRoot: string) {
    this.client = StudyHost.connect(() => this.address, { reconnectMs: 30_000 });
  }

  static async start(): Promise<OneHost> {
    const host = new OneHost(await mkdtemp(join(tmpdir(), 'study-client-')));
    await host.start();
    return host;
  }

  /** The address of the last host. */
  get address(): HostAddress {
    if (this.#address === null) throw new Error('no host was started');
    return this.#address;
  }

  async start(): Promise<void> {
    const flags = ['--port', '0', '--study-workers', '2', '--data-root', this.dataRoot, ...captionFlags];
    this.#running = new RunningHost({ flags });
    const { listening, authorizationToken } = await this.#running.announced();
    this.#address = { baseUrl: String(listening), token: String(authorizationToken) };
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.dataRoot, { recursive: true, force: true });
  }
}

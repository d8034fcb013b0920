import type { EngineCards, EngineWork, EngineWorkRequest } from '../contract/engine-work.ts';
import type { Transport } from './transport.ts';

/** The engines of the machine of a host. */
export class Engines {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The engines that are installed or in the catalogue, and the work on one. One is recommended for `language`, by default English. */
  list({ language }: { readonly language?: string } = {}): Promise<EngineCards> {
    const query = language === undefined ? '' : `?language=${encodeURIComponent(language)}`;
    return this.#transport.json(`/v1/engines${query}`);
  }

  /** Adds an engine of the catalogue, or tries or uses an installed one; `list` has the progress. */
  begin(act: EngineWorkRequest['act'], name: string): Promise<EngineWork> {
    const json = { schema: 'studio.engine-work-request.v1', act, name };
    return this.#transport.json('/v1/engines/work', { method: 'POST', json, origin: 'own' });
  }

  /** Ends the work on an engine. What it fetched stays. */
  stop(): Promise<EngineCards> {
    return this.#transport.json('/v1/engines/work', { method: 'DELETE', origin: 'own', isLong: true });
  }
}

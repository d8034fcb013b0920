import type {
  FoundEngines,
  HostRestart,
  HostSettings,
  SettingsChanged,
  SettingsChangeRequest,
} from '../contract/settings.ts';
import type { Given, Transport } from './transport.ts';

/** The settings of a host. Changes state the origin of the host itself, which no page of another origin can. A restart is for pages alone. */
export class HostSettingsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The settings in force, their origins, and the changes by a restart. */
  read(): Promise<HostSettings> {
    return this.#transport.json('/v1/settings');
  }

  /** The engines that the machine of the host has, looked for now. */
  engines(): Promise<FoundEngines> {
    return this.#transport.json('/v1/found-engines');
  }

  /** Changes settings if all checks pass; else throws `HostError`, and nothing was changed. */
  change(change: Given<SettingsChangeRequest>): Promise<SettingsChanged> {
    const json = { schema: 'studio.settings-change.v1', ...change };
    return this.#transport.json('/v1/settings-changes', { method: 'POST', json, origin: 'own', isLong: true });
  }

  /** Restarts the host; the restart is over when `read()` answers with another `startedAt`. */
  restart(): Promise<HostRestart> {
    const json = { schema: 'studio.host-restart-request.v1' };
    return this.#transport.json('/v1/host-restarts', { method: 'POST', json });
  }
}

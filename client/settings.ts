import type {
  Confirmation,
  FoundEngine,
  FoundEngines,
  HostRestart,
  HostSettings,
  SettingsChanged,
  SettingsChangeRequest,
} from '../contract/settings.ts';
import type { Given, Transport } from './transport.ts';

/** Settings that use something, and the confirmation that their change needs. */
export type EngineUse = Pick<FoundEngine, 'use' | 'confirmation'>;

const strongest: Confirmation = 'leaves_this_machine_and_may_cost';

/** Several changes as one. A setting with a list gets all values, and the confirmation covers all changes. */
export function joinedUses(changes: readonly EngineUse[]): EngineUse {
  const use: EngineUse['use'] = {};
  for (const [name, value] of changes.flatMap((change) => Object.entries(change.use))) {
    const before = use[name];
    use[name] = Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value;
  }
  const needed = changes.flatMap(({ confirmation }) => confirmation ?? []);
  return { use, confirmation: needed.includes(strongest) ? strongest : (needed[0] ?? null) };
}

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

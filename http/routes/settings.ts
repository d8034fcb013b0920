import {
  type FoundEngines,
  foundEngines,
  type HostRestart,
  type HostSettings,
  hostRestart,
  hostRestartRequest,
  hostSettings,
  type SettingsChange,
  type SettingsChanged,
  settingsChange,
  settingsChanged,
} from '../../contract/settings.ts';
import { json } from '../exchange/description.ts';
import { type Route, read, route, write } from '../exchange/route.ts';

/** The settings of the host that answers. Only the command that started it knows its options. */
export interface SettingsService {
  read(): Promise<HostSettings>;
  engines(): Promise<FoundEngines>;
  change(change: SettingsChange): Promise<SettingsChanged>;
  restart(): Promise<HostRestart>;
}

/** The routes of settings. What changes something is for clients that say their origin, as a page of another origin cannot. */
export const settingsRoutes = (settings: SettingsService): readonly Route[] => [
  route('/v1/settings', {
    room: 'operation',
    GET: read({
      id: 'readSettings',
      summary: 'what the host was started with, where it comes from, and what a restart would change',
      answers: [json(200, hostSettings)],
      refusals: [],
      handle: async () => ({ status: 200, body: await settings.read() }),
    }),
  }),
  route('/v1/found-engines', {
    room: 'operation',
    GET: read({
      id: 'findEngines',
      summary:
        'the recognizers, translators and readers of screen text that this machine has, and the settings that use them',
      details:
        'Looks for installed programs and packages, and requests the list of models from the model servers on this machine. Nothing leaves this machine.',
      answers: [json(200, foundEngines)],
      refusals: [],
      handle: async () => ({ status: 200, body: await settings.engines() }),
    }),
  }),
  route('/v1/settings-changes', {
    room: 'operation',
    access: 'token-and-origin',
    POST: write({
      id: 'changeSettings',
      summary: 'change settings of the host, if all checks pass',
      details:
        'Limits, engines and permissions take effect at once, everything else after a restart. `fromFile` has the host take what a person wrote into the file. Settings that name programs, folders, ports, origins or queues are changed by `media-study settings` alone.',
      request: settingsChange,
      invalid: 'invalid_settings_change',
      answers: [json(200, settingsChanged)],
      refusals: [
        'setting_not_changeable',
        'settings_unreadable',
        'engine_unavailable',
        'settings_confirmation_required',
        'insufficient_storage',
        'storage_unavailable',
      ],
      handle: async ({ body }) => ({ status: 200, body: await settings.change(body) }),
    }),
  }),
  route('/v1/host-restarts', {
    room: 'operation',
    access: 'token-and-origin',
    POST: write({
      id: 'restartHost',
      summary: 'end this host in order, and start it again with its settings, address and token',
      details:
        'Studies and uploads in parts continue. Streams end, and clients connect again; playback grants and the tokens of paired pages end.',
      request: hostRestartRequest,
      invalid: 'invalid_restart_request',
      answers: [json(202, hostRestart)],
      refusals: ['restart_refused'],
      handle: async () => ({ status: 202, body: await settings.restart() }),
    }),
  }),
];

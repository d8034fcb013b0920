import { z } from 'zod';
import { count, timestamp } from './base/grammar.ts';
import { engineCause, engineKind } from './causes/causes.ts';

/** A value in a settings file: a text or a number, `true` for a switch, or a list for an option that may be repeated. */
export const settingValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

/** The parts of the host, to group its settings. */
const settingRooms = [
  ...(['captions', 'recognition', 'screen_text', 'explanations', 'limits', 'reviewer'] as const),
  ...(['network', 'sources', 'workers', 'output'] as const),
] as const;

/** One option of a host: what is in force, where it comes from, and what a restart would bring. */
export const hostSetting = z.strictObject({
  name: z.string().min(1),
  form: z.enum(['single', 'repeated', 'switch']),
  room: z.enum(settingRooms),
  /** One clause for people, without capital or full stop. */
  help: z.string().min(1),
  /** The default, in words; null if there is none. */
  preset: z.string().nullable(),
  /** The only values that it takes; absent if these are not few. */
  choices: z.array(z.string().min(1)).optional(),
  /** The value in force; null if none is set. A password in an address is left out. */
  value: settingValue.nullable(),
  /**
   * `option` was given on the command line of this start, and wins over the file. `command` was set by the command that started this host
   * for itself; the file wins over it after a restart.
   */
  source: z.enum(['option', 'command', 'file', 'default']),
  /** The value in force after a restart, by the file as it is now. */
  next: settingValue.nullable(),
  /** How a change takes effect; `command_line` settings are changed by `media-study settings` alone. */
  change: z.enum(['at_once', 'restart', 'command_line']),
});

export type HostSetting = z.infer<typeof hostSetting>;

/** The answer to `GET /v1/settings`. */
export const hostSettings = z.strictObject({
  schema: z.literal('studio.host-settings.v1'),
  /** The time when this process started: a restart is over when it has changed. */
  startedAt: timestamp,
  file: z.strictObject({
    path: z.string().min(1),
    state: z.enum(['absent', 'read', 'unreadable']),
    /** Where and why it cannot be read; null if it can, or if there is none. */
    fault: z.string().nullable(),
  }),
  settings: z.array(hostSetting),
  restart: z.strictObject({
    /** True if the file has changed since a setting came into force. */
    isNeeded: z.boolean(),
    /** True if the host can restart now. */
    isPossible: z.boolean(),
    /** One sentence for people: what a restart means now, or why there is none. */
    text: z.string().min(1),
    underWay: z.strictObject({ studies: count, productions: count, uploads: count }),
  }),
});

export type HostSettings = z.infer<typeof hostSettings>;

/** The text that a person confirms before text or sound goes to a server. */
export const confirmations = ['sent_to_a_server_on_this_machine', 'leaves_this_machine_and_may_cost'] as const;
export type Confirmation = (typeof confirmations)[number];

/** An engine of this machine that a host could use, and the settings that use it. */
export const foundEngine = z.strictObject({
  engine: engineKind,
  name: z.string().min(1),
  /** `incomplete` is installed and lacks something that `remedy` names. */
  state: z.enum(['in_use', 'found', 'incomplete', 'absent']),
  /** Its work, the data that leaves the machine, and its cost. */
  text: z.string().min(1),
  /** The way to use it; null if nothing has to be done. */
  remedy: z.string().nullable(),
  /** Why it cannot be used yet, as data; null if nothing has to be done. */
  cause: engineCause.nullable(),
  reach: z.enum(['this_host', 'this_machine', 'outside']),
  mayCost: z.boolean(),
  /** The models that it offers; none for an engine without a choice. */
  models: z.array(z.string()),
  /** The settings that use it, with the first of `models`; none unless it is `found`. */
  use: z.record(z.string(), settingValue),
  /** The confirmation that a change with these settings needs. */
  confirmation: z.enum(confirmations).nullable(),
});

export type FoundEngine = z.infer<typeof foundEngine>;

/** The answer to `GET /v1/found-engines`. */
export const foundEngines = z.strictObject({
  schema: z.literal('studio.found-engines.v1'),
  lookedAt: timestamp,
  engines: z.array(foundEngine),
});

export type FoundEngines = z.infer<typeof foundEngines>;

/** The body of `POST /v1/settings-changes`: settings that get a value, and settings that get their default back. */
export const settingsChange = z.strictObject({
  schema: z.literal('studio.settings-change.v1'),
  set: z.record(z.string().min(1), settingValue).default({}),
  unset: z.array(z.string().min(1)).max(100).default([]),
  /** Needed if the change has sound or text sent to a server that is not sent there now. */
  confirmation: z.enum(confirmations).nullable().default(null),
  /** Takes what the file has now, without `set` and `unset`: a person has changed it by `media-study settings`. */
  fromFile: z.boolean().default(false),
});

export type SettingsChange = z.infer<typeof settingsChange>;
export type SettingsChangeRequest = Partial<Omit<SettingsChange, 'schema'>>;

/** The answer to a change of settings: what changed, and when it takes effect. */
export const settingsChanged = z.strictObject({
  schema: z.literal('studio.settings-changed.v1'),
  atOnce: z.array(z.string()),
  afterRestart: z.array(z.string()),
  settings: hostSettings,
});

export type SettingsChanged = z.infer<typeof settingsChanged>;

export const hostRestartRequest = z.strictObject({ schema: z.literal('studio.host-restart-request.v1') });

/** The answer before a restart: it is over when `startedAt` of the settings has changed. */
export const hostRestart = z.strictObject({
  schema: z.literal('studio.host-restart.v1'),
  state: z.literal('restarting'),
  startedAt: timestamp,
});

export type HostRestart = z.infer<typeof hostRestart>;

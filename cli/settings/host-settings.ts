import { isDeepStrictEqual } from 'node:util';
import type { EngineChoices } from '../../actors/engines/engine-choices.ts';
import type { Host, WorkUnderWay } from '../../actors/host-types.ts';
import type { Clock } from '../../contract/base/clock.ts';
import { messageOf, retryAfter, ServiceError } from '../../contract/base/errors.ts';
import type {
  Confirmation,
  FoundEngine,
  FoundEngines,
  HostRestart,
  HostSetting,
  HostSettings,
  SettingsChange,
  SettingsChanged,
} from '../../contract/settings.ts';
import type { ConfiguredFeature, ServedFeature, UsedServer } from '../../features/feature.ts';
import { isOnThisMachine } from '../../formats/this-machine.ts';
import type { SettingsService } from '../../http/routes/settings.ts';
import { meaningOf, StartError } from '../../options/failures.ts';
import type { GivenFlags } from '../../options/flags.ts';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';
import { SmallFileBusy } from '../../storage/objects/small-file.ts';
import { systemCode, systemRefusal } from '../../storage/system-refusal.ts';
import { engineChoicesOf, environmentOf, featuresOf, optionsOf, type ServeOptions } from '../options/serve-options.ts';
import {
  changeSettings,
  isReplaced,
  misfitOf,
  namesServer,
  plainNumber,
  readSettings,
  type SettingChanges,
  type Settings,
  type SettingValue,
  settingFault,
  settingFlags,
  settingsAfter,
  triedRoomsOf,
  UnreadableSettings,
  withCommandSettings,
  withoutCredentials,
  withoutLeftovers,
  withSettings,
} from './settings-file.ts';
import { demandServer, demandStart, serversOf } from './start-trial.ts';

/** How a change of a setting takes effect. */
const changeOf = (name: string): HostSetting['change'] => settingFlags[name]?.setting?.change ?? 'command_line';

/** The wait before another attempt at a change that the system refused, in seconds. */
const busySeconds = 1;

const isAtOnce = (name: string): boolean => changeOf(name) === 'at_once';

/** True for a setting that clients of a host cannot change. Whoever has its token could make it run any program of the machine. */
const isOfCommandLine = (name: string): boolean =>
  changeOf(name) === 'command_line' || settingFlags[name]?.setting?.namesProgram === true;

/** The value of an option; null if nothing says one. A name and a password in an address are left out. */
function shownValue(flags: GivenFlags, name: string): HostSetting['value'] {
  const { form } = settingFlags[name] ?? { form: 'single' };
  if (!flags.has(name)) return null;
  if (form === 'switch') return true;
  if (form === 'repeated') return [...flags.all(name)];
  const value = flags.single(name) ?? '';
  if (plainNumber.test(value)) return Number(value);
  return withoutCredentials(value);
}

const isEqual = (a: HostSetting['value'], b: HostSetting['value']): boolean => JSON.stringify(a) === JSON.stringify(b);

const meanings: Readonly<Record<Confirmation, string>> = {
  sent_to_a_server_on_this_machine: 'is sent to a server on this machine, which may pass it on',
  leaves_this_machine_and_may_cost: 'leaves this machine, and each request may cost money',
};

/** Someone who gets text or sound of a host. */
interface Recipient {
  readonly key: string;
  readonly sent: string;
  readonly isLocal: boolean;
}

const recipientsOf = (servers: readonly UsedServer[], permitted: readonly string[]): readonly Recipient[] => [
  ...servers.map((server) => ({
    key: serverKey(server),
    sent: server.sent,
    isLocal: server.provider.isLocal,
  })),
  ...permitted.map((address) => ({ key: address, sent: 'text or sound', isLocal: isOnThisMachine(address) })),
];

/** The start options of a host, and its ways to change them. */
interface HostSettingsOptions extends Pick<Host, 'limit' | 'nameReviewer'> {
  /** Takes other engines, which these features name, for whatever begins from now on. */
  readonly useEngines: (choices: EngineChoices, features: readonly ConfiguredFeature[]) => void;
  /** The command line of the start alone. */
  readonly given: GivenFlags;
  readonly path: string;
  /** The settings that were read at the start. */
  readonly settings: Settings;
  /** The open features, which take what changes at once. */
  readonly features: readonly Pick<ServedFeature, 'changed'>[];
  /** True if a command started this host for itself. */
  readonly isOfCommand: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Pick<Clock, 'now'>;
  readonly underWay: () => WorkUnderWay;
  /** Throws, and ends the host, if its data root was moved: another one may be in its place. */
  readonly demandInPlace: () => void;
  /** Begins the restart once the answer to its request had time to leave. */
  readonly restart: () => void;
}

/** True if captions are made of subtitle tracks: a translator of these tracks pairs them as well. */
const makesOfSubtitles = ({ classification, subtitlesFirst = false }: ServeOptions['captionExecutor']): boolean =>
  subtitlesFirst || /_subtitle_tracks$|^subtitle_tracks_/.test(classification);

/** Captions from subtitle tracks need nothing that is not installed. */
const subtitleTracksOf = (isInUse: boolean): FoundEngine => ({
  engine: 'captions',
  name: 'subtitle tracks',
  reach: 'this_host',
  mayCost: false,
  models: [],
  confirmation: null,
  state: isInUse ? 'in_use' : 'found',
  text: 'The host pairs the subtitle tracks of two languages. No model, no network.',
  remedy: null,
  cause: null,
  use: isInUse ? {} : { 'caption-executor': 'grouped-subtitles', 'allow-embedded-subtitle-captions': true },
});

/** The settings of a running host. Changes go into its settings file; limits, engines, permissions and the reviewer's name also into the host itself. */
export class RunningSettings implements SettingsService {
  readonly #options: HostSettingsOptions;
  /** Each change is checked against the file that the change before it wrote. */
  readonly #changes = new KeyedMutex();
  /** The settings in force: those of the start, and of the file what takes effect at once. */
  #inForce: Settings;
  /** The features with the settings in force: a file that they name, such as one of a key, may be gone since. */
  #configured: readonly ConfiguredFeature[];
  /** The servers of the start that only another start replaces. */
  readonly #keptServers: readonly string[];
  /** The time at which this host started. */
  readonly #startedAt: string;

  constructor(options: HostSettingsOptions) {
    this.#options = options;
    this.#startedAt = new Date(options.clock.now()).toISOString();
    this.#inForce = options.settings;
    this.#configured = featuresOf(this.#flags(options.settings), options.environment);
    this.#keptServers = this.#serversUntilRestart(this.#flags(options.settings));
  }

  async read(): Promise<HostSettings> {
    const { path } = this.#options;
    const { settings, fault } = await this.#file();
    const now = this.#flags(this.#inForce);
    const next = fault === null ? this.#flags(settings ?? new Map()) : now;
    const refusal =
      fault === null ? this.#refusalOf(next) : `The settings cannot be read, and the host would not start: ${fault}`;
    const rows = Object.entries(settingFlags).flatMap(
      ([name, { form, help, preset, choices, setting }]): HostSetting[] => {
        if (setting === undefined) return [];
        const value = shownValue(now, name);
        const source = this.#sourceOf(name, value);
        const { room } = setting;
        const change = isOfCommandLine(name) ? 'command_line' : setting.change;
        const given = { name, form, room, help, preset, ...(choices && { choices: [...choices] }) };
        return [{ ...given, value, source, next: shownValue(next, name), change }];
      },
    );
    return {
      schema: 'studio.host-settings.v1',
      startedAt: this.#startedAt,
      file: { path, state: fault !== null ? 'unreadable' : settings === null ? 'absent' : 'read', fault },
      settings: rows,
      restart: this.#restart(
        rows.some(({ value, next }) => !isEqual(value, next)) || (refusal === null && this.#isServerLeft(next)),
        refusal,
      ),
    };
  }

  async engines(): Promise<FoundEngines> {
    const { environment, clock } = this.#options;
    const flags = this.#flags(this.#inForce);
    const options = optionsOf(flags);
    const searched = environmentOf(options, environment);
    const found = this.#configured.map(async (feature) => (await feature.found?.(searched)) ?? []);
    return {
      schema: 'studio.found-engines.v1',
      lookedAt: new Date(clock.now()).toISOString(),
      engines: [subtitleTracksOf(makesOfSubtitles(options.captionExecutor)), ...(await Promise.all(found)).flat()],
    };
  }

  /** Writes the change if all checks pass. Throws the codes of settings. */
  change(change: SettingsChange): Promise<SettingsChanged> {
    return this.#changes.take('settings', () => (change.fromFile ? this.#taken(change) : this.#changed(change)));
  }

  /** Takes what a person has written into the file: it needs no confirmation, and nothing is written. */
  async #taken({ set, unset }: SettingsChange): Promise<SettingsChanged> {
    if (Object.keys(set).length + unset.length > 0) {
      throw new ServiceError('invalid_settings_change', 'fromFile: nothing is set or unset beside it');
    }
    const { settings, fault } = await this.#file();
    if (fault !== null) throw new ServiceError('settings_unreadable', `the settings cannot be read: ${fault}`);
    const after = settings ?? new Map();
    allowed(() => this.#demandOptions(this.#flags(after)));
    const before = (await this.read()).settings;
    const differing = before.filter(({ value, next }) => !isEqual(value, next)).map(({ name }) => name);
    return this.#applied(differing, after);
  }

  /** Has changes of these names take effect as far as they do at once; `file` is the file after them. */
  async #applied(names: readonly string[], file: Settings): Promise<SettingsChanged> {
    const atOnce = names.filter(isAtOnce);
    if (atOnce.length > 0) this.#apply(file);
    const isServerLeft = this.#isServerLeft(this.#flags(file));
    const afterRestart = names.filter((name) => !isAtOnce(name) || (name === 'model-server' && isServerLeft));
    return { schema: 'studio.settings-changed.v1', atOnce, afterRestart, settings: await this.read() };
  }

  async #changed(change: SettingsChange): Promise<SettingsChanged> {
    const { path, demandInPlace } = this.#options;
    const checked = async (before: Settings): Promise<SettingChanges> => {
      const asked = this.#askedChanges(change);
      this.#demandChangeable(asked, before);
      const changes = withoutLeftovers(before, asked);
      await this.#demandEngines(this.#flags(settingsAfter(before, changes)), change.confirmation, [...changes.keys()]);
      return changes;
    };
    const { changes, after } = await changeSettings(path, checked, demandInPlace).catch((error: unknown) => {
      throw this.#refusedChange(error);
    });
    return this.#applied([...changes.keys()], after);
  }

  /** Takes all of a file that takes effect at once, so that engines and permissions fit each other. */
  #apply(file: Settings): void {
    const { environment, features, limit, nameReviewer, useEngines } = this.#options;
    this.#inForce = new Map([
      ...[...this.#inForce].filter(([name]) => !isAtOnce(name)),
      ...[...file].filter(([name]) => isAtOnce(name)),
    ]);
    const flags = this.#flags(this.#inForce);
    const options = optionsOf(flags);
    const configured = featuresOf(flags, environment);
    this.#configured = configured;
    limit(options.limits);
    nameReviewer(options.reviewer.label);
    useEngines(engineChoicesOf(options, configured), configured);
    for (const { changed } of features) changed?.(flags, environmentOf(options, environment));
  }

  /** Answers, and then restarts. Throws `restart_refused`. */
  async restart(): Promise<HostRestart> {
    const { restart } = await this.read();
    if (!restart.isPossible) throw new ServiceError('restart_refused', restart.text);
    this.#options.restart();
    return { schema: 'studio.host-restart.v1', state: 'restarting', startedAt: this.#startedAt };
  }

  /** A refusal of the settings file, or of its volume, as the command says it. */
  #refusedChange(error: unknown): unknown {
    if (error instanceof UnreadableSettings) {
      return new ServiceError('settings_unreadable', `the settings cannot be read: ${error.detail}`);
    }
    const refusal = systemRefusal(error);
    if (refusal === null && !(error instanceof SmallFileBusy)) return error;
    const code = systemCode(error) ?? '';
    const detail = error instanceof SmallFileBusy ? error.detail : `${meaningOf(code) ?? messageOf(error)} (${code})`;
    const said = `nothing was changed: the settings file: ${detail}`;
    if (refusal === 'storage_full') return new ServiceError('insufficient_storage', said);
    return new ServiceError('storage_unavailable', said, retryAfter(busySeconds));
  }

  async #file(): Promise<{ readonly settings: Settings | null; readonly fault: string | null }> {
    const { path } = this.#options;
    try {
      return { settings: await readSettings(path), fault: null };
    } catch (error) {
      if (!(error instanceof UnreadableSettings)) throw error;
      return { settings: null, fault: error.detail };
    }
  }

  /** Why a host does not start with these options, as a sentence; null if nothing is wrong with them. */
  #refusalOf(next: GivenFlags): string | null {
    try {
      this.#demandOptions(next);
      return null;
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return `The host would not start with its settings: ${error.text.in((name) => name)}`;
    }
  }

  /** The features with these flags, which a host could start with. Throws `StartError`. */
  #demandOptions(flags: GivenFlags): readonly ConfiguredFeature[] {
    const options = optionsOf(flags);
    const features = featuresOf(flags, this.#options.environment);
    engineChoicesOf(options, features);
    return features;
  }

  /** The servers of these options that a host keeps until another start. */
  #serversUntilRestart(flags: GivenFlags): readonly string[] {
    const servers = serversOf(featuresOf(flags, this.#options.environment));
    return servers.filter(({ change }) => change === 'restart').map(serverKey);
  }

  /** True if the servers that the host keeps are not those of these options, which the next start has. */
  #isServerLeft(next: GivenFlags): boolean {
    return !isDeepStrictEqual(this.#serversUntilRestart(next), this.#keptServers);
  }

  #flags(settings: Settings): GivenFlags {
    const { given, isOfCommand } = this.#options;
    return withSettings(given, isOfCommand ? withCommandSettings(settings) : settings);
  }

  #sourceOf(name: string, value: HostSetting['value']): HostSetting['source'] {
    if (value === null) return 'default';
    if (isReplaced(this.#options.given, name)) return 'option';
    return this.#inForce.has(name) ? 'file' : 'command';
  }

  #askedChanges({ set, unset }: SettingsChange): SettingChanges {
    const invalid = (message: string) => new ServiceError('invalid_settings_change', message);
    const both = unset.find((name) => Object.hasOwn(set, name));
    if (both !== undefined) throw invalid(`${both}: set and unset at once`);
    for (const name of [...Object.keys(set), ...unset]) {
      if (!Object.hasOwn(settingFlags, name)) throw invalid(`there is no setting ${name}`);
    }
    for (const [name, value] of Object.entries(set)) {
      const flag = settingFlags[name];
      const misfit = flag === undefined ? null : misfitOf(flag, value);
      if (misfit !== null) throw invalid(`${name}: ${misfit}`);
      const fault = settingFault(name, value);
      if (fault !== null) throw invalid(fault);
    }
    const changes = new Map<string, SettingValue | undefined>(Object.entries(set));
    for (const name of unset) changes.set(name, undefined);
    if (changes.size === 0) throw invalid('nothing is set, and nothing unset');
    return changes;
  }

  /** A server outside this machine gets the key of the environment, so that only a person at the command line may name it. */
  #demandChangeable(changes: SettingChanges, before: Settings): void {
    const refused = (message: string) => new ServiceError('setting_not_changeable', message);
    const { given } = this.#options;
    for (const [name, value] of changes) {
      if (changeOf(name) === 'command_line' || (value !== undefined && isOfCommandLine(name))) {
        throw refused(`${name} is changed on the command line alone: media-study settings set ${name}=VALUE`);
      }
      if (isReplaced(given, name)) {
        throw refused(`an option on the command line of the host sets ${name}: start the host without it`);
      }
      if (namesServer(name) && value !== undefined && !isOnThisMachine(String(value))) {
        throw refused(
          `a model server outside this machine is named on the command line: media-study settings set ${name}=URL`,
        );
      }
      const keyedBy = settingFlags[name]?.setting?.keyedBy;
      if (keyedBy !== undefined && (given.has(keyedBy) || settingsAfter(before, changes).has(keyedBy))) {
        throw refused(
          `${name} is changed on the command line alone while ${keyedBy} is set, because it gets that key: media-study settings set ${name}=URL`,
        );
      }
    }
  }

  /** Throws unless a person has confirmed what is sent to servers from now on, and the engines are there. */
  async #demandEngines(flags: GivenFlags, confirmation: Confirmation | null, names: readonly string[]): Promise<void> {
    const { environment } = this.#options;
    const next = allowed(() => optionsOf(flags));
    const features = allowed(() => this.#demandOptions(flags));
    const before = this.#flags(this.#inForce);
    const now = recipientsOf(serversOf(this.#configured), optionsOf(before).permissions.servers).map(({ key }) => key);
    const servers = serversOf(features);
    const added = recipientsOf(servers, next.permissions.servers).filter(({ key }) => !now.includes(key));
    const outside = added.find(({ isLocal }) => !isLocal);
    const decisive = outside ?? added[0];
    if (decisive !== undefined) {
      const needed: Confirmation =
        outside === undefined ? 'sent_to_a_server_on_this_machine' : 'leaves_this_machine_and_may_cost';
      if (confirmation !== needed) {
        throw new ServiceError(
          'settings_confirmation_required',
          `${decisive.sent} ${meanings[needed]}; confirmation: ${needed}`,
        );
      }
    }
    try {
      for (const server of servers) if (!now.includes(serverKey(server))) await demandServer(server.provider);
      const rooms = triedRoomsOf(names);
      await demandStart(next, features, environment, (room) => rooms.includes(room));
    } catch (error) {
      throw new ServiceError('engine_unavailable', error instanceof Error ? error.message : String(error));
    }
  }

  #restart(isNeeded: boolean, startRefusal: string | null): HostSettings['restart'] {
    const underWay = this.#options.underWay();
    const refusal =
      startRefusal ??
      (underWay.uploads > 0
        ? 'A file is being uploaded whole, which a restart would cut. Wait until it is there.'
        : null);
    const text =
      refusal ??
      'The host stops in order and starts again at the same address. Unfinished work continues after the restart.';
    return { isNeeded, isPossible: refusal === null, text, underWay };
  }
}

const serverKey = ({ use, model, provider }: UsedServer): string => `${use} ${provider.baseUrl} ${model}`;

/** Runs what reads options. Throws `invalid_settings_change` for what a start would be refused with. */
function allowed<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new ServiceError(
      'invalid_settings_change',
      error.text.in((name) => name),
    );
  }
}

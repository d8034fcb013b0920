import { systemClock } from '../../actors/supervision/system-clock.ts';
import { messageOf } from '../../contract/base/errors.ts';
import type { SelfTestResult } from '../../contract/engine-work.ts';
import { addressFault, baseAddress, ModelFailure } from '../../executors/model-server/hosted-provider.ts';
import {
  localPrograms,
  type ModelUse,
  type ServedModel,
  type ServerProgram,
  serverProgramAt,
} from '../../executors/model-server/server-programs.ts';
import { RecognitionFailure } from '../../executors/recognition/recognizer.ts';
import { isOnThisMachine } from '../../formats/this-machine.ts';
import { StartError } from '../../options/failures.ts';
import { absolutePath } from '../../options/flags.ts';
import { keyIn } from '../../options/model-server.ts';
import type { CommandSettings, ConfiguredFeature, Feature, ServerEngine, SettingValues } from '../feature.ts';
import { type AddedServer, addedServerOf, keepServer } from './added-server.ts';
import { EngineRefusal } from './engine-refusal.ts';
import { badName, engineName, installationOf, removeInstallation } from './installation.ts';
import type { EnginesCall } from './options.ts';
import { selfTested, selfTestLines } from './self-test.ts';
import { type TranslatorTestResult, translatorTested, translatorTestLines } from './translator-test.ts';

/** What a person asked to add. */
export interface AddServerRequest {
  /** The name of the engine; also that of the model if the server has one with it. */
  readonly name: string;
  readonly server: string;
  /** The name of the model at the server; null for its only one. */
  readonly model: string | null;
  readonly keyFile: string | null;
  /** What it is used for; null for what the server offers. */
  readonly use: ModelUse | null;
}

/** A server that can be added, before anything is sent to it or written. */
export interface ServerPlan {
  readonly name: string;
  readonly use: ModelUse;
  readonly program: string;
  readonly server: string;
  readonly model: string;
  readonly keyFile: string | null;
  readonly isLocal: boolean;
}

/** The key of a file. Throws `EngineRefusal` `key_file_refused`. */
function keyOf(path: string): string {
  try {
    return keyIn(path);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new EngineRefusal('key_file_refused', error.message, error);
  }
}

/** The address of a server. Throws `EngineRefusal` `server_refused`, which does not repeat it: it may hold a secret. */
function addressOf(given: string): string {
  const fault = addressFault(given);
  if (fault !== null) {
    throw new EngineRefusal('server_refused', `--server ${fault}; an address begins with http:// or https://`);
  }
  if (given.startsWith('http:') && !isOnThisMachine(given))
    throw new EngineRefusal('server_refused', '--server must be https outside this machine');
  return baseAddress(given);
}

async function programAt(server: string, keyFile: string | null): Promise<ServerProgram> {
  const found = await serverProgramAt(server, keyFile === null ? null : keyOf(keyFile));
  if (found === null) {
    throw new EngineRefusal('server_unreachable', `no server of models answers at ${server}`);
  }
  if ('refused' in found) throw keyRefused({ server, keyFile }, found.refused);
  return found;
}

/** The use of a server whose person named none: transcription if it has a model for it, or names no model. */
const offeredUse = ({ models }: ServerProgram): ModelUse =>
  models.length > 0 && models.every(({ use }) => use !== 'recognizer') ? 'translator' : 'recognizer';

const listOf = (models: readonly ServedModel[]): string => models.map(({ name }) => name).join(', ') || 'none';

/** The model for a use. Throws `EngineRefusal` `model_unknown`. */
function modelOf({ program, speech, models }: ServerProgram, use: ModelUse, request: AddServerRequest): string {
  const what = use === 'recognizer' ? 'transcribes' : 'translates';
  const refused = (detail: string, isLacking: boolean) =>
    new EngineRefusal(
      'model_unknown',
      detail,
      undefined,
      isLacking ? `load a model there that ${what}, or take another server` : null,
    );
  if (use === 'translator' && speech !== 'openai') throw refused(`${program} has no model that ${what}`, true);
  // A program with one model takes any name.
  if (speech !== 'openai') return request.model ?? request.name;
  const wanted = request.model ?? (models.some(({ name }) => name === request.name) ? request.name : null);
  const fitting = models.filter((each) => each.use === use);
  if (wanted !== null) {
    const known = models.find(({ name }) => name === wanted);
    if (known === undefined)
      throw refused(`${program} has no model ${wanted}; it has ${listOf(models)}`, models.length === 0);
    if (use === 'translator' && known.use === null) {
      const others = fitting.length === 0 ? 'and no other one does' : `and these do: ${listOf(fitting)}`;
      throw refused(`${wanted} is no model that ${what}, ${others}`, fitting.length === 0);
    }
    return wanted;
  }
  const [only, ...others] = fitting;
  if (only === undefined) throw refused(`${program} has no model that ${what}; it has ${listOf(models)}`, true);
  if (others.length > 0) throw refused(`${program} has several models that it can use: ${listOf(fitting)}`, false);
  return only.name;
}

/**
 * A plan for a server. It asks the server what it is, and sends the key of the file to it alone. Writes nothing. Rejects with
 * `EngineRefusal`.
 */
export async function serverPlanOf(request: AddServerRequest): Promise<ServerPlan> {
  const { name } = request;
  if (!engineName.test(name))
    throw new EngineRefusal(
      'unknown_engine',
      badName(name),
      undefined,
      'choose another name, and name the model with --model',
    );
  const server = addressOf(request.server);
  const keyFile = request.keyFile === null ? null : absolutePath(request.keyFile);
  const found = await programAt(server, keyFile);
  const use = request.use ?? offeredUse(found);
  return {
    name,
    use,
    program: found.program,
    server: found.baseUrl,
    model: modelOf(found, use, request),
    keyFile,
    isLocal: isOnThisMachine(found.baseUrl),
  };
}

/** The use of servers by a feature. Throws `EngineRefusal` if this program has none. */
function serverEngine(features: readonly Feature[], use: ModelUse): ServerEngine {
  const found = features.flatMap(({ serverEngines = [] }) => serverEngines).find((each) => each.use === use);
  if (found !== undefined) return found;
  throw new EngineRefusal('unknown_engine', `this program has no ${use} behind a server`);
}

/** A change of settings that uses a server. */
export interface ServerSettings {
  readonly set: SettingValues;
  readonly unset: readonly string[];
}

/** The settings that use a server, beside what they permit so far. */
export function serverSettings(
  features: readonly Feature[],
  { use, server, model, keyFile }: Pick<AddedServer, 'use' | 'server' | 'model' | 'keyFile'>,
  before: SettingValues,
): ServerSettings {
  const engine = serverEngine(features, use);
  const permitted = before['permit-server'];
  const set = engine.settingsOf({ server, model, keyFile, permitted: Array.isArray(permitted) ? permitted : [] });
  const unset = engine.replaced.filter((name) => Object.hasOwn(before, name) && !Object.hasOwn(set, name));
  return { set, unset };
}

/** What is sent to a server, and where it is, for the person who decides. */
export const serverPlanLines = (
  features: readonly Feature[],
  { name, use, program, server, model, keyFile, isLocal }: ServerPlan,
): readonly string[] => [
  `${name}: ${use}, ${program} at ${server}, model ${model}`,
  isLocal
    ? `${serverEngine(features, use).sent} is sent to a server on this machine, which may pass it on`
    : `${serverEngine(features, use).sent} leaves this machine, and each request may cost money`,
  ...(keyFile === null ? [] : [`the key is read from ${keyFile} at each start, and stored nowhere else`]),
];

/** A model that knows no times may be asked without them from its second request on. */
const isServerError = (error: unknown): boolean =>
  error instanceof EngineRefusal &&
  error.cause instanceof RecognitionFailure &&
  /^http_50[01]$/.test(error.cause.reason);

/** Tries a recognizer behind a server with the requests that studies use. Writes nothing. Rejects with `EngineRefusal`. */
export async function triedServer(
  settings: Pick<CommandSettings, 'configured' | 'withLauncher'>,
  { set, unset }: ServerSettings,
  signal: AbortSignal,
): Promise<SelfTestResult> {
  const { features, environment } = await settings.configured(set, unset);
  const named = features.flatMap(({ engines }) => engines?.recognizer ?? []).at(-1);
  if (named === undefined) throw new EngineRefusal('unknown_engine', 'the settings name no recognizer');
  return settings.withLauncher(async (launcher) => {
    const recognizer = await named.open({ launcher, environment, clock: systemClock }).catch((error: unknown) => {
      throw new EngineRefusal('engine_failed', messageOf(error), error);
    });
    const test = () => selfTested(recognizer, () => performance.now(), signal);
    return test().catch((error: unknown) => {
      if (!isServerError(error)) throw error;
      return test();
    });
  });
}

/** Tries a model that translates, with the requests of captions. Writes nothing. Rejects with `EngineRefusal`. */
async function triedModel(
  settings: Pick<CommandSettings, 'configured'>,
  { set, unset }: ServerSettings,
  signal: AbortSignal,
): Promise<TranslatorTestResult> {
  const { features } = await settings.configured(set, unset);
  const lines = features
    .flatMap(({ engines }) => engines?.translator ?? [])
    .at(-1)
    ?.lines?.({ clock: systemClock });
  if (lines === undefined) throw new EngineRefusal('unknown_engine', 'the settings name no model that translates');
  try {
    return await translatorTested(lines, () => performance.now(), signal);
  } finally {
    await lines.close();
  }
}

/** The status with which a server refused a key in a trial; null for another failure. */
function refusedKey(error: unknown): string | null {
  const cause = error instanceof EngineRefusal ? error.cause : null;
  const code = cause instanceof RecognitionFailure ? cause.reason : cause instanceof ModelFailure ? cause.code : '';
  return /^http_(40[13])$/.exec(code)?.[1] ?? null;
}

/** The refusal of a key. Some servers list their models without one. */
const keyRefused = ({ server, keyFile }: Pick<AddedServer, 'server' | 'keyFile'>, status: string | number) =>
  new EngineRefusal(
    'key_refused',
    keyFile === null
      ? `the server at ${server} wants a key (status ${status})`
      : `the server at ${server} refuses the key in ${keyFile} (status ${status})`,
    undefined,
    keyFile === null ? null : 'put the key of this server into that file, or name another file with --key-file',
  );

type ServerTrials = Pick<AddedServer, 'selfTest' | 'translatorTest'>;

/** The trial of a server for its use, before anything is written. */
async function triedUse(
  { terminal, settings, signal }: EnginesCall,
  plan: Pick<AddedServer, 'use' | 'server' | 'keyFile'>,
  changes: ServerSettings,
): Promise<ServerTrials> {
  const isRecognizer = plan.use === 'recognizer';
  terminal.remark(
    isRecognizer
      ? 'trying the server with speech, noise and music'
      : 'trying the model with one line, then with eight; one that has to be loaded first may take some minutes',
  );
  try {
    return isRecognizer
      ? { selfTest: await triedServer(settings, changes, signal) }
      : { selfTest: null, translatorTest: await triedModel(settings, changes, signal) };
  } catch (error) {
    const status = refusedKey(error);
    throw status === null ? error : keyRefused(plan, status);
  }
}

const trialLines = ({ selfTest, translatorTest }: ServerTrials): readonly string[] => [
  ...(selfTest === null ? [] : selfTestLines(selfTest)),
  ...(translatorTest === undefined ? [] : translatorTestLines(translatorTest)),
];

const useNamed = (as: string | undefined): ModelUse | null => (as === 'recognizer' || as === 'translator' ? as : null);

/** Adds the server of `--server`, tries it, writes its record, and has the settings name it. Rejects with `EngineRefusal`. */
export async function addServer(call: EnginesCall): Promise<void> {
  const { given, names, terminal, settings, features, engines } = call;
  const as = given.single('as');
  const plan = await serverPlanOf({
    name: names[0] ?? '',
    server: given.single('server') ?? '',
    model: given.single('model') ?? null,
    keyFile: given.single('key-file') ?? null,
    use: useNamed(as),
  });
  if ((await addedServerOf(engines, plan.name)) !== null || (await installationOf(engines, plan.name)) !== null)
    throw new EngineRefusal('name_taken', `${plan.name} is installed; use it, or remove it first`);
  for (const line of serverPlanLines(features, plan)) terminal.remark(line);
  if (!plan.isLocal && !given.has('yes')) {
    const isAgreed = terminal.isInteractive && (await terminal.agreed('Use this server?'));
    if (!isAgreed) throw new EngineRefusal('not_confirmed', 'nothing was sent; agree to it, or give --yes');
  }
  const changes = serverSettings(features, plan, (await settings.configured()).settings);
  const trials = await triedUse(call, plan, changes);
  const { name, use, program, server, model, keyFile, isLocal } = plan;
  const record: AddedServer = {
    schema: 'studio.engine-server.v1',
    name,
    use,
    addedAt: new Date(systemClock.now()).toISOString(),
    program,
    server,
    model,
    keyFile,
    isLocal,
    ...trials,
  };
  await keepServer(engines, record);
  const isForUse = as !== 'installed';
  if (isForUse && !(await settings.change(changes.set, changes.unset)))
    throw new EngineRefusal('settings_refused', `${name} was added, and the settings do not name it`);
  terminal.result({ ...record, isInUse: isForUse }, [
    `${name} was added${isForUse ? ' and is in use' : `; use it with engines use ${name}`}`,
    ...trialLines(trials),
  ]);
}

/** Tries an added server, and keeps the result; `isForUse` has the settings name it then. Rejects with `EngineRefusal`. */
export async function retriedServer(call: EnginesCall, record: AddedServer, isForUse: boolean): Promise<void> {
  const { terminal, settings, features } = call;
  if (record.keyFile !== null) keyOf(record.keyFile);
  const changes = serverSettings(features, record, (await settings.configured()).settings);
  const trials = await triedUse(call, record, changes);
  await keepServer(call.engines, { ...record, ...trials });
  if (isForUse && !(await settings.change(changes.set, changes.unset)))
    throw new EngineRefusal('settings_refused', 'the settings are as before');
  const schema = isForUse ? 'studio.engine-in-use.v1' : 'studio.engine-trial.v1';
  terminal.result({ schema, name: record.name, ...(trials.selfTest ?? trials.translatorTest) }, [
    `${record.name} ${isForUse ? 'is in use' : 'works'}`,
    ...trialLines(trials),
  ]);
}

/** True if the settings name this server and its model for its use. */
export const isServerUsed = (
  { use, server, model }: AddedServer,
  features: readonly Pick<ConfiguredFeature, 'servers'>[],
): boolean =>
  features
    .flatMap(({ servers = [] }) => servers)
    .some((each) => each.use === use && each.provider.baseUrl === server && each.model === model);

/** Removes an added server, and the settings that name it. The file of its key stays. Rejects with `EngineRefusal`. */
export async function removeServer(call: EnginesCall, record: AddedServer): Promise<void> {
  const { settings, features, engines, terminal } = call;
  const { name, use, server } = record;
  const now = await settings.configured();
  const wasInUse = isServerUsed(record, now.features);
  if (wasInUse) {
    const { set } = serverSettings(features, record, {});
    const others = Object.keys(set).filter((each) => each !== 'permit-server');
    const permitted = now.settings['permit-server'];
    const isShared = now.features
      .flatMap(({ servers = [] }) => servers)
      .some((each) => each.use !== use && each.provider.baseUrl === server);
    const left = (Array.isArray(permitted) ? permitted : []).filter((each) => isShared || each !== server);
    const isChanged = await settings.change(left.length === 0 ? {} : { 'permit-server': left }, [
      ...others,
      ...(left.length === 0 ? ['permit-server'] : []),
    ]);
    if (!isChanged) throw new EngineRefusal('settings_refused', `${name} is in use, and was not removed`);
  }
  await removeInstallation(engines, name);
  terminal.result({ schema: 'studio.engine-removed.v1', name, wasInUse }, [
    `${name} was removed${wasInUse ? `; the settings name no ${use} now` : ''}`,
  ]);
}

/** The servers of models at the known ports of this machine, as `engines find` shows them. */
export async function serversOfMachine() {
  const found = await localPrograms();
  return found.map((each) => ({
    ...each,
    uses:
      each.models.length === 0 ? (['recognizer'] as const) : [...new Set(each.models.flatMap(({ use }) => use ?? []))],
  }));
}

export const serverLine = ({ program, baseUrl, models }: ServerProgram): string => {
  const of = (use: ModelUse) => models.filter((each) => each.use === use).map(({ name }) => name);
  const listed = (['recognizer', 'translator'] as const).flatMap((use) => {
    const names = of(use);
    return names.length === 0 ? [] : [`${use === 'recognizer' ? 'transcribe' : 'translate'}: ${names.join(', ')}`];
  });
  const what =
    models.length === 0 ? 'transcribes with its one model' : listed.join('; ') || 'no model for speech or text';
  return `${program} at ${baseUrl}: ${what}. Add it with engines add NAME --server ${baseUrl}`;
};

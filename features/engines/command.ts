import { rmdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { messageOf } from '../../contract/base/errors.ts';
import type { EngineProgress, EngineWorkFailure, SelfTestResult } from '../../contract/engine-work.ts';
import { failureLine, StartError } from '../../options/failures.ts';
import { type GivenFlags, parseFlags } from '../../options/flags.ts';
import { exitCodes } from '../../options/outputs.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { makeFolder } from '../../storage/objects/durable-file.ts';
import { systemRefusal } from '../../storage/system-refusal.ts';
import type { CommandParts, ConfiguredFeature, Feature, ProgramEngine, SettingValues } from '../feature.ts';
import { type AddPlan, broughtFiles, planOf } from './add-engine.ts';
import { addServer, isServerUsed, removeServer, retriedServer, serverLine, serversOfMachine } from './add-server.ts';
import {
  addTranslator,
  programTranslator,
  removeTranslator,
  testTranslator,
  translatorRows,
} from './add-translator.ts';
import { addedServerOf, addedServers } from './added-server.ts';
import { catalogueOf, mirrorOf, type PublishedFile } from './catalogue.ts';
import { EngineRefusal, remedyOf } from './engine-refusal.ts';
import {
  bytesBelow,
  changingInstallations,
  cleanUnfinished,
  type Installation,
  installationOf,
  installations,
  isOf,
  keepInstallation,
  removeInstallation,
  removeUnfinished,
} from './installation.ts';
import { type EnginesCall, enginesWords, verbs } from './options.ts';
import { selfTested, selfTestLines } from './self-test.ts';
import { msPerLineOf } from './translator-test.ts';

/** An engine as the list shows it. */
interface EngineRow {
  readonly name: string;
  readonly use: string;
  /** `available` is in the catalogue and not installed. */
  readonly state: 'in_use' | 'installed' | 'available';
  readonly model: string | null;
  /** What leaves the program, and for where; `nothing` for a program of this machine. */
  readonly sends: string;
  /** The bytes on the disk of this machine; of a download for one that is available. Null if that is not known. */
  readonly bytes: number | null;
  readonly languages: number | null;
  readonly hasWords: boolean | null;
  readonly hasConfidences: boolean | null;
  readonly secondsPerSecond: number | null;
  /** Of a translator of two languages: their tags, and milliseconds for a line. */
  readonly pair?: { readonly from: string; readonly to: string };
  readonly msPerLine?: number | null;
}

const megabytes = (bytes: number | null): string => (bytes === null ? '' : `, ${(bytes / 1e6).toFixed(1)} MB`);

const timeText = (ms: number): string => (ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(1)} s`);

/** A translator that is available is on this machine; its name says what it is. */
const stateWords = ({ state, use }: EngineRow): string =>
  state === 'available' ? (use === 'translator' ? 'here, not in use' : 'not installed') : state.replace('_', ' ');

const yesNo = (name: string, value: boolean | null): string =>
  value === null ? '' : `, ${name} ${value ? 'yes' : 'no'}`;

const rowLine = (row: EngineRow): string => {
  const { name, use, model, sends, bytes, languages, secondsPerSecond, pair, msPerLine = null } = row;
  const speed = secondsPerSecond === null ? '' : `, ${secondsPerSecond.toFixed(1)} s for a second of speech`;
  const named = model === null ? '' : `, model ${model}`;
  const tongues =
    pair !== undefined ? `, ${pair.from} to ${pair.to}` : languages === null ? '' : `, ${languages} languages`;
  const given = `${yesNo('words', row.hasWords)}${yesNo('confidences', row.hasConfidences)}`;
  const lineSpeed = msPerLine === null ? '' : `, ${timeText(msPerLine)} for a line`;
  return `${name}: ${use}, ${stateWords(row)}${named}${tongues}, sends ${sends}${megabytes(bytes)}${given}${speed}${lineSpeed}`;
};

const untested = { languages: null, hasWords: null, hasConfidences: null, secondsPerSecond: null } as const;

const recognizerOf = (features: readonly ConfiguredFeature[]) =>
  features.flatMap(({ engines }) => engines?.recognizer ?? []).at(-1) ?? null;

/** True if the settings of now name the files of this installation. */
const isUsed = (installed: Installation, features: readonly ConfiguredFeature[]): boolean =>
  isOf(installed, recognizerOf(features));

async function rowsOf(call: EnginesCall): Promise<readonly EngineRow[]> {
  const { settings, engines } = call;
  const { features, environment } = await settings.configured();
  const catalogue = await catalogueOf(environment);
  const installed = await installations(engines);
  const own = installed.map(async (each): Promise<EngineRow> => {
    const outside = [each.program, each.model].filter(({ path }) => !path.startsWith(join(engines, each.name, '/')));
    return {
      name: each.name,
      use: each.use,
      state: isUsed(each, features) ? 'in_use' : 'installed',
      model: each.model.path,
      sends: 'nothing',
      bytes: outside.reduce((sum, { bytes }) => sum + bytes, await bytesBelow(join(engines, each.name))),
      languages: each.languages,
      hasWords: each.selfTest.hasWords,
      hasConfidences: each.selfTest.hasConfidences,
      secondsPerSecond: each.selfTest.secondsPerSecond,
    };
  });
  const added = await addedServers(engines);
  const kept = added.map(
    (each): EngineRow => ({
      name: each.name,
      use: each.use,
      state: isServerUsed(each, features) ? 'in_use' : 'installed',
      model: each.model,
      sends: `${each.use === 'recognizer' ? 'the sound of speech' : 'the text of captions'} to ${each.server}`,
      bytes: null,
      languages: null,
      hasWords: each.selfTest?.hasWords ?? null,
      hasConfidences: each.selfTest?.hasConfidences ?? null,
      secondsPerSecond: each.selfTest?.secondsPerSecond ?? null,
      msPerLine: each.translatorTest === undefined ? null : msPerLineOf(each.translatorTest),
    }),
  );
  const servers = features
    .flatMap(({ servers = [] }) => servers)
    .filter(
      ({ use, model, provider }) =>
        !added.some((each) => each.use === use && each.server === provider.baseUrl && each.model === model),
    )
    .map(
      ({ use, model, provider, sent }): EngineRow => ({
        ...untested,
        name: provider.baseUrl,
        use,
        state: 'in_use',
        model,
        sends: `${sent} to ${provider.isLocal ? 'a server on this machine' : 'a server outside this machine'}`,
        bytes: null,
      }),
    );
  const named = recognizerOf(features);
  const isOther = named !== null && named.provider === undefined && !installed.some((each) => isUsed(each, features));
  const other: readonly EngineRow[] = isOther
    ? [
        {
          ...untested,
          name: named.engine,
          use: 'recognizer',
          state: 'in_use',
          model: named.model,
          sends: 'nothing',
          bytes: named.model === null ? null : ((await stat(named.model).catch(() => null))?.size ?? null),
        },
      ]
    : [];
  const available = catalogue.engines
    .filter(({ name }) => !installed.some((each) => each.name === name))
    .map(
      ({ name, weights, languages }): EngineRow => ({
        ...untested,
        name,
        use: 'recognizer',
        state: 'available',
        model: weights.file,
        sends: 'nothing',
        bytes: weights.bytes,
        languages,
      }),
    );
  const translators = (await translatorRows(call)).map(
    ({ name, state, bytes, from, to, msPerLine }): EngineRow => ({
      ...untested,
      name,
      use: 'translator',
      state,
      model: null,
      sends: 'nothing',
      bytes,
      pair: { from, to },
      msPerLine,
    }),
  );
  return [...(await Promise.all(own)), ...kept, ...other, ...servers, ...translators, ...available];
}

async function list(call: EnginesCall): Promise<void> {
  const rows = await rowsOf(call);
  const { terminal } = call;
  terminal.result({ schema: 'studio.engine-list.v1', engines: rows }, rows.map(rowLine));
  const isListening = rows.some(({ use, state }) => use === 'recognizer' && state === 'in_use');
  if (!isListening)
    terminal.remark(`no recognizer is in use; to add one: ${terminal.typed('engines add whisper-base')}`);
}

/** The programs and servers of this machine, as each feature finds them. */
async function find({ settings, terminal }: EnginesCall): Promise<void> {
  const { features, environment } = await settings.configured();
  const [found, servers] = await Promise.all([
    Promise.all(features.map(async (each) => (await each.found?.(environment)) ?? [])).then((each) => each.flat()),
    serversOfMachine(),
  ]);
  terminal.result({ schema: 'studio.engines-found.v1', engines: found, servers }, [
    ...found.map(
      ({ name, engine, state, text, remedy }) =>
        `${name}: ${engine}, ${state.replace('_', ' ')}. ${text}${remedy === null ? '' : ` ${remedy}.`}`,
    ),
    ...servers.map(serverLine),
  ]);
}

/** Tries the recognizer of the settings, with changes of them. Writes nothing. Rejects with `EngineRefusal`. */
async function tried(
  { settings, terminal, given, names, signal }: EnginesCall,
  changes: SettingValues,
): Promise<SelfTestResult> {
  const { features, environment } = await settings.configured(changes);
  const named = recognizerOf(features);
  if (named === null) {
    throw new EngineRefusal(
      'unknown_engine',
      'the settings name no recognizer',
      undefined,
      (typed) => `add one: ${typed('engines add whisper-base')}; to try another engine: ${typed('engines test NAME')}`,
    );
  }
  terminal.remark('trying the engine with speech, noise and music');
  if (given.has('json')) {
    const [name = named.engine] = names;
    const step = { step: 'trying', done: null, total: null } as const;
    terminal.progress(JSON.stringify({ schema: 'studio.engine-progress.v1', name, ...step } satisfies EngineProgress));
  }
  return settings.withLauncher(async (launcher) => {
    const recognizer = await named.open({ launcher, environment, clock: systemClock }).catch((error: unknown) => {
      throw new EngineRefusal('engine_failed', messageOf(error), error);
    });
    return selfTested(recognizer, () => performance.now(), signal);
  });
}

/** The kind of program that installations are for. */
function programEngine(features: readonly Feature[]): ProgramEngine {
  const found = features.flatMap(({ programEngines = [] }) => programEngines).find((each) => each.use === 'recognizer');
  if (found === undefined) throw new EngineRefusal('unknown_engine', 'this program has no recognizer of speech');
  return found;
}

const settingsFor = (
  { features }: EnginesCall,
  { program, model }: Pick<Installation, 'program' | 'model'>,
): SettingValues => programEngine(features).settingsOf({ program: program.path, model: model.path });

async function demandInstalled({ engines }: EnginesCall, name: string): Promise<Installation> {
  const found = await installationOf(engines, name);
  if (found !== null) return found;
  const known = [...(await installations(engines)), ...(await addedServers(engines))].map((each) => each.name);
  throw new EngineRefusal(
    'unknown_engine',
    `${name} is not installed; ${known.length === 0 ? 'no engine is' : `these are: ${known.join(', ')}`}`,
  );
}

const planLines = ({ name, published, program, fetched, model }: AddPlan): readonly string[] => [
  `${name}: recognizes speech with whisper-cli on this machine; nothing is sent`,
  ...(published === null
    ? [`model ${model}: a file of yours, which is not in the catalogue; its digest is recorded`]
    : [
        `${published.languages} languages, at most ${(published.memoryBytes / 1e9).toFixed(1)} GB of memory, license ${published.weights.license}`,
      ]),
  ...(program.kind === 'archive' ? [] : [`program ${program.path}`]),
  ...fetched.map(
    ({ url, file }) => `fetches ${file.isExactLength ? '' : 'at most '}${(file.bytes / 1e6).toFixed(1)} MB from ${url}`,
  ),
];

/** Shows what was fetched of all files of a plan, in percent; as documents for a program. */
function fetchProgress({ given, terminal }: EnginesCall, { name, fetched }: AddPlan) {
  const here = new Map<PublishedFile, number>();
  const total = fetched.reduce((sum, { file }) => sum + file.bytes, 0);
  let shown = -1;
  return (file: PublishedFile, bytes: number): void => {
    here.set(file, bytes);
    const done = [...here.values()].reduce((sum, each) => sum + each, 0);
    const percent = Math.floor((100 * done) / total);
    if (percent === shown) return;
    shown = percent;
    if (given.has('json')) {
      const progress: EngineProgress = { schema: 'studio.engine-progress.v1', name, step: 'fetching', done, total };
      terminal.progress(JSON.stringify(progress));
    } else {
      terminal.progress(`fetching ${name}: ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB, ${percent} %`);
    }
  };
}

/** The flags of a recognizer that runs on this machine. */
const forPrograms = ['from', 'program', 'origin'] as const;

/** Throws `StartError` `invalid_flags` for a flag that would have no effect. */
function demandNone(given: GivenFlags, flags: readonly string[], why: string): void {
  const found = flags.find((each) => given.has(each));
  if (found !== undefined) throw new StartError('invalid_flags', `--${found} ${why}`);
}

/** Fetches or copies an engine, tries it, writes its record, and has the settings name it. Rejects with `EngineRefusal`. */
export async function add(call: EnginesCall): Promise<void> {
  const { given, terminal, settings, engines, names, signal } = call;
  const [name = ''] = names;
  if (given.has('server')) {
    demandNone(given, forPrograms, 'and --server exclude each other: a server has its own program and files');
    return addServer(call);
  }
  const forServer = ['model', 'key-file'].find((each) => given.has(each));
  if (forServer !== undefined) throw new StartError('invalid_flags', `--${forServer} needs --server`);
  const use = given.single('as');
  if (use === 'translator' || (await programTranslator(call, name)) !== null) {
    demandNone(given, forPrograms, 'is for a recognizer, and a pair of Apertium takes nothing from it');
    return addTranslator(call, name, use !== 'installed');
  }
  if ((await addedServerOf(engines, name)) !== null)
    throw new EngineRefusal('name_taken', `${name} is a server that was added`);
  const { environment } = await settings.configured();
  const origin = given.single('origin') ?? mirrorOf(environment);
  const plan = await planOf(
    { name, from: given.single('from') ?? null, program: given.single('program') ?? null, origin },
    environment,
  );
  if ((await installationOf(engines, plan.name)) !== null) {
    throw new EngineRefusal('name_taken', `${plan.name} is installed`);
  }
  for (const line of planLines(plan)) terminal.remark(line);
  if (plan.fetched.length > 0 && !given.has('yes')) {
    const isAgreed = terminal.isInteractive && (await terminal.agreed('Fetch and install this?'));
    if (!isAgreed) throw new EngineRefusal('not_confirmed', 'nothing was fetched');
  }
  await demandSpace(engines, plan);
  const files = await broughtFiles(engines, plan, { origin, progress: fetchProgress(call, plan), signal }).catch(
    async (error: unknown) => {
      await removeEmpty(engines, plan);
      throw fullDisk(error) ?? error;
    },
  );
  const selfTest = await tried(call, settingsFor(call, files)).catch(async (error: unknown) => {
    // Weights of the catalogue may have taken an hour to come; their digest is right, so they stay for the next attempt.
    await removeEmpty(engines, plan);
    throw error;
  });
  const record: Installation = {
    schema: 'studio.engine-installation.v1',
    name: plan.name,
    use: 'recognizer',
    installedAt: new Date(systemClock.now()).toISOString(),
    isPublished: plan.published !== null,
    ...files,
    languages: plan.published?.languages ?? null,
    memoryBytes: plan.published?.memoryBytes ?? null,
    selfTest,
  };
  await keepInstallation(engines, record);
  const isForUse = given.single('as') !== 'installed';
  if (isForUse && !(await settings.change(settingsFor(call, record)))) {
    throw new EngineRefusal('settings_refused', `${plan.name} is installed, and the settings do not name it`);
  }
  terminal.result({ ...record, isInUse: isForUse }, [
    `${plan.name} is installed${isForUse ? ' and in use' : `; use it with engines use ${plan.name}`}`,
    ...selfTestLines(selfTest),
  ]);
}

/** A full disk as a refusal; null for another error. */
const fullDisk = (error: unknown): EngineRefusal | null =>
  systemRefusal(error) === 'storage_full'
    ? new EngineRefusal('disk_full', 'the disk of the data root is full; what was fetched so far stays', error)
    : null;

/** An unpacked archive takes about three times its bytes. */
const unpackedFactor = 4;

/** Throws `disk_full` before anything is fetched that the disk has no room for. */
async function demandSpace(engines: string, { fetched, program }: AddPlan): Promise<void> {
  const needed = fetched.reduce(
    (sum, { file }) => sum + (program.kind === 'archive' && file === program.archive ? unpackedFactor : 1) * file.bytes,
    0,
  );
  await makeFolder(engines);
  const { bavail, bsize } = await statfs(engines);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new EngineRefusal(
    'disk_full',
    `the engine needs ${(needed / 1e6).toFixed(1)} MB, and the disk of ${engines} has ${(free / 1e6).toFixed(1)} MB`,
  );
}

/** Removes what a refused installation copied; downloads stay. */
async function removeEmpty(engines: string, { name, fetched }: AddPlan): Promise<void> {
  if (fetched.length === 0) await removeInstallation(engines, name);
  await rmdir(join(engines, name)).catch(() => undefined);
}

async function test(call: EnginesCall): Promise<void> {
  const [name] = call.names;
  const server = name === undefined ? null : await addedServerOf(call.engines, name);
  if (server !== null) return retriedServer(call, server, false);
  if (name !== undefined && (await programTranslator(call, name)) !== null) return testTranslator(call, name);
  const changes = name === undefined ? {} : settingsFor(call, await demandInstalled(call, name));
  const result = await tried(call, changes);
  call.terminal.result({ schema: 'studio.engine-trial.v1', name: name ?? null, ...result }, selfTestLines(result));
}

/** Tries an installed engine, and has the settings name it. Rejects with `EngineRefusal`. */
export async function use(call: EnginesCall): Promise<void> {
  const [name = ''] = call.names;
  const server = await addedServerOf(call.engines, name);
  if (server !== null) return retriedServer(call, server, true);
  if ((await programTranslator(call, name)) !== null) return addTranslator(call, name, true);
  const record = await demandInstalled(call, name);
  const changes = settingsFor(call, record);
  const result = await tried(call, changes);
  if (!(await call.settings.change(changes))) throw new EngineRefusal('settings_refused', 'the settings are as before');
  call.terminal.result({ schema: 'studio.engine-in-use.v1', name: record.name, ...result }, [
    `${record.name} is in use`,
    ...selfTestLines(result),
  ]);
}

async function remove(call: EnginesCall): Promise<void> {
  const { settings, engines, terminal } = call;
  const [name = ''] = call.names;
  const server = await addedServerOf(engines, name);
  if (server !== null) return removeServer(call, server);
  const translator = await programTranslator(call, name);
  if (translator !== null) return removeTranslator(call, translator);
  if ((await installationOf(engines, name)) === null && (await removeUnfinished(engines, name))) {
    const document = { schema: 'studio.engine-removed.v1', name, wasInUse: false };
    terminal.result(document, [`${name} was not installed; what was fetched of it was removed`]);
    return;
  }
  const record = await demandInstalled(call, name);
  const { features } = await settings.configured();
  const wasInUse = isUsed(record, features);
  if (wasInUse && !(await settings.change({}, Object.keys(settingsFor(call, record))))) {
    throw new EngineRefusal('settings_refused', `${record.name} is in use, and was not removed`);
  }
  await removeInstallation(engines, record.name);
  terminal.result({ schema: 'studio.engine-removed.v1', name: record.name, wasInUse }, [
    `${record.name} was removed${wasInUse ? '; the settings name no recognizer now' : ''}`,
  ]);
}

/** A change of installations, one at a time on a data root. */
const alone =
  (run: (call: EnginesCall) => Promise<void>) =>
  (call: EnginesCall): Promise<void> =>
    changingInstallations(call.engines, () => run(call));

const runs = { list, find, add: alone(add), test, use: alone(use), remove: alone(remove) };

/** The numbers of names that each verb takes. */
const nameCounts = { list: [0, 0], find: [0, 0], add: [1, 1], test: [0, 1], use: [1, 1], remove: [1, 1] } as const;

/** `media-study engines`. Sets the exit code of the process. */
export async function runEngines(
  args: readonly string[],
  features: readonly Feature[],
  partsOf: (given: GivenFlags) => CommandParts,
): Promise<void> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new Error('interrupted'));
  process.once('SIGINT', interrupt);
  if (process.connected) {
    // The host that started this command has ended.
    process.once('disconnect', interrupt);
    process.channel?.unref();
  }
  let failed = (_: Omit<EngineWorkFailure, 'schema'>): void => undefined;
  let remark = (line: string): void => void process.stderr.write(`${line}\n`);
  let typed = (words: string): string => `media-study ${words}`;
  try {
    const given = parseFlags(args, enginesWords().flags, 2);
    const parts = partsOf(given);
    ({ remark, typed } = parts.terminal);
    if (given.has('json'))
      failed = (failure) => parts.terminal.result({ schema: 'studio.engine-failure.v1', ...failure }, []);
    const [word = 'list', ...names] = given.positional;
    const verb = verbs.find((each) => each === word);
    if (verb === undefined) throw new StartError('invalid_flags', `${word}: one of ${verbs.join(', ')}`);
    const [least, most] = nameCounts[verb];
    if (names.length < least) throw new StartError('invalid_flags', `engines ${verb} needs NAME`);
    if (verb !== 'add') demandNone(given, [...forPrograms, 'server', 'model', 'key-file', 'as'], 'is for engines add');
    if (names.length > most) throw new StartError('invalid_flags', `engines ${verb} takes no ${names.at(-1)}`);
    const { engines } = dataRootAt(parts.settings.dataRoot);
    await cleanUnfinished(engines);
    await runs[verb]({ ...parts, given, names, features, engines, signal: stop.signal });
  } catch (error) {
    if (stop.signal.aborted) {
      remark('interrupted; what was fetched stays: the same command continues where it stopped');
      process.exitCode = exitCodes.interrupted;
    } else if (error instanceof EngineRefusal) {
      const remedy = remedyOf(error, typed);
      remark(`${error.message}; ${remedy}`);
      failed({ code: error.code, message: error.detail, remedy });
      process.exitCode = exitCodes.failed;
    } else {
      remark(failureLine(error));
      failed({ code: error instanceof StartError ? error.code : 'failed', message: failureLine(error), remedy: null });
      process.exitCode = error instanceof StartError ? error.exitCode : exitCodes.failed;
    }
  }
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { openRecognizer } from '../../executors/recognition/open-recognizer.ts';
import { dataRootAt } from '../../storage/objects/data-root.ts';
import { StartError } from '../failures.ts';
import { readHostFile } from '../host-files.ts';
import { defaultDataRoot } from '../options/data-root.ts';
import { explainerOf, recognizerOf, translatorOf } from '../options/engines.ts';
import { type GivenFlags, parseFlags, pathOption } from '../options/flags.ts';
import { environmentOf, optionsOf, serveFlags } from '../options/serve-options.ts';
import { programAsTyped, WrongCall } from '../terminal/call.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal/terminal.ts';
import {
  readSettings,
  type SettingChanges,
  type Settings,
  type SettingValue,
  settingFlags,
  settingOf,
  withSettings,
  writeSettings,
} from './settings-file.ts';

/** How long a model server may take to say that it is there. */
const serverMs = 5_000;

const verbs = ['show', 'set', 'unset'] as const;
type Verb = (typeof verbs)[number];

/** `name=value` words, by name; an option that may be repeated takes all of its values. */
function changesOf(verb: Verb, words: readonly string[]): SettingChanges {
  if (words.length === 0) throw new WrongCall(verb === 'set' ? 'NAME=VALUE is missing' : 'NAME is missing');
  if (verb === 'unset') {
    const unknown = words.find((name) => !Object.hasOwn(settingFlags, name));
    if (unknown !== undefined) settingOf(unknown, []);
    return new Map(words.map((name) => [name, undefined]));
  }
  const values = new Map<string, string[]>();
  for (const word of words) {
    const equals = word.indexOf('=');
    if (equals < 1) throw new WrongCall(`${word}: give NAME=VALUE, such as caption-executor=grouped-subtitles`);
    const name = word.slice(0, equals);
    values.set(name, [...(values.get(name) ?? []), word.slice(equals + 1)]);
  }
  return new Map([...values].map(([name, given]) => [name, settingOf(name, given)]));
}

function changed(settings: Settings, changes: SettingChanges): Settings {
  const after = new Map(settings);
  for (const [name, value] of changes) {
    if (value === undefined) after.delete(name);
    else after.set(name, value);
  }
  return after;
}

/** Throws `StartError` if no model server answers. */
async function demandServer({ baseUrl, apiKey }: HostedProvider): Promise<void> {
  const headers = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` };
  try {
    await fetch(`${baseUrl}/models`, { headers, signal: AbortSignal.timeout(serverMs) });
  } catch {
    throw new StartError(
      'invalid_settings',
      `no model server answers at ${baseUrl}; start it, or correct model-server`,
    );
  }
}

/** Tries what a host with these settings would need. Throws what the start of that host would be refused with. */
async function demandWorking(settings: Settings): Promise<void> {
  const options = optionsOf(withSettings(parseFlags([], serveFlags), settings));
  const environment = environmentOf(options, process.env);
  const recognizer = recognizerOf(options.recognizer, environment);
  const servers = [
    translatorOf(options.captionExecutor, environment)?.provider,
    explainerOf(options.explainerModel, environment)?.provider,
    recognizer?.engine === 'openai' ? recognizer.provider : undefined,
  ].filter((provider) => provider !== undefined);
  for (const provider of servers) await demandServer(provider);
  if (recognizer === null || recognizer.engine === 'openai') return;
  const workRoot = await mkdtemp(join(tmpdir(), 'media-study-settings-'));
  try {
    const launcher = await openLauncher({ workRoot, newId: randomUUID });
    await openRecognizer(launcher, recognizer, { environment, clock: systemClock }).finally(() => launcher.close());
  } finally {
    await rm(workRoot, { recursive: true, force: true });
  }
}

const lineOf = ([name, value]: [string, SettingValue]): string =>
  `${name}: ${typeof value === 'object' ? value.join(', ') : value}`;

function show(terminal: Terminal, path: string, settings: Settings | null): void {
  const lines =
    settings === null || settings.size === 0
      ? [`${path} sets nothing: every option has its default, see ${programAsTyped()} serve --help`]
      : [`settings in ${path}:`, ...[...settings].map(lineOf)];
  terminal.result({ path, settings: Object.fromEntries(settings ?? []) }, lines);
}

/** `media-study settings`: shows and changes the settings of a data root. Throws `WrongCall` and `StartError`. */
export async function settingsCommand(given: GivenFlags, terminal: Terminal): Promise<ExitCode> {
  const dataRoot = pathOption(given, 'data-root') ?? defaultDataRoot();
  const path = pathOption(given, 'settings') ?? dataRootAt(dataRoot).settings;
  const [word = 'show', ...words] = given.positional;
  const verb = verbs.find((each) => each === word);
  if (verb === undefined) throw new WrongCall(`${word}: one of ${verbs.join(', ')}`);
  const settings = await readSettings(path);
  if (verb === 'show') {
    show(terminal, path, settings);
    return exitCodes.done;
  }
  const changes = changesOf(verb, words);
  const after = changed(settings ?? new Map(), changes);
  await demandWorking(after);
  await writeSettings(path, changes);
  show(terminal, path, after);
  if ((await readHostFile(dataRoot)) !== null)
    terminal.remark('a host runs on this data root: restart it for the change');
  return exitCodes.done;
}

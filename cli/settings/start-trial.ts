import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadNamedFolder } from '../../actors/sources/source-folder.ts';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import { messageOf } from '../../contract/base/errors.ts';
import type { HostSetting } from '../../contract/settings.ts';
import type { HostedProvider } from '../../executors/model-server/hosted-provider.ts';
import { openLauncher, type SandboxedLauncher } from '../../executors/process/launcher.ts';
import { demandRunning, openRecognizer } from '../../executors/recognition/open-recognizer.ts';
import type { ConfiguredFeature, UsedServer } from '../../features/feature.ts';
import { withinMs } from '../../formats/followed-signal.ts';
import { httpFetch } from '../../formats/http-fetch.ts';
import { type ChosenListener, chooseListener } from '../../http/listener/choose-listener.ts';
import { StartError } from '../../options/failures.ts';
import type { GivenFlags } from '../../options/flags.ts';
import { kindOf } from '../../storage/objects/durable-file.ts';
import { storedToken } from '../host-files.ts';
import { engineChoicesOf, environmentOf, featuresOf, optionsOf, type ServeOptions } from '../options/serve-options.ts';
import { demandObjectSource } from '../options/worker-options.ts';
import { serverMs } from './engine-search.ts';

const recognizing = {
  use: 'recognizer',
  room: 'recognition',
  sent: 'the sound of speech',
  change: 'at_once',
} as const;
const translating = { use: 'translator', room: 'captions', sent: 'the text of captions', change: 'at_once' } as const;

/** The servers that a host with these options sends text or sound to. Throws `StartError`. */
export function serversOf(given: GivenFlags, outer: NodeJS.ProcessEnv): readonly UsedServer[] {
  const { recognizer, translator } = engineChoicesOf(optionsOf(given), outer);
  return [
    ...(recognizer?.engine === 'openai' ? [{ ...recognizer, ...recognizing }] : []),
    ...(translator ? [{ ...translator, ...translating }] : []),
    ...featuresOf(given, outer).flatMap(({ servers }) => servers ?? []),
  ];
}

const keyRemedy = 'name the server by OPENAI_BASE_URL of the environment, and its key by OPENAI_API_KEY';

/** The fault of a model server, and what to do about it. */
interface ServerFault {
  readonly detail: string;
  readonly remedy: string;
}

/**
 * The fault of a model server; null for one that answers, also with a redirect, which no request of a host follows. Of the refusals
 * only 401 is a fault: a key may well have no permission to list models, and some servers have no list.
 */
export async function serverFault({ baseUrl, apiKey }: HostedProvider): Promise<ServerFault | null> {
  const headers = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` };
  try {
    const { status, body } = await withinMs(serverMs, (signal) =>
      httpFetch(`${baseUrl}/models`, { headers, signals: [signal], redirect: 'manual' }),
    );
    await body?.cancel();
    if (status !== 401) return null;
    return apiKey === null
      ? { detail: `the model server at ${baseUrl} needs a key`, remedy: keyRemedy }
      : {
          detail: `the model server at ${baseUrl} refuses its key`,
          remedy: 'correct OPENAI_API_KEY in the environment',
        };
  } catch {
    return { detail: `no model server answers at ${baseUrl}`, remedy: 'start it, or correct model-server' };
  }
}

/** Throws `StartError` if no model server answers, or if it refuses the key. */
export async function demandServer(provider: HostedProvider): Promise<void> {
  const fault = await serverFault(provider);
  if (fault !== null) throw new StartError('invalid_settings', `${fault.detail}; ${fault.remedy}`);
}

/** The adapter that a host takes. Throws `StartError` `http_adapter_unavailable`. */
export async function chosenListener(preference: ServeOptions['httpAdapter']): Promise<ChosenListener> {
  try {
    return await chooseListener(preference);
  } catch (error) {
    throw new StartError('http_adapter_unavailable', messageOf(error));
  }
}

/**
 * Tries what a host with these options needs of this machine, beside its data root and its port: files, folders and engines. A start
 * opens no recognizer, so this is where one is found out that does not run. Media of source folders is looked for, and not read.
 * `isTried` is false for settings that are left out. Throws what the start, or the first use, would be refused with.
 */
export async function demandStart(
  options: ServeOptions,
  features: readonly ConfiguredFeature[],
  outer: NodeJS.ProcessEnv,
  isTried: (room: HostSetting['room']) => boolean = () => true,
): Promise<void> {
  const { workQueue, tokenFile, httpAdapter, sourceDirectories, sourceRoot } = options;
  if (workQueue !== null && isTried('workers')) await demandObjectSource(workQueue);
  if (isTried('network')) {
    if (tokenFile !== null) await storedToken(tokenFile);
    await chosenListener(httpAdapter);
  }
  if (isTried('sources')) {
    for (const directory of sourceDirectories) {
      const verifyFile = async (path: string) => ((await kindOf(path)) === 'file' ? 'intact' : 'missing');
      await loadNamedFolder({ directory, root: sourceRoot }, verifyFile);
    }
  }
  const environment = environmentOf(options, outer);
  const speech = isTried('recognition') ? engineChoicesOf(options, outer).recognizer : null;
  await withLauncher(async (launcher) => {
    if (speech !== null && speech.engine !== 'openai')
      await demandRunning(await openRecognizer(await launcher(), speech, { environment, clock: systemClock }));
    for (const { demand } of features) await demand?.({ environment, isTried, launcher });
  });
}

/** Runs a trial with a launcher of processes, which it opens if the trial asks for it, and closes. */
async function withLauncher(run: (launcher: () => Promise<SandboxedLauncher>) => Promise<void>): Promise<void> {
  let opening: Promise<{ readonly workRoot: string; readonly launcher: SandboxedLauncher }> | null = null;
  const open = async () => {
    const workRoot = await mkdtemp(join(tmpdir(), 'media-study-settings-'));
    return { workRoot, launcher: await openLauncher({ workRoot, newId: randomUUID }) };
  };
  try {
    await run(async () => {
      opening ??= open();
      return (await opening).launcher;
    });
  } finally {
    const opened = await (opening as ReturnType<typeof open> | null);
    await opened?.launcher.close();
    if (opened !== null) await rm(opened.workRoot, { recursive: true, force: true });
  }
}

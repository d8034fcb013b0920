import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadNamedFolder } from '../../actors/sources/source-folder.ts';
import { messageOf } from '../../contract/base/errors.ts';
import type { HostSetting } from '../../contract/settings.ts';
import { serverFault } from '../../executors/model-server/found-servers.ts';
import type { HostedProvider } from '../../executors/model-server/hosted-provider.ts';
import { openLauncher, type SandboxedLauncher } from '../../executors/process/launcher.ts';
import type { ConfiguredFeature, UsedServer } from '../../features/feature.ts';
import { type ChosenListener, chooseListener } from '../../http/listener/choose-listener.ts';
import { StartError } from '../../options/failures.ts';
import { kindOf } from '../../storage/objects/durable-file.ts';
import { storedToken } from '../host-files.ts';
import { environmentOf, type ServeOptions } from '../options/serve-options.ts';

/** The servers that features send text or sound to. */
export const serversOf = (features: readonly Pick<ConfiguredFeature, 'servers'>[]): readonly UsedServer[] =>
  features.flatMap(({ servers }) => servers ?? []);

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
  const { tokenFile, httpAdapter, sourceDirectories, sourceRoot } = options;
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
  await withLauncher(async (launcher) => {
    for (const { demand } of features) await demand?.({ environment, isTried, launcher });
  });
}

/** Runs a trial with a launcher of processes, which it opens if the trial asks for it, and closes. */
export async function withLauncher<Result>(
  run: (launcher: () => Promise<SandboxedLauncher>) => Promise<Result>,
): Promise<Result> {
  let opening: Promise<{ readonly workRoot: string; readonly launcher: SandboxedLauncher }> | null = null;
  const open = async () => {
    const workRoot = await mkdtemp(join(tmpdir(), 'media-study-settings-'));
    return { workRoot, launcher: await openLauncher({ workRoot, newId: randomUUID }) };
  };
  try {
    return await run(async () => {
      opening ??= open();
      return (await opening).launcher;
    });
  } finally {
    // One that could not be opened has nothing to close, and its refusal is the caller's.
    const opened = await (opening as ReturnType<typeof open> | null)?.catch(() => null);
    await opened?.launcher.close();
    if (opened != null) await rm(opened.workRoot, { recursive: true, force: true });
  }
}

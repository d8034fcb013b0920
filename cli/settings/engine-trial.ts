import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../actors/supervision/system-clock.ts';
import type { HostedProvider } from '../../executors/explanations/hosted-provider.ts';
import { openLauncher } from '../../executors/process/launcher.ts';
import { openRecognizer } from '../../executors/recognition/open-recognizer.ts';
import { StartError } from '../failures.ts';
import { explainerOf, recognizerOf, translatorOf } from '../options/engines.ts';
import { environmentOf, type ServeOptions } from '../options/serve-options.ts';

/** How long a model server may take to say that it is there. */
const serverMs = 5_000;

/** A server that a host sends something to. */
export interface UsedServer {
  readonly use: 'recognizer' | 'translator' | 'explainer';
  readonly model: string;
  readonly provider: HostedProvider;
}

/** The servers that a host with these options sends text or sound to. Throws `StartError`. */
export function serversOf(options: ServeOptions, outer: NodeJS.ProcessEnv): readonly UsedServer[] {
  const environment = environmentOf(options, outer);
  const recognizer = recognizerOf(options.recognizer, environment);
  const translator = translatorOf(options.captionExecutor, environment);
  const explainer = explainerOf(options.explainerModel, environment);
  return [
    ...(recognizer?.engine === 'openai' ? [{ use: 'recognizer', ...recognizer } as const] : []),
    ...(translator ? [{ use: 'translator', ...translator } as const] : []),
    ...(explainer ? [{ use: 'explainer', ...explainer } as const] : []),
  ];
}

/** Throws `StartError` if no model server answers. */
export async function demandServer({ baseUrl, apiKey }: HostedProvider): Promise<void> {
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

/** Tries the recognizer of this machine that the options choose, if they choose one. Throws what a start would be refused with. */
export async function demandRecognizer(options: ServeOptions, outer: NodeJS.ProcessEnv): Promise<void> {
  const environment = environmentOf(options, outer);
  const recognizer = recognizerOf(options.recognizer, environment);
  if (recognizer === null || recognizer.engine === 'openai') return;
  const workRoot = await mkdtemp(join(tmpdir(), 'media-study-settings-'));
  try {
    const launcher = await openLauncher({ workRoot, newId: randomUUID });
    await openRecognizer(launcher, recognizer, { environment, clock: systemClock }).finally(() => launcher.close());
  } finally {
    await rm(workRoot, { recursive: true, force: true });
  }
}

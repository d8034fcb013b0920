import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import { CheckedWire } from '../../host/checked-wire.ts';
import { knownLives, livedRoot } from '../../host/lives.ts';
import type { Question, WireAnswer } from '../../host/wire-question.ts';
import { captionFlags, captionsOfLife } from '../../http/captions/steps.ts';
import { RunningHost } from '../../http/running-host.ts';
import { WireClient } from '../../http/wire-client.ts';
import { apiKey, explainable, explained, explainerFlags, model, questionOf } from './steps.ts';

/** The program, asked over a socket. */
class ProgramWire extends CheckedWire {
  readonly #client: WireClient;

  constructor(client: WireClient) {
    super();
    this.#client = client;
  }

  protected override send(method: string, path: string, question: Question): Promise<WireAnswer> {
    return this.#client.ask(method, path, question);
  }
}

/** Starts the program on the life with captions, asks it something, and gives its lines. */
async function linesOf(
  t: ExecutionContext,
  dataRoot: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>>,
  ask: (host: CheckedWire) => Promise<unknown>,
): Promise<RunningHost> {
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', dataRoot, ...flags], environment });
  t.teardown(() => host.kill());
  const { listening, authorizationToken } = await host.announced();
  const client = new WireClient(Number(new URL(String(listening)).port), String(authorizationToken));
  await ask(new ProgramWire(client));
  client.close();
  await host.stop();
  return host;
}

test('the key is in no file and on no line of the host', async (t) => {
  const provider = await StubProvider.start();
  t.teardown(() => provider.close());
  const environment = { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: provider.baseUrl };
  const dataRoot = livedRoot(t, 'captioned');
  const { stdout, stderr } = await linesOf(t, dataRoot, explainerFlags, environment, async (host) => {
    const study = await explainable(t, host, await captionsOfLife(t, host, knownLives()));
    await explained(t, host, study.runtimeId, questionOf(study));
  });
  t.is(provider.asked.length, 1);
  t.true(provider.asked.every(({ headers }) => headers.authorization === `Bearer ${apiKey}`));
  t.false(`${stdout}${stderr}`.includes(apiKey));
  for (const entry of await readdir(dataRoot, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    t.false((await readFile(join(entry.parentPath, entry.name))).includes(apiKey), entry.name);
  }
  t.is(JSON.parse(stdout).languageExplanationExecutor, `current-run-openai-opt-in:${model}`);
  t.regex(stderr, new RegExp(`^language explanations: asked of ${model} at ${provider.baseUrl}, `, 'm'));
});

test('a host without an explainer reports this, and nothing about explanations', async (t) => {
  const dataRoot = livedRoot(t, 'captioned');
  const { stdout, stderr } = await linesOf(t, dataRoot, captionFlags.embedded, {}, async () => undefined);
  t.is(JSON.parse(stdout).languageExplanationExecutor, 'unavailable-no-fixture-fallback');
  t.false(stderr.includes('language explanations'));
});

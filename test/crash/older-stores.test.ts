import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import type { Clock } from '../../contract/base/clock.ts';
import type { Release } from '../../fixtures/golden-store/release.ts';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { openVideoHost, type VideoHost } from '../../fixtures/video-host/server.ts';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';
import { type HostInProcess, openInProcess, withDownloader } from '../host/host-in-process.ts';
import { patienceMs } from '../patience.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { isSoak } from './copied-lives.ts';
import { LaterClient } from './later-client.ts';
import { clockAfter, describedReleases, isOfLife, releases, tellingStores, unpacked } from './stored-releases.ts';

// Every release leaves one data root for each state in which an actor of it can rest or be cut (scripts/cut-stores.ts). A soak
// opens all of them, a run of the tests those that no other stands for.

const sample = fileURLToPath(new URL('../../fixtures/sample/source/media/sample.mp4', import.meta.url));
/** Stands in the addresses that the stores hold. */
const videoPort = 41_897;

const flags = [
  ...['--videohost-origin', `http://127.0.0.1:${videoPort}`, '--allow-loopback-videohost'],
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

const productions = z.looseObject({
  captions: z.array(
    z.looseObject({
      jobId: z.string(),
      captionArtifactId: z.string(),
      captionContentId: z.string(),
      receiptId: z.string(),
      receiptContentId: z.string(),
    }),
  ),
});
type Stored = Release['stores'][string];

/** A video host at the port that the stores name. Whatever else has it on this machine, as another run of the tests, may have it for minutes. */
async function openVideos(): Promise<VideoHost> {
  for (const end = Date.now() + 10 * patienceMs; ; await delay(500)) {
    try {
      return await openVideoHost({ media: sample, statedSeconds: 50, port: videoPort });
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || Date.now() > end) throw error;
    }
  }
}

let videos: VideoHost | undefined;
let model: StubProvider | undefined;
test.before(async () => {
  videos = await openVideos();
  model = await StubProvider.start();
  process.env.OPENAI_BASE_URL = model.baseUrl;
});
test.after.always(async () => {
  await videos?.close();
  await model?.close();
});

async function ask(host: HostInProcess, method: string, path: string, body?: object | Uint8Array) {
  if (host.announced === null) throw new Error(host.told().join('\n'));
  const isBytes = body instanceof Uint8Array;
  const answer = await fetch(`${host.announced.listening}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${host.announced.authorizationToken}`,
      'Content-Type': isBytes ? 'application/octet-stream' : 'application/json',
    },
    body: body === undefined ? null : isBytes ? new Uint8Array(body) : JSON.stringify(body),
    signal: AbortSignal.timeout(patienceMs),
  });
  return z.looseObject({}).parse(await answer.json());
}

/** Asks until an answer has one of these words at a key, and expects the first of them. */
async function reaches(
  t: ExecutionContext,
  host: HostInProcess,
  path: string,
  key: string,
  [wanted = '', ...others]: readonly string[],
): Promise<void> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await delay(50)) {
    const answer = await ask(host, 'GET', path);
    const found = String(answer[key]);
    if (found !== wanted && !others.includes(found)) continue;
    t.is(found, wanted, JSON.stringify(answer));
    return;
  }
  t.fail(`${path} never said ${wanted}`);
}

/** What an owner of the data root does next, by the kind of the actor that was cut: all of it must come to its good end. */
const lives: Readonly<Record<string, (t: ExecutionContext, host: HostInProcess, stored: Stored) => Promise<void>>> = {
  'owned-ingest': async (t, host, { id }) => {
    const path = `/v1/owned-media-ingests/${id}`;
    // Only an ingest that still waits for its media takes it.
    await ask(host, 'PUT', `${path}/media`, readFileSync(join(releases, 'clip.mp4')));
    await reaches(t, host, path, 'status', ['registered', 'failed']);
  },
  'videohost-ingest': (t, host, { id }) =>
    reaches(t, host, `/v1/videohost-local-ingests/${id}`, 'status', ['registered', 'failed']),
  runtime: async (t, host, { id }) => {
    await reaches(t, host, `/v1/runtimes/${id}`, 'lifecycle', ['terminal', 'failed', 'interrupted']);
    await new LaterClient(host).finish(id);
  },
  'publish-review': (_, host, { runtimeId = '' }) => new LaterClient(host).finish(runtimeId),
  'caption-production': async (_, host, { runtimeId = '' }) => {
    const path = `/v1/runtimes/${runtimeId}`;
    const { captions } = productions.parse(await ask(host, 'GET', `${path}/caption-productions`));
    // Captions whose check was put off are checked when somebody asks; any others refuse that.
    for (const { jobId, captionArtifactId, captionContentId, receiptId, receiptContentId } of captions) {
      const candidate = {
        ...{ jobId, captionArtifactId, captionContentId },
        ...{ captionReceiptId: receiptId, captionReceiptContentId: receiptContentId },
      };
      await ask(host, 'POST', `${path}/caption-quality-controls`, { candidate });
    }
    await new LaterClient(host).finish(runtimeId);
  },
  'language-explanation': async (_, host, { runtimeId = '' }) => {
    await new LaterClient(host).explain(runtimeId);
    await new LaterClient(host).finish(runtimeId);
  },
};

/** A list has what was begun by a release that had no lists. */
async function isListed(t: ExecutionContext, host: HostInProcess, { id, runtimeId = id }: Stored): Promise<void> {
  const path = {
    'owned-ingest': '/v1/owned-media-ingests',
    'videohost-ingest': '/v1/videohost-local-ingests',
    runtime: '/v1/runtimes',
  }[runtimeId.slice(0, runtimeId.indexOf(':'))];
  if (path === undefined) return t.fail(`${runtimeId} is of no list`);
  t.true(JSON.stringify(await ask(host, 'GET', path)).includes(runtimeId), path);
}

/** An attempt that must not be made twice is closed, and its approval is free for another. */
const neverTwice = 'what was under way is not taken up again';

async function opens(
  t: ExecutionContext,
  root: string,
  { clock, state, stored }: { readonly clock: Clock; readonly state: string; readonly stored: Stored },
): Promise<void> {
  const environment = state.startsWith('videohost') ? withDownloader : {};
  const host = await openInProcess(t, root, { clock, flags, environment });
  await isListed(t, host, stored);
  await lives[state.slice(0, state.indexOf('.'))]?.(t, host, stored);
  t.is(await host.stop(), 0, host.told().join('\n'));
  t.deepEqual(
    host.told().filter((line) => /damaged|ended at recovery/.test(line) && !line.endsWith(neverTwice)),
    [],
  );
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
}

/** Two hosts at a time: that is what the tests of one file may ask of a small machine. */
const lanes = new KeyedMutex();

const telling = tellingStores();
const isOpened = (release: string, state: string): boolean => isSoak || telling.get(release)?.has(state) === true;

test('of all states that releases left, each is opened in every version of its chart', (t) => {
  const opened = [...telling.values()].reduce((sum, { size }) => sum + size, 0);
  t.true(opened >= 50, `${opened}`);
  for (const [name, { stores }] of describedReleases) {
    for (const state of Object.keys(stores))
      t.true(
        [...telling.values()].some((chosen) => chosen.has(state)),
        `${name} ${state}`,
      );
  }
});

for (const [name, known] of describedReleases) {
  const folder = unpacked(name);
  test.after.always(() => rm(folder, { recursive: true, force: true }));
  const clock = clockAfter(known);
  const stores = Object.entries(known.stores).filter(([state]) => !isOfLife(state) && isOpened(name, state));
  for (const [index, [state, stored]] of stores.entries()) {
    test(`a data root of ${name} with an actor in ${state} opens, and all in it ends well`, (t) => {
      return lanes.take(`${index % 2}`, () => opens(t, join(folder, state), { clock, state, stored }));
    });
  }
}

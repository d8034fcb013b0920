import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { StubProvider } from '../../fixtures/hosted-model/stub-provider.ts';
import { openVideoHost, type VideoHost } from '../../fixtures/video-host/server.ts';
import { KeyedMutex } from '../../storage/keyed-mutex.ts';
import { checkDataRoot, checkRuntimes } from './checks.ts';
import { type HostProcess, startHost } from './host-process.ts';
import { LaterClient } from './later-client.ts';

// Every release leaves one data root for each state in which an actor of it can rest or be cut (scripts/cut-stores.ts).

const releases = fileURLToPath(new URL('../../fixtures/golden-store/releases', import.meta.url));
const sample = fileURLToPath(new URL('../../fixtures/sample/source/media/sample.mp4', import.meta.url));
const patienceMs = 60_000;
/** Stands in the addresses that the stores hold. */
const videoPort = 41_897;

const flags = [
  ...['--videohost-origin', `http://127.0.0.1:${videoPort}`, '--allow-loopback-videohost'],
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

const stores = z.record(z.string(), z.object({ id: z.string(), runtimeId: z.string().optional() }));
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
type Stored = z.infer<typeof stores>[string];

let videos: VideoHost | undefined;
let model: StubProvider | undefined;
test.before(async () => {
  videos = await openVideoHost({ media: sample, statedSeconds: 50, port: videoPort });
  model = await StubProvider.start();
  process.env.OPENAI_BASE_URL = model.baseUrl;
});
test.after.always(async () => {
  await videos?.close();
  await model?.close();
});

async function ask(host: HostProcess, method: string, path: string, body?: object | Uint8Array) {
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
  host: HostProcess,
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
const lives: Readonly<Record<string, (t: ExecutionContext, host: HostProcess, stored: Stored) => Promise<void>>> = {
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

/** An attempt that must not be made twice is closed, and its approval is free for another. */
const neverTwice = 'what was under way is not taken up again';

async function opens(t: ExecutionContext, release: string, state: string, stored: Stored): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'older-store-')));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const data = join(root, 'data');
  await mkdir(data, { mode: 0o700 });
  await promisify(execFile)('tar', ['-xzf', join(releases, release, `${state}.tar.gz`)], { cwd: data });
  const host = await startHost(t, data, undefined, flags);
  await lives[state.slice(0, state.indexOf('.'))]?.(t, host, stored);
  t.is(await host.stop(), 0, host.told().join('\n'));
  t.deepEqual(
    host.told().filter((line) => /damaged|ended at recovery/.test(line) && !line.endsWith(neverTwice)),
    [],
  );
  await checkDataRoot(t, data);
  await checkRuntimes(t, data);
}

/** Two hosts at a time: that is what the tests of one file may ask of a small machine. */
const lanes = new KeyedMutex();

for (const release of readdirSync(releases, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
  const known = stores.parse(JSON.parse(readFileSync(join(releases, release.name, 'stores.json'), 'utf8')));
  for (const [index, [state, stored]] of Object.entries(known).entries()) {
    test(`a data root of ${release.name} with an actor in ${state} opens, and all in it ends well`, (t) => {
      t.timeout(300_000, 'it waits for its lane');
      return lanes.take(`${index % 2}`, () => opens(t, release.name, state, stored));
    });
  }
}

// Writes one data root for every state in which an actor of this build can rest or be killed. They come from real hosts,
// killed at each commit. `node --import tsx lab/cut-stores.ts OUTDIR`; takes some minutes. Each release adds its own folder.
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { type ActorRow, actorRow } from '../actors/supervision/actor-row.ts';
import { StudyHost } from '../client/study-host.ts';
import { packStores } from '../fixtures/golden-store/archive.ts';
import type { Release } from '../fixtures/golden-store/release.ts';
import { StubProvider } from '../fixtures/hosted-model/stub-provider.ts';
import { openVideoHost } from '../fixtures/video-host/server.ts';
import { build } from '../scripts/build.mjs';
import { openStore } from '../test/actors/reopening/stored-studies.ts';
import { type HostProcess, startHost } from '../test/crash/host-process.ts';
import { LaterClient } from '../test/crash/later-client.ts';
import { askRange, rangeReached } from '../test/crash/range-client.ts';
import { cutLife, cutRecognized, hasWindows, isErasing } from './stores/cut-life.ts';
import { describeRelease } from './stores/describe-release.ts';

/** The port of the small video host. The stores contain its addresses, so a test that opens one needs the same port. */
const videoPort = 41_897;

const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: node --import tsx lab/cut-stores.ts OUTDIR');

const sample = fileURLToPath(new URL('../fixtures/sample/source/media/sample.mp4', import.meta.url));
const scratch = await realpath(await mkdtemp(path.join(tmpdir(), 'cut-stores-')));
const endings: (() => unknown)[] = [];
const t = { teardown: (end: () => unknown) => void endings.push(end) } as unknown as ExecutionContext;

const flags = [
  ...['--videohost-origin', `http://127.0.0.1:${videoPort}`, '--allow-loopback-videohost'],
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];
const start = (root: string, crashAt?: string): Promise<HostProcess> => startHost(t, root, crashAt, flags);

let roots = 0;
async function copyOf(root: string | null): Promise<string> {
  roots += 1;
  const copy = path.join(scratch, `root-${roots}`);
  if (root === null) await mkdir(copy, { mode: 0o700 });
  else await cp(root, copy, { recursive: true });
  return copy;
}

const words = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const [[name, inner] = ['', '']] = Object.entries(value as object);
  return name === 'detect' ? name : `${name}.${words(inner)}`;
};

/** Every actor of a data root that is not being used, and its state. */
async function actorsIn(root: string): Promise<{ id: string; state: string; row: ActorRow }[]> {
  const store = await openStore(await copyOf(root));
  try {
    const rows = await store.ledger.list('snapshot');
    return rows.map(({ key, value }) => {
      const row = actorRow.parse(value);
      return { id: key, row, state: `${row.kind}.${words((row.snapshot as { value: unknown }).value)}` };
    });
  } finally {
    await store.close();
  }
}

type Stored = Release['stores'][string];
/** Facts that a test needs about a store, beside its actor. */
type Known = Omit<Stored, 'id'>;

const kept: Record<string, Stored> = {};
const keptAt = path.join(scratch, 'kept');

/** Keeps a data root for the first actor of this kind that is found in its state, with what a test must know of it. */
async function keep(root: string, kind: string, known: Known): Promise<string | null> {
  const found = (await actorsIn(root)).filter(({ row }) => row.kind === kind).at(-1);
  if (found === undefined) return null;
  const { state, id } = found;
  await keepAs(state, root, { id, ...known });
  return state;
}

/** Keeps a data root under this name, unless there is one already. */
async function keepAs(name: string, root: string, stored: Stored): Promise<void> {
  if (kept[name] !== undefined) return;
  kept[name] = stored;
  // The next host makes these again, and the log of LevelDB does not belong to the format.
  const without = new Set([
    ...['inbox', 'work', 'quarantine', 'ledger.tables'],
    ...['ledger/LOCK', 'ledger/LOG', 'ledger/LOG.old'],
  ]);
  const filter = (file: string) => !without.has(path.relative(root, file));
  await cp(root, path.join(keptAt, name), { recursive: true, filter });
  process.stderr.write(`kept ${name}\n`);
}

const commits = (host: HostProcess): number[] =>
  host.points().flatMap((line, index) => (line.endsWith(': commit:after') ? [index + 1] : []));

/** Walks once in peace, then once for each commit with a kill right after it. */
async function sweep(base: string, kind: string, walk: (host: HostProcess) => Promise<Known>): Promise<Known> {
  const peaceful = await start(await copyOf(base), `+${Number.MAX_SAFE_INTEGER}`);
  await peaceful.count();
  const known = await walk(peaceful);
  await peaceful.stop();
  for (const at of commits(peaceful)) {
    const root = await copyOf(base);
    const host = await start(root, `+${at}`);
    await host.count();
    await walk(host).catch(() => undefined);
    await host.kill();
    await keep(root, kind, known);
  }
  return known;
}

interface Answer {
  readonly status: number;
  readonly body: { readonly [key: string]: unknown };
}

async function ask(host: HostProcess, method: string, where: string, body?: object | Buffer): Promise<Answer> {
  const { announced } = host;
  if (announced === null) throw new Error('the host is gone');
  const isBytes = Buffer.isBuffer(body);
  const answer = await fetch(`${announced.listening}${where}`, {
    method,
    headers: {
      Authorization: `Bearer ${announced.authorizationToken}`,
      'Content-Type': isBytes ? 'application/octet-stream' : 'application/json',
    },
    body: isBytes ? new Uint8Array(body) : body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

async function ownedIngest(host: HostProcess): Promise<Known> {
  const opened = await ask(host, 'POST', '/v1/owned-media-ingests', {
    filename: 'golden.mp4',
    declaredBytes: clip.length,
    label: 'Golden clip',
    rightsHolder: 'The project',
    rightsScope: 'local_processing',
    ownershipAttested: true,
  });
  const { ingestId } = opened.body;
  const status = `/v1/owned-media-ingests/${ingestId}`;
  await ask(host, 'PUT', `${status}/media`, clip);
  for (;;) {
    const { body } = await ask(host, 'GET', status);
    if (body.status === 'registered') return {};
    if (body.status === 'failed') throw new Error(JSON.stringify(body));
    await delay(20);
  }
}

/** Attaches a subtitle file to the source that was taken in last. */
async function attachSubtitles(host: HostProcess): Promise<void> {
  const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
  const client = StudyHost.connect({ baseUrl: listening, token });
  const source = (await client.sources()).find(({ label }) => label === 'Golden clip');
  const lines = new File(['1\n00:00:00,100 --> 00:00:00,900\nBonjour\n'], 'lines.srt');
  const options = { rightsHolder: 'The project', ownershipAttested: true, language: 'fr' } as const;
  await client.subtitles.attach(source?.sourceSessionId ?? '', lines, options);
  await host.stop();
}

async function rangeIngest(host: HostProcess): Promise<Known> {
  const asked = { url: `http://127.0.0.1:${videoPort}/page.html`, startMs: 2000, endMs: 4000 };
  const ingestId = await askRange(host, asked);
  if (ingestId === null) throw new Error('the host is gone');
  await rangeReached(host, ingestId);
  return {};
}

interface BlockableStudy {
  readonly runtimeId: string;
  readonly studied: string;
  readonly captioned: string;
  readonly shard: string;
}

/**
 * A data root with a study, and a copy in which it has checked captions. The folder `shard` of the objects holds only the receipt of
 * that check, so that a file can block it. The ids of a study decide the folder, and about one study in eight needs another trial.
 */
async function blockableStudy(base: string): Promise<BlockableStudy> {
  for (let trial = 0; trial < 20; trial += 1) {
    const studied = await copyOf(base);
    const studying = await start(studied);
    const runtimeId = await new LaterClient(studying).study();
    await studying.stop();
    const captioned = await copyOf(studied);
    const captioning = await start(captioned);
    const client = new LaterClient(captioning);
    await client.caption(runtimeId);
    const receipt = await client.checkReceipt(runtimeId);
    await captioning.stop();
    const shard = receipt.replace(/^sha256:/, '').slice(0, 2);
    const objects = await readdir(path.join(captioned, 'objects', 'sha256', shard));
    if (objects.length === 1) return { runtimeId, studied, captioned, shard };
  }
  throw new Error('in 20 studies the receipt of the caption check shared its folder with another object');
}

// One second with a tone: large enough to be media, small enough to be kept in each store.
const clip = await readFile(fileURLToPath(new URL('../fixtures/golden-store/releases/clip.mp4', import.meta.url)));
await mkdir(target, { recursive: true });
await mkdir(keptAt);
await build();
const videos = await openVideoHost({ media: sample, statedSeconds: 50, port: videoPort });
const model = await StubProvider.start();
process.env.OPENAI_BASE_URL = model.baseUrl;
try {
  const empty = await copyOf(null);
  await (await start(empty)).stop();
  await sweep(empty, 'owned-ingest', ownedIngest);
  await sweep(empty, 'videohost-ingest', rangeIngest);
  const subtitled = await copyOf(path.join(keptAt, 'owned-ingest.registered'));
  await attachSubtitles(await start(subtitled));
  await keepAs('life.subtitled', subtitled, kept['owned-ingest.registered'] ?? { id: '' });
  await sweep(empty, 'runtime', async (host) => ({ runtimeId: await new LaterClient(host).study() }));

  const { runtimeId, studied, captioned, shard } = await blockableStudy(empty);
  const known = { runtimeId };
  const finish = async (host: HostProcess) => {
    await new LaterClient(host).finish(runtimeId);
    return known;
  };
  await sweep(studied, 'caption-production', finish);

  await sweep(captioned, 'language-explanation', async (host) => {
    await new LaterClient(host).explain(runtimeId);
    return known;
  });

  // The host defers a check that it cannot store: here a file blocks the folder of the receipt.
  const unchecked = await copyOf(path.join(keptAt, 'caption-production.checking'));
  const obstacle = path.join(unchecked, 'objects', 'sha256', shard);
  await writeFile(obstacle, '');
  const failing = await start(unchecked);
  await delay(3000);
  await failing.kill();
  await rm(obstacle);
  await keep(unchecked, 'caption-production', known);
  if (kept['caption-production.unchecked'] === undefined)
    throw new Error('the host stored a check in spite of the obstacle');

  // A life with a transcript, text on the screen, a bundle and a deletion: its study passes two states that no other does.
  const { whole, left } = await cutLife(t, scratch);
  for (const { root, runtimeId } of left) {
    if (runtimeId !== null) continue;
    await keep(root, 'runtime', {});
    if (kept['life.windowed'] !== undefined || !(await hasWindows(root))) continue;
    const cut = (await actorsIn(root)).find(({ row }) => row.kind === 'runtime');
    await keepAs('life.windowed', root, { id: cut?.id ?? '' });
  }
  const erased = { id: whole.spare ?? '', runtimeId: whole.runtimeId ?? '' };
  for (const { root, spare } of left) {
    if (spare !== null && (await isErasing(root))) await keepAs('deletion.erasing', root, erased);
  }
  await keepAs('life.whole', whole.root, erased);

  // Captions of recognized speech, which a later version with other gates still has to judge.
  const recognized = path.join(scratch, 'recognized');
  const spoken = await cutRecognized(t, recognized);
  await keepAs('life.recognized', recognized, { id: spoken, runtimeId: spoken });

  packStores(keptAt, path.join(target, 'stores.tar.br'));
  const description = await describeRelease(keptAt, kept);
  await writeFile(path.join(target, 'release.json'), `${JSON.stringify(description)}\n`);
} finally {
  for (const end of endings.reverse()) await end();
  await videos.close();
  await model.close();
  await rm(scratch, { recursive: true, force: true });
}

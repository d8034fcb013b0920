// Lives the data roots that tests copy, with the real tools, into the folder that it is given (`scripts/prepare-lives.mjs`).
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { spokenLanguage } from '../../client/studies.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { type OwnedIngestStatus, ownedIngestStatus } from '../../contract/ingest.ts';
import { approveCaptions, followed, openClientHost, sampleOf } from '../actors/client-host.ts';
import { ingestRequest, ingests } from '../http/host/ingest-steps.ts';
import { humWav } from '../http/host/media.ts';
import { copyAsLeft } from './host-in-process.ts';
import type { KnownOfLives, LifeName } from './lives.ts';

const [folder = ''] = process.argv.slice(2);
const root = join(folder, 'life');
const ends: (() => Promise<unknown>)[] = [];
const test = {
  fail: (message: string) => {
    throw new Error(message);
  },
  teardown: (end: () => Promise<unknown>) => void ends.push(end),
};

/** Lives one stretch in a host of its own, and keeps what it leaves under a name. */
async function live<Result>(
  name: LifeName,
  flags: readonly string[],
  stretch: (client: StudyHost) => Promise<Result>,
): Promise<Result> {
  const { host, client } = await openClientHost(test, root, { flags });
  const result = await stretch(client);
  await host.stop();
  copyAsLeft(root, join(folder, name));
  return result;
}

/** Opens or reads an ingest, or sends its media, as the client does not do it: step by step. */
async function ask(client: StudyHost, method: string, path: string, body?: object): Promise<OwnedIngestStatus> {
  const { baseUrl, token } = await client.address();
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  const answer = await fetch(`${baseUrl}${ingests}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': type }) },
    body: body === undefined ? null : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${await answer.text()}`);
  return ownedIngestStatus.parse(await answer.json());
}

const openIngest = async (client: StudyHost, declaredBytes: number): Promise<string> =>
  (await ask(client, 'POST', '', ingestRequest(declaredBytes))).ingestId;

async function ingest(client: StudyHost, media: Buffer, end: 'registered' | 'failed'): Promise<string> {
  const ingestId = await openIngest(client, media.length);
  await ask(client, 'PUT', `/${ingestId}/media`, media);
  for (;;) {
    const { status } = await ask(client, 'GET', `/${ingestId}`);
    if (status === end) return ingestId;
    if (status === 'registered' || status === 'failed') throw new Error(`the ingest ended ${status}`);
    await delay(20);
  }
}

async function study(client: StudyHost, endMs: number): Promise<string> {
  const sample = await sampleOf(client);
  const study = client.study(sample, {
    range: { startMs: 0, endMs },
    requestedSourceLanguage: spokenLanguage('ko'),
    targetLanguage: 'en',
    clientRequestId: `life-${endMs}`,
  });
  const { runtimeId } = await study.started;
  await followed(client, runtimeId);
  return runtimeId;
}

async function approve(client: StudyHost, runtimeId: string): Promise<KnownOfLives['approval']> {
  await approveCaptions(client, runtimeId);
  return client.reviews.approval(runtimeId);
}

async function caption(client: StudyHost, runtimeId: string): Promise<string> {
  await client.captions.produce(runtimeId);
  return (await client.captions.checked(runtimeId)).candidate.jobId;
}

await live('fresh', [], async () => undefined);
const ended = await live('ingested', [], async (client) => {
  const canceled = await openIngest(client, 5);
  await client.cancelIngest(canceled);
  const registered = await ingest(client, humWav(1), 'registered');
  const failed = await ingest(client, Buffer.from('no media'), 'failed');
  return { registered, failed, canceled, queued: await openIngest(client, 5) };
});
const studies = await live('studied', [], async (client) => ({
  oneSecond: await study(client, 1000),
  tenSeconds: await study(client, 10_000),
  twelveSeconds: await study(client, 12_000),
}));
const approval = await live('approved', [], (client) => approve(client, studies.twelveSeconds));
const executor = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const captionJobId = await live('captioned', executor, (client) => caption(client, studies.twelveSeconds));
const known: KnownOfLives = { ingests: ended, studies, approval, captionJobId };
await writeFile(join(folder, 'known.json'), JSON.stringify(known));
for (const end of ends) await end();
await rm(root, { recursive: true });

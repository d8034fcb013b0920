// Lives the data roots that tests copy, with the real tools, into the folder that it is given (`scripts/prepare-lives.mjs`).
import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { captionProductions, captionQualityControls } from '../../contract/captions/caption-answers.ts';
import { ownedIngestStatus } from '../../contract/ingest.ts';
import { attestations, publishReviewDecisions, publishReviewIntakes } from '../../contract/review.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { runtimeStatus } from '../../contract/study/status.ts';
import { humWav } from '../http/host/media.ts';
import { copyAsLeft, openInProcess } from './host-in-process.ts';
import type { KnownOfLives, LifeName } from './lives.ts';
import { MemoryWire } from './memory-wire.ts';
import type { Question } from './wire-question.ts';

const [folder = ''] = process.argv.slice(2);
const root = join(folder, 'life');
const wire = new MemoryWire(randomUUID());
const ends: (() => Promise<unknown>)[] = [];
const test = {
  fail: (message: string) => {
    throw new Error(message);
  },
  teardown: (end: () => Promise<unknown>) => void ends.push(end),
};

/** Lives one stretch in a host of its own, and keeps what it leaves under a name. */
async function live<Told>(name: LifeName, flags: readonly string[], stretch: () => Promise<Told>): Promise<Told> {
  const host = await openInProcess(test, root, { flags, wire });
  const told = await stretch();
  await host.stop();
  copyAsLeft(root, join(folder, name));
  return told;
}

async function ask<Body>(
  schema: z.ZodType<Body>,
  method: string,
  path: string,
  question: Question = {},
): Promise<Body> {
  const { status, body } = await wire.ask(method, path, question);
  const text = body.toString('utf8');
  if (status >= 300) throw new Error(`${method} ${path} was answered with ${status}: ${text}`);
  return schema.parse(JSON.parse(text));
}

/** Asks again until the answer is the one that is waited for. */
async function until<Body>(asked: () => Promise<Body>, isIt: (body: Body) => boolean): Promise<Body> {
  for (;;) {
    const body = await asked();
    if (isIt(body)) return body;
    await delay(20);
  }
}

const ingests = '/v1/owned-media-ingests';

async function openIngest(declaredBytes: number): Promise<string> {
  const json = {
    filename: 'hum.wav',
    declaredBytes,
    rightsScope: 'local_processing',
    ownershipAttested: true,
    label: 'A hum',
    rightsHolder: 'The tester',
  };
  return (await ask(ownedIngestStatus, 'POST', ingests, { json })).ingestId;
}

async function ingest(media: Buffer, end: 'registered' | 'failed'): Promise<string> {
  const ingestId = await openIngest(media.length);
  const headers = { 'Content-Type': 'application/octet-stream' };
  await ask(ownedIngestStatus, 'PUT', `${ingests}/${ingestId}/media`, { headers, body: media });
  const isOver = ({ status }: { status: string }) => ['registered', 'failed'].includes(status);
  const { status } = await until(() => ask(ownedIngestStatus, 'GET', `${ingests}/${ingestId}`), isOver);
  if (status !== end) throw new Error(`the ingest ended ${status}`);
  return ingestId;
}

async function study(endMs: number): Promise<string> {
  const { sourceSessions } = await ask(sourceSessionList, 'GET', '/v1/source-sessions');
  const sample = sourceSessions.find(({ rightsScope }) => rightsScope === 'redistribution');
  const json = {
    sourceSessionId: sample?.sourceSessionId,
    sourceRevisionId: sample?.sourceRevisionId,
    range: { startMs: 0, endMs },
    requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
    targetLanguage: 'en',
    selectedLanguagePackId: null,
    outputDepth: 'evidence',
    clientRequestId: `life-${endMs}`,
  };
  const { runtimeId } = await ask(runtimeStatus, 'POST', '/v1/runtime-starts', { json });
  await until(
    () => ask(runtimeStatus, 'GET', `/v1/runtimes/${runtimeId}`),
    ({ lifecycle }) => lifecycle === 'terminal',
  );
  return runtimeId;
}

async function approve(runtimeId: string): Promise<KnownOfLives['approval']> {
  const path = `/v1/runtimes/${runtimeId}`;
  const [intake] = (await ask(publishReviewIntakes, 'GET', `${path}/publish-review-intakes`)).intakes;
  if (intake === undefined) throw new Error('no intake');
  const { intakeId, artifactId, receiptId, receiptContentId } = intake;
  const json = {
    intake: { intakeId, artifactId, receiptId, receiptContentId },
    reviewer: { id: 'reviewer:local-operator', attestation: attestations.decision },
    decision: {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
  };
  const { reviews } = await ask(publishReviewDecisions, 'POST', `${path}/publish-review-decisions`, { json });
  const [review] = reviews;
  if (review === undefined) throw new Error('no review');
  const { reviewId } = review;
  return {
    reviewId,
    artifactId: review.artifactId,
    receiptId: review.receiptId,
    receiptContentId: review.receiptContentId,
  };
}

async function caption(runtimeId: string, approval: KnownOfLives['approval']): Promise<string> {
  const path = `/v1/runtimes/${runtimeId}`;
  const made = await ask(captionProductions, 'POST', `${path}/caption-productions`, { json: { approval } });
  const [row] = made.captions;
  if (row === undefined) throw new Error('no captions');
  const checks = () => ask(captionQualityControls, 'GET', `${path}/caption-quality-controls`);
  await until(checks, ({ qualityControls }) => qualityControls.length > 0);
  return row.jobId;
}

await live('fresh', [], async () => undefined);
const ended = await live('ingested', [], async () => {
  const canceled = await openIngest(5);
  await ask(ownedIngestStatus, 'POST', `${ingests}/${canceled}/cancellations`, { json: {} });
  const registered = await ingest(humWav(1), 'registered');
  const failed = await ingest(Buffer.from('no media'), 'failed');
  return { registered, failed, canceled, queued: await openIngest(5) };
});
const studies = await live('studied', [], async () => ({
  oneSecond: await study(1000),
  tenSeconds: await study(10_000),
  twelveSeconds: await study(12_000),
}));
const approval = await live('approved', [], () => approve(studies.twelveSeconds));
const executor = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const captionJobId = await live('captioned', executor, () => caption(studies.twelveSeconds, approval));
const known: KnownOfLives = { ingests: ended, studies, approval, captionJobId };
await writeFile(join(folder, 'known.json'), JSON.stringify(known));
for (const end of ends) await end();
await rm(root, { recursive: true });

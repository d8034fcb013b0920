import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { attestations } from '../../contract/review.ts';
import { type InProcessOptions, openInProcess } from '../host/host-in-process.ts';

/** The path of a data root of the test's own that is not there yet; its folder is removed with the test. */
export async function newRoot(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-host-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return join(folder, 'data');
}

/** A host with its real tools on a data root, and the client that people install. */
export async function openClientHost(
  t: Parameters<typeof openInProcess>[0],
  root: string,
  options: InProcessOptions = {},
) {
  const host = await openInProcess(t, root, options);
  const { listening: baseUrl = '', authorizationToken: token = '' } = host.announced ?? {};
  return { host, client: StudyHost.connect({ baseUrl, token }) };
}

/** The sample of a host, which alone may be passed on. */
export async function sampleOf(client: StudyHost) {
  const sample = (await client.sources()).find(({ rightsScope }) => rightsScope === 'redistribution');
  if (sample === undefined) throw new Error('the host has no sample');
  return sample;
}

/** Follows a study to its end. */
export async function followed(client: StudyHost, runtimeId: string): Promise<void> {
  for await (const _ of client.follow(runtimeId));
}

const reasonCodes = ['reviewer_attested_caption_production_may_proceed'] as const;

/** Approves a study that waits for a review for captions. */
export const approveCaptions = (client: StudyHost, runtimeId: string) =>
  client.reviews.decide(
    runtimeId,
    { outcome: 'approve_for_caption_production', reasonCodes: [...reasonCodes], note: null },
    { reviewerId: 'reviewer:local-operator', attestation: attestations.decision },
  );

import { readdirSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { OpenAnswer } from '../../host/memory-wire.ts';
import { TestHost } from '../../host/test-host.ts';
import { eventually } from '../../patience.ts';
import { pageOrigin } from '../host/contract.ts';
import { humWav } from '../host/media.ts';
import { runtimeOf } from '../host/study-steps.ts';
import {
  askGrant,
  askMedia,
  askRevocation,
  grantOf,
  heldHum,
  openPlaying,
  pageFields,
  rewrite,
  uploaded,
} from './steps.ts';

// Streams that do not end well, and what they leave behind: nothing. What becomes of damaged sources.

// 1.6 MB: more than a client takes that does not read.
const longMs = 100_000;

/** How many descriptors of this process are of a file. */
function descriptorsOf(path: string): number {
  const folder = '/proc/self/fd';
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target === path).length;
}

/** A host with media that a client does not take at once. */
async function openLong(t: ExecutionContext) {
  const host = await TestHost.open(t, { mediaTools: true });
  const bytes = humWav(61, longMs);
  const long = await uploaded(t, host, bytes);
  const path = host.objectFile(long.request.source.contentId);
  /** Waits until the host has just so many descriptors of the media. */
  const holds = (count: number) =>
    t.notThrowsAsync(eventually(`${count} descriptors`, () => descriptorsOf(path) === count));
  return { host, bytes, long, path, holds };
}

/** A client that asked for media and reads nothing of it. */
const stalled = (host: TestHost, mediaPath: string): Promise<OpenAnswer> =>
  host.begin('GET', mediaPath, { token: null, headers: { Origin: pageOrigin } });

/** Reads on to the end. */
async function taken({ chunks, ended }: OpenAnswer): Promise<{ how: 'whole' | 'cut'; body: Buffer }> {
  const body: Buffer[] = [];
  for await (const chunk of chunks) body.push(chunk);
  return { how: await ended, body: Buffer.concat(body) };
}

test('a stream holds one descriptor, and none once it was taken whole', async (t) => {
  const { host, bytes, long, holds } = await openLong(t);
  const { mediaPath } = await grantOf(t, host, long);
  const answers = [];
  for (let client = 0; client < 3; client += 1) answers.push(await stalled(host, mediaPath));
  await holds(3);
  for (const answer of answers) t.true((await taken(answer)).body.equals(bytes));
  await holds(0);
});

test('clients that leave have their descriptors closed at once', async (t) => {
  const { host, long, holds } = await openLong(t);
  const { mediaPath } = await grantOf(t, host, long);
  const answers = await Promise.all(Array.from({ length: 20 }, () => stalled(host, mediaPath)));
  await holds(20);
  for (const answer of answers) answer.leave();
  await holds(0);
  t.is((await askMedia(host, mediaPath, { Range: 'bytes=0-9' })).status, 206);
});

test('a revocation ends the streams of its grant and of no other', async (t) => {
  const { host, bytes, long, holds } = await openLong(t);
  const [ends, stays] = [await grantOf(t, host, long), await grantOf(t, host, long)];
  const cut = [await stalled(host, ends.mediaPath), await stalled(host, ends.mediaPath)];
  const kept = await stalled(host, stays.mediaPath);
  await holds(3);
  t.is((await askRevocation(host, long.runtimeId, ends.grantId)).status, 200);
  await holds(1);
  for (const answer of cut) {
    const { how, body } = await taken(answer);
    t.is(how, 'cut');
    t.true(body.length < bytes.length);
  }
  t.true((await taken(kept)).body.equals(bytes));
  await holds(0);
});

test('media that changes while it is sent is never sent whole', async (t) => {
  const { host, bytes, long, path, holds } = await openLong(t);
  const { mediaPath } = await grantOf(t, host, long);
  const answer = await stalled(host, mediaPath);
  await holds(1);
  await rewrite(path, Buffer.from(bytes).fill(0, bytes.length - 1));
  const { how, body } = await taken(answer);
  t.is(how, 'cut');
  t.true(body.length < bytes.length);
  await holds(0);
  await rewrite(path, bytes);
  t.true((await askMedia(host, mediaPath)).body.equals(bytes));
});

test('damaged media is neither granted nor played until it is whole again', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { mediaPath } = await grantOf(t, host, hum);
  const path = host.objectFile(hum.request.source.contentId);
  const bytes = await readFile(path);
  const isRefused = async (): Promise<void> => {
    // Before the range, which is wrong too.
    const played = await askMedia(host, mediaPath, { Range: 'bytes=9-8' });
    host.refused(t, played, 'source_revalidation_failed', pageFields);
    host.refused(t, await askGrant(host, hum), 'source_revalidation_failed', pageFields);
  };
  await rewrite(path, Buffer.from(bytes).fill(1, 100, 101));
  await isRefused();
  await rm(path);
  await isRefused();
  await rewrite(path, bytes);
  t.true((await askMedia(host, mediaPath)).body.equals(bytes));
  await grantOf(t, host, hum);
});

test('media whose records are damaged is neither granted nor played', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { mediaPath } = await grantOf(t, host, hum);
  const { sourceSession } = (await runtimeOf(t, host, hum.runtimeId)).runStartReceipt?.record ?? {};
  const records = [sourceSession?.sourceReceipt, sourceSession?.mediaProbe, sourceSession?.preflight];
  for (const record of records) {
    const path = host.objectFile(record?.contentId ?? '');
    const bytes = await readFile(path);
    await rewrite(path, Buffer.concat([bytes, Buffer.from(' ')]));
    host.refused(t, await askMedia(host, mediaPath), 'source_revalidation_failed', pageFields);
    host.refused(t, await askGrant(host, hum), 'source_revalidation_failed', pageFields);
    await rewrite(path, bytes);
    t.is((await askMedia(host, mediaPath)).status, 200);
  }
});

test('a grant needs the start receipt, whole', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { runStartReceipt } = await runtimeOf(t, host, hum.runtimeId);
  const path = host.objectFile(runStartReceipt?.contentId ?? '');
  const bytes = await readFile(path);
  await rewrite(path, bytes.subarray(1));
  host.refused(t, await askGrant(host, hum), 'stored_content_inconsistent', pageFields);
  await rm(path);
  host.refused(t, await askGrant(host, hum), 'private_playback_source_unavailable', pageFields);
  await rewrite(path, bytes);
  await grantOf(t, host, hum);
});

test('a restart ends every grant, and grants anew', async (t) => {
  const { host } = await openPlaying(t);
  const hum = await heldHum(t, host);
  const { mediaPath } = await grantOf(t, host, hum);
  t.is((await askMedia(host, mediaPath)).status, 200);
  await host.restart();
  host.refused(t, await askMedia(host, mediaPath), 'private_playback_grant_unavailable', pageFields);
  const anew = await grantOf(t, host, hum);
  t.is((await askMedia(host, anew.mediaPath)).status, 200);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import type { Release } from '../../fixtures/golden-store/release.ts';
import type { HostInProcess } from '../host/host-in-process.ts';
import { patienceMs } from '../patience.ts';
import { checkWhole } from './checks.ts';
import { askHost } from './host-process.ts';
import { LaterClient } from './later-client.ts';
import { releases } from './stored-releases.ts';

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

export const olderFlags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', 'stand-in'],
];

const ask = async (host: HostInProcess, method: string, path: string, body?: object) =>
  z.looseObject({}).parse(JSON.parse((await askHost(host, method, path, body)).text));

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

/** The next steps of an owner of the data root, by the kind of the killed actor: all must succeed. */
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
    // A deferred check of captions runs on request; any other captions refuse that.
    for (const { jobId, captionArtifactId, captionContentId, receiptId, receiptContentId } of captions) {
      const candidate = {
        jobId,
        captionArtifactId,
        captionContentId,
        captionReceiptId: receiptId,
        captionReceiptContentId: receiptContentId,
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

/** A host on the data root of an older release: all that an owner may go on with comes to its end. */
export async function endsWell(t: ExecutionContext, host: HostInProcess, state: string, stored: Stored): Promise<void> {
  await isListed(t, host, stored);
  await lives[state.slice(0, state.indexOf('.'))]?.(t, host, stored);
  t.is(await host.stop(), 0, host.reported().join('\n'));
  t.deepEqual(
    host.reported().filter((line) => /damaged|ended at recovery/.test(line) && !line.endsWith(neverTwice)),
    [],
  );
  await checkWhole(t, host.dataRoot);
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { type PlaybackGrant, playbackGrant } from '../../../contract/playback.ts';
import { sourceSessionList } from '../../../contract/sources/source-session.ts';
import { runtimeStatus } from '../../../contract/study/status.ts';
import { studyRequest } from '../../http/host/study-steps.ts';
import { WireClient } from '../../http/wire-client.ts';
import type { Expect } from './expect.ts';
import { load, play } from './player.mjs';

/** A server of empty pages, as a foreign origin. */
export async function foreignPages() {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<!doctype html><title>page</title>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

interface PlaybackHost {
  readonly origin: string;
  readonly token: string;
  /** An origin that this host allows. */
  readonly pageOrigin: string;
}

/** Runs a function, given as its text, in a page with one argument. */
const run = (page: Page, source: string, argument: object): Promise<unknown> =>
  page.evaluate(`(${source})(${JSON.stringify(argument)})`);

/** Plays the sample in pages that may, and tries it in pages that may not. */
export async function checkPlayback(browser: Browser, { origin, token, pageOrigin }: PlaybackHost, expect: Expect) {
  const client = new WireClient(Number(new URL(origin).port), token);
  try {
    const grant = await grantingTo(client);
    const page = await browser.newPage();
    await page.goto(`${pageOrigin}/`);
    await plays(expect, 'a page of an allowed origin, with crossorigin', page, origin, await grant(pageOrigin), true);

    const url = `${origin}${(await grant(pageOrigin)).mediaPath}`;
    expect('without crossorigin the same page cannot load it', (await run(page, String(load), { url })) !== 'loaded');

    const revoked = await grant(pageOrigin);
    const path = `/v1/runtimes/${revoked.runtimeId}/private-playback-grants/${revoked.grantId}/revocations`;
    const json = { schema: 'studio.private-playback-grant-revocation.v1' };
    await client.ask('POST', path, { json, headers: { Origin: pageOrigin } });
    const late = await run(page, String(load), { url: `${origin}${revoked.mediaPath}`, crossOrigin: true });
    expect('a revoked grant cannot be loaded', late !== 'loaded');

    const own = await browser.newPage();
    await own.goto(`${origin}/`);
    await plays(expect, 'a page of the host itself, without crossorigin', own, origin, await grant(origin), false);
    const foreign = await run(own, String(load), { url, crossOrigin: false });
    expect('a page of the host cannot load what was granted to another origin', foreign !== 'loaded');
    await Promise.all([page.close(), own.close()]);
  } finally {
    client.close();
  }
}

/** Plays the sample in a page and expects its pictures at both places. */
async function plays(
  expect: Expect,
  who: string,
  page: Page,
  hostOrigin: string,
  { mediaPath, source }: PlaybackGrant,
  crossOrigin: boolean,
): Promise<void> {
  const url = `${hostOrigin}${mediaPath}`;
  const statuses: number[] = [];
  page.on('response', (answer) => {
    if (answer.url() === url) statuses.push(answer.status());
  });
  const seen = (await run(page, String(play), { url, crossOrigin, seekTo: 20 })) as {
    durationMs: number;
    colors: readonly number[];
  };
  expect(`${who} plays it`, Math.abs(seen.durationMs - source.durationMs) < 200);
  expect(
    'its pictures can be read',
    seen.colors.every((count) => count > 10),
  );
  expect('it came by ranges', statuses.length > 0 && statuses.every((status) => status === 206));
}

/** Starts a study of the sample; gives a function that grants its source to an origin. */
async function grantingTo(client: WireClient): Promise<(origin: string) => Promise<PlaybackGrant>> {
  const list = await client.ask('GET', '/v1/source-sessions');
  const [sample] = sourceSessionList.parse(JSON.parse(list.body.toString('utf8'))).sourceSessions;
  if (sample === undefined) throw new Error('the host has no sample');
  const started = await client.ask('POST', '/v1/runtime-starts', { json: studyRequest(sample) });
  const { runtimeId, runStartReceipt } = runtimeStatus.parse(JSON.parse(started.body.toString('utf8')));
  const { sourceSession, sourceArtifactId: artifactId } = runStartReceipt?.record ?? {};
  const source = { revisionId: sourceSession?.revisionId, artifactId, contentId: sourceSession?.source.contentId };
  return async (origin) => {
    const answer = await client.ask('POST', `/v1/runtimes/${runtimeId}/private-playback-grants`, {
      json: { schema: 'studio.private-playback-grant-request.v1', source },
      headers: { Origin: origin },
    });
    return playbackGrant.parse(JSON.parse(answer.body.toString('utf8')));
  };
}

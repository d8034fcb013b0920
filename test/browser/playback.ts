import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PlaybackGrant, playbackGrant } from '../../contract/playback/private-playback.ts';
import { sourceSessionList } from '../../contract/sources/source-session-list.ts';
import { runtimeStatus } from '../../contract/study/runtime-status.ts';
import { studyRequest } from '../http/host/study-steps.ts';
import { RunningHost } from '../http/running-host.ts';
import { WireClient } from '../http/wire-client.ts';
import { Chromium } from './chromium.ts';
import type { Page } from './page.ts';
import { load, play } from './player.mjs';

// Plays the sample in a real browser. Run by hand, because a fresh machine has no browser:
//   npm run browser -- [--chromium /usr/bin/chromium] [--http-adapter uws|node]

const { values } = parseArgs({
  options: {
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    'http-adapter': { type: 'string', default: 'auto' },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function expect(what: string, holds: boolean): void {
  say(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  if (!holds) process.exitCode = 1;
}

try {
  await access(values.chromium, constants.X_OK);
} catch {
  process.stderr.write(`no Chromium at ${values.chromium}\n`);
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'browser-'));
const pages = createServer((_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end('<!doctype html><title>page</title>');
});
await once(pages.listen(0, '127.0.0.1'), 'listening');
const pageOrigin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
const host = new RunningHost({
  flags: [
    '--port=0',
    `--data-root=${folder}/data`,
    `--allowed-origin=${pageOrigin}`,
    `--http-adapter=${values['http-adapter']}`,
  ],
});
const { listening, authorizationToken, httpAdapter } = await host.announced();
const hostOrigin = String(listening);
const client = new WireClient(Number(new URL(hostOrigin).port), String(authorizationToken));
const chromium = await Chromium.open(values.chromium);
say(`host on ${httpAdapter}`);

try {
  const grant = await grantingTo();
  const page = await chromium.page(`${pageOrigin}/`);
  await plays('a page of an allowed origin, with crossorigin', page, await grant(pageOrigin), true);

  const { mediaPath } = await grant(pageOrigin);
  const url = `${hostOrigin}${mediaPath}`;
  expect('without crossorigin the same page cannot load it', (await page.run(String(load), { url })) !== 'loaded');

  const revoked = await grant(pageOrigin);
  await client.ask('POST', `/v1/runtimes/${revoked.runtimeId}/private-playback-grants/${revoked.grantId}/revocations`, {
    json: { schema: 'studio.private-playback-grant-revocation.v1' },
    headers: { Origin: pageOrigin },
  });
  const late = await page.run(String(load), { url: `${hostOrigin}${revoked.mediaPath}`, crossOrigin: true });
  expect('a revoked grant cannot be loaded', late !== 'loaded');

  const own = await chromium.page(`${hostOrigin}/`);
  await plays('a page of the host itself, without crossorigin', own, await grant(hostOrigin), false);
  const foreign = await own.run(String(load), { url, crossOrigin: false });
  expect('a page of the host cannot load what was granted to another origin', foreign !== 'loaded');
} finally {
  await chromium.close();
  client.close();
  pages.close();
  await host.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Plays the sample in a page and expects its pictures at both places. */
async function plays(
  who: string,
  page: Page,
  { mediaPath, source }: PlaybackGrant,
  crossOrigin: boolean,
): Promise<void> {
  const url = `${hostOrigin}${mediaPath}`;
  const seen = (await page.run(String(play), { url, crossOrigin, seekTo: 20 })) as {
    durationMs: number;
    colours: readonly number[];
  };
  const answers = page.answers.filter((answer) => answer.url === url);
  say(JSON.stringify(seen));
  for (const { status, contentRange } of answers) say(`     ${status} ${contentRange ?? ''}`);
  expect(`${who} plays it`, Math.abs(seen.durationMs - source.durationMs) < 200);
  expect(
    'its pictures can be read',
    seen.colours.every((count) => count > 10),
  );
  expect('it came by ranges', answers.length > 0 && answers.every(({ status }) => status === 206));
}

/** Starts a study of the sample; gives a function that grants its source to an origin. */
async function grantingTo(): Promise<(origin: string) => Promise<PlaybackGrant>> {
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

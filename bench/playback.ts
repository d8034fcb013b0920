import { stat } from 'node:fs/promises';
import { playbackGrant } from '../contract/playback.ts';
import { runtimeStatus } from '../contract/study/status.ts';
import { chooseListener } from '../http/listener/choose-listener.ts';
import type { Client } from './client.ts';
import type { Figure, Row } from './figure.ts';
import { type HostProcess, startScript, withHost } from './host-process.ts';
import { ingest } from './ingest.ts';
import { inTurn, median, quantity } from './measuring.ts';
import { makeMedia } from './media.ts';
import { runLoad } from './run-load.ts';

const mediaBytes = 200_000_000;
const rangeBytes = 65_536;
const rounds = 7;
const atLeast = 0.8;
const players = 8;
const rangesPerSecond = 8_000;
const origin = 'http://127.0.0.1:4321';

export const playback: Row = {
  name: 'playback',
  measures: 'Playback of media, against a plain stream of the same file with node:http, each with its own client.',
  grows: 'Linear in the bytes sent.',
  async measure(folder) {
    const file = await makeMedia(`${folder}/media.mp4`, mediaBytes);
    const { adapter } = await chooseListener();
    const others = adapter === 'node:http' ? [] : await onAdapter(folder, 'node', file);
    const chosen = await onAdapter(folder, adapter === 'node:http' ? 'node' : 'uws', file);
    // The adapter that the host chooses by itself is the one that has to reach the figures.
    return [...chosen, ...others.map((figure): Figure => ({ ...figure, mustReach: '-', reached: null }))];
  },
};

async function onAdapter(folder: string, adapter: 'uws' | 'node', file: string): Promise<Figure[]> {
  const { size } = await stat(file);
  const plain = await startScript('bench/file-host.ts', [file]);
  const measured = async ({ client }: HostProcess) => {
    await ingest(client, file);
    const path = await grantedPath(client, size);
    const ours = { port: Number(client.origin.port), path, fields: [`Origin: ${origin}`] };
    const theirs = { port: Number(plain.announcement.port), path: '/', fields: [] };
    return [
      await ranges(`64 KiB ranges of private media (${adapter})`, ours, theirs, size),
      await rangesOfPlayers(`64 KiB ranges of private media, ${players} connections (${adapter})`, ours, size),
      await whole(`private media as a whole (${adapter})`, ours, theirs, size),
    ];
  };
  try {
    return await withHost(`${folder}/${adapter}`, measured, ['--http-adapter', adapter]);
  } finally {
    await plain.stop();
  }
}

interface Load {
  readonly requests: number;
  readonly seconds: number;
}

interface Target {
  readonly port: number;
  readonly path: string;
  readonly fields: readonly string[];
}

async function ranges(figure: string, ours: Target, theirs: Target, fileBytes: number): Promise<Figure> {
  const rate = (target: Target) => async () => {
    const { requests, seconds } = await runLoad<Load>('media-load.ts', {
      ...target,
      fileBytes,
      rangeBytes,
      connections: 16,
      requests: 16_000,
    });
    return requests / seconds;
  };
  return compared(figure, 'requests/s', await inTurn(rounds, rate(ours), rate(theirs), 1));
}

async function rangesOfPlayers(figure: string, target: Target, fileBytes: number): Promise<Figure> {
  const rates: number[] = [];
  for (let round = 0; round < rounds + 1; round += 1) {
    const load = { ...target, fileBytes, rangeBytes, connections: players, requests: 16_000 };
    const { requests, seconds } = await runLoad<Load>('media-load.ts', load);
    rates.push(requests / seconds);
  }
  const rate = median(rates.slice(1));
  return {
    figure,
    measured: quantity(rate, 'requests/s', 4),
    reference: '-',
    ratio: null,
    mustReach: `>= ${rangesPerSecond} requests/s`,
    reached: rate >= rangesPerSecond,
  };
}

async function whole(figure: string, ours: Target, theirs: Target, fileBytes: number): Promise<Figure> {
  const rate = (target: Target) => async () => {
    const { requests, seconds } = await runLoad<Load>('media-load.ts', {
      ...target,
      fileBytes,
      rangeBytes: null,
      connections: 1,
      requests: 4,
    });
    return (requests * fileBytes) / 1e6 / seconds;
  };
  return compared(figure, 'MB/s', await inTurn(rounds, rate(ours), rate(theirs), 1));
}

function compared(
  figure: string,
  unit: string,
  { measured, reference }: { measured: number; reference: number },
): Figure {
  const ratio = measured / reference;
  return {
    figure,
    measured: quantity(measured, unit),
    reference: `${quantity(reference, unit)} node:http`,
    ratio,
    mustReach: `>= ${atLeast} x node:http`,
    reached: ratio >= atLeast,
  };
}

/** Starts a study of the file of this size and asks for its media. */
async function grantedPath(client: Client, bytes: number): Promise<string> {
  const { sourceSessions } = await client.read('/v1/source-sessions');
  const row = (sourceSessions as readonly { sourceSessionId: string; sourceRevisionId: string; label: string }[]).find(
    ({ label }) => label === 'Noise',
  );
  const started = await client.post('/v1/runtime-starts', {
    sourceSessionId: row?.sourceSessionId,
    sourceRevisionId: row?.sourceRevisionId,
    range: { startMs: 0, endMs: 1000 },
    requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null },
    targetLanguage: 'en',
    selectedLanguagePackId: null,
    outputDepth: 'evidence',
  });
  const { runtimeId, runStartReceipt } = runtimeStatus.parse(started);
  const session = runStartReceipt?.record.sourceSession;
  if (session?.source.bytes !== bytes) throw new Error('the study is of another file');
  const answer = await fetch(new URL(`/v1/runtimes/${runtimeId}/private-playback-grants`, client.origin), {
    method: 'POST',
    headers: { ...client.headers, 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({
      schema: 'studio.private-playback-grant-request.v1',
      source: {
        revisionId: session.revisionId,
        artifactId: runStartReceipt?.record.sourceArtifactId,
        contentId: session.source.contentId,
      },
    }),
  });
  return playbackGrant.parse(await answer.json()).mediaPath;
}

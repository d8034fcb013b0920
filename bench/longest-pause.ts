import { captionProductionResults } from '../contract/captions/caption-answers.ts';
import { openStore, store } from '../test/actors/reopening/stored-studies.ts';
import { storedStudy } from '../test/receipts/evidence/stored-study.ts';
import type { StoredTrack } from '../test/receipts/evidence/stored-tracks.ts';
import type { Figure, Row } from './figure.ts';
import type { HostProcess } from './host-process.ts';
import { approved, got, Turns } from './turns.ts';

/** The most lines that captions have, over the longest range that they are made of. */
const lines = 8192;
const lengthMs = 14_400_000;
/** As many windows of speech as the reads of such a study return. */
const windows = 2048;

const flags = [
  ...['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'],
  ...['--maximum-caption-range-ms', String(lengthMs), '--maximum-caption-lines', String(lines)],
];

export const longestPause: Row = {
  name: 'longest-pause',
  measures:
    'The longest turn of the event loop of the host during each large read and production at its limit. It is counted in processor time of the thread.',
  grows: 'Not with the work: long work is done in steps of a few milliseconds.',
  async measure(folder) {
    const dataRoot = `${folder}/data`;
    const runtimeId = await stored(dataRoot);
    const turns = new Turns(`${folder}/longest-turn`);
    const made = await turns.withHost(dataRoot, (host) => beforeAndAt(host, turns, runtimeId), flags);
    const reopened = await turns.withHost(dataRoot, (host) => afterwards(host, turns, runtimeId), flags);
    return [...made, ...reopened];
  },
};

/** A study of the longest range with two text tracks, of which captions at their limit can be made. */
async function stored(dataRoot: string): Promise<string> {
  const opened = await openStore(dataRoot);
  const step = lengthMs / lines;
  const track = (tag: string, trackIndex: number, words: string): StoredTrack => ({
    trackIndex,
    taggedLanguage: tag,
    code: tag,
    cues: Array.from({ length: lines }, (_, at) => ({
      startMs: Math.floor(at * step),
      endMs: Math.floor((at + 1) * step),
      text: `${words} ${at}`,
    })),
  });
  const tracks = [
    track('ko', 2, '안녕하세요, 오늘은 조금 늦었습니다'),
    track('en', 4, 'Good morning, we are late today'),
  ];
  const runtimeId = await store(opened, storedStudy({ version: 1, windows, lengthMs, tracks }));
  await opened.close();
  return runtimeId;
}

/** The reads of a study, its approval, and the production of its captions. */
async function beforeAndAt(host: HostProcess, turns: Turns, runtimeId: string): Promise<Figure[]> {
  const { client } = host;
  const path = `/v1/runtimes/${runtimeId}`;
  const read = (what: string, of: string) => turns.during(host, what, () => got(client, of));
  const figures = [
    await read('reopening a study after a start, with its overview', `${path}/overview`),
    await read('an overview', `${path}/overview`),
    await read('the evidence', `${path}/evidence`),
    await read('the assessment audits', `${path}/assessment-audits`),
    await read('the judgements', `${path}/judgements`),
    await read('a page of the journal', `${path}/events?after=0&limit=200`),
    await read('a search', '/v1/search?q=late'),
    await read('the library', '/v1/library'),
    await read('the settings', '/v1/settings'),
  ];
  const reference = await approved(client, path);
  const produced = await turns.during(host, `the production of captions of ${lines} lines, and their check`, () =>
    client.post(`${path}/caption-productions`, { approval: reference }, 201),
  );
  return [...figures, produced];
}

/** The reads of such captions by a host that did not make them. */
async function afterwards(host: HostProcess, turns: Turns, runtimeId: string): Promise<Figure[]> {
  const { client } = host;
  const path = `/v1/runtimes/${runtimeId}`;
  const read = (what: string, of: string) => turns.during(host, what, () => got(client, of));
  const figures = [
    await read('reopening a study with captions after a start', `${path}/caption-productions`),
    await read('the results of captions', `${path}/caption-production-results`),
    await read('the quality controls', `${path}/caption-quality-controls`),
    await read('the quality reports', `${path}/caption-quality-reports`),
    await read('the corrections', `${path}/caption-corrections`),
    await read('an overview with captions', `${path}/overview`),
  ];
  const { results } = captionProductionResults.parse(await client.read(`${path}/caption-production-results`));
  const jobId = results[0]?.verification.jobId ?? '';
  figures.push(
    await read('a chunk of captions', `${path}/caption-productions/${jobId}/chunks/100`),
    await read('captions as WebVTT', `${path}/caption-productions/${jobId}.vtt?side=target`),
    await read('captions as SubRip with broken lines', `${path}/exports/captions.srt?side=both&lines=netflix.v1`),
    await read('a bundle', `${path}/exports/bundle`),
    await read('the first search after a start', '/v1/search?q=late'),
  );
  return figures;
}

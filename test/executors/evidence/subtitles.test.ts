import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { evidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { DetectionFailure } from '../../../executors/detector/detection-failure.ts';
import { readSubtitles, subtitlesIdentity } from '../../../executors/evidence/subtitles.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { failureOf, fake } from '../process/launcher-for-tests.ts';
import {
  type DetectionBench,
  descendants,
  openDetectionBench,
  sourceContentId,
  statesOf,
  subtitles,
  watched,
} from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

const gold = await readSampleGold();
const TRACKS = [
  { index: 2, codec: 'mov_text', language: 'kor' },
  { index: 3, codec: 'mov_text', language: 'eng' },
];
let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

test.serial(
  'the tracks tell how far they were read, from the beginning of the media to the end of the range',
  async (t) => {
    const read: number[] = [];
    const range = { startMs: 2000, endMs: 9000 };
    const { signal } = new AbortController();
    const request = { path: sampleMedia, attachedPath: String, sourceContentId, range, tracks: TRACKS, signal };
    await readSubtitles(bench, { ...request, read: (mediaMs) => read.push(mediaMs) });
    t.true(read.length > 1);
    t.deepEqual(
      read,
      [...new Set(read)].toSorted((one, other) => one - other),
    );
    t.is(read.at(-1), range.endMs);
  },
);

type Found = Awaited<ReturnType<typeof subtitles>>;

/** The cues of each track, which must have the stored shape. */
const cuesIn = (found: Found) =>
  found.flatMap((each) => {
    if (each.state !== 'available' || each.kind !== 'subtitle_track') return [];
    const { facts } = evidenceArtifact.parse(each.artifact);
    return [facts.map((fact) => (fact.kind === 'subtitle_cue' ? [fact.startMs, fact.endMs, fact.text] : []))];
  });

const languagesIn = (found: Found) =>
  found.flatMap((each) => {
    if (each.state !== 'available' || each.kind !== 'text_language') return [];
    const { facts } = evidenceArtifact.parse(each.artifact);
    return facts.flatMap((fact) => (fact.kind === 'track_language' ? [fact] : []));
  });

test('the cues of every track are exact', async (t) => {
  const found = await subtitles(bench, sampleMedia, [0, gold.durationMs], TRACKS);
  t.deepEqual(
    cuesIn(found),
    gold.subtitleTracks.map(({ cues }) => cues.map(({ startMs, endMs, text }) => [startMs, endMs, text])),
  );
  t.deepEqual(statesOf(found), [
    ['subtitle_track', 'available'],
    ['subtitle_track', 'available'],
    ['text_language', 'available'],
    ['text_language', 'available'],
  ]);
});

test('the language of every track is right, and so is that of its cues', async (t) => {
  const [korean, english] = languagesIn(await subtitles(bench, sampleMedia, [0, gold.durationMs], TRACKS));
  t.like(korean, { trackIndex: 2, taggedLanguage: 'kor', code: 'ko', method: 'script' });
  t.like(english, { trackIndex: 3, taggedLanguage: 'eng', code: 'en', method: 'ngram' });
  t.deepEqual(
    korean?.cueCodes,
    korean?.cueCodes.map(() => 'ko'),
  );
  t.deepEqual(
    english?.cueCodes,
    english?.cueCodes.map(() => 'en'),
  );
});

test('one run reads all tracks, and scripts alone need no detector', async (t) => {
  const { launcher, requests } = watched(bench.launcher);
  const detector = {
    ...bench.detector,
    tools: () => bench.detector.tools(),
    identify: () => Promise.reject(new Error()),
  };
  await subtitles({ ...bench, launcher, detector }, sampleMedia, [0, gold.durationMs], TRACKS.slice(0, 1));
  await subtitles({ ...bench, launcher }, sampleMedia, [0, gold.durationMs], TRACKS);
  t.is(requests.length, 2);
});

test('cues are clipped to the range', async (t) => {
  const [first, second] = gold.subtitleTracks[0]?.cues ?? [];
  if (first === undefined || second === undefined) throw new Error('too few cues');
  const range = [first.startMs + 1, second.startMs + 1] as const;
  const found = await subtitles(bench, sampleMedia, range, TRACKS.slice(0, 1));
  t.deepEqual(cuesIn(found), [
    [
      [range[0], first.endMs, first.text],
      [second.startMs, range[1], second.text],
    ],
  ]);
});

test('a range without a cue has none, and no language', async (t) => {
  const found = await subtitles(bench, sampleMedia, [0, 500], TRACKS.slice(1));
  t.deepEqual(cuesIn(found), [[]]);
  t.like(languagesIn(found)[0], { code: null, method: 'none', cueCodes: [] });
});

test('without a text track both kinds are unavailable, and nothing is run', async (t) => {
  const gone = { ...bench, ffmpeg: { ...bench.ffmpeg, path: fake('no-such-tool') } };
  for (const tracks of [[], [{ index: 2, codec: 'hdmv_pgs_subtitle', language: null }]]) {
    t.deepEqual(statesOf(await subtitles(gone, sampleMedia, [0, 1000], tracks)), [
      ['subtitle_track', 'no_text_subtitle_track'],
      ['text_language', 'no_text_subtitle_track'],
    ]);
  }
});

test('SubRip and ASS tracks are read beside a track of pictures, from a container that starts late', async (t) => {
  const { folder } = bench;
  const lines =
    '1\n00:00:01,000 --> 00:00:02,500\n<i>Guten Morgen</i>, liebe Freunde &amp; Nachbarn\n- Danke!\n\n2\n00:00:03,000 --> 00:00:04,000\n…\n\n';
  await writeFile(path.join(folder, 'lines.srt'), lines);
  await ffmpeg(folder, '-i', 'lines.srt', 'lines.ass');
  const inputs = ['-f', 'lavfi', '-i', 'color=black:s=64x64:r=25:d=5', '-i', 'lines.srt', '-i', 'lines.ass'];
  const maps = ['-map', '0', '-map', '1', '-map', '2', '-c:s:0', 'subrip', '-c:s:1', 'ass'];
  await ffmpeg(folder, ...inputs, ...maps, '-output_ts_offset', '7', 'late.mkv');
  const tracks = [
    { index: 1, codec: 'subrip', language: null },
    { index: 2, codec: 'ass', language: 'deu' },
    { index: 9, codec: 'dvd_subtitle', language: null },
  ];
  const found = await subtitles(bench, path.join(folder, 'late.mkv'), [0, 5000], tracks);
  const expected = [
    [1000, 2500, 'Guten Morgen, liebe Freunde & Nachbarn\n- Danke!'],
    [3000, 4000, '…'],
  ];
  t.deepEqual(cuesIn(found), [expected, expected]);
  for (const { code, cueCodes } of languagesIn(found)) t.deepEqual([code, cueCodes], ['de', ['de', null]]);
});

test('tools and parameters are known before, and are those of the artifacts', async (t) => {
  const detectorTools = await bench.detector.tools();
  const { tools, parameters } = subtitlesIdentity({ ffmpeg: bench.ffmpeg, detectorTools }, TRACKS);
  t.deepEqual(tools, [bench.ffmpeg.identity, detectorTools.language]);
  t.is(parameters.tracks, '2:mov_text:kor,3:mov_text:eng');
  for (const each of await subtitles(bench, sampleMedia, [0, 1000], TRACKS)) {
    if (each.state !== 'available') throw new Error('no artifact');
    t.is(each.artifact.input.sourceContentId, sourceContentId);
    t.true(tools.some(({ name }) => name === each.artifact.tool.name));
    for (const [name, value] of Object.entries(each.artifact.parameters))
      t.is(parameters[`${each.kind}.${name}`], value);
  }
});

test('what lists no packets is refused', async (t) => {
  const odd = { ...bench, ffmpeg: { ...bench.ffmpeg, path: fake('prints-nonsense') } };
  const failure = await t.throwsAsync(subtitles(odd, sampleMedia, [0, 1000], TRACKS), { instanceOf: DetectionFailure });
  t.regex(failure?.message ?? '', /^tool_output: [^/]+$/);
});

test('a crash, a flood and an abort are closed failures that leave nothing', async (t) => {
  const withTool = (name: string) => ({ ...bench, ffmpeg: { ...bench.ffmpeg, path: fake(name) } });
  const crash = await failureOf(t, subtitles(withTool('crashes'), sampleMedia, [0, 1000], TRACKS));
  t.true(crash.reason === 'tool_exit' || crash.reason === 'tool_signal', crash.reason);
  t.is(
    (await failureOf(t, subtitles(withTool('floods-stdout'), sampleMedia, [0, 1000], TRACKS))).reason,
    'output_limit',
  );
  const stop = new AbortController();
  const working = failureOf(t, subtitles(withTool('hangs'), sampleMedia, [0, 1000], TRACKS, stop.signal));
  setTimeout(() => stop.abort(), 100);
  t.is((await working).reason, 'aborted');
  t.deepEqual(descendants(fake('hangs')), []);
});

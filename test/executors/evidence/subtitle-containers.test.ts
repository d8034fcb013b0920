import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'ava';
import { type Detection, evidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { SUBTITLE_LIMITS } from '../../../executors/evidence/subtitle-tracks.ts';
import type { SubtitleTrack } from '../../../executors/evidence/subtitles.ts';
import { type DetectionBench, openDetectionBench, statesOf, subtitles } from './detection-for-tests.ts';
import { ffmpeg } from './media-for-tests.ts';

let bench: DetectionBench;

test.before(async () => {
  bench = await openDetectionBench();
});

test.after.always(() => bench.close());

const clock = (ms: number, point: string): string => new Date(ms).toISOString().slice(11, 23).replace('.', point);

const picture = (seconds: number) => ['-f', 'lavfi', '-i', `color=black:s=64x64:r=25:d=${seconds}`];

const track = (index: number, codec: string, language: string | null = null): SubtitleTrack => ({
  index,
  codec,
  language,
});

/** The facts of the cues of each track, which must have the stored shape. */
const cuesOf = (found: readonly Detection[]) =>
  found.flatMap((each) => {
    if (each.state !== 'available' || each.kind !== 'subtitle_track') return [];
    const { facts } = evidenceArtifact.parse(each.artifact);
    return [
      facts.map((fact) => {
        if (fact.kind === 'subtitle_cue') return [fact.startMs, fact.endMs, fact.text];
        return fact.kind === 'unreadable_cue' ? [fact.startMs, fact.endMs, null, fact.reasonCode] : [];
      }),
    ];
  });

/** Cues with odd times, two lines and characters of every length, some under another and some at the same time. */
const cues = Array.from({ length: 240 }, (_, at) => {
  const startMs = 137 + 250 * at;
  return { startMs, endMs: startMs + 180 + (at % 7), text: `Zeile ${at} – 안녕 😀\nund noch eine` };
});
const exact = cues.map(({ startMs, endMs, text }) => [startMs, endMs, text]);

const srt = (texts: readonly { startMs: number; endMs: number; text: string }[]) =>
  texts
    .map(({ startMs, endMs, text }, at) => `${at + 1}\n${clock(startMs, ',')} --> ${clock(endMs, ',')}\n${text}\n\n`)
    .join('');

test('480 of 480 cues are exact in each container and format that holds milliseconds', async (t) => {
  const { folder } = bench;
  await writeFile(path.join(folder, 'exact.srt'), srt(cues));
  await writeFile(
    path.join(folder, 'exact.vtt'),
    `WEBVTT\n\n${cues.map(({ startMs, endMs, text }) => `${clock(startMs, '.')} --> ${clock(endMs, '.')} line:0\n${text}\n\n`).join('')}`,
  );
  const inputs = [...picture(61), '-i', 'exact.srt', '-i', 'exact.vtt'];
  await ffmpeg(folder, ...inputs, ...['-map', '0', '-map', '1', '-map', '2', '-c:s', 'copy', 'exact.mkv']);
  await ffmpeg(folder, ...inputs, ...['-map', '0', '-map', '1', '-map', '1', '-c:s', 'mov_text', 'exact.mp4']);
  const whole = [0, 61_000] as const;
  const matroska = await subtitles(bench, path.join(folder, 'exact.mkv'), whole, [
    track(1, 'subrip'),
    track(2, 'webvtt'),
  ]);
  t.deepEqual(cuesOf(matroska), [exact, exact]);
  const mp4 = await subtitles(bench, path.join(folder, 'exact.mp4'), whole, [
    track(1, 'mov_text'),
    track(2, 'mov_text'),
  ]);
  t.deepEqual(cuesOf(mp4), [exact, exact]);
});

test('text is what a viewer reads, in ASS, SubRip and WebVTT', async (t) => {
  const { folder } = bench;
  const head =
    '[Script Info]\nScriptType: v4.00+\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n';
  const events = [
    '{\\p1}m 0 0 l 100 0 100 100{\\p0}',
    '{\\an8}Hello{a remark for other typists}\\hthere',
    'real\\N00:00:01.500 --> 00:00:09.000\\N\\Nforged',
  ];
  const dialogues = events.map((text, at) => `Dialogue: 0,0:00:0${at}.50,0:00:0${at + 1}.25,Default,,0,0,0,,${text}\n`);
  await writeFile(path.join(folder, 'shown.ass'), head + dialogues.join(''));
  const shown = '\u200F\u202Bשלום&rlm; עולם\u202C&nbsp;!';
  await writeFile(path.join(folder, 'shown.vtt'), `WEBVTT\n\n00:01.000 --> 00:02.000\n<v Maria>${shown}</v>\n`);
  const inputs = [...picture(5), '-i', 'shown.ass', '-i', 'shown.vtt'];
  await ffmpeg(folder, ...inputs, ...['-map', '0', '-map', '1', '-map', '2', '-c:s', 'copy', 'shown.mkv']);
  const tracks = [track(1, 'ass'), track(2, 'webvtt')];
  t.deepEqual(cuesOf(await subtitles(bench, path.join(folder, 'shown.mkv'), [0, 5000], tracks)), [
    [
      [1500, 2250, 'Hello\u00A0there'],
      [2500, 3250, 'real\n00:00:01.500 --> 00:00:09.000\nforged'],
    ],
    [[1000, 2000, '\u200F\u202Bשלום\u200F עולם\u202C\u00A0!']],
  ]);
});

test('a Latin-1 cue does not vanish: it is named, and the cues around it are read', async (t) => {
  const { folder } = bench;
  const texts = ['Guten Abend', 'Caf\u00e9', 'Danke'].map((text, at) => ({
    startMs: 1000 * at,
    endMs: 1000 * at + 900,
    text,
  }));
  await writeFile(path.join(folder, 'latin.srt'), srt(texts), 'latin1');
  const inputs = [...picture(4), '-sub_charenc_mode', 'do_nothing', '-i', 'latin.srt'];
  await ffmpeg(folder, ...inputs, ...['-map', '0', '-map', '1', '-c:s', 'copy', 'latin.mkv']);
  const found = await subtitles(bench, path.join(folder, 'latin.mkv'), [0, 1500], [track(1, 'subrip')]);
  t.deepEqual(cuesOf(found), [
    [
      [0, 900, 'Guten Abend'],
      [1000, 1500, null, 'undecodable'],
    ],
  ]);
  const [, language] = found;
  if (language?.state !== 'available') throw new Error('no language');
  const [fact] = language.artifact.facts;
  t.is(fact?.kind === 'track_language' ? fact.cueCodes.length : null, 1);
});

test('TTML in MP4 is named as what is not read, beside a track that is', async (t) => {
  const { folder } = bench;
  await writeFile(path.join(folder, 'timed.srt'), srt([{ startMs: 1000, endMs: 2000, text: 'Hallo' }]));
  const inputs = [...picture(3), '-i', 'timed.srt'];
  await ffmpeg(folder, ...inputs, ...['-map', '0', '-map', '1', '-map', '1', '-c:s', 'mov_text', 'timed.mp4']);
  const bytes = await readFile(path.join(folder, 'timed.mp4'));
  bytes.write('stpp', bytes.lastIndexOf('tx3g'), 'latin1');
  await writeFile(path.join(folder, 'timed.mp4'), bytes);
  const found = await subtitles(
    bench,
    path.join(folder, 'timed.mp4'),
    [0, 3000],
    [track(1, 'mov_text'), track(2, 'ttml')],
  );
  t.deepEqual(cuesOf(found), [[[1000, 2000, 'Hallo']]]);
  t.deepEqual(
    found.filter(({ state }) => state === 'unavailable'),
    (['subtitle_track', 'text_language'] as const).map((kind) => ({
      kind,
      state: 'unavailable',
      reasonCode: 'subtitle_format_unsupported',
      trackIndex: 2,
    })),
  );
  const alone = await subtitles(bench, path.join(folder, 'timed.mp4'), [0, 3000], [track(2, 'ttml')]);
  t.deepEqual(statesOf(alone), [
    ['subtitle_track', 'subtitle_format_unsupported'],
    ['text_language', 'subtitle_format_unsupported'],
  ]);
});

test('of forty text tracks as many are read as the limit says, in silence, and the rest are named', async (t) => {
  const { folder } = bench;
  await writeFile(
    path.join(folder, 'many.srt'),
    srt([{ startMs: 1000, endMs: 2000, text: 'One line of text that is English' }]),
  );
  const indexes = Array.from({ length: 40 }, (_, at) => at + 1);
  const maps = indexes.flatMap(() => ['-map', '1']);
  await ffmpeg(folder, ...picture(3), '-i', 'many.srt', '-map', '0', ...maps, '-c:s', 'copy', 'many.mkv');
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  const found = await subtitles(
    bench,
    path.join(folder, 'many.mkv'),
    [0, 3000],
    indexes.map((index) => track(index, 'subrip')),
  );
  process.off('warning', onWarning);
  t.deepEqual(warnings, []);
  t.is(cuesOf(found).length, SUBTITLE_LIMITS.maxTracks);
  const named = found.flatMap((each) =>
    each.state === 'unavailable' ? [[each.kind, each.reasonCode, each.trackIndex]] : [],
  );
  t.deepEqual(
    named,
    (['subtitle_track', 'text_language'] as const).flatMap((kind) =>
      indexes.slice(SUBTITLE_LIMITS.maxTracks).map((index) => [kind, 'subtitle_limit_exceeded', index]),
    ),
  );
});

test('a track with more cues than are read is named, in a range that has fewer it is read', async (t) => {
  const { folder } = bench;
  const dense = Array.from({ length: SUBTITLE_LIMITS.maxTrackCues + 1 }, (_, at) => ({
    startMs: at,
    endMs: at + 1,
    text: `line ${at}`,
  }));
  await writeFile(path.join(folder, 'dense.srt'), srt(dense));
  await ffmpeg(
    folder,
    ...picture(5),
    '-i',
    'dense.srt',
    '-map',
    '0',
    '-map',
    '1',
    '-map',
    '1',
    '-c:s',
    'copy',
    'dense.mkv',
  );
  const file = path.join(folder, 'dense.mkv');
  const { maxTrackCues, maxCues } = SUBTITLE_LIMITS;
  const [one, two] = [track(1, 'subrip'), track(2, 'subrip')];
  const over = await subtitles(bench, file, [0, 5000], [one, two]);
  t.deepEqual(
    new Set(over.map((each) => each.state === 'unavailable' && each.reasonCode)),
    new Set(['subtitle_limit_exceeded']),
  );
  const full = new Array<SubtitleTrack>(maxCues / maxTrackCues).fill(one);
  const found = await subtitles(bench, file, [1, 5000], [...full, two]);
  t.deepEqual(
    cuesOf(found).map(({ length }) => length),
    full.map(() => maxTrackCues),
  );
  t.like(found[full.length], { kind: 'subtitle_track', reasonCode: 'subtitle_limit_exceeded', trackIndex: 2 });
});

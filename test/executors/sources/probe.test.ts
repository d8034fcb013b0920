import test from 'ava';
import type { ProbedTrack } from '../../../contract/sources/media-probe.ts';
import {
  ffprobeReport,
  milliseconds,
  positiveInteger,
  startOffset,
  trackOf,
} from '../../../executors/sources/ffprobe-report.ts';
import { extentOf, type MeasuredExtent } from '../../../executors/sources/media-extent.ts';
import { isPlayable, ProbeFailure } from '../../../executors/sources/probe-failure.ts';

test('seconds become rounded milliseconds, and only what is a length does', (t) => {
  t.is(milliseconds('51.6876'), 51_688);
  t.is(milliseconds('0.0005'), 1);
  for (const text of [undefined, 'N/A', '', '0', '0.0004', '-1', '1e400', '1e300', 'NaN'])
    t.is(milliseconds(text), null);
});

test('a clock begins at rounded milliseconds around zero, and at zero without a start time', (t) => {
  t.is(startOffset('6.976009'), 6976);
  t.is(startOffset('-0.0074'), -7);
  for (const text of [undefined, 'N/A', '0.000000', '1e400']) t.is(startOffset(text), 0);
});

test('a count is a whole number above zero', (t) => {
  t.is(positiveInteger('44100'), 44_100);
  for (const text of [undefined, 'N/A', '', '0', '-3', '1.5', '1e400']) t.is(positiveInteger(text), null);
});

test('a stream that states next to nothing is still described', (t) => {
  t.deepEqual(trackOf({ index: 3 }), {
    index: 3,
    type: 'data',
    codec: 'unknown',
    durationMs: null,
    language: null,
    isCoverArt: false,
  });
});

test('a track takes its duration from its tag if the container keeps it there', (t) => {
  t.is(trackOf({ index: 0, tags: { DURATION: '01:02:03.500000000' } }).durationMs, 3_723_500);
  t.is(trackOf({ index: 0, duration: '2.5', tags: { DURATION: '00:00:09.000000000' } }).durationMs, 2500);
  t.is(trackOf({ index: 0, tags: { DURATION: 'soon' } }).durationMs, null);
});

test('a language is kept as it is, and an invalid one is left out', (t) => {
  const languageOf = (language: string) => trackOf({ index: 0, tags: { language } }).language;
  t.is(languageOf('kor'), 'kor');
  t.is(languageOf('pt-BR'), 'pt-BR');
  for (const text of ['und', '', 'a b', '../x', 'k'.repeat(100)]) t.is(languageOf(text), null);
});

test('a language that is given by a name too long or too foreign for a tag becomes its tag', (t) => {
  const languageOf = (language: string) => trackOf({ index: 0, tags: { language } }).language;
  t.is(languageOf('Portuguese (Brazil)'), 'pt');
  t.is(languageOf('Français'), 'fr');
  t.is(languageOf('한국어'), 'ko');
  // A name that could be a tag is kept as the container has it; who reads it understands it.
  t.is(languageOf('Dutch'), 'Dutch');
});

test('timed text of MP4 that the tool takes for data is a subtitle track', (t) => {
  const unknown = { index: 2, codec_type: 'data', codec_tag_string: 'stpp' };
  t.like(trackOf(unknown), { type: 'subtitle', codec: 'ttml' });
  t.like(trackOf({ ...unknown, codec_tag_string: 'wvtt' }), { type: 'subtitle', codec: 'wvtt' });
  t.like(trackOf({ ...unknown, codec_tag_string: 'tmcd' }), { type: 'data', codec: 'unknown' });
  t.like(trackOf({ ...unknown, codec_name: 'bin_data' }), { type: 'data', codec: 'bin_data' });
});

test('a picture without a size, a cover and an unknown codec are nothing to play', (t) => {
  const video = { index: 0, codec_type: 'video', codec_name: 'h264', width: 320, height: 180 };
  t.true(isPlayable(trackOf(video)));
  t.false(isPlayable(trackOf({ ...video, width: 0 })));
  t.false(isPlayable(trackOf({ ...video, disposition: { attached_pic: 1 } })));
  t.false(isPlayable(trackOf({ index: 0, codec_type: 'audio' })));
});

test('keys that were not requested pass unread, wrong types do not', (t) => {
  t.deepEqual(ffprobeReport.parse({ programs: [], streams: [{ index: 0, more: true }] }), { streams: [{ index: 0 }] });
  t.false(ffprobeReport.safeParse({ streams: [{ index: '0' }] }).success);
  t.false(ffprobeReport.safeParse([]).success);
});

const trackFor = (type: ProbedTrack['type'], durationMs: number | null): ProbedTrack => ({
  index: 0,
  type,
  codec: 'any',
  durationMs,
  width: 320,
  height: 180,
  language: null,
  isCoverArt: false,
});

const sound = trackFor('audio', null);

const wav: MeasuredExtent = {
  containerNames: ['wav'],
  statedMs: 100_000,
  startOffsetMs: 0,
  heldMs: 100_000,
  damage: null,
  isEstimated: false,
  promisedMs: null,
  tracks: [sound],
};

const noteOf = (measured: Partial<MeasuredExtent>) => extentOf({ ...wav, ...measured }).incomplete;

test('what a file holds of its stated length counts, with a note, from three quarters on', (t) => {
  t.is(noteOf({ heldMs: 99_500 }), null);
  t.deepEqual(noteOf({ heldMs: 99_499 }), { cause: 'ends_early', statedMs: 100_000, measuredMs: 99_499 });
  t.is(extentOf({ ...wav, heldMs: 75_000 }).durationMs, 75_000);
  const failure = t.throws(() => extentOf({ ...wav, heldMs: 74_999 }), { instanceOf: ProbeFailure });
  t.regex(failure?.message ?? '', /^container_damaged: .* the file holds 74999 ms of the stated 100000 ms$/);
});

test('a film may end half a second before its stated length, sound alone a quarter', (t) => {
  const short = { statedMs: 10_000, heldMs: 9600 };
  t.deepEqual(noteOf(short), { cause: 'ends_early', statedMs: 10_000, measuredMs: 9600 });
  t.is(noteOf({ ...short, tracks: [sound, trackFor('video', null)] }), null);
});

test('a shortfall counts only with sound, times of packets, and a stated length', (t) => {
  const cut = { heldMs: 80_000 };
  t.is(noteOf({ ...cut, tracks: [trackFor('video', null)] }), null);
  t.is(noteOf({ ...cut, heldMs: null }), null);
  t.is(noteOf({ ...cut, containerNames: ['mpegts'] }), null);
  t.is(noteOf({ ...cut, containerNames: ['mp3'], isEstimated: true }), null);
});

test('a subtitle that outlasts picture and sound does not count as a shortfall', (t) => {
  const tracks = [trackFor('audio', 12_000), trackFor('subtitle', 15_500)];
  t.deepEqual(extentOf({ ...wav, statedMs: 15_500, heldMs: 12_000, tracks }), {
    durationMs: 15_500,
    tracks,
    incomplete: null,
  });
  const cut = extentOf({ ...wav, statedMs: 15_500, heldMs: 10_900, tracks });
  t.deepEqual(cut.incomplete, { cause: 'ends_early', statedMs: 12_000, measuredMs: 10_900 });
  const durations = cut.tracks.map(({ durationMs }) => durationMs);
  t.deepEqual(durations, [10_900, 10_900]);
});

test('a length that only the bytes of the header state is held against the file', (t) => {
  const cut = { statedMs: 90_000, heldMs: 90_000, promisedMs: 100_000 };
  t.deepEqual(noteOf(cut), { cause: 'ends_early', statedMs: 100_000, measuredMs: 90_000 });
  t.throws(() => extentOf({ ...wav, ...cut, promisedMs: 130_000 }), { instanceOf: ProbeFailure });
});

test('a length beyond what all tracks state and the file holds is misstated', (t) => {
  const tracks = [trackFor('audio', 10_000), trackFor('video', 10_000)];
  const measured = { statedMs: 4_294_967_294, heldMs: 10_008 };
  const note = { cause: 'length_misstated', statedMs: 4_294_967_294, measuredMs: 10_008 } as const;
  t.deepEqual(noteOf({ ...measured, tracks }), note);
  t.deepEqual(noteOf({ ...measured, tracks: [trackFor('audio', 4_294_967_294)] }), note);
  t.deepEqual(noteOf({ ...measured, tracks: [trackFor('video', null)] }), note);
  // A picture may stand for an hour.
  t.is(noteOf({ statedMs: 3_600_000, heldMs: 40, tracks: [trackFor('video', null)] }), null);
});

test('a length that counts from before the first sample is shortened by what lies before it', (t) => {
  const mkv = { ...wav, containerNames: ['matroska', 'webm'], statedMs: 37_000, startOffsetMs: 7000, heldMs: 30_037 };
  const late = extentOf({ ...mkv, tracks: [trackFor('audio', 37_000)] });
  t.like(late, { durationMs: 30_000, incomplete: null });
  t.is(late.tracks[0]?.durationMs, 30_000);
  t.is(extentOf({ ...mkv, statedMs: 30_000 }).durationMs, 30_000);
  t.is(extentOf({ ...mkv, containerNames: ['flv'], statedMs: 30_000 }).durationMs, 30_000);
});

test('bug: a Matroska with a late clock and a subtitle behind its last picture was taken for cut', (t) => {
  const tracks = [trackFor('audio', 17_000), trackFor('subtitle', 19_000)];
  const mkv = { ...wav, containerNames: ['matroska', 'webm'], statedMs: 19_000, startOffsetMs: 5000, heldMs: 14_000 };
  const { durationMs, incomplete, tracks: found } = extentOf({ ...mkv, tracks });
  t.deepEqual({ durationMs, incomplete }, { durationMs: 14_000, incomplete: null });
  t.deepEqual(
    found.map((track) => track.durationMs),
    [12_000, 14_000],
  );
});

test('an estimated length gives way to the measured one, and so do those of its tracks', (t) => {
  const guessed = { ...wav, containerNames: ['mp3'], isEstimated: true, tracks: [trackFor('audio', 27_848)] };
  const wrong = extentOf({ ...guessed, statedMs: 27_848, heldMs: 30_041 });
  t.like(wrong, { durationMs: 30_041, incomplete: null });
  t.is(wrong.tracks[0]?.durationMs, null);
  t.is(extentOf({ ...guessed, statedMs: 27_848, heldMs: 27_900 }).durationMs, 27_848);
});

test('bug: a file that goes on behind its stated length was studied in part, without a note', (t) => {
  const joined = { statedMs: 17_917, heldMs: 53_745, tracks: [trackFor('audio', 17_917)] };
  const { durationMs, incomplete, tracks } = extentOf({ ...wav, containerNames: ['ogg'], ...joined });
  t.is(durationMs, 53_745);
  t.deepEqual(incomplete, { cause: 'length_misstated', statedMs: 17_917, measuredMs: 53_745 });
  t.is(tracks[0]?.durationMs, null);
  // A packet or two more does not count, and neither do times of weeks.
  t.is(extentOf({ ...wav, heldMs: 100_400 }).durationMs, 100_000);
  t.is(extentOf({ ...wav, heldMs: 40 * 24 * 3_600_000 }).durationMs, 100_000);
});

test('damage is always noted, and ends what is claimed where the packets end', (t) => {
  const damaged = { damage: 'corrupt_packets', heldMs: 99_900 } as const;
  t.deepEqual(noteOf(damaged), { cause: 'corrupt_packets', statedMs: 100_000, measuredMs: 99_900 });
  t.deepEqual(noteOf({ ...damaged, containerNames: ['mpegts'] }), {
    cause: 'corrupt_packets',
    statedMs: null,
    measuredMs: 100_000,
  });
  t.deepEqual(noteOf({ damage: 'ends_early', statedMs: null, heldMs: 9000 }), {
    cause: 'ends_early',
    statedMs: null,
    measuredMs: 9000,
  });
  t.throws(() => extentOf({ ...wav, damage: 'ends_early', heldMs: null }), { instanceOf: ProbeFailure });
});

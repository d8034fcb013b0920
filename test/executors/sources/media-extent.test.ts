import test from 'ava';
import type { ProbedTrack } from '../../../contract/sources/probe-result.ts';
import { extentOf, type MeasuredExtent } from '../../../executors/sources/media-extent.ts';
import { ProbeFailure } from '../../../executors/sources/probe-failure.ts';

const track = (type: ProbedTrack['type'], durationMs: number | null): ProbedTrack => ({
  ...{ index: 0, type, codec: 'any', durationMs, width: 320, height: 180 },
  ...{ language: null, isCoverArt: false },
});

const sound = track('audio', null);

const wav: MeasuredExtent = {
  ...{ containerNames: ['wav'], statedMs: 100_000, startOffsetMs: 0, heldMs: 100_000, damage: null },
  ...{ isEstimated: false, promisedMs: null, tracks: [sound] },
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
  t.is(noteOf({ ...short, tracks: [sound, track('video', null)] }), null);
});

test('a shortfall counts only with sound, where packets have times, and where the container states its length', (t) => {
  const cut = { heldMs: 80_000 };
  t.is(noteOf({ ...cut, tracks: [track('video', null)] }), null);
  t.is(noteOf({ ...cut, heldMs: null }), null);
  t.is(noteOf({ ...cut, containerNames: ['mpegts'] }), null);
  t.is(noteOf({ ...cut, containerNames: ['mp3'], isEstimated: true }), null);
});

test('a subtitle that outlasts picture and sound is no shortfall', (t) => {
  const tracks = [track('audio', 12_000), track('subtitle', 15_500)];
  t.deepEqual(extentOf({ ...wav, statedMs: 15_500, heldMs: 12_000, tracks }), {
    ...{ durationMs: 15_500, tracks, incomplete: null },
  });
  const cut = extentOf({ ...wav, statedMs: 15_500, heldMs: 10_900, tracks });
  t.deepEqual(cut.incomplete, { cause: 'ends_early', statedMs: 12_000, measuredMs: 10_900 });
  t.deepEqual(
    cut.tracks.map(({ durationMs }) => durationMs),
    [10_900, 10_900],
  );
});

test('a length that only the bytes of the header state is held against the file', (t) => {
  const cut = { statedMs: 90_000, heldMs: 90_000, promisedMs: 100_000 };
  t.deepEqual(noteOf(cut), { cause: 'ends_early', statedMs: 100_000, measuredMs: 90_000 });
  t.throws(() => extentOf({ ...wav, ...cut, promisedMs: 130_000 }), { instanceOf: ProbeFailure });
});

test('a length beyond what all tracks state and the file holds is misstated', (t) => {
  const tracks = [track('audio', 10_000), track('video', 10_000)];
  const measured = { statedMs: 4_294_967_294, heldMs: 10_008 };
  const note = { cause: 'length_misstated', statedMs: 4_294_967_294, measuredMs: 10_008 } as const;
  t.deepEqual(noteOf({ ...measured, tracks }), note);
  t.deepEqual(noteOf({ ...measured, tracks: [track('audio', 4_294_967_294)] }), note);
  t.deepEqual(noteOf({ ...measured, tracks: [track('video', null)] }), note);
  // A picture may stand for an hour.
  t.is(noteOf({ statedMs: 3_600_000, heldMs: 40, tracks: [track('video', null)] }), null);
});

test('a length that counts from before the first sample is shortened by what lies before it', (t) => {
  const mkv = { ...wav, containerNames: ['matroska', 'webm'], statedMs: 37_000, startOffsetMs: 7000, heldMs: 30_037 };
  const late = extentOf({ ...mkv, tracks: [track('audio', 37_000)] });
  t.like(late, { durationMs: 30_000, incomplete: null });
  t.is(late.tracks[0]?.durationMs, 30_000);
  t.is(extentOf({ ...mkv, statedMs: 30_000 }).durationMs, 30_000);
  t.is(extentOf({ ...mkv, containerNames: ['flv'], statedMs: 30_000 }).durationMs, 30_000);
});

test('an estimated length gives way to the measured one, and so do those of its tracks', (t) => {
  const guessed = { ...wav, containerNames: ['mp3'], isEstimated: true, tracks: [track('audio', 27_848)] };
  const wrong = extentOf({ ...guessed, statedMs: 27_848, heldMs: 30_041 });
  t.like(wrong, { durationMs: 30_041, incomplete: null });
  t.is(wrong.tracks[0]?.durationMs, null);
  t.is(extentOf({ ...guessed, statedMs: 27_848, heldMs: 27_900 }).durationMs, 27_848);
});

test('damage is always noted, and ends what is claimed where the packets end', (t) => {
  const damaged = { damage: 'corrupt_packets', heldMs: 99_900 } as const;
  t.deepEqual(noteOf(damaged), { cause: 'corrupt_packets', statedMs: 100_000, measuredMs: 99_900 });
  t.deepEqual(noteOf({ ...damaged, containerNames: ['mpegts'] }), {
    ...{ cause: 'corrupt_packets', statedMs: null, measuredMs: 100_000 },
  });
  t.deepEqual(noteOf({ damage: 'ends_early', statedMs: null, heldMs: 9000 }), {
    ...{ cause: 'ends_early', statedMs: null, measuredMs: 9000 },
  });
  t.throws(() => extentOf({ ...wav, damage: 'ends_early', heldMs: null }), { instanceOf: ProbeFailure });
});

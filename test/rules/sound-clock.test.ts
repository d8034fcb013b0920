import test from 'ava';
import { countedFromTracks, countsSamples } from '../../rules/audio-track.ts';

const track = (index: number, kind: 'audio' | 'video' | 'subtitle', codec: string) => ({
  id: `stream:${index}`,
  index,
  kind,
  codec,
  durationMs: null,
});
const more = { cause: 'length_misstated', statedMs: 1000, measuredMs: 3000 } as const;

test('samples tell the times of sound alone that holds more than it states', (t) => {
  const opus = [track(0, 'audio', 'opus')];
  t.true(countsSamples({ tracks: opus, incompleteMedia: more }));
  t.false(countsSamples({ tracks: opus }));
  t.false(countsSamples({ tracks: opus, incompleteMedia: { ...more, measuredMs: 900 } }));
  t.false(countsSamples({ tracks: opus, incompleteMedia: { ...more, statedMs: null } }));
  // The times of MPEG audio go on over a joint, and a picture has times of its own.
  t.false(countsSamples({ tracks: [track(0, 'audio', 'mp3')], incompleteMedia: more }));
  t.false(countsSamples({ tracks: [track(0, 'video', 'theora'), track(1, 'audio', 'vorbis')], incompleteMedia: more }));
});

test('only a late clock and a track that is not decoded may have moved the times of earlier versions', (t) => {
  const tracks = [track(0, 'video', 'h264'), track(1, 'audio', 'mp2'), track(2, 'audio', 'mp2')];
  t.true(countedFromTracks({ tracks, startOffsetMs: 1400 }, 2));
  t.false(countedFromTracks({ tracks }, 2));
  t.false(countedFromTracks({ tracks: tracks.slice(0, 2), startOffsetMs: 1400 }, 2));
});

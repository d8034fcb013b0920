import test from 'ava';
import { playbackMimeTypeOf } from '../../../actors/playback/playback-media-type.ts';
import type { PlaybackMimeType } from '../../../contract/playback/private-playback.ts';
import type { MediaProbeTrack } from '../../../contract/sources/media-probe.ts';

const video: MediaProbeTrack = { index: 0, type: 'video', codec: 'h264' };
const audio: MediaProbeTrack = { index: 1, type: 'audio', codec: 'aac' };
const cover: MediaProbeTrack = { index: 2, type: 'other', codec: 'mjpeg' };
const iso = ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2'];

type Row = readonly [
  container: readonly string[],
  withVideo: PlaybackMimeType | null,
  withoutVideo: PlaybackMimeType | null,
];

const rows: readonly Row[] = [
  [iso, 'video/mp4', 'audio/mp4'],
  [['mp4'], 'video/mp4', 'audio/mp4'],
  [['matroska', 'webm'], 'video/webm', 'audio/webm'],
  [['webm'], 'video/webm', 'audio/webm'],
  [['matroska'], null, null],
  [['ogg'], 'video/ogg', 'audio/ogg'],
  [['mp3'], null, 'audio/mpeg'],
  [['wav'], null, 'audio/wav'],
  [['flac'], null, 'audio/flac'],
  [['mp3', 'wav'], null, null],
  [[...iso, 'avi'], null, null],
  [['avi'], null, null],
  [['mpegts'], null, null],
  [['constructor'], null, null],
];

for (const [container, withVideo, withoutVideo] of rows) {
  test(`${container.join(',')} is ${withVideo ?? 'nothing'} with a picture and ${withoutVideo ?? 'nothing'} without`, (t) => {
    t.is(playbackMimeTypeOf({ container: [...container], tracks: [video, audio] }), withVideo);
    t.is(playbackMimeTypeOf({ container: [...container], tracks: [video] }), withVideo);
    t.is(playbackMimeTypeOf({ container: [...container], tracks: [audio] }), withoutVideo);
    t.is(playbackMimeTypeOf({ container: [...container], tracks: [audio, cover] }), withoutVideo);
  });
}

import test from 'ava';
import {
  type GrantedMedia,
  maximumActiveGrants,
  PlaybackGrants,
  rememberedEndedGrants,
} from '../../actors/playback/playback-grants.ts';
import { playbackMimeTypeOf } from '../../actors/playback/private-playback.ts';
import {
  type PlaybackMimeType,
  playbackGrantId,
  playbackGrantLongestMs,
  playbackGrantMs,
} from '../../contract/playback.ts';
import type { MediaProbeTrack } from '../../contract/sources/media-probe.ts';
import { SimulatedClock } from './supervision/simulated-clock.ts';

const origin = 'http://127.0.0.1:4321';

const media: GrantedMedia = {
  runtimeId: 'runtime:one',
  origin,
  revisionId: 'source-revision:one',
  contentId: 'sha256:one',
  mimeType: 'video/mp4',
};

/** Grants on a clock that never moves, with ids and secrets that count up. */
function counted() {
  const clock = new SimulatedClock(Date.parse('2026-01-02T03:04:05.678Z'));
  let issued = 0;
  const grants = new PlaybackGrants({
    clock,
    elapsed: clock.elapsed,
    newId: () => `00000000-0000-4000-8000-${String(issued).padStart(12, '0')}`,
    newSecret: () => {
      issued += 1;
      return Buffer.alloc(32, issued);
    },
  });
  return { clock, grants };
}

const refusal = (code: string) => ({ name: 'ServiceError', code });

test('a grant opens its media to the one origin that knows its secret', (t) => {
  const { clock, grants } = counted();
  const { grantId, secret, issuedAtMs, expiresAtMs } = grants.issue(media);
  t.notThrows(() => playbackGrantId.parse(grantId));
  t.is(secret, Buffer.alloc(32, 1).toString('base64url'));
  t.is(issuedAtMs, clock.now());
  t.is(expiresAtMs - issuedAtMs, 600_000);
  t.is(grants.demand(grantId, secret, origin), media);
});

test('an unknown id, another secret and an empty one are indistinguishable', (t) => {
  const { grants } = counted();
  const { grantId, secret } = grants.issue(media);
  const other = grants.issue(media);
  const tries = [
    ['private-playback-grant:none', secret],
    [grantId, other.secret],
    [grantId, ''],
    [grantId, `${secret}A`],
    [grantId, secret.toLowerCase()],
    [other.grantId, secret],
  ] as const;
  for (const [id, guess] of tries) {
    // Also from another origin: an unknown grant reveals nothing about origins.
    for (const from of [origin, 'http://evil.example']) {
      t.throws(() => grants.demand(id, guess, from), refusal('private_playback_grant_unavailable'));
    }
  }
});

test('another origin is refused before it learns whether the grant has ended', (t) => {
  const { clock, grants } = counted();
  const { grantId, secret } = grants.issue(media);
  t.throws(() => grants.demand(grantId, secret, 'http://localhost:4321'), refusal('origin_not_allowed'));
  clock.advance(playbackGrantMs);
  t.throws(() => grants.demand(grantId, secret, 'http://localhost:4321'), refusal('origin_not_allowed'));
});

test('a grant ends on the millisecond, and its timer with it', (t) => {
  const { clock, grants } = counted();
  const { grantId, secret } = grants.issue(media);
  let ended = 0;
  grants.onEnd(grantId, () => {
    ended += 1;
  });
  clock.advance(playbackGrantMs - 1);
  t.is(grants.demand(grantId, secret, origin), media);
  t.is(ended, 0);
  clock.advance(1);
  t.is(ended, 1);
  t.throws(() => grants.demand(grantId, secret, origin), refusal('private_playback_grant_expired'));
  t.throws(() => grants.revoke(grantId, media.runtimeId), refusal('private_playback_grant_unavailable'));
  t.is(clock.pending, 0);
});

test('a grant whose timer is late has ended all the same', (t) => {
  let now = 0;
  const clock = { now: () => now, setTimeout: () => undefined, clearTimeout: () => undefined };
  const grants = new PlaybackGrants({
    clock,
    elapsed: () => 0,
    newId: () => 'slept',
    newSecret: () => Buffer.alloc(32),
  });
  const { grantId, secret } = grants.issue(media);
  let ended = 0;
  grants.onEnd(grantId, () => {
    ended += 1;
  });
  now = playbackGrantMs;
  t.throws(() => grants.demand(grantId, secret, origin), refusal('private_playback_grant_expired'));
  t.is(ended, 1);
});

test('only its own runtime revokes a grant, and only once', (t) => {
  const { clock, grants } = counted();
  const { grantId, secret } = grants.issue(media);
  const stays = grants.issue(media);
  t.throws(() => grants.revoke(grantId, 'runtime:two'), refusal('private_playback_grant_unavailable'));
  clock.advance(1234);
  t.is(grants.revoke(grantId, media.runtimeId), clock.now());
  t.throws(() => grants.revoke(grantId, media.runtimeId), refusal('private_playback_grant_unavailable'));
  t.throws(() => grants.demand(grantId, secret, origin), refusal('private_playback_grant_expired'));
  t.is(grants.demand(stays.grantId, stays.secret, origin), media);
  t.is(clock.pending, 1);
});

test('a waiter learns the end of a grant once, and not after it stopped waiting', (t) => {
  const { grants } = counted();
  const [one, two] = [grants.issue(media), grants.issue(media)];
  const notified: string[] = [];
  grants.onEnd(one.grantId, () => notified.push('one'));
  grants.onEnd(one.grantId, () => notified.push('one again'));
  grants.onEnd(two.grantId, () => notified.push('two'));
  grants.onEnd(one.grantId, () => notified.push('nobody'))();
  grants.revoke(one.grantId, media.runtimeId);
  t.deepEqual(notified, ['one', 'one again']);
  grants.onEnd(one.grantId, () => notified.push('late'));
  t.deepEqual(notified, ['one', 'one again', 'late']);
  grants.close();
  t.deepEqual(notified, ['one', 'one again', 'late', 'two']);
});

test('64 grants are active at most; one that ends makes room for one', (t) => {
  const { clock, grants } = counted();
  t.is(maximumActiveGrants, 64);
  const issued = Array.from({ length: maximumActiveGrants }, () => {
    clock.advance(1);
    return grants.issue(media);
  });
  t.throws(() => grants.issue(media), refusal('private_playback_grant_capacity'));
  grants.revoke(issued[20]?.grantId ?? '', media.runtimeId);
  grants.issue(media);
  t.throws(() => grants.issue(media), refusal('private_playback_grant_capacity'));
  clock.advance((issued[1]?.expiresAtMs ?? 0) - clock.now());
  grants.issue(media);
  grants.issue(media);
  t.throws(() => grants.issue(media), refusal('private_playback_grant_capacity'));
});

test('of the grants that ended the last are remembered, and the oldest forgotten', (t) => {
  const { clock, grants } = counted();
  const first = grants.issue(media);
  grants.revoke(first.grantId, media.runtimeId);
  const second = grants.issue(media);
  for (let ended = 1; ended < rememberedEndedGrants; ended += 1) {
    grants.revoke(grants.issue(media).grantId, media.runtimeId);
  }
  t.throws(() => grants.demand(first.grantId, first.secret, origin), refusal('private_playback_grant_expired'));
  // The time of the end counts, not the time of issue.
  grants.revoke(second.grantId, media.runtimeId);
  t.throws(() => grants.demand(first.grantId, first.secret, origin), refusal('private_playback_grant_unavailable'));
  t.throws(() => grants.demand(second.grantId, second.secret, origin), refusal('private_playback_grant_expired'));
  t.is(clock.pending, 0);
});

test('a renewed grant lasts from the renewal on, tells of its end once, and leaves one timer', (t) => {
  const { clock, grants } = counted();
  const { grantId, secret, issuedAtMs } = grants.issue(media);
  let ends = 0;
  grants.onEnd(grantId, () => {
    ends += 1;
  });
  clock.advance(playbackGrantMs - 1);
  const renewed = grants.renew(grantId, media.runtimeId, origin);
  t.deepEqual(renewed, {
    expiresAtMs: clock.now() + playbackGrantMs,
    renewableUntilMs: issuedAtMs + playbackGrantLongestMs,
  });
  t.is(clock.pending, 1);
  clock.advance(playbackGrantMs - 1);
  t.is(grants.demand(grantId, secret, origin), media);
  t.is(ends, 0);
  clock.advance(1);
  t.throws(() => grants.demand(grantId, secret, origin), refusal('private_playback_grant_expired'));
  t.is(ends, 1);
  t.throws(() => grants.renew(grantId, media.runtimeId, origin), refusal('private_playback_grant_expired'));
});

test('no renewal moves the last end of a grant', (t) => {
  const { clock, grants } = counted();
  const { grantId, issuedAtMs } = grants.issue(media);
  for (let at = 0; at < playbackGrantLongestMs / playbackGrantMs; at += 1) {
    clock.advance(playbackGrantMs - 1);
    grants.renew(grantId, media.runtimeId, origin);
  }
  const { expiresAtMs } = grants.renew(grantId, media.runtimeId, origin);
  t.is(expiresAtMs, issuedAtMs + playbackGrantLongestMs);
  clock.advance(expiresAtMs - clock.now());
  t.throws(() => grants.renew(grantId, media.runtimeId, origin), refusal('private_playback_grant_expired'));
});

test('bug: renewals of a grant outlasted its last end while the clock was set back', (t) => {
  const { clock, grants } = counted();
  const { grantId, secret } = grants.issue(media);
  const began = clock.elapsed();
  const pieceMs = playbackGrantMs - 1;
  while (clock.elapsed() + pieceMs < began + playbackGrantLongestMs) {
    clock.advance(pieceMs);
    clock.set(-playbackGrantMs);
    grants.renew(grantId, media.runtimeId, origin);
  }
  const leftMs = began + playbackGrantLongestMs - clock.elapsed();
  t.is(grants.renew(grantId, media.runtimeId, origin).expiresAtMs, clock.now() + leftMs);
  clock.advance(leftMs - 1);
  t.is(grants.demand(grantId, secret, origin), media);
  clock.advance(1);
  t.throws(() => grants.demand(grantId, secret, origin), refusal('private_playback_grant_expired'));
  t.is(clock.pending, 0);
});

test('a grant ends in time if the clock is set back, and at once if it is set forward', (t) => {
  for (const { set, lasts } of [
    { set: -3_600_000, lasts: true },
    { set: 3_600_000, lasts: false },
  ]) {
    const { clock, grants } = counted();
    const { grantId, secret } = grants.issue(media);
    clock.set(set);
    clock.advance(playbackGrantMs - 1);
    const read = () => grants.demand(grantId, secret, origin);
    if (lasts) t.is(read(), media);
    clock.advance(1);
    t.throws(read, refusal('private_playback_grant_expired'));
    t.is(clock.pending, 0);
  }
});

test('a grant is renewed under its own runtime and by its own origin alone', (t) => {
  const { grants } = counted();
  const { grantId } = grants.issue(media);
  t.throws(() => grants.renew(grantId, 'runtime:two', origin), refusal('private_playback_grant_unavailable'));
  t.throws(() => grants.renew(grantId, media.runtimeId, 'http://x'), refusal('origin_not_allowed'));
  t.throws(
    () => grants.renew('private-playback-grant:x', media.runtimeId, origin),
    refusal('private_playback_grant_unavailable'),
  );
});

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

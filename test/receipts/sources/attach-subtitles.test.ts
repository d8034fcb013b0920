import test from 'ava';
import { SourceInconsistent } from '../../../contract/sources/source-fault.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { receiptOf, sealWithSubtitles } from '../../../receipts/sources/attach-subtitles.ts';
import type { SealedChain } from '../../../receipts/sources/open-chain.ts';
import { sealOwnedIngest, sealVideohostIngest } from '../../../receipts/sources/seal-source.ts';
import { contentRefOf } from '../../../receipts/sources/sealed-content.ts';
import { sealedSubtitleOf } from '../../../receipts/sources/subtitle-track.ts';
import { verifyRecords, verifySource } from '../../../receipts/sources/verify-source.ts';
import { attachedClip, attachedTrack } from './attached-clip.ts';
import { clipIngest, forged, videoIngest } from './sealed-clip.ts';

const { chain: bareChain, files } = attachedClip();
const bare = sealOwnedIngest(clipIngest);
const track = attachedTrack;
const attached = sealWithSubtitles(bareChain, [track(4), track(5, null)], files);

const bytesOf = (words: string): Buffer => Buffer.from(words, 'utf8');

const inconsistent = (code: string, place: RegExp) =>
  ({ instanceOf: SourceInconsistent, code, message: place }) as const;

test('an attached file makes another revision of the same source, with a track behind those of the media', (t) => {
  const { session, tracks, trackLanguages, subtitleTracks = [] } = attached.source;
  t.is(session.sessionId, bare.source.session.sessionId);
  t.not(session.revisionId, bare.source.session.revisionId);
  t.deepEqual(tracks.slice(0, 4), bare.source.tracks);
  t.deepEqual(
    tracks.slice(4),
    [4, 5].map((index) => ({ id: `stream:${index}`, index, kind: 'subtitle', codec: 'subrip', durationMs: null })),
  );
  t.deepEqual(trackLanguages.slice(-1), [{ index: 4, language: 'en' }]);
  t.deepEqual(
    subtitleTracks.map(({ trackIndex, language }) => [trackIndex, language]),
    [
      [4, 'en'],
      [5, null],
    ],
  );
  t.deepEqual(
    attached.source.files.slice(-2).map(({ contentId }) => contentId),
    [...files.keys()],
  );
  t.deepEqual(registeredSource.parse(attached.source), attached.source);
  t.deepEqual(verifySource(attached.chain, null), attached.source);
});

test('the source is what it was, byte for byte, when its last file is taken off', (t) => {
  t.deepEqual(sealWithSubtitles(attached.chain, [], files).source, bare.source);
  t.deepEqual(
    sealWithSubtitles(attached.chain, [track(4)], files).source,
    sealWithSubtitles(bare.chain, [track(4)], files).source,
  );
});

test('a range of a video takes files as an owned file does', (t) => {
  const { chain, source } = sealVideohostIngest(videoIngest);
  const sealed = sealWithSubtitles(chain, [track(4)], files);
  t.is(sealed.source.trackCount, source.trackCount + 1);
  t.deepEqual(verifySource(sealed.chain, null), sealed.source);
});

const saying = (tracks: unknown): SealedChain =>
  forged(attached.chain, 'source-receipt', { ...receiptOf(attached.chain), subtitle_tracks: tracks });

test('a receipt that says of a file what the file is not is refused', (t) => {
  const [one, two] = [track(4), track(5)];
  const refusals: readonly (readonly [unknown, string, RegExp])[] = [
    [[{ ...one, bytes: one.bytes + 1 }], 'content_mismatch', /0\.content_id$/],
    [[{ ...one, text: { ...one.text, bytes: 1 } }], 'content_mismatch', /0\.text$/],
    [[{ ...one, text: { ...one.text, content_id: one.content_id, bytes: one.bytes } }], 'link_mismatch', /0\.text$/],
    [[{ ...one, encoding: 'utf-16le' }], 'content_mismatch|link_mismatch', /0\.(?:encoding|text)$/],
    [[{ ...one, path: '../lines.srt' }], 'source_outside_root', /0\.path$/],
    [[{ ...one, track_index: 3 }], 'link_mismatch', /0\.track_index$/],
    [[two, one], 'link_mismatch', /1\.track_index$/],
  ];
  for (const [tracks, code, place] of refusals) {
    const error = t.throws(() => verifyRecords(saying(tracks)), { instanceOf: SourceInconsistent });
    t.regex(error?.code ?? '', new RegExp(`^(?:${code})$`));
    t.regex(error?.place ?? '', place);
  }
});

test('a file that is missing or has other bytes is told', (t) => {
  const [raw = '', text = ''] = files.keys();
  const without = (contentId: string) => new Map([...files].filter(([each]) => each !== contentId));
  t.throws(
    () => verifyRecords({ ...attached.chain, subtitles: without(raw) }),
    inconsistent('file_missing', /0\.content_id$/),
  );
  t.throws(
    () => verifyRecords({ ...attached.chain, subtitles: without(text) }),
    inconsistent('file_missing', /0\.text$/),
  );
  const changed = new Map([...files, [text, Buffer.concat([files.get(text) ?? bytesOf(''), bytesOf('!')])]]);
  t.throws(
    () => verifyRecords({ ...attached.chain, subtitles: changed }),
    inconsistent('content_mismatch', /0\.text$/),
  );
});

test('a text of WebVTT verifies by the rules of the host that sealed it, and by no others', (t) => {
  const written = bytesOf('WEBVTT\n\nNOTEBOOK\n00:01.000 --> 00:01.000\nnever shown\n\n00:02.000 --> 00:03.000\nx\n');
  const before = written;
  const today = bytesOf(written.toString('utf8').replace('NOTEBOOK\n', ''));
  const other = bytesOf(written.toString('utf8').replace('never', 'ever'));
  const sealedAs = (text: Buffer) => {
    const [file, ...texts] = [written, text].map(contentRefOf);
    if (file === undefined) throw new Error('a file');
    const named = sealedSubtitleOf({
      ...{ trackIndex: 4, label: 'Lines', language: 'en', format: 'webvtt', encoding: 'utf-8', file },
      ...{ text: texts[0] ?? file, rightsHolder: 'Me', assertedAt: '2026-01-02T03:04:05.678Z' },
      measured: { cues: 2, outOfOrder: 0, overlapping: 0, withoutDuration: 1, beyondMedia: 0 },
    });
    const all = new Map([...files, ...[written, text].map((each) => [contentRefOf(each).contentId, each] as const)]);
    return () => verifySource(sealWithSubtitles(bareChain, [named], all).chain, null);
  };
  t.notThrows(sealedAs(before));
  t.notThrows(sealedAs(today));
  t.throws(sealedAs(other), inconsistent('link_mismatch', /0\.text$/));
});

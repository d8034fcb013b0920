import test from 'ava';
import { SourceInconsistent } from '../../../contract/sources/source-fault.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { receiptOf, sealWithSubtitles } from '../../../receipts/sources/attach-subtitles.ts';
import type { SealedChain } from '../../../receipts/sources/open-chain.ts';
import { sealOwnedIngest, sealVideohostIngest } from '../../../receipts/sources/seal-source.ts';
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

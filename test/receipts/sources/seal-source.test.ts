import test from 'ava';
import { mediaProbe } from '../../../contract/sources/media-probe.ts';
import { preflightBundle } from '../../../contract/sources/preflight-bundle.ts';
import { SourceInconsistent } from '../../../contract/sources/source-fault.ts';
import { ownedLocalReceipt } from '../../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { contentIdOfBytes, hashOf } from '../../../receipts/core/canonical-json.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import { chainOf, clipIngest, edited, pinnedFiles, recordOf, sealedClip } from './sealed-clip.ts';

const hex = clipIngest.media.contentId.slice('sha256:'.length);

test('a first ingest is sealed with its receipt, its probe and a preflight of version 1', (t) => {
  const { objects, source } = sealedClip(1);
  t.deepEqual(
    objects.map(({ path }) => path),
    ['source-receipt.json', 'media-probe.json', 'preflight.v1.json'],
  );
  for (const { contentId, bytes } of objects) t.is(contentId, contentIdOfBytes(bytes));
  t.deepEqual(
    source.files.map(({ contentId }) => contentId),
    [clipIngest.media.contentId, ...objects.map(({ contentId }) => contentId)],
  );
  t.true(source.files.every(({ path }) => path === null));
  t.deepEqual(source.pinnedEvidence, []);
  t.deepEqual(registeredSource.parse(source), source);
});

test('the records keep what was attested and measured', (t) => {
  const { preflight, records } = chainOf(sealedClip(1));
  const receipt = ownedLocalReceipt.parse(recordOf(records['source-receipt']));
  t.is(receipt.receipt_id, `owned-local:${hex}`);
  t.is(receipt.origin.filename, 'clip.mp4');
  t.is(receipt.rights.asserted_by, 'Its owner');
  t.is(receipt.rights.asserted_at, '2026-01-02T03:04:05.678Z');
  t.is(receipt.rights.scope, 'local_processing');
  t.deepEqual(receipt.selection, { start: 0, end: 4, duration: 4 });
  t.is(receipt.raw_media.path, 'media/original');
  const probe = mediaProbe.parse(recordOf(records['container-probe']));
  t.deepEqual(probe.tracks, [
    { index: 0, type: 'video', codec: 'h264', duration: 4, width: 64, height: 48 },
    { index: 1, type: 'audio', codec: 'aac', duration: 3.99, language: 'ko', sample_rate: 44100, channels: 2 },
    { index: 2, type: 'subtitle', codec: 'mov_text', language: 'ko' },
    { index: 3, type: 'other', codec: 'mjpeg' },
  ]);
  t.is(preflightBundle.parse(recordOf(preflight)).preflight_id, `preflight:${clipIngest.media.contentId}`);
});

test('the session and the revision follow from the records by their formulas', (t) => {
  const { objects, source } = sealedClip(3);
  const { session } = source;
  const idOf = (name: string) => objects.find(({ path }) => path === name)?.contentId ?? '';
  const { adapterId, sourceReceipt, source: media, mediaProbe, preflight } = session;
  const languages = session.detectedLanguageEvidenceContentIds;
  t.is(
    session.sessionId,
    `source-session:${hashOf({ adapterId, receiptId: `owned-local:${hex}`, sourceContentId: `sha256:${hex}` })}`,
  );
  t.is(
    session.revisionId,
    `source-revision:${hashOf({
      adapterId,
      sourceReceipt,
      source: media,
      mediaProbe,
      preflight,
      detectedLanguageEvidenceContentIds: languages,
    })}`,
  );
  t.is(adapterId, 'owned-local-source-adapter.v1');
  t.deepEqual(media, { ...clipIngest.media, durationMs: 4000 });
  t.is(sourceReceipt.contentId, idOf('source-receipt.json'));
  t.is(mediaProbe.contentId, idOf('media-probe.json'));
  t.is(preflight.contentId, idOf('preflight.v3.json'));
  t.is(preflight.preflightId, `preflight:sha256:${hex}:speech-v1:language-v1`);
  t.deepEqual(languages, [idOf('language-ranges.json')]);
});

test('the same ingest is sealed to the same bytes', (t) => {
  t.deepEqual(sealedClip(3), sealedClip(3));
});

test('cover art, data and attachments are listed as other tracks', (t) => {
  const { tracks, trackCount } = sealedClip(1).source;
  t.is(trackCount, 4);
  t.deepEqual(
    tracks.map(({ id, kind, durationMs }) => [id, kind, durationMs]),
    [
      ['stream:0', 'video', 4000],
      ['stream:1', 'audio', 3990],
      ['stream:2', 'subtitle', null],
      ['stream:3', 'other', null],
    ],
  );
});

test('audio tracks that are flagged as default are kept, and nothing is said where none is', (t) => {
  t.false('defaultTracks' in sealedClip(1).source);
  const tracks = clipIngest.probe.tracks.map((track) =>
    track.type === 'audio' ? { ...track, isDefault: true as const } : track,
  );
  const sealed = sealOwnedIngest({ ...clipIngest, probe: { ...clipIngest.probe, tracks } });
  t.deepEqual(sealed.source.defaultTracks, [1]);
  t.deepEqual(registeredSource.parse(sealed.source), sealed.source);
  const probe = mediaProbe.parse(recordOf(chainOf(sealed).records['container-probe']));
  t.deepEqual(
    probe.tracks.map((track) => track.type === 'audio' && track.default),
    [false, true, false, false],
  );
});

test('evidence that was pinned to the same bytes is carried over to a new attestation', (t) => {
  const first = sealedClip(3).source;
  const claim = { ...clipIngest.claim, label: 'The clip, again' };
  const { source } = sealOwnedIngest({ ...clipIngest, claim, pinned: pinnedFiles });
  t.is(source.session.sessionId, first.session.sessionId);
  t.not(source.session.revisionId, first.session.revisionId);
  t.is(source.label, 'The clip, again');
  t.deepEqual(source.pinnedEvidence, first.pinnedEvidence);
  t.deepEqual(source.pinnedEvidence, [
    {
      kind: 'speech-activity-receipt',
      contentId: contentIdOfBytes(pinnedFiles.speechActivity),
      bytes: pinnedFiles.speechActivity.length,
    },
    {
      kind: 'language-ranges-receipt',
      contentId: contentIdOfBytes(pinnedFiles.languageRanges),
      bytes: pinnedFiles.languageRanges.length,
    },
  ]);
});

test('evidence of other media is refused', (t) => {
  const media = { contentId: `sha256:${'0'.repeat(64)}`, bytes: 9 };
  const refusal = t.throws(() => sealOwnedIngest({ ...clipIngest, media, pinned: pinnedFiles }), {
    instanceOf: SourceInconsistent,
  });
  t.is(refusal?.message, 'link_mismatch: speech-activity.input.source_content_id');
});

test('evidence that is no record is refused', (t) => {
  const record = edited(recordOf(pinnedFiles.speechActivity), 'frames', undefined);
  const pinned = { speechActivity: Buffer.from(JSON.stringify(record)), languageRanges: null };
  t.throws(() => sealOwnedIngest({ ...clipIngest, pinned }), { instanceOf: SourceInconsistent });
});

test('a hostile file name is kept as provenance and names no file', (t) => {
  const claim = { ...clipIngest.claim, filename: '..%2f..%2fetc$(id) .mp4' };
  const { objects } = sealOwnedIngest({ ...clipIngest, claim });
  t.true(objects.every(({ path }) => /^[a-z0-9.-]+$/.test(path)));
  const [receipt] = objects;
  t.is(ownedLocalReceipt.parse(recordOf(receipt?.bytes)).origin.filename, '..%2f..%2fetc$(id) .mp4');
});

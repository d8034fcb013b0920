import test from 'ava';
import { mediaProbe } from '../../../contract/sources/media-probe.ts';
import { preflightBundle } from '../../../contract/sources/preflight-bundle.ts';
import { ownedLocalReceipt, SourceInconsistent, sourceReceipt } from '../../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { contentIdOfBytes, hashOf, indentedFile } from '../../../formats/canonical-json.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import { type RecordKind, type SealedChain, verifySource } from '../../../receipts/sources/verify-source.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { failureOf } from '../reopening/fault-place.ts';
import { changesOf } from '../reopening/mutations.ts';
import {
  chainOf,
  clipIngest,
  edited,
  forged,
  pinnedFiles,
  recordKinds,
  recordOf,
  sealedClip,
  withRecord,
} from './sealed-clip.ts';

const hex = clipIngest.media.contentId.slice('sha256:'.length);

test('a first ingest is sealed with its receipt, its probe and a preflight of version 1', (t) => {
  const { objects, source } = sealedClip(1);
  t.deepEqual(fieldOf(objects, 'path'), ['source-receipt.json', 'media-probe.json', 'preflight.v1.json']);
  for (const { contentId, bytes } of objects) t.is(contentId, contentIdOfBytes(bytes));
  t.deepEqual(
    source.files.map(({ contentId }) => contentId),
    [clipIngest.media.contentId, ...objects.map(({ contentId }) => contentId)],
  );
  t.true(source.files.every(({ path }) => path === null));
  t.deepEqual(source.pinnedEvidence, []);
  t.deepEqual(registeredSource.parse(source), source);
});

test('the records keep the attested and measured values', (t) => {
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
  t.deepEqual(fieldsOf(tracks, 'id', 'kind', 'durationMs'), [
    ['stream:0', 'video', 4000],
    ['stream:1', 'audio', 3990],
    ['stream:2', 'subtitle', null],
    ['stream:3', 'other', null],
  ]);
});

test('audio tracks that are flagged as default are kept, and a missing flag stays absent', (t) => {
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

test('evidence that is not a record is refused', (t) => {
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

const sealed = sealedClip(3);
const chain = chainOf(sealed);

/** The refusal of a chain as `code: place`, or null. */
const refusalOf = (attempt: SealedChain): string | null =>
  failureOf(SourceInconsistent, () => verifySource(attempt, null))?.message ?? null;

/** Free values of a record: measured or attested, with no relation to any other value. */
const free: Readonly<Record<(typeof recordKinds)[number] | 'preflight', RegExp>> = {
  'container-probe':
    /^\.(run\.tools\[.*|container.*|bit_rate|tracks\[-\d]|tracks\[\d]\.(codec|duration-?|language-|width|height|sample_rate|channels)|tracks\[3]\.index)$/,
  'source-receipt': /^\.(label|origin\.filename|rights\.(asserted_by|statement)|note)$/,
  'speech-activity': /^\.(run\.tools\[.*|run\.models\[0]\.(name|version)|configuration\..*|frames\.samples_per_frame)$/,
  'language-ranges':
    /^\.(run\.models\[0]\.(name|version)|configuration\..*|languages\[[-~]1]|ranges\[-1]|ranges\[\d]\.(start_sample|scores\[-0]|decision\.token_id))$/,
  preflight: /^\.(producer|note|artifacts\[[145]]\.path)$/,
};

test('a sealed source is what its seal said it is', (t) => {
  for (const version of [1, 2, 3] as const) {
    const { source } = sealedClip(version);
    t.deepEqual(verifySource(chainOf(sealedClip(version)), null), source);
    t.is(source.session.preflight.schema, `studio.preflight-bundle.v${version}`);
  }
});

test('files of a folder are named by their absolute paths', (t) => {
  const { files, folder } = verifySource(chain, '/media/clip');
  t.is(folder, '/media/clip');
  t.deepEqual(
    files.map(({ path }) => path?.slice('/media/clip/'.length)),
    [
      'media/original',
      'source-receipt.json',
      'media-probe.json',
      'preflight.v3.json',
      'speech-activity.json',
      'language-ranges.json',
    ],
  );
});

for (const kind of recordKinds) {
  test(`a changed byte in ${kind} is a content mismatch`, (t) => {
    const bytes = Buffer.from(chain.records[kind] ?? []);
    for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      const attempt = { ...chain, records: { ...chain.records, [kind]: flipped } };
      t.is(refusalOf(attempt), `content_mismatch: preflight.artifacts.${kind}.content`);
    }
  });

  test(`a missing ${kind} is reported`, (t) => {
    const { [kind]: missing, ...records } = chain.records;
    t.truthy(missing);
    t.is(refusalOf({ ...chain, records }), `file_missing: preflight.artifacts.${kind}`);
  });

  test(`no forged ${kind} contradicts the other records and passes`, (t) => {
    const record = recordOf(chain.records[kind]);
    const passed = changesOf(record).filter(({ value }) => refusalOf(forged(chain, kind, value)) === null);
    t.deepEqual(
      passed.map(({ at }) => at).filter((at) => !free[kind].test(at)),
      [],
    );
  });

  test(`a forger reaches the records behind the digests of ${kind}`, (t) => {
    t.is(refusalOf(forged(chain, kind, recordOf(chain.records[kind]))), null);
  });
}

test('changed media are a content mismatch', (t) => {
  const other = { contentId: `sha256:${'0'.repeat(64)}`, bytes: chain.media.bytes };
  t.is(refusalOf({ ...chain, media: other }), 'content_mismatch: preflight.artifacts.raw-media.content');
  const longer = { ...chain.media, bytes: chain.media.bytes + 1 };
  t.is(refusalOf({ ...chain, media: longer }), 'content_mismatch: preflight.artifacts.raw-media.content');
});

test('no changed preflight contradicts the records that it names and passes', (t) => {
  const passed = changesOf(recordOf(chain.preflight)).filter(
    ({ value }) => refusalOf(withRecord(chain, 'preflight', value)) === null,
  );
  t.deepEqual(
    passed.map(({ at }) => at).filter((at) => !free.preflight.test(at)),
    [],
  );
});

const preflightIs = (path: string, value: unknown) =>
  withRecord(chain, 'preflight', edited(recordOf(chain.preflight), path, value));
const forgedIs = (kind: RecordKind, path: string, value: unknown) =>
  forged(chain, kind, edited(recordOf(chain.records[kind]), path, value));
const otherId = `sha256:${'f'.repeat(64)}`;

const refusals: readonly (readonly [string, SealedChain, string])[] = [
  [
    'a key that the schema does not know',
    forgedIs('source-receipt', 'rights.extra', 1),
    'record_malformed: source-receipt.rights',
  ],
  ['a missing key', forgedIs('container-probe', 'duration', undefined), 'record_malformed: container-probe.duration'],
  [
    'a receipt id of other media',
    forgedIs('source-receipt', 'receipt_id', `owned-local:${'f'.repeat(64)}`),
    'identity_mismatch: source-receipt.receipt_id',
  ],
  [
    'a preflight id of another version',
    preflightIs('preflight_id', `preflight:${chain.media.contentId}:speech-v1`),
    'identity_mismatch: preflight.preflight_id',
  ],
  [
    'an artifact id that does not follow from the artifact',
    preflightIs('artifacts.2.artifact_id', `container-probe:${otherId}`),
    'identity_mismatch: preflight.artifacts.container-probe.artifact_id',
  ],
  [
    'a receipt over other media',
    forgedIs('source-receipt', 'raw_media.content_id', otherId),
    'link_mismatch: source-receipt.raw_media',
  ],
  [
    'a receipt that names another probe',
    forgedIs('source-receipt', 'derived_artifacts.0.content_hash.digest', 'f'.repeat(64)),
    'link_mismatch: source-receipt.derived_artifacts.content_hash',
  ],
  ['a probe of other media', forgedIs('container-probe', 'input.bytes', 1), 'link_mismatch: container-probe.input'],
  [
    'speech in a track that is not sound',
    forgedIs('speech-activity', 'input.track_index', 0),
    'link_mismatch: speech-activity.input.track_index',
  ],
  [
    'languages over other speech',
    forgedIs('language-ranges', 'input.speech_activity_content_id', otherId),
    'link_mismatch: language-ranges.input',
  ],
  [
    'a model that the lineage does not name',
    forgedIs('language-ranges', 'run.models', []),
    'link_mismatch: preflight.artifacts.language-ranges',
  ],
  [
    'a selection that is 200 ms longer than the media',
    forgedIs('source-receipt', 'selection', { start: 0, end: 4.2, duration: 4.2 }),
    'duration_mismatch: source-receipt.selection',
  ],
  [
    'a media path that leaves the folder',
    preflightIs('artifacts.0.path', '../clip.mp4'),
    'source_outside_root: preflight.artifacts.raw-media.path',
  ],
  [
    'a record path from the root',
    preflightIs('artifacts.1.path', '/etc/passwd'),
    'source_outside_root: preflight.artifacts.source-receipt.path',
  ],
  [
    'a path with a drive',
    preflightIs('artifacts.2.path', 'C:/probe.json'),
    'source_outside_root: preflight.artifacts.container-probe.path',
  ],
  [
    'a path with a backslash',
    preflightIs('artifacts.4.path', '..\\speech.json'),
    'source_outside_root: preflight.artifacts.speech-activity.path',
  ],
  [
    'windows that leave a gap',
    forgedIs('speech-activity', 'speech_windows.0.start_sample', 16001),
    'evidence_invalid: speech-activity.windows',
  ],
  [
    'windows that end before the media',
    forgedIs('speech-activity', 'non_speech_windows.1.end_sample', 63999),
    'evidence_invalid: speech-activity.windows',
  ],
  [
    'a language outside its speech window',
    forgedIs('language-ranges', 'ranges.1.end_sample', 48001),
    'evidence_invalid: language-ranges.ranges.1.speech_window_index',
  ],
  [
    'a language that was not asked for',
    forgedIs('language-ranges', 'ranges.0.decision.code', 'ja'),
    'evidence_invalid: language-ranges.ranges.0.languages',
  ],
];

for (const [name, attempt, refusal] of refusals) {
  test(`${name} is refused`, (t) => {
    t.is(refusalOf(attempt), refusal);
  });
}

test('a selection that is 150 ms off the measured duration is still the same', (t) => {
  t.is(refusalOf(forgedIs('source-receipt', 'selection', { start: 0, end: 4.15, duration: 4.15 })), null);
  t.is(refusalOf(forgedIs('source-receipt', 'selection', { start: 0, end: 3.85, duration: 3.85 })), null);
});

test('a record in another form than the one written is refused', (t) => {
  const compact = Buffer.from(JSON.stringify(recordOf(chain.preflight)));
  t.is(refusalOf({ ...chain, preflight: compact }), 'record_malformed: preflight');
  const twice = Buffer.from(chain.preflight.toString().replace('{', '{\n  "note": "",'));
  t.is(refusalOf({ ...chain, preflight: twice }), 'record_malformed: preflight');
  for (const bytes of [
    Buffer.of(0xff),
    Buffer.from('null\n'),
    Buffer.from(''),
    Buffer.from(`\ufeff${chain.preflight}`),
  ]) {
    t.is(refusalOf({ ...chain, preflight: bytes }), 'record_malformed: preflight');
  }
  t.is(refusalOf({ ...chain, preflight: indentedFile([]) }), 'record_malformed: preflight');
});

const incomplete = { cause: 'ends_early', statedMs: 5000, measuredMs: 4000 } as const;

const cutClip = () => sealOwnedIngest({ ...clipIngest, probe: { ...clipIngest.probe, startOffsetMs: -7, incomplete } });

test('probe, receipt and registry of incomplete media carry the same note', (t) => {
  const sealed = cutClip();
  const { source } = sealed;
  t.deepEqual(source.incompleteMedia, incomplete);
  t.is(source.startOffsetMs, -7);
  t.is(source.session.source.durationMs, 4000);
  t.deepEqual(registeredSource.parse(source), source);
  const { records } = chainOf(sealed);
  const note = { cause: 'ends_early', stated: 5, measured: 4 };
  const probe = mediaProbe.parse(recordOf(records['container-probe']));
  t.deepEqual(probe.incomplete_media, note as typeof probe.incomplete_media);
  t.is(probe.start_offset, -0.007);
  const receipt = sourceReceipt.parse(recordOf(records['source-receipt']));
  t.deepEqual(receipt.incomplete_media, note as typeof receipt.incomplete_media);
  t.deepEqual(verifySource(chainOf(cutClip()), null), source);
});

test('media that is what it states has neither note nor offset in any record', (t) => {
  const { source, objects } = sealedClip(1);
  t.false('incompleteMedia' in source);
  t.false('startOffsetMs' in source);
  for (const { bytes } of objects) t.notRegex(Buffer.from(bytes).toString('utf8'), /incomplete_media|start_offset/);
});

test('a receipt that conceals the note of its probe, or makes one of its own, does not verify', (t) => {
  const cut = chainOf(cutClip());
  const receipt = recordOf(cut.records['source-receipt']);
  const concealed = edited(receipt, 'incomplete_media', undefined);
  const message = 'link_mismatch: source-receipt.incomplete_media';
  const verify = (record: unknown) => verifySource(forged(cut, 'source-receipt', record), null);
  t.throws(() => verify(concealed), { instanceOf: SourceInconsistent, message });
  t.throws(() => verify(edited(receipt, 'incomplete_media.stated', 6)), { instanceOf: SourceInconsistent, message });
});

test('a probe whose note and duration differ is malformed', (t) => {
  const cut = chainOf(cutClip());
  const record = edited(recordOf(cut.records['container-probe']), 'incomplete_media.measured', 3);
  t.throws(() => verifySource(forged(cut, 'container-probe', record), null), { message: /^record_malformed: / });
});

import test from 'ava';
import type { ResyncedStretch } from '../../../contract/sources/derived-subtitles.ts';
import { SourceInconsistent } from '../../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { indentedFile } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { measuredCues, openSubtitleFile } from '../../../formats/subtitles.ts';
import {
  type Derivation,
  derivedRecordBytes,
  derivedRecordOf,
  placementAt,
  resyncedBySteps,
} from '../../../receipts/sources/derived-subtitles.ts';
import { contentRefOf } from '../../../receipts/sources/sealed-record.ts';
import { sealedSubtitleOf } from '../../../receipts/sources/subtitle-track.ts';
import { verifyRecords } from '../../../receipts/sources/verify-source.ts';
import { attachedClip } from './attached-clip.ts';
import { withSubtitles } from './sealed-clip.ts';

// A track that the program made of another file: the receipt names both, and what was done is derived again.

const figures = { score: 2000, bound: 900, chance: 1 };
const stretches: readonly ResyncedStretch[] = [
  {
    verdict: 'in_sync',
    cues: { from: 1, to: 1 },
    startMs: 0,
    endMs: 500,
    numerator: 1,
    denominator: 1,
    offsetMs: 40,
    ...figures,
  },
  {
    verdict: 'shifted',
    cues: { from: 2, to: 2 },
    startMs: 1000,
    endMs: 2000,
    numerator: 1,
    denominator: 1,
    offsetMs: -300,
    ...figures,
  },
  { verdict: 'unknown', cues: { from: 3, to: 3 }, startMs: 3000, endMs: 3500, reason: 'too_few_cues' },
];
const cues = (second: string): Buffer =>
  Buffer.from(
    `1\n00:00:00,000 --> 00:00:00,500\na\n\n2\n${second}\nb\n\n3\n00:00:03,000 --> 00:00:03,500\nc\n`,
    'utf8',
  );
const parent = cues('00:00:01,000 --> 00:00:02,000');
const srt = { format: 'srt', encoding: 'utf-8' } as const;

const derivation: Derivation = {
  runtimeId: 'runtime:00000000-0000-4000-8000-000000000001',
  parent: { bytes: parent, label: 'Lines', ...srt, trackIndex: null },
  made: { origin: 'resynced', rules: { alignment: 2 }, stretches: [...stretches] },
  attestedBy: 'Local reviewer',
};
const assertedAt = '2026-01-02T03:04:05.678Z';
const { chain } = attachedClip();

function sealed(bytes: Uint8Array, record: Uint8Array, parentBytes: Uint8Array = parent) {
  const file = resultOfSteps(openSubtitleFile(bytes, { format: null, encoding: null }));
  const track = sealedSubtitleOf({
    trackIndex: 4,
    label: 'Lines, moved',
    language: null,
    format: file.format,
    encoding: file.encoding,
    file: contentRefOf(bytes),
    text: contentRefOf(file.text),
    measured: measuredCues(file.cues, 4000),
    notes: file.notes,
    rightsHolder: 'Me',
    assertedAt,
    derived: {
      origin: 'resynced',
      parent: { ...contentRefOf(parentBytes), format: 'srt', label: 'Lines', trackIndex: null },
      record: contentRefOf(record),
    },
  });
  const files = new Map([bytes, file.text, record, parentBytes].map((each) => [contentRefOf(each).contentId, each]));
  return withSubtitles(chain, [track], files);
}

const moved = resultOfSteps(resyncedBySteps(parent, srt, stretches)).bytes;
const recordOf = (made: Uint8Array, given: Partial<Derivation> = {}) =>
  derivedRecordOf({ ...derivation, ...given }, { ...contentRefOf(made), ...srt }, assertedAt);
const record = derivedRecordBytes(recordOf(moved));

test('only a stretch that is off is moved; one in sync and an unknown one keep their times', (t) => {
  t.is(Buffer.from(moved).toString('utf8'), cues('00:00:00,700 --> 00:00:01,700').toString('utf8'));
  t.is(placementAt(stretches, 999), null);
  t.like(placementAt(stretches, 2999), { offsetMs: -300 });
  t.is(placementAt(stretches, 9000), null);
});

test('a source names the origin of a moved track and the digest of its parent, and keeps the parent and the record', (t) => {
  const { source, chain: attached } = sealed(moved, record);
  const parentContentId = contentRefOf(parent).contentId;
  const recordContentId = contentRefOf(record).contentId;
  t.deepEqual(source.subtitleTracks?.[0]?.derived, {
    origin: 'resynced',
    parentLabel: 'Lines',
    parentTrackIndex: null,
    parentContentId,
    recordContentId,
  });
  const kept = source.files.map(({ contentId }) => contentId);
  t.true([parentContentId, recordContentId].every((each) => kept.includes(each)));
  t.deepEqual(registeredSource.parse(source), source);
  t.notThrows(() => resultOfSteps(verifyRecords(attached)));
});

test('a moved track that does not follow from its parent and its record is refused', (t) => {
  const refused = (bytes: Uint8Array, of: Uint8Array, place: RegExp, parentBytes?: Uint8Array) =>
    t.throws(() => sealed(bytes, of, parentBytes), { instanceOf: SourceInconsistent, message: place });
  const other = cues('00:00:00,701 --> 00:00:01,701');
  refused(other, derivedRecordBytes(recordOf(other)), /^link_mismatch: source-receipt.subtitle_tracks.0.content_id/);
  refused(other, record, /derived.record.result/);
  refused(moved, record, /derived.parent/, other);
  refused(moved, indentedFile({ ...recordOf(moved), more: 1 }), /^record_malformed/);
  const lied = { ...derivation.made, origin: 'aligned', rules: { script: 1 }, stretches: [] };
  refused(moved, indentedFile({ ...recordOf(moved), made: lied }), /^record_malformed/);
  const script = { ...derivation.parent, format: 'script' } as const;
  refused(moved, derivedRecordBytes(recordOf(moved, { parent: script })), /derived.parent/);
});

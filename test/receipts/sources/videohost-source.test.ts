import test from 'ava';
import { SourceInconsistent, videohostLocalReceipt } from '../../../contract/sources/source-receipt.ts';
import { type RegisteredSource, registeredSource } from '../../../contract/sources/source-session.ts';
import { videohostResolution } from '../../../contract/sources/videohost-resolution.ts';
import { contentIdOfBytes, hashOf } from '../../../formats/canonical-json.ts';
import { reopenSource } from '../../../receipts/sources/reopen-source.ts';
import { sealVideohostIngest } from '../../../receipts/sources/seal-source.ts';
import { type RecordKind, type SealedChain, verifySource } from '../../../receipts/sources/verify-source.ts';
import { canonicalUrlOf, videohostLabelOf, videohostLabelsOf } from '../../../receipts/sources/videohost.ts';
import { fieldOf } from '../../fields.ts';
import { contentOf } from '../core/stored-content-in-memory.ts';
import { failureOf } from '../reopening/fault-place.ts';
import { changesOf } from '../reopening/mutations.ts';
import { chainOf, edited, forged, mediaBytes, recordOf, sealedClip, sealedVideo, videoIngest } from './sealed-clip.ts';

const sealed = sealedVideo();
const chain = chainOf(sealed);
const hex = videoIngest.media.contentId.slice('sha256:'.length);

const refusalOf = (attempt: () => unknown) => failureOf(SourceInconsistent, attempt)?.message ?? null;
const refusalOfChain = (attempt: SealedChain) => refusalOf(() => verifySource(attempt, null));
const forgedIs = (kind: RecordKind, path: string, value: unknown) =>
  forged(chain, kind, edited(recordOf(chain.records[kind]), path, value));

test('a range of a video is sealed with receipt, probe, preflight and what its host said', (t) => {
  const { objects, source } = sealed;
  t.deepEqual(fieldOf(objects, 'path'), [
    'source-receipt.json',
    'media-probe.json',
    'preflight.v1.json',
    'resolution.json',
  ]);
  t.deepEqual(
    source.files.map(({ contentId }) => contentId),
    [videoIngest.media.contentId, ...objects.map(({ contentId }) => contentId)],
  );
  t.deepEqual(registeredSource.parse(source), source);
  t.deepEqual(verifySource(chain, null), source);
  t.like(source, {
    sourceKind: 'videohost_local',
    label: 'A walk by the sea',
    provider: { externalId: 'abcdefghijk', range: { startMs: 9000, endMs: 13_000 } },
    session: {
      adapterId: 'videohost-local-source-adapter.v1',
      sourceReceipt: { receiptId: `videohost-local:${hex}`, rightsScope: 'local_processing' },
      source: { durationMs: 4000 },
    },
  });
  t.not(source.session.sessionId, sealedClip(1).source.session.sessionId);
});

test('the receipt has the request, the answer of the host and the encoding of the range', (t) => {
  const receipt = videohostLocalReceipt.parse(recordOf(chain.records['source-receipt']));
  const said = videohostResolution.parse(recordOf(chain.records.resolution));
  t.like(receipt.origin, { canonical_url: 'https://www.youtube.com/watch?v=abcdefghijk', creator: 'Who walked' });
  t.deepEqual(receipt.selection, {
    provider_start_ms: 9000,
    provider_end_ms: 13_000,
    local_start: 0,
    local_end: 4,
    duration: 4,
  });
  t.like(receipt.rights, { scope: 'local_processing', redistribution_allowed: false });
  t.deepEqual(fieldOf(receipt.cut.tools, 'name'), ['yt-dlp', 'ffmpeg']);
  t.is(receipt.resolution.content_id, contentIdOfBytes(chain.records.resolution ?? Buffer.of()));
  t.deepEqual(receipt.resolution.tool, said.tool);
  const { schema: _, resolution_id, ...body } = said;
  t.is(resolution_id, `videohost-resolution:${hashOf(body)}`);
  t.is(said.requested_url, 'https://youtu.be/abcdefghijk?t=9');
});

test('media that are not as long as the range are refused from 1501 ms on', (t) => {
  const attempt = (durationMs: number) =>
    refusalOf(() =>
      sealVideohostIngest({
        ...videoIngest,
        probe: { ...videoIngest.probe, durationMs, durationSeconds: durationMs / 1000 },
      }),
    );
  for (const durationMs of [2500, 4000, 5500]) t.is(attempt(durationMs), null);
  for (const durationMs of [2499, 5501]) t.is(attempt(durationMs), 'duration_mismatch: source-receipt.selection');
});

test('a resolution that is missing or was changed is reported', (t) => {
  const { resolution: _, ...records } = chain.records;
  t.is(refusalOfChain({ ...chain, records }), 'file_missing: source-receipt.resolution');
  const changed = Buffer.from(chain.records.resolution ?? []);
  changed[9] = (changed[9] ?? 0) ^ 1;
  const attempt = { ...chain, records: { ...chain.records, resolution: changed } };
  t.is(refusalOfChain(attempt), 'content_mismatch: source-receipt.resolution.content_id');
});

/** Free values of the two records; the range only within the bounds of the measured seconds. */
const free: Readonly<Partial<Record<RecordKind, RegExp>>> = {
  'source-receipt': /^\.(selection\.provider_(start|end)_ms|rights\.statement|cut\.tools\[.*|note)$/,
};

for (const kind of ['resolution', 'source-receipt'] as const) {
  test(`no forged ${kind} of a video contradicts the other records and passes`, (t) => {
    const record = recordOf(chain.records[kind]);
    t.is(refusalOfChain(forged(chain, kind, record)), null);
    const passed = changesOf(record).filter(({ value }) => refusalOfChain(forged(chain, kind, value)) === null);
    t.deepEqual(
      passed.map(({ at }) => at).filter((at) => free[kind]?.test(at) !== true),
      [],
    );
  });
}

test('a registered range is read back with what its host said; one changed byte is named', async (t) => {
  const { source, objects } = sealed;
  const files = new Map(objects.map(({ contentId, bytes }) => [contentId, bytes]));
  files.set(videoIngest.media.contentId, mediaBytes);
  const subjects: string[] = [];
  const reopen = (stored: RegisteredSource, content: ReadonlyMap<string, Uint8Array>) =>
    reopenSource(stored, stored.session, {
      content: contentOf(content),
      report: ({ subject }) => subjects.push(subject),
      pause: () => undefined,
    });
  t.deepEqual((await reopen(source, files)).registered, source);
  t.deepEqual(subjects, ['source-receipt', 'container-probe', 'resolution', 'raw-media', 'preflight']);

  const said = objects.find(({ path }) => path === 'resolution.json')?.contentId ?? '';
  const lost = new Map([...files].filter(([contentId]) => contentId !== said));
  await t.throwsAsync(reopen(source, lost), { message: /resolution: missing$/ });
  const spoiled = new Map([...files, [said, Buffer.from('{}')]]);
  await t.throwsAsync(reopen(source, spoiled), { message: /resolution: content$/ });
  if (source.sourceKind !== 'videohost_local') throw new Error('a range has a provider');
  const moved = { ...source, provider: { ...source.provider, range: { startMs: 0, endMs: 4000 } } };
  await t.throwsAsync(reopen(moved, files), { message: /source.provider/ });
});

const refusals: readonly (readonly [string, SealedChain, string])[] = [
  [
    'a receipt of owned media for a video',
    forgedIs('source-receipt', 'receipt_id', `owned-local:${hex}`),
    'identity_mismatch: source-receipt.receipt_id',
  ],
  [
    'a resolution that was changed after it got its id',
    forgedIs('resolution', 'video.title', 'Another title'),
    'identity_mismatch: resolution.resolution_id',
  ],
  [
    'another tool than the one that was asked',
    forgedIs('source-receipt', 'resolution.tool.version', '2'),
    'link_mismatch: source-receipt.resolution',
  ],
  [
    'another creator than the one that was stated',
    forgedIs('source-receipt', 'origin.creator', 'Somebody else'),
    'link_mismatch: source-receipt.origin',
  ],
  [
    'a label that is not the title',
    forgedIs('source-receipt', 'label', 'Another title'),
    'link_mismatch: source-receipt.label',
  ],
  [
    'a range that ends after the video',
    forgedIs('source-receipt', 'selection.provider_end_ms', 60_001),
    'link_mismatch: source-receipt.selection',
  ],
  [
    'a range that is longer than the media',
    forgedIs('source-receipt', 'selection.provider_end_ms', 14_501),
    'duration_mismatch: source-receipt.selection',
  ],
  [
    'a range that may be passed on',
    forgedIs('source-receipt', 'rights.scope', 'redistribution'),
    'record_malformed: source-receipt.rights.scope',
  ],
];

for (const [name, attempt, refusal] of refusals) {
  test(`${name} is refused`, (t) => t.is(refusalOfChain(attempt), refusal));
}

test('a label is the title without control characters, cut to 160, else the id of the video', (t) => {
  t.is(videohostLabelOf('  A\u0000\u001b walk\u0085 ', 'id'), 'A walk');
  t.is(videohostLabelOf('x'.repeat(161), 'id'), 'x'.repeat(160));
  t.is(videohostLabelOf(`${'x'.repeat(159)}😀`, 'id'), 'x'.repeat(159));
  t.is(videohostLabelOf(`${'x'.repeat(158)}😀`, 'id'), `${'x'.repeat(158)}😀`);
  t.is(videohostLabelOf(`${'x'.repeat(159)} y`, 'id'), 'x'.repeat(159));
  for (const nothing of [null, '', ' \u0000 ']) t.is(videohostLabelOf(nothing, 'i'.repeat(200)), 'i'.repeat(160));
});

test('a title that looks like an option or a path, or turns letters around, loses that', (t) => {
  const rows = {
    '-rf /': 'rf /',
    '--help me': 'help me',
    '/etc/passwd': 'etc/passwd',
    '~/.ssh': '.ssh',
    'C:\\Users': 'Users',
    '\\\\share\\x': 'share\\x',
    ' - ~ / x': 'x',
    'a\u202Egpj.exe\u2028b\u2066c': 'agpj.exebc',
    'A - b / c ~ d': 'A - b / c ~ d',
  };
  for (const [title, label] of Object.entries(rows)) t.is(videohostLabelOf(title, 'id'), label);
  t.is(videohostLabelOf('--/~', '-dQw4w9'), 'dQw4w9');
  t.is(videohostLabelOf(null, '---'), 'video');
});

test('a range that was listed by its whole title before still verifies', (t) => {
  t.deepEqual(videohostLabelsOf('-rf /', 'id'), ['rf /', '-rf /']);
  t.deepEqual(videohostLabelsOf(null, '-id'), ['id', '-id']);
});

test('if a host names its videos by their ids, the address of one follows from its id', (t) => {
  t.is(canonicalUrlOf('youtube', 'a/b&c', 'https://else.example/x'), 'https://www.youtube.com/watch?v=a%2Fb%26c');
  t.is(canonicalUrlOf('html5', 'x', 'https://else.example/x'), 'https://else.example/x');
});

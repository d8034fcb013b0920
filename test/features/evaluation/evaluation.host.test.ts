import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { Upload } from '../../../actors/ingest/owned/upload.ts';
import { EvaluationFault } from '../../../contract/evaluation.ts';
import type { OwnedIngestStatus } from '../../../contract/ingest.ts';
import { type ItemIngests, ingestItem, openPackFolder } from '../../../features/evaluation/labeled-media.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import type { Receiving } from '../../../storage/objects/object-store.ts';
import { fault } from '../../receipts/evaluation/evaluation-packs.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { english, evaluate, ffmpegThat, toneItem } from './evaluated-packs.ts';
import { briefItem, packFolder, packOfItems, samplePack, writeManifest, writeMedia } from './labeled-packs.ts';

const path = 'source/media/sample.mp4';

const repositoryPack = fileURLToPath(new URL('../../../fixtures/sample', import.meta.url));

test('the sample is a pack', async (t) => {
  const { pack } = await openPackFolder(repositoryPack);
  t.deepEqual(pack, samplePack);
});

test('a pack is found with its media, also over a link to its folder', async (t) => {
  const folder = await packFolder(t);
  const link = join(await scratchFolder(t), 'link');
  await symlink(folder, link);
  for (const given of [folder, link]) {
    const opened = await openPackFolder(given);
    t.deepEqual(opened.pack.items.map(opened.pathOf), [join(opened.folder, path)]);
  }
});

test('a missing folder, manifest or medium is named', async (t) => {
  const folder = await packFolder(t);
  const media = await readFile(sampleMedia);
  await rm(join(folder, path));
  await t.throwsAsync(openPackFolder(folder), fault('pack_file_missing', path));
  await mkdir(join(folder, path));
  await t.throwsAsync(openPackFolder(folder), fault('pack_file_missing', path));
  await rm(join(folder, path), { recursive: true });
  await writeMedia(folder, path, media);
  await rm(join(folder, 'pack.json'));
  await t.throwsAsync(openPackFolder(folder), fault('pack_file_missing', 'pack.json'));
  await t.throwsAsync(openPackFolder(join(folder, 'none')), fault('pack_file_missing', 'pack.json'));
});

test('media with other bytes than the manifest names is refused', async (t) => {
  const folder = await packFolder(t);
  const media = await readFile(sampleMedia);
  const flipped = Buffer.from(media);
  flipped.writeUInt8(flipped.readUInt8(1000) ^ 1, 1000);
  for (const bytes of [flipped, media.subarray(1), Buffer.concat([media, Buffer.alloc(1)])]) {
    await writeMedia(folder, path, bytes);
    await t.throwsAsync(openPackFolder(folder), fault('pack_file_mismatch', path));
  }
});

test('nothing in a pack is read over a link', async (t) => {
  const folder = await packFolder(t);
  await rename(join(folder, 'source'), join(folder, 'elsewhere'));
  await symlink('elsewhere', join(folder, 'source'));
  await t.throwsAsync(openPackFolder(folder), fault('pack_file_outside', path));
  const other = await packFolder(t);
  await rm(join(other, path));
  await symlink(sampleMedia, join(other, path));
  await t.throwsAsync(openPackFolder(other), fault('pack_file_outside', path));
});

test('a manifest that cannot be read stops before any media is looked at', async (t) => {
  const folder = await packFolder(t, { schema: 'studio.evaluation-pack.v9' });
  await rm(join(folder, path));
  await t.throwsAsync(openPackFolder(folder), fault('pack_schema_unknown', 'studio.evaluation-pack.v9'));
  await writeManifest(folder, '');
  await t.throwsAsync(openPackFolder(folder), fault('pack_malformed', 'manifest.schema'));
});

const queued: OwnedIngestStatus = {
  schema: 'studio.owned-media-ingest.v1',
  ingestId: 'owned-ingest:00000000-0000-4000-8000-000000000000',
  status: 'queued',
  updatedAt: '2026-01-02T03:04:05.671Z',
  source: null,
  failure: null,
};

/** A service whose disk takes one block and then no more; `onEvent` gets the events of the upload. */
function stalledIngests(onEvent: (event: 'written' | 'discarded' | 'released') => void): ItemIngests {
  const receiving: Receiving = {
    failure: null,
    write: () => {
      onEvent('written');
      return false;
    },
    onDrain: () => undefined,
    finish: () => Promise.reject(new Error('the upload never ends')),
    discard: async () => onEvent('discarded'),
  };
  const outcome = {
    announced: async () => undefined,
    received: () => Promise.reject(new Error('the upload never ends')),
    faulted: async () => undefined,
    arrived: () => undefined,
    released: () => onEvent('released'),
  };
  return {
    open: async () => queued,
    status: () => queued,
    watch: () => () => undefined,
    beginUpload: (ingestId) => new Upload({ receive: async () => receiving }, ingestId, 1_000_000, outcome),
  };
}

const item = briefItem({ speech: [] });

test('an upload that is stopped on its way is given up, with the reason', async (t) => {
  const stop = new AbortController();
  const reason = new EvaluationFault('evaluation_stopped', 'a test');
  const events: string[] = [];
  const ingests = stalledIngests((event) => {
    events.push(event);
    if (event === 'written') stop.abort(reason);
  });
  t.is(await t.throwsAsync(ingestItem(ingests, samplePack, item, sampleMedia, stop.signal)), reason);
  t.deepEqual(events, ['written', 'discarded', 'released']);
});

test('a file that cannot be read any more gives its upload up', async (t) => {
  const events: string[] = [];
  const ingests = stalledIngests((event) => events.push(event));
  const gone = join(await scratchFolder(t), 'gone.mp4');
  const { signal } = new AbortController();
  await t.throwsAsync(ingestItem(ingests, samplePack, item, gone, signal), { code: 'ENOENT' });
  t.deepEqual(events, ['discarded', 'released']);
});

test('a range that runs past its media is refused', async (t) => {
  const item = { ...english, range: { startMs: 0, endMs: 50_001 } };
  await t.throwsAsync(
    evaluate(t, await packFolder(t, packOfItems(item))),
    fault('labels_outside_media', 'brief: range ends after the media, which has 50000 ms'),
  );
});

test('labels of a track that is not a text track are refused', async (t) => {
  const item = briefItem({ subtitles: [{ trackIndex: 1, language: 'ko', cues: [] }] });
  await t.throwsAsync(
    evaluate(t, await packFolder(t, packOfItems(item))),
    fault('labels_outside_media', 'brief: labels.subtitles.0.trackIndex: no such text track'),
  );
});

test('labels for a track that the media does not have are refused', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  const cuts = { frameRate: { numerator: 25, denominator: 1 }, atMs: [] };
  const subtitles = [{ trackIndex: 1, language: null, cues: [] }];
  const refusals = [
    [{ cuts }, 'brief: labels.cuts: no_video_track'],
    [{ subtitles }, 'brief: labels.subtitles.0.trackIndex: no_text_subtitle_track'],
  ] as const;
  for (const [labels, place] of refusals) {
    await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, ...labels } }));
    await t.throwsAsync(evaluate(t, folder), fault('labels_outside_media', place));
  }
});

test('captions of more than any production takes are refused', async (t) => {
  const { folder, item } = await toneItem(t, 121);
  const captions = { sourceLanguage: 'ko', targetLanguage: 'en' };
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, captions } }));
  await t.throwsAsync(
    evaluate(t, folder),
    fault(
      'labels_outside_media',
      'brief: labels.captions: captions are made of at most 120000 ms, the study has 121000 ms',
    ),
  );
});

test('a file that is not media is refused with the word of the probe', async (t) => {
  const bytes = Buffer.from('words, only words\n'.repeat(100));
  const folder = await scratchFolder(t);
  const media = { path: 'words.mp4', contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  await writeMedia(folder, media.path, bytes);
  await writeManifest(folder, packOfItems({ ...english, media }));
  const refusal = await t.throwsAsync(evaluate(t, folder), { instanceOf: EvaluationFault });
  t.regex(refusal?.message ?? '', /^media_refused: brief: probe_failed: not_media/);
});

test('a labeled transcript needs a recognizer, and is refused before any study starts', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  const transcript = { language: 'en', lines: [] };
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, transcript } }));
  const message = `recognizer_missing: ${item.itemId}: labels.transcript`;
  await t.throwsAsync(evaluate(t, folder), { instanceOf: EvaluationFault, message });
});

test('labeled text on the screen needs a reader, and is refused before anything is studied', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, screenTexts: [] } }));
  const message = `screen_text_reader_missing: ${item.itemId}: labels.screenTexts`;
  await t.throwsAsync(evaluate(t, folder), { instanceOf: EvaluationFault, message });
});

test('media that changes after it was hashed is not studied', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, speech: [] } }));
  const whole = await readFile(join(folder, 'tone.wav'));
  const louder = Buffer.from(whole);
  louder.writeInt16LE(1000, whole.length - 2);
  const changes: [Uint8Array, RegExp][] = [
    [louder, /^pack_file_mismatch: tone\.wav$/],
    [Buffer.concat([whole, whole]), /^media_refused: brief: invalid_upload_length: /],
    [whole.subarray(1), /^media_refused: brief: invalid_upload_length: /],
  ];
  for (const [bytes, message] of changes) {
    await writeMedia(folder, 'tone.wav', whole);
    const meanwhile = () => writeMedia(folder, 'tone.wav', bytes);
    await t.throwsAsync(evaluate(t, folder, { meanwhile }), { instanceOf: EvaluationFault, message });
  }
});

test('a label outside the media of the last item is refused before any item is studied', async (t) => {
  const environment = await ffmpegThat(t, 'exit 3');
  const beyond = { ...english, itemId: 'beyond', range: { startMs: 0, endMs: 50_001 } };
  const trackless = { ...briefItem({ subtitles: [{ trackIndex: 9, language: null, cues: [] }] }), itemId: 'trackless' };
  for (const [last, place] of [
    [beyond, 'beyond: range ends after the media, which has 50000 ms'],
    [trackless, 'trackless: labels.subtitles.0.trackIndex: no such text track'],
  ] as const) {
    const folder = await packFolder(t, packOfItems(english, last));
    await t.throwsAsync(evaluate(t, folder, { environment }), fault('labels_outside_media', place));
  }
});

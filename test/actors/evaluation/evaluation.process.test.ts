import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { evaluatePack } from '../../../actors/evaluation/evaluate-pack.ts';
import { openPackFolder } from '../../../actors/evaluation/evaluation-pack-folder.ts';
import { KnownMachine } from '../../../actors/opening/known-machine.ts';
import { systemClock } from '../../../actors/supervision/system-clock.ts';
import { EvaluationFault } from '../../../contract/evaluation/evaluation-fault.ts';
import { evaluationReceipt } from '../../../contract/evaluation/evaluation-receipt.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import { ffmpeg } from '../../executors/evidence/media-for-tests.ts';
import { fault } from '../../receipts/evaluation/evaluation-packs.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { withoutDownloader } from '../../without-downloader.ts';
import { briefItem, packFolder, packOfItems, writeManifest, writeMedia } from './labelled-packs.ts';

interface Conditions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly dataRoot?: string;
  /** Happens between the look at the pack and the studies. */
  readonly meanwhile?: () => Promise<void>;
}

const machine = new KnownMachine();

async function evaluate(t: ExecutionContext, folder: string, conditions: Conditions = {}) {
  const dataRoot = conditions.dataRoot ?? join(await scratchFolder(t), 'data');
  const pack = await openPackFolder(folder);
  await conditions.meanwhile?.();
  return evaluatePack({
    pack,
    dataRoot,
    environment: { ...process.env, ...withoutDownloader, ...conditions.environment },
    machine,
    clock: systemClock,
    newId: randomUUID,
    report: () => undefined,
    signal: conditions.signal ?? new AbortController().signal,
  });
}

const english = briefItem({
  subtitles: [
    {
      trackIndex: 3,
      language: 'en',
      cues: [{ startMs: 800, endMs: 3000, text: 'Good morning and welcome to the reading room.', language: 'en' }],
    },
  ],
});

test.serial('equal packs and tools give the same receipt, whichever studies were made for it', async (t) => {
  const folder = await packFolder(t);
  const first = await evaluate(t, folder);
  t.deepEqual(evaluationReceipt.parse(first), first);
  t.deepEqual(await evaluate(t, folder), first);
  t.deepEqual(first.totals, first.items[0]?.scores);
  t.true((first.totals.speech?.[0]?.f1Micro ?? 0) > 950_000);
  t.like(first.totals.subtitles, { labelled: 18, exact: 18 });
  t.like(first.totals.captionGate, { candidates: 1, accepted: 1, planted: 187, caught: 187 });
  t.deepEqual(first.tools.map(({ name }) => name).sort(), ['eld', 'ffmpeg', 'silero-vad']);
});

test.serial('a data root that saw the pack before makes a new study, and the same receipt', async (t) => {
  const folder = await packFolder(t, packOfItems(english));
  const dataRoot = join(await scratchFolder(t), 'data');
  const first = await evaluate(t, folder, { dataRoot });
  t.deepEqual(await evaluate(t, folder, { dataRoot }), first);
});

test.serial('items of one medium are studied apart and added up', async (t) => {
  const cuts = { frameRate: { numerator: 25, denominator: 1 }, atMs: [7760] };
  const second = { ...briefItem({ cuts }), itemId: 'cut', range: { startMs: 7000, endMs: 8500 } };
  const { items, totals } = await evaluate(t, await packFolder(t, packOfItems(english, second)));
  t.deepEqual(
    items.map(({ itemId }) => itemId),
    ['brief', 'cut'],
  );
  t.like(totals.subtitles, { labelled: 1, exact: 1 });
  t.deepEqual(
    totals.cuts?.map(({ matched, found }) => [matched, found]),
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  );
  t.is(totals.speech, null);
  t.is(totals.captionGate, null);
});

test.serial('a range that runs past its media is refused', async (t) => {
  const item = { ...english, range: { startMs: 0, endMs: 50_001 } };
  await t.throwsAsync(
    evaluate(t, await packFolder(t, packOfItems(item))),
    fault('labels_outside_media', 'brief: range ends after the media, which has 50000 ms'),
  );
});

test.serial('labels of a track that is no text track are refused', async (t) => {
  const item = briefItem({ subtitles: [{ trackIndex: 1, language: 'ko', cues: [] }] });
  await t.throwsAsync(
    evaluate(t, await packFolder(t, packOfItems(item))),
    fault('labels_outside_media', 'brief: labels.subtitles.0.trackIndex: no such text track'),
  );
});

test.serial('speech is found in the audio track flagged as default, though music comes before it', async (t) => {
  const folder = await packFolder(t);
  const music = ['-f', 'lavfi', '-i', 'aevalsrc=0.2*sin(2*PI*220*t)*sin(2*PI*3*t):s=44100:d=20'];
  const maps = ['-map', '0:a', '-map', '1:a', '-t', '20', '-c:a', 'flac', '-disposition:a:0', '0'];
  const flags = ['-disposition:a:1', 'default', '-metadata:s:a:0', 'language=zxx', '-metadata:s:a:1', 'language=eng'];
  await ffmpeg(folder, ...music, '-i', sampleMedia, ...maps, ...flags, 'two.mka');
  const bytes = await readFile(join(folder, 'two.mka'));
  const media = { path: 'two.mka', contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  const range = { startMs: 0, endMs: 16_500 };
  const speech = (await readSampleGold()).utterances
    .filter(({ endMs }) => endMs <= range.endMs)
    .map(({ startMs, endMs }) => ({ startMs, endMs }));
  await writeManifest(folder, packOfItems({ ...briefItem({ speech }), media, range }));
  const { totals, detectors } = await evaluate(t, folder);
  t.true((totals.speech?.[0]?.f1Micro ?? 0) > 930_000);
  for (const kind of ['speech_activity', 'silence', 'loudness']) {
    t.like(detectors.find((each) => each.kind === kind)?.parameters, {
      audioTrackRule: 'default flag',
      otherAudioTracks: '0:flac:zxx',
    });
  }
});

/** A pack folder without a manifest, and an unlabelled item over all of its one medium, a tone. */
async function toneItem(t: ExecutionContext, seconds: number) {
  const folder = await scratchFolder(t);
  await ffmpeg(folder, '-f', 'lavfi', '-i', `sine=d=${seconds}`, 'tone.wav');
  const bytes = await readFile(join(folder, 'tone.wav'));
  const media = { path: 'tone.wav', contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  return { folder, item: { ...briefItem({}), media, range: { startMs: 0, endMs: seconds * 1000 } } };
}

test.serial('labels of what the media has no track for are refused', async (t) => {
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

test.serial('captions of more than any production takes are refused', async (t) => {
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

test.serial('captions that lack a side are not complete, and nothing is planted in them', async (t) => {
  const captions = { sourceLanguage: 'ko', targetLanguage: 'fr' };
  const { totals } = await evaluate(t, await packFolder(t, packOfItems(briefItem({ captions }))));
  t.deepEqual(totals.captionGate, {
    candidates: 1,
    accepted: 0,
    planted: 0,
    caught: 0,
    acceptedMicro: 0,
    caughtMicro: null,
  });
});

test.serial('media that is none is refused with the word of the probe', async (t) => {
  const bytes = Buffer.from('words, only words\n'.repeat(100));
  const folder = await scratchFolder(t);
  const media = { path: 'words.mp4', contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  await writeMedia(folder, media.path, bytes);
  await writeManifest(folder, packOfItems({ ...english, media }));
  const refusal = await t.throwsAsync(evaluate(t, folder), { instanceOf: EvaluationFault });
  t.regex(refusal?.message ?? '', /^media_refused: brief: probe_failed: not_media/);
});

test.serial('a labelled transcript needs a recogniser, and is refused before anything is studied', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  const transcript = { language: 'en', lines: [] };
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, transcript } }));
  const message = `recognizer_missing: ${item.itemId}: labels.transcript`;
  await t.throwsAsync(evaluate(t, folder), { instanceOf: EvaluationFault, message });
});

test.serial('labelled text on the screen needs a reader, and is refused before anything is studied', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, screenTexts: [] } }));
  const message = `screen_text_reader_missing: ${item.itemId}: labels.screenTexts`;
  await t.throwsAsync(evaluate(t, folder), { instanceOf: EvaluationFault, message });
});

test.serial('media that changes after it was hashed is not studied', async (t) => {
  const { folder, item } = await toneItem(t, 1);
  await writeManifest(folder, packOfItems({ ...item, labels: { ...item.labels, speech: [] } }));
  const tone = await readFile(join(folder, 'tone.wav'));
  const louder = Buffer.from(tone);
  louder.writeInt16LE(1000, tone.length - 2);
  const changes: [Uint8Array, RegExp][] = [
    [louder, /^pack_file_mismatch: tone\.wav$/],
    [Buffer.concat([tone, tone]), /^media_refused: brief: invalid_upload_length: /],
    [tone.subarray(1), /^media_refused: brief: invalid_upload_length: /],
  ];
  for (const [bytes, message] of changes) {
    await writeMedia(folder, 'tone.wav', tone);
    const meanwhile = () => writeMedia(folder, 'tone.wav', bytes);
    await t.throwsAsync(evaluate(t, folder, { meanwhile }), { instanceOf: EvaluationFault, message });
  }
});

/** An ffmpeg that is the real one until it is asked to study. */
async function ffmpegThat(t: ExecutionContext, does: string): Promise<NonNullable<Conditions['environment']>> {
  const path = join(await scratchFolder(t), 'ffmpeg');
  const real = process.env.MEDIA_STUDY_FFMPEG ?? 'ffmpeg';
  await writeFile(path, `#!/bin/sh\ncase "$*" in *flags=area*) ${does} ;; esac\nexec '${real}' "$@"\n`);
  await chmod(path, 0o755);
  return { MEDIA_STUDY_FFMPEG: path };
}

test.serial('a study that fails fails the evaluation, with its cause', async (t) => {
  const environment = await ffmpegThat(t, 'exit 3');
  const failure = await t.throwsAsync(evaluate(t, await packFolder(t, packOfItems(english)), { environment }), {
    instanceOf: EvaluationFault,
  });
  t.regex(failure?.message ?? '', /^study_failed: brief: executor_failed: tool_exit/);
});

test.serial('a label outside the media of the last item is refused before any item is studied', async (t) => {
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

test.serial('an evaluation that is stopped ends at once and gives its data root back', async (t) => {
  const environment = await ffmpegThat(t, 'sleep 600');
  const folder = await packFolder(t, packOfItems(english));
  const stop = new AbortController();
  const dataRoot = join(await scratchFolder(t), 'data');
  const stopped = t.throwsAsync(
    evaluate(t, folder, { environment, dataRoot, signal: stop.signal }),
    fault('evaluation_stopped', 'a test'),
  );
  while ((await readdir(dataRootAt(dataRoot).work).catch(() => [])).length === 0) await setTimeout(10);
  stop.abort(new EvaluationFault('evaluation_stopped', 'a test'));
  await stopped;
  t.deepEqual(await readdir(dataRootAt(dataRoot).work), []);
  t.like(await evaluate(t, folder, { dataRoot }), { pack: { itemCount: 1 } });
});

test.serial('a data root that holds a study of an evaluation that was stopped is evaluated again', async (t) => {
  const begun = join(await scratchFolder(t), 'begun');
  const environment = await ffmpegThat(t, `touch '${begun}'; sleep 600`);
  const folder = await packFolder(t, packOfItems(english));
  const stop = new AbortController();
  const dataRoot = join(await scratchFolder(t), 'data');
  const stopped = t.throwsAsync(
    evaluate(t, folder, { environment, dataRoot, signal: stop.signal }),
    fault('evaluation_stopped', 'a test'),
  );
  while (!existsSync(begun)) await setTimeout(10);
  stop.abort(new EvaluationFault('evaluation_stopped', 'a test'));
  await stopped;
  t.like(await evaluate(t, folder, { dataRoot }), { pack: { itemCount: 1 } });
});

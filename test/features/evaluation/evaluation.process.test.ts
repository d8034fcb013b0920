import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { EvaluationFault, evaluationReceipt } from '../../../contract/evaluation.ts';
import { readSampleGold, sampleMedia } from '../../../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { placeMedia } from '../../media/made-media.ts';
import { drawn } from '../../media/recipes.ts';
import { fault } from '../../receipts/evaluation/evaluation-packs.ts';
import { scratchFolder } from '../../storage/ledger/scratch.ts';
import { english, evaluate, ffmpegThat } from './evaluated-packs.ts';
import { briefItem, packFolder, packOfItems, writeManifest } from './labeled-packs.ts';

// One after the other: each evaluation decodes and detects with all cores.
test.serial('equal packs and tools give the same receipt, whichever studies were made for it', async (t) => {
  const folder = await packFolder(t);
  const first = await evaluate(t, folder);
  t.deepEqual(evaluationReceipt.parse(first), first);
  t.deepEqual(await evaluate(t, folder), first);
  t.deepEqual(first.totals, first.items[0]?.scores);
  t.true((first.totals.speech?.[0]?.f1Micro ?? 0) > 950_000);
  t.like(first.totals.subtitles, { labelled: 18, exact: 18 });
  t.like(first.totals.captionGate, { candidates: 1, accepted: 1, planted: 187, caught: 187 });
  t.deepEqual(first.tools.map(({ name }) => name).sort(), ['eld', 'ffmpeg', 'ffprobe', 'silero-vad']);
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

test.serial('speech is found in the audio track flagged as default, though music comes before it', async (t) => {
  const folder = await packFolder(t);
  const music = drawn('aevalsrc=0.2*sin(2*PI*220*t)*sin(2*PI*3*t):s=44100:d=20');
  const maps = ['-map', '0:a', '-map', '1:a', '-t', '20', '-c:a', 'flac', '-disposition:a:0', '0'];
  const flags = ['-disposition:a:1', 'default', '-metadata:s:a:0', 'language=zxx', '-metadata:s:a:1', 'language=eng'];
  const words = [...music, '-i', 'sample.mp4', ...maps, ...flags];
  const inputs = { 'sample.mp4': { copyOf: sampleMedia } };
  await placeMedia(folder, { 'two.mka': { words, extension: 'mka', inputs } });
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

test.serial('a study that fails fails the evaluation, with its cause', async (t) => {
  const environment = await ffmpegThat(t, 'exit 3');
  const failure = await t.throwsAsync(evaluate(t, await packFolder(t, packOfItems(english)), { environment }), {
    instanceOf: EvaluationFault,
  });
  t.regex(failure?.message ?? '', /^study_failed: brief: executor_failed: tool_exit/);
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

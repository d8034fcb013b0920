import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { EditRate } from '../../../contract/exports.ts';
import { detectRange } from '../../../executors/evidence/detect.ts';
import { fractionOf, timecodeFrame } from '../../../formats/frame-code.ts';
import { timeBaseFact } from '../../../kinds/time-base.ts';
import { type NumberedFilm, numberedFilm, numbersShown } from '../../media/numbered-films.ts';
import { cutAt, markedUpClip, options, textOf, withTimeBase } from '../../receipts/exports/exported-runtimes.ts';
import { type DetectionBench, openDetectionBench, sourceContentId } from './detection-for-tests.ts';

const range = { startMs: 0, endMs: 4000 };

let bench: DetectionBench;
test.before(async () => {
  bench = await openDetectionBench();
});
test.after.always(() => bench.close());

const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-bf', '2', '-g', '48'];
const mpeg2 = ['-c:v', 'mpeg2video', '-b:v', '2M', '-bf', '2', '-g', '12'];
const aac = ['-c:a', 'aac'];

interface Container extends Pick<NumberedFilm, 'extension' | 'as' | 'sound'> {
  /** The container can state a time code. */
  readonly isCoded: boolean;
  /** The time code of a film that was given none; null without one. */
  readonly uncoded?: string;
}

const containers: Readonly<Record<string, Container>> = {
  matroska: { extension: 'mkv', as: h264, sound: aac, isCoded: true },
  'mp4 with an edit list': { extension: 'mp4', as: h264, sound: aac, isCoded: false },
  'mp4 without an edit list': { extension: 'mp4', as: [...h264, '-use_editlist', '0'], sound: aac, isCoded: false },
  quicktime: { extension: 'mov', as: h264, sound: aac, isCoded: true },
  'transport stream': { extension: 'ts', as: h264, sound: aac, isCoded: false },
  m2ts: { extension: 'm2ts', as: [...mpeg2, '-mpegts_m2ts_mode', '1'], sound: ['-c:a', 'ac3'], isCoded: true },
  mxf: {
    extension: 'mxf',
    as: mpeg2,
    sound: ['-c:a', 'pcm_s16le', '-ar', '48000'],
    isCoded: true,
    uncoded: '00:00:00:00',
  },
  avi: { extension: 'avi', as: ['-c:v', 'mpeg4', '-q:v', '3', '-bf', '2'], sound: ['-c:a', 'mp3'], isCoded: false },
};

const rates: readonly { readonly name: EditRate; readonly code: string | null }[] = [
  { name: '23.976', code: '01:00:00:00' },
  { name: '24', code: '10:00:00:00' },
  { name: '25', code: '10:00:00:00' },
  { name: '29.97', code: '01:00:00;00' },
  { name: '30', code: null },
  { name: '50', code: '10:00:00:00' },
  { name: '59.94', code: '01:00:00;00' },
  { name: '60', code: '01:00:00:00' },
];

const found = async (file: string, hasSound = true) => {
  const { detections, further } = await detectRange(bench, {
    ...{ path: file, sourceContentId, range, audioTrackIndex: hasSound ? 1 : null, videoTrackIndex: 0 },
    ...{ signal: new AbortController().signal, keep: async () => undefined },
  });
  const cuts = detections.find(({ kind }) => kind === 'shot_changes');
  const facts = cuts?.state === 'available' ? cuts.artifact.facts : [];
  const base = further.find(({ kind }) => kind === 'time_base')?.facts[0];
  return {
    cutsMs: facts.flatMap((fact) => (fact.kind === 'shot_change' ? [fact.atMs] : [])),
    base: timeBaseFact.parse(base),
  };
};

const { accepted } = await markedUpClip();

/** The first and the last code of the source in each event of an edit list, as frames. */
function eventsIn(edl: string, rate: EditRate): { from: number; to: number; startsAt: string }[] {
  const drops = edl.includes('FCM: DROP FRAME');
  return edl
    .split('\n')
    .filter((line) => /^\d{3} /.test(line))
    .map((line) => {
      const [from = '', to = ''] = line.slice(-47).split(' ');
      return { from: timecodeFrame(from, rate, drops) ?? -1, to: timecodeFrame(to, rate, drops) ?? -1, startsAt: from };
    });
}

/** The files of a study of a film whose pictures show their numbers are right to the picture. */
async function demandFrames(
  t: ExecutionContext,
  file: string,
  film: NumberedFilm,
  rate: EditRate,
  code: string | null,
) {
  const { cutsMs, base } = await found(file);
  const runtime = withTimeBase(cutAt(accepted, cutsMs), base);
  const numbers = await numbersShown(file);
  const places = film.cuts.map((cut) => numbers.indexOf(cut));
  t.false(places.includes(-1), 'every cut has a picture');
  t.is(base.pace, 'constant');
  const edl = textOf('cuts.edl', runtime, { ...options, rate: undefined });
  const events = eventsIn(edl, rate);
  const start = code === null ? 0 : (timecodeFrame(code, rate, /;/.test(code)) ?? -1);
  t.is(base.startTimecode, code);
  t.deepEqual(
    events.slice(1).map(({ from }) => from - start),
    places,
    `${rate}: ${JSON.stringify(base)} ${cutsMs.join(' ')}`,
  );
  t.is(events[0]?.from, start);
  const timeline = JSON.parse(textOf('cuts.otio', runtime, { ...options, rate: undefined }));
  const clips = timeline.tracks.children[0].children;
  t.deepEqual(
    clips
      .slice(1)
      .map((clip: { source_range: { start_time: { value: number } } }) => clip.source_range.start_time.value),
    places.map((place) => place + start),
  );
  const { numerator, denominator } = fractionOf(rate);
  t.is(clips[0].source_range.start_time.rate, numerator / denominator);
  await kept(file, { edl, timeline, places, start, rate, numbers });
}

/** Where `MEDIA_STUDY_KEPT_CUTS` names a folder, other readers can take the files from it. */
async function kept(
  file: string,
  made: { edl: string; timeline: unknown; places: number[]; start: number; rate: string; numbers: number[] },
): Promise<void> {
  const root = process.env.MEDIA_STUDY_KEPT_CUTS;
  if (root === undefined) return;
  const { edl, timeline, numbers, ...truth } = made;
  const folder = join(root, `${file.split('.').at(-1)}-${made.rate}-${file.split('/').at(-2)?.slice(0, 8)}`);
  await mkdir(folder, { recursive: true });
  await copyFile(file, join(folder, `film.${file.split('.').at(-1)}`));
  await writeFile(join(folder, 'cuts.edl'), edl);
  await writeFile(join(folder, 'cuts.otio'), JSON.stringify(timeline));
  await writeFile(join(folder, 'truth.json'), JSON.stringify({ ...truth, pictures: numbers.length }));
}

// Each rate and each container several times; all pairs where somebody wants them.
const isAll = process.env.MEDIA_STUDY_KEPT_CUTS !== undefined;
for (const [row, [name, container]] of Object.entries(containers).entries()) {
  for (const [column, { name: rate, code }] of rates.entries()) {
    if (!isAll && (row + column) % 4 !== 0) continue;
    const { numerator, denominator } = fractionOf(rate);
    const nominal = Math.round(numerator / denominator);
    const film: NumberedFilm = {
      rate: `${numerator}/${denominator}`,
      cuts: [nominal + 3, 2 * nominal - 1, 3 * nominal + 7],
      pictures: 4 * nominal,
      ...{ extension: container.extension, sound: container.sound ?? [] },
      as: [...container.as, ...(container.isCoded && code !== null ? ['-timecode', code] : [])],
    };
    test.serial(`cuts of ${name} at ${rate} are at the pictures where they are`, async (t) => {
      const expected = container.isCoded ? (code ?? container.uncoded ?? null) : null;
      await demandFrames(t, await numberedFilm(film), film, rate, expected);
    });
  }
}

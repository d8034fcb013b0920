import test from 'ava';
import webVtt from 'webvtt-parser';
import { ServiceError } from '../../contract/base/errors.ts';
import type { EditRate, ExportName } from '../../contract/exports.ts';
import { fractionOf, frameAt, frameCode, frameCountOf } from '../../formats/frame-code.ts';
import { resultOfSteps } from '../../formats/steps.ts';
import type { TimeBaseFact } from '../../kinds/time-base.ts';
import { exportFiles } from '../../receipts/exports/export-catalogue.ts';
import type { VerifiedRuntime } from '../../receipts/fold.ts';
import { fieldsOf } from '../fields.ts';
import { contentOf, storedRuntimeOf } from './core/stored-content-in-memory.ts';
import { storedStudy } from './evidence/stored-study.ts';
import {
  captionsSaying,
  cutAt,
  inLanguages,
  markedUpClip,
  options,
  recognizedSaying,
  textOf as textIn,
  withTimeBase,
} from './exports/exported-runtimes.ts';
import { failureOf } from './reopening/fault-place.ts';
import { reopened } from './reopening/reopened.ts';

const { accepted, after, made, review, steps } = await markedUpClip();
const cut = cutAt(accepted, [1000, 2520]);
const textOf = (name: ExportName, runtime = cut, given = options): string => textIn(name, runtime, given);
const codeOf = (name: ExportName, runtime: VerifiedRuntime): string =>
  failureOf(ServiceError, () => textOf(name, runtime))?.code ?? 'granted';

test('shots are the events of an edit decision list, in frames of the requested rate', (t) => {
  const lines = textOf('cuts.edl').split('\n');
  t.is(lines[1], 'FCM: NON-DROP FRAME');
  t.deepEqual(
    lines.filter((line) => /^\d{3} /.test(line)).map((line) => line.slice(-47)),
    [
      '00:00:00:00 00:00:01:00 00:00:00:00 00:00:01:00',
      '00:00:01:00 00:00:02:13 00:00:01:00 00:00:02:13',
      '00:00:02:13 00:00:04:00 00:00:02:13 00:00:04:00',
    ],
  );
  t.regex(textOf('cuts.edl', cut, { ...options, rate: '50' }), /00:00:02:26/);
  const dropped = textOf('cuts.edl', cut, { ...options, rate: '29.97' });
  t.true(dropped.includes('FCM: DROP FRAME\n001 '));
  t.true(dropped.includes('\n* 29.97 FRAMES A SECOND\n'));
  t.regex(dropped, /00:00:01;00 00:00:02;16/);
});

test('bug: a shot of less than a frame was an event without length in an edit decision list', (t) => {
  // A cut may lie a moment behind the start of the range, or before its end, and a shot may have a single picture.
  const lines = textOf('cuts.edl', cutAt(accepted, [10, 2000, 2017, 3990])).split('\n');
  t.deepEqual(
    lines.filter((line) => /^\d{3} /.test(line)).map((line) => `${line.slice(0, 3)} ${line.slice(-47)}`),
    ['001 00:00:00:00 00:00:02:00 00:00:00:00 00:00:02:00', '002 00:00:02:00 00:00:04:00 00:00:02:00 00:00:04:00'],
  );
});

test('shots are clips of a timeline whose lengths add up to the studied range', (t) => {
  const timeline = JSON.parse(textOf('cuts.otio'));
  t.is(timeline.OTIO_SCHEMA, 'Timeline.1');
  const clips: { source_range: { start_time: { value: number }; duration: { value: number; rate: number } } }[] =
    timeline.tracks.children[0].children;
  t.deepEqual(
    clips.map(({ source_range: { start_time, duration } }) => [start_time.value, duration.value, duration.rate]),
    [
      [0, 25, 25],
      [25, 38, 25],
      [63, 37, 25],
    ],
  );
});

const film: TimeBaseFact = {
  ...{ kind: 'time_base.pictures', index: 0, startMs: 0, endMs: 4000 },
  ...{ firstPictureUs: 23_000, lastPictureUs: 3_985_000, pace: 'constant' },
  ...{ rateNumerator: 24_000, rateDenominator: 1001 },
  ...{ startTimecode: '01:00:00:00', dropFrame: false, reel: 'A001C002_1234', pictures: 96 },
};
const own = { ...options, rate: undefined };
const eventsOf = (fact: TimeBaseFact, given = own) =>
  textOf('cuts.edl', withTimeBase(cut, fact), given)
    .split('\n')
    .filter((line) => /^\d{3} /.test(line));

test('bug: frames were counted from the start of the container, a picture late where the first one comes later', (t) => {
  t.deepEqual(
    eventsOf(film).map((line) => line.slice(-47)),
    [
      '01:00:00:00 01:00:00:23 00:00:00:00 00:00:00:23',
      '01:00:00:23 01:00:02:12 00:00:00:23 00:00:02:12',
      '01:00:02:12 01:00:04:00 00:00:02:12 00:00:04:00',
    ],
  );
});

test('an edit list has the reel of the film in eight letters, and its whole name in a comment', (t) => {
  t.is(eventsOf(film)[0]?.slice(0, 18), '001  A001C002 V   ');
  t.true(textOf('cuts.edl', withTimeBase(cut, film), own).includes('\n* REEL NAME: A001C002_1234\n'));
});

test('bug: comments came before the first event, where the reader of OpenTimelineIO refuses them', (t) => {
  const lines = textOf('cuts.edl', withTimeBase(cut, film), own).split('\n');
  t.true(lines.findIndex((line) => line.startsWith('*')) > lines.findIndex((line) => /^\d{3} /.test(line)));
});

test('a film of 29.97 whose code drops no numbers keeps them', (t) => {
  const fact = { ...film, rateNumerator: 30_000, startTimecode: '10:00:00:00' };
  t.regex(textOf('cuts.edl', withTimeBase(cut, fact), own), /FCM: NON-DROP FRAME/);
  t.regex(eventsOf(fact)[0] ?? '', /10:00:00:00/);
  t.regex(eventsOf({ ...fact, startTimecode: '10:00:00;00', dropFrame: true })[0] ?? '', /10:00:00;00/);
});

test('cuts of a film without an even rate need a rate, and the list says so', (t) => {
  const uneven = withTimeBase(cut, { ...film, pace: 'variable', rateNumerator: null, rateDenominator: null });
  for (const name of ['cuts.edl', 'cuts.otio'] as const) {
    const refused = failureOf(ServiceError, () => textOf(name, uneven, own));
    t.like(refused, { code: 'frame_rate_required' });
    t.is(failureOf(ServiceError, () => textOf(name, cut, own))?.code, 'frame_rate_required', 'an earlier version');
  }
  t.true(textOf('cuts.edl', uneven).includes('\n* THE FILM HAS NO EVEN RATE: FRAMES ARE COUNTED BY TIME\n'));
  t.is(JSON.parse(textOf('cuts.otio', uneven)).metadata.studio.isUneven, true);
});

test('a rate that edit lists do not have is in a timeline alone', (t) => {
  const slow = withTimeBase(cut, {
    ...film,
    rateNumerator: 15,
    rateDenominator: 1,
    startTimecode: null,
    dropFrame: null,
  });
  t.is(failureOf(ServiceError, () => textOf('cuts.edl', slow, own))?.code, 'frame_rate_required');
  const timeline = JSON.parse(textOf('cuts.otio', slow, own));
  t.is(timeline.tracks.children[0].children[1].source_range.start_time.value, 15);
});

test('a timeline names its media by file, from the time code of the film on', (t) => {
  const timeline = JSON.parse(textOf('cuts.otio', withTimeBase(cut, film), own));
  const [, clip] = timeline.tracks.children[0].children;
  const { DEFAULT_MEDIA: media } = clip.media_references;
  t.is(media.OTIO_SCHEMA, 'ExternalReference.1');
  t.is(media.target_url, 'clip.mp4');
  t.deepEqual(media.available_range.start_time, { OTIO_SCHEMA: 'RationalTime.1', rate: 24_000 / 1001, value: 86_400 });
  t.is(clip.source_range.start_time.value, 86_423);
});

test('an uncertain cut is in no file, unless it is asked for', (t) => {
  const graded = cutAt(accepted, [1000, 2520], [2520]);
  const certain = cutAt(accepted, [1000]);
  const include = { ...options, uncertain: 'include' } as const;
  for (const name of ['cuts.edl', 'cuts.otio', 'chapters.vtt', 'chapters.ffmetadata', 'labels.txt'] as const) {
    t.is(textOf(name, graded), textOf(name, certain), name);
    if (name !== 'labels.txt') t.is(textOf(name, graded, include), textOf(name), name);
  }
  t.regex(textOf('labels.txt', graded, include), /^2\.520\t2\.520\tcut uncertain$/m);
  t.regex(textOf('facts.csv', graded, include), /^cut uncertain,2520,2520,/m);
});

test('a strict parser reads the chapters', (t) => {
  const { cues, errors } = new webVtt.WebVTTParser().parse(textOf('chapters.vtt'), 'chapters');
  t.deepEqual(errors, []);
  t.deepEqual(fieldsOf(cues, 'startTime', 'endTime', 'text'), [
    [0, 1, 'Shot 1'],
    [1, 2.52, 'Shot 2'],
    [2.52, 4, 'Shot 3'],
  ]);
});

test('labels and table have every fact in order of time', (t) => {
  const labels = textOf('labels.txt').trimEnd().split('\n');
  t.deepEqual(labels.slice(0, 3), ['0.000\t1.000\tspeech', '0.000\t0.900\tsilence', '1.000\t1.000\tcut']);
  const rows = textOf('facts.csv').trimEnd().split('\r\n');
  t.is(rows.length, labels.length + 1);
  t.regex(rows[1] ?? '', /^speech,0,1000,sha256:[a-f0-9]{64}$/);
});

test('bug: a text that begins with a full-width sign was a formula in a table', (t) => {
  const texts = ['=1+1', '@SUM(1)', '＝1+1', '＋1', '－1', '＠SUM(1)', '1＝1'];
  const rows = textOf('transcript.csv', recognizedSaying(accepted, texts)).trimEnd().split('\r\n').slice(1);
  t.deepEqual(
    rows.map((row) => row.split(',')[4]),
    [...texts.slice(0, -1).map((text) => `"'${text}"`), '"1＝1"'],
  );
});

test('a reference in a caption stays as written in SubRip', async (t) => {
  const text = 'He wrote &amp; and &#38; and &nbsp; for R&D; so what';
  const written = await captionsSaying([{ startMs: 0, endMs: 900, text }]);
  const { text: file } = resultOfSteps(exportFiles['captions.srt'](written, options));
  t.regex(file, /&\u2060amp; and &\u2060#38; and &\u2060nbsp; for R&\u2060D; so what/);
  t.is(file.replaceAll('\u2060', '').split('\n')[2], text);
});

test('bug: text in braces with a colon was not visible in SubRip, where players take it for MicroDVD', async (t) => {
  const text = 'Press {C: 12} or {f:x}, not {a:b}';
  const written = await captionsSaying([{ startMs: 0, endMs: 900, text }]);
  const { text: file } = resultOfSteps(exportFiles['captions.srt'](written, options));
  t.is(file.split('\n')[2], 'Press {\u2060C: 12} or {\u2060f:x}, not {a:b}');
});

test('bug: both sides of captions from en to en-US had each text twice', async (t) => {
  const written = await captionsSaying([{ startMs: 0, endMs: 900, text: 'Good morning' }]);
  const shown = (source: string, target: string) =>
    textIn('captions.srt', inLanguages(written, source, target), { ...options, side: 'both' }).match(/Good morning/g);
  t.is(shown('ko', 'en')?.length, 2);
  t.is(shown('en', 'en-US')?.length, 1);
  t.is(shown('und', 'und')?.length, 1);
});

test('bug: a cue of a millisecond had no length in ASS, which counts hundredths of a second', async (t) => {
  const spans = [
    [3, 4],
    [4, 5],
    [5, 6],
    [50, 54],
    [54, 1000],
    [1000, 2000],
    [2001, 2004],
    [3999, 4000],
  ] as const;
  const cues = spans.map(([startMs, endMs], at) => ({ startMs, endMs, text: `Cue number ${at}` }));
  const { text } = resultOfSteps(exportFiles['captions.ass'](await captionsSaying(cues), options));
  t.deepEqual(text.match(/(?<=^Dialogue: 0,)[^,]*,[^,]*/gm), [
    '0:00:00.00,0:00:00.01',
    '0:00:00.01,0:00:00.02',
    '0:00:00.02,0:00:00.03',
    '0:00:00.05,0:00:00.06',
    '0:00:00.06,0:00:01.00',
    '0:00:01.00,0:00:02.00',
    '0:00:02.00,0:00:02.01',
    '0:00:04.00,0:00:04.01',
  ]);
});

test('captions give no file before a check accepts them, nor after a withdrawal', async (t) => {
  const { runtime: unchecked } = await reopened(...after(...made));
  const withdrawn = after(...made, steps.checked, review.revocationStarted, review.revoked);
  const { runtime: revoked } = await reopened(...withdrawn);
  for (const name of ['captions.srt', 'captions.vtt', 'captions.ass'] as const) {
    t.is(codeOf(name, unchecked), 'illegal_caption_qc_transition');
    t.is(codeOf(name, revoked), 'caption_authority_required');
    t.is(codeOf(name, accepted), 'granted');
  }
});

test('a study without the evidence of a file refuses it', async (t) => {
  t.is(codeOf('cuts.edl', accepted), 'export_unavailable');
  const silent = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(silent), contentOf(silent.files));
  t.is(codeOf('labels.txt', runtime), 'export_unavailable');
});

test('every file names its sources, and is the same each time', (t) => {
  for (const [name, build] of Object.entries(exportFiles)) {
    if (/^(transcript|screen-text)\./.test(name)) {
      t.throws(() => resultOfSteps(build(cut, options)), { message: /no evidence of (transcript|text on the screen)/ });
      continue;
    }
    const first = resultOfSteps(build(cut, options));
    t.true(first.madeOf.length > 0);
    for (const contentId of first.madeOf) t.regex(contentId, /^sha256:[a-f0-9]{64}$/);
    t.deepEqual(resultOfSteps(build(cut, options)), first);
  }
});

const codeAt = (ms: number, rate: EditRate): string => {
  return frameCode(frameAt(ms * 1000, fractionOf(rate)), frameCountOf(rate));
};

test('drop-frame code leaves out the first numbers of each minute but the tenth', (t) => {
  const count = frameCountOf('29.97');
  t.deepEqual(
    [1799, 1800, 3597, 3598, 17_981, 17_982, 19_781, 19_782].map((frame) => frameCode(frame, count)),
    [
      ...['00:00:59;29', '00:01:00;02', '00:01:59;29', '00:02:00;02'],
      ...['00:09:59;29', '00:10:00;00', '00:10:59;29', '00:11:00;02'],
    ],
  );
  t.deepEqual(
    [3599, 3600, 35_963, 35_964].map((frame) => frameCode(frame, frameCountOf('59.94'))),
    ['00:00:59;59', '00:01:00;04', '00:09:59;59', '00:10:00;00'],
  );
});

test('after an hour drop-frame code equals the clock, and 23.976 lags behind it', (t) => {
  t.deepEqual(
    (['29.97', '59.94', '25', '23.976'] as const).map((rate) => codeAt(3_600_000, rate)),
    ['01:00:00;00', '01:00:00;00', '01:00:00:00', '00:59:56:10'],
  );
});

test('the time of a frame in milliseconds leads back to this frame, at every rate', (t) => {
  for (const rate of ['23.976', '29.97', '59.94'] as const) {
    const { numerator, denominator } = fractionOf(rate);
    for (let frame = 0; frame < 20_000; frame += 7) {
      const ms = Math.round((frame * 1000 * denominator) / numerator);
      t.is(frameAt(ms * 1000, fractionOf(rate)), frame);
    }
  }
});

test('a day of code begins again at zero', (t) => {
  t.is(codeAt(86_400_000, '25'), '00:00:00:00');
});

test('a label track has speech, silence and cuts, or the facts of a requested kind', (t) => {
  const namesIn = (kind?: string) => {
    const lines = textOf('labels.txt', cut, { ...options, kind })
      .trimEnd()
      .split('\n');
    return [...new Set(lines.map((line) => line.split('\t').at(-1)))].sort();
  };
  t.deepEqual(namesIn('shot_changes'), ['cut']);
  t.deepEqual(namesIn('subtitle_track'), ['cue']);
  t.true(namesIn().includes('cut'));
  t.false(namesIn().includes('cue'));
  for (const name of [...namesIn(), 'cue']) t.true(namesIn('all').includes(name), name);
  const missing = failureOf(ServiceError, () => textOf('facts.csv', cut, { ...options, kind: 'black_frames' }));
  t.like(missing, { code: 'export_unavailable', message: 'the study has no evidence of black frames' });
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import webVtt from 'webvtt-parser';
import { ServiceError } from '../../../contract/base/service-error.ts';
import type { ExportName } from '../../../contract/exports/export-name.ts';
import { type ExportOptions, exportFiles } from '../../../receipts/exports/export-catalogue.ts';
import type { VerifiedRuntime } from '../../../receipts/reopening/reopen-runtime.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { captionedStudy, captionSteps, goingOn } from '../captions/captioned-studies.ts';
import { contentOf, storedRuntimeOf } from '../core/stored-content-in-memory.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';

const run = promisify(execFile);
const options: ExportOptions = { side: 'target', lines: 'author', rate: '25' };
const nasty = [
  { startMs: 0, endMs: 900, text: 'One & <i>two</i>\n{\\an8}three' },
  { startMs: 1000, endMs: 2000, text: 'An arrow --> and a \\Nbreak' },
  { startMs: 2100, endMs: 3900, text: 'Thank you' },
];
const [korean, english] = twoTracks;
if (korean === undefined || english === undefined) throw new Error('two tracks');
const study = storedStudy({ version: 1, windows: 4, tracks: [korean, { ...english, cues: nasty }] });
const review = reviewOf(study, approval);
const job = { attempt: 0, classification: 'embedded_subtitle_tracks' } as const;
const captioning = captionSteps({ study: await captionedStudy(study), ...job });
const objects = [...review.objects, ...captioning.objects];
const made = [review.started, review.recorded, captioning.started, captioning.recorded];

const after = async (...tail: (readonly EventDraft[])[]): Promise<VerifiedRuntime> =>
  (await reopened(...goingOn(study, objects, ...tail))).runtime;
const accepted = await after(...made, captioning.checked);

/** A runtime whose accepted captions say this in the target language. */
async function captionsSaying(cues: readonly (typeof nasty)[number][]): Promise<VerifiedRuntime> {
  if (korean === undefined || english === undefined) throw new Error('two tracks');
  const spoken = storedStudy({
    version: 1,
    windows: 4,
    tracks: [
      { ...korean, cues },
      { ...english, cues },
    ],
  });
  const allowed = reviewOf(spoken, approval);
  const steps = captionSteps({ study: await captionedStudy(spoken), ...job });
  const tail = [allowed.started, allowed.recorded, steps.started, steps.recorded, steps.checked];
  return (await reopened(...goingOn(spoken, [...allowed.objects, ...steps.objects], ...tail))).runtime;
}

/** The same runtime with cuts at these times; nothing was to be seen in the stored study. */
function cutAt(runtime: VerifiedRuntime, times: readonly number[]): VerifiedRuntime {
  const { execution } = runtime;
  if (execution === null) throw new Error('the study began');
  const { findings } = execution.study;
  const speech = findings.operations[0]?.evidence[0];
  if (speech?.artifact === undefined || speech.artifact === null) throw new Error('the study has speech');
  const facts = times.map((atMs, index) => ({ kind: 'shot_change', index, atMs, scoreMilli: 500 }) as const);
  const cuts = {
    delivered: { ...speech.delivered, kind: 'shot_changes' } as typeof speech.delivered,
    artifact: { ...speech.artifact, kind: 'shot_changes', facts: [...facts] },
  } as typeof speech;
  const operations = findings.operations.map((operation, at) =>
    at === 0 ? { ...operation, evidence: [...operation.evidence, cuts] } : operation,
  );
  return {
    ...runtime,
    execution: { ...execution, study: { ...execution.study, findings: { ...findings, operations } } },
  };
}

const cut = cutAt(accepted, [1000, 2520]);
const textOf = (name: ExportName, runtime = cut, given = options): string => exportFiles[name](runtime, given).text;
const codeOf = (build: () => unknown): string => {
  try {
    build();
    return 'granted';
  } catch (error) {
    return error instanceof ServiceError ? error.code : String(error);
  }
};

/** What ffmpeg makes of a file, in another format. */
async function readByFfmpeg(t: ExecutionContext, text: string, name: string, ...output: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'exported-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  await writeFile(path, text);
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-i', path, ...output, '-']);
  return stdout;
}

test('shots are the events of an edit decision list, in frames of the rate that was asked for', (t) => {
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
  t.true(dropped.includes('FCM: DROP FRAME\n* 29.97 FRAMES A SECOND\n'));
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
      [0, 1000, 1000],
      [1000, 1520, 1000],
      [2520, 1480, 1000],
    ],
  );
});

test('a strict parser and ffmpeg read the chapters', async (t) => {
  const { cues, errors } = new webVtt.WebVTTParser().parse(textOf('chapters.vtt'), 'chapters');
  t.deepEqual(errors, []);
  t.deepEqual(
    cues.map(({ startTime, endTime, text }) => [startTime, endTime, text]),
    [
      [0, 1, 'Shot 1'],
      [1, 2.52, 'Shot 2'],
      [2.52, 4, 'Shot 3'],
    ],
  );
  const read = await readByFfmpeg(t, textOf('chapters.ffmetadata'), 'chapters.txt', '-f', 'ffmetadata');
  t.deepEqual(read.match(/^(?:START|END)=\d+$/gm), [
    'START=0',
    'END=1000',
    'START=1000',
    'END=2520',
    'START=2520',
    'END=4000',
  ]);
});

test('labels and table have every fact in order of time', (t) => {
  const labels = textOf('labels.txt').trimEnd().split('\n');
  t.deepEqual(labels.slice(0, 3), ['0.000\t1.000\tspeech', '0.000\t0.900\tsilence', '1.000\t1.000\tcut']);
  const rows = textOf('facts.csv').trimEnd().split('\r\n');
  t.is(rows.length, labels.length + 1);
  t.regex(rows[1] ?? '', /^speech,0,1000,sha256:[a-f0-9]{64}$/);
});

test('ffmpeg reads the captions as they are, whatever their text looks like', async (t) => {
  const subRip = await readByFfmpeg(t, textOf('captions.srt'), 'captions.srt', '-f', 'webvtt');
  t.deepEqual(subRip.match(/\d\d:\d\d\.\d{3} --> \d\d:\d\d\.\d{3}/g), [
    '00:00.000 --> 00:00.900',
    '00:01.000 --> 00:02.000',
    '00:02.100 --> 00:03.900',
  ]);
  const ass = await readByFfmpeg(t, textOf('captions.ass'), 'captions.ass', '-f', 'ass');
  const texts = ass
    .split('\n')
    .flatMap((line) => (line.startsWith('Dialogue:') ? [line.trim().split(',,').at(-1)] : []));
  t.deepEqual(texts, ['One & <i>two</i>\\N\\{\\\u2060an8\\}three', 'An arrow --> and a \\\u2060Nbreak', 'Thank you']);
});

/** The words of each cue of a WebVTT file that ffmpeg wrote, without what takes the meaning of signs away. */
const wordsOf = (written: string): string[] =>
  written
    .trim()
    .split('\n\n')
    .slice(1)
    .map((cue) => cue.split('\n').slice(1).join('\n').replaceAll('\u2060', ''));

test('SubRip loses no words of a caption that look like markup', async (t) => {
  const texts = [
    'Write <b> and </b>, then <i>this</i>.',
    'Put {\\an8} before it\nand <font> too',
    'It is in C:\\News\\hour\\notes',
    'I <3 you, 5 < 6 & 7 > 6, {not} a \\word',
  ];
  const looks = texts.map((text, at) => ({ startMs: 1000 * at, endMs: 1000 * at + 900, text }));
  const written = await captionsSaying(looks);
  const read = await readByFfmpeg(t, exportFiles['captions.srt'](written, options).text, 'looks.srt', '-f', 'webvtt');
  t.deepEqual(wordsOf(read), texts);
});

test('a reference in a caption stays what was written in SubRip', async (t) => {
  const text = 'He wrote &amp; and &#38; and &nbsp; for R&D; so what';
  const written = await captionsSaying([{ startMs: 0, endMs: 900, text }]);
  const { text: file } = exportFiles['captions.srt'](written, options);
  t.regex(file, /&\u2060amp; and &\u2060#38; and &\u2060nbsp; for R&\u2060D; so what/);
  t.is(file.replaceAll('\u2060', '').split('\n')[2], text);
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
  const { text } = exportFiles['captions.ass'](await captionsSaying(cues), options);
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

test('captions are no file before a check accepts them, and none after their approval was withdrawn', async (t) => {
  const unchecked = await after(...made);
  const revoked = await after(...made, captioning.checked, review.revocationStarted, review.revoked);
  for (const name of ['captions.srt', 'captions.vtt', 'captions.ass'] as const) {
    t.is(
      codeOf(() => textOf(name, unchecked)),
      'illegal_caption_qc_transition',
    );
    t.is(
      codeOf(() => textOf(name, revoked)),
      'caption_authority_required',
    );
    t.is(
      codeOf(() => textOf(name, accepted)),
      'granted',
    );
  }
});

test('a study without the evidence of a file refuses it', async (t) => {
  t.is(
    codeOf(() => textOf('cuts.edl', accepted)),
    'export_unavailable',
  );
  const silent = storedStudy({ version: 1, windows: null });
  const { runtime } = await reopened(storedRuntimeOf(silent), contentOf(silent.files));
  t.is(
    codeOf(() => textOf('labels.txt', runtime)),
    'export_unavailable',
  );
});

test('every file names what it was made of, and is the same each time', (t) => {
  for (const [name, build] of Object.entries(exportFiles)) {
    if (/^(transcript|screen-text)\./.test(name)) {
      t.throws(() => build(cut, options), { message: /no evidence of (transcript|text on the screen)/ });
      continue;
    }
    const first = build(cut, options);
    t.true(first.madeOf.length > 0);
    for (const contentId of first.madeOf) t.regex(contentId, /^sha256:[a-f0-9]{64}$/);
    t.deepEqual(build(cut, options), first);
  }
});

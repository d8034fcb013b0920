import test from 'ava';
import webVtt, { type Cue } from 'webvtt-parser';
import entities from 'webvtt-parser/html-entities.json' with { type: 'json' };
import type { Range } from '../../../contract/base/grammar.ts';
import { type CaptionLine, captionLimits, captionLine, captionWords } from '../../../contract/captions/caption-line.ts';
import { captionArtifact } from '../../../contract/captions/caption-production.ts';
import { storedBytes } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { CaptionFailure, type CaptionJob, captionJobIdOf, captionsOf } from '../../../receipts/captions/artifact.ts';
import { qualityControl as qualityControlReceipt } from '../../../receipts/captions/quality-control.ts';
import { sharedLinesOf, wholeCaptionsOf } from '../../../receipts/captions/stored-captions.ts';
import { webVttOf } from '../../../receipts/captions/webvtt.ts';
import { textLinesOf } from '../../../rules/caption-guidelines.ts';
import { structuralDecisionOf } from '../../../rules/caption-quality.ts';
import { fieldOf } from '../../fields.ts';
import { canonical, hash, storedId } from '../core/independent-ids.ts';
import { divided, run } from '../evidence/spoken-study.ts';
import { clipRange } from '../evidence/stored-detections.ts';
import { type StoredTrack, twoTracks } from '../evidence/stored-tracks.ts';
import { failureOf } from '../reopening/fault-place.ts';
import { captionJob } from './captioned-studies.ts';
import {
  checkableCaptions,
  fileOf,
  lineOf,
  oneSecondEach,
  perFile,
  threeLines,
  type Words,
} from './checkable-captions.ts';
import { nastyTexts } from './nasty-texts.ts';
import { recordCaptions } from './recorded-captions.ts';

type Texts = readonly (string | null)[];

/** Two tracks whose cues cover the same parts of the clip; a null leaves a cue out. */
const tracksOf = (source: Texts, target: Texts): StoredTrack[] => {
  const parts: Range[] = divided(clipRange, Math.max(source.length, target.length));
  return [source, target].map((texts, at) => ({
    trackIndex: at === 0 ? 2 : 4,
    taggedLanguage: at === 0 ? 'ko' : 'en',
    code: at === 0 ? 'ko' : 'en',
    cues: texts.flatMap((text, index) => {
      const part = parts[index];
      return text === null || part === undefined ? [] : [{ ...part, text }];
    }),
  }));
};
const jobOf = (source: Texts, target: Texts): Promise<CaptionJob> =>
  captionJob({ version: 1, windows: 4, tracks: tracksOf(source, target) });

/** `count` texts of this length, each its own. */
const texts = (count: number, length: number, filling = 'x'): string[] =>
  Array.from({ length: count }, (_, index) =>
    String(index)
      .padEnd(length - 1, filling)
      .concat('.'),
  );

const refused = (job: CaptionJob): string => failureOf(CaptionFailure, () => captionsOf(job))?.message ?? 'made';

const three = await captionJob({ version: 1, windows: 4, tracks: twoTracks });

test('the names of captions follow from their content', (t) => {
  const { study } = three;
  const { runtimeId: runId } = study.run.record;
  const named = {
    runId,
    approval: study.approval,
    readiness: study.conclusion.admission.readiness,
    study: study.conclusion.study,
  };
  t.is(captionJobIdOf(three), `caption-production:${hash(named)}`);
  for (const attempt of [1, 2]) {
    t.is(captionJobIdOf({ ...three, attempt }), `caption-production:${hash({ ...named, attempt })}`);
  }
  const { refs, objects, events } = recordCaptions(three);
  const [artifact, receipt] = objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')));
  t.is(refs.contentId, storedId(artifact));
  t.is(refs.receiptContentId, storedId(receipt));
  const { schema, receiptId, ...body } = receipt;
  t.is(refs.receiptId, `caption-production-receipt:${hash(body)}`);
  t.is(receiptId, refs.receiptId);
  const idOf = (kind: string, contentId: string) =>
    `artifact:${hash({ runId, jobId: captionJobIdOf(three), kind, contentId })}`;
  t.is(refs.artifactId, idOf('caption-production-output', refs.contentId));
  t.is(refs.receiptArtifactId, idOf('caption-production-receipt', refs.receiptContentId));
  t.deepEqual(fieldOf(objects, 'contentId'), [refs.contentId, refs.receiptContentId]);
  t.deepEqual(fieldOf(events, 'type'), ['artifact.recorded', 'artifact.recorded', 'caption.production_completed']);
  t.is(receipt.result.captionBytes, objects[0]?.bytes.length);
});

test('captions fit the contract and are the same whenever they are made', (t) => {
  const artifact = captionsOf(three);
  t.deepEqual(captionArtifact.parse(artifact), artifact);
  t.is(canonical(captionsOf(three)), canonical(artifact));
  t.is(artifact.schema, 'studio.caption-production.artifact.v1');
});

const statuses: readonly [Texts, Texts, string, readonly number[]][] = [
  [['a', 'b'], ['A', 'B'], 'completed', [2, 2, 2, 0]],
  [['a', 'b'], ['A', null], 'partial', [2, 2, 1, 1]],
  [['a', null], ['A', 'B'], 'completed', [2, 1, 2, 0]],
  [['a', 'b'], [null, null], 'withheld', [2, 2, 0, 2]],
  [[null, null], ['A', 'B'], 'unavailable', [2, 0, 2, 0]],
  [[null], [null], 'unavailable', [0, 0, 0, 0]],
];

for (const [source, target, status, counts] of statuses) {
  test(`captions of [${source}] and [${target}] are ${status}`, async (t) => {
    const { result } = captionsOf(await jobOf(source, target));
    const [lineCount, sourceAvailableCount, targetAvailableCount, withheldCount] = counts;
    const counted = { lineCount, sourceAvailableCount, targetAvailableCount, withheldCount, unavailableCount: 0 };
    t.deepEqual(result, { status, ...counted } as typeof result);
  });
}

test('a study that leaves its lines without words leaves them withheld, with its own reason', async (t) => {
  const job = await captionJob({ version: 3, windows: 4, tracks: twoTracks });
  const { lines, result } = captionsOf(job);
  t.is(result.status, 'partial');
  const [, , last] = lines;
  for (const side of [last?.source, last?.target]) {
    t.like(side, { state: 'withheld', text: null, reasonCode: 'study_coverage_unknown' });
  }
});

test('at most 64 lines are captions', async (t) => {
  t.is(captionsOf(await jobOf(texts(64, 4), texts(64, 4))).lines.length, 64);
  const refusal = refused(await jobOf(texts(65, 4), []));
  t.is(refusal, 'too_large: 65 lines, at most 64 are allowed');
});

test('each side has at most 32,768 bytes', async (t) => {
  const full = texts(8, 4096, '1');
  t.is(captionsOf(await jobOf(full, full)).result.status, 'completed');
  const more = [...full, '!'];
  const limit = 'at most 32768 are allowed';
  t.is(refused(await jobOf(more, full)), `too_large: 32769 bytes of source text, ${limit}`);
  t.is(refused(await jobOf(full, more)), `too_large: 32769 bytes of target text, ${limit}`);
  const wide = texts(5, 2700, '한');
  t.regex(refused(await jobOf(wide, ['A'])), /^too_large: 4\d{4} bytes of source text/);
});

test('captions that are too large although they repeat nothing are refused', async (t) => {
  const quoted = texts(64, 512, '"');
  t.regex(refused(await jobOf(quoted, quoted)), /^too_large: \d+ bytes of captions, at most 131072 are allowed$/);
});

test('a text above 4,096 characters or 8,192 bytes, or with control characters, is invalid', async (t) => {
  const cases: [string, boolean][] = [
    ['x'.repeat(4096), true],
    ['x'.repeat(4097), false],
    ['—'.repeat(2730), true],
    ['—'.repeat(2731), false],
    ['two\nlines\tand\r\nmore', true],
    ['a bell \u0007', false],
    ['a next line \u0085 of another kind', false],
    [' not trimmed', false],
  ];
  for (const [text, isLine] of cases) {
    const outcome = refused(await jobOf(['안녕'], [text]));
    if (isLine) t.is(outcome, 'made');
    else t.regex(outcome, /^invalid_output: embedded-subtitle-line-001 target\.text /);
  }
});

const schemaOf = (job: CaptionJob): string => captionsOf(job).schema.slice(-2);

test('captions are stored in the whole form up to the last byte that there is room for', async (t) => {
  const padded = (length: number) => jobOf(texts(31, 16), texts(31, 16).with(0, 'x'.repeat(length)));
  const whole = captionsOf(await padded(1));
  t.is(whole.schema.slice(-2), 'v1');
  const room = captionLimits.maxArtifactBytes - storedBytes(whole).length;
  t.true(room > 0 && room < 4095, `${room}`);
  const last = await padded(1 + room);
  t.is(storedBytes(captionsOf(last)).length, captionLimits.maxArtifactBytes);
  t.is(schemaOf(last), 'v1');
  const first = await padded(2 + room);
  t.is(schemaOf(first), 'v5');
  t.true(storedBytes(captionsOf(first)).length < captionLimits.maxArtifactBytes / 2);
});

test('the shared form says the same as the whole one', async (t) => {
  const artifact = captionsOf(await jobOf(texts(64, 40), texts(64, 40).with(7, 'y')));
  if (artifact.schema !== 'studio.caption-production.artifact.v5') throw new Error(`it is ${artifact.schema}`);
  t.deepEqual(captionArtifact.parse(artifact), artifact);
  const whole = wholeCaptionsOf(artifact);
  t.is(whole.lines.length, 64);
  for (const line of whole.lines) t.deepEqual(captionLine.parse(line), line);
  t.is(wholeCaptionsOf(whole), whole);
  const [first, ...rest] = whole.lines;
  if (first === undefined) throw new Error('there are lines');
  const { lines, sharedLineage, ...said } = artifact;
  t.deepEqual(resultOfSteps(sharedLinesOf([first, ...rest])), { sharedLineage, lines });
  t.deepEqual({ ...said, schema: whole.schema, lines: whole.lines }, whole);
});

test('lines with different citations and gaps share what they can, and come back whole', async (t) => {
  const job = await captionJob({ version: 3, windows: 128, tracks: tracksOf(texts(40, 9), texts(40, 9)) });
  const { lines } = wholeCaptionsOf(captionsOf(job));
  const counts = new Set(lines.map(({ lineage }) => lineage.study.semanticCitations.length));
  t.deepEqual([...counts].sort(), [0, 1, 2]);
  const [first, ...rest] = lines;
  if (first === undefined) throw new Error('there are lines');
  const shared = resultOfSteps(sharedLinesOf([first, ...rest]));
  t.true(shared.sharedLineage.study.citations.length <= job.study.findings.reads.length);
  const artifact = captionsOf(job);
  const v5 = { ...artifact, schema: 'studio.caption-production.artifact.v5', ...shared };
  const whole = wholeCaptionsOf(captionArtifact.parse(v5));
  t.deepEqual(whole.lines, lines as CaptionLine[]);
});

test('a shared form that points to a citation that is not there is damaged', async (t) => {
  const artifact = captionsOf(await jobOf(texts(64, 40), texts(64, 40)));
  const text = JSON.stringify(artifact).replace('"index":0', '"index":9');
  const error = t.throws(() => wholeCaptionsOf(captionArtifact.parse(JSON.parse(text))));
  t.regex(error?.message ?? '', /caption fails at: sharedLineage\.study\.citations/);
});

test('bug: a check of long captions compared each line with all lines before it', (t) => {
  const count = 200;
  const captions = checkableCaptions(threeLines);
  const [line] = threeLines;
  if (line === undefined) throw new RangeError('there are lines');
  let looks = 0;
  const lines = Array.from({ length: count }, (_, at) =>
    Object.defineProperty({ ...line }, 'id', {
      enumerable: true,
      get: () => {
        looks += 1;
        return `${line.id}-${at}`;
      },
    }),
  );
  const decided = structuralDecisionOf({ ...captions, artifact: { ...captions.artifact, lines } });
  // Only the first does not overlap another.
  t.is(decided.lines.filter(({ outcome }) => outcome === 'accepted').length, 1);
  t.true(looks <= 5 * count, `${looks} looks`);
});

/** The text of a cue; markup would be left out. */
const textOf = ({ tree }: Cue): string =>
  tree.children.map((node) => (node.type === 'text' ? node.value : '')).join('');

/** The cues that a strict parser reads, which must have nothing to object to. */
function cuesOf(file: string) {
  const { cues, errors } = new webVtt.WebVTTParser(entities).parse(file, 'subtitles');
  if (errors.length > 0) throw new Error(errors.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return cues.map((cue) => ({
    id: cue.id,
    startMs: Math.round(cue.startTime * 1000),
    endMs: Math.round(cue.endTime * 1000),
    text: textOf(cue),
    isPlain: cue.tree.children.every(({ type }) => type === 'text'),
  }));
}

test('a file names its receipts and has a cue for each line', (t) => {
  const captions = checkableCaptions(threeLines);
  const qualityControl = qualityControlReceipt.of(run, captions);
  t.is(
    resultOfSteps(webVttOf({ ...captions, qualityControl }, 'target')),
    `WEBVTT

NOTE
target language en
captions ${captions.artifact.jobId}
caption receipt ${captions.receipt.receiptId}
quality control receipt ${qualityControl.receiptId}

line-1
00:00:01.000 --> 00:00:03.000
Good morning

line-2
00:00:03.000 --> 00:00:06.000
Come in

line-3
00:00:07.000 --> 00:00:09.000
Thank you
`,
  );
});

test('the other side has its own language and texts, at the same times', (t) => {
  const file = fileOf(threeLines, 'source');
  t.true(file.includes('\nsource language ko\n'));
  t.deepEqual(
    cuesOf(file).map(({ id, startMs, endMs, text }) => [id, startMs, endMs, text]),
    threeLines.map(({ id, startMs, endMs, source }) => [id, startMs, endMs, source.text]),
  );
});

test('a line without a text on this side has no cue', (t) => {
  const words: Words[] = [
    { startMs: 1000, endMs: 2000, source: 'a', target: null },
    { startMs: 2000, endMs: 3000, source: null, target: 'b' },
  ];
  const lines = words.map((each, index) => lineOf(each, index));
  t.deepEqual(fieldOf(cuesOf(fileOf(lines)), 'id'), ['line-2']);
  t.deepEqual(fieldOf(cuesOf(fileOf(lines, 'source')), 'id'), ['line-1']);
});

test('captions without a line make a file without a cue', (t) => {
  t.deepEqual(cuesOf(fileOf([])), []);
});

test('times reach past an hour and past a hundred', (t) => {
  const startMs = 3_600_000 * 123 + 59 * 60_000 + 58_007;
  const file = fileOf([lineOf({ startMs, endMs: startMs + 1993, source: 'a', target: 'b' }, 0)]);
  t.true(file.includes('\n123:59:58.007 --> 124:00:00.000\n'));
  t.deepEqual(
    cuesOf(file).map((cue) => [cue.startMs, cue.endMs]),
    [[startMs, startMs + 1993]],
  );
});

test('signs of the format are text in a cue', (t) => {
  const [cue] = cuesOf(fileOf(oneSecondEach(['1 < 2 & 3 > 2 --> <i>so</i> &amp; on'])));
  t.is(cue?.text, '1 < 2 & 3 > 2 --> <i>so</i> &amp; on');
  t.true(cue?.isPlain);
});

test('blank lines do not end a cue, and every kind of line break is one', (t) => {
  const [cue, ...others] = cuesOf(fileOf(oneSecondEach(['one\r\n\r\ntwo\rthree\n \t\n\n  four'])));
  t.is(cue?.text, 'one\ntwo\nthree\n  four');
  t.deepEqual(others, []);
});

test('no caption can hold a NUL', (t) => {
  t.false(captionWords.safeParse('a\0b').success);
});

for (const seed of [1, 20, 300, 4000, 50_000]) {
  test(`a strict parser reads texts of seed ${seed} as they were, whatever they look like`, (t) => {
    const texts = nastyTexts(seed, perFile);
    const file = fileOf(oneSecondEach(texts));
    t.deepEqual(
      cuesOf(file),
      texts.map((text, index) => ({
        id: `line-${index + 1}`,
        startMs: index * 1000,
        endMs: index * 1000 + 999,
        text: textLinesOf(text).join('\n'),
        isPlain: true,
      })),
    );
    t.is(file.split('-->').length - 1, texts.length);
  });
}

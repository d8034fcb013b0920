import test from 'ava';
import { captionArtifact, chunkedCaptions, citingCaptions } from '../../../contract/captions/caption-production.ts';
import { longQualityControlReceipt } from '../../../contract/captions/caption-quality-control.ts';
import { captionChunk, captionCitations } from '../../../contract/captions/long-captions.ts';
import { captionProspectOf } from '../../../receipts/captions/caption-ability.ts';
import { standingAllowance } from '../../../receipts/captions/caption-allowance.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/caption-artifact.ts';
import { recordCaptions } from '../../../receipts/captions/caption-production.ts';
import { recordQualityControl } from '../../../receipts/captions/caption-quality-control.ts';
import { checkableOf } from '../../../receipts/captions/fold-captions.ts';
import { chunkOf } from '../../../receipts/captions/stored-captions.ts';
import { storedBytes } from '../../../receipts/core/canonical-json.ts';
import { acceptedCaptionsOf } from '../../../receipts/reopening/accepted-captions.ts';
import { publishedCaptionReportsOf } from '../../../receipts/reopening/published-caption-reports.ts';
import { publishedCaptionsOf, publishedQualityControlsOf } from '../../../receipts/reopening/published-captions.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { placeOf, reopened } from '../reopening/reopened.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { captionedStudy, captionSteps, goingOn } from './captioned-studies.ts';

const lineCount = 300;
const cueMs = 12;

/** So many short cues in both languages of the clip. */
const manyCues = twoTracks.map((track) => ({
  ...track,
  cues: Array.from({ length: lineCount }, (_, at) => ({
    startMs: at * cueMs,
    endMs: (at + 1) * cueMs,
    text: track.taggedLanguage === 'ko' ? `안녕하세요 ${at}` : `Good morning ${at}`,
  })),
}));

const study = storedStudy({ version: 1, windows: 4, tracks: manyCues });
const captioned = await captionedStudy(study);
const classification = 'embedded_subtitle_tracks';
const allowed = { maxDurationMs: 600_000, maxLines: 1000 };
const { job } = captionProspectOf(captioned, 0, { classification, allowance: allowed });
const steps = captionSteps(job);
const review = reviewOf(study, approval);
const tail = [review.started, review.recorded, steps.started, steps.recorded];
const objects = [...review.objects, ...steps.objects];

test('captions within the limits that hold everywhere are the same on a host that allows more', async (t) => {
  const short = await captionedStudy(storedStudy({ version: 1, windows: 4, tracks: twoTracks }));
  const made = captionProspectOf(short, 0, { classification, allowance: allowed }).job;
  t.is(made.allowance, undefined);
  t.deepEqual(captionsOf(made), captionsOf({ study: short, attempt: 0, classification }));
});

test('more lines than a host allows are refused', (t) => {
  for (const [allowance, limit] of [
    [standingAllowance, 64],
    [{ ...allowed, maxLines: 299 }, 299],
  ] as const) {
    const refused = captionProspectOf(captioned, 0, { classification, allowance }).job;
    t.throws(() => captionsOf(refused), { message: `too_large: ${lineCount} lines, at most ${limit} are allowed` });
  }
});

test('long captions are stored in chunks of bounded size, and each record names the next', (t) => {
  const captions = captionArtifact.parse(captionsOf(job));
  t.is(captions.schema, 'studio.caption-production.artifact.v7');
  t.is(captions.result.lineCount, lineCount);
  const records = steps.objects.map(
    ({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')) as { schema: string },
  );
  t.true(steps.objects.every(({ bytes }) => bytes.length <= 131_072));
  const chunks = records.flatMap((record) => captionChunk.safeParse(record).data ?? []);
  t.deepEqual(
    chunks.map(({ index, lines }) => [index, lines.length]),
    [
      [0, 64],
      [1, 64],
      [2, 64],
      [3, 64],
      [4, 44],
    ],
  );
  const head = records.flatMap((record) => chunkedCaptions.safeParse(record).data ?? [])[0];
  t.deepEqual(
    head?.chunks.map(({ contentId, count }) => [contentId, count]),
    chunks.map((chunk, at) => [steps.objects[at]?.contentId ?? '', chunk.lines.length]),
  );
  t.deepEqual(chunkOf(captions, 4)?.chunk, chunks[4]);
  t.is(chunkOf(captions, 5), null);
  const checks = records.flatMap((record) => longQualityControlReceipt.safeParse(record).data ?? []);
  t.like(checks[0]?.decision, { outcome: 'accepted', acceptedCount: lineCount, withheldCount: 0 });
  t.deepEqual(
    checks[0]?.decision.parts.map(({ count }) => count),
    [256, 44],
  );
});

test('long captions and their check are derived again when they are reopened', async (t) => {
  const { runtime } = await reopened(...goingOn(study, objects, ...tail, steps.checked));
  const [published] = publishedCaptionsOf(runtime);
  if (published === undefined) throw new Error('there are captions');
  t.deepEqual(published.caption.artifact.body, captionsOf(job));
  t.is(publishedQualityControlsOf(runtime)[0]?.acceptedLineIds.length, lineCount);
  t.is(acceptedCaptionsOf(runtime).artifact.lines.length, lineCount);
  t.is(publishedCaptionReportsOf(runtime).reports[0]?.cues.length, lineCount);
  const { run } = captioned;
  const checkable = checkableOf(published.caption);
  t.deepEqual(recordQualityControl(run, checkable).events, steps.checked);
});

test('a chunk that is missing, changed, or of other captions is found', async (t) => {
  const isChunk = ({ bytes }: (typeof objects)[number]) => Buffer.from(bytes).includes('caption-production.chunk.v1');
  const chunk = steps.objects.find(isChunk);
  if (chunk === undefined) throw new Error('there are chunks');
  const without = objects.filter((object) => object !== chunk);
  t.regex((await placeOf(...goingOn(study, without, ...tail))) ?? '', /^caption: /);
  const bytes = Buffer.from(chunk.bytes.toString().replace('Good morning 7"', 'Good morning 8"'));
  const changed = [...without, { ...chunk, bytes }];
  t.is(await placeOf(...goingOn(study, changed, ...tail)), 'caption: content');
  const other: CaptionJob = { ...job, attempt: 1 };
  const foreign = recordCaptions(other);
  const place = await placeOf(...goingOn(study, [...objects, ...foreign.objects], ...tail.slice(0, 3), foreign.events));
  t.is(place, 'caption: sharedLineage.captionExecutor.jobId');
});

/** A study of four hours, whose hundred reads are all cited. */
const citing = storedStudy({
  version: 1,
  windows: 6400,
  lengthMs: 14_400_000,
  tracks: manyCues.map((track) => ({
    ...track,
    cues: track.cues.map((cue, at) => ({ ...cue, startMs: at * 48_000, endMs: (at + 1) * 48_000 })),
  })),
});

test('bug: captions that cite more reads than one record has room for were too large', async (t) => {
  const allowance = { maxDurationMs: 14_400_000, maxLines: 1000 };
  const { job: long } = captionProspectOf(await captionedStudy(citing), 0, { classification, allowance });
  const made = captionSteps(long);
  t.true(made.objects.every(({ bytes }) => bytes.length <= 131_072));
  const records = made.objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown);
  const head = records.flatMap((each) => citingCaptions.safeParse(each).data ?? [])[0];
  const parts = records.flatMap((each) => captionCitations.safeParse(each).data ?? []);
  t.deepEqual(
    head?.citations.map(({ count }) => count),
    [64, 36],
  );
  const captions = captionsOf(long);
  t.deepEqual(chunkOf(captions, 0)?.citations, parts.slice(0, 1));
  t.deepEqual(chunkOf(captions, 4)?.citations, parts.slice(1));

  const reviewed = reviewOf(citing, approval);
  const all = [...reviewed.objects, ...made.objects];
  const journal = [reviewed.started, reviewed.recorded, made.started, made.recorded] as const;
  const { runtime } = await reopened(...goingOn(citing, all, ...journal, made.checked));
  t.deepEqual(publishedCaptionsOf(runtime)[0]?.caption.artifact.body, captions);
  t.is(acceptedCaptionsOf(runtime).artifact.lines.length, lineCount);

  const part = made.objects.find(({ bytes }) => Buffer.from(bytes).includes('caption-production.citations.v1'));
  if (part === undefined) throw new Error('there are records of citations');
  const without = all.filter((object) => object !== part);
  t.regex((await placeOf(...goingOn(citing, without, ...journal))) ?? '', /^caption: /);
  const bytes = Buffer.from(
    part.bytes.toString().replace('"readReceiptId":"evidence-read:', '"readReceiptId":"evidence-read:0'),
  );
  t.is(await placeOf(...goingOn(citing, [...without, { ...part, bytes }], ...journal)), 'caption: content');
});

test('a journal in which an attempt has other limits than its host can allow is found', async (t) => {
  const other = captionSteps({ ...job, allowance: { ...allowed, maxLines: 2000 } });
  const place = await placeOf(
    ...goingOn(study, [...objects, ...other.objects], ...tail.slice(0, 2), other.started, steps.recorded),
  );
  t.regex(place ?? '', /^caption_receipt: limits/);
  t.true(storedBytes(captionsOf(job)).length > 131_072);
});

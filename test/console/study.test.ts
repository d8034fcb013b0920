import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import type { Waveform } from '../../client/evidence.ts';
import { HostError, HostUnreachable } from '../../client/host-error.ts';
import type { StudyHost } from '../../client/study-host.ts';
import { progressWords, shareOf } from '../../console/parts/step-progress.tsx';
import { slotsOf } from '../../console/pictures/filmstrip.tsx';
import { peakOf, waveOutline } from '../../console/pictures/wave.tsx';
import { lineAt, textsOf } from '../../console/player/transcript.tsx';
import { missingPages } from '../../console/study/journal-pane.tsx';
import { studyModel } from '../../console/study/study-model.ts';
import { describeState } from '../../console/study/study-view.tsx';
import { claimLanes, evidenceLanes as lanesOf } from '../../console/timeline/lanes.ts';
import { ticksOf } from '../../console/timeline/ticks.ts';
import {
  drawnMarks,
  entryMark,
  foldedLanes,
  hasRoom,
  longestOf,
  panned,
  shortestViewMs,
  showing,
  within,
  zoomed,
} from '../../console/timeline/timeline.tsx';
import {
  canonicalText,
  chainDigest,
  contentIdOf,
  judgementChecks,
  receiptIdOf,
} from '../../console/verification/checks.ts';
import type { AssessmentAudits } from '../../contract/evidence/assessment.ts';
import type { KeyframeFact } from '../../contract/evidence/evidence-object.ts';
import type { EvidenceReadReceipt } from '../../contract/evidence/evidence-read.ts';
import type { JournalEvent, RuntimeEvents } from '../../contract/journal.ts';
import { runtimeJudgements } from '../../contract/judgement.ts';
import { type WorkProgress, type WorkStage, workStage } from '../../contract/operation.ts';
import type { Finding, RuntimeOverview } from '../../contract/overview.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { stageWords } from '../../contract/study/stages.ts';
import { contentIdOfJson as hostContentId, canonicalJson as hostJson } from '../../formats/canonical-json.ts';
import { kindsForPeople } from '../../kinds/kinds.ts';
import { fieldOf } from '../fields.ts';

/** The lanes with the words of the host. */
const evidenceLanes = (rows: Parameters<typeof lanesOf>[0], findings: readonly Finding[]) =>
  lanesOf(rows, findings, kindsForPeople.kinds);

const runtimeId = 'runtime:1';
const event = (seq: number) => ({ seq }) as JournalEvent;

/** A page of a journal of so many events. */
const pageOf = (journalHead: number, after: number, terminal: boolean) =>
  ({
    events: Array.from({ length: journalHead - after }, (_, at) => event(after + at + 1)),
    nextCursor: journalHead,
    journalHead,
    reachedHead: true,
    terminal,
  }) as unknown as RuntimeEvents;

/** A host of one study, with the parts that a test needs. */
const hostWith = (own: object): StudyHost =>
  ({
    overview: async () => ({ journalHead: 0, captions: {} }),
    evidence: async () => ({}),
    claims: async () => ({}),
    evidenceKinds: async () => kindsForPeople,
    ...own,
  }) as unknown as StudyHost;

const seqs = (events: readonly JournalEvent[]): readonly number[] => events.map(({ seq }) => seq);

/** Resolves once something holds of what a model has. */
const until = ({ store }: ReturnType<typeof studyModel>, holds: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const { unsubscribe } = store.subscribe(() => {
      if (!holds()) return;
      unsubscribe();
      resolve();
    });
  });

test('an event that an action and the stream both bring is in the journal of the page once', async (t) => {
  let resolveEvents: (events: readonly JournalEvent[]) => void = () => undefined;
  const streamed = new Promise<readonly JournalEvent[]>((resolve) => {
    resolveEvents = resolve;
  });
  let head = 2;
  const host = hostWith({
    events: async (_: string, { after = 0 }) => pageOf(head, after, false),
    async *follow() {
      yield* await streamed;
    },
  });
  const model = studyModel(host, runtimeId);
  const close = model.open();
  await until(model, () => model.store.getSnapshot().context.events.length === 2);
  // The study is canceled: the answer to the action brings what the stream is about to bring.
  head = 4;
  await model.refresh();
  resolveEvents([event(3), event(4), event(5)]);
  await until(model, () => model.store.getSnapshot().context.journalHead >= 5);
  t.deepEqual(seqs(model.store.getSnapshot().context.events), [1, 2, 3, 4, 5]);
  t.is(model.store.getSnapshot().context.journalHead, 5);
  close();
});

test('an older answer about a study does not take the place of a newer one', async (t) => {
  const answers: ((overview: object) => void)[] = [];
  const host = hostWith({ overview: () => new Promise((resolve) => answers.push(resolve)) });
  const model = studyModel(host, runtimeId);
  const [older, newer] = [model.read(), model.read()];
  answers[1]?.({ journalHead: 2, captions: {} });
  await newer;
  answers[0]?.({ journalHead: 1, captions: {} });
  await older;
  t.is(model.store.getSnapshot().context.study?.overview.journalHead, 2);
});

test('a study is followed on after its host was gone for longer than the client waits', async (t) => {
  let turns = 0;
  const host = hostWith({
    events: async (_: string, { after = 0 }) => pageOf(1, after, false),
    async *follow() {
      turns += 1;
      if (turns === 1) throw new HostUnreachable('http://127.0.0.1:1', null);
      yield event(2);
    },
  });
  const model = studyModel(host, runtimeId, 1);
  const close = model.open();
  await until(model, () => model.store.getSnapshot().context.events.length === 2);
  t.deepEqual(seqs(model.store.getSnapshot().context.events), [1, 2]);
  close();
});

test('what joins the journal of an ended study is found by looking; else nothing is read again', async (t) => {
  let head = 1;
  let reads = 0;
  const host = hostWith({
    events: async (_: string, { after = 0 }) => pageOf(head, after, true),
    overview: async () => {
      reads += 1;
      return { journalHead: head, captions: {} };
    },
  });
  const model = studyModel(host, runtimeId);
  const close = model.open();
  await until(model, () => model.store.getSnapshot().context.events.length === 1);
  await model.readIfChanged();
  t.is(reads, 1);
  head = 2;
  await model.readIfChanged();
  t.is(reads, 2);
  t.deepEqual(seqs(model.store.getSnapshot().context.events), [1, 2]);
  close();
});

test('a study that is refused meanwhile says so, until it is answered again', async (t) => {
  let isGone = false;
  const refusal = new HostError({ status: 404, code: 'not_found', message: 'gone', retryAfterSeconds: null });
  const host = hostWith({
    events: async (_: string, { after = 0 }) => {
      if (isGone) throw refusal;
      return pageOf(1, after, true);
    },
  });
  const model = studyModel(host, runtimeId);
  const close = model.open();
  await until(model, () => model.store.getSnapshot().context.study !== null);
  isGone = true;
  await model.readIfChanged();
  t.is(model.store.getSnapshot().context.error, refusal);
  isGone = false;
  await model.readIfChanged();
  t.is(model.store.getSnapshot().context.error, null);
  close();
});

test('a followed study has its progress, and reads what it waits for when a wait starts or ends', async (t) => {
  let reads = 0;
  let notify: (stage: WorkStage) => void = () => undefined;
  let end: () => void = () => undefined;
  const host = hostWith({
    events: async (_: string, { after = 0 }) => pageOf(1, after, false),
    overview: async () => {
      reads += 1;
      return { journalHead: reads, captions: {} };
    },
    async *follow(_: string, { onProgress }: { onProgress: (progress: WorkProgress) => void }) {
      notify = (stage) => onProgress({ stage } as WorkProgress);
      notify('detect');
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      yield* [];
    },
  });
  const model = studyModel(host, runtimeId);
  const close = model.open();
  const stage = () => model.store.getSnapshot().context.progress?.stage;
  await until(model, () => stage() === 'detect');
  t.is(reads, 1);
  notify('queued');
  await until(model, () => model.store.getSnapshot().context.study?.overview.journalHead === 2);
  await model.readIfChanged();
  t.is(reads, 3, 'another reason to wait is found by looking');
  notify('subtitles');
  await until(model, () => model.store.getSnapshot().context.study?.overview.journalHead === 4);
  notify('read');
  await model.readIfChanged();
  t.is(reads, 4, 'a step that begins is told by the stream alone');
  end();
  await until(model, () => !model.store.getSnapshot().context.isLive);
  t.is(stage(), undefined);
  close();
});

const nothing: WorkProgress = {
  schema: 'studio.local-work-progress.v1',
  id: 'runtime:1',
  stage: 'detect',
  completed: null,
  total: null,
  unit: null,
  bytes: null,
  bytesPerSecond: null,
  queuePosition: null,
  etaMs: null,
};

const overviewOf = (code: string, text: string, reason: { readonly code: string } | null = null): RuntimeOverview =>
  ({
    situation: { code, text },
    lifecycle: 'running',
    study: { reason },
    check: { reasonCodes: [] },
  }) as unknown as RuntimeOverview;

test('every step has plain words', (t) => {
  for (const stage of workStage.options) t.regex(stageWords[stage], /^[a-z ]+$/);
});

test('progress shows the values of the host, and nothing more', (t) => {
  t.is(progressWords(nothing), '');
  t.is(shareOf(nothing), null);
  const measured = { completed: 61_499, total: 240_000, unit: 'milliseconds', etaMs: 61_000 } as const;
  t.is(progressWords({ ...nothing, ...measured }), '25 % · 1:01 of 4:00 of media · about 2 min left of this step');
  t.is(
    progressWords({ ...nothing, completed: 0, total: 1_800_234, unit: 'milliseconds' }),
    '0 % · 0:00 of 30:00 of media',
  );
  t.is(
    progressWords({
      ...nothing,
      stage: 'upload',
      completed: 1_500_000,
      total: 3e6,
      unit: 'bytes',
      bytesPerSecond: 2e6,
    }),
    '50 % · 1.5 MB of 3.0 MB · 2.0 MB a second',
  );
  t.is(progressWords({ ...nothing, stage: 'queued', queuePosition: 2 }), 'place 2 in the queue');
  // With two runs of the recognizer all speech counts twice, so an amount of it is not a length.
  t.is(
    progressWords({ ...nothing, ...measured, stage: 'recognize', etaMs: 200 }),
    '25 % · about 1 s left of this step',
  );
  t.is(shareOf({ ...nothing, completed: 0, total: 0 }), null);
});

test('a study at work has the state of its stream, any other that of its overview', (t) => {
  const studying = overviewOf('studying', 'studying: reading the evidence');
  t.is(describeState(studying, null).words, 'studying: reading the evidence');
  t.is(describeState(studying, 'recognize').words, 'studying: recognizing speech');
  t.deepEqual(describeState(studying, 'queued'), { state: 'queued', words: 'waiting for its turn' });
  const waiting = overviewOf('waiting_for_a_worker', 'waiting for a worker: none is there');
  t.deepEqual(describeState(waiting, 'queued'), { state: 'queued', words: 'waiting for a worker: none is there' });
  t.deepEqual(describeState(waiting, 'detect'), { state: 'running', words: 'studying: measuring sound and picture' });
  const ended = overviewOf('waiting_for_review', 'waiting for your review');
  t.is(describeState(ended, 'admit').words, 'waiting for your review');
  const failed = overviewOf('failed', 'failed: executor_failed: the time is used up', { code: 'executor_failed' });
  // The story below it says why.
  t.deepEqual(describeState(failed, null), { state: 'failed', words: 'study failed' });
});

const hour = 3_600_000;
const whole = { startMs: 0, endMs: 4 * hour };

const available = (kind: string, facts: readonly object[]): EvidenceRow =>
  ({ kind, state: 'available', reasonCode: null, artifactId: `artifact:${kind}`, facts }) as unknown as EvidenceRow;

test('a ruler has round marks, from hours down to a frame', (t) => {
  t.deepEqual(
    ticksOf(whole, 8),
    [0, 30, 60, 90, 120, 150, 180, 210].map((minutes) => minutes * 60_000),
  );
  t.deepEqual(ticksOf({ startMs: 1_010, endMs: 1_110 }, 5), [1020, 1040, 1060, 1080, 1100]);
});

test('zoom keeps the time under the pointer in its place, and ends at a frame and at the whole', (t) => {
  const closer = zoomed(whole, whole, 0.5, hour);
  t.deepEqual(closer, { startMs: hour / 2, endMs: 2.5 * hour });
  t.is(zoomed(closer, whole, 1e-9, hour).endMs - zoomed(closer, whole, 1e-9, hour).startMs, shortestViewMs);
  t.deepEqual(zoomed(closer, whole, 1e9, hour), whole);
  const short = { startMs: 0, endMs: 40 };
  t.deepEqual(zoomed(short, short, 0.1, 20), short);
});

test('bug: at the closest zoom a view was another one each time, and the search for a mark went on forever', (t) => {
  const closest = zoomed(whole, whole, 1e-9, hour);
  t.is(zoomed(closest, whole, 0.5, hour), closest);
  t.is(zoomed(whole, whole, 2, hour), whole);
});

test('a view never leaves the whole', (t) => {
  t.deepEqual(within({ startMs: -5, endMs: 5 }, { startMs: 0, endMs: 100 }), { startMs: 0, endMs: 10 });
  t.deepEqual(panned({ startMs: 50, endMs: 100 }, { startMs: 0, endMs: 100 }, 3), { startMs: 50, endMs: 100 });
  const view = { startMs: 0, endMs: 1000 };
  t.is(showing(view, whole, { startMs: 10, endMs: 20 }), view);
  t.deepEqual(showing(view, whole, { startMs: 5000, endMs: 5100 }), { startMs: 4550, endMs: 5550 });
});

test('every kind of evidence gets a lane, also one that this page has no words for', (t) => {
  const rows = [
    available('silence', [{ kind: 'silence', index: 0, startMs: 10, endMs: 20 }]),
    available('colour_of_the_sky', [
      { kind: 'sky_sample', atMs: 5, blue: 3 },
      { kind: 'sky_note', words: 'without a place' },
    ]),
    { kind: 'loudness', state: 'unavailable', cause: { code: 'no_audio_track', params: {} } } as unknown as EvidenceRow,
    available('shot_changes', []),
  ];
  const [silence, loudness, cuts, sky] = evidenceLanes(rows, []);
  t.deepEqual(
    silence?.marks.map(({ words, startMs, endMs }) => [words, startMs, endMs]),
    [['silence', 10, 20]],
  );
  t.deepEqual(
    sky?.marks.map(({ words, startMs, endMs }) => [words, startMs, endMs]),
    [['sky sample', 5, 5]],
  );
  t.deepEqual(loudness?.absence, { kind: 'unavailable', words: 'the film has no sound' });
  t.deepEqual(cuts?.absence, { kind: 'empty', words: 'nothing found' });
});

test('the subtitles of a track are named by their language', (t) => {
  const row = available('subtitle_track', []);
  const found = (kind: string, trackIndex: number, own: object): Finding =>
    ({ kind, trackIndex, state: 'available', ...own }) as unknown as Finding;
  const subtitles = found('subtitle_track', 2, { title: 'subtitles of track 2', artifactId: row.artifactId });
  const titleWith = (...languages: readonly Finding[]) => evidenceLanes([row], [subtitles, ...languages])[0]?.title;
  t.is(titleWith(found('text_language', 2, { languages: [{ language: 'ko', totalMs: null }] })), 'Korean (track 2)');
  t.is(
    titleWith(found('text_language', 3, { languages: [{ language: 'ko', totalMs: null }] })),
    'Subtitles of track 2',
    'of another track',
  );
  t.is(titleWith(), 'Subtitles of track 2');
});

test('a passage that was not recognized is a mark of its own, with the cause, and is in the lines to read along', (t) => {
  const region = { kind: 'recognised_region', index: 0, startMs: 0, endMs: 900, language: null };
  const cause = { code: 'engine_error', params: { engine: 'openai', status: 500 } };
  const facts = [region, { ...region, index: 1, startMs: 2000, endMs: 3000, cause }];
  const lanes = evidenceLanes([available('transcript', facts)], []);
  const words = 'speech that was not recognized: the transcription server failed (status 500)';
  t.deepEqual(
    lanes[0]?.marks.map((mark) => [mark.words, mark.tone]),
    [
      ['recognised region', 'other'],
      [words, 'fault'],
    ],
  );
  t.deepEqual(
    textsOf(lanes).flatMap(({ lines }) => lines.map((line) => [line.words, line.startMs])),
    [[words, 2000]],
  );
});

test('an unavailable kind has the same name and reason as below the timeline', (t) => {
  const cause = { code: 'language_not_recognised', params: {} };
  const row = { kind: 'transcript', state: 'unavailable', reasonCode: cause.code, artifactId: null, cause };
  const [lane] = evidenceLanes(
    [row as unknown as EvidenceRow],
    [{ ...row, title: 'recognized speech' } as unknown as Finding],
  );
  t.is(lane?.title, 'Recognized speech');
  t.is(lane?.absence?.words, 'the recognizer does not serve the declared language');
});

test('a claim over text says the text, and one without a value says its state once', (t) => {
  const claim = (kind: string, value: string | null, states: readonly string[], receiptId: string) => ({
    claimIndex: 0,
    kind,
    value,
    states,
    range: { startMs: 0, endMs: 9 },
    citations: [{ receiptId, factIndexes: [0] }],
  });
  const claims = [
    claim('screen_text', 'recognised', ['supported'], 'read'),
    claim('language_identity', null, ['unknown'], 'other'),
  ];
  const read = { facts: [{ kind: 'recognised_text', startMs: 1, endMs: 2, text: 'Reading room' }] };
  const audits = { audits: [{ operationId: 'operation', claims }] } as unknown as AssessmentAudits;
  const lanes = claimLanes(audits, new Map([['read', read as unknown as EvidenceReadReceipt]]));
  t.deepEqual(
    lanes.map(({ marks }) => marks[0]?.words),
    ['“Reading room”: supported', 'language: unknown'],
  );
});

test('a lane draws the visible facts, and merges those on the same pixels', (t) => {
  const facts = Array.from({ length: 100_000 }, (_, index) => ({
    kind: 'silence',
    startMs: index * 100,
    endMs: index * 100 + 40,
  }));
  const [lane] = evidenceLanes([available('silence', facts)], []);
  const marks = lane?.marks ?? [];
  const longest = longestOf(marks);
  t.is(longest, 40);
  const all = drawnMarks(marks, longest, { startMs: 0, endMs: 10_000_000 }, 1000);
  t.true(all.length <= 1000, String(all.length));
  t.is(
    all.reduce((sum, { count }) => sum + count, 0),
    100_000,
  );
  const few = drawnMarks(marks, longest, { startMs: 5_000_020, endMs: 5_000_240 }, 1000);
  t.deepEqual(
    few.map(({ mark, count }) => [mark.startMs, count]),
    [
      [5_000_000, 1],
      [5_000_100, 1],
      [5_000_200, 1],
    ],
  );
});

test('a lane in which speech and pauses take turns draws no more marks than its width allows', (t) => {
  const kinds = ['speech_window', 'non_speech_window'];
  const facts = Array.from({ length: 10_000 }, (_, at) => ({
    kind: kinds[at % 2],
    startMs: at * 100,
    endMs: at * 100 + 100,
  }));
  const marks = evidenceLanes([available('speech_activity', facts)], [])[0]?.marks ?? [];
  const all = drawnMarks(marks, longestOf(marks), { startMs: 0, endMs: 1_000_000 }, 1000);
  t.true(all.length <= 1000, String(all.length));
  t.is(
    all.reduce((sum, { count }) => sum + count, 0),
    10_000,
  );
});

test('cuts that lie closer than a person can press are drawn as one', (t) => {
  const facts = Array.from({ length: 600 }, (_, at) => ({ kind: 'shot_change', atMs: at * 7000 }));
  const marks = evidenceLanes([available('shot_changes', facts)], [])[0]?.marks ?? [];
  const drawn = drawnMarks(marks, longestOf(marks), { startMs: 0, endMs: 4_200_000 }, 1000);
  const gaps = drawn.slice(1).map(({ left }, at) => left - (drawn[at]?.left ?? 0));
  t.true(Math.min(...gaps) >= 7, String(Math.min(...gaps)));
  t.is(
    drawn.reduce((sum, { count }) => sum + count, 0),
    600,
  );
});

test('Tab reaches a mark at any zoom, and the chosen one at its position', (t) => {
  const silence = (startMs: number) => ({ kind: 'silence', startMs, endMs: startMs + 10 });
  const rows = [available('silence', [silence(0), silence(20), silence(hour)]), available('black_frames', [])];
  const lanes = evidenceLanes(rows, []);
  const [first, second, last] = lanes[0]?.marks ?? [];
  const entry = (chosen: typeof first, view: { startMs: number; endMs: number }) =>
    entryMark(lanes, chosen?.key ?? null, view, 1000);
  t.is(entry(undefined, whole), first);
  t.is(entry(last, whole), last);
  t.is(entry(second, whole), first, 'drawn as one with the mark before it');
  t.is(entry(second, { startMs: 0, endMs: 100 }), second);
  t.is(entry(first, { startMs: hour - 500, endMs: hour + 500 }), last, 'the chosen one is out of sight');
  t.is(entry(first, { startMs: 2 * hour, endMs: 2 * hour + 500 }), undefined);
});

const keyframe = (index: number, startMs: number, endMs: number): KeyframeFact => ({
  kind: 'keyframe',
  index,
  startMs,
  endMs,
  atMs: startMs,
  width: 160,
  height: 90,
  contentId: `sha256:${'0'.repeat(64)}`,
  bytes: 900,
});

test('of keyframes that overlap one is left out; one that began before the view is at its edge', (t) => {
  const facts = [keyframe(0, 0, 5_000), keyframe(1, 5_000, 5_500), keyframe(2, 5_500, 20_000)];
  const placed = (startMs: number, endMs: number) =>
    slotsOf(facts, { startMs, endMs }, 1000, 90).map(({ fact, left }) => [fact.index, left]);
  t.deepEqual(placed(0, 20_000), [
    [0, 0],
    [1, 250],
  ]);
  t.deepEqual(placed(5_400, 6_400), [[1, 0]]);
  t.deepEqual(placed(8_000, 9_000), [[2, 0]]);
});

test('bug: a mark had half of its words, such as speech: supp…', (t) => {
  const claim = { tone: 'claim', words: 'speech: supported' };
  t.false(hasRoom(claim, 100));
  t.true(hasRoom(claim, 140));
  t.true(hasRoom({ tone: 'text', words: 'The boat leaves at seven tomorrow morning.' }, 100), 'a line has its start');
  t.false(hasRoom({ tone: 'speech', words: 'speech' }, 60));
});

test('bug: below the timeline the language of each subtitle track was there again, by its codes', (t) => {
  const lane = (key: string, kind: 'unplaced' | 'unavailable') => ({
    ...{ key, backdrop: null, title: 'x', marks: [] },
    absence: { kind, words: 'en, tagged eng' },
  });
  const lanes = [
    lane('text_language artifact:1', 'unplaced'),
    lane('text_language 4', 'unavailable'),
    lane('loudness artifact:2', 'unplaced'),
  ];
  t.deepEqual(
    foldedLanes(lanes, { startMs: 0, endMs: 1 }).said.map(({ key }) => key),
    ['text_language 4', 'loudness artifact:2'],
  );
});

test('bug: a stretch between two keyframes was empty, as if a picture were missing', (t) => {
  const facts = [0, 10_000, 20_000].map((startMs, index) => ({
    startMs,
    endMs: startMs + 10_000,
    index,
    width: 160,
    height: 90,
  }));
  const slots = slotsOf(facts as never, { startMs: 0, endMs: 40_000 }, 2000, 54);
  t.deepEqual(
    slots.map(({ left, width }) => [left, width]),
    [
      [0, 500],
      [500, 500],
      [1000, 500],
    ],
    'each lasts until the next one, and the last until its part ends',
  );
  t.is(slotsOf(facts as never, { startMs: 0, endMs: 40_000 }, 100, 54)[0]?.width, 96, 'and is never cut');
});

test('a waveform is drawn as high as its loudest sample, and only over measured sound', (t) => {
  const waveform: Waveform = {
    startMs: 1000,
    windowMs: 500,
    lowest: Int16Array.from([-100, 0]),
    highest: Int16Array.from([50, 100]),
  };
  t.is(peakOf(waveform), 100);
  t.is(waveOutline(waveform, { startMs: 1000, endMs: 2000 }, 2, 22, peakOf(waveform)), 'M0 5.5L1 0.5L1 11.5L0 21.5Z');
  t.is(waveOutline(waveform, { startMs: 5000, endMs: 6000 }, 2, 22, peakOf(waveform)), '');
  t.true(waveOutline(waveform, { startMs: 1400, endMs: 1410 }, 300, 22, 100).length > 300, 'closer than a window');
  t.false(
    waveOutline(waveform, { startMs: 0, endMs: 4000 }, 8, 22, 100).includes('5 '),
    'plain where nothing is known',
  );
});

test('the words beside the player are those of any text, recognized ones first', (t) => {
  const row = (kind: string, facts: readonly object[]): EvidenceRow =>
    ({ kind, state: 'available', reasonCode: null, artifactId: `artifact:${kind}`, facts }) as unknown as EvidenceRow;
  const lanes = evidenceLanes(
    [
      row('subtitle_track', [{ kind: 'subtitle_cue', startMs: 100, endMs: 200, text: 'read' }]),
      row('silence', [{ kind: 'silence', startMs: 0, endMs: 90 }]),
      row('transcript', [
        { kind: 'transcript_line', startMs: 100, endMs: 200, text: 'said' },
        { kind: 'transcript_line', startMs: 300, endMs: 400, text: 'said again' },
      ]),
    ],
    [],
  );
  t.deepEqual(fieldOf(lanes, 'title'), ['Silence', 'Subtitle track', 'Transcript']);
  const [recognized, read] = textsOf(lanes);
  t.deepEqual([recognized?.title, read?.title], ['Transcript', 'Subtitle track']);
  const at = (ms: number) => lineAt(recognized?.lines ?? [], ms);
  t.deepEqual([0, 100, 250, 300, 9_000].map(at), [-1, 0, 0, 1, 1]);
});

test('the canonical JSON of the page is that of the host, for every value', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      t.is(canonicalText(value), hostJson(value));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('a content id is that of the host', async (t) => {
  const record = { b: [1, 'é', null], a: { z: -0, y: 1e21 } };
  t.is(await contentIdOf(record), hostContentId(record));
});

test('a receipt id leaves out the schema and the id itself', async (t) => {
  const hex = createHash('sha256').update('{"facts":[1,2]}').digest('hex');
  const receipt = { schema: 'studio.some.receipt.v1', receiptId: `evidence-read:${'0'.repeat(64)}`, facts: [1, 2] };
  t.is(await receiptIdOf(receipt), `evidence-read:${hex}`);
});

test('a chain begins with the runtime and takes each event in; one changed event changes it', async (t) => {
  const events = [{ seq: 1 }, { seq: 2 }] as unknown as readonly JournalEvent[];
  const link = (before: Buffer, text: string) => createHash('sha256').update(before).update(text).digest();
  const start = createHash('sha256').update('runtime:1').digest();
  t.is(await chainDigest('runtime:1', []), start.toString('hex'));
  const expected = link(link(start, '{"seq":1}'), '{"seq":2}').toString('hex');
  t.is(await chainDigest('runtime:1', events), expected);
  t.not(await chainDigest('runtime:2', events), expected);
});

test('a check names each rule set once, and each version that differs from the records', (t) => {
  const record = (name: string, version: number, present: number) => ({
    link: 'assessment',
    subject: 'x',
    contentId: null,
    judgement: { rules: { name, version }, present, check: version === present ? 'judged_again' : 'form_checked' },
  });
  const judgements = [record('claim rules', 1, 1), record('claim rules', 1, 1), record('caption rules', 1, 3)];
  t.deepEqual(judgementChecks(runtimeJudgements.pick({ judgements: true }).parse({ judgements })), [
    {
      outcome: 'agrees',
      what: 'Judged by claim rules 1',
      words: 'the host judged 2 records again, with the same result',
    },
    {
      outcome: 'unchecked',
      what: 'Judged by caption rules 1',
      words: 'the host has version 3: it checked form, digests and chain of 1 record',
    },
  ]);
});

test('bug: the last events of a long journal stayed unread after a page of it had been read while the study ran', (t) => {
  const sight = { first: 5000, end: 5020 };
  const pages = (events: number) => new Map([[25, Array.from({ length: events })]]);
  const held = 5000;
  t.deepEqual(missingPages(sight, { count: 5010, held, pages: new Map() }), [25]);
  t.deepEqual(missingPages(sight, { count: 5010, held, pages: pages(0) }), [], 'it is being read');
  t.deepEqual(missingPages(sight, { count: 5010, held, pages: pages(10) }), []);
  t.deepEqual(missingPages(sight, { count: 5030, held, pages: pages(10) }), [25]);
  t.deepEqual(missingPages(sight, { count: 5300, held, pages: pages(200) }), [], 'it is whole');
  t.deepEqual(missingPages({ first: 4990, end: 5390 }, { count: 5300, held, pages: pages(200) }), [26]);
  t.deepEqual(missingPages({ first: 0, end: 20 }, { count: 5300, held, pages: new Map() }), [], 'the model holds them');
});

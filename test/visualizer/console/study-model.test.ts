import test from 'ava';
import { HostError, HostUnreachable } from '../../../client/host-error.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import type { JournalEvent } from '../../../contract/journal/journal-event.ts';
import type { RuntimeEvents } from '../../../contract/journal/runtime-events.ts';
import type { WorkProgress, WorkStage } from '../../../contract/operation/work-progress.ts';
import { studyModel } from '../../../visualizer/console/study/study-model.ts';

const runtimeId = 'runtime:1';
const event = (seq: number) => ({ seq }) as JournalEvent;

/** A page of a journal of so many events. */
const pageOf = (journalHead: number, after: number, terminal: boolean) =>
  ({
    events: Array.from({ length: journalHead - after }, (_, at) => event(after + at + 1)),
    ...{ nextCursor: journalHead, journalHead, reachedHead: true, terminal },
  }) as unknown as RuntimeEvents;

/** A host of one study, of which a test says what it needs. */
const hostWith = (own: object): StudyHost =>
  ({
    overview: async () => ({ journalHead: 0 }),
    evidence: async () => ({}),
    claims: async () => ({}),
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

test('an event that a deed and the stream both bring is in the journal of the page once', async (t) => {
  let told: (events: readonly JournalEvent[]) => void = () => undefined;
  const streamed = new Promise<readonly JournalEvent[]>((resolve) => {
    told = resolve;
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
  // The study is cancelled: the answer to the deed brings what the stream is about to bring.
  head = 4;
  await model.refresh();
  told([event(3), event(4), event(5)]);
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
  answers[1]?.({ journalHead: 2 });
  await newer;
  answers[0]?.({ journalHead: 1 });
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

test('what joins the journal of an ended study is found by looking, and nothing is read anew without it', async (t) => {
  let head = 1;
  let reads = 0;
  const host = hostWith({
    events: async (_: string, { after = 0 }) => pageOf(head, after, true),
    overview: async () => {
      reads += 1;
      return { journalHead: head };
    },
  });
  const model = studyModel(host, runtimeId);
  const close = model.open();
  await until(model, () => model.store.getSnapshot().context.events.length === 1);
  await model.look();
  t.is(reads, 1);
  head = 2;
  await model.look();
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
  await model.look();
  t.is(model.store.getSnapshot().context.error, refusal);
  isGone = false;
  await model.look();
  t.is(model.store.getSnapshot().context.error, null);
  close();
});

test('a study that is followed has its progress, and reads what it waits for when a wait begins and ends', async (t) => {
  let reads = 0;
  let tell: (stage: WorkStage) => void = () => undefined;
  let end: () => void = () => undefined;
  const host = hostWith({
    events: async (_: string, { after = 0 }) => pageOf(1, after, false),
    overview: async () => {
      reads += 1;
      return { journalHead: reads };
    },
    async *follow(_: string, { onProgress }: { onProgress: (progress: WorkProgress) => void }) {
      tell = (stage) => onProgress({ stage } as WorkProgress);
      tell('detect');
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
  tell('queued');
  await until(model, () => model.store.getSnapshot().context.study?.overview.journalHead === 2);
  await model.look();
  t.is(reads, 3, 'another reason to wait is found by looking');
  tell('subtitles');
  await until(model, () => model.store.getSnapshot().context.study?.overview.journalHead === 4);
  tell('read');
  await model.look();
  t.is(reads, 4, 'a step that begins is told by the stream alone');
  end();
  await until(model, () => !model.store.getSnapshot().context.isLive);
  t.is(stage(), undefined);
  close();
});

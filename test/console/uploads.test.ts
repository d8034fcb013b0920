import test from 'ava';
import type { StudyHost } from '../../client/study-host.ts';
import { oneAtATime } from '../../console/host/use-remote.ts';
import { droppedFiles, keepFromDrops, takeDropped } from '../../console/parts/drop-file.tsx';
import { excessOf } from '../../console/parts/field.tsx';
import { askBeforeStop, uploadFile, uploads } from '../../console/sources/uploads.ts';
import { longestNote } from '../../contract/base/longest-note.ts';
import { reviewDecisionRequest } from '../../contract/review.ts';
import { fieldOf } from '../fields.ts';

interface Asked {
  readonly name: string;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

const states = (): readonly string[] =>
  uploads.getSnapshot().context.running.map(({ label, state }) => `${label} ${state}`);

/** Lets everything go on that waits for nothing else. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** True if the browser asks before it leaves the page. */
function asks(): boolean {
  const leaving = new Event('beforeunload', { cancelable: true });
  askBeforeStop(leaving);
  return leaving.defaultPrevented;
}

test('files are uploaded one after another; one that is stopped or fails holds up none', async (t) => {
  const asked: Asked[] = [];
  const host = {
    sources: async () => [],
    ingestFile: (file: File) =>
      new Promise<void>((resolve, reject) => asked.push({ name: file.name, end: resolve, fail: reject })),
  } as unknown as StudyHost;
  for (const name of ['a', 'b', 'c', 'd']) {
    uploadFile(host, new File(['x'], name), { label: name, rightsHolder: 'x' });
  }
  await settled();
  t.deepEqual(states(), ['a uploading', 'b waiting', 'c waiting', 'd waiting']);
  t.true(asks(), 'bug: a page with files that were not sent was left without a question, and they were lost');
  uploads.getSnapshot().context.running[1]?.stop();
  await settled();
  t.deepEqual(states(), ['a uploading', 'c waiting', 'd waiting']);
  asked[0]?.end();
  await settled();
  t.deepEqual(states(), ['c uploading', 'd waiting']);
  asked[1]?.fail(new Error('the file changed'));
  await settled();
  t.deepEqual(states(), ['c failed', 'd uploading']);
  asked[2]?.end();
  await settled();
  t.deepEqual(states(), ['c failed']);
  t.false(asks());
  t.deepEqual(fieldOf(asked, 'name'), ['a', 'c', 'd']);
});

test.serial(
  'bug: a file that was added before lost its label in silence to the one that it was added with again',
  async (t) => {
    const renamed: string[] = [];
    const row = { sourceSessionId: 'source:1', label: 'film', rightsScope: 'local_processing' };
    const host = {
      sources: async () => [row],
      ingestFile: async (_: File, { label }: { label: string }) => ({ ...row, label }),
      library: { rename: async (_: string, label: string) => renamed.push(label) },
    } as unknown as StudyHost;
    uploadFile(host, new File(['x'], 'copy.mp4'), { label: 'copy', rightsHolder: 'x' });
    await settled();
    t.deepEqual(renamed, ['film']);
    t.like(uploads.getSnapshot().context.known, [{ label: 'film', given: 'copy' }]);
    uploadFile(host, new File(['x'], 'film.mp4'), { label: 'film', rightsHolder: 'x' });
    await settled();
    t.is(uploads.getSnapshot().context.known.length, 1, 'the same label is no question');
  },
);

/** An event of a drag as a browser sends it, over a field that matches or over none. */
const drag = (
  type: string,
  types: readonly string[],
  files: readonly File[] = [],
  field: string | null = null,
): Event =>
  Object.defineProperties(new Event(type, { cancelable: true }), {
    dataTransfer: { value: { types, files, items: files } },
    target: {
      value: { closest: () => (field === null ? null : { matches: (selector: string) => selector === field }) },
    },
  });

const page = () => {
  const listeners = new Map<string, (event: Event) => void>();
  let led = 0;
  const addEventListener = (type: string, listener: unknown) => listeners.set(type, listener as (event: Event) => void);
  keepFromDrops({ addEventListener }, () => {
    led += 1;
  });
  /** True if the page prevented the default action of the browser. */
  const keeps = (event: Event): boolean => {
    listeners.get(event.type)?.(event);
    return event.defaultPrevented;
  };
  return { keeps, led: () => led };
};

const film = new File(['x'], 'film.mp4');
const other = new File(['y'], 'other.mp4');
const fileField = '[type="file"]';

// One after the other: the page has one store of dropped files.
test.serial('files that no view takes wait, and lead to the view that takes them', (t) => {
  const { keeps, led } = page();
  t.true(keeps(drag('dragover', ['Files'])));
  t.true(droppedFiles.getSnapshot().context.isOver);
  t.true(keeps(drag('drop', ['Files'], [film, other])));
  t.is(led(), 1);
  t.deepEqual(droppedFiles.getSnapshot().context, { isOver: false, waiting: [film, other] });
  droppedFiles.send({ type: 'taken' });
});

test.serial('bug: files that were dropped on a locked page were lost with the next drop', (t) => {
  const { keeps } = page();
  keeps(drag('drop', ['Files'], [film]));
  keeps(drag('drop', ['Files'], [other]));
  t.deepEqual(droppedFiles.getSnapshot().context.waiting, [film, other]);
  droppedFiles.send({ type: 'taken' });
});

test.serial('the view that is shown takes all files that are dropped, for as long as it is shown', (t) => {
  const { keeps, led } = page();
  const taken: File[] = [];
  const leave = takeDropped((files) => taken.push(...files));
  t.true(keeps(drag('drop', ['Files'], [film, other])));
  t.deepEqual([taken, led()], [[film, other], 0]);
  leave();
  keeps(drag('drop', ['Files'], [film]));
  t.deepEqual([taken.length, led()], [2, 1]);
  droppedFiles.send({ type: 'taken' });
});

test.serial('a dropped link does not replace the page; text and fields are left to the browser', (t) => {
  const { keeps, led } = page();
  t.true(keeps(drag('drop', ['text/uri-list', 'text/plain'])));
  t.false(keeps(drag('drop', ['text/plain'])));
  t.false(keeps(drag('drop', ['text/uri-list'], [], 'a text field')));
  t.false(keeps(drag('drop', ['Files'], [film], fileField)));
  t.true(keeps(drag('drop', ['Files'], [film, other], fileField)));
  t.true(keeps(drag('drop', ['text/uri-list'], [], fileField)));
  t.true(keeps(drag('drop', ['Files'], [film], 'a text field')));
  t.is(led(), 2);
  droppedFiles.send({ type: 'taken' });
});

test('a poll under way is not started again; the next one begins after it has ended or failed', async (t) => {
  const asked: { readonly answer: () => void; readonly fail: (error: Error) => void }[] = [];
  const poll = oneAtATime(
    () => new Promise<void>((resolve, reject) => asked.push({ answer: resolve, fail: (error) => reject(error) })),
  );
  const first = poll();
  await poll();
  t.is(asked.length, 1);
  asked[0]?.answer();
  await first;
  const second = poll();
  t.is(asked.length, 2);
  asked[1]?.fail(new Error('gone'));
  await t.throwsAsync(second, { message: 'gone' });
  void poll();
  t.is(asked.length, 3);
});

const takesNote = (note: string): boolean =>
  reviewDecisionRequest.shape.decision.options.every((each) => each.shape.note.safeParse(note).success);

test('the page counts a note as the host does: trimmed, up to its limit, an emoji as one', (t) => {
  const notes = ['a'.repeat(longestNote), 'a'.repeat(longestNote + 1), '🎬'.repeat(longestNote), '🎬'.repeat(281)];
  for (const note of notes) t.is(excessOf(note, longestNote) === 0, takesNote(note), `${note.length}`);
  t.is(excessOf(` ${'a'.repeat(longestNote)} `, longestNote), 0);
  t.is(excessOf('a'.repeat(longestNote + 3), longestNote), 3);
});

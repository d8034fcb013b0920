import test, { type ExecutionContext } from 'ava';
import { LiveProgress } from '../../../actors/reopening/live-progress.ts';
import { ReadObjects } from '../../../actors/reopening/read-objects.ts';
import { studyKey } from '../../../actors/reopening/study-row.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { KeptParts } from '../../../actors/study/kept-windows.ts';
import type { ProgressBoard } from '../../../actors/supervision/progress-board.ts';
import type { EventData } from '../../../contract/journal.ts';
import { type ReadPicture, readPictures } from '../../../contract/screentext.ts';
import { ProcessFailure } from '../../../executors/process/process.ts';
import {
  isReadWhole,
  type ScreenTexts,
  type ScreenTextWork,
  screenTextSteps,
} from '../../../features/screen-text/screen-texts.ts';
import { newStore, store } from '../../actors/reopening/stored-studies.ts';
import { ffmpeg } from '../../receipts/evidence/stored-detections.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';

const read = storedStudy({ version: 1, windows: 4 });

const { runtimeId: readId, commandId } = read.run.record;

/** The step that reads the screen of a study with the grant for it, by a reader that finds what `find` answers. */
async function screenReading(
  t: ExecutionContext,
  { find, board }: { find: (work: ScreenTextWork) => Promise<unknown>; board: Pick<ProgressBoard, 'note' | 'forget'> },
) {
  const opened = await newStore(t);
  const { ledger, objectStore } = opened;
  await store(opened, read, { commits: 1, lifecycle: 'running' });
  const ids = { ...read.start.ids, screenTextGrantId: 'grant:screen' };
  await ledger.commit([{ put: 'record', key: studyKey(readId), value: { ...read.start, ids } }]);
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const producer = { id: 'studio.screen-text', version: '2', engine: 'tesseract', tools: [ffmpeg], parameters: {} };
  const steps = screenTextSteps({
    budgets: { pause: () => undefined, resume: () => undefined },
    ledger,
    objectStore,
    registry,
    board,
    content: () => new ReadObjects(objectStore, () => undefined),
    screenTexts: { producer: () => producer, find } as unknown as ScreenTexts,
    progress: new LiveProgress(ledger),
    moved: () => undefined,
    report: (line) => t.fail(line),
  });
  return { ledger, steps };
}

test('bug: how far a canceled or failed reading of the screen had come stayed in memory', async (t) => {
  const measured = new Set<string>();
  const cancel = new AbortController();
  const { steps } = await screenReading(t, {
    find: async ({ read }) => {
      read(0);
      throw new ProcessFailure('aborted', 'was stopped');
    },
    board: { note: (id) => void measured.add(id), forget: (id) => void measured.delete(id) },
  });
  const { events } = await steps.perform({ runtimeId: readId, commandId }, cancel.signal);
  t.is(events.at(-1)?.type, 'screen.text_failed');
  t.is(measured.size, 0);

  cancel.abort(new Error('the study was cancelled'));
  await t.throwsAsync(steps.perform({ runtimeId: readId, commandId }, cancel.signal), {
    message: 'the study was cancelled',
  });
  t.is(measured.size, 0);
});

test('bug: pictures that the engine could not read stayed unread for every later study of the range', async (t) => {
  const { sourceContentId, range } = read.run.record.analysisRequest;
  const finds = [{ unreadPicturesMs: '1000' }, {}].map((parameters) => ({
    schema: 'studio.further-evidence.v1',
    kind: 'screen_text',
    tool: ffmpeg,
    facts: [],
    parameters,
    input: { sourceContentId, range, trackIndex: 0 },
  }));
  const { ledger, steps } = await screenReading(t, {
    find: async () => finds.shift() ?? t.fail('it was read once more'),
    board: { note: () => undefined, forget: () => undefined },
  });
  const reused: unknown[] = [];
  for (let study = 0; study < 3; study += 1) {
    const { events, writes } = await steps.perform({ runtimeId: readId, commandId }, new AbortController().signal);
    await ledger.commit(writes);
    const completed = events.find(({ type }) => type === 'screen.text_completed');
    reused.push((completed?.data as EventData<'screen.text_completed'> | undefined)?.receipt.reused);
  }
  t.deepEqual(reused, [false, false, true]);
});

test('bug: a window with a picture that the engine could not read was kept for every later study', async (t) => {
  const { ledger } = await newStore(t);
  const kind = { operation: 'screen.read.window', field: 'pictures', part: readPictures };
  const picture = { atMs: 0, untilMs: 0, clearMilli: 0, texts: [] };
  const made: ReadPicture[][] = [[{ ...picture, unread: true }], [{ ...picture, unread: true }], [picture]];
  let kept = 0;
  const windowOf = (parts: KeptParts<ReadPicture[]>) =>
    parts.of(
      { sourceContentId: read.run.record.analysisRequest.sourceContentId, tools: [ffmpeg], parameters: {} },
      { startMs: 0, endMs: 20_000 },
      {
        make: async () => made.shift() ?? t.fail('it was read once more'),
        kept: () => {
          kept += 1;
        },
        signal: new AbortController().signal,
      },
    );
  // As an earlier version kept it.
  await windowOf(new KeptParts(ledger, kind));
  const windows = new KeptParts(ledger, { ...kind, isWhole: isReadWhole });
  t.is((await windowOf(windows))[0]?.unread, true);
  t.is(kept, 1);
  t.deepEqual(await windowOf(windows), [picture]);
  t.deepEqual(await windowOf(windows), [picture]);
  t.is(kept, 2);
});

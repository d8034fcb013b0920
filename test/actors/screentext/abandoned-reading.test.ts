import test from 'ava';
import { LiveProgress } from '../../../actors/reopening/live-progress.ts';
import { ReadObjects } from '../../../actors/reopening/read-objects.ts';
import { studyKey } from '../../../actors/reopening/study-row.ts';
import { screenTextSteps } from '../../../actors/screentext/screen-text-steps.ts';
import type { ScreenTexts, ScreenTextWork } from '../../../actors/screentext/screen-texts.ts';
import { SourceRegistry } from '../../../actors/sources/source-registry.ts';
import { ProcessFailure } from '../../../executors/process/process.ts';
import { ffmpeg } from '../../receipts/evidence/stored-detections.ts';
import { storedStudy } from '../../receipts/evidence/stored-study.ts';
import { newDataRoot, openStore, store } from '../reopening/stored-studies.ts';

const study = storedStudy({ version: 1, windows: 4 });
const { runtimeId, commandId } = study.run.record;

test('bug: how far a reading of the screen had come stayed in memory for ever where it was cancelled or failed', async (t) => {
  const opened = await openStore(await newDataRoot(t));
  const { ledger, objectStore } = opened;
  t.teardown(() => ledger.close());
  await store(opened, study, { commits: 1, lifecycle: 'running' });
  const ids = { ...study.start.ids, screenTextGrantId: 'grant:screen' };
  await ledger.commit([{ put: 'record', key: studyKey(runtimeId), value: { ...study.start, ids } }]);
  const registry = new SourceRegistry();
  await registry.load(ledger);
  const measured = new Set<string>();
  const cancel = new AbortController();
  const screenTexts = {
    producer: () => ({ id: 'studio.screen-text', version: '2', engine: 'tesseract', tools: [ffmpeg], parameters: {} }),
    find: async ({ read }: ScreenTextWork) => {
      read(0);
      throw new ProcessFailure('aborted', 'was stopped');
    },
  };
  const steps = screenTextSteps({
    ...{ ledger, objectStore, registry },
    content: new ReadObjects(objectStore, () => undefined),
    screenTexts: screenTexts as unknown as ScreenTexts,
    progress: new LiveProgress(ledger),
    board: { note: (id) => void measured.add(id), forget: (id) => void measured.delete(id) },
    moved: () => undefined,
    report: (line) => t.fail(line),
  });
  const { events } = await steps.perform({ runtimeId, commandId }, cancel.signal);
  t.is(events.at(-1)?.type, 'screen.text_failed');
  t.is(measured.size, 0);

  cancel.abort(new Error('the study was cancelled'));
  await t.throwsAsync(steps.perform({ runtimeId, commandId }, cancel.signal), {
    message: 'the study was cancelled',
  });
  t.is(measured.size, 0);
});

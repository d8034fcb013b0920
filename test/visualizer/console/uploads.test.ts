import test from 'ava';
import type { StudyHost } from '../../../client/study-host.ts';
import { uploadFile, uploads } from '../../../visualizer/console/sources/uploads.ts';

interface Asked {
  readonly name: string;
  readonly end: () => void;
  readonly fail: (error: Error) => void;
}

const states = (): readonly string[] =>
  uploads.getSnapshot().context.running.map(({ label, state }) => `${label} ${state}`);

/** Lets everything go on that waits for nothing else. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('files are uploaded one after another; one that is stopped while it waits goes, and one that fails holds up none', async (t) => {
  const asked: Asked[] = [];
  const host = {
    ingestFile: (file: File) =>
      new Promise<void>((resolve, reject) => asked.push({ name: file.name, end: resolve, fail: reject })),
  } as unknown as StudyHost;
  for (const name of ['a', 'b', 'c', 'd']) {
    uploadFile(host, new File(['x'], name), { label: name, rightsHolder: 'x' });
  }
  await settled();
  t.deepEqual(states(), ['a uploading', 'b waiting', 'c waiting', 'd waiting']);
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
  t.deepEqual(
    asked.map(({ name }) => name),
    ['a', 'c', 'd'],
  );
});

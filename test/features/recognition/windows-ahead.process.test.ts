import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { KeptParts } from '../../../actors/study/kept-windows.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import type { StudyHost } from '../../../client/study-host.ts';
import type { Range } from '../../../contract/base/grammar.ts';
import { keptRegion } from '../../../contract/recognition.ts';
import { RecognitionFailure, type Recognizer } from '../../../executors/recognition/recognizer.ts';
import { WindowsAhead } from '../../../features/recognition/windows-ahead.ts';
import { speechFile } from '../../../fixtures/speech/gold.ts';
import { followed, newRoot, openClientHost } from '../../actors/client-host.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { fake } from '../../executors/process/launcher-for-tests.ts';
import { copyAsLeft } from '../../host/host-in-process.ts';
import { eventually } from '../../patience.ts';
import { newScratchLedger } from '../../storage/ledger/scratch.ts';

const run = promisify(execFile);

/** A film of the same speech several times, with more than a second between: a window each, but for the pauses within. */
async function filmOf(folder: string): Promise<string> {
  const file = join(folder, 'film.wav');
  const filter =
    '[0]asplit=3[a][b][c];[b]volume=0.9,adelay=25000[d];[c]volume=0.8,adelay=50000[e];[a][d][e]amix=3:normalize=0';
  await run('ffmpeg', ['-v', 'error', '-i', speechFile, '-filter_complex', filter, '-ar', '16000', '-ac', '1', file]);
  return file;
}

/** A `whisper-cli` that answers one sound after the other. With a file `dies-at-N` it ends at the Nth as after a kill, with
 * `waits-at-N` it waits. */
async function slowProgram(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'windows-ahead-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [program, calls, heard, model] = ['whisper-cli', 'calls', 'heard', 'base.bin'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const standIn = fake('whisper-cli-stand-in');
  const script = `#!/bin/sh
case " $* " in *' -dl '*) exec '${standIn}' "$@" ;; esac
echo "$@" >> '${calls}'
while [ $# -gt 0 ]; do
  case "$1" in
    -f) sound=$2 ;;
    -of)
      n=$(wc -l < '${heard}')
      rm '${folder}/dies-at-'$n 2> /dev/null && exit 137
      while [ -e '${folder}/waits-at-'$n ]; do sleep 0.05; done
      '${standIn}' -m '${model}' -f "$sound" -of "$2"
      cksum < "$sound" >> '${heard}'
      ;;
  esac
  shift
done
`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  for (const file of [heard, calls, model]) await writeFile(file, '');
  const linesOf = async (file: string) => (await readFile(file, 'utf8')).trim().split('\n').filter(Boolean);
  return {
    folder,
    file: await filmOf(folder),
    program,
    model,
    heard: () => linesOf(heard),
    soundsOfCalls: async () => (await linesOf(calls)).map((words) => words.match(/ -f /g)?.length ?? 0),
  };
}

const hostOn = (t: ExecutionContext, root: string, { program, model }: { program: string; model: string }) =>
  openClientHost(t, root, {
    flags: [
      '--semantic-recognizer',
      'whisper-cli',
      '--semantic-recognizer-model',
      model,
      '--allow-real-semantic-evidence',
    ],
    environment: { MEDIA_STUDY_WHISPER_CLI: program },
  });

async function begun(client: StudyHost, file: string) {
  const given = { label: 'film', rightsHolder: 'nobody', ownershipAttested: true } as const;
  const source = await client.ingestFile(file, given);
  return client.study(source, { targetLanguage: 'en', requestedSourceLanguage: spokenLanguage('en') });
}

async function transcriptOf(client: StudyHost, runtimeId: string) {
  const [row] = (await client.evidence(runtimeId, 'transcript')).evidence;
  return row?.facts ?? [];
}

/** How many answers of the stand-in the rows of a data root hold: its sentence is in each once. */
async function keptAnswers(root: string): Promise<number> {
  const files = (await readdir(root, { recursive: true })).filter((name) => /\d+\.(?:log|ldb)$/.test(name));
  const rows = await Promise.all(files.map((name) => readFile(join(root, name), 'latin1')));
  return rows.join('').split('Take the bus.').length - 1;
}

test('the windows of a film are recognized in one call, and a program that is killed loses one of them', async (t) => {
  const whole = await slowProgram(t);
  const root = await newRoot(t);
  const { host, client } = await hostOn(t, root, whole);
  const { runtimeId } = await (await begun(client, whole.file)).ended();
  const windows = (await whole.heard()).length;
  t.true(windows >= 3);
  t.deepEqual(await whole.soundsOfCalls(), [windows]);
  const facts = await transcriptOf(client, runtimeId);
  t.true(facts.some(({ kind }) => kind === 'transcript_line'));
  await host.stop();
  await checkRuntimes(t, root);

  const killed = await slowProgram(t);
  await writeFile(join(killed.folder, 'dies-at-1'), '');
  const other = await newRoot(t);
  const second = await hostOn(t, other, killed);
  const again = await (await begun(second.client, killed.file)).ended();
  // The window at which it died is recognized by itself, and the others in another call.
  t.deepEqual(await killed.soundsOfCalls(), windows === 3 ? [3, 1, 1] : [windows, 1, windows - 2]);
  t.is(new Set(await killed.heard()).size, windows);
  t.is((await killed.heard()).length, windows);
  t.deepEqual(await transcriptOf(second.client, again.runtimeId), facts);
  await second.host.stop();
  await checkRuntimes(t, other);
});

test('a host that dies in a call goes on behind the last window whose answer was there', async (t) => {
  const slow = await slowProgram(t);
  const waits = join(slow.folder, 'waits-at-2');
  await writeFile(waits, '');
  const root = await newRoot(t);
  const { host, client } = await hostOn(t, root, slow);
  const study = (await begun(client, slow.file)).ended();
  study.catch(() => undefined);
  // A copy is what a kill would leave.
  let left = '';
  await eventually(
    'two windows that are kept',
    async () => {
      left = await newRoot(t);
      copyAsLeft(root, left);
      return (await keptAnswers(left)) === 2;
    },
    500,
  );
  const before = (await slow.heard()).length;
  t.is(before, 2);
  await host.stop();
  await rm(waits);
  const { host: next, client: again } = await hostOn(t, left, slow);
  const [runtime] = (await again.runtimes()).runtimes;
  const runtimeId = runtime?.runtimeId ?? '';
  await followed(again, runtimeId);
  t.true((await transcriptOf(again, runtimeId)).length > 0);
  const heard = await slow.heard();
  t.is(new Set(heard).size, heard.length);
  await next.stop();
  await checkRuntimes(t, left);
});

const input = { sourceContentId: `sha256:${'a'.repeat(64)}`, tools: [], parameters: {} };
const heard = { samples: 0, contentId: `sha256:${'0'.repeat(64)}` };
const raw = { language: 'en', lines: [] };
const windows: readonly Range[] = Array.from({ length: 20 }, (_, at) => ({
  startMs: 1000 * at,
  endMs: 1000 * at + 900,
}));

async function aheadWith(t: ExecutionContext, recognizeMany: NonNullable<Recognizer['recognizeMany']>) {
  const ledger = await newScratchLedger(t);
  t.teardown(() => ledger.close());
  const regions = new KeptParts(ledger, { operation: 'semantic.recognize.region', field: 'kept', part: keptRegion });
  const calls: number[] = [];
  const begins: number[] = [];
  const ahead = new WindowsAhead({
    recognizeMany: (sounds, ...rest) => {
      calls.push(sounds.length);
      return recognizeMany(sounds, ...rest);
    },
    regions,
    input,
    windows,
    soundOf: async ({ startMs }) => {
      if (startMs === 4000) throw new RecognitionFailure('uneven_sound', 'cannot be read');
      return { samples: Buffer.alloc(startMs), language: 'en' };
    },
    keptOf: () => ({ heard, raw }),
    isLeftOut: (at) => at === 5,
    begins: (at) => begins.push(at),
    answered: () => undefined,
    kept: () => undefined,
    signal: new AbortController().signal,
  });
  const missing = () => regions.missing(input, windows);
  return { ahead, calls, begins, missing, regions };
}

test('a window that is late is named, and those behind it are recognized in another call', async (t) => {
  const late = new RecognitionFailure('deadline', 'ran longer than 900000 ms');
  const { ahead, calls, begins, missing } = await aheadWith(t, async (sounds, _, answered) => {
    for (const [at, { samples }] of sounds.entries()) {
      if (samples.length === 2000) throw late;
      answered(at, raw);
    }
  });
  await ahead.recognize(0);
  await ahead.recognize(1);
  await ahead.recognize(2);
  t.is(ahead.takeFailure(windows[1] ?? { startMs: 0, endMs: 0 }), undefined);
  t.is(ahead.takeFailure(windows[2] ?? { startMs: 0, endMs: 0 }), late);
  t.is(ahead.takeFailure(windows[2] ?? { startMs: 0, endMs: 0 }), undefined);
  // One has no sound, and one is left out.
  t.deepEqual(calls, [14]);
  for (const at of windows.keys()) if (at > 2) await ahead.recognize(at);
  t.deepEqual(calls, [14, 14]);
  t.deepEqual(await missing(), [2, 4, 5, 19]);
  t.deepEqual(begins.slice(0, 5), [0, 1, 2, 3, 6]);
});

test('a program that answers one sound a call is given one, and windows that are kept are not recognized again', async (t) => {
  const { ahead, calls, regions, missing } = await aheadWith(t, async (sounds, _, answered) => {
    answered(sounds.length - 1, raw);
  });
  const { signal } = new AbortController();
  const make = async () => ({ heard, raw });
  for (const window of windows.slice(0, 3)) await regions.of(input, window, { make, kept: () => undefined, signal });
  await ahead.recognize(0);
  t.deepEqual(calls, [11]);
  t.false((await missing()).includes(15));
  await ahead.recognize(16);
  t.deepEqual(calls, [11, 4]);
});

test('a fault that is not of the recognizer ends the work, with the answers of before kept', async (t) => {
  const { ahead, missing } = await aheadWith(t, async (_, __, answered) => {
    answered(0, raw);
    throw new RangeError('a fault');
  });
  await t.throwsAsync(ahead.recognize(0), { message: 'a fault' });
  t.false((await missing()).includes(0));
});

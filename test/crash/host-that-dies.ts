// A host that dies in the middle of the decode pass of its one study, as one does that runs out of memory. Once the study has
// ended, it prints its status and stops.
import { setTimeout as delay } from 'node:timers/promises';
import { aloneDelayMs, deathLimit } from '../../actors/supervision/host-deaths.ts';
import { StudyHost } from '../../client/study-host.ts';
import { openInProcess } from './host-in-process.ts';
import { slowClock } from './slow-clock.ts';

const [, , dataRoot = '', dies = ''] = process.argv;
const windowMs = 4_000;
const aloneDelays = Array.from({ length: deathLimit }, (_, deaths) => aloneDelayMs(deaths));

/** A slow clock, so that a busy machine ends nothing, on which the turn of work that runs alone comes at once. */
const clock = {
  ...slowClock,
  setTimeout: (run: () => void, ms: number) => slowClock.setTimeout(run, aloneDelays.includes(ms) ? 0 : ms),
};

const opener = {
  fail: (message: string) => {
    throw new Error(message);
  },
  teardown: () => undefined,
};
const host = await openInProcess(opener, dataRoot, { clock, windowing: { aboveMs: 20_000, lengthMs: windowMs } });
const { listening, authorizationToken: token } = host.announced ?? { listening: '', authorizationToken: '' };
const client = StudyHost.connect({ baseUrl: listening, token });

async function studyOfAll(): Promise<string> {
  const [known] = (await client.runtimes()).runtimes;
  if (known !== undefined) return known.runtimeId;
  const [source] = await client.sources();
  if (source === undefined) throw new Error('the sample is there');
  const range = { startMs: 0, endMs: 37_000 };
  return (await client.study(source, { targetLanguage: 'en', range }).started).runtimeId;
}

const runtimeId = await studyOfAll();
let from: number | null = null;
for (let isOver = false; !isOver; await delay(5)) {
  const { stage, completed } = await client.progress(runtimeId);
  if (stage === 'detect' && completed !== null) {
    from ??= Math.floor(completed / windowMs) * windowMs;
    // Behind the end of a window the next one is decoded: the first is kept.
    if (dies === 'at once' || completed > from + windowMs) process.kill(process.pid, 'SIGKILL');
  }
  isOver = stage === 'ended';
}
process.stdout.write(JSON.stringify(await client.status(runtimeId)));
await host.stop();

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { ReachedObjects } from '../../actors/deletion/erasure.ts';
import { memoryOf } from '../../bench/process-figures.ts';
import { HostError } from '../../client/host-error.ts';
import { StudyHost } from '../../client/study-host.ts';
import { erasingPrefix } from '../../storage/backup/named-objects.ts';
import { openStore } from '../actors/reopening/stored-studies.ts';
import { checkDataRoot, checkRuntimes } from '../crash/checks.ts';
import { CrashClient, nothingPromised } from '../crash/client.ts';
import { type HostProcess, startHost } from '../crash/host-process.ts';
import { LaterClient } from '../crash/later-client.ts';
import { mediaNumber } from '../crash/media.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';

const seconds = Number(process.env.MEDIA_STUDY_TEST_STEADY_SECONDS ?? 3600);
const flags = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
/** Each so manieth study is canceled, and each so manieth upload is cut at its middle. */
const everyCancel = 5;
const everyCut = 7;

/** Data stored in the last 15 minutes before its deletion goes 15 minutes after it. */
const overdueMs = 35 * 60_000;

/** Resources of the host after a round, with everything of that round deleted. */
interface Sample {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly actors: number;
  /** Objects that were stored so long ago that their deletion is overdue. */
  readonly overdue: number;
}

/** One client after the other, each of which does all that a client does, and deletes it in the end. */
class SteadyWork {
  readonly #host: HostProcess;
  readonly #client: StudyHost;
  readonly #known = new Set<string>();
  /** Studies that a busy machine was too slow for. */
  outOfTime = 0;

  constructor(host: HostProcess) {
    this.#host = host;
    const { listening: baseUrl = '', authorizationToken: token = '' } = host.announced ?? {};
    this.#client = StudyHost.connect({ baseUrl, token });
  }

  async round(number: number): Promise<void> {
    const leave = new AbortController();
    const watching = this.#watch(leave.signal);
    const uploading = new CrashClient(this.#host);
    if (number % everyCut === 0) await this.#cutUpload(uploading, number);
    const promised = nothingPromised(number, mediaNumber(number));
    await uploading.ingest(promised);
    const { sourceSessionId, sourceRevisionId } = await uploading.registered(promised);
    const later = new LaterClient(this.#host);
    const runtimeId = await later.study({ sourceSessionId, sourceRevisionId });
    const { lifecycle, reason } = await this.#client.status(runtimeId);
    if (lifecycle === 'terminal') {
      await later.caption(runtimeId);
      await this.#read(runtimeId);
    } else if (reason?.message.includes('the study used up its time')) this.outOfTime += 1;
    else throw new Error(`${runtimeId} is ${lifecycle}: ${JSON.stringify(reason)}`);
    if (number % everyCancel === 0) await this.#cancelOne(sourceSessionId, sourceRevisionId, number % 2 === 0);
    const { runtimes } = await this.#client.runtimes({ sourceSessionId });
    for (const each of runtimes) await this.#client.deletions.runtime(each.runtimeId);
    await this.#client.deletions.source(sourceSessionId);
    leave.abort();
    await watching;
  }

  /** Remains after a moment of quiet. */
  async sample(): Promise<Sample> {
    const pid = this.#host.announced?.pid ?? 0;
    const { resident } = await memoryOf(pid);
    const actors = /media_study_actors\S* (\d+)/g;
    const counted = [...(await this.#client.metrics()).matchAll(actors)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
    return {
      megabytes: resident,
      descriptors: (await readdir(`/proc/${pid}/fd`)).length,
      actors: counted,
      overdue: await overdueBelow(join(this.#host.dataRoot, 'objects')),
    };
  }

  async #read(runtimeId: string): Promise<void> {
    const client = this.#client;
    await Promise.all([client.overview(runtimeId), client.evidence(runtimeId), client.claims(runtimeId)]);
    await client.export(runtimeId, 'captions.vtt', { side: 'target' });
    for await (const _ of await client.bundle(runtimeId, { media: true }));
    await client.runtimes({ limit: 50 });
  }

  async #cutUpload(client: CrashClient, number: number): Promise<void> {
    const cut = nothingPromised(-number, mediaNumber(-number));
    await client.sendHalf(cut);
    await this.#client.cancelIngest(cut.ingestId ?? '');
  }

  /** Cancels a study at once, or while it decodes. */
  async #cancelOne(sourceSessionId: string, sourceRevisionId: string, isUnderWay: boolean): Promise<void> {
    const source = (await this.#client.sources()).find((each) => each.sourceRevisionId === sourceRevisionId);
    if (source === undefined) throw new Error(`${sourceSessionId} is gone`);
    const study = this.#client.study(source, { range: { startMs: 1000, endMs: 30_000 }, targetLanguage: 'en' });
    const { runtimeId } = await study.started;
    if (isUnderWay) await this.#decoding(runtimeId);
    await this.#client.cancel(runtimeId).catch((error) => {
      // It was quicker than the request.
      if (!(error instanceof HostError) || error.code !== 'runtime_already_terminal') throw error;
    });
    await study.ended();
  }

  /** Resolves when most of the media is decoded, more than the other study has, or the study is over. */
  async #decoding(runtimeId: string): Promise<void> {
    for (;;) {
      const { stage, completed } = await this.#client.progress(runtimeId);
      if (stage === 'ended' || (stage === 'detect' && (completed ?? 0) > 24_000)) return;
      await delay(5);
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    try {
      for await (const { event } of this.#client.watch({ actors: 'all', signal })) this.#known.add(event);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function overdueBelow(folder: string): Promise<number> {
  let overdue = 0;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > overdueMs) overdue += 1;
  }
  return overdue;
}

const erasureNote = z.object({ objects: z.array(z.string()) });

/** The objects that nothing reaches, and that no note says are to go: they would stay for ever. */
async function forgottenIn(root: string): Promise<string[]> {
  const { ledger, objectStore, close } = await openStore(root);
  try {
    const notes = await ledger.list('record', erasingPrefix);
    const noted = new Set(notes.flatMap(({ value }) => erasureNote.parse(value).objects));
    const reached = await new ReachedObjects({ ledger, objectStore }).find(new Set());
    const forgotten: string[] = [];
    for await (const { contentId } of objectStore.list()) {
      if (!reached.has(contentId) && !noted.has(contentId)) forgotten.push(contentId);
    }
    return forgotten;
  } finally {
    await close();
  }
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

test('a host that works for an hour keeps nothing of what was deleted: no memory, descriptor, actor or file', async (t: ExecutionContext) => {
  t.timeout(seconds * 1000 + 1_800_000, 'an hour of work');
  const root = join(await scratchFolder(t), 'data');
  const host = await startHost(t, root, undefined, flags);
  const work = new SteadyWork(host);
  const samples: Sample[] = [];
  const from = Date.now();
  for (let number = 1; samples.length < 6 || Date.now() - from < seconds * 1000; number += 1) {
    await work.round(number);
    const sample = await work.sample();
    samples.push(sample);
    if (number % 25 === 0) process.stderr.write(`${number} rounds: ${JSON.stringify(sample)}\n`);
  }
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const of = (some: readonly Sample[], field: keyof Sample) => median(some.map((sample) => sample[field]));
  for (const field of ['megabytes', 'descriptors', 'actors'] as const)
    t.log(
      `${field}: ${of(middle, field)} in the second third of ${samples.length} rounds, ${of(last, field)} in the last`,
    );
  t.log(`${work.outOfTime} studies used up their time`);
  t.true(of(last, 'megabytes') < 1.1 * of(middle, 'megabytes') + 10, 'memory stays level');
  t.true(of(last, 'descriptors') <= of(middle, 'descriptors') + 2, 'descriptors stay level');
  t.is(of(last, 'actors'), of(middle, 'actors'));
  t.is(Math.max(...samples.map(({ overdue }) => overdue)), 0, 'what was deleted is gone from the disk');
  t.is(await host.stop(), 0, host.reported().join('\n'));
  await checkDataRoot(t, root);
  await checkRuntimes(t, root);
  t.deepEqual(await forgottenIn(root), [], 'what is left has a name, or is noted to go');
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { checkRuntimes } from '../crash/checks.ts';
import { type HostProcess, startHost } from '../crash/host-process.ts';
import { descendants } from '../executors/evidence/detection-for-tests.ts';
import { ffmpeg } from '../executors/evidence/media-for-tests.ts';

/** Four hours; less for a look at the test itself. */
const lengthMs = Number(process.env.MEDIA_STUDY_TEST_LONG_MS ?? 14_400_000);
const windowMs = 300_000;
const MEBIBYTE = 1024;
/** Far below what four hours take, decoded or in small pictures. */
const mostHostMib = 512;
const mostDetectorMib = 384;

/** Speech, music and noise of the sample and of a voice, encoded once and repeated to the length. */
async function makeSound(folder: string): Promise<string> {
  const said =
    "flite=text='The committee met on Tuesday. It heard three witnesses, and put its questions off to the next week.'";
  const parts = [
    '-i',
    sampleMedia,
    '-f',
    'lavfi',
    '-i',
    `${said}:voice=slt`,
    '-f',
    'lavfi',
    '-i',
    'anoisesrc=a=0.001:d=7:r=16000',
  ];
  const joined = '[0:a]aresample=16000[a];[1:a]aresample=16000[b];[2:a]aresample=16000[c];[a][b][c]concat=n=3:v=0:a=1';
  await ffmpeg(
    folder,
    ...parts,
    '-filter_complex',
    joined,
    '-ac',
    '1',
    '-c:a',
    'libmp3lame',
    '-b:a',
    '32k',
    'piece.mp3',
  );
  const seconds = String(lengthMs / 1000);
  await ffmpeg(folder, '-stream_loop', '-1', '-i', 'piece.mp3', '-t', seconds, '-c', 'copy', 'programme.mka');
  return join(folder, 'programme.mka');
}

/** The peak memory of a process, in MiB; 0 if it is gone. */
function peakOf(pid: number): number {
  try {
    const [, peak = '0'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(peak) / MEBIBYTE;
  } catch {
    return 0;
  }
}

/** The detector processes of the hosts of this test. */
const detectorsNow = (): number[] =>
  descendants(process.execPath).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('detector-process'),
  );

class Watched {
  host = 0;
  detector = 0;

  look({ announced }: HostProcess): void {
    this.host = Math.max(this.host, peakOf(announced?.pid ?? 0));
    for (const pid of detectorsNow()) this.detector = Math.max(this.detector, peakOf(pid));
  }
}

async function hostOn(t: ExecutionContext, root: string) {
  const host = await startHost(t, root, undefined, ['--maximum-study-range-ms', '14400000']);
  const { listening = '', authorizationToken: token = '' } = host.announced ?? {};
  return { host, client: StudyHost.connect({ baseUrl: listening, token }) };
}

/** Follows the progress of the pass until so much was measured, or it is over; what was measured first and last. */
async function passed(client: StudyHost, runtimeId: string, untilMs: number, look: () => void) {
  let first: number | null = null;
  let last = 0;
  for (;;) {
    look();
    const { stage, completed } = await client.progress(runtimeId);
    if (stage !== 'detect' && last > 0) return { first, last, isOver: true };
    if (stage === 'detect' && completed !== null && completed > 0) {
      first ??= completed;
      last = completed;
      if (completed >= untilMs) return { first, last, isOver: false };
    }
    await delay(100);
  }
}

test('a study of four hours of sound that is killed three times repeats minutes, in bounded memory', async (t) => {
  t.timeout(4 * 3_600_000, 'a study of hours on a busy machine');
  const folder = await mkdtemp(join(tmpdir(), 'long-study-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const root = join(folder, 'root');
  const sound = await makeSound(folder);
  const watched = new Watched();
  let { host, client } = await hostOn(t, root);
  const source = await client.ingestFile(sound, { label: 'Four hours', rightsHolder: 'test', ownershipAttested: true });
  const { durationMs } = source;
  const range = { startMs: 0, endMs: Math.min(durationMs, lengthMs) };
  const from = Date.now();
  const { runtimeId } = await client.study(source, { targetLanguage: 'en', range }).started;
  let repeatedMs = 0;
  let killedAt = 0;
  for (const share of [0.29, 0.55, 0.81]) {
    const { first, last, isOver } = await passed(client, runtimeId, share * range.endMs, () => watched.look(host));
    t.false(isOver);
    repeatedMs += killedAt - Math.floor(killedAt / windowMs) * windowMs;
    t.true((first ?? 0) >= Math.floor(killedAt / windowMs) * windowMs, `it went on at ${first} behind ${killedAt}`);
    killedAt = last;
    await host.kill();
    t.log(`killed at ${killedAt} ms, ${Math.round((Date.now() - from) / 1000)} s after the start`);
    ({ host, client } = await hostOn(t, root));
  }
  repeatedMs += killedAt - Math.floor(killedAt / windowMs) * windowMs;
  await passed(client, runtimeId, Number.POSITIVE_INFINITY, () => watched.look(host));
  for await (const _ of client.follow(runtimeId));
  watched.look(host);
  const wallMs = Date.now() - from;
  t.is((await client.status(runtimeId)).lifecycle, 'terminal');
  const { evidence } = await client.evidence(runtimeId, 'all');
  const facts = evidence.map(({ kind, facts: found }) => `${kind} ${found?.length ?? 0}`);
  const speech = evidence.find(({ kind }) => kind === 'speech_activity')?.facts ?? [];
  t.true(speech.length > (200 * range.endMs) / 3_600_000, facts.join(', '));
  const overview = await client.overview(runtimeId);
  const { audits } = await client.claims(runtimeId);
  t.log(`${range.endMs} ms studied in ${wallMs} ms; ${repeatedMs} ms of it decoded twice`);
  t.log(`peak memory: host ${Math.round(watched.host)} MiB, detector ${Math.round(watched.detector)} MiB`);
  t.log(facts.join(', '));
  t.log(
    `${audits.length} assessments, ${overview.findings.length} findings: ${overview.claims.map(({ text }) => text).join(' / ')}`,
  );
  const goneOn = host.reported().filter((line) => line.includes('goes on at'));
  t.is(goneOn.length, 1, host.reported().join('\n'));
  t.true(repeatedMs < 3 * windowMs);
  t.true(watched.host < mostHostMib && watched.detector < mostDetectorMib);
  await host.stop();
  await checkRuntimes(t, root);
  const reported = execFileSync(process.execPath, ['build/verify.js', '--data-root', root, '--store', '--objects'], {
    encoding: 'utf8',
  });
  t.log(reported.trim().split('\n').at(-1));
});

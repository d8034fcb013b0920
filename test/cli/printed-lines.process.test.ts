import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { RunningHost } from '../http/running-host.ts';
import { withoutDownloader } from '../without-downloader.ts';
import type { Ended } from './command.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a line as a person pastes it, without a terminal. */
const pasted = (line: string): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: repository, env: { ...process.env, ...withoutDownloader } };
    const child = execFile('sh', ['-c', line], options, (error, stdout, stderr) =>
      resolve({ exit: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
    child.stdin?.end();
  });

/** The commands that a study says may come next, and the one that exports it. */
const commandsIn = (stdout: string): readonly string[] =>
  stdout
    .split('\n')
    .flatMap((line) => /^next: .*?\((.+)\)$/.exec(line)?.[1] ?? /^exports: (.+?), or/.exec(line)?.[1] ?? []);

test('every command that a study prints runs as it is pasted, from the file to its captions, and no host runs before', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'printed lines-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const root = join(folder, 'data');
  const sample = 'fixtures/sample/source/media/sample.mp4';
  const rights = '--rights-holder Me --attest-rights';
  const typed = `node build/media-study.js study ${sample} --to 12 --language ko ${rights} --data-root '${root}'`;
  const first = await pasted(typed);
  t.is(first.exit, 0, first.stderr);
  const next = commandsIn(first.stdout);
  t.is(next.length, 4, first.stdout);
  for (const line of next) {
    t.true(line.startsWith('node build/media-study.js ') && line.endsWith(` --data-root '${root}'`), line);
    const { exit, stdout, stderr } = await pasted(line.replace(' NAME', ' facts.csv'));
    // No line signs by itself, and a reason is chosen by a person, of those that the command lists.
    if (line.includes(' approve ')) t.regex(stderr, /a review needs a person at a terminal, who attests it\n$/);
    else if (line.includes(' reject ')) t.regex(stderr, /^--reason CODE: one of /);
    else t.is(exit, 0, `${line}\n${stderr}`);
    t.is(exit !== 0, / (approve|reject) /.test(line), stdout);
  }

  const runtimeId = /^Study finished \(id (runtime:[^)]+)\)/m.exec(first.stdout)?.[1] ?? '';
  const evidence = `node build/media-study.js evidence ${runtimeId} --data-root '${root}'`;
  const early = await pasted(evidence.replace('evidence', 'captions'));
  t.is(early.exit, 1);
  t.true(early.stderr.includes(`(${next[0]})`), early.stderr);
  await approve(root, runtimeId);
  const [produce = '', revoke = ''] = commandsIn((await pasted(evidence)).stdout);
  t.regex(produce, / captions runtime:\S+ --produce /);
  t.regex(revoke, / review revoke /);
  const made = await pasted(produce);
  t.is(made.exit, 0, made.stderr);
  t.regex(made.stdout, /^WEBVTT\n/);
  const again = await pasted(produce);
  t.deepEqual([again.exit, again.stdout], [0, made.stdout]);
  const [read = ''] = commandsIn((await pasted(evidence)).stdout);
  t.is((await pasted(read)).stdout, made.stdout);
  t.is((await pasted(evidence.replace(runtimeId, runtimeId.slice(0, 16)))).exit, 0);
});

/** Approves a study over the API, as a person does at a terminal. */
async function approve(root: string, runtimeId: string): Promise<void> {
  const host = new RunningHost({ flags: ['--port', '0', '--data-root', root] });
  const { listening, authorizationToken } = await host.announced();
  const client = StudyHost.connect({ baseUrl: String(listening), token: String(authorizationToken) });
  const { reviewer } = await client.reviews.decisions(runtimeId);
  const reasonCodes = ['reviewer_attested_caption_production_may_proceed'] as const;
  const by = { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation };
  await client.reviews.decide(runtimeId, { outcome: 'approve_for_caption_production', reasonCodes, note: null }, by);
  await host.stop();
}

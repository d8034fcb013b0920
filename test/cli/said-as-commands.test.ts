import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { RunningHost } from '../http/running-host.ts';
import { runOn } from './command.ts';

const speech = fileURLToPath(new URL('../../fixtures/speech/speech.m4a', import.meta.url));
const label = 'Speech';

let folder = '';
let host: RunningHost;
let client: StudyHost;
const run = (...args: readonly string[]) => runOn(join(folder, 'root'), args);

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'said-as-commands-'));
  host = new RunningHost({ flags: ['--port', '0', '--data-root', join(folder, 'root')] });
  const { listening, authorizationToken } = await host.announced();
  client = StudyHost.connect({ baseUrl: String(listening), token: String(authorizationToken) });
  await run('ingest', speech, '--label', label, '--rights-holder', 'Me', '--attest-rights');
});
test.after.always(async () => {
  await host.kill();
  await rm(folder, { recursive: true, force: true });
});

/** The id of a study of the first second. */
async function studied(...flags: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run('study', label, '--to', '1', '--json', ...flags);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout).status.runtimeId;
}

test('a study that was deleted is started once more by a flag of the command, and so it says', async (t) => {
  const runtimeId = await studied('--again', 'deleted');
  t.is((await run('delete', 'runtime', runtimeId, '--yes')).exit, 0);
  const { exit, stderr } = await run('study', label, '--to', '1', '--again', 'deleted');
  t.is(exit, 1);
  t.regex(stderr, /^runtime_deleted: the runtime was deleted at [^;]+; .*media-study study SOURCE --again NAME/m);
  t.notRegex(stderr, /clientRequestId|GET /);
});

test('a study or a source that is not there is found by a command, and so it says', async (t) => {
  t.is(
    (await run('evidence', 'runtime:none')).stderr,
    'unknown_runtime: no such runtime; media-study runtimes lists the studies\n',
  );
});

test('captions that nobody has made yet are said to be that, with the command that makes them', async (t) => {
  const runtimeId = await studied();
  const { captions } = await client.overview(runtimeId);
  const missing = `the study has no captions yet; ${captions.text}; media-study evidence ${runtimeId} says what can be done\n`;
  for (const name of ['srt', 'vtt', 'ass'])
    t.deepEqual(await run('export', runtimeId, `captions.${name}`), { exit: 1, stdout: '', stderr: missing });
  t.deepEqual(await run('captions', runtimeId), { exit: 1, stdout: '', stderr: missing });
  const unapproved = await run('captions', runtimeId, '--produce');
  t.is(
    unapproved.stderr,
    `no approval of this study stands; a person has to approve it (media-study review approve ${runtimeId})\n`,
  );
});

test('bug: captions of a study that could get none were said to come of an approval', async (t) => {
  const runtimeId = await studied('--again', 'rejected');
  const { reviewer } = await client.reviews.decisions(runtimeId);
  const by = { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation };
  const rejection = { outcome: 'reject_with_reasons', reasonCodes: ['other_review_concern'], note: null } as const;
  await client.reviews.decide(runtimeId, rejection, by);
  const { exit, stderr } = await run('captions', runtimeId);
  t.is(exit, 1);
  const { captions } = await client.overview(runtimeId);
  const wayOut = `media-study evidence ${runtimeId} says what can be done`;
  t.is(stderr, `the study has no captions yet; ${captions.text}; ${wayOut}\n`);
});

test('bug: a transcript that a study does not have was to be explained by evidence that says nothing of it', async (t) => {
  const runtimeId = await studied('--again', 'no-transcript');
  const { exit, stderr } = await run('export', runtimeId, 'transcript.srt');
  t.is(exit, 1);
  t.regex(stderr, /^export_unavailable: .*; a transcript needs a host with --semantic-recognizer/);
});

test('a label that is given with a source that is there already is said to have no effect', async (t) => {
  const { exit, stderr } = await run('study', label, '--to', '1', '--label', 'Another');
  t.is(exit, 0);
  t.true(stderr.startsWith(`${label} is there already and keeps its label: --label is of media that is taken in\n`));
});

test('one thing is counted as one', async (t) => {
  const runtimeId = await studied('--again', 'counted');
  const { stdout: listed } = await run('sources');
  t.regex(listed, / {2}1 track {2}Speech$/m);
  const { stdout: used } = await run('disk');
  t.regex(used, /evidence [^,]+, \d+ runtimes? {2}Speech$/m);
  t.notRegex(used, /\b1 runtimes/);
  const { stdout: deleted } = await run('delete', 'runtime', runtimeId, '--yes');
  t.notRegex(deleted, /\b1 (rows|events|objects)\b/);
});

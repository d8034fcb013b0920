import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { StudyHost } from '../../client/study-host.ts';
import { subtitleTracks } from '../../contract/sources/source-session.ts';
import { humWav } from '../http/host/media.ts';
import { RunningHost } from '../http/running-host.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { runCommand, runOn } from './command.ts';

const speech = fileURLToPath(new URL('../../fixtures/speech/speech.m4a', import.meta.url));
const label = 'Speech';
const rights = ['--rights-holder', 'Me', '--attest-rights'];
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
  const unasked = await run('delete', 'runtime', runtimeId);
  t.deepEqual([unasked.exit, /add --yes to delete/.test(unasked.stderr)], [2, true], unasked.stderr);
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

test('missing captions are reported as such, with the command that makes them', async (t) => {
  const runtimeId = await studied();
  const { captions } = await client.overview(runtimeId);
  const missing = `the study has no captions yet; ${captions.text}; media-study evidence ${runtimeId} lists the next steps\n`;
  for (const name of ['srt', 'vtt', 'ass'])
    t.deepEqual(await run('export', runtimeId, `captions.${name}`), { exit: 1, stdout: '', stderr: missing });
  t.deepEqual(await run('captions', runtimeId), { exit: 1, stdout: '', stderr: missing });
  t.deepEqual(await run('captions', runtimeId, '--produce'), { exit: 1, stdout: '', stderr: missing });
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
  const wayOut = `media-study evidence ${runtimeId} lists the next steps`;
  t.is(stderr, `the study has no captions yet; ${captions.text}; ${wayOut}\n`);
});

test('bug: unrelated evidence was to explain a missing transcript', async (t) => {
  const runtimeId = await studied('--again', 'no-transcript');
  const { exit, stderr } = await run('export', runtimeId, 'transcript.srt');
  t.is(exit, 1);
  t.regex(stderr, /^export_unavailable: .*; a transcript needs a host with --semantic-recognizer/);
});

test('a label for a source that exists already is reported to have no effect', async (t) => {
  const { exit, stderr } = await run('study', label, '--to', '1', '--label', 'Another');
  t.is(exit, 0);
  t.true(stderr.startsWith(`${label} is there already and keeps its label: --label is only for new media\n`));
});

// Serial, as other tests name the source by its label.
test.serial('bug: a study of a file whose bytes the host has renamed their source', async (t) => {
  const copy = join(folder, 'copy of speech.m4a');
  await copyFile(speech, copy);
  const labels = async () => (await client.sources()).map((source) => source.label);
  const before = await labels();
  const { exit, stderr } = await run('study', copy, '--to', '1');
  t.is(exit, 0, stderr);
  t.regex(
    stderr,
    /^copy of speech\.m4a is known as "Speech" \(source-session:[0-9a-f]{64}\); --label TEXT renames it$/m,
  );
  t.false(stderr.includes('upload'), 'a person answers for these bytes already');
  t.deepEqual(await labels(), before);

  const again = await run('ingest', copy, ...rights);
  t.is(again.exit, 0, again.stderr);
  t.deepEqual(await labels(), before, 'media that is taken in again keeps its label');
  t.is((await run('study', copy, '--to', '1', '--label', 'Copy', ...rights)).exit, 0);
  t.true((await labels()).includes('Copy'));
  t.is((await run('ingest', speech, '--label', label, ...rights)).exit, 0);
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

const runAnywhere = (...args: readonly string[]) => runCommand(args);

test('subtitle files are attached with the media or later, listed, and taken off', async (t) => {
  const folder = await scratchFolder(t);
  const root = ['--data-root', join(folder, 'data')];
  const host = new RunningHost({ flags: ['--port', '0', ...root] });
  t.teardown(() => host.kill());
  await host.announced();
  const [media, first, second] = ['hum.wav', 'a:b.srt', 'b.srt'].map((name) => join(folder, name));
  if (media === undefined || first === undefined || second === undefined) return t.fail();
  const empty = join(folder, 'empty.srt');
  await writeFile(empty, '');
  await writeFile(media, humWav(3));
  await writeFile(first, '1\n00:00:00,100 --> 00:00:00,200\nHello\n');
  await writeFile(second, Buffer.from('1\n00:00:09,100 --> 00:00:09,200\ncaf\xe9\n', 'latin1'));

  const ingested = await runAnywhere('ingest', media, '--subtitles', `${first}:pt-BR`, ...rights, ...root);
  t.is(ingested.exit, 0, ingested.stderr);
  t.regex(ingested.stderr, /^attached track 1: srt, pt-BR, 1 cue, a:b\.srt$/m);
  const none = await runAnywhere('subtitles', 'hum', `${second}:fr`, ...root);
  t.is(none.exit, 2);
  const undecodable = await runAnywhere('subtitles', 'hum', `${second}:fr`, ...rights, ...root);
  t.is(undecodable.exit, 1);
  t.regex(undecodable.stderr, /^subtitle_encoding_mismatch: .*--encoding windows-1252/m);
  const attached = await runAnywhere(
    'subtitles',
    'hum',
    `${second}:fr`,
    '--encoding',
    'windows-1252',
    ...rights,
    ...root,
  );
  t.is(attached.exit, 0, attached.stderr);
  t.is(attached.stdout, 'track 1: srt, pt-BR, 1 cue, a:b.srt\ntrack 2: srt, fr, 1 cue, b.srt\n');
  t.regex(attached.stderr, /b\.srt: cue 1 starts after the film ends/);
  const third = join(folder, 'c.srt');
  await writeFile(third, '1\n00:00:00,300 --> 00:00:00,400\nHello again\n');
  for (const [bad, code] of [
    [second, 'subtitle_encoding_mismatch'],
    [media, 'subtitle_encoding_mismatch'],
    [fileURLToPath(new URL('../../package.json', import.meta.url)), 'subtitle_format_mismatch'],
  ] as const) {
    const refused = await runAnywhere('subtitles', 'hum', third, bad, ...rights, ...root);
    t.is(refused.exit, 1);
    t.true(refused.stderr.startsWith(`${code}: ${bad}: `), refused.stderr);
  }
  const still = await runAnywhere('subtitles', 'hum', ...root);
  t.is(still.stdout, attached.stdout, 'bug: a faulty file was refused when the file before it was attached already');
  const left = await runAnywhere('subtitles', 'hum', '--detach', '1', '--json', ...root);
  const indexes = subtitleTracks.parse(JSON.parse(left.stdout)).subtitleTracks.map(({ trackIndex }) => trackIndex);
  t.deepEqual(indexes, [2]);
  t.regex((await runAnywhere('subtitles', 'hum', '--detach', '1', ...root)).stderr, /^unknown_subtitle_track: /m);

  for (const [args, message] of [
    [['subtitles'], /SOURCE is missing/],
    [['subtitles', 'nothing'], /no source of this host is nothing/],
    [['subtitles', 'hum', join(folder, 'none.srt')], /there is no subtitle file .*none\.srt/],
    [['subtitles', 'hum', second, '--format', 'docx'], /--format docx: one of srt, webvtt, ass/],
    [['subtitles', 'hum', '--detach', 'x'], /--detach x: the number of a track is needed/],
    [['ingest', media, media, '--subtitles', first], /--subtitles belongs to one source/],
    [['subtitles', 'hum', folder], /is a folder/],
    [['subtitles', 'hum', empty], /empty\.srt is empty/],
    [['subtitles', 'hum', `${second}:french`], /french is not a language tag, did you mean fr \(French\)\?/],
    [['ingest', media, '--subtitles', `${second}:jp`], /jp is not a language tag/],
  ] as const) {
    const { exit, stderr } = await runAnywhere(...args, ...rights, ...root);
    t.is(exit, 2, stderr);
    t.regex(stderr, message);
  }
});

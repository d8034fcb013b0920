import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { HostError } from '../../../client/host-error.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import { StudyHost } from '../../../client/study-host.ts';
import { attestations } from '../../../contract/review/publish-review.ts';
import { storedBytes } from '../../../receipts/core/canonical-json.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { ffmpeg } from '../../executors/evidence/media-for-tests.ts';
import { openInProcess } from '../../host/host-in-process.ts';

const embedding = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];
const longer = ['--maximum-caption-range-ms', '600000', '--maximum-caption-lines', '200'];
const approval = {
  outcome: 'approve_for_caption_production',
  reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
  note: null,
} as const;
const by = { reviewerId: 'reviewer:local-operator', attestation: attestations.decision };

const folder = await mkdtemp(join(tmpdir(), 'long-films-'));
test.after.always(() => rm(folder, { recursive: true, force: true }));

const lineCount = 100;
const time = (ms: number): string => new Date(ms).toISOString().slice(11, 23).replace('.', ',');

/** A film of 150 s with a tone, a track of cues in Korean and one in English. */
async function longFilm(): Promise<string> {
  const tracks = { ko: '안녕하세요', en: 'Good morning' };
  for (const [language, words] of Object.entries(tracks)) {
    const cues = Array.from({ length: lineCount }, (_, at) => {
      const startMs = 1400 * at;
      return `${at + 1}\n${time(startMs)} --> ${time(startMs + 1300)}\n${words} ${at}\n\n`;
    });
    await writeFile(join(folder, `${language}.srt`), cues.join(''));
  }
  const film = join(folder, 'film.mkv');
  await ffmpeg(
    folder,
    ...['-f', 'lavfi', '-i', 'color=black:s=64x64:r=5:d=150', '-f', 'lavfi', '-i', 'sine=d=150'],
    ...['-i', join(folder, 'ko.srt'), '-i', join(folder, 'en.srt')],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-c:v', 'mpeg4', '-c:a', 'flac', '-c:s', 'srt'],
    ...['-metadata:s:s:0', 'language=kor', '-metadata:s:s:1', 'language=eng', film],
  );
  return film;
}

async function hostWith(t: ExecutionContext, flags: readonly string[]) {
  const host = await openInProcess(t, join(folder, 'data'), { flags: [...embedding, ...flags] });
  const { listening, authorizationToken: token } = host.announced ?? { listening: '', authorizationToken: '' };
  return { host, client: StudyHost.connect({ baseUrl: listening, token }) };
}

const request = {
  targetLanguage: 'en',
  requestedSourceLanguage: spokenLanguage('ko'),
  outputDepth: 'captions',
} as const;
const contentIdOf = (record: object) => `sha256:${createHash('sha256').update(storedBytes(record)).digest('hex')}`;

test('a film of more than 120 s gets captions in chunks where its host allows it, and is refused elsewhere', async (t) => {
  const film = await longFilm();
  const usual = await hostWith(t, []);
  const source = await usual.client.ingestFile(film, {
    label: 'film',
    rightsHolder: 'nobody',
    ownershipAttested: true,
  });
  const said = (await usual.client.warnings(source, request)).warnings;
  const against = said.flatMap((warning) => (warning.code === 'captions_not_possible' ? [warning.reason] : []));
  t.deepEqual(against, ['range_too_long']);
  const { runtimeId } = await usual.client.study(source, request).ended();
  await usual.client.reviews.decide(runtimeId, approval, by);
  const refused = await t.throwsAsync(usual.client.captions.produce(runtimeId), { instanceOf: HostError });
  t.is(refused.code, 'illegal_caption_transition');
  t.is((await usual.client.overview(runtimeId)).captions.state, 'never');
  await usual.host.stop();

  const { host, client } = await hostWith(t, longer);
  const { warnings } = await client.warnings(source, request);
  t.false(warnings.some(({ code }) => code === 'captions_not_possible'));
  t.is((await client.overview(runtimeId)).captions.state, 'waiting');
  const [production] = (await client.captions.produce(runtimeId)).captions;
  t.like(production?.result, { status: 'completed', lineCount, withheldCount: 0 });
  const [result] = (await client.captions.results(runtimeId)).results;
  t.is(result?.artifact.schema, 'studio.caption-production.artifact.v7');
  const [check] = (await client.captions.qualityControls(runtimeId)).qualityControls;
  t.is(check?.acceptedLineIds.length, lineCount);

  const first = await client.captions.chunk(runtimeId, 0);
  const second = await client.captions.chunk(runtimeId, 1);
  t.is(contentIdOf(first.captions), production?.captionContentId ?? '');
  t.deepEqual(
    first.captions.chunks.map(({ contentId }) => contentId),
    [contentIdOf(first.chunk), contentIdOf(second.chunk)],
  );
  t.deepEqual([...first.chunk.lines, ...second.chunk.lines], result?.artifact.lines as typeof first.chunk.lines);
  const absent = await t.throwsAsync(client.captions.chunk(runtimeId, 2), { instanceOf: HostError });
  t.is(absent.code, 'not_found');
  const vtt = await client.captions.webvtt(runtimeId, 'target');
  t.is(vtt.match(/-->/g)?.length, lineCount);
  t.regex(vtt, /00:02:18\.600 --> 00:02:19\.900\nGood morning 99\n$/);
  const { reports } = await client.captions.qualityReports(runtimeId);
  t.true(reports.every(({ cues }) => cues.length === lineCount));
  await host.stop();

  // Whoever made them, they stay readable and whole on a host that allows no others.
  const after = await hostWith(t, []);
  t.is((await after.client.overview(runtimeId)).captions.state, 'done');
  await after.host.stop();
  await checkRuntimes(t, join(folder, 'data'));
});

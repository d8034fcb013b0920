import { createHash } from 'node:crypto';
import test from 'ava';
import { HostError } from '../../../client/host-error.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import { storedBytes } from '../../../formats/canonical-json.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { type MediaRecipe, madeMedia } from '../../media/made-media.ts';
import { drawn } from '../../media/recipes.ts';
import { approveCaptions, newRoot, openClientHost } from '../client-host.ts';

const embedding = ['--caption-executor', 'embedded-subtitles', '--allow-embedded-subtitle-captions'];

const longer = ['--maximum-caption-range-ms', '600000', '--maximum-caption-lines', '200'];

const lineCount = 100;

const time = (ms: number): string => new Date(ms).toISOString().slice(11, 23).replace('.', ',');

const cuesOf = (words: string): string =>
  Array.from({ length: lineCount }, (_, at) => {
    const startMs = 1400 * at;
    return `${at + 1}\n${time(startMs)} --> ${time(startMs + 1300)}\n${words} ${at}\n\n`;
  }).join('');

/** A film of 150 s with a tone, a track of cues in Korean and one in English. */
const longFilm: MediaRecipe = {
  words: [
    ...drawn('color=black:s=64x64:r=5:d=150'),
    ...drawn('sine=d=150'),
    ...['-i', 'ko.srt', '-i', 'en.srt'],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', '-c:v', 'mpeg4', '-c:a', 'flac', '-c:s', 'srt'],
    ...['-metadata:s:s:0', 'language=kor', '-metadata:s:s:1', 'language=eng'],
  ],
  extension: 'mkv',
  inputs: { 'ko.srt': cuesOf('안녕하세요'), 'en.srt': cuesOf('Good morning') },
};

const request = {
  targetLanguage: 'en',
  requestedSourceLanguage: spokenLanguage('ko'),
  outputDepth: 'captions',
} as const;

const contentIdOf = (record: object) => `sha256:${createHash('sha256').update(storedBytes(record)).digest('hex')}`;

test('a film of more than 120 s gets captions in chunks only if its host allows it', async (t) => {
  const root = await newRoot(t);
  const hostWith = (...flags: string[]) => openClientHost(t, root, { flags: [...embedding, ...flags] });
  const film = await madeMedia(longFilm);
  const usual = await hostWith();
  const source = await usual.client.ingestFile(film, {
    label: 'film',
    rightsHolder: 'nobody',
    ownershipAttested: true,
  });
  const said = (await usual.client.warnings(source, request)).warnings;
  const against = said.flatMap((warning) => (warning.code === 'captions_not_possible' ? [warning.reason] : []));
  t.deepEqual(against, ['range_too_long']);
  const { runtimeId } = await usual.client.study(source, request).ended();
  await approveCaptions(usual.client, runtimeId);
  const refused = await t.throwsAsync(usual.client.captions.produce(runtimeId), { instanceOf: HostError });
  t.is(refused.code, 'illegal_caption_transition');
  t.is((await usual.client.overview(runtimeId)).captions.state, 'never');
  await usual.host.stop();

  const { host, client } = await hostWith(...longer);
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

  // They stay readable and whole on a host that allows no other executors.
  const after = await hostWith();
  t.is((await after.client.overview(runtimeId)).captions.state, 'done');
  await after.host.stop();
  await checkRuntimes(t, root);
});

import { truncateSync } from 'node:fs';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { HostError, MediaUnreadable } from '../../client/host-error.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { humWav } from '../http/host/media.ts';
import { madeMedia, placeMedia } from '../media/made-media.ts';
import { drawn } from '../media/recipes.ts';
import { scratchFolder } from '../storage/ledger/scratch.ts';
import { studyUntil } from './asked-study.ts';
import { OneHost } from './one-host.ts';

let host: OneHost;

test.before(async () => {
  host = await OneHost.start();
});

test.after.always(() => host.remove());

const owner = { rightsHolder: 'Me', ownershipAttested: true } as const;

/** A warning as its code, with the reason or the codecs behind it. */
const said = (warning: object & { readonly code: string }): string =>
  [
    warning.code,
    ...('reason' in warning ? [warning.reason] : []),
    ...('codecs' in warning ? [warning.codecs] : []),
  ].join(' ');

test('warnings before a study: what the file lacks, cannot play, and why no captions will come', async (t) => {
  const folder = await scratchFolder(t);
  const hum = drawn('sine=f=300:r=8000');
  const film = drawn('testsrc=s=64x48:r=5');
  await placeMedia(folder, {
    'sound.mka': { words: [...hum, '-t', '122', '-c:a', 'ac3', '-b:a', '32k'], extension: 'mka' },
    'silent.mp4': { words: [...film, '-t', '2', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'], extension: 'mp4' },
    'cut.wav': { words: [...hum, '-t', '4'], extension: 'wav' },
  });
  await truncate(join(folder, 'cut.wav'), 60_000);

  const warned = async (file: string, endMs: number, outputDepth: 'captions' | 'evidence'): Promise<string[]> => {
    const source = await host.client.ingestFile(join(folder, file), { ...owner, label: file });
    const { warnings } = await host.client.warnings(source, studyUntil(endMs, outputDepth));
    return warnings.map(said);
  };
  t.deepEqual(await warned('sound.mka', 121_000, 'captions'), [
    'no_video_track',
    'captions_not_possible range_too_long',
    'captions_not_possible no_text_tracks',
    'codec_may_not_play ac3',
  ]);
  t.deepEqual(await warned('silent.mp4', 1000, 'evidence'), ['no_audio_track']);
  t.deepEqual(await warned('cut.wav', 1000, 'evidence'), ['no_video_track', 'media_incomplete']);
});

test('media without text is studied and captioned from two files that were attached to it', async (t) => {
  const { client } = host;
  const folder = await scratchFolder(t);
  const words = ['-i', 'sample.mp4', '-map', '0:v', '-map', '0:a:0', '-c', 'copy'];
  const inputs = { 'sample.mp4': { copyOf: sampleMedia } };
  const plain = await madeMedia({ words, extension: 'mp4', inputs });
  const source = await client.ingestFile(plain, { ...owner, label: 'Plain' });
  await writeFile(join(folder, 'a.ko.srt'), '\uFEFF1\r\n00:00:02,000 --> 00:00:04,000\r\n<i>안녕하세요</i>\r\n');
  await writeFile(
    join(folder, 'a.en.vtt'),
    'WEBVTT\n\nSTYLE\n::cue { color: red }\n\n00:02.100 --> 00:04.000\nHello\n',
  );
  const { sourceSessionId } = source;
  const korean = await client.subtitles.attach(sourceSessionId, join(folder, 'a.ko.srt'), { ...owner, language: 'ko' });
  const both = await client.subtitles.attach(sourceSessionId, join(folder, 'a.en.vtt'), { ...owner, language: 'en' });
  t.like(korean.track, { trackIndex: 2, label: 'a.ko.srt', format: 'srt', encoding: 'utf-8', language: 'ko' });
  t.like(both.track, { trackIndex: 3, format: 'webvtt' });
  t.is(both.source.trackCount, source.trackCount + 2);
  t.not(both.source.sourceRevisionId, source.sourceRevisionId);
  t.deepEqual((await client.subtitles.list(sourceSessionId)).subtitleTracks, [korean.track, both.track]);

  const study = client.study(both.source, studyUntil(20_000, 'captions'));
  t.is((await study.ended()).lifecycle, 'terminal');
  const { runtimeId } = await study.started;
  const { evidence } = await client.evidence(runtimeId, 'subtitle_track');
  const cues = evidence.map(({ facts }) => facts);
  t.deepEqual(cues, [
    [{ kind: 'subtitle_cue', index: 0, startMs: 2000, endMs: 4000, text: '안녕하세요', styled: '<i>안녕하세요</i>' }],
    [{ kind: 'subtitle_cue', index: 0, startMs: 2100, endMs: 4000, text: 'Hello' }],
  ]);
  const { reviewer } = await client.reviews.decisions(runtimeId);
  await client.reviews.decide(
    runtimeId,
    {
      outcome: 'approve_for_caption_production',
      reasonCodes: ['reviewer_attested_caption_production_may_proceed'],
      note: null,
    },
    { reviewerId: reviewer.id, attestation: reviewer.decisionAttestation },
  );
  await client.captions.produce(runtimeId);
  t.is((await client.captions.checked(runtimeId)).outcome, 'accepted');
  t.regex(await client.captions.webvtt(runtimeId, 'target'), /Hello/);
  t.regex(await client.captions.webvtt(runtimeId, 'source'), /안녕하세요/);
});

test('a file is taken off again, and a source that was deleted takes none', async (t) => {
  const { client } = host;
  const lines = new File(['1\n00:00:00,000 --> 00:00:00,300\nHello\n'], 'lines.srt');
  const source = await client.ingestFile(new Blob([humWav(71)]), { ...owner, label: 'Hum', filename: 'hum.wav' });
  const { sourceSessionId } = source;
  const { track } = await client.subtitles.attach(sourceSessionId, lines, owner);
  t.deepEqual((await client.subtitles.detach(sourceSessionId, track.trackIndex)).subtitleTracks, []);
  await client.subtitles.attach(sourceSessionId, lines, owner);
  const { objects } = (await client.deletions.source(sourceSessionId)).erased;
  // Media and probe, two receipts with their preflights and those without files, and the file.
  t.true(objects >= 7);
  const refusal = { instanceOf: HostError, code: 'source_deleted' };
  await t.throwsAsync(client.subtitles.attach(sourceSessionId, lines, owner), refusal);
  await t.throwsAsync(client.subtitles.list(sourceSessionId), refusal);
});

test('a file that becomes shorter while it is sent ends its ingest', async (t) => {
  const own = await OneHost.start();
  t.teardown(() => own.remove());
  const path = join(await scratchFolder(t), 'cut.wav');
  await writeFile(path, humWav(2));
  const cut = own.client.ingestFile(path, {
    ...owner,
    label: 'A file',
    onUpload: ({ sent }) => void (sent === 0 && truncateSync(path, 1)),
  });
  const error = await t.throwsAsync(cut, { instanceOf: MediaUnreadable });
  t.is(error?.hint, 'send the file again once nothing writes to it');
  const { ingests } = await own.client.ownedIngests();
  const endings = ingests.map(({ status, failure }) => [status, failure?.code]);
  t.deepEqual(endings, [['failed', 'canceled']]);
});

test('a folder is neither ingested nor attached as a subtitle file', async (t) => {
  const path = join(await scratchFolder(t), 'a-folder.mp4');
  await mkdir(path);
  await t.throwsAsync(host.client.ingestFile(path, { ...owner, label: 'A file' }), {
    message: /a-folder\.mp4 is not a regular file$/,
  });
  const attached = host.client.subtitles.attach('source-session:any', path, owner);
  await t.throwsAsync(attached, { message: /a-folder\.mp4 is not a regular file$/ });
});

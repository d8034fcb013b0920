import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { HostError } from '../../client/host-error.ts';
import { sampleMedia } from '../../fixtures/sample/gold.ts';
import { humWav } from '../http/host/media.ts';
import { OneHost } from './one-host.ts';

const owner = { rightsHolder: 'Me', ownershipAttested: true } as const;
const request = {
  range: { startMs: 0, endMs: 20_000 },
  requestedSourceLanguage: { mode: 'declared', languages: ['ko'], reason: null },
  targetLanguage: 'en',
  outputDepth: 'captions',
} as const;

let host: OneHost;
let folder: string;
test.before(async () => {
  host = await OneHost.start();
  folder = await mkdtemp(join(tmpdir(), 'subtitles-'));
  const plain = ['-map', '0:v', '-map', '0:a:0', '-c', 'copy', join(folder, 'plain.mp4')];
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-i', sampleMedia, ...plain]);
});
test.after.always(async () => {
  await host.remove();
  await rm(folder, { recursive: true, force: true });
});

test.serial('media without text is studied and captioned from two files that were attached to it', async (t) => {
  const { client } = host;
  const source = await client.ingestFile(join(folder, 'plain.mp4'), { ...owner, label: 'Plain' });
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

  const study = client.study(both.source, request);
  t.is((await study.ended()).lifecycle, 'terminal');
  const { runtimeId } = await study.started;
  const { evidence } = await client.evidence(runtimeId, 'subtitle_track');
  t.deepEqual(
    evidence.map(({ facts }) => facts),
    [
      [{ kind: 'subtitle_cue', index: 0, startMs: 2000, endMs: 4000, text: '안녕하세요' }],
      [{ kind: 'subtitle_cue', index: 0, startMs: 2100, endMs: 4000, text: 'Hello' }],
    ],
  );
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

test.serial('a file is taken off again, and a source that was deleted takes none', async (t) => {
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

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import type { SourceSessionRow } from '../../../contract/sources/source-session-list.ts';
import { maximumSubtitleBytes } from '../../../contract/sources/subtitle-track.ts';
import {
  attachedSubtitleTrack,
  subtitleTracks as listedTracks,
} from '../../../contract/sources/subtitle-track-answers.ts';
import { runtimePlan } from '../../../contract/study/runtime-plan.ts';
import type { HostContract } from './contract.ts';
import { ingest, octets } from './ingest-steps.ts';
import { humWav } from './media.ts';
import { plans, sampleRow, studyRequest } from './study-steps.ts';

const said = {
  rightsScope: 'local_processing',
  ownershipAttested: 'true',
  rightsHolder: 'The tester',
  label: 'Lines',
} as const;
const srt = (...cues: readonly string[]): Buffer =>
  Buffer.from(cues.map((cue, at) => `${at + 1}\n${cue}\n`).join('\n'), 'utf8');
const hello = srt('00:00:00,100 --> 00:00:00,900\nHello');

const tracksOf = (sessionId: string): string => `/v1/source-sessions/${sessionId}/subtitle-tracks`;

async function hummed(t: ExecutionContext, contract: HostContract, seconds: number): Promise<SourceSessionRow> {
  const { source } = await ingest(t, contract, humWav(seconds));
  if (source === null) throw new Error('not registered');
  return source;
}

/** Bytes and words that are refused, the code, and what the message says. */
const refusals: readonly (readonly [what: string, Buffer, others: object, ErrorCode, message: RegExp])[] = [
  [
    'no attestation',
    hello,
    { ownershipAttested: 'no' },
    'invalid_rights_attestation',
    /ownershipAttested must be true/,
  ],
  ['a language that is no tag', hello, { language: 'k o' }, 'invalid_subtitle_request', /^language: must match \^/],
  ['no label', hello, { label: ' ' }, 'invalid_subtitle_request', /^label: /],
  ['an encoding that is none', hello, { encoding: 'ebcdic' }, 'invalid_subtitle_request', /^encoding: ebcdic /],
  ['a format that is none', hello, { format: 'docx' }, 'invalid_subtitle_request', /^format: /],
  ['another encoding', Buffer.from([...hello, 0xe9]), {}, 'subtitle_encoding_mismatch', /no text in utf-8$/],
  ['a binary file', Buffer.from([...hello, 10, 0]), {}, 'subtitle_encoding_mismatch', /^line 5 .* U\+0000/],
  ['a lying format', hello, { format: 'webvtt' }, 'subtitle_format_mismatch', /its text is srt, not webvtt$/],
  ['text that is no file of subtitles', Buffer.from('Hello\n'), {}, 'subtitle_format_mismatch', /neither srt/],
  ['blank lines alone', Buffer.from('\n \n'), {}, 'invalid_subtitle_file', /^the file is empty$/],
  ['a head without cues', Buffer.from('WEBVTT\n'), {}, 'invalid_subtitle_file', /^the file holds no cue$/],
  ['an end before its start', srt('00:00:02,000 --> 00:00:01,000\nx'), {}, 'invalid_subtitle_file', /^line 2: /],
  ['half a time', srt('00:00:02 --> 00:00:03\nx'), {}, 'invalid_subtitle_file', /^line 2: times are needed/],
];

/** Subtitle files that are attached to a source. */
export function subtitleTracks(contract: HostContract): void {
  const attach = (sessionId: string, body: Buffer | readonly Buffer[], others: object = {}) =>
    contract.ask('POST', `${tracksOf(sessionId)}?${new URLSearchParams({ ...said, ...others })}`, {
      headers: octets,
      body,
    });
  const attached = async (t: ExecutionContext, sessionId: string, body: Buffer, others: object = {}) =>
    contract.granted(t, await attach(sessionId, body, others), 201, attachedSubtitleTrack);
  const listed = async (t: ExecutionContext, sessionId: string) =>
    contract.granted(t, await contract.get(tracksOf(sessionId)), 200, listedTracks);

  test.serial(
    contract.title('an attached file is a track of a new revision, once, and can be taken off'),
    async (t) => {
      const source = await hummed(t, contract, 21);
      const { sourceSessionId, sourceRevisionId } = source;
      t.deepEqual((await listed(t, sourceSessionId)).subtitleTracks, []);
      const first = await attached(t, sourceSessionId, hello, { language: 'en' });
      t.like(first.track, { trackIndex: 1, language: 'en', format: 'srt', encoding: 'utf-8', bytes: hello.length });
      t.deepEqual(first.source, { ...source, ...first.source, trackCount: 2 });
      t.not(first.source.sourceRevisionId, sourceRevisionId);
      const range = { range: { startMs: 0, endMs: source.durationMs } };
      contract.refused(t, await contract.post(plans, studyRequest(source, range)), 'stale_source_revision');
      contract.granted(t, await contract.post(plans, studyRequest(first.source, range)), 200, runtimePlan);

      const again = contract.granted(
        t,
        await attach(sourceSessionId, [hello], { language: 'en' }),
        200,
        attachedSubtitleTrack,
      );
      t.deepEqual(again, first);
      const other = await attached(t, sourceSessionId, hello, { language: 'de' });
      t.is(other.track.trackIndex, 2);
      t.deepEqual((await listed(t, sourceSessionId)).subtitleTracks, [first.track, other.track]);

      const detach = (index: number) => contract.ask('DELETE', `${tracksOf(sourceSessionId)}/${index}`);
      t.deepEqual(contract.granted(t, await detach(1), 200, listedTracks).subtitleTracks, [other.track]);
      contract.refused(t, await detach(1), 'unknown_subtitle_track');
      const bare = contract.granted(t, await detach(2), 200, listedTracks);
      t.is(bare.sourceRevisionId, sourceRevisionId);
    },
  );

  test.serial(contract.title('files that are attached at once all stay, and outlive a kill of the host'), async (t) => {
    const { sourceSessionId } = await hummed(t, contract, 22);
    const labels = ['one', 'two', 'three'];
    await Promise.all(labels.map((label) => attached(t, sourceSessionId, hello, { label })));
    const before = await listed(t, sourceSessionId);
    t.deepEqual(before.subtitleTracks.map(({ label }) => label).sort(), [...labels].sort());
    t.deepEqual(
      before.subtitleTracks.map(({ trackIndex }) => trackIndex),
      [1, 2, 3],
    );
    await contract.kill();
    await contract.start();
    t.deepEqual(await listed(t, sourceSessionId), before);
    const cut = attach(sourceSessionId, hello, { label: 'four' }).catch(() => null);
    await contract.kill();
    await cut;
    await contract.start();
    const { status } = await attach(sourceSessionId, hello, { label: 'four' });
    t.true([200, 201].includes(status));
    const after = await listed(t, sourceSessionId);
    t.deepEqual(after.subtitleTracks.slice(0, 3), before.subtitleTracks);
    t.is(after.subtitleTracks.length, 4);
    const { source } = await ingest(t, contract, humWav(22), { label: 'Another hum' });
    t.is(source?.trackCount, 5);
    t.deepEqual((await listed(t, sourceSessionId)).subtitleTracks, after.subtitleTracks);
  });

  test.serial(
    contract.title('a file that cannot be read without a guess is refused, and the source stays'),
    async (t) => {
      const { sourceSessionId, sourceRevisionId } = await hummed(t, contract, 23);
      for (const [what, body, others, code, message] of refusals) {
        t.regex(contract.refused(t, await attach(sourceSessionId, body, others), code), message, what);
      }
      const large = Buffer.concat([hello, Buffer.alloc(maximumSubtitleBytes, 'x')]);
      contract.refused(t, await attach(sourceSessionId, large), 'subtitle_file_too_large');
      contract.refused(t, await attach(sourceSessionId, [hello, large]), 'subtitle_file_too_large');
      contract.refused(t, await attach(sourceSessionId, Buffer.alloc(0)), 'empty_request_body');
      const text = { headers: { 'Content-Type': 'text/plain' }, body: hello };
      contract.refused(t, await contract.ask('POST', tracksOf(sourceSessionId), text), 'unsupported_content_type');
      contract.refused(t, await attach('source-session:none', hello), 'unknown_source_session');
      contract.refused(t, await contract.get(tracksOf('source-session:none')), 'unknown_source_session');
      const sample = await sampleRow(t, contract);
      contract.refused(t, await attach(sample.sourceSessionId, hello), 'source_read_in_place');
      t.is((await listed(t, sourceSessionId)).sourceRevisionId, sourceRevisionId);
    },
  );

  test.serial(contract.title('a source has at most 32 text tracks'), async (t) => {
    const { sourceSessionId } = await hummed(t, contract, 24);
    for (let at = 0; at < 32; at += 1) await attached(t, sourceSessionId, hello, { label: `Lines ${at}` });
    contract.refused(t, await attach(sourceSessionId, hello), 'subtitle_track_limit');
  });

  test.serial(contract.title('nothing is attached to a source whose files have changed'), async (t) => {
    const source = await hummed(t, contract, 25);
    const hex = source.sourceContentId.slice('sha256:'.length);
    await rm(join(contract.dataRoot, 'objects', 'sha256', hex.slice(0, 2), hex));
    contract.refused(t, await attach(source.sourceSessionId, hello), 'source_revalidation_failed');
  });
}

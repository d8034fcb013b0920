import { createPublicKey } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import webVtt from 'webvtt-parser';
import { exportNames, signingKeys } from '../../contract/exports.ts';
import { readSampleGold } from '../../fixtures/sample/gold.ts';
import { contentIdOfBytes } from '../../formats/canonical-json.ts';
import { verdictOf } from '../actors/exports/bundled-study.ts';
import { TestHost } from '../host/test-host.ts';
import type { WireAnswer } from '../host/wire-question.ts';
import {
  approvedLife,
  captioned,
  captionedRange,
  checksOf,
  fileOf,
  openCaptioned,
  pathOf,
  resultsOf,
  revoke,
} from './captions/steps.ts';
import { ingest } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import { followed, startStudy, studyRequest } from './host/study-steps.ts';

// Accepted captions as files, and studies as files for other programs.

const exportOf = (runtimeId: string, name: string): string => pathOf(runtimeId, `exports/${name}`);

/** The cues of a file that a strict parser has nothing to object to. */
function cuesOf(t: ExecutionContext, { status, headers, body }: WireAnswer) {
  t.is(status, 200, body.toString('utf8'));
  t.is(headers['content-type'], 'text/vtt; charset=utf-8');
  t.is(headers['content-length'], String(body.length));
  t.is(headers['cache-control'], 'no-store');
  t.is(headers['x-content-type-options'], 'nosniff');
  const { cues, errors } = new webVtt.WebVTTParser().parse(body.toString('utf8'), 'subtitles');
  t.deepEqual(errors, []);
  return cues.map(({ id, startTime, endTime, text }) => ({
    id,
    startMs: Math.round(startTime * 1000),
    endMs: Math.round(endTime * 1000),
    text,
  }));
}

for (const [side, language] of [
  ['source', 'kor'],
  ['target', 'eng'],
] as const) {
  test(`accepted captions are a file of their ${side} side, with the words of the sample`, async (t) => {
    const { host, study } = await openCaptioned(t);
    const { runtimeId, caption } = study;
    const { subtitleTracks } = await readSampleGold();
    const [result] = (await resultsOf(t, host, runtimeId)).results;
    const ids = result?.artifact.lines.map(({ id }) => id);
    const track = subtitleTracks.find(({ taggedLanguage }) => taggedLanguage === language);
    const spoken = track?.cues.filter(({ endMs }) => endMs <= captionedRange.endMs) ?? [];
    t.is(spoken.length, 3);
    t.deepEqual(
      cuesOf(t, await host.get(`${fileOf(runtimeId, caption.jobId)}?side=${side}`)),
      spoken.map(({ startMs, endMs, text }, index) => ({ id: ids?.[index] ?? '', startMs, endMs, text })),
    );
  });
}

test('a file is of the target side unless asked otherwise, and names its receipts', async (t) => {
  const { host, study } = await openCaptioned(t);
  const file = fileOf(study.runtimeId, study.caption.jobId);
  const target = await host.get(`${file}?side=target`);
  t.deepEqual((await host.get(file)).body, target.body);
  const text = target.body.toString('utf8');
  const [check] = await checksOf(t, host, study.runtimeId);
  t.true(text.startsWith('WEBVTT\n\nNOTE\ntarget language en\n'));
  for (const id of [study.caption.jobId, study.caption.receiptId, check?.receiptId ?? '-']) {
    t.true(text.includes(` ${id}\n`), id);
  }
  const head = await host.ask('HEAD', file);
  t.is(head.status, 200);
  t.is(head.body.length, 0);
  t.is(head.headers['content-type'], 'text/vtt; charset=utf-8');
  t.is(head.headers['content-length'], String(target.body.length));
});

test('a file is refused by method, query, runtime and production', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId, caption } = study;
  const file = fileOf(runtimeId, caption.jobId);
  host.refused(t, await host.ask('POST', file, { json: {} }), 'method_not_allowed', ['allow']);
  host.refused(t, await host.get(file, { token: null }), 'unauthorized', ['www-authenticate']);
  for (const query of ['side=both', 'side=', 'side=Target', 'language=en']) {
    host.refused(t, await host.get(`${file}?${query}`), 'unknown_query');
  }
  host.refused(t, await host.get(`${file}?side=source&side=target`), 'duplicate_query');
  host.refused(t, await host.get(fileOf('runtime:x', caption.jobId)), 'unknown_runtime');
  const others = [`caption-production:${'0'.repeat(64)}`, 'x', `${caption.jobId}%00`, caption.captionArtifactId];
  for (const jobId of others) host.refused(t, await host.get(fileOf(runtimeId, jobId)), 'not_found');
  host.refused(t, await host.get(pathOf(runtimeId, `caption-productions/${caption.jobId}`)), 'not_found');
  host.refused(t, await host.get(`${file}/`), 'not_found');
});

test('captions without an accepting check give no file', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId, caption } = await captioned(t, host, { targetLanguage: 'fr' });
  for (const side of ['source', 'target']) {
    const answer = await host.get(`${fileOf(runtimeId, caption.jobId)}?side=${side}`);
    host.refused(t, answer, 'illegal_caption_qc_transition');
  }
  host.refused(t, await host.get(fileOf(runtimeId, study.caption.jobId)), 'not_found');
});

test('a study without captions has no file', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const { runtimeId } = approvedLife(host);
  host.refused(t, await host.get(fileOf(runtimeId, host.known.captionJobId)), 'not_found');
  const why = host.refused(t, await host.get(exportOf(runtimeId, 'captions.srt')), 'not_found');
  t.is(why, 'this study has no captions yet: POST …/caption-productions makes them');
  t.deepEqual(await checksOf(t, host, runtimeId), []);
});

test('a withdrawn approval takes the file back, and leaves the checked record', async (t) => {
  const { host, study } = await openCaptioned(t);
  const [before] = await checksOf(t, host, study.runtimeId);
  await revoke(t, host, study);
  const file = await host.get(fileOf(study.runtimeId, study.caption.jobId));
  host.refused(t, file, 'caption_authority_required');
  const [check] = await checksOf(t, host, study.runtimeId);
  t.is(check?.candidate.authorityState, 'revoked_after_completion');
  t.is(check?.receiptContentId, before?.receiptContentId);
});

test('a captioned study gives every file, each with its digest and its sources', async (t) => {
  const { host, study } = await openCaptioned(t);
  for (const name of exportNames) {
    const answer = await host.get(exportOf(study.runtimeId, name));
    // This host has no recognizer and no reader of the screen.
    if (/^(transcript|screen-text)\./.test(name)) {
      host.refused(t, answer, 'export_unavailable');
      continue;
    }
    const { status, headers, body } = answer;
    t.is(status, 200, `${name}: ${body}`);
    t.is(headers.etag, `"${contentIdOfBytes(body)}"`);
    t.regex(String(headers['studio-export-of']), /^sha256:[a-f0-9]{64}(, sha256:[a-f0-9]{64})*$/);
    t.deepEqual((await host.get(exportOf(study.runtimeId, name))).body, body);
  }
  const captions = exportOf(study.runtimeId, 'captions.srt');
  const side = async (asked: string) => (await host.get(`${captions}?side=${asked}`)).body;
  t.notDeepEqual(await side('source'), await side('target'));
});

test('a client that has a file gets nothing but the word that it is the same', async (t) => {
  const { host, study } = await openCaptioned(t);
  for (const path of [exportOf(study.runtimeId, 'facts.csv'), '/v1/openapi.json']) {
    const { headers } = await host.get(path);
    const tag = String(headers.etag);
    for (const condition of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const same = await host.get(path, { headers: { 'If-None-Match': condition } });
      t.deepEqual([same.status, same.headers.etag, same.body.length], [304, tag, 0], `${path} ${condition}`);
      t.is(same.headers['content-length'], undefined);
    }
    const head = await host.ask('HEAD', path, { headers: { 'If-None-Match': tag } });
    t.is(head.status, 304);
    for (const condition of ['"other"', tag.slice(1, -1), '']) {
      t.is((await host.get(path, { headers: { 'If-None-Match': condition } })).status, 200, condition);
    }
  }
  const unknown = await host.get(exportOf('runtime:x', 'facts.csv'), { headers: { 'If-None-Match': '*' } });
  host.refused(t, unknown, 'unknown_runtime');
});

test('a whole study is one archive, signed by the key of the host', async (t) => {
  const { host, study } = await openCaptioned(t);
  const bundle = exportOf(study.runtimeId, 'bundle');
  const keyFile = join(host.dataRoot, 'private-signing-key.pem');
  await writeFile(keyFile, 'no key', { mode: 0o600 });
  host.refused(t, await host.get('/v1/signing-keys'), 'signing_key_unusable');
  host.refused(t, await host.get(bundle), 'signing_key_unusable');
  await rm(keyFile);
  const { keys } = host.granted(t, await host.get('/v1/signing-keys'), 200, signingKeys);
  const trusted = createPublicKey(keys[0]?.publicKey ?? '');
  const { status, headers, body } = await host.get(bundle);
  t.deepEqual([status, headers['content-type']], [200, 'application/x-tar']);
  t.like(await verdictOf(body, trusted), { found: 'intact', signature: 'trusted' });
  t.true((await host.get(bundle)).body.equals(body));
  const tag = String(headers.etag);
  t.is((await host.get(bundle, { headers: { 'If-None-Match': tag } })).status, 304);
  t.is((await host.ask('HEAD', bundle)).headers['content-length'], String(body.length));
  const whole = await host.get(`${bundle}?media=include`);
  t.true(whole.body.length > body.length);
  t.not(whole.headers.etag, tag);
  t.like(await verdictOf(whole.body, trusted), { found: 'intact', signature: 'trusted' });
  host.refused(t, await host.get(`${bundle}?media=maybe`), 'unknown_query');
  host.refused(t, await host.get(exportOf('runtime:x', 'bundle')), 'unknown_runtime');
});

test('an export is refused by name, query and runtime', async (t) => {
  const { host, study } = await openCaptioned(t);
  host.refused(t, await host.get(exportOf(study.runtimeId, 'cuts.mov')), 'not_found');
  host.refused(t, await host.get(exportOf('runtime:x', 'cuts.edl')), 'unknown_runtime');
  for (const query of ['side=up', 'rate=23.98', 'rate=', 'fps=25']) {
    host.refused(t, await host.get(`${exportOf(study.runtimeId, 'cuts.edl')}?${query}`), 'unknown_query');
  }
  for (const stray of ['cuts.otio?side=target', 'captions.srt?rate=25', 'chapters.vtt?kind=all']) {
    host.refused(t, await host.get(exportOf(study.runtimeId, stray)), 'unknown_query');
  }
});

test('a study has no file of a part that it lacks', async (t) => {
  const host = await TestHost.open(t, { mediaTools: true });
  const { source } = await ingest(t, host, humWav(160, 2000));
  if (source === null) throw new Error('not registered');
  const { runtimeId } = await startStudy(t, host, studyRequest(source));
  await followed(t, host, runtimeId);
  host.refused(t, await host.get(exportOf(runtimeId, 'cuts.edl')), 'export_unavailable');
  const why = host.refused(t, await host.get(exportOf(runtimeId, 'captions.srt')), 'not_found');
  t.is(
    why,
    'this study has no captions, as it is not approved: POST …/publish-review-decisions approves it, then POST …/caption-productions makes them',
    'bug: the refusal of captions that are not approved did not name the approval',
  );
  t.is((await host.get(exportOf(runtimeId, 'labels.txt'))).status, 200);
});

test('a withdrawn approval takes the caption files back, and no other', async (t) => {
  const { host, study } = await openCaptioned(t);
  await revoke(t, host, study);
  const captions = await host.get(exportOf(study.runtimeId, 'captions.ass'));
  host.refused(t, captions, 'caption_authority_required');
  t.is((await host.get(exportOf(study.runtimeId, 'cuts.otio'))).status, 200);
});

async function openExports(t: ExecutionContext) {
  const host = await TestHost.open(t, { life: 'captioned' });
  const path = `/v1/runtimes/${host.known.studies.twelveSeconds}/exports`;
  const file = async (name: string, query: string): Promise<string> => {
    const answer = await host.get(`${path}/${name}${query}`);
    t.is(answer.status, 200, answer.body.toString());
    return answer.body.toString('utf8');
  };
  return { host, path, file };
}

test('captions in both languages have the translation above the original', async (t) => {
  const { file } = await openExports(t);
  const [both, source, target] = await Promise.all(
    ['both', 'source', 'target'].map((side) => file('captions.srt', `?side=${side}`)),
  );
  const first = (text = '') => text.split('\n\n')[0]?.split('\n') ?? [];
  t.deepEqual(first(both), [...first(target), ...first(source).slice(2)]);
  t.regex(await file('captions.vtt', '?side=both'), /\nboth language en and ko\n/);
  const ass = await file('captions.ass', '?side=both');
  t.regex(ass, /^Style: Source,.*,8,40,40,40,1$/m);
  t.is([...ass.matchAll(/^Dialogue: 0,[^,]+,[^,]+,Source,/gm)].length, [...ass.matchAll(/,Default,,/gm)].length);
});

test('captions are broken by the rules that the client names, and else as before', async (t) => {
  const { file } = await openExports(t);
  for (const name of ['captions.srt', 'captions.vtt', 'captions.ass']) {
    t.is(await file(name, '?lines=author'), await file(name, ''), name);
    const broken = await file(name, '?lines=netflix.v1&side=source');
    const longest = Math.max(
      ...broken
        .split('\n')
        .filter((line) => /\p{sc=Hangul}/u.test(line) && !line.startsWith('Dialogue'))
        .map((line) => line.length),
      0,
    );
    t.true(longest <= 32, `${name}: ${longest}`);
  }
});

test('another side and other rules than the known ones are refused', async (t) => {
  const { host, path } = await openExports(t);
  t.is(
    host.refused(t, await host.get(`${path}/captions.srt?side=up`), 'unknown_query'),
    'side is source, target or both',
  );
  const refused = await host.get(`${path}/captions.srt?lines=netflix.v0`);
  t.is(host.refused(t, refused, 'unknown_query'), 'lines is one of author, netflix.v1, netflix.v2');
});

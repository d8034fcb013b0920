import test, { type ExecutionContext } from 'ava';
import webVtt from 'webvtt-parser';
import { captionProductionResults } from '../../../contract/captions/caption-answers.ts';
import { readSampleGold } from '../../../fixtures/sample/gold.ts';
import type { HostContract } from '../host/contract.ts';
import type { WireAnswer } from '../../host/wire-question.ts';
import { approved, type Captioned, captioned, captionedRange, checksOf, fileOf, pathOf, revoke } from './steps.ts';

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

/** Accepted captions as files. */
export function captionFiles(contract: HostContract): void {
  let accepted: Captioned;
  let file: string;

  test.serial(contract.title('accepted captions are a file for each side, with the words of the sample'), async (t) => {
    accepted = await captioned(t, contract, { clientRequestId: 'file' });
    const { runtimeId, caption } = accepted;
    file = fileOf(runtimeId, caption.jobId);
    const { subtitleTracks } = await readSampleGold();
    const answer = await contract.get(pathOf(runtimeId, 'caption-production-results'));
    const [result] = contract.granted(t, answer, 200, captionProductionResults).results;
    const ids = result?.artifact.lines.map(({ id }) => id);
    for (const [side, language] of [
      ['source', 'kor'],
      ['target', 'eng'],
    ] as const) {
      const track = subtitleTracks.find(({ taggedLanguage }) => taggedLanguage === language);
      const spoken = track?.cues.filter(({ endMs }) => endMs <= captionedRange.endMs) ?? [];
      t.is(spoken.length, 3);
      t.deepEqual(
        cuesOf(t, await contract.get(`${file}?side=${side}`)),
        spoken.map(({ startMs, endMs, text }, index) => ({ id: ids?.[index] ?? '', startMs, endMs, text })),
      );
    }
  });

  test.serial(
    contract.title('a file is of the target side unless asked otherwise, and names its receipts'),
    async (t) => {
      const target = await contract.get(`${file}?side=target`);
      t.deepEqual((await contract.get(file)).body, target.body);
      const text = target.body.toString('utf8');
      const [check] = await checksOf(t, contract, accepted.runtimeId);
      t.true(text.startsWith('WEBVTT\n\nNOTE\ntarget language en\n'));
      for (const id of [accepted.caption.jobId, accepted.caption.receiptId, check?.receiptId ?? '-']) {
        t.true(text.includes(` ${id}\n`), id);
      }
      const head = await contract.ask('HEAD', file);
      t.is(head.status, 200);
      t.is(head.body.length, 0);
      t.is(head.headers['content-type'], 'text/vtt; charset=utf-8');
      t.is(head.headers['content-length'], String(target.body.length));
    },
  );

  test.serial(contract.title('a file is refused by method, query, runtime and production'), async (t) => {
    const { runtimeId, caption } = accepted;
    contract.refused(t, await contract.ask('POST', file, { json: {} }), 'method_not_allowed', ['allow']);
    contract.refused(t, await contract.get(file, { token: null }), 'unauthorized', ['www-authenticate']);
    for (const query of ['side=both', 'side=', 'side=Target', 'language=en']) {
      contract.refused(t, await contract.get(`${file}?${query}`), 'unknown_query');
    }
    contract.refused(t, await contract.get(`${file}?side=source&side=target`), 'duplicate_query');
    contract.refused(t, await contract.get(fileOf('runtime:x', caption.jobId)), 'unknown_runtime');
    const others = [`caption-production:${'0'.repeat(64)}`, 'x', `${caption.jobId}%00`, caption.captionArtifactId];
    for (const jobId of others) contract.refused(t, await contract.get(fileOf(runtimeId, jobId)), 'not_found');
    contract.refused(t, await contract.get(pathOf(runtimeId, `caption-productions/${caption.jobId}`)), 'not_found');
    contract.refused(t, await contract.get(`${file}/`), 'not_found');
  });

  test.serial(contract.title('captions that no check has accepted are no file'), async (t) => {
    const { runtimeId, caption } = await captioned(t, contract, { clientRequestId: 'no-file', targetLanguage: 'fr' });
    for (const side of ['source', 'target']) {
      const answer = await contract.get(`${fileOf(runtimeId, caption.jobId)}?side=${side}`);
      contract.refused(t, answer, 'illegal_caption_qc_transition');
    }
    const elsewhere = fileOf(runtimeId, accepted.caption.jobId);
    contract.refused(t, await contract.get(elsewhere), 'not_found');
  });

  test.serial(contract.title('a study without captions has no file'), async (t) => {
    const { runtimeId } = await approved(t, contract, { clientRequestId: 'uncaptioned' });
    contract.refused(t, await contract.get(fileOf(runtimeId, accepted.caption.jobId)), 'not_found');
    t.deepEqual(await checksOf(t, contract, runtimeId), []);
  });

  test.serial(contract.title('a withdrawn approval takes the file back, and leaves what was checked'), async (t) => {
    const checks = await checksOf(t, contract, accepted.runtimeId);
    await revoke(t, contract, accepted);
    contract.refused(t, await contract.get(file), 'caption_authority_required');
    const [check] = await checksOf(t, contract, accepted.runtimeId);
    t.is(check?.candidate.authorityState, 'revoked_after_completion');
    t.is(check?.receiptContentId, checks[0]?.receiptContentId);
  });
}

import { readFile, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import {
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../contract/captions/caption-answers.ts';
import { captionQualityReports } from '../../contract/captions/quality-control.ts';
import type { JournalEvent } from '../../contract/journal.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import { readSampleGold } from '../../fixtures/sample/gold.ts';
import { hashOf } from '../../formats/canonical-json.ts';
import { TestHost } from '../host/test-host.ts';
import { hash, storedId } from '../receipts/core/independent-ids.ts';
import {
  approve,
  approved,
  approvedLife,
  candidateOf,
  captioned,
  captionedRange,
  captionFlags,
  captionsOf,
  checksOf,
  fileOf,
  openCaptioned,
  openCaptioning,
  pathOf,
  produce,
  resultsOf,
  reviewed,
  revoke,
} from './captions/steps.ts';
import { ingest } from './host/ingest-steps.ts';
import { humWav } from './host/media.ts';
import { eventsPage, followed, runtimeOf, sampleRow, startStudy, studyRequest } from './host/study-steps.ts';

const list = 'caption-productions';
const zeros = '0'.repeat(64);
const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';

/** A well-formed approval id that does not exist. */
const noApproval = {
  reviewId: `publish-review:${zeros}`,
  artifactId: `artifact:${zeros}`,
  receiptId: `publish-review-decision-receipt:${zeros}`,
  receiptContentId: `sha256:${zeros}`,
};

test('a request for captions is refused by shape before its runtime is looked for', async (t) => {
  const host = await TestHost.open(t);
  const { receiptContentId, ...partial } = noApproval;
  const malformed = [
    {},
    [],
    { approval: null },
    { approval: partial },
    { approval: { ...noApproval, more: true } },
    { approval: { ...noApproval, reviewId: 'publish-review:x' } },
    { approval: { ...noApproval, receiptContentId: zeros } },
    { approval: noApproval, executor: 'embedded-subtitles' },
  ];
  for (const body of malformed) {
    host.refused(t, await host.post(pathOf(nowhere, list), body), 'invalid_caption_request');
  }
  host.refused(t, await host.post(pathOf(nowhere, list), { approval: noApproval }), 'unknown_runtime');
  host.refused(t, await host.get(pathOf(nowhere, list)), 'unknown_runtime');
  host.refused(t, await host.get(pathOf(nowhere, 'caption-production-results')), 'unknown_runtime');
});

test('a source language that was not declared comes before everything else', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  for (const mode of ['automatic', 'unknown'] as const) {
    const requestedSourceLanguage = { mode, languages: [], reason: null };
    const request = studyRequest(await sampleRow(t, host), { requestedSourceLanguage, clientRequestId: mode });
    const { runtimeId } = await startStudy(t, host, request);
    await followed(t, host, runtimeId);
    const answer = await host.post(pathOf(runtimeId, list), { approval: noApproval });
    t.regex(host.refused(t, answer, 'illegal_caption_transition'), /one declared source language/);
  }
  const requestedSourceLanguage = { mode: 'mixed', languages: ['ko', 'en'], reason: null };
  const mixed = await approved(t, host, { requestedSourceLanguage, clientRequestId: 'mixed' });
  host.refused(t, await produce(host, mixed), 'illegal_caption_transition');
});

for (const [endMs, code] of [
  [120_001, 'illegal_caption_transition'],
  [120_000, 'caption_authority_required'],
] as const) {
  test(`captions of a range of ${endMs} ms are refused: ${code}`, async (t) => {
    const flags = ['--maximum-study-range-ms', '130000'];
    const host = await TestHost.open(t, { flags, mediaTools: true });
    const { source } = await ingest(t, host, humWav(7, 120_500));
    if (source === null) throw new Error('not registered');
    // The length of the range decides, from the start of the study: to decode two minutes would take seconds.
    host.launcher.hold();
    const { runtimeId } = await startStudy(t, host, studyRequest(source, { range: { startMs: 0, endMs } }));
    const answer = await host.post(pathOf(runtimeId, list), { approval: noApproval });
    t.is(/at most 120000 ms/.test(host.refused(t, answer, code)), endMs > 120_000);
  });
}

test('a study under way, unreviewed or rejected has no approval', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const request = studyRequest(await sampleRow(t, host), { clientRequestId: 'rejected' });
  host.launcher.hold();
  const { runtimeId } = await startStudy(t, host, request);
  const path = pathOf(runtimeId, list);
  host.refused(t, await host.post(path, { approval: noApproval }), 'caption_authority_required');
  host.launcher.release();
  await followed(t, host, runtimeId);
  host.refused(t, await host.post(path, { approval: noApproval }), 'caption_authority_required');
  const rejection = { outcome: 'reject_with_reasons', reasonCodes: ['other_review_concern'] };
  const rejected = await reviewed(t, host, runtimeId, rejection);
  host.refused(t, await produce(host, rejected), 'caption_authority_required');
});

test('a valid approval gets no captions of a recording, in any pair of languages', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const study = approvedLife(host);
  const others = await approved(t, host, {
    requestedSourceLanguage: { mode: 'declared', languages: ['en'], reason: null },
    targetLanguage: 'fr',
  });
  const head = (await runtimeOf(t, host, study.runtimeId)).journalHead;
  for (const { runtimeId, approval } of [study, others]) {
    for (let asked = 0; asked < 2; asked += 1) {
      host.refused(t, await produce(host, { runtimeId, approval }), 'caption_current_run_causality_required');
    }
    const foreign = { ...approval, receiptContentId: noApproval.receiptContentId };
    host.refused(t, await produce(host, { runtimeId, approval: foreign }), 'caption_authority_required');
  }
  const crossed = await produce(host, { ...study, approval: others.approval });
  host.refused(t, crossed, 'caption_authority_required');
  t.is((await runtimeOf(t, host, study.runtimeId)).journalHead, head);
});

test('without captions every list of them is empty', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const { runtimeId } = approvedLife(host);
  const { journalHead, commandId } = await runtimeOf(t, host, runtimeId);
  const shared = { commandId, runtimeId, journalHead };
  const productions = await host.get(pathOf(runtimeId, list));
  t.like(host.granted(t, productions, 200, captionProductions), { ...shared, captions: [] });
  const results = await host.get(pathOf(runtimeId, 'caption-production-results'));
  t.like(host.granted(t, results, 200, captionProductionResults), { ...shared, results: [] });
  const checks = await host.get(pathOf(runtimeId, 'caption-quality-controls'));
  t.like(host.granted(t, checks, 200, captionQualityControls), { ...shared, qualityControls: [] });
  const candidate = {
    jobId: `caption-production:${zeros}`,
    captionArtifactId: `artifact:${zeros}`,
    captionContentId: `sha256:${zeros}`,
    captionReceiptId: `caption-production-receipt:${zeros}`,
    captionReceiptContentId: `sha256:${zeros}`,
  } satisfies ReturnType<typeof candidateOf>;
  const checked = await host.post(pathOf(runtimeId, 'caption-quality-controls'), { candidate });
  host.refused(t, checked, 'illegal_caption_qc_transition');
});

test('a withdrawn approval is no longer valid', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const withdrawn = approvedLife(host);
  await revoke(t, host, withdrawn);
  host.refused(t, await produce(host, withdrawn), 'caption_authority_required');
});

const declared = (language: string) => ({ mode: 'declared', languages: [language], reason: null });

async function everything(t: ExecutionContext, host: TestHost, runtimeId: string) {
  const checks = await host.get(pathOf(runtimeId, 'caption-quality-controls'));
  return {
    captions: host.granted(t, await host.get(pathOf(runtimeId, list)), 200, captionProductions),
    results: await resultsOf(t, host, runtimeId),
    checks: host.granted(t, checks, 200, captionQualityControls),
    events: (await eventsPage(t, host, runtimeId, '?limit=200')).events,
  };
}

test('the test seam makes numbered lines, which are accepted', async (t) => {
  const host = await TestHost.open(t, { life: 'approved', flags: captionFlags.seam, mediaTools: true });
  const { caption, runtimeId } = await captionsOf(t, host, approvedLife(host));
  t.like(caption.executor, {
    id: 'studio.deterministic-current-run-caption-test-seam',
    classification: 'deterministic_current_run_test_seam',
    executionScope: 'current_run',
  });
  const { results, checks } = await everything(t, host, runtimeId);
  const lines = results.results[0]?.artifact.lines ?? [];
  t.is(lines.length, 6);
  t.is(lines[5]?.id, 'deterministic-current-run-line-006');
  t.is(lines[0]?.target.text, 'Deterministic target line 1');
  t.is(checks.qualityControls[0]?.outcome, 'accepted');
  const short = await captioned(t, host, { range: { startMs: 0, endMs: 400 } });
  t.is(short.caption.result.lineCount, 1);
});

test('the two subtitle tracks of the sample become captions that are accepted', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  const head = (await runtimeOf(t, host, study.runtimeId)).journalHead;
  const { caption } = await captionsOf(t, host, study);
  t.like(caption, { approval: study.approval, authorityState: 'unrevoked', result: { status: 'completed' } });
  t.deepEqual(caption.source.range, captionedRange);
  const { results, checks, events, captions } = await everything(t, host, study.runtimeId);
  t.is(captions.journalHead, head + 6);
  t.deepEqual(
    events.slice(head).map(({ type, producer }) => `${producer.kind} ${type}`),
    [
      'caption_production_host caption.production_started',
      'artifact_store artifact.recorded',
      'artifact_store artifact.recorded',
      'caption_production_host caption.production_completed',
      'artifact_store artifact.recorded',
      'caption_quality_control_host caption.quality_control_decided',
    ],
  );
  const { subtitleTracks } = await readSampleGold();
  const spoken = subtitleTracks.map((track) => track.cues.filter(({ endMs }) => endMs <= captionedRange.endMs));
  t.deepEqual(
    results.results[0]?.artifact.lines.map(({ startMs, endMs, source, target }) => [
      ...[startMs, endMs, source.text, target.text],
    ]),
    spoken[0]?.map(({ startMs, endMs, text }, index) => [startMs, endMs, text, spoken[1]?.[index]?.text ?? null]),
  );
  t.is(checks.qualityControls[0]?.outcome, 'accepted');
  t.deepEqual(results.results[0]?.verification, captions.captions[0]);
});

for (const executor of ['seam', 'embedded'] as const) {
  test(`captions have the names that anybody can compute: ${executor}`, async (t) => {
    const host = await TestHost.open(t, { life: 'approved', flags: captionFlags[executor] });
    const { runtimeId, approval, caption } = await captionsOf(t, host, approvedLife(host));
    const { results, events } = await everything(t, host, runtimeId);
    const { study, readiness } = caption;
    t.is(caption.jobId, `caption-production:${hash({ runId: runtimeId, approval, readiness, study })}`);
    t.is(storedId(results.results[0]?.artifact), caption.captionContentId);
    const completed = events.find(({ type }) => type === 'caption.production_completed');
    if (completed?.type !== 'caption.production_completed') throw new Error('it is not in the journal');
    const { schema, receiptId, ...body } = completed.data.receipt;
    t.is(caption.receiptId, `caption-production-receipt:${hash(body)}`);
    t.is(caption.receiptContentId, storedId({ schema, receiptId, ...body }));
    const artifactOf = (kind: string, contentId: string) =>
      `artifact:${hash({ runId: runtimeId, jobId: caption.jobId, kind, contentId })}`;
    t.is(caption.captionArtifactId, artifactOf('caption-production-output', caption.captionContentId));
    t.is(caption.receiptArtifactId, artifactOf('caption-production-receipt', caption.receiptContentId));
  });
}

test('an approval gives captions once, for any number of requests and clients', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  const answers = await Promise.all(Array.from({ length: 5 }, () => produce(host, study)));
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  for (const answer of answers) {
    if (answer.status === 409) host.refused(t, answer, 'illegal_caption_transition');
  }
  const before = await everything(t, host, study.runtimeId);
  t.is(before.captions.captions.length, 1);
  t.is(before.events.filter(({ type }) => type === 'caption.production_started').length, 1);
  host.refused(t, await produce(host, study), 'illegal_caption_transition');
  t.deepEqual(await everything(t, host, study.runtimeId), before);
});

for (const [side, others, status] of [
  ['target', { targetLanguage: 'fr' }, 'withheld'],
  ['source', { requestedSourceLanguage: declared('ja') }, 'unavailable'],
] as const) {
  test(`captions without a track for the ${side} language are ${status}, not refused`, async (t) => {
    const host = await openCaptioning(t, 'studied');
    const made = await captioned(t, host, others);
    t.is(made.caption.result.status as string, status);
    const { checks } = await everything(t, host, made.runtimeId);
    t.is(checks.qualityControls[0]?.outcome, 'withheld');
    const reason = 'candidate_has_unavailable_or_withheld_lines';
    t.deepEqual(checks.qualityControls[0]?.reasonCodes as string[], [reason]);
  });
}

test('captions without a line are refused, and the approval stays free', async (t) => {
  const host = await openCaptioning(t, 'studied');
  const languages = { requestedSourceLanguage: declared('ja'), targetLanguage: 'fr' };
  const study = await approved(t, host, languages);
  const before = await everything(t, host, study.runtimeId);
  const unmade = await produce(host, study);
  t.regex(host.refused(t, unmade, 'caption_lines_unavailable'), /^no_text_track: .* in ja or fr/);
  t.deepEqual(await everything(t, host, study.runtimeId), before);
  const causes = async () =>
    host.granted(t, await host.get(pathOf(study.runtimeId, 'overview')), 200, runtimeOverview).captions.causes;
  t.deepEqual(await causes(), [{ code: 'no_text_track', params: { languages: ['ja', 'fr'] } }]);
  await host.restart(captionFlags.recognized);
  t.regex(host.refused(t, await produce(host, study), 'caption_lines_unavailable'), /^not_recognised: /);
  t.deepEqual(await causes(), [{ code: 'not_recognised', params: {} }]);
  t.deepEqual(await everything(t, host, study.runtimeId), before);
  await host.restart(captionFlags.seam);
  await captionsOf(t, host, study);
});

test('a language is found under every code that it goes by', async (t) => {
  const host = await openCaptioning(t, 'studied');
  const asked = { requestedSourceLanguage: declared('kor'), targetLanguage: 'en-GB' };
  const { caption, runtimeId } = await captioned(t, host, asked);
  t.is(caption.result.status, 'completed');
  const [line] = (await resultsOf(t, host, runtimeId)).results[0]?.artifact.lines ?? [];
  t.deepEqual([line?.source.language, line?.target.language], ['kor', 'en-GB']);
});

test('lists of captions are read by GET or HEAD, without unknown parameters', async (t) => {
  const { host, study } = await openCaptioned(t);
  for (const name of [list, 'caption-production-results']) {
    const path = pathOf(study.runtimeId, name);
    const [got, head] = [await host.get(path), await host.ask('HEAD', path)];
    t.is(head.status, 200);
    t.is(head.body.length, 0);
    t.is(head.headers['content-length'], got.headers['content-length']);
    host.refused(t, await host.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
    host.refused(t, await host.get(`${path}?after=1`), 'unknown_query');
    host.refused(t, await host.ask('DELETE', path), 'method_not_allowed', ['allow']);
  }
  const results = pathOf(study.runtimeId, 'caption-production-results');
  host.refused(t, await host.post(results, { approval: study.approval }), 'method_not_allowed', ['allow']);
});

test('captions outlive their host, however it ends, and any later maker of captions', async (t) => {
  const { host, study } = await openCaptioned(t);
  await host.restart(captionFlags.seam);
  const seam = await captionsOf(t, host, await approve(t, host, host.known.studies.oneSecond));
  const both = async () => [await everything(t, host, seam.runtimeId), await everything(t, host, study.runtimeId)];
  const before = await both();
  await host.die();
  t.deepEqual(await both(), before);
  for (const flags of [captionFlags.embedded, captionFlags.seam, []]) {
    await host.restart(flags);
    t.deepEqual(await both(), before);
  }
  host.refused(t, await produce(host, study), 'caption_current_run_causality_required');
});

test('a withdrawal leaves captions readable and says that it came after them', async (t) => {
  const { host, study } = await openCaptioned(t);
  await revoke(t, host, study);
  const { captions, results } = await everything(t, host, study.runtimeId);
  t.is(captions.captions[0]?.authorityState, 'revoked_after_completion');
  t.deepEqual(captions.captions[0], { ...study.caption, authorityState: 'revoked_after_completion' });
  t.is(storedId(results.results[0]?.artifact), study.caption.captionContentId);
  host.refused(t, await produce(host, study), 'caption_authority_required');
});

// The host's findings about the structure of captions, and the check of captions against guidelines.

const controls = 'caption-quality-controls';
const reportList = 'caption-quality-reports';

test('captions are checked as they are made, and accepted if every line is whole', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const accepted = await captionsOf(t, host, approvedLife(host));
  const { runtimeId, caption } = accepted;
  const [check, ...others] = await checksOf(t, host, runtimeId);
  t.deepEqual(others, []);
  t.is(check?.outcome, 'accepted');
  t.deepEqual(check?.reasonCodes, ['current_run_candidate_structurally_complete']);
  t.is(check?.acceptedLineIds.length, caption.result.lineCount);
  t.true(caption.result.lineCount > 0);
  t.deepEqual(check?.withheldLineIds, []);
  t.deepEqual(check?.candidate, caption);
  t.is(check?.qcId, `caption-quality-control:${hashOf({ runId: runtimeId, candidate: candidateOf(accepted) })}`);
  const { events } = await eventsPage(t, host, runtimeId, '?limit=200');
  t.deepEqual(
    events.slice(-2).map(({ type }: JournalEvent) => type),
    ['artifact.recorded', 'caption.quality_control_decided'],
  );
});

test('captions without a translation are withheld, line by line', async (t) => {
  const host = await openCaptioning(t, 'studied');
  const { runtimeId, caption } = await captioned(t, host, { targetLanguage: 'fr' });
  t.is(caption.result.status, 'withheld');
  const [check] = await checksOf(t, host, runtimeId);
  t.is(check?.outcome, 'withheld');
  t.deepEqual(check?.reasonCodes, ['candidate_has_unavailable_or_withheld_lines']);
  t.deepEqual(check?.acceptedLineIds, []);
  t.is(check?.withheldLineIds.length, caption.result.lineCount);
});

test('a check is made once, of a candidate of its runtime', async (t) => {
  const { host, study } = await openCaptioned(t);
  const elsewhere = await captioned(t, host, { targetLanguage: 'fr' });
  const candidate = candidateOf(study);
  const others = [
    candidate,
    candidateOf(elsewhere),
    { ...candidate, captionContentId: `sha256:${'0'.repeat(64)}` },
    { ...candidate, captionReceiptId: `caption-production-receipt:${'0'.repeat(64)}` },
  ];
  for (const each of others) {
    const answer = await host.post(pathOf(study.runtimeId, controls), { candidate: each });
    host.refused(t, answer, 'illegal_caption_qc_transition');
  }
  t.is((await checksOf(t, host, study.runtimeId)).length, 1);
});

test('a request for a check is refused by shape before its runtime is looked for', async (t) => {
  const { host, study } = await openCaptioned(t);
  const candidate = candidateOf(study);
  const { captionReceiptContentId, ...partial } = candidate;
  const malformed = [
    {},
    { candidate: null },
    { candidate: partial },
    { candidate: { ...candidate, more: true } },
    { candidate, more: true },
    { candidate: { ...candidate, jobId: 'caption-production:x' } },
    [{ candidate }],
  ];
  for (const runtimeId of [study.runtimeId, 'runtime:x']) {
    for (const body of malformed) {
      host.refused(t, await host.post(pathOf(runtimeId, controls), body), 'invalid_caption_qc_request');
    }
  }
  host.refused(t, await host.post(pathOf('runtime:x', controls), { candidate }), 'unknown_runtime');
  host.refused(t, await host.get(pathOf('runtime:x', controls)), 'unknown_runtime');
  host.refused(t, await host.get(`${pathOf(study.runtimeId, controls)}?side=source`), 'unknown_query');
});

test('checks outlive the host that made them', async (t) => {
  const { host, study } = await openCaptioned(t);
  const before = await checksOf(t, host, study.runtimeId);
  await host.die();
  t.deepEqual(await checksOf(t, host, study.runtimeId), before);
});

test('captions, receipt or check that changed fail every read of captions', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId, caption } = study;
  const [check] = await checksOf(t, host, runtimeId);
  const lists = ['caption-productions', 'caption-production-results', controls, reportList];
  const reads = [...lists.map((name) => pathOf(runtimeId, name)), fileOf(runtimeId, caption.jobId)];
  for (const contentId of [caption.captionContentId, caption.receiptContentId, check?.receiptContentId ?? '']) {
    const path = host.objectFile(contentId);
    const bytes = await readFile(path);
    await writeFile(path, bytes.toString('utf8').replace('"current_run"', '"current_ran"'));
    for (const read of reads) {
      const message = host.refused(t, await host.get(read), 'stored_content_inconsistent');
      t.regex(message, new RegExp(`${contentId} fails at: content$`));
    }
    await writeFile(path, bytes);
  }
  for (const read of reads) t.is((await host.get(read)).status, 200);
});

test('captions are measured on both sides against every guideline', async (t) => {
  const { host, study } = await openCaptioned(t);
  const answer = await host.get(pathOf(study.runtimeId, reportList));
  const { reports } = host.granted(t, answer, 200, captionQualityReports);
  t.deepEqual(
    reports.map(({ side, language, profile }) => [side, language, profile.id]),
    [
      ['source', 'ko', 'netflix'],
      ['source', 'ko', 'ted'],
      ['target', 'en', 'netflix'],
      ['target', 'en', 'ted'],
    ],
  );
  const { cutsMs, utterances } = await readSampleGold();
  const cuts = cutsMs.filter((atMs) => atMs < captionedRange.endMs);
  for (const { captionContentId, jobId, shotChanges, cues } of reports) {
    t.is(captionContentId, study.caption.captionContentId);
    t.is(jobId, study.caption.jobId);
    t.is(shotChanges.count, cuts.length);
    t.deepEqual(
      cues.map(({ startMs, endMs }) => [startMs, endMs]),
      utterances.slice(0, cues.length).map(({ startMs, endMs }) => [startMs, endMs]),
    );
  }
  const [first] = reports[2]?.cues ?? [];
  const said = [...(utterances[0]?.text ?? '')].length;
  t.is(first?.characters, said);
  t.is(first?.readingSpeedMilliCps, Math.ceil((said * 1_000_000) / (first?.durationMs ?? 0)));
});

test('a report is the same at every read', async (t) => {
  const { host, study } = await openCaptioned(t);
  const path = pathOf(study.runtimeId, reportList);
  const [one, other] = [await host.get(path), await host.get(path)];
  t.deepEqual(one.body, other.body);
});

test('a report leaves out a study without captions', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const answer = await host.get(pathOf(approvedLife(host).runtimeId, reportList));
  t.deepEqual(host.granted(t, answer, 200, captionQualityReports).reports, []);
});

test('a report is read by GET, of an existing runtime', async (t) => {
  const { host, study } = await openCaptioned(t);
  const path = pathOf(study.runtimeId, reportList);
  host.refused(t, await host.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
  host.refused(t, await host.get(`${path}?side=source`), 'unknown_query');
  host.refused(t, await host.get(pathOf('runtime:x', reportList)), 'unknown_runtime');
});

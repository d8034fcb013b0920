import { readFile, writeFile } from 'node:fs/promises';
import test from 'ava';
import { captionQualityReports } from '../../../contract/captions/quality-control.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import { readSampleGold } from '../../../fixtures/sample/gold.ts';
import { hashOf } from '../../../formats/canonical-json.ts';
import { TestHost } from '../../host/test-host.ts';
import { eventsPage } from '../host/study-steps.ts';
import {
  approvedLife,
  candidateOf,
  captioned,
  captionedRange,
  captionsOf,
  checksOf,
  fileOf,
  openCaptioned,
  openCaptioning,
  pathOf,
} from './steps.ts';

// What the host says of the structure of captions, and captions held against guidelines.

const controls = 'caption-quality-controls';
const reportList = 'caption-quality-reports';

test('captions are checked as they are made, and accepted where every line is whole', async (t) => {
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

test('a report says nothing of a study without captions', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const answer = await host.get(pathOf(approvedLife(host).runtimeId, reportList));
  t.deepEqual(host.granted(t, answer, 200, captionQualityReports).reports, []);
});

test('a report is asked for by GET, of a runtime that is', async (t) => {
  const { host, study } = await openCaptioned(t);
  const path = pathOf(study.runtimeId, reportList);
  host.refused(t, await host.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
  host.refused(t, await host.get(`${path}?side=source`), 'unknown_query');
  host.refused(t, await host.get(pathOf('runtime:x', reportList)), 'unknown_runtime');
});

import test from 'ava';
import { startCodes } from '../../cli/options/start-codes.ts';
import { errorCodes, reservedErrorCodes } from '../../contract/base/error-codes.ts';
import { captionCauses } from '../../contract/captions/caption-production.ts';
import { unavailableReason } from '../../contract/evidence/evidence.ts';
import { explanationCauses } from '../../contract/explanations/language-explanation-failure.ts';
import { runtimeReasonCode } from '../../contract/study/runtime-status.ts';
import { linesAbsences } from '../../receipts/captions/lines-absence.ts';
import { codesOf, sectionOf, tablesOf, textOf, unionOf, wordsOf } from './markdown.ts';

const page = await textOf('docs/errors.md');
const tablesUnder = (heading: string) => tablesOf(sectionOf(page, heading));
const sorted = (words: Iterable<string>) => [...words].sort();

/** First column to second, both as they stand in the first tables of a section. */
const pairsOf = (tables: readonly string[][][]) =>
  tables.flat().map(([code = '', number = '']) => [codesOf(code)[0] ?? '', Number(number)] as const);

test('every answer code is documented once with its status, and no other is', (t) => {
  const documented = pairsOf(tablesUnder('## Answers'));
  t.deepEqual(Object.fromEntries(documented), { ...errorCodes });
  t.is(documented.length, Object.keys(errorCodes).length);
});

test('the codes that are never sent stand in a section of their own', (t) => {
  t.deepEqual(wordsOf(tablesUnder('### Never sent')[0]), [...reservedErrorCodes]);
});

test('every start code is documented once with its exit code, and no other is', (t) => {
  const [own] = tablesUnder('## Starts that are refused');
  const documented = pairsOf(own === undefined ? [] : [own]);
  t.deepEqual(Object.fromEntries(documented), { ...startCodes });
  t.is(documented.length, Object.keys(startCodes).length);
});

test('the start codes of stores and tools exist', async (t) => {
  const existing = new Set([
    ...(await unionOf('storage/ledger/ledger-error.ts', 'LedgerErrorCode')),
    ...(await unionOf('storage/objects/object-store-error.ts', 'ObjectStoreErrorCode')),
    ...(await unionOf('storage/system-refusal.ts', 'SystemRefusalCode')),
    ...(await unionOf('executors/process/process.ts', 'ProcessFailureCause')),
    ...(await unionOf('storage/backup/backup-error.ts', 'BackupErrorCode')),
    'ambiguous_source_session',
    'speech_runtime_missing',
    'recognizer_unavailable',
    'screen_text_unavailable',
  ]);
  const documented = wordsOf(tablesUnder('## Starts that are refused')[1]);
  t.true(documented.length > 0);
  t.deepEqual(
    documented.filter((code) => !existing.has(code)),
    [],
  );
});

test('every word for the cause of captions that failed is documented', (t) => {
  t.deepEqual(sorted(wordsOf(tablesUnder('## Captions that fail')[0])), sorted(captionCauses));
});

test('every reason against captions without a line is documented', (t) => {
  t.deepEqual(sorted(wordsOf(tablesUnder('## Captions without a line')[0])), sorted(linesAbsences));
});

test('every fault of a source folder is documented', async (t) => {
  const documented = wordsOf(tablesUnder('## Starts that are refused')[2]);
  t.deepEqual(sorted(documented), sorted(await unionOf('contract/sources/source-fault.ts', 'SourceFaultCode')));
});

test('every failure of an ingest and every cause of a failed probe is documented', async (t) => {
  const [failures, causes] = tablesUnder('## Ingests that fail');
  const ofOwned = await unionOf('machines/owned-ingest.ts', 'OwnedIngestFailureCode');
  const ofTheirTail = await unionOf('machines/ingest-tail.ts', 'TailFailureCode');
  const ofVideos = await unionOf('machines/videohost-ingest.ts', 'VideohostIngestFailureCode');
  t.deepEqual(sorted(wordsOf(failures)), sorted(new Set([...ofOwned, ...ofVideos, ...ofTheirTail])));
  const ofProcesses = await unionOf('executors/process/process.ts', 'ProcessFailureCause');
  const ofProbes = await unionOf('executors/sources/probe-failure.ts', 'ProbeFailureCause');
  t.deepEqual(sorted(wordsOf(causes)), sorted([...ofProbes, ...ofProcesses]));
});

test('every cause of a failed explanation is documented', (t) => {
  t.deepEqual(wordsOf(tablesUnder('## Explanations that fail')[0]), [...explanationCauses]);
});

test('every cause of a range that could not be resolved or fetched is documented', async (t) => {
  const [, , causes] = tablesUnder('## Ingests that fail');
  const ofHosts = await unionOf('executors/videohost/video-host.ts', 'VideoHostFailureCause');
  const ofProcesses = await unionOf('executors/process/process.ts', 'ProcessFailureCause');
  t.deepEqual(sorted(wordsOf(causes)), sorted([...ofHosts, ...ofProcesses, 'range_past_end', 'storage_fault']));
});

test('every reason of a runtime and every cause of a failed step is documented', async (t) => {
  const [reasons, causes] = tablesUnder('## Studies that end without a result');
  t.deepEqual(sorted(new Set(wordsOf(reasons))), sorted(runtimeReasonCode.options));
  const ofProcesses = await unionOf('executors/process/process.ts', 'ProcessFailureCause');
  const ofDetections = await unionOf('executors/detector/detection-failure.ts', 'DetectionFailureCause');
  t.deepEqual(sorted(wordsOf(causes)), sorted([...ofProcesses, ...ofDetections]));
});

test('the reasons of a runtime that are sent are those of its chart', async (t) => {
  const [reasons = []] = tablesUnder('## Studies that end without a result');
  const sent = reasons.filter((row) => !row.includes('never sent'));

  t.deepEqual(sorted(new Set(wordsOf(sent))), sorted(await unionOf('machines/study-types.ts', 'StudyReasonCode')));
});

test('every reason for missing evidence is documented', (t) => {
  t.deepEqual(wordsOf(tablesUnder('## Evidence that is not there')[0]), unavailableReason.options);
});

test('every refusal of an evaluation is documented', async (t) => {
  const documented = wordsOf(tablesUnder('## Evaluations that are refused')[0]);
  t.deepEqual(
    sorted(documented),
    sorted(await unionOf('contract/evaluation/evaluation-fault.ts', 'EvaluationFaultCode')),
  );
});

test('every word for a refused archive of a bundle is documented', async (t) => {
  const documented = wordsOf(tablesUnder('## Bundles that are refused')[0]);
  t.deepEqual(sorted(documented), sorted(await unionOf('storage/archive/archive-error.ts', 'ArchiveErrorCode')));
});

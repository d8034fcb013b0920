import test from 'ava';
import { contentIdOf, contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { indentedFile } from '../../../receipts/core/indented-file.ts';
import { reopenRuntimeStart, StartRecordError } from '../../../receipts/start/reopen-runtime-start.ts';
import { acceptStudy } from '../../../receipts/start/runtime-start.ts';
import { planStudy } from '../../../receipts/start/study-plan.ts';
import { acceptedAt, clipRequest, koreanClip } from '../sources/korean-clip.ts';

const plan = planStudy(koreanClip, clipRequest);
const accepted = acceptStudy(plan, koreanClip, acceptedAt);
const [file, forecastFile, freezeFile] = accepted.files;
const attempt = acceptStudy(
  planStudy(koreanClip, { ...clipRequest, clientRequestId: 'attempt-2' }),
  koreanClip,
  acceptedAt,
);

const placeOf = (bytes: Uint8Array): string => {
  try {
    reopenRuntimeStart(bytes);
  } catch (error) {
    if (error instanceof StartRecordError && error.code === 'stored_content_inconsistent') return error.place;
    throw error;
  }
  return 'none';
};

test('an accepted study reopens to the record that was stored', (t) => {
  t.deepEqual(reopenRuntimeStart(file.bytes), accepted.record);
  t.deepEqual(reopenRuntimeStart(attempt.files[0].bytes), attempt.record);
});

test('only a start that named a client request id holds one', (t) => {
  t.false('clientRequestId' in accepted.record);
  t.is(attempt.record.clientRequestId, 'attempt-2');
  t.is(attempt.requestContentId === accepted.requestContentId, false);
});

test('the receipt is the hash of an indented file with a final newline', (t) => {
  const text = Buffer.from(file.bytes).toString('utf8');
  t.is(accepted.receiptContentId, contentIdOfBytes(file.bytes));
  t.is(text, `${JSON.stringify(accepted.record, null, 2)}\n`);
  t.true(text.startsWith('{\n  "schema": "studio.runtime-start.v1",\n  "producer": {'));
});

test('the stored forecast and freeze are what their content ids describe', (t) => {
  t.is(forecastFile.contentId, accepted.record.forecast.content.contentId);
  t.is(forecastFile.bytes.length, accepted.record.forecast.content.bytes);
  t.is(freezeFile.contentId, accepted.frozenForecast.content.contentId);
  t.is(freezeFile.bytes.length, accepted.frozenForecast.content.bytes);
  for (const each of accepted.files) t.is(contentIdOfBytes(each.bytes), each.contentId);
  t.is(contentIdOf(JSON.parse(Buffer.from(forecastFile.bytes).toString('utf8'))), forecastFile.contentId);
});

test('the bytes do not depend on the order in which a source was built', (t) => {
  const reversed = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([key, each]) => [key, reversed(each)]),
        )
      : value;
  const session = reversed(koreanClip.session) as typeof koreanClip.session;
  const again = acceptStudy(planStudy({ session }, clipRequest), { session }, acceptedAt);
  t.is(again.receiptContentId, accepted.receiptContentId);
});

test('the same plan at another time is the same run under another receipt', (t) => {
  const later = acceptStudy(plan, koreanClip, '2026-01-02T03:04:06.000Z');
  t.is(later.record.runtimeId, accepted.record.runtimeId);
  t.is(later.requestContentId, accepted.requestContentId);
  t.not(later.receiptContentId, accepted.receiptContentId);
});

test('a start at no real instant is not accepted', (t) => {
  t.throws(() => acceptStudy(plan, koreanClip, '2026-02-30T00:00:00.000Z'), { name: 'ZodError' });
});

/** Every leaf of the record: its path and a value of the same kind that is another. */
function* leaves(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    for (const [key, each] of Object.entries(value)) yield* leaves(each, [...path, key]);
  else yield path;
}

const another = (leaf: unknown): unknown => {
  if (typeof leaf === 'number') return leaf + 1;
  if (typeof leaf === 'boolean') return !leaf;
  if (typeof leaf !== 'string') return 'another';
  const last = leaf.at(-1) ?? '';
  return /^\d{4}-\d{2}-\d{2}T/.test(leaf) ? leaf.replace(/\dZ$/, '9Z') : leaf.slice(0, -1) + (last === '0' ? '1' : '0');
};

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function changed(path: readonly string[]): Buffer {
  const record: unknown = structuredClone(attempt.record);
  const parent = path.slice(0, -1).reduce((at: unknown, key) => (isBranch(at) ? at[key] : undefined), record);
  const key = path.at(-1);
  if (!isBranch(parent) || key === undefined || !isBranch(record)) throw new Error(`no leaf at ${path.join('.')}`);
  parent[key] = another(parent[key]);
  return indentedFile(record);
}

const paths = [...leaves(attempt.record)];

test(`a change at any of the record's ${paths.length} leaves is found`, (t) => {
  t.true(paths.length > 100);
  for (const path of paths) t.not(placeOf(changed(path)), 'none', path.join('.'));
});

const places: [string, string][] = [
  ['sourceSession.sessionId', 'source_session'],
  ['sourceSession.source.bytes', 'source_session'],
  ['sourceSession.revisionId', 'source_session'],
  ['analysisRequest.requestId', 'analysis_request'],
  ['analysisRequest.targetLanguage', 'shape'],
  ['analysisRequest.options.slowAnalysis', 'analysis_request'],
  ['workPlan.planId', 'work_plan'],
  ['workPlan.operations.0.operationId', 'work_plan'],
  ['commandId', 'command'],
  ['clientRequestId', 'command'],
  ['runtimeId', 'runtime'],
  ['journalId', 'runtime'],
  ['sourceArtifactId', 'source_artifact'],
  ['forecast.forecastId', 'forecast'],
  ['forecast.assumptions.0.statement', 'forecast'],
  ['forecast.scenarios.baseline.workload.selectedMediaDurationMs', 'forecast'],
  ['frozenForecast.freezeId', 'frozen_forecast'],
  ['frozenForecast.acceptance.runId', 'frozen_forecast'],
  ['startedAt', 'frozen_forecast'],
  ['producer.version', 'shape'],
];

for (const [path, place] of places) {
  test(`a changed ${path} is reported at ${place}`, (t) => t.is(placeOf(changed(path.split('.'))), place));
}

test('a range past the measured duration is reported as such', (t) => {
  const beyond = planStudy(koreanClip, { ...clipRequest, range: { startMs: 0, endMs: 51681 } });
  t.is(placeOf(acceptStudy(beyond, koreanClip, acceptedAt).files[0].bytes), 'range');
});

test('bytes that say the same in another form are refused', (t) => {
  t.is(placeOf(Buffer.from(JSON.stringify(accepted.record))), 'encoding');
  t.is(placeOf(file.bytes.subarray(0, -1)), 'encoding');
  t.is(placeOf(file.bytes.subarray(0, 100)), 'encoding');
  t.is(placeOf(Buffer.from([0xff, 0xfe])), 'encoding');
  t.is(placeOf(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), file.bytes])), 'encoding');
});

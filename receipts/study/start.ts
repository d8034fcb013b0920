import { ServiceError } from '../../contract/base/errors.ts';
import { isWellFormed } from '../../contract/base/grammar.ts';
import type { StoredObject } from '../../contract/base/stored-object.ts';
import type { Forecast, ForecastFreeze } from '../../contract/study/forecast.ts';
import { type RuntimeStart, runtimeStart } from '../../contract/study/start.ts';
import {
  canonicalJson,
  contentIdOfBytes,
  hashOf,
  indentedFile,
  storedBytes,
  utf8Json,
} from '../../formats/canonical-json.ts';
import { demandDerived, EvidenceChainError, type ReportLink } from '../evidence-chain.ts';
import { sourceRevisionIdOf, sourceSessionIdOf } from '../sources/source-receipt.ts';
import { readObject, type StoredContent } from '../stored-records.ts';
import type { StudyIds } from '../study-run.ts';
import { calibrationIn, forecastFreezeOf } from './forecast.ts';
import { type PlannedSource, planStudy, requestedAnalysisOf, type StudyPlan } from './plan.ts';

/** A promise to run a study, ready to be stored and committed before it is answered. */
export interface AcceptedStudy {
  readonly record: RuntimeStart;
  /** Hash of the record's indented file; the first of `files`. */
  readonly receiptContentId: string;
  readonly frozenForecast: ForecastFreeze;
  /** The request and the forecast, as one digest; it does not cover the time of acceptance. */
  readonly requestContentId: string;
  /** The record, the forecast and its freeze; the latter two without their ids, as their content ids describe them. */
  readonly files: readonly [StoredObject, StoredObject, StoredObject];
}

const stored = (bytes: Uint8Array): StoredObject => ({ contentId: contentIdOfBytes(bytes), bytes });

const forecastBytes = ({ forecastId, content, ...body }: Forecast): Uint8Array => storedBytes(body);

const freezeBytes = ({ freezeId, content, ...body }: ForecastFreeze): Uint8Array => storedBytes(body);

const recordOf = (
  plan: StudyPlan,
  { session }: PlannedSource,
  frozenForecast: ForecastFreeze,
  startedAt: string,
): RuntimeStart => ({
  schema: 'studio.runtime-start.v1',
  producer: { id: 'studio.local-runtime-start', version: '1' },
  commandId: plan.commandId,
  runtimeId: plan.runtimeId,
  journalId: plan.journalId,
  ...plan.chosen,
  sourceSession: session,
  sourceArtifactId: plan.sourceArtifactId,
  analysisRequest: plan.analysisRequest,
  workPlan: plan.workPlan,
  forecast: plan.forecast,
  frozenForecast,
  startedAt,
});

/**
 * Accepts a plan at `startedAt` (UTC with milliseconds). Pure: the same plan and time give the same bytes.
 * Throws `ZodError` when the source or the time is not what a record may hold.
 */
export function acceptStudy(plan: StudyPlan, source: PlannedSource, startedAt: string): AcceptedStudy {
  const frozenForecast = forecastFreezeOf({ forecast: plan.forecast, runId: plan.runtimeId, runStartAt: startedAt });
  // The schema lays the keys out: the file's bytes must not depend on how the caller built the source.
  const record = runtimeStart.parse(recordOf(plan, source, frozenForecast, startedAt));
  const file = stored(indentedFile(record));
  const request = {
    sourceRevisionId: source.session.revisionId,
    analysisRequest: plan.analysisRequest,
    workPlan: plan.workPlan,
    forecastContentId: plan.forecast.content.contentId,
    materializationId: null,
  };
  return {
    record,
    receiptContentId: file.contentId,
    frozenForecast,
    requestContentId: `sha256:${hashOf(request)}`,
    files: [file, stored(forecastBytes(plan.forecast)), stored(freezeBytes(frozenForecast))],
  };
}

/** The part of a run-start record that does not follow from the rest of it. */
type StartRecordPlace =
  | 'encoding'
  | 'shape'
  | 'source_session'
  | 'range'
  | 'analysis_request'
  | 'work_plan'
  | 'command'
  | 'runtime'
  | 'source_artifact'
  | 'forecast'
  | 'frozen_forecast';

/** A stored run-start record contradicts itself. On the wire it is `stored_content_inconsistent`. */
export class StartRecordError extends ServiceError {
  readonly place: StartRecordPlace;
  constructor(place: StartRecordPlace, cause?: unknown) {
    super('stored_content_inconsistent', `the run-start record fails at: ${place}`);
    this.name = 'StartRecordError';
    this.place = place;
    this.cause = cause;
  }
}

/** True if a value is well-formed text throughout; false for one that is nested too deeply to check. */
function isText(value: unknown): boolean {
  try {
    return isWellFormed(value);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function demand(place: StartRecordPlace, found: unknown, derived: unknown): void {
  if (canonicalJson(found) !== canonicalJson(derived)) throw new StartRecordError(place);
}

/**
 * Reads a stored run-start record and derives everything again that can be derived. These are the ids, the forecast from the
 * named finished operations, its freeze, and at last the very bytes. The ids are those of source, request, plan, command and run.
 * The caller compares the content id of `bytes`. Throws `StartRecordError` at the first place that does not follow.
 */
export const reopenRuntimeStart = (bytes: Uint8Array): RuntimeStart => reopenAcceptedStudy(bytes).record;

/** As `reopenRuntimeStart`, with everything else that the same acceptance stored. */
function reopenAcceptedStudy(bytes: Uint8Array): AcceptedStudy {
  const value = utf8Json(bytes, (cause) => new StartRecordError('encoding', cause));
  if (!isText(value)) throw new StartRecordError('encoding');
  const shaped = runtimeStart.safeParse(value);
  if (!shaped.success) throw new StartRecordError('shape', shaped.error);
  const record = shaped.data;
  const { sourceSession: session, analysisRequest } = record;
  demand('source_session', session.sessionId, sourceSessionIdOf(session));
  demand('source_session', session.revisionId, sourceRevisionIdOf(session));
  if (analysisRequest.range.endMs > session.source.durationMs) throw new StartRecordError('range');
  const { clientRequestId, recognition } = record;
  const request = { ...requestedAnalysisOf(analysisRequest), clientRequestId, recognition };
  const plan = planStudy({ session }, request, calibrationIn(record.forecast));
  demand('analysis_request', analysisRequest, plan.analysisRequest);
  demand('work_plan', record.workPlan, plan.workPlan);
  demand('command', record.commandId, plan.commandId);
  demand('runtime', [record.runtimeId, record.journalId], [plan.runtimeId, plan.journalId]);
  demand('source_artifact', record.sourceArtifactId, plan.sourceArtifactId);
  demand('forecast', record.forecast, plan.forecast);
  const accepted = acceptStudy(plan, { session }, record.startedAt);
  demand('frozen_forecast', record.frozenForecast, accepted.frozenForecast);
  if (Buffer.compare(accepted.files[0].bytes, bytes) !== 0) throw new StartRecordError('encoding');
  return accepted;
}

/** Far above any run-start record, forecast or freeze. */
const maximumStartBytes = 256 * 1024;

/** The content of a start in the ledger beside its files. */
export interface StartRow {
  readonly record: RuntimeStart;
  readonly receiptContentId: string;
  readonly requestContentId: string;
  readonly ids: StudyIds;
}

async function readWhole(content: StoredContent, contentId: string): Promise<Uint8Array> {
  const bytes = await readObject('start', content, contentId, maximumStartBytes);
  if (contentIdOfBytes(bytes) !== contentId) throw new EvidenceChainError('start', 'content', undefined, contentId);
  return bytes;
}

function reopened(bytes: Uint8Array, contentId: string): AcceptedStudy {
  try {
    return reopenAcceptedStudy(bytes);
  } catch (error) {
    if (!(error instanceof StartRecordError)) throw error;
    throw new EvidenceChainError('start', error.place, error, contentId);
  }
}

async function readStart(content: StoredContent, receiptContentId: string): Promise<AcceptedStudy> {
  const accepted = reopened(await readWhole(content, receiptContentId), receiptContentId);
  const [, forecast, freeze] = accepted.files;
  for (const { contentId } of [forecast, freeze]) await readWhole(content, contentId);
  return accepted;
}

/** Remembers a start whose files were just stored: the first stage that folds its journal need not read and plan it again. */
export function rememberStart(content: StoredContent, accepted: AcceptedStudy): void {
  const files = accepted.files.map(({ contentId, bytes }) => ({ contentId, bytes: bytes.length, path: null }));
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  content.remember?.(acceptStudy, accepted.receiptContentId, accepted, files, bytes);
}

/**
 * Reopens what a start stored: its record, the forecast and the freeze, all three byte for byte, and the row that names
 * them. Throws `EvidenceChainError`.
 */
export async function reopenStart(
  runtimeId: string,
  row: StartRow,
  content: StoredContent,
  report: ReportLink,
): Promise<AcceptedStudy> {
  const { receiptContentId } = row;
  const known = content.known?.(acceptStudy, receiptContentId) as AcceptedStudy | undefined;
  const accepted = known ?? (await readStart(content, receiptContentId));
  const { record, requestContentId } = accepted;
  const [, forecast, freeze] = accepted.files;
  if (record.runtimeId !== runtimeId) throw new EvidenceChainError('row', 'start.record.runtimeId');
  demandDerived('row', { start: row }, { start: { record, receiptContentId, requestContentId, ids: row.ids } });
  const { forecastId } = record.forecast;
  report({ link: 'start', subject: record.commandId, contentId: receiptContentId, detail: 'run-start record' });
  report({ link: 'start', subject: forecastId, contentId: forecast.contentId, detail: 'forecast' });
  report({ link: 'start', subject: record.frozenForecast.freezeId, contentId: freeze.contentId, detail: 'freeze' });
  return accepted;
}

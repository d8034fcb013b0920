import type { RuntimeStart } from '../../contract/study/runtime-start.ts';
import { contentIdOfBytes } from '../core/canonical-json.ts';
import type { ReportLink } from '../core/checked-link.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import { readObject, type StoredContent } from '../core/stored-content.ts';
import type { StudyIds } from '../core/study-run.ts';
import { reopenAcceptedStudy, StartRecordError } from './reopen-runtime-start.ts';
import type { AcceptedStudy } from './runtime-start.ts';

/** Far above any run-start record, forecast or freeze. */
const maximumStartBytes = 256 * 1024;

/** What the ledger keeps of a start beside its files. */
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
  const accepted = reopened(await readWhole(content, receiptContentId), receiptContentId);
  const { record, requestContentId } = accepted;
  const [, forecast, freeze] = accepted.files;
  for (const { contentId } of [forecast, freeze]) await readWhole(content, contentId);
  if (record.runtimeId !== runtimeId) throw new EvidenceChainError('row', 'start.record.runtimeId');
  demandDerived('row', { start: row }, { start: { record, receiptContentId, requestContentId, ids: row.ids } });
  const { forecastId } = record.forecast;
  report({ link: 'start', subject: record.commandId, contentId: receiptContentId, detail: 'run-start record' });
  report({ link: 'start', subject: forecastId, contentId: forecast.contentId, detail: 'forecast' });
  report({ link: 'start', subject: record.frozenForecast.freezeId, contentId: freeze.contentId, detail: 'freeze' });
  return accepted;
}

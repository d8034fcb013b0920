import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import type { StudyRow } from '../reopening/study-row.ts';
import { mediaGone } from '../sources/source-files.ts';
import type { SourceRegistry } from '../sources/source-registry.ts';

/** The revision that a study was accepted for. Throws `mediaGone` where it is no longer registered. */
export function studiedSource(registry: SourceRegistry, { record }: StudyRow): RegisteredSource {
  const source = registry.revision(record.sourceSession.revisionId);
  if (source === undefined) throw mediaGone;
  return source;
}

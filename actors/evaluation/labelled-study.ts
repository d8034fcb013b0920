import { EvaluationFault, type PackItem } from '../../contract/evaluation.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { runtimeRequest } from '../../contract/study/plan.ts';
import { hasEnded, type RuntimeStatus, runtimeStatus } from '../../contract/study/status.ts';
import type { StudyService } from '../study/studies.ts';
import { untilCommitted } from '../supervision/until-committed.ts';

async function statusOf(studies: StudyService, runtimeId: string): Promise<RuntimeStatus> {
  const { bytes } = await studies.status(runtimeId);
  return runtimeStatus.parse(JSON.parse(bytes.toString('utf8')));
}

/**
 * Studies the range of an item as a client would and waits for its end. `attempt` makes it a study of its own, whatever the
 * data root has seen. Returns the id of the runtime. Throws `EvaluationFault` `study_failed` and the reason of `signal`.
 */
export async function studyItem(
  studies: StudyService,
  item: PackItem,
  source: SourceSessionRow,
  attempt: string,
  signal: AbortSignal,
): Promise<string> {
  const { transcript, pairing } = item.labels;
  const captions = item.labels.captions ?? pairing ?? null;
  const declared = captions?.sourceLanguage ?? transcript?.language ?? null;
  const request = runtimeRequest.parse({
    sourceSessionId: source.sourceSessionId,
    sourceRevisionId: source.sourceRevisionId,
    range: item.range,
    requestedSourceLanguage:
      declared === null
        ? { mode: 'automatic', languages: [], reason: null }
        : { mode: 'declared', languages: [declared], reason: null },
    targetLanguage: captions?.targetLanguage ?? 'und',
    selectedLanguagePackId: null,
    outputDepth: 'evidence',
    clientRequestId: attempt,
  });
  const { runtimeId } = await studies.start(request);
  const { lifecycle, reason } = await untilCommitted(
    (listener) => studies.watch(runtimeId, listener),
    async () => {
      const status = await statusOf(studies, runtimeId);
      return hasEnded(status.lifecycle) ? status : null;
    },
    signal,
  );
  if (lifecycle === 'terminal') return runtimeId;
  throw new EvaluationFault('study_failed', `${item.itemId}: ${reason?.code}: ${reason?.message}`);
}

import type { SpeechFact } from '../../contract/evidence/evidence.ts';
import type { SampleWindow, SpeechActivity } from '../../contract/sources/speech-activity.ts';
import type { EvidenceRow, RuntimeEvidence } from '../../contract/study/runtime-evidence.ts';
import type { EvidenceKind } from '../../contract/study/study-record.ts';
import type { VerifiedEvidence } from '../evidence/fold-media.ts';
import { languageFactsOf, samplesPerMs } from '../evidence/readable-evidence.ts';
import type { SourceRecords } from '../sources/source-records.ts';
import { detectedEvidenceOf, type RunPinnedEvidence } from '../study/fold-conclusion.ts';
import type { VerifiedRuntime } from './reopen-runtime.ts';
import { runtimeListOf } from './runtime-list.ts';

function detectedRow({ delivered, artifact }: VerifiedEvidence): EvidenceRow {
  if (artifact === null) return { ...delivered, tool: null, parameters: null, facts: [] };
  const { tool, parameters, facts } = artifact;
  return { ...delivered, tool, parameters, facts };
}

const windowFact = (kind: SpeechFact['kind'], { index, start_sample, end_sample }: SampleWindow): SpeechFact => ({
  kind,
  index,
  startSample: start_sample,
  endSample: end_sample,
  startMs: Math.floor(start_sample / samplesPerMs),
  endMs: Math.ceil(end_sample / samplesPerMs),
});

/** Speech and non-speech of a whole source in order of time. */
const windowFactsOf = ({ speech_windows, non_speech_windows }: SpeechActivity): SpeechFact[] =>
  [
    ...speech_windows.map((window) => windowFact('speech_window', window)),
    ...non_speech_windows.map((window) => windowFact('non_speech_window', window)),
  ].sort((one, other) => one.startSample - other.startSample);

function pinnedRow(pinned: RunPinnedEvidence, { speechActivity, languageRanges }: SourceRecords): EvidenceRow[] {
  const available = { ...pinned, state: 'available', reasonCode: null, tool: null } as const;
  if (pinned.kind === 'speech-activity-receipt') {
    if (speechActivity === null) return [];
    const { configuration } = speechActivity.record;
    return [{ ...available, parameters: configuration, facts: windowFactsOf(speechActivity.record) }];
  }
  if (languageRanges === null) return [];
  const { configuration } = languageRanges.record;
  return [{ ...available, parameters: configuration, facts: languageFactsOf(languageRanges.record) }];
}

/**
 * The answer to a request for the evidence of a runtime, all of it reopened: of every kind, or of one. What a runtime has
 * not come to yet is not in it.
 */
export function runtimeEvidenceOf(runtime: VerifiedRuntime, kind: EvidenceKind | null): RuntimeEvidence {
  const findings = runtime.execution?.study.findings;
  const detected = findings === undefined ? [] : detectedEvidenceOf(findings);
  const rows = [
    ...detected.map(detectedRow),
    ...(findings?.pinned ?? []).flatMap((each) => pinnedRow(each, runtime.source.records)),
  ];
  return {
    schema: 'studio.local-runtime-evidence.v1',
    ...runtimeListOf(runtime),
    evidence: rows.filter((row) => kind === null || row.kind === kind),
  };
}

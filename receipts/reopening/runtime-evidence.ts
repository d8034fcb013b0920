import type { SpeechFact, UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { EvidenceObjectFact } from '../../contract/evidence/evidence-object.ts';
import { type FurtherKind, type PassKind, passKinds } from '../../contract/evidence/further-evidence.ts';
import type { SampleWindow, SpeechActivity } from '../../contract/sources/speech-activity.ts';
import type { AskedKind, EvidenceRow, FurtherRow, RuntimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { companions } from '../evidence/check-delivered.ts';
import { objectFactsOf } from '../evidence/evidence-objects.ts';
import type { VerifiedEvidence, VerifiedFurther, VerifiedOperation } from '../evidence/fold-media.ts';
import { languageFactsOf, samplesPerMs } from '../evidence/readable-evidence.ts';
import type { VerifiedScreenText } from '../screentext/fold-screen-text.ts';
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

/** The evidence of a runtime, all of it reopened: of every kind but the further ones. */
export function evidenceRowsOf(runtime: VerifiedRuntime): EvidenceRow[] {
  const findings = runtime.execution?.study.findings;
  const detected = findings === undefined ? [] : detectedEvidenceOf(findings);
  return [
    ...detected.map(detectedRow),
    ...(findings?.pinned ?? []).flatMap((each) => pinnedRow(each, runtime.source.records)),
  ];
}

/** The fact of a runtime that names this object; null where none does. */
export function objectFactIn(runtime: VerifiedRuntime, contentId: string): EvidenceObjectFact | null {
  const operations = runtime.execution?.study.findings.operations ?? [];
  const facts = operations.flatMap(({ further }) => further).flatMap(({ artifact }) => objectFactsOf(artifact));
  return facts.find((fact) => fact.contentId === contentId) ?? null;
}

const availableRow = (kind: FurtherKind, { artifactId, contentId, artifact }: VerifiedFurther): FurtherRow => {
  const { tool, parameters, facts } = artifact;
  return { kind, state: 'available', reasonCode: null, artifactId, contentId, tool, parameters, facts };
};

const absentRow = (kind: FurtherKind, reasonCode: UnavailableReason): FurtherRow => {
  const nothing = { artifactId: null, contentId: null, tool: null, parameters: null };
  return { kind, state: 'unavailable', reasonCode, ...nothing, facts: [] };
};

/** The row of a further kind, unavailable for the reason of its companion; none where the pass did not measure it, as passes of earlier versions. */
function measuredRow(kind: PassKind, operations: readonly VerifiedOperation[]): FurtherRow[] {
  const found = operations.flatMap(({ further }) => further).find(({ artifact }) => artifact.kind === kind);
  if (found !== undefined) return [availableRow(kind, found)];
  const evidence = operations.flatMap(({ evidence }) => evidence);
  const companion = evidence.find(({ delivered }) => delivered.kind === companions[kind])?.delivered;
  return companion?.state === 'unavailable' ? [absentRow(kind, companion.reasonCode)] : [];
}

/** The row of the text on the screen; none where it was not to be read, or was not yet. */
function screenTextRow(screenText: VerifiedScreenText | null): FurtherRow[] {
  if (screenText === null) return [];
  const { delivered, found: artifact } = screenText;
  if (delivered.state === 'unavailable') return [absentRow('screen_text', delivered.reasonCode)];
  const { artifactId, contentId } = delivered;
  return artifact === null ? [] : [availableRow('screen_text', { artifactId, contentId, artifact })];
}

/** The further kinds of a runtime, all of them reopened. */
export function furtherRowsOf(runtime: VerifiedRuntime): FurtherRow[] {
  const findings = runtime.execution?.study.findings;
  const measured = passKinds.flatMap((kind) => measuredRow(kind, findings?.operations ?? []));
  return [...measured, ...screenTextRow(findings?.screenText ?? null)];
}

/**
 * The answer to a request for the evidence of a runtime: of every kind that clients of earlier versions know, of one kind, or of
 * all. What a runtime has not come to yet is not in it.
 */
export function runtimeEvidenceOf(runtime: VerifiedRuntime, kind: AskedKind | null): RuntimeEvidence {
  const known = evidenceRowsOf(runtime);
  const rows = kind === null ? known : [...known, ...furtherRowsOf(runtime)];
  return {
    schema: 'studio.local-runtime-evidence.v1',
    ...runtimeListOf(runtime),
    evidence: rows.filter((row) => kind === null || kind === 'all' || row.kind === kind),
  };
}

import type { ToolIdentity } from '../../../contract/base/artifact.ts';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import type { Detection, SpeechFact } from '../../../contract/evidence/evidence.ts';
import type { ReadingAllowance } from '../../../contract/evidence/evidence-read.ts';
import { languageRanges } from '../../../contract/sources/languages.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import type { RuntimeRequest } from '../../../contract/study/plan.ts';
import type { StudyEvidence } from '../../../contract/study/study-record.ts';
import { contentIdOfBytes } from '../../../formats/canonical-json.ts';
import {
  encodeDetections,
  type MediaOperation,
  operationCompleted,
  operationStarted,
} from '../../../receipts/evidence/media-operation.ts';
import {
  languageEvidence,
  type ReadableEvidence,
  speechEvidence,
} from '../../../receipts/evidence/readable-evidence.ts';
import { preflightEvidenceArtifact } from '../../../receipts/identities.ts';
import { admitStudy, executionFinished, taskCompleted } from '../../../receipts/stages/admit.ts';
import { performDecision } from '../../../receipts/stages/decide.ts';
import { openStudy } from '../../../receipts/stages/opening.ts';
import { planStudy } from '../../../receipts/study/plan.ts';
import { concludeStudy } from '../../../receipts/study/record.ts';
import { acceptStudy, type StartRow } from '../../../receipts/study/start.ts';
import type { StudyRun } from '../../../receipts/study-run.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { acceptedAt, clipRequest, clipStudyIds } from '../sources/korean-clip.ts';
import { mediaBytes, pinnedFiles, recordOf, sealedClip } from '../sources/sealed-clip.ts';
import { reopenAssessment, reopenDecision, reopenRead } from './opened-records.ts';
import { performAssessments, performReads } from './performed.ts';
import { divided, turns } from './spoken-study.ts';
import { audioOf, eld, ffmpeg, operationsOver, rangeOf, soundOf, subtitlesOf, vad } from './stored-detections.ts';
import { koreanTrack, probedTrackOf, type StoredTrack } from './stored-tracks.ts';

export const endedAt = '2026-01-02T03:04:09.000Z';

export interface StudyShape {
  /** Version of the preflight that sealed the clip: 3 brings languages along, one of them unknown. */
  readonly version: 1 | 2 | 3;
  /** Speech and silence alternate in this many windows; null if the clip has no sound. */
  readonly windows: number | null;
  /** Length of the clip that is studied as a whole; by default four seconds. */
  readonly lengthMs?: number;
  /** The bytes of the clip: other ones are another source. */
  readonly media?: Uint8Array;
  /** Permissions of an earlier version. */
  readonly granted?: ReadingAllowance;
  /** The text tracks that were read; by default one in Korean. */
  readonly tracks?: readonly StoredTrack[];
  /** Further fields of the request. */
  readonly asked?: Partial<RuntimeRequest>;
  /** A forger's replacement for the requests and findings of the passes; everything else then follows from it. */
  readonly forged?: (passes: StoredPasses) => StoredPasses;
  /** Sets a study apart from others over the same range. */
  readonly attempt?: string;
}

/** The passes of a study: their requests and their findings. */
export interface StoredPasses {
  readonly source: RegisteredSource;
  readonly operations: Readonly<Record<'detect' | 'subtitles', MediaOperation>>;
  readonly detect: readonly Detection[];
  readonly subtitles: readonly Detection[];
}

/** A finished study as its host would have stored it, down to the bytes. */
export interface StoredStudy {
  readonly run: StudyRun;
  readonly source: RegisteredSource;
  readonly start: StartRow;
  /** Every stored file by its content id. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The journal, divided as it was committed. */
  readonly commits: readonly (readonly EventDraft[])[];
  /** The rows that the steps left. */
  readonly steps: Readonly<Record<string, object>>;
}

/** Collects what the steps of one study store, commit by commit. */
class StudyStore {
  readonly files = new Map<string, Uint8Array>();
  readonly commits: EventDraft[][] = [];
  readonly steps: Record<string, object> = {};

  keep(objects: readonly StoredObject[]): void {
    for (const { contentId, bytes } of objects) this.files.set(contentId, bytes);
  }

  opened(contentId: string): StoredObject {
    const bytes = this.files.get(contentId);
    if (bytes === undefined) throw new RangeError(`${contentId} was not stored`);
    return { contentId, bytes };
  }

  pass(run: StudyRun, step: 'detect' | 'subtitles', operation: MediaOperation, detections: readonly Detection[]) {
    const { objects, result } = encodeDetections(detections, step === 'detect' ? audioOf(detections) : null);
    this.keep(objects);
    this.commits.at(-1)?.push(operationStarted(run, operation));
    const { events, receipt, artifacts } = operationCompleted(run, operation, result, false);
    this.commits.push([...events]);
    this.steps[step] = { operationIds: [receipt.operationId], receipt, artifacts };
    return { receipt, artifacts };
  }

  receipts(step: string, refs: readonly { readonly operationId: string }[]): void {
    this.steps[step] = { operationIds: refs.map(({ operationId }) => operationId), receipts: refs };
  }
}

/** The basis of claims, reopened as the steps do it. */
function readableOf(
  store: StudyStore,
  run: StudyRun,
  source: RegisteredSource,
  detections: readonly Detection[],
): ReadableEvidence[] {
  const readable: ReadableEvidence[] = [];
  const [speech] = detections;
  const artifacts = (store.steps.detect as ReturnType<StudyStore['pass']>).artifacts;
  const recorded = artifacts.find(({ kind }) => kind === 'detected-speech-activity');
  if (speech?.state === 'available' && recorded !== undefined) readable.push(speechEvidence(recorded, speech.artifact));
  const pinned = source.pinnedEvidence.find(({ kind }) => kind === 'language-ranges-receipt');
  if (pinned === undefined) return readable;
  const record = languageRanges.parse(recordOf(pinnedFiles.languageRanges));
  return [...readable, languageEvidence(preflightEvidenceArtifact(run.record.runtimeId, source, pinned), record)];
}

function evidenceOf(
  run: StudyRun,
  source: RegisteredSource,
  receipts: readonly ReturnType<StudyStore['pass']>['receipt'][],
): StudyEvidence[] {
  const tools: Partial<Record<string, ToolIdentity>> = { speech_activity: vad, text_language: eld };
  const measured = receipts.flatMap(({ evidence }) =>
    evidence.map(
      (each): StudyEvidence =>
        each.state === 'available' ? { ...each, tool: tools[each.kind] ?? ffmpeg } : { ...each, tool: null },
    ),
  );
  const pinned = source.pinnedEvidence.map(
    (each): StudyEvidence => ({
      kind: each.kind,
      state: 'available',
      reasonCode: null,
      artifactId: preflightEvidenceArtifact(run.record.runtimeId, source, each).id,
      contentId: each.contentId,
      tool: null,
    }),
  );
  return [...measured, ...pinned];
}

/** Carries a study of the clip from its start to its end. */
export function storedStudy(shape: StudyShape): StoredStudy {
  const { version, windows, attempt, tracks = [koreanTrack], granted, media = mediaBytes } = shape;
  const store = new StudyStore();
  const { objects, source } = sealedClip(version, tracks.map(probedTrackOf), shape.lengthMs, media);
  store.keep([...objects, { contentId: contentIdOfBytes(media), bytes: media }]);
  const { sessionId, revisionId } = source.session;
  const from = { sourceSessionId: sessionId, sourceRevisionId: revisionId, range: rangeOf(source) };
  const asked = { ...clipRequest, ...from, ...shape.asked };
  const request = attempt === undefined ? asked : { ...asked, clientRequestId: attempt };
  const accepted = acceptStudy(planStudy(source, request), source, acceptedAt);
  store.keep(accepted.files);
  const run: StudyRun = { record: accepted.record, ids: clipStudyIds(), granted };

  store.commits.push([...openStudy({ ...run, source, maxWallMs: 72_000, startedAt: acceptedAt }).events]);
  store.steps.initialize = { startedAt: acceptedAt };
  // Each kind of window is counted by itself.
  const counted = (fact: SpeechFact, at: number): SpeechFact => ({ ...fact, index: at >> 1 });
  const speech = windows === null ? null : turns(divided(rangeOf(source), windows)).map(counted);
  const sound = [
    ...soundOf(source, speech),
    { kind: 'shot_changes', state: 'unavailable', reasonCode: 'no_frames_in_range' } as const,
  ];
  const honest = {
    source,
    operations: operationsOver(source),
    detect: sound,
    subtitles: subtitlesOf(source, tracks),
  };
  const { operations, detect, subtitles } = shape.forged?.(honest) ?? honest;
  const passes = [
    store.pass(run, 'detect', operations.detect, detect),
    store.pass(run, 'subtitles', operations.subtitles, subtitles),
  ];

  const read = performReads(run, readableOf(store, run, source, detect));
  store.keep(read.objects);
  store.commits.push([...read.events]);
  store.receipts('read', read.refs);
  const reads = read.refs.map(({ receiptContentId }) => reopenRead(store.opened(receiptContentId)));
  const assess = performAssessments(run, reads);
  store.keep(assess.objects);
  store.commits.push([...assess.events]);
  store.receipts('assess', assess.refs);
  const assessments = assess.refs.map(({ receiptContentId }) => reopenAssessment(store.opened(receiptContentId)));
  const decided = assessments.length === 0 ? null : performDecision(run, assessments);
  if (decided !== null) {
    store.keep(decided.objects);
    store.commits.push([...decided.events]);
    store.receipts('decide', [decided.refs]);
  }
  const decision = decided === null ? null : reopenDecision(store.opened(decided.refs.receiptContentId));
  const evidence = evidenceOf(
    run,
    source,
    passes.map(({ receipt }) => receipt),
  );
  const concluded = concludeStudy(run, { evidence, reads, assessments, decision });
  const operationIds = ['detect', 'subtitles', 'read', 'assess', 'decide'].flatMap(
    (step) => (store.steps[step] as { operationIds: string[] } | undefined)?.operationIds ?? [],
  );
  const span = { startedAt: acceptedAt, finishedAt: endedAt, resumes: 0, operationIds };
  const finished = executionFinished(run, span, concluded.refs);
  const study = {
    ...concluded.refs,
    executorReceiptId: finished.receipt.receiptId,
    executorReceiptContentId: finished.receiptContentId,
  };
  const admitted = admitStudy(run, study, decision);
  store.keep([...concluded.objects, ...admitted.objects]);
  store.commits.push([...concluded.events, finished.event, ...admitted.events, taskCompleted(run)]);
  store.steps.admit = { study, admission: admitted.refs };
  const { record, receiptContentId, requestContentId } = accepted;
  const start: StartRow = { record, receiptContentId, requestContentId, ids: run.ids };
  return { run, source, start, ...store };
}

import type { Range } from '../../contract/base/grammar.ts';
import { detectedKinds } from '../../contract/evidence/evidence.ts';
import { type Finding, type FindingPlace, maximumPlaces } from '../../contract/overview/runtime-overview.ts';
import type { AnalysisRequest } from '../../contract/study/analysis-request.ts';
import type { EvidenceRow } from '../../contract/study/runtime-evidence.ts';
import { timeCode } from '../core/time-code.ts';
import type { VerifiedRuntime } from '../reopening/reopen-runtime.ts';
import { evidenceRowsOf, furtherRowsOf } from '../reopening/runtime-evidence.ts';
import { detectedEvidenceOf } from '../study/fold-conclusion.ts';
import { type Found, foundOf, textsFound, unavailable } from './found.ts';
import { furtherFoundOf } from './further-found.ts';

export const placeText = ({ startMs, endMs }: Range): string =>
  startMs === endMs ? timeCode(startMs) : `${timeCode(startMs)} to ${timeCode(endMs)}`;

const placeOf = ({ startMs, endMs }: Range): FindingPlace => ({ startMs, endMs, text: placeText({ startMs, endMs }) });

const titles: Readonly<Record<Finding['kind'], string>> = {
  speech_activity: 'speech activity',
  silence: 'silence',
  loudness: 'loudness',
  shot_changes: 'shot changes',
  subtitle_track: 'subtitles',
  text_language: 'language of the subtitles',
  transcript: 'recognised speech',
  screen_text: 'text on the screen',
  transitions: 'transitions',
  black_frames: 'black pictures',
  frozen_frames: 'frozen pictures',
  keyframes: 'keyframes',
  waveform: 'waveform',
  audio_faults: 'faults of the sound',
  interlacing: 'fields of the pictures',
  letterbox: 'black bars',
  'speech-activity-receipt': 'speech of the whole source',
  'language-ranges-receipt': 'spoken languages of the whole source',
};

/** Only of text tracks there are several. */
const titleOf = (kind: Finding['kind'], trackIndex: number | null): string =>
  trackIndex !== null && (kind === 'subtitle_track' || kind === 'text_language')
    ? `${titles[kind]} of track ${trackIndex}`
    : titles[kind];

const findingOf = (
  { kind, state, reasonCode, artifactId, contentId }: FoundRow,
  trackIndex: number | null,
  { text, measures, places }: Found,
): Finding => ({
  kind,
  title: titleOf(kind, trackIndex),
  state,
  reasonCode,
  trackIndex,
  text,
  measures: [...measures],
  places: places.slice(0, maximumPlaces).map(placeOf),
  placeCount: places.length,
  artifactId,
  contentId,
});

const absent = (kind: Finding['kind'], state: 'not_yet' | 'never'): Finding => ({
  kind,
  title: titleOf(kind, null),
  state,
  reasonCode: null,
  trackIndex: null,
  text: state === 'not_yet' ? 'not measured yet' : 'not measured: the study ended before',
  measures: [],
  places: [],
  placeCount: 0,
  artifactId: null,
  contentId: null,
});

/** A row of which something can be said here. */
type FoundRow = Pick<EvidenceRow, 'state' | 'reasonCode' | 'artifactId' | 'contentId'> & Pick<Finding, 'kind'>;

/** What was read on the screen of a study whose host was to read it; nothing of any other study. */
function screenFindings({ execution }: VerifiedRuntime, hasEnded: boolean): Finding[] {
  if (execution?.opened.run.ids.screenTextGrantId === undefined) return [];
  const { screenText } = execution.study.findings;
  if (screenText === null) return [absent('screen_text', hasEnded ? 'never' : 'not_yet')];
  const { delivered, found } = screenText;
  return [findingOf(delivered, null, found === null ? unavailable(delivered.reasonCode) : textsFound(found))];
}

/** What the passes measured beside the kinds that every study has; what they could not is said by the kinds that it belongs to. */
const furtherFindings = (runtime: VerifiedRuntime): Finding[] =>
  furtherRowsOf(runtime).flatMap((row) =>
    row.state === 'available' && row.kind !== 'screen_text'
      ? [findingOf({ ...row, kind: row.kind }, null, furtherFoundOf(row.kind, row.facts))]
      : [],
  );

/** The track that each evidence artifact of a run was measured on. */
function trackIndexes({ execution }: VerifiedRuntime): ReadonlyMap<string, number | null> {
  const evidence = execution === null ? [] : detectedEvidenceOf(execution.study.findings);
  return new Map(
    evidence.flatMap(({ delivered, artifact }) =>
      artifact === null ? [] : [[delivered.artifactId, artifact.input.trackIndex] as const],
    ),
  );
}

/** Whether the study was told which languages are spoken. */
export const declaresLanguage = ({ language }: AnalysisRequest): boolean =>
  language.languagePair.requestedSource.languages.length > 0;

/** Whether the study was accepted by a host with a recogniser. */
const isRecognised = ({ execution }: VerifiedRuntime): boolean =>
  execution?.opened.run.ids.recognitionGrantId !== undefined;

/**
 * What a runtime found of each kind, in numbers with units and in words, in the order of its evidence; then the kinds that it
 * did not come to. Numbers of what came with the source are of the whole source, all others of the studied range.
 */
export function findingsOf(runtime: VerifiedRuntime, hasEnded: boolean): Finding[] {
  const { analysisRequest, sourceSession } = runtime.accepted.record;
  const whole = { startMs: 0, endMs: sourceSession.source.durationMs };
  const tracks = trackIndexes(runtime);
  const found = evidenceRowsOf(runtime).map((row) => {
    const trackIndex = row.state === 'available' ? (tracks.get(row.artifactId) ?? null) : (row.trackIndex ?? null);
    const range = row.kind.endsWith('-receipt') ? whole : analysisRequest.range;
    return findingOf(row, trackIndex, foundOf(row, range, declaresLanguage(analysisRequest)));
  });
  const expected = detectedKinds.filter((kind) => kind !== 'transcript' || isRecognised(runtime));
  const missing = expected.filter((kind) => !found.some((finding) => finding.kind === kind));
  const all = [...found, ...missing.map((kind) => absent(kind, hasEnded ? 'never' : 'not_yet'))];
  return [...all, ...furtherFindings(runtime), ...screenFindings(runtime, hasEnded)];
}

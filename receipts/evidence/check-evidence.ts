import type { z } from 'zod';
import type { Range } from '../../contract/base/grammar.ts';
import {
  type DetectedFact,
  type DetectedKind,
  type EvidenceArtifact,
  evidenceArtifact,
  maximumEvidenceBytes,
} from '../../contract/evidence/evidence.ts';
import {
  type FurtherArtifact,
  type FurtherFact,
  type FurtherKind,
  furtherArtifact,
} from '../../contract/evidence/further-evidence.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { demandDerived, EvidenceChainError } from '../core/evidence-chain-error.ts';
import type { StoredShape } from '../core/stored-json.ts';
import type { StudyRun } from '../core/study-run.ts';
import { checkFactsAmongThemselves } from './check-facts.ts';
import type { MediaOperation } from './media-operation.ts';
import { samplesPerMs } from './readable-evidence.ts';
import { statedParameters } from './stated-parameters.ts';

/** How detected evidence is stored. */
export const evidenceShape = {
  link: 'evidence',
  schema: evidenceArtifact,
  maximumBytes: maximumEvidenceBytes,
} as const satisfies StoredShape<z.ZodType>;

/** How further evidence is stored. */
export const furtherShape = {
  link: 'evidence',
  schema: furtherArtifact,
  maximumBytes: maximumEvidenceBytes,
} as const satisfies StoredShape<z.ZodType>;

type MeasuredKind = DetectedKind | FurtherKind;
type MeasuredFact = DetectedFact | FurtherFact;
type FactKind = MeasuredFact['kind'];
type TrackKind = RegisteredSource['tracks'][number]['kind'];

/** Which facts and which track stand behind each kind. */
const rules: Readonly<Record<MeasuredKind, { readonly facts: readonly FactKind[]; readonly track: TrackKind }>> = {
  speech_activity: { facts: ['speech_window', 'non_speech_window'], track: 'audio' },
  silence: { facts: ['silence'], track: 'audio' },
  loudness: { facts: ['loudness'], track: 'audio' },
  shot_changes: { facts: ['shot_change'], track: 'video' },
  subtitle_track: { facts: ['subtitle_cue', 'unreadable_cue'], track: 'subtitle' },
  text_language: { facts: ['track_language'], track: 'subtitle' },
  transcript: { facts: ['recognised_region', 'transcript_line'], track: 'audio' },
  transitions: { facts: ['transition', 'flash', 'strobe'], track: 'video' },
  black_frames: { facts: ['black'], track: 'video' },
  frozen_frames: { facts: ['frozen'], track: 'video' },
  keyframes: { facts: ['keyframe'], track: 'video' },
  waveform: { facts: ['waveform'], track: 'audio' },
  audio_faults: {
    facts: ['clipping', 'silent_channel', 'phase_inversion', 'dropout', 'true_peak'],
    track: 'audio',
  },
  interlacing: { facts: ['field_order'], track: 'video' },
  letterbox: { facts: ['letterbox'], track: 'video' },
  screen_text: { facts: ['screen_text'], track: 'video' },
};

/** A fact of one moment reaches to its end; that of a whole track has no place in time. */
function spanOf(fact: MeasuredFact, range: Range): Range {
  if (fact.kind === 'track_language') return range;
  return fact.kind === 'shot_change' ? { startMs: fact.atMs, endMs: fact.atMs } : fact;
}

function checkFacts({ kind, facts, input: { range } }: EvidenceArtifact | FurtherArtifact): void {
  let earlier = range.startMs;
  for (const [index, fact] of facts.entries()) {
    const { startMs, endMs } = spanOf(fact, range);
    if (!rules[kind].facts.includes(fact.kind)) throw new EvidenceChainError('evidence', `facts[${index}].kind`);
    const isInside = earlier <= startMs && startMs <= endMs && endMs <= range.endMs;
    if (!isInside) throw new EvidenceChainError('evidence', `facts[${index}]`);
    earlier = startMs;
  }
}

/** Speech and non-speech windows cover the range once, without a gap, each kind counted from 0. */
function checkWindows({ facts, input: { range } }: EvidenceArtifact): void {
  const counts = { speech_window: 0, non_speech_window: 0 };
  let covered = range.startMs * samplesPerMs;
  for (const [index, fact] of facts.entries()) {
    if (fact.kind !== 'speech_window' && fact.kind !== 'non_speech_window') continue;
    if (fact.index !== counts[fact.kind]++) throw new EvidenceChainError('evidence', `facts[${index}].index`);
    if (fact.startSample !== covered) throw new EvidenceChainError('evidence', `facts[${index}].startSample`);
    covered = fact.endSample;
  }
  if (covered !== range.endMs * samplesPerMs) throw new EvidenceChainError('evidence', 'facts');
}

/** Speech alone was measured on samples that have a digest. */
function checkSamples({ kind, input }: EvidenceArtifact | FurtherArtifact): void {
  const isNamed = 'derivedAudio' in input && input.derivedAudio !== null;
  if (isNamed !== (kind === 'speech_activity')) throw new EvidenceChainError('evidence', 'input.derivedAudio');
}

/** The parameters that an operation states for one kind, named as in the artifact. */
function parametersFor(
  kind: MeasuredKind,
  { parameters }: EvidenceOrigin['operation'],
): EvidenceArtifact['parameters'] {
  const prefix = `${kind}.`;
  const stated = Object.entries(parameters).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(stated.map(([name, value]) => [name.slice(prefix.length), value]));
}

function checkTools({ tool }: Pick<EvidenceArtifact, 'tool'>, { tools }: EvidenceOrigin['operation']): void {
  const { name, version, digest } = tool;
  const isOne = tools.some((each) => each.name === name && each.version === version && each.digest === digest);
  if (!isOne) throw new EvidenceChainError('evidence', 'tool');
}

/** What was measured, in which tracks of which source, by what: as one operation of one run stated it. */
export interface EvidenceOrigin {
  readonly run: StudyRun;
  readonly source: Pick<RegisteredSource, 'tracks' | 'subtitleTracks'>;
  readonly operation: Pick<MediaOperation, 'tools' | 'parameters'>;
  readonly kind: MeasuredKind;
}

/** Evidence over an attached subtitle file cites the text that it was read from. */
function attachedFile({ subtitleTracks = [] }: EvidenceOrigin['source'], index: number | null) {
  const track = subtitleTracks.find(({ trackIndex }) => trackIndex === index);
  return track === undefined ? {} : { subtitleContentId: track.text.contentId };
}

/**
 * Checks that an evidence artifact is of the source, range, tools and parameters that its operation states, and that its
 * facts are of its kind, in order and inside the range. What a detector measured cannot be derived again. Throws
 * `EvidenceChainError` of the evidence.
 */
export function checkEvidence(
  artifact: EvidenceArtifact | FurtherArtifact,
  { run, source, operation, kind }: EvidenceOrigin,
): void {
  const { sourceContentId, range } = run.record.analysisRequest;
  const { trackIndex } = artifact.input;
  const { input } = artifact;
  const parameters = statedParameters(artifact);
  const cited = 'subtitleContentId' in input ? { subtitleContentId: input.subtitleContentId } : {};
  demandDerived(
    'evidence',
    {
      kind: artifact.kind,
      input: { sourceContentId: input.sourceContentId, range: input.range, ...cited },
      parameters,
    },
    {
      kind,
      input: { sourceContentId, range, ...attachedFile(source, trackIndex) },
      parameters: parametersFor(kind, operation),
    },
  );
  checkTools(artifact, operation);
  const track = source.tracks.find(({ index }) => index === trackIndex);
  if (track?.kind !== rules[kind].track) throw new EvidenceChainError('evidence', 'input.trackIndex');
  checkFacts(artifact);
  checkFactsAmongThemselves(artifact);
  checkSamples(artifact);
  if (artifact.kind === 'speech_activity') checkWindows(artifact);
}

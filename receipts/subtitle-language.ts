import type { CueFact, EvidenceArtifact, TrackLanguageFact } from '../contract/evidence.ts';
import type { VerifiedFindings } from './replay-conclusion.ts';

/** One embedded text track of a study: its cues, the language that it is taken to be in, and where it is stored. */
export interface StudiedTrack {
  readonly trackIndex: number;
  readonly contentId: string;
  /** What the container says, else what was identified; null when neither says anything. */
  readonly language: string | null;
  readonly cues: readonly CueFact[];
}

/**
 * The language itself without script or region, in its shortest code: `kor` and `ko-KR` are both `ko`, as the language
 * subtag registry of BCP 47 has it. Null for what names no language.
 */
export function baseLanguage(tag: string): string | null {
  const [canonical] = canonicalTags(tag);
  const base = canonical?.split('-', 1)[0] ?? null;
  return base === null || ['und', 'mul', 'zxx', 'mis'].includes(base) ? null : base;
}

function canonicalTags(tag: string): string[] {
  try {
    return Intl.getCanonicalLocales(tag);
  } catch {
    // A container may carry anything where its language should stand.
    return [];
  }
}

const isCue = (fact: { kind: string }): fact is CueFact => fact.kind === 'subtitle_cue';
const isTrackLanguage = (fact: { kind: string }): fact is TrackLanguageFact => fact.kind === 'track_language';

const artifactsOf = ({ operations }: VerifiedFindings): { contentId: string; artifact: EvidenceArtifact }[] =>
  operations.flatMap(({ evidence }) =>
    evidence.flatMap(({ delivered, artifact }) =>
      artifact === null ? [] : [{ contentId: delivered.contentId, artifact }],
    ),
  );

/** Every embedded text track that a study read, in the order of the container. */
export function studiedTracks(findings: VerifiedFindings): StudiedTrack[] {
  const stored = artifactsOf(findings);
  const languages = stored.flatMap(({ artifact }) => artifact.facts.filter(isTrackLanguage));
  return stored.flatMap(({ contentId, artifact }) => {
    const { trackIndex } = artifact.input;
    if (artifact.kind !== 'subtitle_track' || trackIndex === null) return [];
    const fact = languages.find((each) => each.trackIndex === trackIndex);
    const tagged = fact?.taggedLanguage ?? null;
    const language = (tagged === null ? null : baseLanguage(tagged)) ?? fact?.code ?? null;
    return [{ trackIndex, contentId, language, cues: artifact.facts.filter(isCue) }];
  });
}

/**
 * The track that speaks a language; null when none does. Of several the one with the most cues: tracks that only hold
 * signs or foreign parts have few. Of equals the first.
 */
export function trackIn(tracks: readonly StudiedTrack[], language: string): StudiedTrack | null {
  const wanted = baseLanguage(language);
  const [fullest] = tracks
    .filter((track) => wanted !== null && track.language !== null && baseLanguage(track.language) === wanted)
    .sort((one, other) => other.cues.length - one.cues.length);
  return fullest ?? null;
}

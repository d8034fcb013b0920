import type {
  CueFact,
  EvidenceArtifact,
  TrackLanguageFact,
  UnreadableCueFact,
} from '../../contract/evidence/evidence.ts';
import { languageNamed } from '../../contract/sources/language-name.ts';
import { baseLanguage } from '../core/base-language.ts';
import type { VerifiedFindings } from '../study/fold-conclusion.ts';
import { type CaptionRules, captionRules } from './caption-rules.ts';
import { contradicts } from './language-contradiction.ts';
import type { TimedText } from './subtitle-pairs.ts';

/** One embedded text track of a study: its cues, the language that it is taken to be in, and where it is stored. */
export interface StudiedTrack {
  readonly trackIndex: number;
  readonly contentId: string;
  /** What the container says, else what was identified; null when neither says anything. */
  readonly language: string | null;
  /** Whether the track as a whole was identified as another language than the container says. */
  readonly isContradicted: boolean;
  /** In order of time; the text of a cue that could not be read is null. */
  readonly cues: readonly TimedText[];
}

type AnyCue = CueFact | UnreadableCueFact;

const isCue = (fact: { kind: string }): fact is AnyCue =>
  fact.kind === 'subtitle_cue' || fact.kind === 'unreadable_cue';
const isTrackLanguage = (fact: { kind: string }): fact is TrackLanguageFact => fact.kind === 'track_language';

const timedText = (fact: AnyCue): TimedText => ({
  startMs: fact.startMs,
  endMs: fact.endMs,
  text: fact.kind === 'subtitle_cue' ? fact.text : null,
});

const artifactsOf = ({ operations }: VerifiedFindings): { contentId: string; artifact: EvidenceArtifact }[] =>
  operations.flatMap(({ evidence }) =>
    evidence.flatMap(({ delivered, artifact }) =>
      artifact === null ? [] : [{ contentId: delivered.contentId, artifact }],
    ),
  );

const baseOf = (code: string | null | undefined): string | null => (code == null ? null : baseLanguage(code));

/** What tag and identification say of a track. Cues and their codes are in the same order. */
function languageOf(
  { taggedLanguage, code, method, cueCodes }: TrackLanguageFact,
  cues: readonly AnyCue[],
  { judgesLanguages }: CaptionRules,
): Pick<StudiedTrack, 'language' | 'isContradicted'> {
  const named = judgesLanguages && taggedLanguage !== null ? languageNamed(taggedLanguage) : null;
  const tagged = named ?? baseOf(taggedLanguage);
  const language = baseOf(code);
  if (!judgesLanguages || tagged === null || language === null) {
    return { language: tagged ?? code, isContradicted: false };
  }
  const texts = cues
    .flatMap((cue) => (cue.kind === 'subtitle_cue' ? [cue.text] : []))
    .map((text, at) => ({ text, language: baseOf(cueCodes[at]) }));
  return { language: tagged, isContradicted: contradicts(tagged, { language, method }, texts) };
}

/** Every embedded text track that a study read, in the order of the container. */
export function studiedTracks(findings: VerifiedFindings, rules: CaptionRules = captionRules): StudiedTrack[] {
  const stored = artifactsOf(findings);
  const languages = stored.flatMap(({ artifact }) => artifact.facts.filter(isTrackLanguage));
  return stored.flatMap(({ contentId, artifact }) => {
    const { trackIndex } = artifact.input;
    if (artifact.kind !== 'subtitle_track' || trackIndex === null) return [];
    const fact = languages.find((each) => each.trackIndex === trackIndex);
    const cues = artifact.facts.filter(isCue);
    const said = fact === undefined ? { language: null, isContradicted: false } : languageOf(fact, cues, rules);
    return [{ trackIndex, contentId, ...said, cues: cues.map(timedText) }];
  });
}

/**
 * The track that speaks a language; null when none does. One that was identified as another language comes after all
 * others. Of several the one with the most cues: tracks that only hold signs or foreign parts have few. Of equals the first.
 */
export function trackIn(tracks: readonly StudiedTrack[], language: string): StudiedTrack | null {
  const wanted = baseLanguage(language);
  const [fullest] = tracks
    .filter((track) => wanted !== null && track.language !== null && baseLanguage(track.language) === wanted)
    .sort(
      (one, other) => Number(one.isContradicted) - Number(other.isContradicted) || other.cues.length - one.cues.length,
    );
  return fullest ?? null;
}

import type { Range } from '../../contract/base/grammar.ts';
import type {
  CaptionClassification,
  CaptionExecutorIdentity,
  CaptionSide,
  CaptionTranslator,
} from '../../contract/captions/caption-line.ts';
import { type TrackChoice, type TrackFlag, trackFlag } from '../../contract/captions/caption-plan.ts';
import type { CaptionTranslation } from '../../contract/captions/caption-translation.ts';
import type { LinesCause } from '../../contract/causes/causes.ts';
import {
  type CueFact,
  type EvidenceArtifact,
  type TrackLanguageFact,
  type UnkeptLook,
  type UnreadableCueFact,
  unkeptLook,
  unkeptLooks,
} from '../../contract/evidence/evidence.ts';
import { languageNamed } from '../../contract/sources/languages.ts';
import type { Steps } from '../../formats/steps.ts';
import type { TimedText } from '../../rules/dialogue.ts';
import { baseLanguage, contradicts, isInOtherScript } from '../../rules/languages.ts';
import { groupedCues, pairedCues, sidesAgree, type TextPair, type TrackPairing } from '../../rules/pairing.ts';
import { chooseTrack, writtenTag } from '../../rules/track-choice.ts';
import { programFormContentId } from '../../rules/translation/program-lines.ts';
import type { VerifiedFindings } from '../stages/run-stages.ts';
import type { DraftLine, DraftText } from './allowance.ts';
import { type CaptionedStudy, captionInputOf, derivedInSteps, derivedOnce } from './captioned-study.ts';
import {
  asOneRow,
  isOneLanguage,
  recognizedAbsence,
  recognizedLines,
  type TextToTranslate,
  transcriptOf,
  transcriptToTranslate,
  translatedLines,
  translatedSides,
} from './transcript-lines.ts';
import { textCause } from './unread-subtitles.ts';

/** One text track of a study: its cues, its probable language, and its place in the store. */
export interface StudiedTrack {
  readonly trackIndex: number;
  readonly artifactId: string;
  readonly contentId: string;
  /** A file that a person attached, or a track of the media. */
  readonly origin: 'track' | 'file';
  /** For a file that the program made of another text; absent for others. */
  readonly derived?: NonNullable<TrackChoice['chosen']>['derived'];
  /** As the container, or the person who attached it, states it. */
  readonly tag: string | null;
  /** The title that the container gives it; null without one, and for a study that did not record it. */
  readonly title: string | null;
  /** Null for a study that did not record them, and for an attached file. */
  readonly flags: readonly TrackFlag[] | null;
  /** The whole tag that its lines really have, with script and region. */
  readonly written: string | null;
  /** The language that its text alone was identified as; null if it was not. */
  readonly identified: string | null;
  /** The container's language, else the identified one; null if neither is known. */
  readonly language: string | null;
  /** True if the track as a whole was identified as another language than the container states. */
  readonly isContradicted: boolean;
  /** The number of its cues whose track states no end. */
  readonly assumedEnds: number;
  /** The properties of its cues that no caption has, with the number of cues. */
  readonly unkept: readonly { readonly look: UnkeptLook; readonly cues: number }[];
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
  ...(fact.kind === 'subtitle_cue' && fact.placement !== undefined && { placement: fact.placement }),
});

interface StudiedArtifact {
  readonly artifactId: string;
  readonly contentId: string;
  readonly artifact: EvidenceArtifact;
}

const artifactsOf = ({ operations }: VerifiedFindings): StudiedArtifact[] =>
  operations.flatMap(({ evidence }) =>
    evidence.flatMap(({ delivered: { artifactId, contentId }, artifact }) =>
      artifact === null || artifactId === null || contentId === null ? [] : [{ artifactId, contentId, artifact }],
    ),
  );

const baseOf = (code: string | null | undefined): string | null => (code == null ? null : baseLanguage(code));

/** The language of a track from its tag and its identification. Cues and their codes are in the same order. */
function languageOf(
  { taggedLanguage, code, method, cueCodes }: TrackLanguageFact,
  cues: readonly AnyCue[],
  title: string | null,
): Pick<StudiedTrack, 'language' | 'written' | 'identified' | 'isContradicted'> {
  const named = taggedLanguage !== null ? languageNamed(taggedLanguage) : null;
  const tagged = named ?? baseOf(taggedLanguage);
  const language = baseOf(code);
  const texts = cues.flatMap((cue) => (cue.kind === 'subtitle_cue' ? [cue.text] : []));
  const stated = tagged === null ? code : (named ?? taggedLanguage);
  const { language: written, isOtherScript } =
    stated === null ? { language: null, isOtherScript: false } : writtenTag(stated, texts, title);
  const isOther = isOtherScript || (tagged !== null && isInOtherScript(named ?? taggedLanguage ?? tagged, texts));
  const known = { written, identified: code };
  if (tagged === null || language === null) return { language: tagged ?? code, ...known, isContradicted: isOther };
  const identified = texts.map((text, at) => ({ text, language: baseOf(cueCodes[at]) }));
  const isContradicted = isOther || contradicts(tagged, { language, method }, identified);
  return { language: tagged, ...known, isContradicted };
}

const unknownLanguage = { language: null, written: null, identified: null, isContradicted: false } as const;

/** The flags and the title that the operation recorded of a track. */
function containerWords({ flags, title }: EvidenceArtifact['parameters']): Pick<StudiedTrack, 'flags' | 'title'> {
  const words = typeof flags === 'string' ? flags.split(',') : null;
  return {
    flags: words === null ? null : trackFlag.options.filter((flag) => words.includes(flag)),
    title: typeof title === 'string' && title !== '' ? title : null,
  };
}

/** The origin of a track that the program made of another text, as a plan has it. */
function derivedOf(made: NonNullable<VerifiedFindings['derivedTracks']>[number] | undefined) {
  if (made === undefined) return {};
  const { origin, parentLabel, parentTrackIndex, parentContentId } = made;
  return { derived: { origin, parentLabel, parentTrackIndex, parentContentId } };
}

/** Every text track that a study read, in the order of the container; attached files are behind those of the media. */
export function studiedTracks(findings: VerifiedFindings): StudiedTrack[] {
  const stored = artifactsOf(findings);
  const made = new Map((findings.derivedTracks ?? []).map((each) => [each.trackIndex, each]));
  const languages = stored.flatMap(({ artifact }) => artifact.facts.filter(isTrackLanguage));
  return stored.flatMap(({ artifactId, contentId, artifact }) => {
    const { trackIndex, subtitleContentId } = artifact.input;
    if (artifact.kind !== 'subtitle_track' || trackIndex === null) return [];
    const fact = languages.find((each) => each.trackIndex === trackIndex);
    const cues = artifact.facts.filter(isCue);
    const words = containerWords(artifact.parameters);
    return [
      {
        trackIndex,
        artifactId,
        contentId,
        origin: subtitleContentId === undefined ? 'track' : 'file',
        ...derivedOf(made.get(trackIndex)),
        tag: fact?.taggedLanguage ?? null,
        ...words,
        ...(fact === undefined ? unknownLanguage : languageOf(fact, cues, words.title)),
        assumedEnds: cues.filter(({ end }) => end === 'assumed').length,
        unkept: unkeptLook.options.flatMap((look) => {
          const counted = artifact.parameters[unkeptLooks[look]];
          return typeof counted === 'number' && counted > 0 ? [{ look, cues: counted }] : [];
        }),
        cues: cues.map(timedText),
      },
    ];
  });
}

/** An executor that turns an approved study into lines; the same study always gives the same lines. */
interface CaptionExecutor {
  /** How events and receipts name it. Throws `RangeError` where it translates and no translator is named. */
  identify(study: CaptionedStudy, translator?: CaptionTranslator): CaptionExecutorIdentity;
  /** Its lines, in order of time and inside the range; without a translation none has a translated text. */
  draft(study: CaptionedStudy, translation?: CaptionTranslation): Steps<readonly DraftLine[]>;
  /** The stored text of a study that a model has to translate; null if nothing has to be. */
  toTranslate?(study: CaptionedStudy): Steps<TextToTranslate | null>;
  /** The reason why it has no line of a study; only for a study without lines. */
  absence(study: CaptionedStudy): LinesCause;
}

const common = { version: '1', cognitionClaim: 'none' } as const;

const numbered = (prefix: string, index: number): string => `${prefix}-${String(index + 1).padStart(3, '0')}`;

/** A fixture that was recorded elsewhere knows nothing of a run of its own: it never has a line. */
const recorded: CaptionExecutor = {
  identify: () => ({
    id: 'studio.recorded-caption-fixture-adapter',
    classification: 'recorded_real_pipeline_fixture',
    executionScope: 'test_demo_only',
    recognizer: 'recorded-fixture',
    translator: 'recorded-fixture',
    sourceCaptionContentId: null,
    ...common,
  }),
  // biome-ignore lint/correctness/useYield: the other executors take steps
  *draft() {
    return [];
  },
  absence: () => ({ code: 'no_lines_of_this_run', params: {} }),
};

const seam = { lineMs: 500, leastLines: 1, mostLines: 6 } as const;

function equalParts({ startMs, endMs }: Range): Range[] {
  const lengthMs = endMs - startMs;
  const count = Math.min(Math.max(Math.floor(lengthMs / seam.lineMs), seam.leastLines), seam.mostLines);
  return Array.from({ length: count }, (_, index) => ({
    startMs: startMs + Math.floor((index * lengthMs) / count),
    endMs: startMs + Math.floor(((index + 1) * lengthMs) / count),
  }));
}

/** Fixed numbered texts over equal parts of the range, for tests of clients. */
const deterministicTest: CaptionExecutor = {
  identify: () => ({
    id: 'studio.deterministic-current-run-caption-test-seam',
    classification: 'deterministic_current_run_test_seam',
    executionScope: 'current_run',
    recognizer: 'deterministic-test',
    translator: 'deterministic-test',
    sourceCaptionContentId: null,
    ...common,
  }),
  *draft(study) {
    return equalParts(captionInputOf(study).range).map((part, index) => ({
      id: numbered('deterministic-current-run-line', index),
      ...part,
      source: { state: 'available', text: `Deterministic source line ${index + 1}` },
      target: { state: 'available', text: `Deterministic target line ${index + 1}` },
    }));
  },
  absence: () => ({ code: 'no_lines_of_this_run', params: {} }),
};

/** The text of a track for one side of a line: a track in another language than its tag gives nothing. */
function sideOf(track: StudiedTrack | null, text: string | null): DraftText {
  if (text === null) return { state: 'withheld', reasonCode: 'translator_unavailable' };
  if (track?.isContradicted === true) return { state: 'withheld', reasonCode: 'language_mismatch' };
  return { state: 'available', text };
}

/** Pairs of texts as numbered lines. */
const linesOf = (
  name: string,
  pairs: readonly TextPair[],
  { source, target }: { readonly source: StudiedTrack | null; readonly target: StudiedTrack | null },
): DraftLine[] =>
  pairs.map(({ startMs, endMs, ...texts }, index) => ({
    id: numbered(name, index),
    startMs,
    endMs,
    source: sideOf(source, texts.source),
    target: sideOf(target, texts.target),
  }));

/** How an executor that makes lines of the media's own subtitle tracks is named, beside its id. */
const fromTracks = (study: CaptionedStudy) =>
  ({
    executionScope: 'current_run',
    recognizer: 'embedded-subtitle-track',
    translator: 'embedded-subtitle-track',
    sourceCaptionContentId: tracksOf(study).source?.contentId ?? null,
    ...common,
  }) as const;

const pairingBy = (rule: typeof pairedCues) =>
  derivedInSteps(function* (study): Steps<TrackPairing> {
    const { source, target } = tracksOf(study);
    return yield* rule(source?.cues ?? [], target?.cues ?? [], captionInputOf(study).range);
  });

/** The text tracks of a study side by side, with how they lie against each other: cue by cue, and grouped. */
export const pairedTracks = pairingBy(pairedCues);
export const groupedTracks = pairingBy(groupedCues);

/** The media's own subtitle tracks, as the study read them, side by side. */
const embeddedSubtitles: CaptionExecutor = {
  identify: (study) => ({
    id: 'studio.embedded-subtitle-caption-producer',
    classification: 'embedded_subtitle_tracks',
    ...fromTracks(study),
  }),
  draft: derivedInSteps(function* (study) {
    return linesOf('embedded-subtitle-line', (yield* pairedTracks(study)).pairs, tracksOf(study));
  }),
  absence: (study) => {
    const { source, target } = tracksOf(study);
    const { sourceLanguage, targetLanguage } = captionInputOf(study);
    const languages = [...new Set([sourceLanguage, targetLanguage])];
    const cause = unreadOrOther(study);
    if (cause !== null) return cause;
    return { code: source === null && target === null ? 'no_text_track' : 'no_cue_in_range', params: { languages } };
  },
};

/** The same tracks, where each may split its sentences by itself. */
const groupedSubtitles: CaptionExecutor = {
  ...embeddedSubtitles,
  identify: (study) => ({
    id: 'studio.grouped-subtitle-caption-producer',
    classification: 'grouped_subtitle_tracks',
    ...fromTracks(study),
  }),
  draft: derivedInSteps(function* (study) {
    return linesOf('grouped-subtitle-line', (yield* groupedTracks(study)).pairs, tracksOf(study));
  }),
};

/** Why subtitles that are there give no text to a side, of the original first; null if there are none. */
function unreadOrOther(study: CaptionedStudy): LinesCause | null {
  const { choices, source, target } = tracksOf(study);
  return textCause(study.findings, choices.source, source) ?? textCause(study.findings, choices.target, target);
}

/** True if at least one line has both texts. */
export const haveBothTexts = (lines: readonly DraftLine[]): boolean =>
  lines.some(({ source, target }) => source.state === 'available' && target.state === 'available');

/** True if the subtitle tracks of a study alone give captions: at least one line has both texts. */
export function* hasSubtitleLines(study: CaptionedStudy): Steps<boolean> {
  return haveBothTexts(yield* groupedSubtitles.draft(study));
}

/** Why no line of the subtitle tracks of a study has both texts, though some have one. */
export function* pairAbsence(study: CaptionedStudy): Steps<LinesCause> {
  const { source, target } = tracksOf(study);
  const { sourceLanguage: from, targetLanguage: to } = captionInputOf(study);
  const cause = unreadOrOther(study);
  if (cause !== null) return cause;
  if (source === null) return { code: 'no_text_track', params: { languages: [from] } };
  if (target === null) return { code: 'method_does_not_translate', params: { from, to } };
  const { alignment, agreement } = yield* groupedTracks(study);
  const areFew = alignment?.verdict === 'unknown' && alignment.reason === 'too_few_cues';
  if (agreement !== null && !areFew && !sidesAgree({ agreement })) return { code: 'sides_disagree', params: agreement };
  return { code: 'no_line_with_both_texts', params: { languages: [...new Set([from, to])] } };
}

/** One line of a track that is to be translated; its text is null where the cue could not be read. */
interface TrackLine extends TimedText {
  readonly id: string;
}

/** The track in the source language, if no track is in the target language. */
function trackToTranslate(study: CaptionedStudy) {
  const { source, target } = tracksOf(study);
  return source === null || target !== null || isOneLanguage(study) ? null : source;
}

const linesToTranslate = derivedInSteps(function* (study): Steps<readonly TrackLine[]> {
  const cues = yield* groupedCues(trackToTranslate(study)?.cues ?? [], [], captionInputOf(study).range);
  return cues.pairs.map(({ startMs, endMs, source }, index) => ({
    id: numbered('translated-subtitle-line', index),
    startMs,
    endMs,
    text: source,
  }));
});

function* textOfTrack(study: CaptionedStudy): Steps<TextToTranslate | null> {
  const track = trackToTranslate(study);
  if (track === null || track.isContradicted) return null;
  const { artifactId, contentId } = track;
  const lines = (yield* linesToTranslate(study)).flatMap(({ id, text }) =>
    text === null ? [] : [{ id, text: asOneRow(text) }],
  );
  return lines.length === 0 ? null : { artifactId, contentId, lines };
}

/** What kind of translator this is: its form of questions tells. */
const kindOf = ({ promptContentId }: CaptionTranslator): string =>
  promptContentId === programFormContentId ? 'apertium' : 'openai-compatible-model';

/** The same tracks; if none is in the target language, a model translates the one in the source language. */
const translatedSubtitles: CaptionExecutor = {
  ...groupedSubtitles,
  identify: (study, translator) => {
    if (translator === undefined) throw new RangeError('translated captions need a translator');
    const isTranslated = trackToTranslate(study) !== null;
    return {
      id: 'studio.translated-subtitle-caption-producer',
      classification: 'subtitle_tracks_translated',
      ...fromTracks(study),
      ...(isTranslated && { translator: kindOf(translator) }),
      ...translator,
    };
  },
  toTranslate: textOfTrack,
  *draft(study, translation) {
    const track = trackToTranslate(study);
    if (track === null) return yield* groupedSubtitles.draft(study);
    const targetOf = yield* translatedSides(study, yield* textOfTrack(study), translation);
    const lines: DraftLine[] = [];
    for (const { id, startMs, endMs, text } of yield* linesToTranslate(study)) {
      lines.push({ id, startMs, endMs, source: sideOf(track, text), target: targetOf(id) });
      yield;
    }
    return lines;
  },
};

/** The text track of each side, and the choice among all tracks. */
interface TakenTracks extends Readonly<Record<CaptionSide, StudiedTrack | null>> {
  readonly choices: Readonly<Record<CaptionSide, TrackChoice>>;
}

const candidateOf = ({
  trackIndex,
  origin,
  derived,
  tag,
  written,
  title,
  flags,
  cues,
  isContradicted,
}: StudiedTrack) => ({
  trackIndex,
  origin,
  ...(derived !== undefined && { derived }),
  tag,
  language: written,
  title,
  flags: flags === null ? null : [...flags],
  cues: cues.length,
  isContradicted,
});

/** The choice for a side. A track that a person chose is taken in any language. */
function choiceFor(tracks: readonly StudiedTrack[], asked: string, named: number | null): TrackChoice {
  const candidates = tracks.map(candidateOf);
  const choice = chooseTrack(candidates, asked, named === null ? [] : [named]);
  if (named === null || choice.chosen?.trackIndex === named) return choice;
  const shown = candidates.map(({ isContradicted: _, ...candidate }) => candidate);
  const chosen = shown.find(({ trackIndex }) => trackIndex === named);
  return {
    asked,
    chosen: chosen === undefined ? null : { ...chosen, reason: 'chosen_by_person' },
    others: shown.flatMap((each) => (each === chosen ? [] : [{ ...each, reason: 'another_was_chosen' as const }])),
  };
}

/** The track of a choice. One that a person chose against its language gives no text: what it shows is not in the asked one. */
function takenTrack(tracks: readonly StudiedTrack[], { asked, chosen }: TrackChoice): StudiedTrack | null {
  const track = tracks.find(({ trackIndex }) => trackIndex === chosen?.trackIndex) ?? null;
  if (track === null || track.written === null) return track;
  const isFit = chooseTrack([candidateOf(track)], asked).chosen !== null;
  return isFit ? track : { ...track, isContradicted: true };
}

/** The tracks of the two sides: those that a person chose, else by the rule. */
export const tracksOf = derivedOnce((study): TakenTracks => {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  const tracks = studiedTracks(study.findings);
  const choices = {
    source: choiceFor(tracks, sourceLanguage, study.tracks?.source ?? null),
    target: choiceFor(tracks, targetLanguage, study.tracks?.target ?? null),
  };
  return { choices, source: takenTrack(tracks, choices.source), target: takenTrack(tracks, choices.target) };
});

/** The study's own transcript, shown in the language that was spoken. */
const recognizedTranscript: CaptionExecutor = {
  identify: (study) => {
    const transcript = transcriptOf(study.findings);
    return {
      id: 'studio.recognised-caption-producer',
      classification: 'recognised_transcript',
      executionScope: 'current_run',
      recognizer: transcript?.engine ?? 'unavailable',
      translator: 'same-language',
      sourceCaptionContentId: transcript?.contentId ?? null,
      ...common,
    };
  },
  *draft(study) {
    if (!isOneLanguage(study)) return [];
    return (yield* recognizedLines(study)).map(({ text, ...line }) => {
      const side: DraftText = { state: 'available', text };
      return { ...line, source: side, target: side };
    });
  },
  absence: (study) => recognizedAbsence(study, false),
};

/** The study's own transcript, translated where the target is another language. */
const translatedTranscript: CaptionExecutor = {
  identify: (study, translator) => {
    if (translator === undefined) throw new RangeError('translated captions need a translator');
    const transcript = transcriptOf(study.findings);
    return {
      id: 'studio.recognised-translated-caption-producer',
      classification: 'recognised_transcript_translated',
      executionScope: 'current_run',
      recognizer: transcript?.engine ?? 'unavailable',
      translator: isOneLanguage(study) ? 'same-language' : kindOf(translator),
      sourceCaptionContentId: transcript?.contentId ?? null,
      ...common,
      ...translator,
    };
  },
  draft: (study, translation) =>
    isOneLanguage(study) ? recognizedTranscript.draft(study) : translatedLines(study, translation),
  toTranslate: transcriptToTranslate,
  absence: (study) => recognizedAbsence(study, true),
};

/** Every executor of captions by what it is. */
export const captionExecutors: Readonly<Record<CaptionClassification, CaptionExecutor>> = {
  recorded_real_pipeline_fixture: recorded,
  deterministic_current_run_test_seam: deterministicTest,
  embedded_subtitle_tracks: embeddedSubtitles,
  grouped_subtitle_tracks: groupedSubtitles,
  subtitle_tracks_translated: translatedSubtitles,
  recognised_transcript: recognizedTranscript,
  recognised_transcript_translated: translatedTranscript,
};

/** The stored text of a study that a model has to translate for captions of a kind; null if nothing has to be. */
export function* translatableText(
  study: CaptionedStudy,
  classification: CaptionClassification,
): Steps<TextToTranslate | null> {
  const { toTranslate } = captionExecutors[classification];
  return toTranslate === undefined ? null : yield* toTranslate(study);
}

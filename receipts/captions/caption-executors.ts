import type { Range } from '../../contract/base/grammar.ts';
import type { CaptionClassification, CaptionExecutorIdentity } from '../../contract/captions/caption-executor.ts';
import type { CaptionTranslation } from '../../contract/captions/caption-translation.ts';
import type { CaptionTranslator } from '../../contract/captions/caption-translator.ts';
import type { DraftLine, DraftText } from './caption-draft.ts';
import { type CaptionedStudy, captionInputOf } from './captioned-study.ts';
import type { LinesAbsence } from './lines-absence.ts';
import { recognisedAbsence } from './recognised-absence.ts';
import { isOneLanguage, recognisedLines, transcriptOf } from './recognised-lines.ts';
import { groupedCues } from './subtitle-groups.ts';
import { type StudiedTrack, studiedTracks, trackIn } from './subtitle-language.ts';
import { pairedCues, type TextPair } from './subtitle-pairs.ts';
import { translatedLines } from './translated-lines.ts';

/** An executor that turns an approved study into lines; the same study gives the same lines, whenever it is asked. */
export interface CaptionExecutor {
  /** How events and receipts name it. Throws `RangeError` where it translates and no translator is named. */
  identify(study: CaptionedStudy, translator?: CaptionTranslator): CaptionExecutorIdentity;
  /** Its lines, in order of time and inside the range; without a translation none has a translated text. */
  draft(study: CaptionedStudy, translation?: CaptionTranslation): DraftLine[];
  /** Why it has no line of a study; asked only where it has none. */
  absence(study: CaptionedStudy): LinesAbsence;
}

const common = { version: '1', cognitionClaim: 'none' } as const;

const numbered = (prefix: string, index: number): string => `${prefix}-${String(index + 1).padStart(3, '0')}`;

/** A fixture that was recorded elsewhere says nothing of a run of its own: it never has a line. */
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
  draft: () => [],
  absence: () => ({ reason: 'no_lines_of_this_run', text: 'the executor has nothing of this runtime' }),
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
  draft: (study) =>
    equalParts(captionInputOf(study).range).map((part, index) => ({
      id: numbered('deterministic-current-run-line', index),
      ...part,
      source: { state: 'available', text: `Deterministic source line ${index + 1}` },
      target: { state: 'available', text: `Deterministic target line ${index + 1}` },
    })),
  absence: () => ({ reason: 'no_lines_of_this_run', text: 'the executor has nothing of this runtime' }),
};

/** What a track gives to one side of a line: a track in another language than its tag says gives nothing. */
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

/** The media's own subtitle tracks, as the study read them, side by side. */
const embeddedSubtitles: CaptionExecutor = {
  identify: (study) => ({
    id: 'studio.embedded-subtitle-caption-producer',
    classification: 'embedded_subtitle_tracks',
    executionScope: 'current_run',
    recognizer: 'embedded-subtitle-track',
    translator: 'embedded-subtitle-track',
    sourceCaptionContentId: tracksOf(study).source?.contentId ?? null,
    ...common,
  }),
  draft: (study) => {
    const { source, target } = tracksOf(study);
    return linesOf('embedded-subtitle-line', pairedCues(source?.cues ?? [], target?.cues ?? []), { source, target });
  },
  absence: (study) => {
    const { source, target } = tracksOf(study);
    const { sourceLanguage, targetLanguage } = captionInputOf(study);
    const languages = [...new Set([sourceLanguage, targetLanguage])].join(' or ');
    return source === null && target === null
      ? { reason: 'no_text_track', text: `the media has no text track in ${languages} that can be read` }
      : { reason: 'no_cue_in_range', text: `no cue in ${languages} lies in the range of the study` };
  },
};

/** The same tracks, where each may split its sentences by itself. */
const groupedSubtitles: CaptionExecutor = {
  ...embeddedSubtitles,
  identify: (study) => ({
    id: 'studio.grouped-subtitle-caption-producer',
    classification: 'grouped_subtitle_tracks',
    executionScope: 'current_run',
    recognizer: 'embedded-subtitle-track',
    translator: 'embedded-subtitle-track',
    sourceCaptionContentId: tracksOf(study).source?.contentId ?? null,
    ...common,
  }),
  draft: (study) => {
    const { source, target } = tracksOf(study);
    const pairs = groupedCues(source?.cues ?? [], target?.cues ?? [], captionInputOf(study).range);
    return linesOf('grouped-subtitle-line', pairs, { source, target });
  },
};

function tracksOf(study: CaptionedStudy) {
  const { sourceLanguage, targetLanguage } = captionInputOf(study);
  const tracks = studiedTracks(study.findings, study.rules);
  return { source: trackIn(tracks, sourceLanguage), target: trackIn(tracks, targetLanguage) };
}

/** The study's own transcript, shown in the language that was spoken. */
const recognisedTranscript: CaptionExecutor = {
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
  draft: (study) => {
    const transcript = transcriptOf(study.findings);
    if (transcript === null || !isOneLanguage(study)) return [];
    return recognisedLines(study, transcript).map(({ text, ...line }) => {
      const side: DraftText = { state: 'available', text };
      return { ...line, source: side, target: side };
    });
  },
  absence: (study) => recognisedAbsence(study, false),
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
      translator: isOneLanguage(study) ? 'same-language' : 'openai-compatible-model',
      sourceCaptionContentId: transcript?.contentId ?? null,
      ...common,
      ...translator,
    };
  },
  draft: (study, translation) =>
    isOneLanguage(study) ? recognisedTranscript.draft(study) : translatedLines(study, translation ?? null),
  absence: (study) => recognisedAbsence(study, true),
};

/** Every executor of captions by what it is. */
export const captionExecutors: Readonly<Record<CaptionClassification, CaptionExecutor>> = {
  recorded_real_pipeline_fixture: recorded,
  deterministic_current_run_test_seam: deterministicTest,
  embedded_subtitle_tracks: embeddedSubtitles,
  grouped_subtitle_tracks: groupedSubtitles,
  recognised_transcript: recognisedTranscript,
  recognised_transcript_translated: translatedTranscript,
};

import type { z } from 'zod';
import type { CaptionReason } from '../../contract/captions/caption-line.ts';
import type { qualityControlReason } from '../../contract/captions/caption-quality-control.ts';
import type { UnavailableReason } from '../../contract/evidence/evidence.ts';
import type { ClaimState } from '../../contract/evidence/evidence-assessment.ts';
import type { DecisionReason } from '../../contract/evidence/evidence-decision.ts';
import type { ScreenTextReason } from '../../contract/evidence/screen-text.ts';
import type { GateReason } from '../../contract/evidence/transcript.ts';
import type { rejectionReasons, revocationReasons } from '../../contract/review/publish-review.ts';
import type { intakeReason } from '../../contract/review/publish-review-intake.ts';

type ReasonCode =
  | UnavailableReason
  | GateReason
  | ScreenTextReason
  | Exclude<ClaimState, 'supported'>
  | Exclude<DecisionReason, 'all_audited_claims_supported'>
  | z.infer<typeof intakeReason>
  | (typeof rejectionReasons)[number]
  | (typeof revocationReasons)[number]
  | CaptionReason
  | Exclude<z.infer<typeof qualityControlReason>, 'current_run_candidate_structurally_complete'>;

const words: Readonly<Record<ReasonCode, string>> = {
  no_audio_track: 'the media has no audio track',
  no_video_track: 'the media has no video track',
  no_text_subtitle_track: 'the media has no text subtitle track',
  no_audio_in_range: 'the range has no sound',
  no_frames_in_range: 'the range has no pictures',
  subtitle_format_unsupported: 'the format of this track is not read',
  subtitle_limit_exceeded: 'this track is more than is read',
  language_not_recognised: 'the recogniser does not serve the declared language',
  recognition_failed: 'the recogniser failed, or the time of the study was used up',
  no_speech_evidence: 'too little speech is detected at its time, or it has no words',
  repetition: 'it says the same again and again',
  low_confidence: 'it is not certain enough',
  compression: 'it is more regular than speech is',
  boundary_only: 'it lies at the edge of the speech alone',
  disagreement: 'another look came to another text',
  too_short: 'it has fewer than two letters or digits',
  seen_once: 'one picture alone shows it',
  clutter: 'few letters around it are certain',
  withheld: 'a fact behind the claim is withheld',
  unknown: 'a fact behind the claim could not be identified',
  truncated: 'the claim does not rest on all facts',
  audited_claim_withheld: 'a claim is withheld',
  audited_claim_unknown: 'a claim is unknown',
  audited_claim_truncated: 'a claim does not rest on all facts',
  hidden_gap: 'a part of the range is not covered by what was read',
  non_supported_root_coverage: 'a part of the range has no supported claim',
  stored_content_integrity_failed: 'what is stored does not verify',
  unresolved_conflict: 'claims contradict each other',
  unsupported_synthesized_claim: 'a claim does not follow from its facts',
  evidence_requires_additional_review: 'the reviewer wants the evidence looked at again',
  source_scope_not_approved: 'the reviewer does not approve the source or the range',
  rights_or_policy_concern: 'the reviewer has a concern about rights or policy',
  other_review_concern: 'the reviewer has another concern',
  approval_entered_in_error: 'the approval was given by mistake',
  new_review_required: 'the study needs a new review',
  source_scope_changed: 'the source or the range is another one now',
  recorded_quality_gate_withheld: 'the recorded captions were withheld',
  recognizer_unavailable: 'there is no text in the spoken language',
  recognizer_empty: 'nothing was recognized',
  translator_unavailable: 'there is no text in this language at this time',
  translator_missing_line: 'the translation lacks this line',
  translation_source_mismatch: 'the translation came with another line than this one',
  translation_numbers_changed: 'the translation has other numbers',
  translation_names_changed: 'the translation lacks a name',
  translation_repeated: 'the translation is that of another line too',
  translation_disagreement: 'the translator gave another translation when it was asked again',
  translation_length_outlier: 'the translation is much shorter or longer than those around it',
  source_unavailable: 'the source cannot be read',
  study_coverage_withheld: 'the study withholds this time',
  study_coverage_unknown: 'the study could not identify this time',
  study_coverage_failed: 'the study failed at this time',
  study_coverage_unavailable: 'the study has no evidence of this time',
  study_coverage_truncated: 'the study did not read all facts of this time',
  study_coverage_conflict: 'the study contradicts itself at this time',
  study_coverage_uncovered: 'the study claims nothing of this time',
  study_readiness_withheld: 'the study is not ready',
  study_citation_mismatch: 'the study cites nothing for this time',
  not_in_requested_dialogue_scope: 'this was not asked for',
  language_mismatch: 'the text is in another language than it should be',
  recorded_fixture_test_demo_only: 'recorded captions are for demonstrations only',
  candidate_has_no_lines: 'there are no lines',
  candidate_has_unavailable_or_withheld_lines: 'lines lack a text',
  current_run_candidate_accepted_in_part: 'lines without both texts are left out',
};

/** What is meant by a reason in a study that declared no spoken language. */
const undeclaredWords: Readonly<Record<string, string>> = {
  language_not_recognised: 'the recogniser needs to be told the spoken language, and the study declared none',
};

/** A reason code in words; the code itself where there are none. */
export const reasonWords = (code: string, declaresLanguage = true): string =>
  (declaresLanguage ? undefined : undeclaredWords[code]) ??
  (Object.hasOwn(words, code) ? words[code as ReasonCode] : code.replaceAll('_', ' '));

export const reasonsText = (codes: readonly string[]): string => codes.map((code) => reasonWords(code)).join('; ');

import type { CaptionReference } from '../../contract/captions/caption-production.ts';
import type {
  CaptionFindingCode,
  CaptionFrameRate,
  CaptionProfileLimits,
  CaptionQualityReport,
  CueMeasures,
} from '../../contract/captions/caption-quality-report.ts';
import { type CaptionSide, captionSide } from '../../contract/captions/caption-side.ts';
import type { WholeCaptions } from './caption-lines.ts';
import { type CaptionProfile, captionProfilesOf } from './caption-profiles.ts';
import { measuresOf, type ShownCue } from './cue-measures.ts';

/** Captions and what is known of the picture that they are shown over. */
export interface ReportedCaptions {
  readonly artifact: WholeCaptions;
  readonly contentId: CaptionReference['contentId'];
  /** Times of the study's hard cuts in ms; null where it has no evidence of them. */
  readonly shotTimesMs: readonly number[] | null;
  /** Frames per second of the media as a fraction; null where it is not known. */
  readonly frameRate: { readonly numerator: number; readonly denominator: number } | null;
}

type Finding = CaptionQualityReport['findings'][number];

/** The frame rate for which Netflix writes its timing guidelines; gaps are counted by it where the media's is not known. */
const assumedFrameRate: CaptionFrameRate = { numerator: 24, denominator: 1, origin: 'assumed' };

const milliOrNull = (value: number | null): number | null => (value === null ? null : value * 1000);

// Times of cues are rounded to whole ms, so a gap of exactly that many frames may be a fraction of a ms short.
const framesInMs = (frames: number, { numerator, denominator }: CaptionFrameRate): number =>
  Math.floor((frames * 1000 * denominator) / numerator);

const limitsOf = (profile: CaptionProfile, frameRate: CaptionFrameRate): CaptionProfileLimits => ({
  readingSpeedMilliCps: milliOrNull(profile.readingSpeedCps),
  lineMilliCharacters: milliOrNull(profile.lineCharacters),
  lines: profile.lines,
  minimumDurationMs: profile.minimumDurationMs,
  maximumDurationMs: profile.maximumDurationMs,
  minimumGapMs: profile.minimumGapFrames === null ? null : framesInMs(profile.minimumGapFrames, frameRate),
});

function openLimitsOf(limits: CaptionProfileLimits, { isForLatinScript }: CaptionProfile) {
  const open: CaptionQualityReport['openLimits'] = [];
  const ofText = isForLatinScript ? 'guideline_for_latin_script' : 'not_in_guideline';
  if (limits.readingSpeedMilliCps === null) open.push({ limit: 'readingSpeedMilliCps', reasonCode: ofText });
  if (limits.lineMilliCharacters === null) open.push({ limit: 'lineMilliCharacters', reasonCode: ofText });
  if (limits.minimumGapMs === null) open.push({ limit: 'minimumGapMs', reasonCode: 'not_in_guideline' });
  return open;
}

function findingsOf(cue: CueMeasures, limits: CaptionProfileLimits): Finding[] {
  const findings: Finding[] = [];
  const find = (code: CaptionFindingCode, measured: number, limit: number): void => {
    findings.push({ lineId: cue.lineId, code, measured, limit });
  };
  const above = (code: CaptionFindingCode, measured: number, limit: number | null): void => {
    if (limit !== null && measured > limit) find(code, measured, limit);
  };
  const { durationMs, gapBeforeMs } = cue;
  above('reading_speed_too_high', cue.readingSpeedMilliCps, limits.readingSpeedMilliCps);
  above('line_too_long', cue.longestLineMilliCharacters, limits.lineMilliCharacters);
  above('too_many_lines', cue.lines, limits.lines);
  if (durationMs < limits.minimumDurationMs) find('duration_too_short', durationMs, limits.minimumDurationMs);
  above('duration_too_long', durationMs, limits.maximumDurationMs);
  if (gapBeforeMs === null) return findings;
  if (gapBeforeMs < 0) find('overlap', -gapBeforeMs, 0);
  else if (limits.minimumGapMs !== null && gapBeforeMs < limits.minimumGapMs) {
    find('gap_too_short', gapBeforeMs, limits.minimumGapMs);
  }
  return findings;
}

const shownCuesOf = ({ lines }: WholeCaptions, side: CaptionSide): ShownCue[] =>
  lines.flatMap((line) => {
    const { state, text } = line[side];
    return state === 'available' ? [{ lineId: line.id, startMs: line.startMs, endMs: line.endMs, text }] : [];
  });

function reportOf(
  { artifact, contentId, shotTimesMs, frameRate: known }: ReportedCaptions,
  side: CaptionSide,
  language: string,
  profile: CaptionProfile,
): CaptionQualityReport {
  const frameRate = known === null ? assumedFrameRate : { ...known, origin: 'media' as const };
  const limits = limitsOf(profile, frameRate);
  const options = { countsNarrowHalf: profile.countsNarrowHalf, shotTimesMs: shotTimesMs ?? [] };
  const cues = shownCuesOf(artifact, side).map((cue, at, all) => measuresOf(cue, all[at - 1] ?? null, options));
  const { id, source, date } = profile;
  return {
    jobId: artifact.jobId,
    captionContentId: contentId,
    side,
    language,
    profile: { id, source, date },
    limits,
    openLimits: openLimitsOf(limits, profile),
    frameRate,
    shotChanges:
      shotTimesMs === null
        ? { state: 'unavailable', reasonCode: 'no_shot_evidence', count: null }
        : { state: 'available', reasonCode: null, count: shotTimesMs.length },
    cues,
    findings: cues.flatMap((cue) => findingsOf(cue, limits)),
  };
}

/**
 * Holds the cues of both sides of captions against every guideline for their language. A cue without a text on a side is
 * not shown and not measured there. The report is a measurement: it decides nothing.
 */
export function captionQualityReportsOf(captions: ReportedCaptions): CaptionQualityReport[] {
  const { sourceLanguage, targetLanguage } = captions.artifact.input;
  const languages: Readonly<Record<CaptionSide, string>> = { source: sourceLanguage, target: targetLanguage };
  return captionSide.options.flatMap((side) =>
    captionProfilesOf(languages[side]).map((profile) => reportOf(captions, side, languages[side], profile)),
  );
}

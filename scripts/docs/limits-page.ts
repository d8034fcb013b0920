import { mostTranslatedAtOnce } from '../../actors/captions/captions.ts';
import { openIngestLimit } from '../../actors/ingest/ingest-service.ts';
import { uploadOpenMs } from '../../actors/ingest/owned/owned-ingest-definition.ts';
import { commitBytes } from '../../actors/ingest/owned/upload-part.ts';
import { maximumActiveGrants } from '../../actors/playback/playback-grants.ts';
import { studyBudgetMs } from '../../actors/reopening/study-row.ts';
import { reservedBytes } from '../../actors/sources/required-space.ts';
import { usualWindowing } from '../../actors/study/media-passes.ts';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { captionLimits } from '../../contract/captions/caption-line.ts';
import { longestCaptions, maximumCaptionAttempts } from '../../contract/captions/caption-production.ts';
import { assessmentLimits, decisionLimits } from '../../contract/evidence/assessment.ts';
import { longestReading, readLimits, usualReading } from '../../contract/evidence/evidence-read.ts';
import { heartbeatMs, maximumEvents, maximumFollowed, maximumWaitMs, streamedEvents } from '../../contract/journal.ts';
import { progressPauseMs } from '../../contract/operation.ts';
import { maximumPlaces } from '../../contract/overview.ts';
import { playbackGrantLongestMs, playbackGrantMs } from '../../contract/playback.ts';
import { maximumSubtitleBytes, maximumTextTracks } from '../../contract/sources/subtitle-track.ts';
import { SUBTITLE_LIMITS, SUBTITLE_LIMITS_PER } from '../../executors/evidence/subtitle-tracks.ts';
import { features } from '../../features/features.ts';
import { bodyLimit } from '../../http/exchange/request-body.ts';
import { unseenBytes } from '../../http/listener/listener.ts';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;

const grouped = (value: number): string => value.toLocaleString('en');
const seconds = (ms: number): string => `${ms / 1000} s`;
const minutes = (ms: number): string => `${ms / 60_000} minutes`;

/** The limits that an option can change, by default. */
const { limits } = serveOptions([]);
const { captionAllowance } = limits;

const budgetMs = studyBudgetMs({ startMs: 0, endMs: 0 });
const budgetShare = studyBudgetMs({ startMs: 0, endMs: 1 }) - budgetMs;

const rows: readonly (readonly [what: string, limit: string])[] = [
  [
    'an owned file',
    `${limits.maximumOwnedMediaBytes / gibibyte} GiB (\`--maximum-owned-media-bytes\`), up to the free space; above 999,999,999 bytes send it chunked or [in parts](guides/uploads.md), because \`Content-Length\` ends there; of a part, every ${commitBytes / mebibyte} MiB count on arrival`,
  ],
  ['open ingests', `${grouped(openIngestLimit)}; an ingest without media ends after ${uploadOpenMs / 3_600_000} hours`],
  ['free space', `the declared bytes and ${reservedBytes / mebibyte} MiB must be free`],
  ['running and waiting studies', `${grouped(limits.maximumLiveStudies)} (\`--maximum-live-studies\`)`],
  [
    'range of a study',
    `${seconds(limits.maximumStudyRangeMs)} (\`--maximum-study-range-ms\`); a study may use ${seconds(budgetMs)} and ${budgetShare} times its range, while a host is up; a range above ${seconds(usualWindowing.aboveMs)} is decoded in [windows](evidence.md#long-ranges) of ${seconds(usualWindowing.lengthMs)}, tested up to 14,400 s`,
  ],
  [
    'reads, assessments, decision of a study',
    `${usualReading.maxReads} reads of at most ${readLimits.maxItems} facts, ${usualReading.maxAuditedAssessments} assessments of at most ${assessmentLimits.maxClaims} claims, ${decisionLimits.maxDecisions} decision; a study by windows has as many reads and assessments for each window, at most ${longestReading.maxReads} and ${longestReading.maxAuditedAssessments}; the evidence has every fact, but facts after the last read make their claims truncated, and the intake is rejected`,
  ],
  [
    'captions',
    `studies of at most ${seconds(captionAllowance.maxDurationMs)} (\`--maximum-caption-range-ms\`, up to ${grouped(longestCaptions.maxDurationMs / 1000)} s); ${captionAllowance.maxLines} lines (\`--maximum-caption-lines\`, up to ${grouped(longestCaptions.maxLines)}); ${grouped(captionLimits.maxSourceBytes)} bytes of text on each side and ${grouped(captionLimits.maxArtifactBytes)} bytes in a record for every ${captionLimits.maxLines} lines; ${maximumCaptionAttempts} attempts under an approval; a host translates ${mostTranslatedAtOnce} at once, and others wait`,
  ],
  ['JSON body', `${grouped(bodyLimit)} bytes`],
  ['an overview', `${maximumPlaces} places of each finding, and the number of all; the evidence has every one`],
  [
    'streams',
    `${maximumFollowed} runtimes, ingests and actors in one; a comment after ${seconds(heartbeatMs)} of silence, progress at most every ${progressPauseMs} ms; for a reader that stops, the host holds a page of ${streamedEvents} events and ${unseenBytes / kibibyte} KiB, and closes the connection within 25 s`,
  ],
  ['events page, `wait`', `${maximumEvents} events, ${grouped(maximumWaitMs)} ms`],
  ...features.flatMap(({ limits = {} }) => Object.entries(limits)),
  [
    'playback grants',
    `${maximumActiveGrants} at a time; each lasts ${minutes(playbackGrantMs)} from its issue or last renewal, at most ${minutes(playbackGrantLongestMs)} in all; all end with the host`,
  ],
  ['pictures', 'sides up to 16,384, area up to 2²⁶ pixels'],
  ['idle connections', 'closed after about 11 s of silence from the client'],
  [
    'an attached subtitle file',
    `${maximumSubtitleBytes / mebibyte} MiB; a source has at most ${maximumTextTracks} text tracks, including those of its media`,
  ],
  [
    'subtitles of a study',
    `${SUBTITLE_LIMITS.maxTracks} text tracks, ${grouped(SUBTITLE_LIMITS.maxTrackCues)} cues and ${SUBTITLE_LIMITS.maxTrackBytes / kibibyte} KiB of text a track, ${grouped(SUBTITLE_LIMITS.maxCues)} cues and ${SUBTITLE_LIMITS.maxBytes / mebibyte} MiB in all; a range above ${SUBTITLE_LIMITS_PER.rangeMs / 1000} s has these limits for each ${SUBTITLE_LIMITS_PER.rangeMs / 1000} s that begin in it, at most ${SUBTITLE_LIMITS_PER.mostTimes} times`,
  ],
];

const intro = `# Limits

\`npm run docs\` writes this page, with the numbers of the code; a test compares them. An option in brackets changes the limit.

| what | limit |
| --- | --- |
`;

const media = `
## Accepted media

The host accepts these formats and refuses any other with the command that converts it:

- video: MP4 and MOV, Matroska and WebM, MXF, AVI, DV, MPEG-TS and MPEG-PS, FLV, ASF;
- sound: WAV, W64, AIFF, AU, CAF, FLAC, WavPack, TTA, MP3, AAC, Ogg, AC-3, E-AC-3, DTS and AMR.

If media is damaged, the host accepts the readable part. Records and evidence then have a [note](receipts.md#incomplete-media).

## What a study covers

A study covers one audio track ([which one](evidence.md#the-audio-track)), the first video track, and every text subtitle track, also of
[attached files](guides/subtitle-files.md). It finds cuts, dissolves, fades and wipes. With a [recognizer](guides/recognition.md) it transcribes the
speech, and with an [engine](guides/screen-text.md) it reads text on the screen. It does not read subtitles that are pictures.
`;

/** The page of all limits, in Markdown. */
export const limitsPage = (): string =>
  intro + rows.map(([what, limit]) => `| ${what} | ${limit} |\n`).join('') + media;

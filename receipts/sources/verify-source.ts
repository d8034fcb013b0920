import type { SourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { openChain, type SealedChain } from './open-chain.ts';
import { preflightOf } from './preflight-bundle.ts';
import { contentHashOf, sealedContentOf } from './sealed-content.ts';
import { demandDuration, demandSealed } from './sealed-demand.ts';
import { verifySubtitles } from './sealed-subtitles.ts';
import { ownedReceiptIdOf } from './source-receipt.ts';
import type { SealedSourceRecords } from './source-records.ts';
import { durationMsOf, registeredSourceOf } from './source-session.ts';
import { verifyLanguageRanges, verifySpeechWindows } from './verify-evidence.ts';
import { verifyVideohost } from './verify-videohost.ts';
import { videohostReceiptIdOf } from './videohost-receipt.ts';

/** How far the selected duration may be from the measured one, in ms. */
const durationToleranceMs = 150;

function verifyProbe({ media, mediaProbe }: SealedSourceRecords): void {
  const { input, media: measured } = mediaProbe.record;
  const derived = { content_id: media.contentId, hash: contentHashOf(media.contentId), bytes: media.bytes };
  demandSealed('link_mismatch', 'container-probe.input', input, derived);
  demandSealed('link_mismatch', 'container-probe.media.path', measured.path, media.path);
}

function verifyReceipt({ media, sourceReceipt, mediaProbe }: SealedSourceRecords): void {
  const { kind, receipt_id, content, raw_media, derived_artifacts } = sourceReceipt.record;
  const [probe] = derived_artifacts;
  demandSealed('link_mismatch', 'source-receipt.content', content, sealedContentOf(media));
  const receiptIdOf = kind === 'owned_local' ? ownedReceiptIdOf : videohostReceiptIdOf;
  demandSealed('identity_mismatch', 'source-receipt.receipt_id', receipt_id, receiptIdOf(media.contentId));
  const { path, content_id, bytes } = raw_media;
  demandSealed('link_mismatch', 'source-receipt.raw_media', { path, contentId: content_id, bytes }, media);
  demandSealed('link_mismatch', 'source-receipt.derived_artifacts.path', probe.path, mediaProbe.file.path);
  demandSealed('link_mismatch', 'source-receipt.derived_artifacts.source_content_ids', probe.source_content_ids, [
    media.contentId,
  ]);
  const probeHash = contentHashOf(mediaProbe.file.contentId);
  demandSealed('link_mismatch', 'source-receipt.derived_artifacts.content_hash', probe.content_hash, probeHash);
  const { incomplete_media: noted } = mediaProbe.record;
  const { incomplete_media: admitted } = sourceReceipt.record;
  demandSealed('link_mismatch', 'source-receipt.incomplete_media', admitted ?? null, noted ?? null);
  demandDuration(selectedSeconds(sourceReceipt.record), mediaProbe.record.duration, durationToleranceMs);
}

function verifyResolution({ sourceReceipt: { record: receipt }, mediaProbe, resolution }: SealedSourceRecords): void {
  if (receipt.kind !== 'videohost_local' || resolution === null) return;
  verifyVideohost(receipt, resolution.record, mediaProbe.record.duration);
}

/** The durations that a receipt states of its media. */
function selectedSeconds(receipt: SourceReceipt): number[] {
  if (receipt.kind === 'owned_local') {
    const { start, end, duration } = receipt.selection;
    return [duration, end - start];
  }
  const { local_start, local_end, duration } = receipt.selection;
  return [duration, local_end - local_start];
}

/** The preflight must be the one that follows from the records that it names. */
function verifyPreflight(records: SealedSourceRecords): void {
  const { record } = records.preflight;
  const derived = preflightOf(records);
  demandSealed('identity_mismatch', 'preflight.preflight_id', record.preflight_id, derived.preflight_id);
  for (const [index, artifact] of record.artifacts.entries()) {
    const place = `preflight.artifacts.${artifact.kind}`;
    const { artifact_id, ...rest } = artifact;
    const { artifact_id: derivedId, ...derivedRest } = derived.artifacts[index] ?? { artifact_id: null };
    demandSealed('link_mismatch', place, rest, derivedRest);
    demandSealed('identity_mismatch', `${place}.artifact_id`, artifact_id, derivedId);
  }
  demandSealed('link_mismatch', 'preflight.source', record.source, derived.source);
  demandSealed('link_mismatch', 'preflight.findings', record.findings, derived.findings);
}

function verifyEvidence({ media, mediaProbe, speechActivity, languageRanges }: SealedSourceRecords): void {
  if (speechActivity === null) return;
  const { input } = speechActivity.record;
  demandSealed('link_mismatch', 'speech-activity.input.source_content_id', input.source_content_id, media.contentId);
  const heard = mediaProbe.record.tracks.find(({ index }) => index === input.track_index)?.type;
  demandSealed('link_mismatch', 'speech-activity.input.track_index', heard ?? null, 'audio');
  verifySpeechWindows(speechActivity.record, durationMsOf(mediaProbe.record));
  if (languageRanges === null) return;
  demandSealed('link_mismatch', 'language-ranges.input', languageRanges.record.input, {
    source_content_id: media.contentId,
    speech_activity_content_id: speechActivity.file.contentId,
    audio_content_id: input.audio_content_id,
  });
  verifyLanguageRanges(languageRanges.record, speechActivity.record);
}

/**
 * Verifies a sealed source as a whole: every file against its digest, every record against its schema, every id against
 * its formula, every link at both ends, the evidence against the media. Throws `SourceInconsistent` at the first thing that
 * does not hold.
 */
export function verifyRecords(chain: SealedChain): SealedSourceRecords {
  const records = openChain(chain);
  verifyProbe(records);
  verifyReceipt(records);
  verifyResolution(records);
  verifySubtitles(records);
  verifyEvidence(records);
  verifyPreflight(records);
  return records;
}

/** A verified source as the registry keeps it; `folder` is the absolute folder of its files, or null for the object store. */
export const verifySource = (chain: SealedChain, folder: string | null): RegisteredSource =>
  registeredSourceOf(verifyRecords(chain), folder);

import { type SourceFaultCode, SourceInconsistent } from '../contract/source-fault.ts';
import type { RegisteredSource } from '../contract/source-session.ts';
import { canonicalJson } from './canonical-json.ts';
import { openChain, type SealedChain } from './open-chain.ts';
import { preflightOf } from './preflight-bundle.ts';
import { contentHashOf, sealedContentOf } from './sealed-content.ts';
import { ownedReceiptIdOf } from './source-receipt.ts';
import type { SourceRecords } from './source-records.ts';
import { durationMsOf, registeredSourceOf } from './source-session.ts';
import { verifyLanguageRanges, verifySpeechWindows } from './verify-evidence.ts';

/** How far the selected duration may be from the measured one, in seconds. */
const durationTolerance = 0.15;

const demand = (code: SourceFaultCode, place: string, found: unknown, derived: unknown): void => {
  if (canonicalJson(found) !== canonicalJson(derived)) throw new SourceInconsistent(code, place);
};

function verifyProbe({ media, mediaProbe }: SourceRecords): void {
  const { input, media: measured } = mediaProbe.record;
  const derived = { content_id: media.contentId, hash: contentHashOf(media.contentId), bytes: media.bytes };
  demand('link_mismatch', 'container-probe.input', input, derived);
  demand('link_mismatch', 'container-probe.media.path', measured.path, media.path);
}

function verifyReceipt({ media, sourceReceipt, mediaProbe }: SourceRecords): void {
  const { receipt_id, content, raw_media, derived_artifacts, selection } = sourceReceipt.record;
  const [probe] = derived_artifacts;
  demand('link_mismatch', 'source-receipt.content', content, sealedContentOf(media));
  demand('identity_mismatch', 'source-receipt.receipt_id', receipt_id, ownedReceiptIdOf(media.contentId));
  const { path, content_id, bytes } = raw_media;
  demand('link_mismatch', 'source-receipt.raw_media', { path, contentId: content_id, bytes }, media);
  demand('link_mismatch', 'source-receipt.derived_artifacts.path', probe.path, mediaProbe.file.path);
  demand('link_mismatch', 'source-receipt.derived_artifacts.source_content_ids', probe.source_content_ids, [
    media.contentId,
  ]);
  const probeHash = contentHashOf(mediaProbe.file.contentId);
  demand('link_mismatch', 'source-receipt.derived_artifacts.content_hash', probe.content_hash, probeHash);
  const isMeasured = [selection.duration, selection.end - selection.start].every(
    (seconds) => Math.round(Math.abs(seconds - mediaProbe.record.duration) * 1000) <= durationTolerance * 1000,
  );
  if (!isMeasured) throw new SourceInconsistent('duration_mismatch', 'source-receipt.selection');
}

/** The preflight must be the one that follows from the records that it names. */
function verifyPreflight(records: SourceRecords): void {
  const { record } = records.preflight;
  const derived = preflightOf(records);
  demand('identity_mismatch', 'preflight.preflight_id', record.preflight_id, derived.preflight_id);
  for (const [index, artifact] of record.artifacts.entries()) {
    const place = `preflight.artifacts.${artifact.kind}`;
    const { artifact_id, ...rest } = artifact;
    const { artifact_id: derivedId, ...derivedRest } = derived.artifacts[index] ?? { artifact_id: null };
    demand('link_mismatch', place, rest, derivedRest);
    demand('identity_mismatch', `${place}.artifact_id`, artifact_id, derivedId);
  }
  demand('link_mismatch', 'preflight.source', record.source, derived.source);
  demand('link_mismatch', 'preflight.findings', record.findings, derived.findings);
}

function verifyEvidence({ media, mediaProbe, speechActivity, languageRanges }: SourceRecords): void {
  if (speechActivity === null) return;
  const { input } = speechActivity.record;
  demand('link_mismatch', 'speech-activity.input.source_content_id', input.source_content_id, media.contentId);
  const heard = mediaProbe.record.tracks.find(({ index }) => index === input.track_index)?.type;
  demand('link_mismatch', 'speech-activity.input.track_index', heard ?? null, 'audio');
  verifySpeechWindows(speechActivity.record, durationMsOf(mediaProbe.record));
  if (languageRanges === null) return;
  demand('link_mismatch', 'language-ranges.input', languageRanges.record.input, {
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
export function verifyRecords(chain: SealedChain): SourceRecords {
  const records = openChain(chain);
  verifyProbe(records);
  verifyReceipt(records);
  verifyEvidence(records);
  verifyPreflight(records);
  return records;
}

/** A verified source as the registry keeps it; `folder` is the absolute folder of its files, or null for the vault. */
export const verifySource = (chain: SealedChain, folder: string | null): RegisteredSource =>
  registeredSourceOf(verifyRecords(chain), folder);

import type { HostCore } from '../../actors/host-feature.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { cutText } from '../../contract/base/grammar.ts';
import type { DerivedSubtitles, MadeSubtitles } from '../../contract/sources/derived-subtitles.ts';
import type { RegisteredSource } from '../../contract/sources/source-session.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import type { ParentText } from '../../receipts/sources/derived-subtitles.ts';
import { contentRefOf } from '../../receipts/sources/sealed-record.ts';

/** A text track that a person may have made of other text. */
export interface ProposedTrack {
  readonly source: RegisteredSource;
  readonly parent: ParentText;
  readonly made: MadeSubtitles;
  /** Its file; null if there is nothing to attach. */
  readonly bytes: Uint8Array | null;
}

/** What every proposal states of its track. */
interface Offer {
  readonly parent: DerivedSubtitles['parent'];
  /** What a person attests; null if there is nothing to attach. */
  readonly digest: string | null;
  /** The track of the source that is this very one already; null if there is none. */
  readonly attachedAs: number | null;
}

/** The offer of a track by the study `runtimeId`. */
export function offerOf(
  { registry }: Pick<HostCore, 'registry'>,
  runtimeId: string,
  { source, parent, made, bytes }: ProposedTrack,
): Offer {
  const { label, format, encoding, trackIndex } = parent;
  const ref = contentRefOf(parent.bytes);
  const result = bytes === null ? null : contentRefOf(bytes).contentId;
  const { subtitleTracks = [] } = registry.current(source.session.sessionId) ?? {};
  const attached = subtitleTracks.find(
    ({ derived, contentId }) =>
      contentId === result && derived?.origin === made.origin && derived.parentContentId === ref.contentId,
  );
  return {
    parent: { ...ref, label, format, encoding, trackIndex },
    digest: result === null ? null : contentIdOfJson({ runtimeId, parent: ref.contentId, made, result }),
    attachedAs: attached?.trackIndex ?? null,
  };
}

/** Throws `reviewer_identity_mismatch` for a reviewer who is not that of the host. */
export function demandReviewer({ reviewer }: Pick<HostCore, 'reviewer'>, reviewerId: string): void {
  if (reviewerId === reviewer.id) return;
  throw new ServiceError('reviewer_identity_mismatch', 'the reviewer is not that of this host');
}

/** The file to attach. Throws `subtitle_fix_mismatch` unless the proposal is the one that was attested, with a file. */
export function attestedBytes(bytes: Uint8Array | null, proposed: string | null, attested: string): Uint8Array {
  if (bytes !== null && proposed === attested) return bytes;
  throw new ServiceError('subtitle_fix_mismatch', 'the host now proposes another file than the one of this digest');
}

/** A file as the answer has it. */
export const attachedFileOf = (bytes: Uint8Array) => ({
  ...contentRefOf(bytes),
  base64: Buffer.from(bytes).toString('base64'),
});

const longestLabel = 160;

/** What the track is called: the label of its parent and what was done, such as ` (moved)`. */
export const labelOf = ({ label }: ParentText, suffix: string): string =>
  `${cutText(label, longestLabel - suffix.length)}${suffix}`;

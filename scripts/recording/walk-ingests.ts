import { ownedIngestStatus, videohostIngestStatus } from '../../contract/ingest.ts';
import { workProgress } from '../../contract/operation.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { present, type WalkOptions } from './walk-options.ts';

const hasEnded = ({ status }: { readonly status: string }): boolean => status === 'registered' || status === 'failed';

/** An upload of a client that speaks tus alone, opened and ended. */
export async function uploadInParts({ recorder, media }: WalkOptions): Promise<void> {
  const version = { 'Tus-Resumable': '1.0.0' };
  const given = { filename: 'interview.mp4', label: 'Interview', rightsHolder: 'Example Studio' };
  const metadata = Object.entries({ ...given, rightsScope: 'local_processing', ownershipAttested: 'true' })
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
  const { ingestId } = await recorder.granted('createOwnedUpload', ownedIngestStatus, {
    headers: { ...version, 'Upload-Length': String(media.length), 'Upload-Metadata': metadata },
  });
  const part = { ...version, 'Content-Type': 'application/offset+octet-stream' };
  const bytes = media.subarray(1);
  await recorder.refused('sendOwnedUploadPart', {
    params: { ingestId },
    bytes,
    headers: { ...part, 'Upload-Offset': '1' },
  });
  await recorder.bytes('endOwnedUpload', { params: { ingestId }, headers: version });
}

/** A file that is ingested as a whole, and an ingest of it that is canceled. */
export async function ingestFile({ recorder, media }: WalkOptions): Promise<SourceSessionRow> {
  const json = {
    filename: 'interview.mp4',
    declaredBytes: media.length,
    rightsScope: 'local_processing',
    ownershipAttested: true,
    label: 'Interview',
    rightsHolder: 'Example Studio',
  };
  const unwanted = await recorder.granted('openOwnedIngest', ownedIngestStatus, { json });
  await recorder.granted('cancelOwnedIngest', ownedIngestStatus, { params: { ingestId: unwanted.ingestId }, json: {} });
  const { ingestId } = await recorder.granted('openOwnedIngest', ownedIngestStatus, { json });
  const params = { ingestId };
  await recorder.granted('sendOwnedMedia', ownedIngestStatus, { params, bytes: media });
  const { source } = await recorder.ended('readOwnedIngest', ownedIngestStatus, { params }, hasEnded);
  await recorder.granted('readOwnedIngestProgress', workProgress, { params });
  return present(source, 'ingested source');
}

/** A range of a video, and an ingest of it that is canceled. */
export async function ingestRange({ recorder, videoUrl }: WalkOptions): Promise<void> {
  const json = { url: videoUrl, startMs: 2000, endMs: 4000, localProcessingConfirmed: true };
  const { ingestId } = await recorder.granted('openVideohostIngest', videohostIngestStatus, { json });
  const params = { ingestId };
  await recorder.ended('readVideohostIngest', videohostIngestStatus, { params }, hasEnded);
  await recorder.granted('readVideohostIngestProgress', workProgress, { params });
  const unwanted = await recorder.granted('openVideohostIngest', videohostIngestStatus, { json });
  const canceled = { params: { ingestId: unwanted.ingestId }, json: {} };
  await recorder.granted('cancelVideohostIngest', videohostIngestStatus, canceled);
}

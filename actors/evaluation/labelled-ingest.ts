import { createReadStream } from 'node:fs';
import { ServiceError } from '../../contract/base/errors.ts';
import { EvaluationFault, type EvaluationPack, type PackItem } from '../../contract/evaluation.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import type { OwnedIngests } from '../ingest/owned/owned-ingests.ts';
import { untilCommitted } from '../supervision/until-committed.ts';

/** What an item needs of the service of ingests. */
export type ItemIngests = Pick<OwnedIngests, 'open' | 'beginUpload' | 'watch' | 'status'>;

/** Sends a file as the media of an open ingest, at the pace of the disk, until `signal` aborts. */
function send(ingests: ItemIngests, ingestId: string, path: string, signal: AbortSignal): Promise<unknown> {
  const stream = createReadStream(path, { signal });
  const upload = ingests.beginUpload(ingestId, () => undefined);
  upload.connect(stream);
  return new Promise((resolve, reject) => {
    const giveUp = (error: unknown) => {
      stream.destroy();
      upload.abandon().then(() => reject(error), reject);
    };
    stream.on('error', (error) => giveUp(signal.aborted ? signal.reason : error));
    stream.on('end', () => upload.end().then(resolve, reject));
    stream.on('data', (chunk) => {
      try {
        upload.chunk(Buffer.from(chunk));
      } catch (error) {
        giveUp(error);
      }
    });
  });
}

async function ingested(
  ingests: ItemIngests,
  { rightsHolder }: EvaluationPack,
  { itemId, media }: PackItem,
  path: string,
  signal: AbortSignal,
): Promise<SourceSessionRow> {
  const { ingestId } = await ingests.open({
    filename: 'labelled.media',
    declaredBytes: media.bytes,
    rightsScope: 'local_processing',
    ownershipAttested: true,
    label: itemId,
    rightsHolder,
  });
  await send(ingests, ingestId, path, signal);
  const { source, failure } = await untilCommitted(
    (listener) => ingests.watch(ingestId, listener),
    async () => {
      const status = ingests.status(ingestId);
      return status.status === 'registered' || status.status === 'failed' ? status : null;
    },
    signal,
  );
  if (source === null) throw new EvaluationFault('media_refused', `${itemId}: ${failure?.code}: ${failure?.message}`);
  if (source.sourceContentId !== media.contentId) throw new EvaluationFault('pack_file_mismatch', media.path);
  return source;
}

/**
 * Takes the media of an item in as any owned file, and waits until it is registered. Throws `EvaluationFault` `media_refused`,
 * `pack_file_mismatch` for a file that has changed since it was hashed, and the reason of `signal`.
 */
export async function ingestItem(
  ingests: ItemIngests,
  pack: EvaluationPack,
  item: PackItem,
  path: string,
  signal: AbortSignal,
): Promise<SourceSessionRow> {
  try {
    return await ingested(ingests, pack, item, path, signal);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new EvaluationFault('media_refused', `${item.itemId}: ${error.code}: ${error.message}`, error);
  }
}

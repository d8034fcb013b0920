import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnedIngests } from '../../actors/ingest/owned/owned-ingests.ts';
import type { StudyService } from '../../actors/study/studies.ts';
import { untilCommitted } from '../../actors/supervision/reads.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { EvaluationFault, type EvaluationPack, type PackItem } from '../../contract/evaluation.ts';
import type { SourceSessionRow } from '../../contract/sources/source-session.ts';
import { runtimeRequest } from '../../contract/study/plan.ts';
import { hasEnded, type RuntimeStatus, runtimeStatus } from '../../contract/study/status.ts';
import { type OpenedPack, readPack } from '../../receipts/evaluation/receipt.ts';
import { hashFile, openRegular, type RegularFile } from '../../storage/objects/regular-file.ts';

/** The manifest of a pack. */
const packFile = 'pack.json';

/** A pack of which every file was found and hashed, and where its media lies. */
export interface PackFolder extends OpenedPack {
  readonly folder: string;
  pathOf(item: PackItem): string;
}

/** The folder itself may be reached over links; what lies in it may not. */
async function located(folder: string, path: string): Promise<string> {
  const absolute = join(folder, path);
  const real = await realpath(absolute).catch((error: unknown) => {
    throw new EvaluationFault('pack_file_missing', path, error);
  });
  if (real !== absolute) throw new EvaluationFault('pack_file_outside', path);
  return absolute;
}

async function opened(folder: string, path: string): Promise<RegularFile> {
  const file = await openRegular(await located(folder, path));
  if (file === 'missing' || file === 'irregular') throw new EvaluationFault('pack_file_missing', path);
  return file;
}

async function readManifest(folder: string): Promise<OpenedPack> {
  const file = await opened(folder, packFile);
  try {
    return readPack(await file.readAll());
  } finally {
    file.close();
  }
}

async function checkMedia(folder: string, { media }: PackItem): Promise<void> {
  const file = await opened(folder, media.path);
  try {
    const isNamed = file.bytes === media.bytes && (await hashFile(file)) === media.contentId;
    if (!isNamed) throw new EvaluationFault('pack_file_mismatch', media.path);
  } finally {
    file.close();
  }
}

/**
 * Opens the pack in a folder: its manifest, and the digest of every file that it names. Throws `EvaluationFault` with the
 * codes of packs and labels, and `ObjectStoreError` where the file system refuses.
 */
export async function openPackFolder(directory: string): Promise<PackFolder> {
  const folder = await realpath(directory).catch((error: unknown) => {
    throw new EvaluationFault('pack_file_missing', packFile, error);
  });
  const pack = await readManifest(folder);
  for (const item of pack.pack.items) await checkMedia(folder, item);
  return { ...pack, folder, pathOf: ({ media }) => join(folder, media.path) };
}

/** The part of the ingest service that an item needs. */
export type ItemIngests = Pick<OwnedIngests, 'open' | 'beginUpload' | 'watch' | 'status'>;

/** Sends a file as the media of an open ingest, at the pace of the disk, until `signal` aborts. */
function send(ingests: ItemIngests, ingestId: string, path: string, signal: AbortSignal): Promise<unknown> {
  const stream = createReadStream(path, { signal });
  const { part, answered } = ingests.beginUpload(ingestId, () => undefined);
  part.connect(stream);
  stream.on('error', (error) => part.stop(signal.aborted ? signal.reason : error));
  stream.on('end', () => part.end());
  stream.on('data', (chunk) => part.chunk(Buffer.from(chunk)));
  return answered.finally(() => stream.destroy());
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

async function statusOf(studies: StudyService, runtimeId: string): Promise<RuntimeStatus> {
  const { bytes } = await studies.status(runtimeId);
  return runtimeStatus.parse(JSON.parse(bytes.toString('utf8')));
}

/**
 * Studies the range of an item as a client would and waits for its end. `attempt` makes it a study of its own, whatever the
 * data root has seen. Returns the id of the runtime. Throws `EvaluationFault` `study_failed` and the reason of `signal`.
 */
export async function studyItem(
  studies: StudyService,
  item: PackItem,
  source: SourceSessionRow,
  attempt: string,
  signal: AbortSignal,
): Promise<string> {
  const { transcript, pairing } = item.labels;
  const captions = item.labels.captions ?? pairing ?? null;
  const declared = captions?.sourceLanguage ?? transcript?.language ?? null;
  const request = runtimeRequest.parse({
    sourceSessionId: source.sourceSessionId,
    sourceRevisionId: source.sourceRevisionId,
    range: item.range,
    requestedSourceLanguage:
      declared === null
        ? { mode: 'automatic', languages: [], reason: null }
        : { mode: 'declared', languages: [declared], reason: null },
    targetLanguage: captions?.targetLanguage ?? 'und',
    selectedLanguagePackId: null,
    outputDepth: 'evidence',
    clientRequestId: attempt,
  });
  const { runtimeId } = await studies.start(request);
  const { lifecycle, reason } = await untilCommitted(
    (listener) => studies.watch(runtimeId, listener),
    async () => {
      const status = await statusOf(studies, runtimeId);
      return hasEnded(status.lifecycle) ? status : null;
    },
    signal,
  );
  if (lifecycle === 'terminal') return runtimeId;
  throw new EvaluationFault('study_failed', `${item.itemId}: ${reason?.code}: ${reason?.message}`);
}

import { AnswerLate, HostError, HostUnreachable, MediaUnreadable } from './host-error.ts';
import { pause, type Transport } from './transport.ts';

/** How much of a file has arrived, in bytes. */
export interface UploadProgress {
  readonly sent: number;
  readonly total: number;
}

export interface UploadOptions {
  /** Called when the upload begins, goes on after a break, and behind each part. */
  readonly onUpload?: ((progress: UploadProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** So many bytes are sent at once: what is lost when the connection breaks. */
const partBytes = 8 * 1024 * 1024;
const pauseMs = 250;
/** So often in a row the offset may turn out to be another one, as it does when the answer to a part was lost. */
const mostConflicts = 5;

const tus = { 'Tus-Resumable': '1.0.0' };
/** The media is there already, or its ingest has ended: the status of the ingest says which. */
const isOver = (error: unknown): boolean =>
  error instanceof HostError && (error.code === 'ingest_upload_conflict' || error.status === 410);

/** A request whose file cannot be read fails like one that no host answers; this tells the two apart. Throws `MediaUnreadable`. */
async function requireReadable(blob: Blob, offset: number): Promise<void> {
  await blob
    .slice(offset, offset + 1)
    .arrayBuffer()
    .catch((cause: unknown) => {
      throw new MediaUnreadable(cause);
    });
}

/**
 * Sends a file to the upload of an ingest, in parts, and goes on where the host stands after every break. Throws
 * `MediaUnreadable` where the file is what breaks.
 */
export async function uploadFile(
  transport: Transport,
  path: string,
  blob: Blob,
  { onUpload, signal }: UploadOptions,
): Promise<void> {
  let offset = 0;
  for (let conflicts = 0; offset < blob.size; ) {
    onUpload?.({ sent: offset, total: blob.size });
    try {
      offset = offsetOf(
        await transport.head(path, {
          method: 'PATCH',
          headers: { ...tus, 'Upload-Offset': String(offset) },
          body: blob.slice(offset, offset + partBytes, 'application/offset+octet-stream'),
          signal,
        }),
      );
      conflicts = 0;
      continue;
    } catch (error) {
      if (isOver(error)) return;
      const isConflict = error instanceof HostError && error.code === 'upload_offset_conflict';
      if (isConflict) conflicts += 1;
      const isGone = error instanceof HostUnreachable || error instanceof AnswerLate;
      const mayGoOn = isGone || (isConflict && conflicts < mostConflicts);
      if (signal?.aborted || !mayGoOn) throw error;
      await requireReadable(blob, offset);
    }
    await pause(pauseMs, signal);
    try {
      offset = offsetOf(await transport.head(path, { method: 'HEAD', headers: tus, signal }));
    } catch (error) {
      if (isOver(error)) return;
      throw error;
    }
  }
  onUpload?.({ sent: blob.size, total: blob.size });
}

function offsetOf(head: Headers): number {
  const text = head.get('Upload-Offset');
  if (text === null || !/^\d+$/.test(text)) throw new TypeError('the answer has no Upload-Offset');
  return Number(text);
}

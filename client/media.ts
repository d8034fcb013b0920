/** What can be ingested: a path (in Node), or a file or blob (in Node and in browsers). */
export type Media = string | Blob;

export interface OpenedMedia {
  readonly blob: Blob;
  /** The name of a file; null for a blob that has none. */
  readonly filename: string | null;
}

/** Opens media without reading it. Rejects with the error of the file system, and for what is no regular file. */
export async function openMedia(media: Media): Promise<OpenedMedia> {
  if (typeof media === 'string') {
    // Loaded here, so that pages can load the client.
    const [{ constants, openAsBlob, promises }, { basename }] = await Promise.all([
      import('node:fs'),
      import('node:path'),
    ]);
    // A folder, and a file of somebody else, open as a blob as well, and fail only when they are sent.
    if (!(await promises.stat(media)).isFile()) throw new TypeError(`${media} is no regular file`);
    await promises.access(media, constants.R_OK);
    return { blob: await openAsBlob(media), filename: basename(media) };
  }
  const name = 'name' in media && typeof media.name === 'string' ? media.name : null;
  return { blob: media, filename: name };
}

/** Bytes to be stored in the object store before the batch that names them. */
export interface StoredObject {
  readonly contentId: string;
  readonly bytes: Uint8Array;
}

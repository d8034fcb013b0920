/** Why a sealed source is refused. */
export type SourceFaultCode =
  /** A file that the records name, or the preflight itself, is not there. */
  | 'file_missing'
  /** The system refuses to read a file or folder. */
  | 'file_unreadable'
  /** A path leads out of the source's folder or is a link, or the folder lies outside the allowed root. */
  | 'source_outside_root'
  /** A record is larger than any record may be. */
  | 'record_too_large'
  /** A record is not in the form of its schema, byte for byte. */
  | 'record_malformed'
  /** A file does not have the bytes that the records name. */
  | 'content_mismatch'
  /** An id does not follow from what it identifies. */
  | 'identity_mismatch'
  /** One record says of another what that one does not say of itself. */
  | 'link_mismatch'
  /** The selected duration is not the measured one. */
  | 'duration_mismatch'
  /** The windows of the pinned evidence do not fit each other or the source. */
  | 'evidence_invalid';

/** A sealed source contradicts itself or its files. `place` names the record and the part of it. */
export class SourceInconsistent extends Error {
  readonly code: SourceFaultCode;
  readonly place: string;
  constructor(code: SourceFaultCode, place: string, cause?: unknown) {
    super(`${code}: ${place}`, cause === undefined ? undefined : { cause });
    this.name = 'SourceInconsistent';
    this.code = code;
    this.place = place;
  }
}

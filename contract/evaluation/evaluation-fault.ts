/** Why a pack cannot be evaluated. */
export type EvaluationFaultCode =
  /** The manifest, or media that it names, is not there or is no regular file. */
  | 'pack_file_missing'
  /** A path leads out of the pack's folder, or over a link. */
  | 'pack_file_outside'
  /** Media does not have the bytes that the manifest names. */
  | 'pack_file_mismatch'
  /** The manifest is too large, or is not in the form of its schema. */
  | 'pack_malformed'
  /** The manifest has a schema that this version does not know. */
  | 'pack_schema_unknown'
  /** An item has no labels at all. */
  | 'labels_empty'
  /** A label lies outside its item's range, a range outside its media, or a label is of a track that the media does not have. */
  | 'labels_outside_media'
  /** A transcript is labelled, and no recogniser was named. */
  | 'recognizer_missing'
  /** Text on the screen is labelled, and no reader was named. */
  | 'screen_text_reader_missing'
  /** Media of the pack was refused by the ingest. */
  | 'media_refused'
  /** A study ended without a result. */
  | 'study_failed'
  /** There is nothing to compare with yet. */
  | 'baseline_missing'
  /** The baseline is no receipt of this version, or its id does not follow from its content. */
  | 'baseline_malformed'
  /** The baseline was measured on another pack, or on this one before it was changed. */
  | 'baseline_of_other_pack'
  /** A person stopped the evaluation. */
  | 'evaluation_stopped';

/** A pack or its baseline cannot be evaluated. `place` names the file, the item or the field. */
export class EvaluationFault extends Error {
  readonly code: EvaluationFaultCode;
  readonly place: string;
  constructor(code: EvaluationFaultCode, place: string, cause?: unknown) {
    super(`${code}: ${place}`, cause === undefined ? undefined : { cause });
    this.name = 'EvaluationFault';
    this.code = code;
    this.place = place;
  }
}

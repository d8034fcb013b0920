import type { LanguageRanges } from '../../contract/sources/languages.ts';
import type { MediaProbe, SpeechActivity } from '../../contract/sources/media-probe.ts';
import type { PreflightBundle } from '../../contract/sources/preflight-bundle.ts';
import type { SourceReceipt } from '../../contract/sources/source-receipt.ts';
import type { SealedSubtitleTrack } from '../../contract/sources/subtitle-track.ts';
import type { VideohostResolution } from '../../contract/sources/videohost-resolution.ts';
import type { ContentRef } from './sealed-content.ts';

/** A file of a source, and where it lies below the source's folder. */
export interface SealedFile extends ContentRef {
  readonly path: string;
}

export interface Sealed<Body> {
  readonly record: Body;
  readonly file: SealedFile;
}

/** What a preflight is made over. Language ranges never come without the speech activity that they divide. */
export interface MeasuredRecords {
  readonly media: SealedFile;
  readonly sourceReceipt: Sealed<SourceReceipt>;
  readonly mediaProbe: Sealed<MediaProbe>;
  readonly speechActivity: Sealed<SpeechActivity> | null;
  readonly languageRanges: Sealed<LanguageRanges> | null;
}

/** All records of one source revision. */
export interface SealedSourceRecords extends MeasuredRecords {
  readonly preflight: Sealed<PreflightBundle>;
  /** What a video host said; null for media that came from nowhere else. */
  readonly resolution: Sealed<VideohostResolution> | null;
  /** The subtitle files that were attached, as the receipt names them, and where they lie. */
  readonly subtitles: readonly SealedSubtitleTrack[];
  readonly subtitleFiles: readonly SealedFile[];
}

import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { ReadText } from '../../contract/screentext/read-pictures.ts';
import type { ScreenTextEngine } from '../../contract/screentext/screen-text-operation.ts';

/** Who reads text on the screen on a host. A host that was started without one has none. */
export interface ScreenTextReader {
  readonly engine: ScreenTextEngine;
  /** The engine first, then the data of its languages. */
  readonly tools: readonly [ToolIdentity, ...ToolIdentity[]];
  /** Everything that it is set to. */
  readonly parameters: EvidenceArtifact['parameters'];
  /** Begins to read: a process that stays until `close`. Rejects with `ProcessFailure`. */
  open(signal: AbortSignal): Promise<OpenReader>;
}

/** A reader at work. */
export interface OpenReader {
  /** Every line that the engine sees in a picture (PGM), however sure it is; the surer ones were looked at again. Rejects with `ProcessFailure` or `DetectionFailure`. */
  read(picture: Buffer): Promise<readonly ReadText[]>;
  close(): Promise<void>;
}

import type { ToolIdentity } from '../../contract/base/tool.ts';
import type { EvidenceArtifact } from '../../contract/evidence/evidence.ts';
import type { RawRegion } from '../../contract/recognition/raw-region.ts';
import type { RecognizerEngine } from '../../contract/recognition/semantic-evidence.ts';

/** One region as a recogniser is given it: by itself, without a word of what was recognised before. */
export interface RegionSound {
  /** 16-bit samples at 16 kHz, mono, little-endian. */
  readonly samples: Buffer;
  /** Base code of the one declared language; null where several or none are declared. */
  readonly language: string | null;
}

/** Who recognises speech on a host. A host that was started without one has none. */
export interface Recognizer {
  readonly engine: RecognizerEngine;
  /** The engine first, then its model where it has one here. */
  readonly tools: readonly [ToolIdentity, ...ToolIdentity[]];
  /** Everything that it is set to. */
  readonly parameters: EvidenceArtifact['parameters'];
  /** Base codes of the languages that it serves; null where that is up to its model. */
  readonly languages: readonly string[] | null;
  /**
   * Recognises one region. Rejects with `ProcessFailure` or `RecognitionFailure`. One that works elsewhere tells `waits` what it
   * waits for, and null once it waits no more.
   */
  recognize(sound: RegionSound, signal: AbortSignal, waits?: (reason: string | null) => void): Promise<RawRegion>;
}

/** Why a recogniser came to nothing; the word begins the message. */
export type RecognitionFailureCause =
  | 'unreachable'
  | 'timeout'
  | 'redirected'
  | 'too_large'
  | 'invalid_output'
  | 'model_changed'
  | 'uneven_sound'
  | 'worker_failed'
  | `http_${number}`;

/** A recognition that failed outside of a process of its own. `message` begins with the cause word. */
export class RecognitionFailure extends Error {
  readonly reason: RecognitionFailureCause;
  constructor(reason: RecognitionFailureCause, detail: string, cause?: unknown) {
    super(`${reason}: ${detail}`, { cause });
    this.name = 'RecognitionFailure';
    this.reason = reason;
  }
}

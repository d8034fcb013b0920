import { cutText } from '../../contract/base/text.ts';
import { ProcessFailure, type ProcessFailureCause } from '../process/process.ts';

export type ProbeFailureCause =
  | 'media_unreadable'
  | 'not_media'
  | 'format_not_allowed'
  | 'container_damaged'
  | 'too_many_streams'
  | 'no_playable_track'
  | 'dimensions_too_large'
  | 'duration_unknown'
  | 'tool_output_invalid'
  | ProcessFailureCause;

const MESSAGE_UNITS = 256;

/** The one way in which a probe fails. `message` begins with the cause word, has 1-256 characters and names no path. */
export class ProbeFailure extends Error {
  readonly reason: ProbeFailureCause;
  constructor(reason: ProbeFailureCause, detail: string, cause?: unknown) {
    super(cutText(`${reason}: ${detail}`, MESSAGE_UNITS), { cause });
    this.name = 'ProbeFailure';
    this.reason = reason;
  }
}

/** Turns a launcher's failure into the probe's, word for word; anything else goes on as it is. */
export function asProbeFailure(error: unknown): unknown {
  if (!(error instanceof ProcessFailure)) return error;
  return new ProbeFailure(error.reason, error.message.slice(error.reason.length + 2), error);
}

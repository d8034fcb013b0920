const MESSAGE_UNITS = 256;

export type DetectionFailureCause = 'tool_output';

/** A tool ran to its end and printed what it must not. `message` begins with the cause word and names no path. */
export class DetectionFailure extends Error {
  readonly reason: DetectionFailureCause = 'tool_output';
  constructor(detail: string) {
    super(`tool_output: ${detail}`.slice(0, MESSAGE_UNITS));
    this.name = 'DetectionFailure';
  }
}

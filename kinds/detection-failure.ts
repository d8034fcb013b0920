import { cutText } from '../contract/base/grammar.ts';

const MESSAGE_UNITS = 256;

type DetectionFailureCause = 'tool_output';

/** A tool ran to its end and printed what it must not. `message` begins with the cause word and names no path. */
export class DetectionFailure extends Error {
  readonly reason: DetectionFailureCause = 'tool_output';
  constructor(detail: string) {
    super(cutText(`tool_output: ${detail}`, MESSAGE_UNITS));
    this.name = 'DetectionFailure';
  }
}

/** The sound changes its channels or its sample rate inside the range, where a filter graph loses what it has counted. */
export class ChangingSound extends DetectionFailure {
  constructor() {
    super('the sound changes its form inside the range');
    this.name = 'ChangingSound';
  }
}

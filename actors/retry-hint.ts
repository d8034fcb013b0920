import { failureMessage } from '../contract/failure.ts';
import type { RuntimeReason } from '../contract/runtime-status.ts';

const hint = '. This attempt is over: for another one send the request with a new clientRequestId';
const longest = 256;

/** The reason of a study that ended badly, as whoever asks for it again is told: cut short rather than without the hint. */
export const withRetryHint = ({ code, message }: RuntimeReason): RuntimeReason => ({
  code,
  message: `${failureMessage(message)
    .slice(0, longest - hint.length)
    .trimEnd()}${hint}`,
});

import { StorageUnavailable } from '../../contract/base/errors.ts';
import { EvidenceChainError } from '../../receipts/evidence-chain.ts';

/** How a stage says what went wrong with an attempt. */
export interface FailureWords {
  /** Begins the line for people. */
  readonly stage: string;
  /** Whether it was said for clients already. */
  isClientError(error: unknown): boolean;
  /** What the attempt rests on does not verify. */
  damaged(cause: unknown): Error;
  /** Anything else: it could not be written down. */
  unwritten(cause: unknown): Error;
}

/** What clients may read of a failure is what was said for them; anything else is for people on the machine. */
export async function withClientErrors<Result>(
  { stage, isClientError, damaged, unwritten }: FailureWords,
  report: (line: string) => void,
  signal: AbortSignal,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    // No client waits any more for what was stopped, and nothing is wrong with it; what could not be read is tried again.
    if (isClientError(error) || signal.aborted || error instanceof StorageUnavailable) throw error;
    report(`${stage}: ${error instanceof Error ? error.message : String(error)}`);
    throw error instanceof EvidenceChainError ? damaged(error) : unwritten(error);
  }
}

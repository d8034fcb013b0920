import { HostError } from '../../../client/host-error.ts';

/** A host that was gone for longer than the client waits for it is asked for its stream again after this long. */
const againMs = 2_000;

/** Follows until the signal is aborted. A host that refuses the stream is asked by the views alone, at long intervals. */
export async function followOn(signal: AbortSignal, follow: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await follow();
    } catch (error) {
      if (error instanceof HostError) return;
    }
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/** Waits for Ctrl-C, for a command whose host has to stay when the command has nothing left to do. */
export async function untilInterrupted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    // Waiting for a signal alone keeps no process alive.
    const alive = setInterval(() => undefined, 3_600_000);
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

/**
 * A hook for crash tests. With `MEDIA_STUDY_TEST_CRASH_AT=<n>` the process names every point at which something has been,
 * or is about to be, written, and kills itself with SIGKILL at the n-th; with `+<n>` it begins to count at a SIGUSR2.
 * Without the variable there is no hook.
 */
export function crashPoints(environment: Readonly<Record<string, string | undefined>>): (name: string) => void {
  const [, onSignal, digits] = /^(\+?)([1-9]\d*)$/.exec(environment.MEDIA_STUDY_TEST_CRASH_AT ?? '') ?? [];
  if (digits === undefined) return () => undefined;
  let counts = onSignal === '';
  let reached = 0;
  process.on('SIGUSR2', () => {
    counts = true;
    process.stderr.write('crash points count from here\n');
  });
  return (name) => {
    if (!counts) return;
    reached += 1;
    process.stderr.write(`crash point ${reached}: ${name}\n`);
    if (reached === Number(digits)) process.kill(process.pid, 'SIGKILL');
  };
}

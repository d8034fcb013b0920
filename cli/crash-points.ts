/**
 * A hook for crash tests: with `MEDIA_STUDY_TEST_CRASH_AT=<n>` the process kills itself with SIGKILL when it reaches the
 * n-th point at which something has been, or is about to be, written. Without the variable there is no hook.
 */
export function crashPoints(environment: Readonly<Record<string, string | undefined>>): (name: string) => void {
  const target = Number(environment.MEDIA_STUDY_TEST_CRASH_AT ?? 0);
  if (!Number.isSafeInteger(target) || target < 1) return () => undefined;
  let reached = 0;
  return (name) => {
    reached += 1;
    if (reached !== target) return;
    process.stderr.write(`crash point ${target}: ${name}\n`);
    process.kill(process.pid, 'SIGKILL');
  };
}

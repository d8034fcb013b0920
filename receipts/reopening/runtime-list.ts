import type { VerifiedRuntime } from './reopen-runtime.ts';

/** What every list of a runtime says beside its own rows. */
export const runtimeListOf = ({ accepted, journalHead }: VerifiedRuntime) => ({
  commandId: accepted.record.commandId,
  runtimeId: accepted.record.runtimeId,
  journalHead,
});

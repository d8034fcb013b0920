import type { WorkPlan } from '../../contract/study/work-plan.ts';
import { hashOf } from '../core/canonical-json.ts';

export interface CommandInput {
  readonly sourceRevisionId: string;
  readonly analysisRequestId: string;
  readonly workPlan: WorkPlan;
  /** Makes an attempt of its own over equal inputs; null where the caller named none. */
  readonly clientRequestId: string | null;
}

/** The key under which a start happens once: it follows from what is asked, and from the caller's own id if there is one. */
export const commandIdOf = ({ clientRequestId, ...input }: CommandInput): string =>
  `runtime-start:${hashOf(clientRequestId === null ? input : { ...input, clientRequestId })}`;

/** A run's id: the digest of its command laid out as a version 4 UUID. */
export function runtimeIdOf(commandId: string): string {
  const digest = hashOf({ allocator: 'studio.local-runtime-host.v1', commandId });
  const part = (from: number, to: number) => digest.slice(from, to);
  return `runtime:${part(0, 8)}-${part(8, 12)}-4${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
}

export const journalIdOf = (runtimeId: string): string => `journal:${runtimeId}`;

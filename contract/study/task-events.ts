import { z } from 'zod';
import { artifact } from '../base/artifact.ts';
import { eventType } from '../base/event-envelope.ts';
import { failure } from '../base/failure.ts';
import { identity, timestamp } from '../base/grammar.ts';
import { agent, executorSpanReceipt, launchClaim, task, taskTransition } from './task.ts';

/** What the journal says of a run's artifacts, its task, its agent and its execution. */
export const taskEvents = [
  eventType('artifact.recorded', 'artifact_store', z.strictObject({ artifact })),
  eventType('task.created', 'scheduler', z.strictObject({ task })),
  eventType('task.launch_claimed', 'launcher', z.strictObject({ claim: launchClaim })),
  eventType('agent.registered', 'registry', z.strictObject({ agent })),
  eventType('task.transitioned', 'scheduler', taskTransition),
  eventType(
    'executor.started',
    'launcher',
    z.strictObject({
      executionId: identity,
      taskId: identity,
      agentId: identity,
      launchClaimId: identity,
      startedAt: timestamp,
    }),
  ),
  eventType('executor.finished', 'launcher', z.strictObject({ receipt: executorSpanReceipt })),
  eventType(
    'runtime.interrupted',
    'recovery_host',
    z.strictObject({ reason: failure, taskIds: z.array(identity), executionIds: z.array(identity) }),
  ),
] as const;

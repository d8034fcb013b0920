import { z } from 'zod';
import { failure } from '../base/failure.ts';
import { contentId, count, identity, positive, range, timestamp } from '../base/grammar.ts';
import { artifactId, capability, operationId } from '../base/operation.ts';

/** Leave to carry out up to `maxOperations` operations of one capability within one range of one source. */
export const grant = z.strictObject({
  grantId: identity,
  capability,
  sourceArtifactId: artifactId,
  range,
  maxOperations: positive,
});

/** The one root task of a run. Its budget is wall time while the host is up; no model is ever called. */
export const task = z.strictObject({
  id: identity,
  parentTaskId: z.null(),
  workload: z.literal('media_study'),
  jobContext: z.strictObject({ commandId: identity, analysisRequestId: identity, planId: identity }),
  scope: z.strictObject({ sourceArtifactId: artifactId, range }),
  inputs: z.array(z.strictObject({ artifactId, contentId })).min(1),
  outputs: z.array(z.enum(['study-record', 'study-readiness-receipt', 'publish-review-intake-receipt'])),
  budget: z.strictObject({ maxWallMs: positive, maxModelTokens: z.literal(0) }),
  grants: z.array(grant).min(1),
  status: z.literal('scheduled'),
});

/** The right to start the one execution of a task, taken once. */
export const launchClaim = z.strictObject({
  id: identity,
  requestId: identity,
  taskId: identity,
  agentId: identity,
  executorKind: z.literal('deterministic_local'),
  claimedAt: timestamp,
  executionId: identity,
});

/** Who carries a task out; `grants` are the ids of what its task was granted. */
export const agent = z.strictObject({
  id: identity,
  taskId: identity,
  parentTaskId: z.null(),
  parentAgentId: z.null(),
  kind: z.literal('root'),
  label: z.string().min(1).max(80),
  grants: z.array(identity).min(1),
  status: z.literal('registered'),
});

/** A step of a task's life; a reason stands exactly with the two bad endings. */
export const taskTransition = z
  .strictObject({
    taskId: identity,
    agentId: identity,
    status: z.enum(['working', 'completed', 'failed', 'interrupted']),
    reason: failure.nullable(),
  })
  .refine(({ status, reason }) => (status === 'failed' || status === 'interrupted') === (reason !== null), {
    message: 'a reason stands with failed and interrupted alone',
    path: ['reason'],
  });

/** One execution from its start to its end; `receiptId` is derived from everything but it and `schema`. */
export const executorSpanReceipt = z
  .strictObject({
    schema: z.literal('studio.executor-span.receipt.v1'),
    receiptId: z.string().regex(/^span:[a-f0-9]{64}$/),
    runId: identity,
    taskId: identity,
    agentId: identity,
    launchClaimId: identity,
    executionId: identity,
    executor: z.strictObject({ id: identity, version: z.string().min(1), kind: z.literal('deterministic_local') }),
    startedAt: timestamp,
    finishedAt: timestamp,
    /** How often a restarted host took the execution up again. */
    resumes: count,
    operationIds: z.array(operationId),
    output: z.strictObject({ studyId: z.string().regex(/^study:[a-f0-9]{64}$/), artifactId, contentId }).nullable(),
    outcome: z.enum(['completed', 'failed', 'interrupted']),
    reason: failure.nullable(),
  })
  .refine(({ outcome, output }) => (outcome === 'completed') === (output !== null), {
    message: 'an output stands with completed alone',
    path: ['output'],
  })
  .refine(({ outcome, reason }) => (outcome === 'completed') === (reason === null), {
    message: 'a reason stands with every outcome but completed',
    path: ['reason'],
  });

export type Grant = z.infer<typeof grant>;
export type Task = z.infer<typeof task>;
export type LaunchClaim = z.infer<typeof launchClaim>;
export type Agent = z.infer<typeof agent>;
export type ExecutorSpanReceipt = z.infer<typeof executorSpanReceipt>;

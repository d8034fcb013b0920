import { z } from 'zod';
import { failure } from '../base/failure.ts';
import { contentId, count, identity, timestamp } from '../base/grammar.ts';
import { commandId, journalId, runtimeId, runtimeStart } from './runtime-start.ts';

export const lifecycle = z.enum(['accepted', 'initializing', 'running', 'terminal', 'failed', 'interrupted']);
export type Lifecycle = z.infer<typeof lifecycle>;

/** Why a run ended without a study. The codes after the first four stand in the closed set and are never sent. */
export const runtimeReasonCode = z.enum([
  'initialization_failed',
  'executor_failed',
  'executor_interrupted',
  'stored_content_inconsistent',
  'runtime_evidence_failed',
  'executor_launch_unconfirmed',
  'malformed_journal',
  'host_stopped_before_start_receipt',
  'host_stopped_before_journal',
  'host_stopped_before_executor_launch',
  'nonterminal_journal_after_restart',
]);

export const runtimeReason = z.strictObject({ ...failure.shape, code: runtimeReasonCode });
export type RuntimeReason = z.infer<typeof runtimeReason>;

/** Whether a run in this state will never move again. */
export const hasEnded = (state: Lifecycle): boolean =>
  state === 'terminal' || state === 'failed' || state === 'interrupted';

const endedBadly = (state: Lifecycle): boolean => state === 'failed' || state === 'interrupted';

const status = z.strictObject({
  schema: z.enum(['studio.local-runtime-status.v1', 'studio.local-runtime-start-ack.v1']),
  commandId,
  runtimeId,
  journalId,
  sourceSessionId: identity,
  sourceRevisionId: identity,
  analysisRequestId: identity,
  lifecycle,
  acceptedAt: timestamp,
  lastTransitionAt: timestamp,
  reason: runtimeReason.nullable(),
  forecast: z
    .strictObject({
      forecastId: identity,
      contentId,
      frozenForecastId: identity,
      baselineStatus: z.literal('floor_only'),
    })
    .nullable(),
  runStartReceipt: z.strictObject({ contentId, record: runtimeStart }).nullable(),
  journalHead: count,
  terminal: z.boolean(),
});

/** Where a run stands: the answer to a status request and, under its own schema name, to a start. */
export const runtimeStatus = status
  .refine((answer) => endedBadly(answer.lifecycle) === (answer.reason !== null), {
    message: 'a reason stands with failed and interrupted alone',
    path: ['reason'],
  })
  .refine((answer) => hasEnded(answer.lifecycle) === answer.terminal, {
    message: 'terminal says whether the lifecycle has ended',
    path: ['terminal'],
  })
  .refine((answer) => (answer.forecast === null) === (answer.runStartReceipt === null), {
    message: 'forecast and run-start receipt stand together',
    path: ['runStartReceipt'],
  });

export type RuntimeStatus = z.infer<typeof runtimeStatus>;

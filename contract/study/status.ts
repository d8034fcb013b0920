import { z } from 'zod';
import { failure } from '../base/errors.ts';
import { contentId, count, identity, range, timestamp } from '../base/grammar.ts';
import { listQuery, newestFirstFields } from '../base/newest-first.ts';
import { commandId, journalId, runtimeId, runtimeStart } from './start.ts';

export const lifecycle = z.enum(['accepted', 'initializing', 'running', 'terminal', 'failed', 'interrupted']);
export type Lifecycle = z.infer<typeof lifecycle>;

/** The reason why a run ended without a study. The codes after the first four are in the closed set and are never sent. */
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

/** True if a run in this state will never move again. */
export const hasEnded = (state: Lifecycle): boolean =>
  state === 'terminal' || state === 'failed' || state === 'interrupted';

export const endedBadly = (state: Lifecycle): boolean => state === 'failed' || state === 'interrupted';

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

/** The state of a run: the answer to a status request and, under its own schema name, to a start. */
export const runtimeStatus = status
  .refine((answer) => endedBadly(answer.lifecycle) === (answer.reason !== null), {
    message: 'a reason must be present exactly with failed and interrupted',
    path: ['reason'],
  })
  .refine((answer) => hasEnded(answer.lifecycle) === answer.terminal, {
    message: 'terminal must be true exactly if the lifecycle has ended',
    path: ['terminal'],
  })
  .refine((answer) => (answer.forecast === null) === (answer.runStartReceipt === null), {
    message: 'forecast and run-start receipt must be present together',
    path: ['runStartReceipt'],
  });

export type RuntimeStatus = z.infer<typeof runtimeStatus>;

/** The fields of every list of a runtime beside its own rows; `journalHead` counts the events that the rows rest on. */
export const runtimeListFields = { commandId, runtimeId, journalHead: count };

/** The query of the list of studies. */
export const runtimesQuery = {
  ...listQuery,
  source: identity.optional().describe('only studies of the source with this `sourceSessionId`'),
  lifecycle: lifecycle.optional().describe('only studies in this state'),
  label: z.string().optional().describe('only studies of sources with exactly this label, in any form of Unicode'),
};

/**
 * One study of a host, as its last commit left it. Its status says more, and verifies the journal first. `label` is that of its
 * source, null where the source is gone.
 */
export const runtimeRow = z.strictObject({
  runtimeId,
  commandId,
  sourceSessionId: identity,
  sourceRevisionId: identity,
  label: z.string().nullable(),
  range,
  lifecycle,
  acceptedAt: timestamp,
  lastTransitionAt: timestamp,
  reason: runtimeReason.nullable(),
  terminal: z.boolean(),
});

/** The answer to `GET /v1/runtimes`. */
export const runtimes = z.strictObject({
  schema: z.literal('studio.local-runtimes.v1'),
  runtimes: z.array(runtimeRow),
  ...newestFirstFields,
});

export type RuntimeRow = z.infer<typeof runtimeRow>;
export type Runtimes = z.infer<typeof runtimes>;

import { z } from 'zod';
import { count, timestamp } from './base/grammar.ts';

/** The result of a trial of a recognizer with known sound. */
export const selfTestResult = z.strictObject({
  /** Words of the speech that were right, of so many. */
  wordsRight: z.number().int().nonnegative(),
  wordsSpoken: z.number().int().positive(),
  /** Words that were found in the noise and in the tones, where nobody speaks. */
  wordsInvented: z.number().int().nonnegative(),
  hasWords: z.boolean(),
  hasTimes: z.boolean(),
  hasConfidences: z.boolean(),
  /** Seconds of computation for a second of the speech. */
  secondsPerSecond: z.number().nonnegative(),
  text: z.string(),
});

export type SelfTestResult = z.infer<typeof selfTestResult>;

/** The progress of a command that works on an engine, one document a line on stderr with `--json`. */
export const engineProgress = z.strictObject({
  schema: z.literal('studio.engine-progress.v1'),
  name: z.string().min(1),
  step: z.enum(['fetching', 'trying']),
  /** Bytes that are here, of so many; null for a step without a measure. */
  done: count.nullable(),
  total: count.nullable(),
});

export type EngineProgress = z.infer<typeof engineProgress>;

/** Why a command that works on an engine failed, on stdout with `--json`. */
export const engineFailure = z.strictObject({
  schema: z.literal('studio.engine-failure.v1'),
  /** A code of `docs/guides/engines.md`, or that of a refused start. */
  code: z.string().min(1),
  message: z.string().min(1),
  remedy: z.string().nullable(),
});

export type EngineWorkFailure = z.infer<typeof engineFailure>;

const engineAct = z.enum(['add', 'test', 'use']);

/** The body of `POST /v1/engines/work`: an engine of the catalogue to add, or an installed one to try or to use. */
export const engineWorkRequest = z.strictObject({
  schema: z.literal('studio.engine-work-request.v1'),
  act: engineAct,
  name: z.string().min(1).max(100),
});

export type EngineWorkRequest = z.infer<typeof engineWorkRequest>;

/** The work of this host on an engine, by a command that it started: the one that runs, or else the last one. */
export const engineWork = z.strictObject({
  schema: z.literal('studio.engine-work.v1'),
  act: engineAct,
  name: z.string().min(1),
  startedAt: timestamp,
  state: z.enum(['running', 'done', 'failed', 'stopped']),
  step: engineProgress.shape.step.nullable(),
  /** Bytes that are fetched, of so many; null for a step without a measure. */
  done: count.nullable(),
  total: count.nullable(),
  failure: engineFailure.omit({ schema: true }).nullable(),
  selfTest: selfTestResult.nullable(),
});

export type EngineWork = z.infer<typeof engineWork>;

/** An engine of a card. */
export const engineCard = z.strictObject({
  name: z.string().min(1),
  use: z.literal('recognizer'),
  /** `available` is in the catalogue and not installed. */
  state: z.enum(['in_use', 'installed', 'available']),
  /** What leaves the program, and for where; `nothing` for a program of this machine. */
  sends: z.string().min(1),
  /** The server of its download; null for one that is here. */
  origin: z.string().nullable(),
  /** The bytes of its download, with the program; on the disk for one that is here. Null if that is not known. */
  bytes: count.nullable(),
  languages: count.nullable(),
  memoryBytes: z.number().nullable(),
  /** Seconds of computation for a second of speech: measured with 4 s of speech, or an estimate for one that is available. */
  secondsPerSecond: z.number().nonnegative().nullable(),
  selfTest: selfTestResult.nullable(),
});

export type EngineCard = z.infer<typeof engineCard>;

/** The answer to `GET /v1/engines`. */
export const engineCards = z.strictObject({
  schema: z.literal('studio.engine-cards.v1'),
  /** The engine of the catalogue that fits this machine and the asked language; null if none does. */
  recommended: z.string().nullable(),
  engines: z.array(engineCard),
  /** Null before the first work of this host. */
  work: engineWork.nullable(),
});

export type EngineCards = z.infer<typeof engineCards>;

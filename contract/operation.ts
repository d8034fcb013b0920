import { z } from 'zod';
import { count, identity, positive, timestamp } from './base/grammar.ts';
import { engineCause, engineKind } from './causes/causes.ts';
import { ingestStageWords, stageNames } from './study/stages.ts';

/** The result of one check. `weak` works, with less than it could; `failed` keeps a host from its work. */
export const finding = z.strictObject({
  check: z.string(),
  state: z.enum(['ok', 'weak', 'failed']),
  detail: z.string(),
  /** The remedy; null if none is needed. */
  remedy: z.string().nullable(),
});

/**
 * A part of the host that measures, recognizes, writes or fetches. `reach` is how far its data goes: inside processes of this
 * host, to a server on this machine, or outside the machine.
 */
export const engine = z.strictObject({
  engine: engineKind,
  isOn: z.boolean(),
  /** The tools or the model; null if it is off. */
  name: z.string().nullable(),
  reach: z.enum(['this_host', 'this_machine', 'outside']),
  /** True if its work may be billed. */
  mayCost: z.boolean(),
  /** One clause for people, without capital or full stop. */
  text: z.string().min(1),
  /** The way to switch it on or off; null if it is always on. */
  change: z.string().nullable(),
  /** Why it is off, as data; null if it is on. */
  cause: engineCause.nullable(),
});

/** The answer to `GET /v1/host-checks`: what the host finds of its machine now, and its engines. */
export const hostChecks = z.strictObject({
  schema: z.literal('studio.host-checks.v1'),
  checkedAt: timestamp,
  checks: z.array(finding),
  engines: z.array(engine),
});

export type HostFinding = z.infer<typeof finding>;
export type EngineKind = z.infer<typeof engineKind>;
export type Engine = z.infer<typeof engine>;
export type HostChecksAnswer = z.infer<typeof hostChecks>;

/** The answer of a host to every client that reaches it: that it answers, and its version. */
export const hostHealth = z.strictObject({
  schema: z.literal('studio.host-health.v1'),
  status: z.literal('ok'),
  version: z.string(),
});

export type HostHealth = z.infer<typeof hostHealth>;

/** A number of the system as decimal digits: it may be larger than the integers of JSON. */
const decimal = z.string().regex(/^\d{1,20}$/);

/** Random bytes of a client, for one question. */
export const proofNonce = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * The answer to `GET /v1/host-proof`: which data root and process answer, and the proof that they know the token of the host. It is the
 * HMAC-SHA-256 with the token as key over the JSON list of eight texts without white space: `studio.host-proof.v1`, the nonce, the
 * numeric address and the port on which the host listens, and `device`, `inode`, `pid` and `startedAt` (empty for null).
 */
export const hostProof = z.strictObject({
  schema: z.literal('studio.host-proof.v1'),
  /** The device of the data root (`st_dev`). */
  device: decimal,
  /** The inode of the data root (`st_ino`). */
  inode: decimal,
  pid: positive,
  /** The start of the process, as the system counts it; null if the system has no such count. */
  startedAt: z.string().max(64).nullable(),
  proof: z.string().regex(/^[0-9a-f]{64}$/),
});

export type HostProof = z.infer<typeof hostProof>;

export const ledgerSnapshotRequest = z.strictObject({});

/** A copy of the ledger as it was at one moment, for a backup of the data root. */
export const ledgerSnapshot = z.strictObject({
  schema: z.literal('studio.ledger-snapshot.v1'),
  /** Its place, from the data root. The next snapshot deletes it, and so does the next start. */
  folder: z.string(),
  format: z.number().int(),
  /** Number of the newest batch in it. */
  commit: z.number().int(),
});

export type LedgerSnapshot = z.infer<typeof ledgerSnapshot>;

/** One measured number, with the labels that tell it from others of its metric. */
export interface MetricSample {
  readonly labels?: Readonly<Record<string, string>>;
  /** Follows the name of the metric: a histogram has samples of three kinds. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly value: number;
}

/** One metric of a host in the terms of the Prometheus text format. Names end with their unit; times are in seconds. */
export interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One clause for people. */
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

/** How long a pairing code can be used, in milliseconds. */
export const pairingCodeMs = 300_000;

/** So many wrong codes end the one that is open. */
export const pairingGuesses = 5;

/** So many pages have a token at once; the one that was paired first loses its token to the next. */
export const pairedPages = 16;

/** Ten characters that a person can read out: digits and letters without I, L, O and U; 50 bits of chance. */
export const pairingCode = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{10}$/);

export const pairingCodeRequest = z.strictObject({});

/** A code that the owner of the host hands to one page. Another one ends it. */
export const issuedPairingCode = z.strictObject({
  schema: z.literal('studio.pairing-code.v1'),
  code: pairingCode,
  expiresAt: timestamp,
});

export const pairingRequest = z.strictObject({ schema: z.literal('studio.pairing-request.v1'), code: pairingCode });

/** A bearer token of a page's own. It ends with the host. */
export const pairing = z.strictObject({
  schema: z.literal('studio.pairing.v1'),
  authorizationToken: z.string().regex(/^[0-9a-f]{64}$/),
});

/** So many pages of the owner of the host have a token of their own at once; the oldest one ends with the next. */
export const ownPages = 64;

export const pageTokenRequest = z.strictObject({ schema: z.literal('studio.page-token-request.v1') });

/** A bearer token for a page that has the host's token and keeps only this one: it ends with the process of the host. */
export const pageToken = z.strictObject({
  schema: z.literal('studio.page-token.v1'),
  authorizationToken: z.string().regex(/^[0-9a-f]{64}$/),
});
export type PageToken = z.infer<typeof pageToken>;

export type IssuedPairingCode = z.infer<typeof issuedPairingCode>;
export type Pairing = z.infer<typeof pairing>;

/** The present stage of a piece of work: an ingest from `upload` or `resolve` to `seal`, a study from `initialize` to `admit`. */
export const workStage = z.enum([
  ...(Object.keys(ingestStageWords) as (keyof typeof ingestStageWords)[]),
  ...stageNames,
  'ended',
]);
export type WorkStage = z.infer<typeof workStage>;

/**
 * The progress of an ingest or a study within its stage, as the running host measures it; none of it is stored. A value that is
 * not measured is null. `bytes` and `bytesPerSecond` are of transfers and of hashing, and `queuePosition` counts from 1. `etaMs`
 * is the time that the rest of the stage takes at the pace measured so far.
 */
export const workProgress = z.strictObject({
  schema: z.literal('studio.local-work-progress.v1'),
  id: identity,
  stage: workStage,
  completed: count.nullable(),
  total: count.nullable(),
  unit: z.enum(['bytes', 'milliseconds']).nullable(),
  bytes: count.nullable(),
  bytesPerSecond: count.nullable(),
  queuePosition: positive.nullable(),
  etaMs: count.nullable(),
});
export type WorkProgress = z.infer<typeof workProgress>;

/** The least time between two notices about one piece of work, in ms: at most ten a second. */
export const progressPauseMs = 100;

/** The description of the wire, in OpenAPI 3.1. */
export const openApiDocument = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.looseObject({})),
});

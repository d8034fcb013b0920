import { z } from 'zod';
import { timestamp } from '../base/grammar.ts';

/** What one check came to. `weak` works, with less than it could; `failed` keeps a host from its work. */
export const finding = z.strictObject({
  check: z.string(),
  state: z.enum(['ok', 'weak', 'failed']),
  detail: z.string(),
  /** What can be done; null where nothing has to be. */
  remedy: z.string().nullable(),
});

export const engineKind = z.enum([
  'detectors',
  'recognizer',
  'screen_text',
  'captions',
  'caption_translation',
  'explanations',
  'video_hosts',
]);

/**
 * A part of the host that measures, recognises, writes or fetches. `reach` says how far what it works on goes: it stays in processes
 * of this host, is sent to a server on this machine, or leaves the machine.
 */
export const engine = z.strictObject({
  engine: engineKind,
  isOn: z.boolean(),
  /** The tools or the model; null where it is off. */
  name: z.string().nullable(),
  reach: z.enum(['this_host', 'this_machine', 'outside']),
  /** Whether work of it may be billed. */
  mayCost: z.boolean(),
  /** One clause for people, without capital or full stop. */
  text: z.string().min(1),
  /** How to switch it on or off; null where it is always on. */
  change: z.string().nullable(),
});

/** The answer to `GET /v1/host-checks`: what the host finds of its machine now, and the engines that it was started with. */
export const hostChecks = z.strictObject({
  schema: z.literal('studio.host-checks.v1'),
  checkedAt: timestamp,
  checks: z.array(finding),
  engines: z.array(engine),
});

export type Finding = z.infer<typeof finding>;
export type EngineKind = z.infer<typeof engineKind>;
export type Engine = z.infer<typeof engine>;
export type HostChecksAnswer = z.infer<typeof hostChecks>;

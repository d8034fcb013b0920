import { z } from 'zod';
import { contentId, count } from '../base/grammar.ts';
import { artifactId } from '../base/operation.ts';
import { toolIdentity } from '../base/tool.ts';
import { detectedFact, parameters, unavailableReason } from '../evidence/evidence.ts';
import { languageRangeFact } from '../evidence/evidence-read.ts';
import { runtimeListFields } from './runtime-list.ts';
import { evidenceKind } from './study-record.ts';

/**
 * One kind of evidence that a study has, with all its facts, or the reason why there is none. `tool` is null for what
 * came with the source; the parameters are those of whoever measured. `trackIndex` names the track that a reason is of.
 */
export const evidenceRow = z.discriminatedUnion('state', [
  z.strictObject({
    kind: evidenceKind,
    state: z.literal('available'),
    reasonCode: z.null(),
    artifactId,
    contentId,
    tool: toolIdentity.nullable(),
    parameters,
    facts: z.array(z.union([detectedFact, languageRangeFact])),
  }),
  z.strictObject({
    kind: evidenceKind,
    state: z.literal('unavailable'),
    reasonCode: unavailableReason,
    trackIndex: count.optional(),
    artifactId: z.null(),
    contentId: z.null(),
    tool: z.null(),
    parameters: z.null(),
    facts: z.tuple([]),
  }),
]);

/**
 * The answer to `GET …/evidence`: what the study detected in the order of its journal, then what came with the source. A
 * kind that a running study has not come to yet is absent.
 */
export const runtimeEvidence = z.strictObject({
  schema: z.literal('studio.local-runtime-evidence.v1'),
  ...runtimeListFields,
  evidence: z.array(evidenceRow),
});

export type EvidenceRow = z.infer<typeof evidenceRow>;
export type RuntimeEvidence = z.infer<typeof runtimeEvidence>;

import { z } from 'zod';
import { toolIdentity } from '../base/artifact.ts';
import { evidenceCause } from '../causes/causes.ts';
import { detectedFact, furtherFact, furtherKind, furtherKinds, parameters } from '../evidence/evidence.ts';
import { languageRangeFact } from '../evidence/evidence-read.ts';
import { runtimeListFields } from './status.ts';
import { evidenceKinds, studyEvidence } from './study-record.ts';

const [available, unavailable] = studyEvidence.options;
const unavailableRow = unavailable.extend({ parameters: z.null(), facts: z.tuple([]), cause: evidenceCause });

/**
 * One kind of evidence that a study has, with all its facts, or the reason why there is none. `tool` is null for what
 * came with the source; the parameters are those of the measurement. `trackIndex` names the track that a reason is of. `cause` has
 * the reason too, and more exactly where the study declared no language, or where an engine failed.
 */
export const evidenceRow = z.discriminatedUnion('state', [
  available.extend({ parameters, facts: z.array(z.union([detectedFact, languageRangeFact])) }),
  unavailableRow,
]);

/** The same for one of the further kinds, which are answered only on request. */
export const furtherRow = z.discriminatedUnion('state', [
  available.extend({ kind: furtherKind, tool: toolIdentity, parameters, facts: z.array(furtherFact) }),
  unavailableRow.extend({ kind: furtherKind }),
]);

/** The values of `?kind=`: one kind, or `all` of them with the further ones, which the answer without it leaves out. */
export const askedKind = z.union([z.enum([...evidenceKinds, ...furtherKinds, 'all']), furtherKind]);
export type AskedKind = z.infer<typeof askedKind>;

/**
 * The answer to `GET …/evidence`: first the findings of the study in the order of its journal. The evidence that came with the
 * source follows, then the requested further kinds. A kind that a running study has not reached yet is absent. So is a further
 * kind of a study that ended before hosts measured it.
 */
export const runtimeEvidence = z.strictObject({
  schema: z.literal('studio.local-runtime-evidence.v1'),
  ...runtimeListFields,
  evidence: z.array(z.union([evidenceRow, furtherRow])),
});

export type EvidenceRow = z.infer<typeof evidenceRow>;
export type FurtherRow = z.infer<typeof furtherRow>;
export type RuntimeEvidence = z.infer<typeof runtimeEvidence>;

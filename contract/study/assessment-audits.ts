import { z } from 'zod';
import { identity } from '../base/grammar.ts';
import { artifactId, operationId } from '../base/operation.ts';
import { citation, claim } from '../evidence/evidence-assessment.ts';
import { assessmentReference } from '../evidence/evidence-decision.ts';
import { runtimeListFields } from './runtime-list.ts';

/** Which facts of which read a claim rests on, and which evidence was read. */
const citations = z.array(citation.extend({ readOperationId: operationId, evidenceArtifactId: artifactId })).min(1);

const [speechClaim, languageClaim, transcriptClaim, screenTextClaim] = claim.options;

export const auditedClaim = z.discriminatedUnion('kind', [
  speechClaim.extend({ citations }),
  languageClaim.extend({ citations }),
  transcriptClaim.extend({ citations }),
  screenTextClaim.extend({ citations }),
]);

/** One assessment whose receipt, reads and evidence were reopened and derived again. */
export const assessmentAudit = assessmentReference.extend({
  taskId: identity,
  agentId: identity,
  integrity: z.literal('stored_receipt_and_citations_verified'),
  claims: z
    .array(auditedClaim)
    .min(1)
    .refine((claims) => claims.every(({ claimIndex }, position) => claimIndex === position), 'numbered by position'),
});

/** The answer to `GET …/assessment-audits`: empty until a runtime has assessed something, and where it had no claims. */
export const assessmentAudits = z.strictObject({
  schema: z.literal('studio.local-runtime-assessment-audits.v1'),
  ...runtimeListFields,
  audits: z
    .array(assessmentAudit)
    .refine(
      (audits) => new Set(audits.map((audit) => audit.operationId)).size === audits.length,
      'each operation once',
    ),
});

export type AssessmentAudit = z.infer<typeof assessmentAudit>;
export type AssessmentAudits = z.infer<typeof assessmentAudits>;

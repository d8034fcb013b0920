import type { EvidenceAudits } from '../../actors/reopening/evidence-audits.ts';
import { ServiceError } from '../../contract/base/errors.ts';
import { contentId } from '../../contract/base/grammar.ts';
import { assessmentAudits, decisionReceipts } from '../../contract/evidence/assessment.ts';
import { describedKinds } from '../../contract/evidence/evidence-kinds.ts';
import { evidenceObjectTypes } from '../../contract/evidence/evidence-object.ts';
import { runtimeJudgements } from '../../contract/judgement.ts';
import { type AskedKind, askedKind, runtimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { runtimeId } from '../../contract/study/start.ts';
import { evidenceKinds } from '../../contract/study/study-record.ts';
import { furtherKindNames, kindsForPeople } from '../../kinds/kinds.ts';
import {
  type Answer,
  conditionFields,
  entityTag,
  isKnownToClient,
  jsonHeaders,
  namedValues,
  notModified,
  taggedFields,
} from '../exchange/answer.ts';
import { json, notModifiedAnswer, refusalsOfReopening } from '../exchange/description.ts';
import { type Call, type Route, read, route } from '../exchange/route.ts';

/** The routes of evidence, and of what was concluded from it. */
export const auditRoutes = (audits: EvidenceAudits): readonly Route[] => [
  route('/v1/runtimes/:runtimeId/assessment-audits', {
    room: 'evidence',
    params: { runtimeId },
    GET: read({
      id: 'readAssessmentAudits',
      summary: 'the claims of a study, and the facts that each of them cites',
      details:
        'Every receipt, read and evidence behind them is reopened and derived again first. Empty until the study has assessed something, and where it had nothing to claim.',
      answers: [json(200, assessmentAudits)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await audits.assessments(call.params.runtimeId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/decision-receipts', {
    room: 'evidence',
    params: { runtimeId },
    GET: read({
      id: 'readDecisionReceipts',
      summary: 'the decision of a study: may its result go to a reviewer',
      answers: [json(200, decisionReceipts)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await audits.decisions(call.params.runtimeId) }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/judgements', {
    room: 'evidence',
    params: { runtimeId },
    GET: read({
      id: 'readJudgements',
      summary: 'by which rules the records of a study were judged, and whether this host judged them again',
      details:
        'Every record is reopened first. `form_checked` means that this host lacks the version of the rules that judged the record. Then its form, its digests and its chain are checked, and its judgement is not repeated.',
      answers: [json(200, runtimeJudgements)],
      refusals: refusalsOfReopening,
      handle: async (call) => ({ status: 200, body: await audits.judgements(call.params.runtimeId) }),
    }),
  }),
  route('/v1/evidence-kinds', {
    room: 'evidence',
    GET: read({
      id: 'listEvidenceKinds',
      summary: 'the kinds of evidence that this host has, with the words and the look of their facts',
      details:
        'In the order in which a page shows them. The words are parts: texts, and fields of a fact or a finding with the form in which they are written. A kind may be added, and its facts then have the fields that its words name.',
      answers: [json(200, describedKinds)],
      refusals: [],
      handle: async () => ({ status: 200, body: kindsForPeople }),
    }),
  }),
  route('/v1/runtimes/:runtimeId/evidence', {
    room: 'evidence',
    params: { runtimeId },
    GET: read({
      id: 'readEvidence',
      summary: 'the evidence of a study with all its facts',
      details:
        'A kind that this study can never have is in the list with its reason. A kind that a running study has not reached yet is absent. Clients of 0.2.0 know a closed list of kinds. Later kinds come only with `kind=all`, or if `kind` names them.',
      query: {
        kind: askedKind.optional().describe('only evidence of this kind, or all, with the kinds that came later'),
      },
      answers: [json(200, runtimeEvidence)],
      refusals: refusalsOfReopening,
      handle: async (call) => {
        const kind = kindAsked(call);
        return { status: 200, body: await audits.evidence(call.params.runtimeId, kind) };
      },
    }),
  }),
  route('/v1/runtimes/:runtimeId/evidence/objects/:contentId', {
    room: 'evidence',
    params: { runtimeId, contentId },
    GET: read({
      id: 'readEvidenceObject',
      summary: 'the bytes of an object that a fact of a study names, such as a keyframe',
      details:
        'A `keyframe` names a JPEG; a `waveform` names measurements in the format of audiowaveform (version 1, 16 bits). The content id is the digest of the bytes, and `ETag` has it. Every other object of the host is `not_found`.',
      headers: conditionFields,
      answers: [
        {
          status: 200,
          types: [...new Set(Object.values(evidenceObjectTypes))],
          fields: ['ETag', 'Access-Control-Expose-Headers'],
        },
        notModifiedAnswer,
      ],
      refusals: [...refusalsOfReopening, 'not_found'],
      handle: (call) => objectAnswer(audits, call),
    }),
  }),
];

async function objectAnswer(
  audits: EvidenceAudits,
  { params, client }: Call<null, 'runtimeId' | 'contentId'>,
): Promise<Answer> {
  const asked = params.contentId;
  const { mediaType, bytes } = await audits.object(params.runtimeId, asked);
  const tag = entityTag(asked);
  if (isKnownToClient(client.head, tag)) return notModified(tag);
  return { status: 200, headers: { ...jsonHeaders, 'Content-Type': mediaType, ...taggedFields(tag) }, body: bytes };
}

/** The values of `?kind=` on this host. */
export const askedKinds: readonly string[] = [...evidenceKinds, ...furtherKindNames, 'all'];

/**
 * The requested kind; null for all. A kind that does not exist is an unknown query: an empty list would mean that the study lacks
 * it.
 */
export function kindAsked({ query }: Pick<Call<null>, 'query'>): AskedKind | null {
  const asked = query.get('kind');
  if (asked === undefined) return null;
  if (askedKinds.includes(asked)) return asked;
  throw new ServiceError('unknown_query', `kind is one of ${namedValues(askedKinds)}`);
}

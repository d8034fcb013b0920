import type { EvidenceAudits } from '../../actors/reopening/evidence-audits.ts';
import { ServiceError } from '../../contract/base/service-error.ts';
import { type EvidenceKind, evidenceKind, evidenceKinds } from '../../contract/study/study-record.ts';
import { type Call, type Route, read } from '../exchange/route.ts';

/** The routes of a runtime's evidence, and of what was concluded from it. */
export const auditRoutes = (audits: EvidenceAudits): readonly Route[] => [
  {
    path: '/v1/runtimes/:runtimeId/assessment-audits',
    methods: { GET: read(async (call) => ({ status: 200, body: await audits.assessments(runtimeOf(call)) })) },
  },
  {
    path: '/v1/runtimes/:runtimeId/decision-receipts',
    methods: { GET: read(async (call) => ({ status: 200, body: await audits.decisions(runtimeOf(call)) })) },
  },
  {
    path: '/v1/runtimes/:runtimeId/evidence',
    methods: {
      GET: read(
        async (call) => {
          const kind = kindOf(call);
          return { status: 200, body: await audits.evidence(runtimeOf(call), kind) };
        },
        ['kind'],
      ),
    },
  },
];

const runtimeOf = ({ params }: Call<null>): string => params.runtimeId ?? '';

/**
 * The kind that is asked for; null for all. A kind that nobody has ever heard of is a query that this path does not know:
 * an empty list would say that the study lacks it.
 */
function kindOf({ query }: Call<null>): EvidenceKind | null {
  const asked = query.get('kind');
  if (asked === undefined) return null;
  const kind = evidenceKind.safeParse(asked);
  if (kind.success) return kind.data;
  throw new ServiceError('unknown_query', `kind is one of ${evidenceKinds.join(', ')}`);
}

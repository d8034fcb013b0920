import type { z } from 'zod';
import type { ExplanationInput } from '../../contract/explanations/language-explanation.ts';
import {
  type ExplanationOutput,
  explanationOutput,
  type FacetKind,
  facetContents,
  type MissingFacetReason,
  type StoredFacet,
  storedFacet,
} from '../../contract/explanations/language-explanation-facet.ts';
import { ExplanationFailure } from '../../contract/explanations/language-explanation-failure.ts';
import type { ExplanationResult } from '../../contract/explanations/language-explanation-records.ts';

/** Which availability each reason for a missing facet comes with. */
const availabilityOf = {
  generator_abstained: 'withheld',
  insufficient_caption_context: 'withheld',
  facet_not_applicable: 'unavailable',
  target_unavailable: 'unavailable',
} as const satisfies Record<MissingFacetReason, string>;

const common = { executionAuthority: 'host_receipted', semanticReview: 'not_reviewed', externalCitationIds: [] };

const missing = (kind: FacetKind, reasonCode: MissingFacetReason): StoredFacet =>
  storedFacet.parse({
    kind,
    availability: availabilityOf[reasonCode],
    reasonCode,
    content: null,
    grounding: 'none',
    ...common,
  });

/** The facets of a request that a generator can be asked for: a choice of words needs a translation. */
export const askableKinds = ({ line }: ExplanationInput, kinds: readonly FacetKind[]): FacetKind[] =>
  kinds.filter((kind) => kind !== 'translation_choice' || line.target.text !== null);

/** Every text of a content without the white space around it. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(trimmed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, trimmed(each)]));
}

const hasEmptyText = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.values(value).some(hasEmptyText));

function causeOf({ path, message }: z.core.$ZodIssue, kind: FacetKind): ExplanationFailure {
  const place = [kind, ...path].join('.');
  return new ExplanationFailure(message === 'is too long' ? 'too_large' : 'invalid_output', `${place} ${message}`);
}

function facetOf(kind: FacetKind, { facets }: ExplanationOutput): StoredFacet {
  const given = facets[kind];
  const content = trimmed(given?.content ?? null);
  // Content without words is none: the generator had nothing to say.
  if (content === null || hasEmptyText(content)) return missing(kind, given?.reason ?? 'generator_abstained');
  const shaped = facetContents[kind].safeParse(content);
  const [issue] = shaped.error?.issues ?? [];
  if (issue !== undefined) throw causeOf(issue, kind);
  return storedFacet.parse({
    kind,
    availability: 'available',
    reasonCode: null,
    content: shaped.data,
    grounding: 'caption_context_inference',
    ...common,
  });
}

/**
 * The facets of a request, once each and in its order, from what a generator gave. What it did not give is withheld or
 * unavailable with the reason that it gave, or because it abstained; texts lose the white space around them. Throws
 * `ExplanationFailure` for texts that cannot be stored.
 */
export function facetsOf(
  input: ExplanationInput,
  kinds: readonly FacetKind[],
  output: ExplanationOutput,
): StoredFacet[] {
  const askable = askableKinds(input, kinds);
  return kinds.map((kind) => (askable.includes(kind) ? facetOf(kind, output) : missing(kind, 'target_unavailable')));
}

/** What a generator has to have given for these facets; those without a target were never asked for. */
export const outputOfFacets = (facets: readonly StoredFacet[]): ExplanationOutput =>
  explanationOutput.parse({
    facets: Object.fromEntries(
      facets
        .filter(({ reasonCode }) => reasonCode !== 'target_unavailable')
        .map(({ kind, content, reasonCode }) => [kind, { content, reason: reasonCode }]),
    ),
  });

/** What the facets come to. */
export function explanationResultOf(facets: readonly StoredFacet[]): ExplanationResult {
  const among = (state: StoredFacet['availability']): number =>
    facets.filter(({ availability }) => availability === state).length;
  const counts = {
    requestedFacetCount: facets.length,
    availableFacetCount: among('available'),
    withheldFacetCount: among('withheld'),
    unavailableFacetCount: among('unavailable'),
  };
  if (counts.availableFacetCount === facets.length) return { status: 'completed', ...counts };
  if (counts.availableFacetCount > 0) return { status: 'partial', ...counts };
  return { status: counts.withheldFacetCount === facets.length ? 'withheld' : 'unavailable', ...counts };
}

import type { ExecutionContext } from 'ava';
import { captionProductionResults } from '../../../contract/captions/caption-answers.ts';
import type { CaptionReference } from '../../../contract/captions/caption-production.ts';
import type { ExplanationRequest } from '../../../contract/explanations/language-explanation.ts';
import {
  type LanguageExplanations,
  languageExplanations,
} from '../../../contract/explanations/language-explanation-answers.ts';
import { type Captioned, captioned, pathOf } from '../captions/steps.ts';
import type { HostContract } from '../host/contract.ts';

/** What the host of these suites holds and must never let out. */
export const apiKey = 'sk-secret-of-the-test';
export const model = 'org/stub:1b';

export const explanationsOf = (runtimeId: string): string => pathOf(runtimeId, 'language-explanations');

/** Captions of a study, as explanations take them. */
export interface Explainable extends Captioned {
  readonly reference: CaptionReference;
  readonly lines: readonly { readonly id: string; readonly source: string; readonly target: string | null }[];
}

/** Has captions made that can be explained. */
export async function explainable(t: ExecutionContext, contract: HostContract, others: object): Promise<Explainable> {
  const made = await captioned(t, contract, others);
  const { jobId, captionArtifactId, captionContentId, receiptArtifactId, receiptId, receiptContentId } = made.caption;
  const answer = await contract.get(pathOf(made.runtimeId, 'caption-production-results'));
  const { results } = contract.granted(t, answer, 200, captionProductionResults);
  return {
    ...made,
    reference: {
      jobId,
      artifactId: captionArtifactId,
      contentId: captionContentId,
      receiptArtifactId,
      receiptId,
      receiptContentId,
    },
    lines: (results[0]?.artifact.lines ?? []).map(({ id, source, target }) => ({
      id,
      source: source.text ?? '',
      target: target.text,
    })),
  };
}

/** A question about code points `[start, end)` of the source side of a line. */
export function questionOf(
  { reference, lines }: Explainable,
  { line = 0, start = 0, end = 2, facetKinds = ['meaning'] as ExplanationRequest['facetKinds'] } = {},
): ExplanationRequest {
  const asked = lines[line];
  if (asked === undefined) throw new RangeError(`no line ${line}`);
  const text = [...asked.source].slice(start, end).join('');
  return {
    caption: reference,
    lineId: asked.id,
    selection: { side: 'source', unit: 'unicode_code_point', start, end, text },
    facetKinds,
  };
}

export async function listed(
  t: ExecutionContext,
  contract: HostContract,
  runtimeId: string,
): Promise<LanguageExplanations> {
  return contract.granted(t, await contract.get(explanationsOf(runtimeId)), 200, languageExplanations);
}

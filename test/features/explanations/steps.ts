import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { CaptionReference } from '../../../contract/captions/caption-production.ts';
import {
  type ExplanationRequest,
  type LanguageExplanationList,
  languageExplanations,
} from '../../../contract/explanations/explanation.ts';
import type { CheckedWire } from '../../host/checked-wire.ts';
import { ModelInMemory } from '../../host/model-in-memory.ts';
import { TestHost } from '../../host/test-host.ts';
import { type Captioned, captionFlags, captionsOfLife, pathOf, resultsOf } from '../../http/captions/steps.ts';

/** Secrets of the host of these suites, which it must never reveal. */
export const apiKey = 'sk-secret-of-the-test';
export const model = 'org/stub:1b';

/** Options for captions and their explanations. */
export const explainerFlags = [
  ...captionFlags.embedded,
  ...['--language-explanation-executor', 'openai', '--allow-real-language-explanation'],
  ...['--language-explanation-model', model],
];

/** A well-formed runtime id that does not exist. */
export const nowhere = 'runtime:00000000-0000-4000-8000-000000000000';

export const explanationsOf = (runtimeId: string): string => pathOf(runtimeId, 'language-explanations');

/** Captions of a study, as explanations take them. */
export interface Explainable extends Captioned {
  readonly reference: CaptionReference;
  readonly lines: readonly { readonly id: string; readonly source: string; readonly target: string | null }[];
}

/** A host on the life with captions, which a provider in memory explains. */
export async function openExplaining(
  t: ExecutionContext,
): Promise<{ host: TestHost; study: Explainable; provider: ModelInMemory }> {
  const provider = new ModelInMemory();
  const environment = { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: provider.baseUrl };
  const host = await TestHost.open(t, { life: 'captioned', flags: explainerFlags, environment });
  return { host, study: await explainable(t, host, await captionsOfLife(t, host, host.known)), provider };
}

/** Captions with what a question about them names. */
export async function explainable(t: ExecutionContext, host: CheckedWire, made: Captioned): Promise<Explainable> {
  const { jobId, captionArtifactId, captionContentId, receiptArtifactId, receiptId, receiptContentId } = made.caption;
  const { results } = await resultsOf(t, host, made.runtimeId);
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

/** Asks for an explanation, and gives all that there are. */
export async function explained(
  t: ExecutionContext,
  host: CheckedWire,
  runtimeId: string,
  question: ExplanationRequest,
): Promise<LanguageExplanationList> {
  return host.granted(t, await host.post(explanationsOf(runtimeId), question), 201, languageExplanations);
}

export async function listed(
  t: ExecutionContext,
  host: CheckedWire,
  runtimeId: string,
): Promise<LanguageExplanationList> {
  return host.granted(t, await host.get(explanationsOf(runtimeId)), 200, languageExplanations);
}

/** Expects a text in no file and in no report of a host. */
export async function isNowhere(t: ExecutionContext, host: TestHost, text: string): Promise<void> {
  t.false(host.reports().join().includes(text));
  for (const entry of await readdir(host.dataRoot, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    t.false((await readFile(join(entry.parentPath, entry.name))).includes(text), entry.name);
  }
}

import {
  type ExplanationConfiguration,
  type ExplanationExecutorIdentity,
  type ExplanationOutput,
  type ExplanationPrompt,
  explanationPrompt,
  type FacetKind,
  facetKinds,
} from '../../../contract/explanations/executor.ts';
import { type ExplanationRequest, explanationFailureOf } from '../../../contract/explanations/explanation.ts';
import { type CaptionJob, captionsOf } from '../../../receipts/captions/artifact.ts';
import { wholeCaptionsOf } from '../../../receipts/captions/stored-captions.ts';
import {
  type ExplanationJob,
  explanationFailed,
  explanationJobIdOf,
  explanationOf,
  explanationStarted,
  facetsOf,
  recordExplanation,
} from '../../../receipts/explanations/explanation.ts';
import {
  type ExplainableCaption,
  explanationExecutorOf,
  explanationInputOf,
} from '../../../receipts/stages/explanation.ts';
import { recordCaptions } from '../captions/recorded-captions.ts';

/** Any prompt: records name it by its digest. */
export const prompt: ExplanationPrompt = explanationPrompt.parse({
  schema: 'studio.language-explanation.prompt.v1',
  version: '1',
  system: 'You explain a selected part of subtitles.',
  facets: Object.fromEntries(facetKinds.map((kind) => [kind, `${kind}: what it says.`])),
  contents: Object.fromEntries(facetKinds.map((kind) => [kind, { type: 'object' }])),
});

export const configuration: ExplanationConfiguration = {
  schema: 'studio.language-explanation.configuration.v1',
  baseUrl: 'http://127.0.0.1:11434/v1',
  model: 'small:1b',
  responseFormat: 'json_schema_strict',
  tokenLimitFields: ['max_completion_tokens', 'max_tokens'],
  maxCompletionTokens: 4000,
  maxProviderResponseBytes: 131_072,
  maxOutputBytes: 65_536,
  maxWallMs: 60_000,
  retries: 0,
  redirects: 'refused',
};

/** The captions of a production as an explanation takes them. */
export const explainableOf = (job: CaptionJob): ExplainableCaption => ({
  artifact: wholeCaptionsOf(captionsOf(job)),
  reference: recordCaptions(job).refs,
});

/** The request about captions; by default the first two code points of the first line's source. */
export interface Asked {
  readonly line?: number;
  readonly side?: 'source' | 'target';
  readonly start?: number;
  readonly end?: number;
  readonly facetKinds?: FacetKind[];
  readonly attempt?: number;
  readonly executor?: Partial<ExplanationExecutorIdentity>;
}

export function requestOf(
  { artifact, reference }: ExplainableCaption,
  { line = 0, side = 'source', start = 0, end = 2, facetKinds = ['meaning', 'word'] }: Asked = {},
): ExplanationRequest {
  const asked = artifact.lines[line];
  if (asked === undefined) throw new RangeError(`no line ${line}`);
  const text = [...(asked[side].text ?? '')].slice(start, end).join('');
  return {
    caption: reference,
    lineId: asked.id,
    selection: { side, unit: 'unicode_code_point', start, end, text },
    facetKinds,
  };
}

export const explanationJob = (job: CaptionJob, asked: Asked = {}): ExplanationJob => {
  const caption = explainableOf(job);
  const request = requestOf(caption, asked);
  const { run } = job.study;
  const executor = { ...explanationExecutorOf({ prompt, configuration }).identity, ...asked.executor };
  return { run, request, input: explanationInputOf(run, caption, request), executor, attempt: asked.attempt ?? 0 };
};

export const output: ExplanationOutput = {
  facets: {
    meaning: { content: { sceneMeaning: 'A greeting.' }, reason: null },
    word: { content: null, reason: 'facet_not_applicable' },
  },
};

export const execution = { providerResponseId: 'chatcmpl-1', inputTokens: 321, outputTokens: 45 };

/** The steps that an attempt takes, each with the events and objects that it leaves. */
export function explanationSteps(job: ExplanationJob) {
  const { objects: settings } = explanationExecutorOf({ prompt, configuration });
  const recorded = recordExplanation(
    job.run,
    explanationOf(job, facetsOf(job.input, job.request.facetKinds, output)),
    execution,
  );
  const reason = explanationFailureOf('interrupted', 'the attempt was cut short');
  return {
    job,
    started: [explanationStarted(job)],
    failed: [explanationFailed(job.run, explanationJobIdOf(job), reason)],
    recorded: recorded.events,
    settings,
    objects: recorded.objects,
  };
}

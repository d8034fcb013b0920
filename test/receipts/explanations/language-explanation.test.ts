import test from 'ava';
import {
  facetKinds,
  maximumFacetTextBytes,
  type StoredFacet,
} from '../../../contract/explanations/language-explanation-facet.ts';
import { ExplanationFailure } from '../../../contract/explanations/language-explanation-failure.ts';
import {
  explanationArtifact,
  explanationReceipt,
} from '../../../contract/explanations/language-explanation-records.ts';
import { contentIdOf, hashOf } from '../../../receipts/core/canonical-json.ts';
import { facetsOf } from '../../../receipts/explanations/explanation-facets.ts';
import type { ExplanationJob } from '../../../receipts/explanations/explanation-job.ts';
import { explanationOf, recordExplanation } from '../../../receipts/explanations/language-explanation.ts';
import { captionJob } from '../captions/captioned-studies.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { execution, explanationJob, output } from './explained-captions.ts';

const captioning = await captionJob({ version: 1, windows: 4, tracks: twoTracks });
const job = explanationJob(captioning);
const runId = job.run.record.runtimeId;

const written = (asked: ExplanationJob, facets: readonly StoredFacet[]) =>
  recordExplanation(asked.run, explanationOf(asked, facets), execution);

test('an explanation and its receipt go by names that anybody can derive', (t) => {
  const { objects, refs, events } = written(job, facetsOf(job.input, ['meaning', 'word'], output));
  const [artifact, receipt] = objects.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString('utf8')));
  t.deepEqual(explanationArtifact.parse(artifact), artifact);
  t.deepEqual(explanationReceipt.parse(receipt), receipt);
  const { schema, receiptId, ...body } = receipt;
  t.is(receiptId, `language-explanation-receipt:${hashOf(body)}`);
  const named = (kind: string, contentId: string) =>
    `artifact:${hashOf({ runId, jobId: artifact.jobId, kind, contentId })}`;
  t.deepEqual(refs, {
    jobId: artifact.jobId,
    artifactId: named('language-explanation-output', contentIdOf(artifact)),
    contentId: contentIdOf(artifact),
    receiptArtifactId: named('language-explanation-receipt', contentIdOf(receipt)),
    receiptId,
    receiptContentId: contentIdOf(receipt),
  });
  t.like(artifact, {
    semanticReview: { state: 'not_reviewed', reviewId: null },
    rights: { publication: 'private', exportEligibility: 'unavailable' },
    result: { status: 'partial', requestedFacetCount: 2, availableFacetCount: 1, unavailableFacetCount: 1 },
  });
  t.is(receipt.result.bytes, objects[0]?.bytes.length);
  t.deepEqual(
    events.map(({ type }) => type),
    ['artifact.recorded', 'artifact.recorded', 'language.explanation_completed'],
  );
});

test('the same explanation gives the same bytes', (t) => {
  const facets = facetsOf(job.input, ['meaning', 'word'], output);
  const [one, other] = [written(job, facets), written(job, facets)];
  t.deepEqual(one, other);
});

test('an explanation whose record would be too large is none', (t) => {
  const text = 'x'.repeat(maximumFacetTextBytes);
  const segments = Array.from({ length: 16 }, () => ({ form: text, role: text }));
  const all = explanationJob(captioning, { facetKinds: [...facetKinds] });
  const facets: StoredFacet[] = facetsOf(all.input, ['grammar'], {
    facets: { grammar: { content: { construction: text, explanation: text, segments }, reason: null } },
  });
  const error = t.throws(() => written(all, facets), { instanceOf: ExplanationFailure });
  t.regex(error.message, /^too_large: the record would have \d+ bytes$/);
});

import { readFileSync } from 'node:fs';
import test from 'ava';
import { artifactIdOf, outputArtifactId } from '../../../receipts/core/artifact.ts';
import { forecastFreezeOf } from '../../../receipts/start/forecast-freeze.ts';
import { planStudy } from '../../../receipts/start/study-plan.ts';
import { clipRequest, koreanClip } from '../sources/korean-clip.ts';

interface Vector {
  readonly name: string;
  readonly expected: string | { readonly freezeId: string; readonly bytes: number };
}

const { vectors } = JSON.parse(
  readFileSync(new URL('../../../fixtures/vectors/identities.json', import.meta.url), 'utf8'),
) as { vectors: readonly Vector[] };

const expectedOf = (name: string): Vector['expected'] => {
  const vector = vectors.find((each) => each.name === name);
  if (vector === undefined) throw new Error(`no vector '${name}'`);
  return vector.expected;
};

const golden = (name: string): string => {
  const expected = expectedOf(name);
  if (typeof expected !== 'string') throw new Error(`the vector '${name}' is no single id`);
  return expected;
};

const plan = planStudy(koreanClip, clipRequest);

test('the source of the vectors has their session and revision', (t) => {
  t.is(koreanClip.session.sessionId, golden('sourceSessionId'));
  t.is(koreanClip.session.revisionId, golden('sourceRevisionId'));
});

test('a plan derives the golden ids of request, work, command and run', (t) => {
  t.is(plan.analysisRequest.requestId, golden('analysisRequestId'));
  t.is(plan.workPlan.operations[0].operationId, golden('operationId'));
  t.is(plan.workPlan.planId, golden('planId'));
  t.is(plan.commandId, golden('commandId'));
  t.is(plan.runtimeId, golden('runtimeId'));
  t.is(plan.journalId, `journal:${golden('runtimeId')}`);
});

test('a client request id makes the golden command of its own', (t) => {
  const again = planStudy(koreanClip, { ...clipRequest, clientRequestId: 'attempt-2' });
  t.is(again.commandId, golden('commandId with clientRequestId'));
  t.not(again.runtimeId, plan.runtimeId);
  t.deepEqual(again.analysisRequest, plan.analysisRequest);
});

test('a freeze has the golden id and length', (t) => {
  const zero = '0'.repeat(64);
  const freeze = forecastFreezeOf({
    forecast: {
      forecastId: `forecast:${zero}`,
      content: { algorithm: 'sha256', digest: zero, contentId: `sha256:${zero}`, bytes: 1 },
    },
    runId: plan.runtimeId,
    runStartAt: '2026-01-02T03:04:05.678Z',
  });
  t.deepEqual({ freezeId: freeze.freezeId, bytes: freeze.content.bytes }, expectedOf('freezeId'));
});

test('artifacts of source, preflight evidence and output have the golden ids', (t) => {
  t.is(plan.sourceArtifactId, golden('source artifactId'));
  const language = koreanClip.pinnedEvidence[1];
  if (language === undefined) throw new Error('the clip has language evidence');
  const origin = {
    kind: 'preflight_evidence',
    evidenceKind: language.kind,
    preflightContentId: koreanClip.session.preflight.contentId,
  } as const;
  t.is(
    artifactIdOf({ runId: plan.runtimeId, kind: language.kind, contentId: language.contentId, origin }),
    golden('preflight-evidence artifactId'),
  );
  const jobId = `caption-production:${'b'.repeat(64)}`;
  t.is(
    outputArtifactId(plan.runtimeId, { jobId }, 'caption-production-output', `sha256:${'c'.repeat(64)}`),
    golden('caption output artifactId'),
  );
});

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { languageExplanations } from '../../../contract/explanations/language-explanation-answers.ts';
import { explainsWell, type StubProvider, says } from '../../../fixtures/hosted-model/stub-provider.ts';
import { contentIdOf, hashOf } from '../../../receipts/core/canonical-json.ts';
import type { HostContract } from '../host/contract.ts';
import { eventsPage, runtimeOf } from '../host/study-steps.ts';
import { apiKey, type Explainable, explainable, explanationsOf, listed, model, questionOf } from './steps.ts';

/** Explanations that are given, and what is kept of them. Returns what tells a runtime that has some. */
export function answers(contract: HostContract, provider: () => StubProvider): () => string {
  let study: Explainable;

  test.serial(contract.title('a selection is explained, and everything about it can be derived again'), async (t) => {
    study = await explainable(t, contract, { clientRequestId: 'explained' });
    const { runtimeId } = study;
    t.deepEqual((await listed(t, contract, runtimeId)).attempts, []);
    const head = (await runtimeOf(t, contract, runtimeId)).journalHead;
    provider().behaviour = explainsWell;
    const request = questionOf(study, { line: 1, facetKinds: ['translation_choice', 'meaning', 'grammar'] });
    const answer = await contract.post(explanationsOf(runtimeId), request);
    const { attempts, results, journalHead } = contract.granted(t, answer, 201, languageExplanations);
    t.is(journalHead, head + 4);
    t.is(provider().asked.length, 1);
    const [attempt] = attempts;
    const [result] = results;
    if (attempt === undefined || result === undefined) throw new Error('no explanation');
    const { verification, artifact, receipt } = result;
    const { selection, lineId, facetKinds } = request;
    t.like(attempt, { jobId: artifact.jobId, attempt: 0, status: 'completed', failure: null, lineId });
    t.deepEqual(attempt.selection, selection);

    const { input, grant, executor, facets } = artifact;
    t.deepEqual(
      facets.map(({ kind, availability }) => [kind, availability]),
      facetKinds.map((kind) => [kind, 'available']),
    );
    t.deepEqual(facets[1]?.content, { sceneMeaning: 'A greeting between strangers.' });
    t.deepEqual(
      input.contextLines.map(({ id }) => id),
      study.lines.slice(0, 4).map(({ id }) => id),
    );
    t.is(input.source.rightsScope, 'redistribution');
    const { rightsScope, limits, requestFingerprint } = grant;
    t.is(
      requestFingerprint,
      `language-explanation-request:${hashOf({ runId: runtimeId, request, input, executor, rightsScope, limits })}`,
    );
    const hex = hashOf({ runId: runtimeId, requestFingerprint, caption: study.reference, attempt: 0 });
    t.is(grant.grantId, `language-explanation-grant:${hex}`);
    t.is(artifact.jobId, `language-explanation:${hex}`);
    const named = (kind: string, contentId: string) =>
      `artifact:${hashOf({ runId: runtimeId, jobId: artifact.jobId, kind, contentId })}`;
    t.is(verification.contentId, contentIdOf(artifact));
    t.is(verification.artifactId, named('language-explanation-output', verification.contentId));
    t.is(verification.receiptContentId, contentIdOf(receipt));
    t.is(verification.receiptArtifactId, named('language-explanation-receipt', verification.receiptContentId));
    const { schema, receiptId, ...body } = receipt;
    t.is(verification.receiptId, receiptId);
    t.is(receiptId, `language-explanation-receipt:${hashOf(body)}`);
    t.is(executor.model, model);
    t.deepEqual(receipt.execution, { providerResponseId: 'chatcmpl-1', inputTokens: 321, outputTokens: 45 });
    t.deepEqual(verification.result, artifact.result);
    t.deepEqual(await listed(t, contract, runtimeId), { ...(await listed(t, contract, runtimeId)), attempts, results });

    const { events } = await eventsPage(t, contract, runtimeId, `?after=${head}`);
    t.deepEqual(
      events.map(({ type }) => type),
      ['language.explanation_started', 'artifact.recorded', 'artifact.recorded', 'language.explanation_completed'],
    );
  });

  test.serial(contract.title('a facet that was not given is missing with its reason'), async (t) => {
    const { runtimeId } = study;
    provider().behaviour = says(
      JSON.stringify({
        facets: {
          word: { content: null, reason: 'facet_not_applicable' },
          phrase: { content: null, reason: 'insufficient_caption_context' },
          meaning: { content: { sceneMeaning: '  ' }, reason: null },
        },
      }),
    );
    const request = questionOf(study, { facetKinds: ['word', 'phrase', 'meaning', 'grammar'] });
    const answer = await contract.post(explanationsOf(runtimeId), request);
    const { results } = contract.granted(t, answer, 201, languageExplanations);
    const artifact = results.at(-1)?.artifact;
    t.deepEqual(
      artifact?.facets.map(({ kind, availability, reasonCode, content }) => [kind, availability, reasonCode, content]),
      [
        ['word', 'unavailable', 'facet_not_applicable', null],
        ['phrase', 'withheld', 'insufficient_caption_context', null],
        ['meaning', 'withheld', 'generator_abstained', null],
        ['grammar', 'withheld', 'generator_abstained', null],
      ],
    );
    t.is(artifact?.result.status, 'unavailable');
  });

  test.serial(
    contract.title('a choice of words without a translation is explained without asking anybody'),
    async (t) => {
      const untranslated = await explainable(t, contract, { clientRequestId: 'untranslated', targetLanguage: 'fr' });
      provider().behaviour = explainsWell;
      const asked = provider().asked.length;
      const request = questionOf(untranslated, { facetKinds: ['translation_choice'] });
      const answer = await contract.post(explanationsOf(untranslated.runtimeId), request);
      const { results } = contract.granted(t, answer, 201, languageExplanations);
      t.is(results[0]?.artifact.facets[0]?.reasonCode, 'target_unavailable');
      t.deepEqual(results[0]?.receipt.execution, { providerResponseId: null, inputTokens: null, outputTokens: null });
      t.is(provider().asked.length, asked);
      const both = questionOf(untranslated, { facetKinds: ['translation_choice', 'meaning'] });
      const next = await contract.post(explanationsOf(untranslated.runtimeId), both);
      t.is(contract.granted(t, next, 201, languageExplanations).results[1]?.artifact.result.status, 'partial');
      t.is(provider().asked.length, asked + 1);
    },
  );

  test.serial(contract.title('the key is in no file and on no line of the host'), async (t) => {
    t.true(provider().asked.every(({ headers }) => headers.authorization === `Bearer ${apiKey}`));
    t.false(`${contract.host.stdout}${contract.host.stderr}`.includes(apiKey));
    for (const entry of await readdir(contract.dataRoot, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(join(entry.parentPath, entry.name));
      t.false(bytes.includes(apiKey), entry.name);
    }
    const { languageExplanationExecutor } = JSON.parse(contract.host.stdout);
    t.is(languageExplanationExecutor, `current-run-openai-opt-in:${model}`);
    t.regex(
      contract.host.stderr,
      new RegExp(`^language explanations: asked of ${model} at ${provider().baseUrl}, `, 'm'),
    );
  });

  return () => study.runtimeId;
}

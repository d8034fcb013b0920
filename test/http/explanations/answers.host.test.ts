import { readFile, writeFile } from 'node:fs/promises';
import test from 'ava';
import { explainsWell, refuses, says } from '../../../fixtures/hosted-model/stub-provider.ts';
import { contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { captioned, captionFlags, pathOf } from '../captions/steps.ts';
import { eventsPage, runtimeOf } from '../host/study-steps.ts';
import {
  apiKey,
  explainable,
  explained,
  explanationsOf,
  isNowhere,
  listed,
  model,
  nowhere,
  openExplaining,
  questionOf,
} from './steps.ts';

// Explanations that are given, and what is kept of them.

test('a selection is explained, and everything about it can be derived again', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  t.deepEqual((await listed(t, host, runtimeId)).attempts, []);
  const head = (await runtimeOf(t, host, runtimeId)).journalHead;
  provider.behaviour = explainsWell;
  const request = questionOf(study, { line: 1, facetKinds: ['translation_choice', 'meaning', 'grammar'] });
  const { attempts, results, journalHead } = await explained(t, host, runtimeId, request);
  t.is(journalHead, head + 4);
  t.is(provider.asked.length, 1);
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
  t.is(verification.contentId, contentIdOfJson(artifact));
  t.is(verification.artifactId, named('language-explanation-output', verification.contentId));
  t.is(verification.receiptContentId, contentIdOfJson(receipt));
  t.is(verification.receiptArtifactId, named('language-explanation-receipt', verification.receiptContentId));
  const { schema, receiptId, ...body } = receipt;
  t.is(verification.receiptId, receiptId);
  t.is(receiptId, `language-explanation-receipt:${hashOf(body)}`);
  t.is(executor.model, model);
  t.deepEqual(receipt.execution, { providerResponseId: 'chatcmpl-1', inputTokens: 321, outputTokens: 45 });
  t.deepEqual(verification.result, artifact.result);
  t.deepEqual(await listed(t, host, runtimeId), { ...(await listed(t, host, runtimeId)), attempts, results });

  const { events } = await eventsPage(t, host, runtimeId, `?after=${head}`);
  t.deepEqual(
    events.map(({ type }) => type),
    ['language.explanation_started', 'artifact.recorded', 'artifact.recorded', 'language.explanation_completed'],
  );
});

test('a facet that was not given is missing with its reason', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  provider.behaviour = says(
    JSON.stringify({
      facets: {
        word: { content: null, reason: 'facet_not_applicable' },
        phrase: { content: null, reason: 'insufficient_caption_context' },
        meaning: { content: { sceneMeaning: '  ' }, reason: null },
      },
    }),
  );
  const request = questionOf(study, { facetKinds: ['word', 'phrase', 'meaning', 'grammar'] });
  const { results } = await explained(t, host, runtimeId, request);
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

test('a choice of words without a translation is explained without asking anybody', async (t) => {
  const { host, provider } = await openExplaining(t);
  const untranslated = await explainable(t, host, await captioned(t, host, { targetLanguage: 'fr' }));
  provider.behaviour = explainsWell;
  const asked = provider.asked.length;
  const request = questionOf(untranslated, { facetKinds: ['translation_choice'] });
  const { results } = await explained(t, host, untranslated.runtimeId, request);
  t.is(results[0]?.artifact.facets[0]?.reasonCode, 'target_unavailable');
  t.deepEqual(results[0]?.receipt.execution, { providerResponseId: null, inputTokens: null, outputTokens: null });
  t.is(provider.asked.length, asked);
  const both = questionOf(untranslated, { facetKinds: ['translation_choice', 'meaning'] });
  const next = await explained(t, host, untranslated.runtimeId, both);
  t.is(next.results[1]?.artifact.result.status, 'partial');
  t.is(provider.asked.length, asked + 1);
});

test('the key is in no file and in no report of the host', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  await explained(t, host, study.runtimeId, questionOf(study));
  t.is(provider.asked.length, 1);
  t.true(provider.asked.every(({ headers }) => headers.authorization === `Bearer ${apiKey}`));
  await isNowhere(t, host, apiKey);
});

test('everything that was explained verifies offline', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  await explained(t, host, runtimeId, questionOf(study));
  provider.behaviour = refuses(500);
  const failed = await host.post(explanationsOf(runtimeId), questionOf(study, { line: 1 }));
  host.refused(t, failed, 'language_explanation_executor_failed');
  const before = await listed(t, host, runtimeId);
  t.is(before.attempts.length, 2);
  await host.stop();
  await checkRuntimes(t, host.dataRoot);
  await host.start();
  t.deepEqual(await listed(t, host, runtimeId), before);
});

test('an explanation whose bytes changed fails every read', async (t) => {
  const { host, study } = await openExplaining(t);
  const { runtimeId } = study;
  const { results } = await explained(t, host, runtimeId, questionOf(study));
  const [result] = results;
  if (result === undefined) throw new Error('no explanation');
  const { verification } = result;
  const { promptContractContentId, configurationContentId } = verification.executor;
  const stored = {
    explanation: verification.contentId,
    explanation_receipt: verification.receiptContentId,
    explanation_prompt: promptContractContentId,
    explanation_configuration: configurationContentId,
  };
  for (const [link, contentId] of Object.entries(stored)) {
    const path = host.objectFile(contentId);
    const bytes = await readFile(path);
    await writeFile(path, bytes.toString('utf8').replace('studio.language', 'studio.landscape'));
    for (const read of [explanationsOf(runtimeId), pathOf(runtimeId, 'caption-productions')]) {
      const message = host.refused(t, await host.get(read), 'stored_content_inconsistent');
      t.is(message, `the ${link} ${contentId} fails at: content`);
    }
    const asking = await host.post(explanationsOf(runtimeId), questionOf(study, { line: 2, start: 1 }));
    host.refused(t, asking, 'stored_content_inconsistent');
    await writeFile(path, bytes);
  }
  t.deepEqual((await listed(t, host, runtimeId)).results, results);
});

test('a host without anybody who explains shows what was explained before, and asks nobody', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  await explained(t, host, study.runtimeId, questionOf(study));
  const before = await listed(t, host, study.runtimeId);
  t.true(before.results.length > 0);
  await host.restart(captionFlags.embedded);
  t.deepEqual(await listed(t, host, study.runtimeId), before);
  const asked = provider.asked.length;
  const other = await explainable(t, host, await captioned(t, host, { clientRequestId: 'unavailable' }));
  const { runtimeId } = other;
  const head = (await runtimeOf(t, host, runtimeId)).journalHead;
  const request = questionOf(other);
  for (const body of [request, { ...request, lineId: 'nothing' }]) {
    host.refused(t, await host.post(explanationsOf(runtimeId), body), 'language_explanation_unavailable');
  }
  host.refused(t, await host.post(explanationsOf(nowhere), request), 'unknown_runtime');
  t.like(await listed(t, host, runtimeId), { attempts: [], results: [], journalHead: head });
  t.is(provider.asked.length, asked);
});

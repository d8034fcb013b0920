import { readFile, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import {
  type ExplanationRequest,
  type LanguageExplanationList,
  languageExplanations,
} from '../../../contract/explanations/explanation.ts';
import {
  answers,
  answersText,
  closesEarly,
  completionOf,
  explainsWell,
  floods,
  hangs,
  refuses,
} from '../../../fixtures/hosted-model/stub-provider.ts';
import { contentIdOfJson, hashOf } from '../../../formats/canonical-json.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { captioned, captionFlags, pathOf, revoke } from '../../http/captions/steps.ts';
import { eventsPage, runtimeOf } from '../../http/host/study-steps.ts';
import {
  apiKey,
  type Explainable,
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

type Result = LanguageExplanationList['results'][number];

/** Every identity of an explanation follows from what it names. */
function identitiesFollow(
  t: ExecutionContext,
  { runtimeId, reference }: Explainable,
  request: ExplanationRequest,
  { verification, artifact, receipt }: Result,
): void {
  const { input, grant, executor } = artifact;
  const { rightsScope, limits, requestFingerprint } = grant;
  t.is(
    requestFingerprint,
    `language-explanation-request:${hashOf({ runId: runtimeId, request, input, executor, rightsScope, limits })}`,
  );
  const hex = hashOf({ runId: runtimeId, requestFingerprint, caption: reference, attempt: 0 });
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
}

test('a selection is explained, and everything about it can be derived again', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  t.deepEqual((await listed(t, host, runtimeId)).attempts, []);
  const head = (await runtimeOf(t, host, runtimeId)).journalHead;
  provider.behavior = explainsWell;
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

  const { input, executor, facets } = artifact;
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
  identitiesFollow(t, study, request, result);
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
  provider.behavior = answersText(
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

test('a choice of words without a translation is explained without a request', async (t) => {
  const { host, provider } = await openExplaining(t);
  const untranslated = await explainable(t, host, await captioned(t, host, { targetLanguage: 'fr' }));
  provider.behavior = explainsWell;
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
  provider.behavior = refuses(500);
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

test('a host without an explainer shows earlier explanations, and sends no request', async (t) => {
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

// Requests that are not taken on, attempts that end without an explanation, and what comes after them.

const oversized = JSON.stringify({
  facets: { meaning: { content: { sceneMeaning: '가'.repeat(3000) }, reason: null } },
});

test('a request is refused by its shape before its runtime is looked for', async (t) => {
  const { host, study } = await openExplaining(t);
  const request = questionOf(study);
  const { selection } = request;
  const { lineId, ...partial } = request;
  const malformed: unknown[] = [
    {},
    [request],
    partial,
    { ...request, more: true },
    { ...request, caption: { ...study.reference, jobId: 'caption-production:x' } },
    { ...request, selection: { ...selection, unit: 'utf16' } },
    { ...request, selection: { ...selection, side: 'both' } },
    { ...request, selection: { ...selection, start: -1 } },
    { ...request, selection: { ...selection, start: 2, end: 2 } },
    { ...request, selection: { ...selection, end: 3 } },
    { ...request, selection: { ...selection, end: 257, text: '가'.repeat(257) } },
    { ...request, selection: { ...selection, text: '' } },
    { ...request, facetKinds: [] },
    { ...request, facetKinds: ['meaning', 'meaning'] },
    { ...request, facetKinds: ['sound'] },
  ];
  for (const runtimeId of [study.runtimeId, nowhere]) {
    for (const body of malformed) {
      const answer = await host.post(explanationsOf(runtimeId), body);
      host.refused(t, answer, 'invalid_language_explanation_request');
    }
  }
  host.refused(t, await host.post(explanationsOf(nowhere), request), 'unknown_runtime');
  host.refused(t, await host.get(explanationsOf(nowhere)), 'unknown_runtime');
  host.refused(t, await host.get(`${explanationsOf(study.runtimeId)}?limit=1`), 'unknown_query');
  const put = await host.ask('PUT', explanationsOf(study.runtimeId));
  host.refused(t, put, 'method_not_allowed', ['allow']);
});

test('captions and words that are not there are not explained', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const head = (await runtimeOf(t, host, runtimeId)).journalHead;
  const asked = provider.asked.length;
  const request = questionOf(study);
  const { selection } = request;
  const foreign = [
    { ...study.reference, contentId: `sha256:${'0'.repeat(64)}` },
    { ...study.reference, receiptArtifactId: `artifact:${'0'.repeat(64)}` },
    { ...study.reference, jobId: `caption-production:${'0'.repeat(64)}` },
  ];
  for (const caption of foreign) {
    const answer = await host.post(explanationsOf(runtimeId), { ...request, caption, lineId: 'nothing' });
    host.refused(t, answer, 'language_explanation_caption_authority_required');
  }
  const misplaced = [
    { ...request, lineId: 'nothing' },
    { ...request, selection: { ...selection, side: 'target' } },
    { ...request, selection: { ...selection, start: 1, end: 3 } },
    { ...request, selection: { ...selection, text: [...selection.text].reverse().join('') } },
    { ...request, selection: { ...selection, start: 5000, end: 5002 } },
  ];
  for (const body of misplaced) {
    host.refused(t, await host.post(explanationsOf(runtimeId), body), 'invalid_language_selection');
  }
  t.is((await runtimeOf(t, host, runtimeId)).journalHead, head);
  t.is(provider.asked.length, asked);
});

test('of equal requests at once only one is sent, and none after it is done', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const asked = provider.asked.length;
  provider.behavior = hangs;
  const request = questionOf(study);
  const first = host.post(explanationsOf(runtimeId), request);
  await provider.until((each) => each.asked.length === asked + 1);
  t.is((await listed(t, host, runtimeId)).attempts[0]?.status, 'started');
  const second = await host.post(explanationsOf(runtimeId), request);
  host.refused(t, second, 'illegal_language_explanation_transition');
  // Another question is another request.
  provider.behavior = explainsWell;
  await explained(t, host, runtimeId, questionOf(study, { line: 2 }));
  provider.answer(asked, explainsWell);
  t.deepEqual(
    host.granted(t, await first, 201, languageExplanations).attempts.map(({ status }) => status),
    ['completed', 'completed'],
  );
  const third = await host.post(explanationsOf(runtimeId), request);
  host.refused(t, third, 'illegal_language_explanation_transition');
  t.is(provider.asked.length, asked + 2);
});

test('a provider that fails gets another request only from a client, three times in all', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const asked = provider.asked.length;
  const request = questionOf(study);
  const causes = [
    [refuses(429), /^http_429: /],
    [closesEarly, /^unreachable: /],
    [answersText('nonsense'), /^invalid_output: /],
  ] as const;
  for (const [index, [behavior, cause]] of causes.entries()) {
    provider.behavior = behavior;
    const answer = await host.post(explanationsOf(runtimeId), request);
    t.regex(host.refused(t, answer, 'language_explanation_executor_failed'), cause);
    const { attempts, results } = await listed(t, host, runtimeId);
    t.is(attempts.length, index + 1);
    t.like(attempts.at(-1), { attempt: index, status: 'failed' });
    t.regex(attempts.at(-1)?.failure ?? '', cause);
    t.deepEqual(results, []);
    t.is(provider.asked.length, asked + index + 1);
  }
  provider.behavior = explainsWell;
  const fourth = await host.post(explanationsOf(runtimeId), request);
  host.refused(t, fourth, 'illegal_language_explanation_transition');
  t.is(provider.asked.length, asked + causes.length);
  t.false(JSON.stringify(await listed(t, host, runtimeId)).includes('Bearer'));
});

test('after a failed attempt the next may succeed', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const request = questionOf(study, { line: 1 });
  for (const behavior of [refuses(500), floods]) {
    provider.behavior = behavior;
    const answer = await host.post(explanationsOf(runtimeId), request);
    host.refused(t, answer, 'language_explanation_executor_failed');
  }
  provider.behavior = explainsWell;
  const { attempts, results } = await explained(t, host, runtimeId, request);
  t.deepEqual(
    attempts.slice(-3).map(({ attempt, status }) => [attempt, status]),
    [
      [0, 'failed'],
      [1, 'failed'],
      [2, 'completed'],
    ],
  );
  t.is(results.length, 1);
  t.is(results[0]?.artifact.grant.attempt, 2);
});

test('a text that cannot be stored fails the attempt', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  provider.behavior = answersText(oversized);
  const answer = await host.post(explanationsOf(study.runtimeId), questionOf(study, { start: 1, end: 2 }));
  t.regex(host.refused(t, answer, 'language_explanation_executor_failed'), /^too_large: meaning\.sceneMeaning/);
});

test('a model server that repeats its key leaves no trace of it', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const said = JSON.stringify({
    facets: { meaning: { content: { sceneMeaning: `Bearer ${apiKey}` }, reason: null } },
  });
  const harmless = JSON.stringify({
    facets: { meaning: { content: { sceneMeaning: 'A greeting.' }, reason: null } },
  });
  for (const behavior of [answersText(said), answers(completionOf(harmless, { id: apiKey }))]) {
    provider.behavior = behavior;
    const request = { ...questionOf(study, { line: 1, start: 1 }), facetKinds: ['meaning'] };
    const answer = await host.post(explanationsOf(runtimeId), request);
    const message = host.refused(t, answer, 'language_explanation_executor_failed');
    t.regex(message, /^key_in_answer: /);
    t.false(message.includes(apiKey));
  }
  const { attempts, results } = await listed(t, host, runtimeId);
  t.regex(attempts.at(-1)?.failure ?? '', /^key_in_answer: /);
  t.false(JSON.stringify([attempts, results]).includes(apiKey));
  await isNowhere(t, host, apiKey);
});

test('a host that dies while a model is at work never asks it again by itself', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const request = questionOf(study, { line: 2 });
  const asked = provider.asked.length;
  provider.behavior = hangs;
  const body = Buffer.from(JSON.stringify(request));
  const lost = host.request('POST', explanationsOf(runtimeId), body.length, { 'Content-Type': 'application/json' });
  lost.send(body);
  await provider.until((each) => each.asked.length === asked + 1);
  host.refused(t, await host.ask('DELETE', `/v1/runtimes/${runtimeId}`), 'runtime_in_production');
  const before = (await listed(t, host, runtimeId)).attempts.length;
  await host.die();
  lost.leave();
  provider.behavior = explainsWell;
  const { attempts } = await listed(t, host, runtimeId);
  t.is(attempts.length, before);
  t.like(attempts.at(-1), { attempt: 0, status: 'failed' });
  t.regex(attempts.at(-1)?.failure ?? '', /^interrupted: /);
  t.is(provider.asked.length, asked + 1);
  const after = await explained(t, host, runtimeId, request);
  t.like(after.attempts.at(-1), { attempt: 1, status: 'completed' });
  t.is(provider.asked.length, asked + 2);
});

test('a withdrawal of the approval stops running work, and nothing begins after it', async (t) => {
  const { host, study, provider } = await openExplaining(t);
  const { runtimeId } = study;
  const { results } = await explained(t, host, runtimeId, questionOf(study, { line: 2 }));
  const asked = provider.asked.length;
  const { abandoned } = provider;
  provider.behavior = hangs;
  const request = questionOf(study, { line: 0, start: 0, end: 3 });
  const stopped = host.post(explanationsOf(runtimeId), request);
  await provider.until((each) => each.asked.length === asked + 1);
  await revoke(t, host, study);
  t.regex(host.refused(t, await stopped, 'language_explanation_caption_authority_required'), /^revoked: /);
  await provider.until((each) => each.abandoned === abandoned + 1);
  const after = await listed(t, host, runtimeId);
  t.regex(after.attempts.at(-1)?.failure ?? '', /^revoked: /);
  t.deepEqual(after.results, results);
  provider.behavior = explainsWell;
  for (const body of [request, questionOf(study, { line: 1, start: 1 })]) {
    const answer = await host.post(explanationsOf(runtimeId), body);
    host.refused(t, answer, 'language_explanation_caption_authority_required');
  }
  t.is(provider.asked.length, asked + 1);
});

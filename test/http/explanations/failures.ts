import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { languageExplanations } from '../../../contract/explanations/language-explanation-answers.ts';
import {
  answers,
  closesEarly,
  completionOf,
  explainsWell,
  floods,
  hangs,
  refuses,
  type StubProvider,
  says,
} from '../../../fixtures/hosted-model/stub-provider.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import { checkRuntimes } from '../../crash/checks.ts';
import { pathOf, revoke } from '../captions/steps.ts';
import type { HostContract } from '../host/contract.ts';
import { apiKey, type Explainable, explainable, explanationsOf, listed, questionOf } from './steps.ts';

const oversized = JSON.stringify({
  facets: { meaning: { content: { sceneMeaning: '가'.repeat(3000) }, reason: null } },
});

/** Attempts that end without an explanation, and what comes after them. */
export function failures(contract: HostContract, provider: () => StubProvider): void {
  let study: Explainable;

  test.serial(
    contract.title('a provider that fails is asked again only when a client asks, three times in all'),
    async (t) => {
      study = await explainable(t, contract, { clientRequestId: 'failed' });
      const { runtimeId } = study;
      const asked = provider().asked.length;
      const request = questionOf(study);
      const causes = [
        [refuses(429), /^http_429: /],
        [closesEarly, /^unreachable: /],
        [says('nonsense'), /^invalid_output: /],
      ] as const;
      for (const [index, [behaviour, cause]] of causes.entries()) {
        provider().behaviour = behaviour;
        const answer = await contract.post(explanationsOf(runtimeId), request);
        t.regex(contract.refused(t, answer, 'language_explanation_executor_failed'), cause);
        const { attempts, results } = await listed(t, contract, runtimeId);
        t.is(attempts.length, index + 1);
        t.like(attempts.at(-1), { attempt: index, status: 'failed' });
        t.regex(attempts.at(-1)?.failure ?? '', cause);
        t.deepEqual(results, []);
        t.is(provider().asked.length, asked + index + 1);
      }
      provider().behaviour = explainsWell;
      const fourth = await contract.post(explanationsOf(runtimeId), request);
      contract.refused(t, fourth, 'illegal_language_explanation_transition');
      t.is(provider().asked.length, asked + causes.length);
      t.false(JSON.stringify(await listed(t, contract, runtimeId)).includes('Bearer'));
    },
  );

  test.serial(contract.title('after a failed attempt the next may succeed'), async (t) => {
    const { runtimeId } = study;
    const request = questionOf(study, { line: 1 });
    for (const behaviour of [refuses(500), floods]) {
      provider().behaviour = behaviour;
      const answer = await contract.post(explanationsOf(runtimeId), request);
      contract.refused(t, answer, 'language_explanation_executor_failed');
    }
    provider().behaviour = explainsWell;
    const answer = await contract.post(explanationsOf(runtimeId), request);
    const { attempts, results } = contract.granted(t, answer, 201, languageExplanations);
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

  test.serial(contract.title('a text that cannot be stored fails the attempt'), async (t) => {
    provider().behaviour = says(oversized);
    const answer = await contract.post(explanationsOf(study.runtimeId), questionOf(study, { start: 1, end: 2 }));
    t.regex(contract.refused(t, answer, 'language_explanation_executor_failed'), /^too_large: meaning\.sceneMeaning/);
  });

  test.serial(contract.title('a model server that repeats its key leaves no trace of it'), async (t) => {
    const { runtimeId } = study;
    const said = JSON.stringify({
      facets: { meaning: { content: { sceneMeaning: `Bearer ${apiKey}` }, reason: null } },
    });
    const harmless = JSON.stringify({
      facets: { meaning: { content: { sceneMeaning: 'A greeting.' }, reason: null } },
    });
    for (const behaviour of [says(said), answers(completionOf(harmless, { id: apiKey }))]) {
      provider().behaviour = behaviour;
      const request = { ...questionOf(study, { line: 1, start: 1 }), facetKinds: ['meaning'] };
      const answer = await contract.post(explanationsOf(runtimeId), request);
      const message = contract.refused(t, answer, 'language_explanation_executor_failed');
      t.regex(message, /^key_in_answer: /);
      t.false(message.includes(apiKey));
    }
    const { attempts, results } = await listed(t, contract, runtimeId);
    t.regex(attempts.at(-1)?.failure ?? '', /^key_in_answer: /);
    t.false(JSON.stringify([attempts, results]).includes(apiKey));
    for (const entry of await readdir(contract.dataRoot, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      t.false((await readFile(join(entry.parentPath, entry.name))).includes(apiKey), entry.name);
    }
    t.false(`${contract.host.stdout}${contract.host.stderr}`.includes(apiKey));
  });

  test.serial(contract.title('a host that dies while a model is at work never asks it again by itself'), async (t) => {
    const { runtimeId } = study;
    const request = questionOf(study, { line: 2 });
    const asked = provider().asked.length;
    provider().behaviour = hangs;
    const lost = contract.post(explanationsOf(runtimeId), request).catch((error) => error);
    await provider().until((each) => each.asked.length === asked + 1);
    contract.refused(t, await contract.ask('DELETE', `/v1/runtimes/${runtimeId}`), 'runtime_in_production');
    const before = (await listed(t, contract, runtimeId)).attempts.length;
    await contract.kill();
    t.true((await lost) instanceof Error);
    provider().behaviour = explainsWell;
    await contract.start();
    const { attempts } = await listed(t, contract, runtimeId);
    t.is(attempts.length, before);
    t.like(attempts.at(-1), { attempt: 0, status: 'failed' });
    t.regex(attempts.at(-1)?.failure ?? '', /^interrupted: /);
    t.is(provider().asked.length, asked + 1);
    const answer = await contract.post(explanationsOf(runtimeId), request);
    t.like(contract.granted(t, answer, 201, languageExplanations).attempts.at(-1), { attempt: 1, status: 'completed' });
    t.is(provider().asked.length, asked + 2);
  });

  test.serial(contract.title('an explanation whose bytes changed fails every read'), async (t) => {
    const { runtimeId } = study;
    const { results } = await listed(t, contract, runtimeId);
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
      const hex = contentId.slice('sha256:'.length);
      const path = join(dataRootAt(contract.dataRoot).objects, hex.slice(0, 2), hex);
      const bytes = await readFile(path);
      await writeFile(path, bytes.toString('utf8').replace('studio.language', 'studio.landscape'));
      const reads = [explanationsOf(runtimeId), pathOf(runtimeId, 'caption-productions')];
      for (const read of reads) {
        const message = contract.refused(t, await contract.get(read), 'stored_content_inconsistent');
        t.is(message, `the ${link} ${contentId} fails at: content`);
      }
      const asking = await contract.post(explanationsOf(runtimeId), questionOf(study, { line: 2, start: 1 }));
      contract.refused(t, asking, 'stored_content_inconsistent');
      await writeFile(path, bytes);
    }
    t.deepEqual((await listed(t, contract, runtimeId)).results, results);
  });

  test.serial(
    contract.title('a withdrawal of the approval stops what is under way, and nothing begins after it'),
    async (t) => {
      const { runtimeId } = study;
      const { results } = await listed(t, contract, runtimeId);
      const asked = provider().asked.length;
      const { abandoned } = provider();
      provider().behaviour = hangs;
      const request = questionOf(study, { line: 0, start: 0, end: 3 });
      const stopped = contract.post(explanationsOf(runtimeId), request);
      await provider().until((each) => each.asked.length === asked + 1);
      await revoke(t, contract, study);
      t.regex(contract.refused(t, await stopped, 'language_explanation_caption_authority_required'), /^revoked: /);
      await provider().until((each) => each.abandoned === abandoned + 1);
      const after = await listed(t, contract, runtimeId);
      t.regex(after.attempts.at(-1)?.failure ?? '', /^revoked: /);
      t.deepEqual(after.results, results);
      provider().behaviour = explainsWell;
      for (const body of [request, questionOf(study, { line: 1, start: 1 })]) {
        const answer = await contract.post(explanationsOf(runtimeId), body);
        contract.refused(t, answer, 'language_explanation_caption_authority_required');
      }
      t.is(provider().asked.length, asked + 1);
    },
  );

  test.serial(contract.title('everything that was explained verifies offline'), async (t) => {
    const { runtimeId } = study;
    const before = await listed(t, contract, runtimeId);
    await contract.stop();
    await checkRuntimes(t, contract.dataRoot);
    await contract.start();
    t.deepEqual(await listed(t, contract, runtimeId), before);
  });
}

import test from 'ava';
import { languageExplanations } from '../../../contract/explanations/language-explanation-answers.ts';
import { explainsWell, hangs, type StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import type { HostContract } from '../host/contract.ts';
import { runtimeOf } from '../host/study-steps.ts';
import { type Explainable, explainable, explanationsOf, listed, questionOf } from './steps.ts';

const unknown = `runtime:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;

/** Requests that are not taken on. */
export function refusals(contract: HostContract, provider: () => StubProvider): void {
  let study: Explainable;

  test.serial(contract.title('a request is refused by its shape before its runtime is looked for'), async (t) => {
    study = await explainable(t, contract, { clientRequestId: 'refused' });
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
    for (const runtimeId of [study.runtimeId, unknown]) {
      for (const body of malformed) {
        const answer = await contract.post(explanationsOf(runtimeId), body);
        contract.refused(t, answer, 'invalid_language_explanation_request');
      }
    }
    contract.refused(t, await contract.post(explanationsOf(unknown), request), 'unknown_runtime');
    contract.refused(t, await contract.get(explanationsOf(unknown)), 'unknown_runtime');
    contract.refused(t, await contract.get(`${explanationsOf(study.runtimeId)}?limit=1`), 'unknown_query');
    const put = await contract.ask('PUT', explanationsOf(study.runtimeId));
    contract.refused(t, put, 'method_not_allowed', ['allow']);
  });

  test.serial(contract.title('captions and words that are not there are not explained'), async (t) => {
    const { runtimeId } = study;
    const head = (await runtimeOf(t, contract, runtimeId)).journalHead;
    const asked = provider().asked.length;
    const request = questionOf(study);
    const { selection } = request;
    const foreign = [
      { ...study.reference, contentId: `sha256:${'0'.repeat(64)}` },
      { ...study.reference, receiptArtifactId: `artifact:${'0'.repeat(64)}` },
      { ...study.reference, jobId: `caption-production:${'0'.repeat(64)}` },
    ];
    for (const caption of foreign) {
      const answer = await contract.post(explanationsOf(runtimeId), { ...request, caption, lineId: 'nothing' });
      contract.refused(t, answer, 'language_explanation_caption_authority_required');
    }
    const misplaced = [
      { ...request, lineId: 'nothing' },
      { ...request, selection: { ...selection, side: 'target' } },
      { ...request, selection: { ...selection, start: 1, end: 3 } },
      { ...request, selection: { ...selection, text: [...selection.text].reverse().join('') } },
      { ...request, selection: { ...selection, start: 5000, end: 5002 } },
    ];
    for (const body of misplaced) {
      contract.refused(t, await contract.post(explanationsOf(runtimeId), body), 'invalid_language_selection');
    }
    t.is((await runtimeOf(t, contract, runtimeId)).journalHead, head);
    t.is(provider().asked.length, asked);
  });

  test.serial(
    contract.title('of equal requests at once one is asked, and when it is done none any more'),
    async (t) => {
      const { runtimeId } = study;
      const asked = provider().asked.length;
      provider().behaviour = hangs;
      const request = questionOf(study);
      const first = contract.post(explanationsOf(runtimeId), request);
      await provider().until((each) => each.asked.length === asked + 1);
      t.is((await listed(t, contract, runtimeId)).attempts[0]?.status, 'started');
      const second = await contract.post(explanationsOf(runtimeId), request);
      contract.refused(t, second, 'illegal_language_explanation_transition');
      // Another question is another request.
      provider().behaviour = explainsWell;
      const other = await contract.post(explanationsOf(runtimeId), questionOf(study, { line: 2 }));
      contract.granted(t, other, 201, languageExplanations);
      provider().answer(asked, explainsWell);
      t.deepEqual(
        contract.granted(t, await first, 201, languageExplanations).attempts.map(({ status }) => status),
        ['completed', 'completed'],
      );
      const third = await contract.post(explanationsOf(runtimeId), request);
      contract.refused(t, third, 'illegal_language_explanation_transition');
      t.is(provider().asked.length, asked + 2);
    },
  );
}

import test from 'ava';
import type { StubProvider } from '../../../fixtures/hosted-model/stub-provider.ts';
import type { HostContract } from '../host/contract.ts';
import { runtimeOf } from '../host/study-steps.ts';
import { explainable, explanationsOf, listed, questionOf } from './steps.ts';

const unknown = `runtime:${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}`;

/**
 * A host that is started again without anybody who explains; `without` takes the flags away, `explained` is a runtime with
 * explanations. Closes the suites.
 */
export function unavailable(
  contract: HostContract,
  provider: () => StubProvider,
  explained: () => string,
  without: () => void,
): void {
  test.serial(
    contract.title('a host without anybody who explains shows what was explained before, and asks nobody'),
    async (t) => {
      const before = await listed(t, contract, explained());
      t.true(before.results.length > 0);
      await contract.stop();
      without();
      await contract.start();
      t.is(JSON.parse(contract.host.stdout).languageExplanationExecutor, 'unavailable-no-fixture-fallback');
      t.deepEqual(await listed(t, contract, explained()), before);
      const asked = provider().asked.length;
      const study = await explainable(t, contract, { clientRequestId: 'unavailable' });
      const { runtimeId } = study;
      const head = (await runtimeOf(t, contract, runtimeId)).journalHead;
      const request = questionOf(study);
      for (const body of [request, { ...request, lineId: 'nothing' }]) {
        const answer = await contract.post(explanationsOf(runtimeId), body);
        contract.refused(t, answer, 'language_explanation_unavailable');
      }
      contract.refused(t, await contract.post(explanationsOf(unknown), request), 'unknown_runtime');
      t.like(await listed(t, contract, runtimeId), { attempts: [], results: [], journalHead: head });
      t.is(provider().asked.length, asked);
      t.false(contract.host.stderr.includes('language explanations'));
    },
  );
}

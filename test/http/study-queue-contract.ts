import test from 'ava';
import { type AdapterFlag, HostContract } from './host/contract.ts';
import { followed, plans, runtimeOf, sampleRow, startStudy, starts, studyRequest } from './host/study-steps.ts';

const flags = ['--maximum-live-studies', '3', '--study-workers', '1'];

/** A host that takes three studies at once. The suites run in this order, on the same host. */
export function studyQueueContract(adapter: AdapterFlag): void {
  const contract = new HostContract(adapter, flags);
  test.before(() => contract.open());
  test.after.always(() => contract.close());
  const attempts: string[] = [];

  test.serial(
    contract.title('a start for which there is no room is refused and says when to ask again; equal ones are answered'),
    async (t) => {
      const source = await sampleRow(t, contract);
      const asked = (clientRequestId: string) => studyRequest(source, { clientRequestId });
      await contract.gate.close();
      for (const id of ['one', 'two']) attempts.push((await startStudy(t, contract, asked(id))).runtimeId);
      // They arrive together where there is room for one.
      const ids = Array.from({ length: 12 }, (_, at) => `together-${at}`);
      const together = await Promise.all(ids.map((id) => contract.post(starts, asked(id))));
      t.is(together.filter(({ status }) => status === 202).length, 1);
      for (const answer of together.filter(({ status }) => status !== 202)) {
        const fields = ['retry-after', 'access-control-expose-headers'];
        contract.refused(t, answer, 'study_queue_full', fields);
        t.is(answer.headers['retry-after'], '10');
      }
      const again = await startStudy(t, contract, asked('one'));
      t.true(attempts.includes(again.runtimeId));
      t.is((await contract.post(plans, asked('four'))).status, 200);
    },
  );

  test.serial(contract.title('whoever was refused has its place once a study has ended'), async (t) => {
    await contract.gate.open();
    for (const id of attempts) await followed(t, contract, id);
    const source = await sampleRow(t, contract);
    const { runtimeId } = await startStudy(t, contract, studyRequest(source, { clientRequestId: 'four' }));
    await followed(t, contract, runtimeId);
    t.is((await runtimeOf(t, contract, runtimeId)).lifecycle, 'terminal');
  });
}

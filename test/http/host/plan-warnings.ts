import test, { type ExecutionContext } from 'ava';
import { type PlanWarning, planWarnings } from '../../../contract/study/plan-warnings.ts';
import type { HostContract } from './contract.ts';
import { sampleRow, studyRequest } from './study-steps.ts';

const path = '/v1/runtime-plan-warnings';

const declared = (tag: string) => ({
  requestedSourceLanguage: { mode: 'declared', languages: [tag], reason: null },
});

const warningsOf = async (t: ExecutionContext, contract: HostContract, others: object): Promise<PlanWarning[]> => {
  const request = studyRequest(await sampleRow(t, contract), others);
  return contract.granted(t, await contract.post(path, request), 200, planWarnings).warnings;
};

/** What a host says before a study. */
export function planWarningsOfHost(contract: HostContract): void {
  test.serial(contract.title('a plan over what the source holds has no warnings'), async (t) => {
    t.deepEqual(await warningsOf(t, contract, declared('en')), []);
    const mixed = { requestedSourceLanguage: { mode: 'mixed', languages: ['en', 'ko'], reason: null } };
    t.deepEqual(await warningsOf(t, contract, mixed), []);
  });

  test.serial(contract.title('a declared language that the evidence of the source contradicts is named'), async (t) => {
    const [warning, ...others] = await warningsOf(t, contract, declared('ko'));
    t.deepEqual(others, []);
    t.like(warning, { code: 'declared_language_differs', declared: ['ko'], found: ['en'], basis: 'detected' });
  });

  test.serial(contract.title('a plan for captions that cannot come says every reason'), async (t) => {
    const automatic = { requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null } };
    const warnings = await warningsOf(t, contract, { ...automatic, outputDepth: 'captions' });
    t.deepEqual(
      warnings.map((warning) => ('reason' in warning ? `${warning.code} ${warning.reason}` : warning.code)),
      ['captions_not_possible source_language_not_declared', 'captions_not_possible no_caption_executor'],
    );
  });

  test.serial(contract.title('warnings are refused as plans are'), async (t) => {
    const source = await sampleRow(t, contract);
    contract.refused(t, await contract.post(path, {}), 'invalid_start_request');
    const stale = studyRequest(source, { sourceRevisionId: 'source-revision:none' });
    contract.refused(t, await contract.post(path, stale), 'stale_source_revision');
    const beyond = studyRequest(source, { range: { startMs: 0, endMs: 30_000_000 } });
    contract.refused(t, await contract.post(path, beyond), 'invalid_analysis_request');
  });
}

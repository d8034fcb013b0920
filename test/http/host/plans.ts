import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { runtimePlan } from '../../../contract/study/runtime-plan.ts';
import { type HostContract, limits } from './contract.ts';
import { plans, sampleRow, startStudy, starts, studyRequest } from './study-steps.ts';

/** Plans, and what plans and starts refuse alike. */
export function planning(contract: HostContract): void {
  test.serial(contract.title('a plan writes nothing and promises what the start then keeps'), async (t) => {
    const request = studyRequest(await sampleRow(t, contract), { clientRequestId: 'planned' });
    const before = await everyFile(contract);
    const plan = contract.granted(t, await contract.post(plans, request), 200, runtimePlan);
    t.deepEqual(contract.granted(t, await contract.post(plans, request), 200, runtimePlan), plan);
    t.deepEqual(await everyFile(contract), before);
    contract.refused(t, await contract.get(`/v1/runtimes/${plan.runtimeId}`), 'unknown_runtime');
    contract.refused(t, await contract.get(`${starts}/${plan.commandId}`), 'unknown_command');
    const started = await startStudy(t, contract, request);
    const { commandId, runtimeId, sourceSessionId, sourceRevisionId, analysisRequestId, forecast } = plan;
    t.like(started, { commandId, runtimeId, sourceSessionId, sourceRevisionId, analysisRequestId });
    t.is(started.forecast?.forecastId, forecast.forecastId);
    t.deepEqual(started.runStartReceipt?.record.forecast, forecast);
  });

  test.serial(contract.title('plan and start refuse the same requests'), async (t) => {
    const source = await sampleRow(t, contract);
    const language = (mode: string, languages: unknown, reason: unknown = null) => ({
      requestedSourceLanguage: { mode, languages, reason },
    });
    const without = (field: string) =>
      Object.fromEntries(Object.entries(studyRequest(source)).filter(([name]) => name !== field));
    const wrong: object[] = [
      ...Object.keys(studyRequest(source)).map(without),
      ...['sourceSessionId', 'sourceRevisionId'].map((field) => studyRequest(source, { [field]: ' not an identity' })),
      ...[{ startMs: 5, endMs: 5 }, { startMs: -1, endMs: 5 }, { startMs: 0, endMs: 0.5 }, { startMs: 0 }, null].map(
        (range) => studyRequest(source, { range }),
      ),
      studyRequest(source, language('declared', [])),
      studyRequest(source, language('declared', ['ko', 'en'])),
      studyRequest(source, language('mixed', ['ko', 'ko'])),
      studyRequest(source, language('automatic', ['ko'])),
      studyRequest(source, language('withheld', [])),
      studyRequest(source, language('declared', ['ko'], 'because')),
      studyRequest(source, { targetLanguage: 'e' }),
      studyRequest(source, { outputDepth: 'all' }),
      studyRequest(source, { options: { slowAnalysis: 'no' } }),
      studyRequest(source, { options: { quick: true } }),
      studyRequest(source, { materializationId: 'materialization:1' }),
      studyRequest(source, { clientRequestId: '' }),
      studyRequest(source, { unknown: 1 }),
    ];
    for (const path of [plans, starts]) {
      for (const request of wrong) contract.refused(t, await contract.post(path, request), 'invalid_start_request');
      const nobody = studyRequest(source, {
        sourceSessionId: 'source-session:none',
        range: { startMs: 0, endMs: 1e9 },
      });
      contract.refused(t, await contract.post(path, nobody), 'unknown_source_session');
      const older = studyRequest(source, { sourceRevisionId: 'source-revision:none' });
      contract.refused(t, await contract.post(path, older), 'stale_source_revision');
      const past = studyRequest(source, { range: { startMs: source.durationMs - 10, endMs: source.durationMs + 1 } });
      contract.refused(t, await contract.post(path, past), 'invalid_analysis_request');
      const long = studyRequest(source, { range: { startMs: 0, endMs: limits.studyRangeMs + 1 } });
      contract.refused(t, await contract.post(path, long), 'study_range_too_large');
    }
    const widest = studyRequest(source, { range: { startMs: 0, endMs: limits.studyRangeMs }, materializationId: null });
    contract.granted(t, await contract.post(plans, widest), 200, runtimePlan);
    const last = studyRequest(source, { range: { startMs: source.durationMs - 1, endMs: source.durationMs } });
    contract.granted(t, await contract.post(plans, last), 200, runtimePlan);
  });

  test.serial(
    contract.title('defaults that are spelled out are the same request, another option is another'),
    async (t) => {
      const source = await sampleRow(t, contract);
      const idOf = async (others: object) => {
        const answer = await contract.post(plans, studyRequest(source, others));
        return contract.granted(t, answer, 200, runtimePlan).commandId;
      };
      const plain = await idOf({});
      t.is(await idOf({ options: {} }), plain);
      t.is(await idOf({ options: { speechScope: 'foreground', includeLyrics: false, speaker: null } }), plain);
      t.is(await idOf({ materializationId: null }), plain);
      const others = [{ options: { slowAnalysis: true } }, { outputDepth: 'captions' }, { targetLanguage: 'EN' }];
      const more = [{ clientRequestId: 'a' }, { clientRequestId: 'b' }, { selectedLanguagePackId: 'pack' }];
      const ids = await Promise.all([...others, ...more].map(idOf));
      t.is(new Set([plain, ...ids]).size, ids.length + 1);
    },
  );
}

/** Every file of the data root with its size, the ledger's included. */
async function everyFile({ dataRoot }: HostContract): Promise<string[]> {
  const entries = await readdir(dataRoot, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(files.sort().map(async (path) => `${path} ${(await stat(path)).size}`));
}

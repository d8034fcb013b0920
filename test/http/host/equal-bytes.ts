import { readFile } from 'node:fs/promises';
import test from 'ava';
import { sourceSessionList } from '../../../contract/sources/source-session-list.ts';
import { runtimePlan } from '../../../contract/study/runtime-plan.ts';
import { sampleMedia } from '../../../fixtures/sample/gold.ts';
import type { HostContract } from './contract.ts';
import { ingest, storedFiles } from './ingest-steps.ts';
import { humWav } from './media.ts';
import { plans, runtimeOf, sampleRow, startStudy, starts, studyRequest } from './study-steps.ts';

/** Bytes that were registered before. */
export function equalBytes(contract: HostContract): void {
  const rows = async (t: Parameters<typeof sampleRow>[0]) =>
    contract.granted(t, await contract.get('/v1/source-sessions'), 200, sourceSessionList).sourceSessions;

  test.serial(
    contract.title('the same bytes under the same names are the same revision; its receipts are kept'),
    async (t) => {
      const media = humWav(50);
      const first = (await ingest(t, contract, media)).source;
      const before = await storedFiles(contract);
      const list = await rows(t);
      const again = await ingest(t, contract, media);
      t.is(again.status, 'registered');
      t.deepEqual(again.source, first);
      t.deepEqual(await rows(t), list);
      const after = await storedFiles(contract);
      t.true(after.length > before.length);
      t.is(
        after.filter((file) => file.endsWith(` ${media.length}`)).length,
        before.filter((file) => file.endsWith(` ${media.length}`)).length,
      );
    },
  );

  for (const others of [{ label: 'Another hum' }, { filename: 'other.wav' }, { rightsHolder: 'Somebody else' }]) {
    const [changed] = Object.keys(others);
    test.serial(
      contract.title(`the same bytes with another ${changed} are a new revision, and the old one is stale`),
      async (t) => {
        const media = humWav(60 + String(changed).length);
        const older = (await ingest(t, contract, media)).source;
        const newer = (await ingest(t, contract, media, others)).source;
        if (older === null || newer === null) throw new Error('not registered');
        t.is(newer.sourceSessionId, older.sourceSessionId);
        t.is(newer.sourceContentId, older.sourceContentId);
        t.not(newer.sourceRevisionId, older.sourceRevisionId);
        const listed = (await rows(t)).filter(({ sourceSessionId }) => sourceSessionId === newer.sourceSessionId);
        t.deepEqual(listed, [newer]);
        const range = { range: { startMs: 0, endMs: newer.durationMs } };
        for (const path of [plans, starts]) {
          contract.refused(t, await contract.post(path, studyRequest(older, range)), 'stale_source_revision');
        }
        contract.granted(t, await contract.post(plans, studyRequest(newer, range)), 200, runtimePlan);
      },
    );
  }

  test.serial(contract.title('the list has one row a session, sorted'), async (t) => {
    const ids = (await rows(t)).map(({ sourceSessionId }) => sourceSessionId);
    t.deepEqual(ids, [...new Set(ids)].sort());
    t.true(ids.length > 5);
  });

  test.serial(contract.title('an upload of the bytes of the sample carries its pinned evidence over'), async (t) => {
    const sample = await sampleRow(t, contract);
    const studied = await startStudy(t, contract, studyRequest(sample));
    const { source } = await ingest(t, contract, await readFile(sampleMedia), { filename: 'sample.mp4' });
    if (source === null) throw new Error('not registered');
    const { sourceSessionId, sourceContentId, durationMs, trackCount, preflightSchema } = sample;
    t.like(source, { sourceSessionId, sourceContentId, durationMs, trackCount, preflightSchema });
    t.like(source, { rightsScope: 'local_processing', detectedLanguageEvidenceAvailable: true });
    t.not(source.sourceRevisionId, sample.sourceRevisionId);
    const fresh = studyRequest(sample, { clientRequestId: 'too-late' });
    contract.refused(t, await contract.post(starts, fresh), 'stale_source_revision');
    t.deepEqual(await startStudy(t, contract, studyRequest(sample)), studied);
    t.is((await runtimeOf(t, contract, studied.runtimeId)).lifecycle, 'terminal');
    const started = await startStudy(t, contract, studyRequest(source));
    t.not(started.runtimeId, studied.runtimeId);
  });
}

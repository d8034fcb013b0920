import { execFile } from 'node:child_process';
import { appendFile, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { studyKey } from '../../../actors/reopening/study-row.ts';
import { runtimePlan } from '../../../contract/study/runtime-plan.ts';
import { eventKey, rowKey } from '../../../storage/ledger/keys.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import type { HostContract } from './contract.ts';
import { ingest, storedFiles } from './ingest-steps.ts';
import { humWav } from './media.ts';
import { eventsPage, followed, plans, runtimeOf, startStudy, starts, studyRequest } from './study-steps.ts';

/** Stored bytes that are no longer what they were: told by name, and only where they matter. */
export function damage(contract: HostContract): void {
  test.serial(
    contract.title('a source whose sealed file changed is neither planned nor studied until it is whole again'),
    async (t) => {
      const media = humWav(150);
      const { source } = await ingest(t, contract, media);
      if (source === null) throw new Error('not registered');
      const request = studyRequest(source, { range: { startMs: 0, endMs: source.durationMs } });
      contract.granted(t, await contract.post(plans, request), 200, runtimePlan);
      const file = (await storedFiles(contract)).find((each) => each.includes(source.sourceContentId.slice(7)));
      const path = file?.split(' ')[0] ?? '';
      await appendFile(path, 'x');
      for (const target of [plans, starts]) {
        contract.refused(t, await contract.post(target, request), 'source_revalidation_failed');
      }
      await truncate(path, media.length);
      t.true((await readFile(path)).equals(media));
      contract.granted(t, await contract.post(plans, request), 200, runtimePlan);
    },
  );

  test.serial(
    contract.title('damage in the store is told by its code, and the neighbours stay readable'),
    async (t) => {
      const { source } = await ingest(t, contract, humWav(151, 1200));
      if (source === null) throw new Error('not registered');
      const attempt = async (clientRequestId: string) => {
        const request = studyRequest(source, { clientRequestId });
        const { runtimeId } = await startStudy(t, contract, request);
        t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
        return runtimeId;
      };
      const [changed, unreadable, lost, whole] = [
        await attempt('1'),
        await attempt('2'),
        await attempt('3'),
        await attempt('4'),
      ];
      const before = await eventsPage(t, contract, whole);
      await contract.stop();
      await withRawRows(join(contract.dataRoot, 'ledger'), async (rows) => {
        const stored = await rows.get(eventKey(changed, 9));
        await rows.put(
          eventKey(changed, 9),
          Buffer.from(String(stored?.toString('latin1')).replace('"seq":9', '"seq":8'), 'latin1'),
        );
        await rows.put(eventKey(unreadable, 9), Buffer.from('nothing of the kind'));
        await rows.put(rowKey('record', studyKey(lost)), Buffer.from('nothing of the kind'));
      });
      await contract.start();
      contract.refused(t, await contract.get(`/v1/runtimes/${changed}/events`), 'invalid_journal_chain');
      contract.refused(t, await contract.get(`/v1/runtimes/${unreadable}/events`), 'malformed_journal');
      contract.refused(t, await contract.get(`/v1/runtimes/${lost}`), 'stored_content_inconsistent');
      for (const runtimeId of [changed, unreadable]) {
        const status = await runtimeOf(t, contract, runtimeId);
        t.like(status, {
          lifecycle: 'failed',
          terminal: true,
          journalHead: 8,
          reason: { code: 'stored_content_inconsistent' },
        });
      }
      t.deepEqual(await eventsPage(t, contract, whole), before);
      t.is((await runtimeOf(t, contract, whole)).lifecycle, 'terminal');
    },
  );

  test.serial(
    contract.title('a data root that cannot be read just now is unavailable, and nothing of that is remembered'),
    async (t) => {
      const { source } = await ingest(t, contract, humWav(152, 1200));
      if (source === null) throw new Error('not registered');
      const request = studyRequest(source);
      const { runtimeId } = await startStudy(t, contract, request);
      t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
      const before = await eventsPage(t, contract, runtimeId);
      // A new process knows none of the files; its one connection is open before the files run out.
      await contract.stop();
      await contract.start();
      t.is((await contract.get('/v1/source-sessions')).status, 200);
      const pid = Number((await contract.host.announced()).pid);
      const usual = await openFiles(pid);
      await limitOpenFiles(pid, `1:${usual.hard}`);
      const evidence = `/v1/runtimes/${runtimeId}/evidence`;
      for (const answer of [await contract.get(evidence), await contract.post(plans, request)]) {
        const message = contract.refused(t, answer, 'storage_unavailable', [
          'retry-after',
          'access-control-expose-headers',
        ]);
        t.regex(message, / \(EMFILE\)$/);
        t.is(answer.headers['retry-after'], '1');
      }
      await limitOpenFiles(pid, `${usual.soft}:${usual.hard}`);
      t.is((await contract.get(evidence)).status, 200);
      contract.granted(t, await contract.post(plans, request), 200, runtimePlan);
      t.deepEqual(await eventsPage(t, contract, runtimeId), before);
      t.is((await runtimeOf(t, contract, runtimeId)).lifecycle, 'terminal');
    },
  );
}

/** The limits of open files of a process. */
async function openFiles(pid: number): Promise<{ readonly soft: string; readonly hard: string }> {
  const [, soft = '', hard = ''] =
    /Max open files +(\d+) +(\d+)/.exec(await readFile(`/proc/${pid}/limits`, 'utf8')) ?? [];
  return { soft, hard };
}

const limitOpenFiles = async (pid: number, limits: string): Promise<unknown> =>
  promisify(execFile)('prlimit', ['--pid', String(pid), `--nofile=${limits}`]);

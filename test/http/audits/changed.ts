import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { eventKey, headKey, rowKey } from '../../../storage/ledger/keys.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import type { HostContract } from '../host/contract.ts';
import { storedFiles } from '../host/ingest-steps.ts';
import { eventsPage } from '../host/study-steps.ts';
import { concluded, damaged, studiedSample } from './steps.ts';

const pathOf = (contract: HostContract, contentId: string): string => {
  const hex = contentId.slice('sha256:'.length);
  return join(dataRootAt(contract.dataRoot).objects, hex.slice(0, 2), hex);
};

/** What becomes of a runtime whose stored bytes are no longer what they were. */
export function changed(contract: HostContract): void {
  let runtimeId: string;

  test.serial(
    contract.title('every object of a study that changes or goes fails all its lists, until it is whole again'),
    async (t) => {
      runtimeId = await studiedSample(t, contract, 'changed');
      const { events } = await eventsPage(t, contract, runtimeId, '?limit=200');
      const named = JSON.stringify(events).match(/sha256:[a-f0-9]{64}/g) ?? [];
      const stored = (await storedFiles(contract)).join();
      const objects = [...new Set(named)].filter((contentId) => stored.includes(contentId.slice('sha256:'.length)));
      t.true(objects.length >= 15, `${objects.length} objects`);
      for (const contentId of objects) {
        const path = pathOf(contract, contentId);
        const bytes = await readFile(path);
        const flipped = Buffer.from(bytes);
        flipped[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        await writeFile(path, flipped);
        t.regex(await damaged(t, contract, runtimeId), new RegExp(`${contentId} fails at: content$`));
        await rm(path);
        t.regex(await damaged(t, contract, runtimeId), new RegExp(`${contentId} fails at: missing$`));
        await writeFile(path, bytes);
      }
      await concluded(t, contract, runtimeId);
    },
  );

  test.serial(
    contract.title('every row of a study that is gone or damaged fails all its lists, and no others'),
    async (t) => {
      const ids: string[] = [];
      for (const attempt of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await studiedSample(t, contract, attempt));
      const [event = '', gone = '', head = '', start = '', snapshot = '', tail = ''] = ids;
      const { journalHead } = await eventsPage(t, contract, tail);
      await contract.stop();
      const nonsense = Buffer.from('nothing of the kind');
      await withRawRows(dataRootAt(contract.dataRoot).ledger, async (rows) => {
        await rows.put(eventKey(event, 9), nonsense);
        await rows.del(eventKey(gone, 9));
        await rows.put(headKey(head), nonsense);
        await rows.put(rowKey('record', `study/${start}`), nonsense);
        await rows.del(rowKey('snapshot', snapshot));
        await rows.put(eventKey(tail, journalHead + 1), nonsense);
      });
      await contract.start();
      const places = [];
      for (const id of ids) places.push(await damaged(t, contract, id));
      t.regex(places[0] ?? '', /^the journal fails at: malformed_journal: event 9 /);
      t.regex(places[1] ?? '', /^the journal fails at: invalid_journal_chain: /);
      t.regex(places[2] ?? '', /^the journal fails at: malformed_journal: the head /);
      t.is(places[3], 'the row fails at: start: damaged');
      t.is(places[4], 'the row fails at: snapshot: missing');
      t.regex(places[5] ?? '', /^the journal fails at: invalid_journal_chain: .* after its head /);
      await concluded(t, contract, runtimeId);
    },
  );
}

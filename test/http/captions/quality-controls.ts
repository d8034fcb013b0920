import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { JournalEvent } from '../../../contract/journal/journal-event.ts';
import { hashOf } from '../../../receipts/core/canonical-json.ts';
import { dataRootAt } from '../../../storage/objects/data-root-layout.ts';
import type { HostContract } from '../host/contract.ts';
import { eventsPage } from '../host/study-steps.ts';
import { type Captioned, candidateOf, captioned, checksOf, fileOf, pathOf } from './steps.ts';

const list = 'caption-quality-controls';

/** What the host says of the structure of captions. */
export function qualityControls(contract: HostContract): void {
  let accepted: Captioned;
  let withheld: Captioned;

  test.serial(
    contract.title('captions are checked as they are made, and accepted where every line is whole'),
    async (t) => {
      accepted = await captioned(t, contract, { clientRequestId: 'accepted' });
      const { runtimeId, caption } = accepted;
      const [check, ...others] = await checksOf(t, contract, runtimeId);
      t.deepEqual(others, []);
      t.is(check?.outcome, 'accepted');
      t.deepEqual(check?.reasonCodes, ['current_run_candidate_structurally_complete']);
      t.is(check?.acceptedLineIds.length, caption.result.lineCount);
      t.true(caption.result.lineCount > 0);
      t.deepEqual(check?.withheldLineIds, []);
      t.deepEqual(check?.candidate, caption);
      t.is(check?.qcId, `caption-quality-control:${hashOf({ runId: runtimeId, candidate: candidateOf(accepted) })}`);
      const { events } = await eventsPage(t, contract, runtimeId, '?limit=200');
      t.deepEqual(
        events.slice(-2).map(({ type }: JournalEvent) => type),
        ['artifact.recorded', 'caption.quality_control_decided'],
      );
    },
  );

  test.serial(contract.title('captions without a translation are withheld, line by line'), async (t) => {
    withheld = await captioned(t, contract, { clientRequestId: 'withheld', targetLanguage: 'fr' });
    t.is(withheld.caption.result.status, 'withheld');
    const [check] = await checksOf(t, contract, withheld.runtimeId);
    t.is(check?.outcome, 'withheld');
    t.deepEqual(check?.reasonCodes, ['candidate_has_unavailable_or_withheld_lines']);
    t.deepEqual(check?.acceptedLineIds, []);
    t.is(check?.withheldLineIds.length, withheld.caption.result.lineCount);
  });

  test.serial(contract.title('a check is made once, of a candidate of its runtime'), async (t) => {
    const path = pathOf(accepted.runtimeId, list);
    const candidate = candidateOf(accepted);
    const others = [
      candidate,
      candidateOf(withheld),
      { ...candidate, captionContentId: `sha256:${'0'.repeat(64)}` },
      { ...candidate, captionReceiptId: `caption-production-receipt:${'0'.repeat(64)}` },
    ];
    for (const each of others) {
      const answer = await contract.post(path, { candidate: each });
      contract.refused(t, answer, 'illegal_caption_qc_transition');
    }
    t.is((await checksOf(t, contract, accepted.runtimeId)).length, 1);
  });

  test.serial(
    contract.title('a request for a check is refused by shape before its runtime is looked for'),
    async (t) => {
      const candidate = candidateOf(accepted);
      const { captionReceiptContentId, ...partial } = candidate;
      const malformed = [
        {},
        { candidate: null },
        { candidate: partial },
        { candidate: { ...candidate, more: true } },
        { candidate, more: true },
        { candidate: { ...candidate, jobId: 'caption-production:x' } },
        [{ candidate }],
      ];
      for (const runtimeId of [accepted.runtimeId, 'runtime:x']) {
        for (const body of malformed) {
          contract.refused(t, await contract.post(pathOf(runtimeId, list), body), 'invalid_caption_qc_request');
        }
      }
      contract.refused(t, await contract.post(pathOf('runtime:x', list), { candidate }), 'unknown_runtime');
      contract.refused(t, await contract.get(pathOf('runtime:x', list)), 'unknown_runtime');
      contract.refused(t, await contract.get(`${pathOf(accepted.runtimeId, list)}?side=source`), 'unknown_query');
    },
  );

  test.serial(contract.title('checks outlive the host that made them'), async (t) => {
    const before = await checksOf(t, contract, accepted.runtimeId);
    await contract.kill();
    await contract.start();
    t.deepEqual(await checksOf(t, contract, accepted.runtimeId), before);
  });

  test.serial(contract.title('captions, receipt or check that changed fail every read of captions'), async (t) => {
    const { runtimeId, caption } = accepted;
    const [check] = await checksOf(t, contract, runtimeId);
    const reads = [
      ...['caption-productions', 'caption-production-results', list, 'caption-quality-reports'].map((name) =>
        pathOf(runtimeId, name),
      ),
      fileOf(runtimeId, caption.jobId),
    ];
    for (const contentId of [caption.captionContentId, caption.receiptContentId, check?.receiptContentId ?? '']) {
      const hex = contentId.slice('sha256:'.length);
      const path = join(dataRootAt(contract.dataRoot).objects, hex.slice(0, 2), hex);
      const bytes = await readFile(path);
      await writeFile(path, bytes.toString('utf8').replace('"current_run"', '"current_ran"'));
      for (const read of reads) {
        const message = contract.refused(t, await contract.get(read), 'stored_content_inconsistent');
        t.regex(message, new RegExp(`${contentId} fails at: content$`));
      }
      await writeFile(path, bytes);
    }
    for (const read of reads) t.is((await contract.get(read)).status, 200);
  });
}

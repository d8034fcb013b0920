import test from 'ava';
import { captionQualityReports } from '../../../contract/captions/caption-quality-report.ts';
import { readSampleGold } from '../../../fixtures/sample/gold.ts';
import type { HostContract } from '../host/contract.ts';
import { approved, captioned, captionedRange, pathOf } from './steps.ts';

const list = 'caption-quality-reports';

/** Captions held against guidelines. */
export function qualityReports(contract: HostContract): void {
  let runtimeId: string;

  test.serial(contract.title('captions are measured on both sides against every guideline'), async (t) => {
    const made = await captioned(t, contract, { clientRequestId: 'measured' });
    runtimeId = made.runtimeId;
    const answer = await contract.get(pathOf(runtimeId, list));
    const { reports } = contract.granted(t, answer, 200, captionQualityReports);
    t.deepEqual(
      reports.map(({ side, language, profile }) => [side, language, profile.id]),
      [
        ['source', 'ko', 'netflix'],
        ['source', 'ko', 'ted'],
        ['target', 'en', 'netflix'],
        ['target', 'en', 'ted'],
      ],
    );
    const { cutsMs, utterances } = await readSampleGold();
    const cuts = cutsMs.filter((atMs) => atMs < captionedRange.endMs);
    for (const { captionContentId, jobId, shotChanges, cues } of reports) {
      t.is(captionContentId, made.caption.captionContentId);
      t.is(jobId, made.caption.jobId);
      t.is(shotChanges.count, cuts.length);
      t.deepEqual(
        cues.map(({ startMs, endMs }) => [startMs, endMs]),
        utterances.slice(0, cues.length).map(({ startMs, endMs }) => [startMs, endMs]),
      );
    }
    const [first] = reports[2]?.cues ?? [];
    const said = [...(utterances[0]?.text ?? '')].length;
    t.is(first?.characters, said);
    t.is(first?.readingSpeedMilliCps, Math.ceil((said * 1_000_000) / (first?.durationMs ?? 0)));
  });

  test.serial(
    contract.title('a report is the same at every read, and says nothing of a study without captions'),
    async (t) => {
      const [one, other] = [await contract.get(pathOf(runtimeId, list)), await contract.get(pathOf(runtimeId, list))];
      t.deepEqual(one.body, other.body);
      const { runtimeId: uncaptioned } = await approved(t, contract, { clientRequestId: 'unmeasured' });
      const answer = await contract.get(pathOf(uncaptioned, list));
      t.deepEqual(contract.granted(t, answer, 200, captionQualityReports).reports, []);
    },
  );

  test.serial(contract.title('a report is asked for by GET, of a runtime that is'), async (t) => {
    const path = pathOf(runtimeId, list);
    contract.refused(t, await contract.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
    contract.refused(t, await contract.get(`${path}?side=source`), 'unknown_query');
    contract.refused(t, await contract.get(pathOf('runtime:x', list)), 'unknown_runtime');
  });
}

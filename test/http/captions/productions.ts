import test, { type ExecutionContext } from 'ava';
import {
  type CaptionProductionResults,
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../../contract/captions/caption-answers.ts';
import { readSampleGold } from '../../../fixtures/sample/gold.ts';
import { hash, storedId } from '../../receipts/core/independent-ids.ts';
import type { HostContract } from '../host/contract.ts';
import { eventsPage, runtimeOf } from '../host/study-steps.ts';
import { type Approved, approved, type Captioned, captioned, captionedRange, pathOf, revoke } from './steps.ts';

const list = 'caption-productions';

const declared = (language: string) => ({ mode: 'declared', languages: [language], reason: null });

/** Starts the host again on what it has, with this executor of captions. */
export type StartWith = (executor: string | null) => Promise<void>;

/** What hosts make of an approval that were started with an executor that works. */
export function productions(contract: HostContract, startWith: StartWith): void {
  let embedded: Captioned;
  let seam: Captioned;

  async function everything(t: ExecutionContext, runtimeId: string) {
    return {
      captions: contract.granted(t, await contract.get(pathOf(runtimeId, list)), 200, captionProductions),
      results: await resultsOf(t, runtimeId),
      checks: contract.granted(
        t,
        await contract.get(pathOf(runtimeId, 'caption-quality-controls')),
        200,
        captionQualityControls,
      ),
      events: (await eventsPage(t, contract, runtimeId, '?limit=200')).events,
    };
  }

  async function resultsOf(t: ExecutionContext, runtimeId: string): Promise<CaptionProductionResults> {
    const answer = await contract.get(pathOf(runtimeId, 'caption-production-results'));
    return contract.granted(t, answer, 200, captionProductionResults);
  }

  const produce = ({ runtimeId, approval }: Approved) => contract.post(pathOf(runtimeId, list), { approval });

  test.serial(contract.title('the test seam makes numbered lines, which are accepted'), async (t) => {
    await startWith('deterministic-test');
    seam = await captioned(t, contract, { clientRequestId: 'seam' });
    const { caption, runtimeId } = seam;
    t.like(caption.executor, {
      id: 'studio.deterministic-current-run-caption-test-seam',
      classification: 'deterministic_current_run_test_seam',
      executionScope: 'current_run',
    });
    const { results, checks } = await everything(t, runtimeId);
    const lines = results.results[0]?.artifact.lines ?? [];
    t.is(lines.length, 6);
    t.is(lines[5]?.id, 'deterministic-current-run-line-006');
    t.is(lines[0]?.target.text, 'Deterministic target line 1');
    t.is(checks.qualityControls[0]?.outcome, 'accepted');
    const short = await captioned(t, contract, { clientRequestId: 'short', range: { startMs: 0, endMs: 400 } });
    t.is(short.caption.result.lineCount, 1);
  });

  test.serial(contract.title('the two subtitle tracks of the sample become captions that are accepted'), async (t) => {
    await startWith('embedded-subtitles');
    const study = await approved(t, contract, { clientRequestId: 'embedded' });
    const head = (await runtimeOf(t, contract, study.runtimeId)).journalHead;
    const [caption] = contract.granted(t, await produce(study), 201, captionProductions).captions;
    if (caption === undefined) throw new Error('no captions');
    embedded = { ...study, caption };
    t.like(caption, { approval: study.approval, authorityState: 'unrevoked', result: { status: 'completed' } });
    t.deepEqual(caption.source.range, captionedRange);
    const { results, checks, events, captions } = await everything(t, study.runtimeId);
    t.is(captions.journalHead, head + 6);
    t.deepEqual(
      events.slice(head).map(({ type, producer }) => `${producer.kind} ${type}`),
      [
        'caption_production_host caption.production_started',
        'artifact_store artifact.recorded',
        'artifact_store artifact.recorded',
        'caption_production_host caption.production_completed',
        'artifact_store artifact.recorded',
        'caption_quality_control_host caption.quality_control_decided',
      ],
    );
    const { subtitleTracks } = await readSampleGold();
    const spoken = subtitleTracks.map((track) => track.cues.filter(({ endMs }) => endMs <= captionedRange.endMs));
    t.deepEqual(
      results.results[0]?.artifact.lines.map(({ startMs, endMs, source, target }) => [
        ...[startMs, endMs, source.text, target.text],
      ]),
      spoken[0]?.map(({ startMs, endMs, text }, index) => [startMs, endMs, text, spoken[1]?.[index]?.text ?? null]),
    );
    t.is(checks.qualityControls[0]?.outcome, 'accepted');
    t.deepEqual(results.results[0]?.verification, captions.captions[0]);
  });

  test.serial(contract.title('captions have the names that anybody can compute'), async (t) => {
    for (const { runtimeId, approval, caption } of [seam, embedded]) {
      const { results, events } = await everything(t, runtimeId);
      const { study, readiness } = caption;
      t.is(caption.jobId, `caption-production:${hash({ runId: runtimeId, approval, readiness, study })}`);
      t.is(storedId(results.results[0]?.artifact), caption.captionContentId);
      const completed = events.find(({ type }) => type === 'caption.production_completed');
      if (completed?.type !== 'caption.production_completed') throw new Error('it is not in the journal');
      const { schema, receiptId, ...body } = completed.data.receipt;
      t.is(caption.receiptId, `caption-production-receipt:${hash(body)}`);
      t.is(caption.receiptContentId, storedId({ schema, receiptId, ...body }));
      const artifactOf = (kind: string, contentId: string) =>
        `artifact:${hash({ runId: runtimeId, jobId: caption.jobId, kind, contentId })}`;
      t.is(caption.captionArtifactId, artifactOf('caption-production-output', caption.captionContentId));
      t.is(caption.receiptArtifactId, artifactOf('caption-production-receipt', caption.receiptContentId));
    }
  });

  test.serial(
    contract.title('an approval gives captions once, however often and by how many it is asked'),
    async (t) => {
      const before = await everything(t, embedded.runtimeId);
      contract.refused(t, await produce(embedded), 'illegal_caption_transition');
      t.deepEqual(await everything(t, embedded.runtimeId), before);
      const study = await approved(t, contract, { clientRequestId: 'at-once' });
      const answers = await Promise.all(Array.from({ length: 5 }, () => produce(study)));
      t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
      for (const answer of answers) {
        if (answer.status === 409) contract.refused(t, answer, 'illegal_caption_transition');
      }
      const { captions, events } = await everything(t, study.runtimeId);
      t.is(captions.captions.length, 1);
      t.is(events.filter(({ type }) => type === 'caption.production_started').length, 1);
    },
  );

  test.serial(
    contract.title('captions of a language that one track has are withheld or unavailable, not refused'),
    async (t) => {
      const foreign = { requestedSourceLanguage: declared('ja') };
      const sides: [object, string, string][] = [
        [{ targetLanguage: 'fr' }, 'withheld', 'candidate_has_unavailable_or_withheld_lines'],
        [foreign, 'unavailable', 'candidate_has_unavailable_or_withheld_lines'],
      ];
      for (const [index, [others, status, reason]] of sides.entries()) {
        const made = await captioned(t, contract, { clientRequestId: `side-${index}`, ...others });
        t.is(made.caption.result.status as string, status);
        const { checks } = await everything(t, made.runtimeId);
        t.is(checks.qualityControls[0]?.outcome, 'withheld');
        t.deepEqual(checks.qualityControls[0]?.reasonCodes as string[], [reason]);
      }
    },
  );

  test.serial(contract.title('captions without a line are refused, and the approval stays free'), async (t) => {
    const languages = { requestedSourceLanguage: declared('ja'), targetLanguage: 'fr' };
    const study = await approved(t, contract, { clientRequestId: 'no-lines', ...languages });
    const before = await everything(t, study.runtimeId);
    t.regex(contract.refused(t, await produce(study), 'caption_lines_unavailable'), /^no_text_track: .* in ja or fr/);
    t.deepEqual(await everything(t, study.runtimeId), before);
    await startWith('recognized');
    t.regex(contract.refused(t, await produce(study), 'caption_lines_unavailable'), /^not_recognised: /);
    t.deepEqual(await everything(t, study.runtimeId), before);
    await startWith('deterministic-test');
    contract.granted(t, await produce(study), 201, captionProductions);
    await startWith('embedded-subtitles');
  });

  test.serial(contract.title('a language is found under every code that it goes by'), async (t) => {
    const requestedSourceLanguage = { mode: 'declared', languages: ['kor'], reason: null };
    const asked = { clientRequestId: 'codes', requestedSourceLanguage, targetLanguage: 'en-GB' };
    const { caption, runtimeId } = await captioned(t, contract, asked);
    t.is(caption.result.status, 'completed');
    const [line] = (await resultsOf(t, runtimeId)).results[0]?.artifact.lines ?? [];
    t.deepEqual([line?.source.language, line?.target.language], ['kor', 'en-GB']);
  });

  test.serial(
    contract.title('lists of captions are asked for by GET or HEAD, with nothing that they do not know'),
    async (t) => {
      for (const name of [list, 'caption-production-results']) {
        const path = pathOf(embedded.runtimeId, name);
        const [got, head] = [await contract.get(path), await contract.ask('HEAD', path)];
        t.is(head.status, 200);
        t.is(head.body.length, 0);
        t.is(head.headers['content-length'], got.headers['content-length']);
        contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
        contract.refused(t, await contract.get(`${path}?after=1`), 'unknown_query');
        contract.refused(t, await contract.ask('DELETE', path), 'method_not_allowed', ['allow']);
      }
      const results = pathOf(embedded.runtimeId, 'caption-production-results');
      contract.refused(t, await contract.post(results, { approval: embedded.approval }), 'method_not_allowed', [
        'allow',
      ]);
    },
  );

  test.serial(
    contract.title('captions outlive their host, however it ends, and whoever makes captions next'),
    async (t) => {
      const before = [await everything(t, seam.runtimeId), await everything(t, embedded.runtimeId)];
      await contract.kill();
      await contract.start();
      t.deepEqual([await everything(t, seam.runtimeId), await everything(t, embedded.runtimeId)], before);
      for (const executor of ['deterministic-test', null]) {
        await startWith(executor);
        t.deepEqual([await everything(t, seam.runtimeId), await everything(t, embedded.runtimeId)], before);
      }
      const answer = await produce(embedded);
      contract.refused(t, answer, 'caption_current_run_causality_required');
    },
  );

  test.serial(contract.title('a withdrawal leaves captions readable and says that it came after them'), async (t) => {
    await startWith('embedded-subtitles');
    await revoke(t, contract, embedded);
    const { captions, results } = await everything(t, embedded.runtimeId);
    t.is(captions.captions[0]?.authorityState, 'revoked_after_completion');
    t.deepEqual(captions.captions[0], { ...embedded.caption, authorityState: 'revoked_after_completion' });
    t.is(storedId(results.results[0]?.artifact), embedded.caption.captionContentId);
    contract.refused(t, await produce(embedded), 'caption_authority_required');
  });
}

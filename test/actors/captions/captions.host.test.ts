import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type ErrorCode, ServiceError } from '../../../contract/base/errors.ts';
import {
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../../contract/captions/caption-answers.ts';
import type { CaptionClassification } from '../../../contract/captions/caption-line.ts';
import { candidateOf } from '../../../receipts/captions/quality-control.ts';
import { LedgerError } from '../../../storage/ledger/ledger.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { type StudyShape, storedStudy } from '../../receipts/evidence/stored-study.ts';
import { koreanTrack, twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { store } from '../reopening/stored-studies.ts';
import { quiet } from '../supervision/bench.ts';
import { approvedStudy, type CaptionBench, held, openCaptionBench } from './caption-bench.ts';

async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return 'granted';
  } catch (error) {
    if (error instanceof ServiceError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const startsWith = (t: ExecutionContext, said: string, code: ErrorCode) =>
  t.is(said.slice(0, said.indexOf(':')), code, said);

const candidateIn = async ({ reads }: CaptionBench, runtimeId: string) => {
  const [row] = (await reads.productions(runtimeId)).captions;
  if (row === undefined) throw new Error('there are no captions');
  return candidateOf({ ...row, artifactId: row.captionArtifactId, contentId: row.captionContentId });
};

const made = ['started', 'artifact.recorded', 'artifact.recorded', 'completed'];

const checked = ['artifact.recorded', 'quality_control_decided'];

test('captions are made under an approval and checked in one go', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { captions, reads } = bench;
  await captions.produce(runtimeId, { approval });
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...checked]);
  const listed = captionProductions.parse(await reads.productions(runtimeId));
  t.is(listed.journalHead, after + 6);
  t.like(listed.captions[0], { approval, authorityState: 'unrevoked' });
  t.deepEqual(listed.captions[0]?.result, {
    ...{ status: 'completed', lineCount: 3, sourceAvailableCount: 3, targetAvailableCount: 3 },
    ...{ withheldCount: 0, unavailableCount: 0 },
  });
  const { results } = captionProductionResults.parse(await reads.results(runtimeId));
  t.deepEqual(
    results[0]?.artifact.lines.map(({ target }) => target.text),
    twoTracks[1]?.cues.map(({ text }) => text),
  );
  const { qualityControls } = captionQualityControls.parse(await reads.qualityControls(runtimeId));
  t.is(qualityControls[0]?.outcome, 'accepted');
  t.deepEqual(bench.reports, []);
  t.deepEqual(bench.supervisor.liveRows('caption-production'), []);
});

test('of equal requests at once one has captions made', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const requests = Array.from({ length: 6 }, () => refusal(bench.captions.produce(runtimeId, { approval })));
  const reading = bench.reads.productions(runtimeId);
  const answers = await Promise.all(requests);
  await reading;
  t.is(answers.filter((answer) => answer === 'granted').length, 1);
  for (const answer of answers) {
    if (answer !== 'granted') t.is(answer, 'illegal_caption_transition: the approval is used already');
  }
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...checked]);
  t.is((await bench.reads.productions(runtimeId)).captions.length, 1);
});

test('an approval that was used, is unknown or is of another runtime gives no captions', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { captions } = bench;
  const other = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks, attempt: 'other' }));
  startsWith(t, await refusal(captions.produce(other, { approval })), 'caption_authority_required');
  const foreign = await bench.approve(other);
  for (const wrong of [foreign, { ...approval, receiptContentId: `sha256:${'0'.repeat(64)}` }]) {
    startsWith(t, await refusal(captions.produce(runtimeId, { approval: wrong })), 'caption_authority_required');
  }
  t.is(bench.ledger.journalHead(runtimeId).seq, after);
  await captions.produce(runtimeId, { approval });
  startsWith(t, await refusal(captions.produce(runtimeId, { approval })), 'illegal_caption_transition');
  startsWith(t, await refusal(captions.produce('runtime:x', { approval })), 'unknown_runtime');
  await captions.produce(other, { approval: foreign });
});

test('no one declared language is refused before the approval, and that before the executor', async (t) => {
  const recorded: CaptionClassification = 'recorded_real_pipeline_fixture';
  const asked: StudyShape['asked'] = { requestedSourceLanguage: { mode: 'automatic', languages: [], reason: null } };
  const undeclared = await approvedStudy(t, { classification: recorded }, { asked });
  const wrong = { ...undeclared.approval, reviewId: `publish-review:${'0'.repeat(64)}` };
  for (const approval of [undeclared.approval, wrong]) {
    const said = await refusal(undeclared.bench.captions.produce(undeclared.runtimeId, { approval }));
    t.is(said, 'illegal_caption_transition: captions need a study of one declared source language');
  }
  const { bench, runtimeId, approval, after } = await approvedStudy(t, { classification: recorded });
  const unknown = { ...approval, reviewId: wrong.reviewId };
  startsWith(t, await refusal(bench.captions.produce(runtimeId, { approval: unknown })), 'caption_authority_required');
  const said = await refusal(bench.captions.produce(runtimeId, { approval }));
  startsWith(t, said, 'caption_current_run_causality_required');
  t.is(bench.ledger.journalHead(runtimeId).seq, after);
  await bench.revoke(runtimeId, approval);
  startsWith(t, await refusal(bench.captions.produce(runtimeId, { approval })), 'caption_authority_required');
});

test('captions that could not be stored leave the approval unused, and the reason on stderr', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  bench.hook.storing = () => Promise.reject(new Error('no space left on /dev/disk'));
  const said = await refusal(bench.captions.produce(runtimeId, { approval }));
  t.is(said, 'internal_failure: internal: it could not be written down');
  t.deepEqual(await bench.journal(runtimeId, after), ['started', 'failed internal: it could not be written down']);
  t.deepEqual(bench.reports, ['captions: no space left on /dev/disk']);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
  bench.hook.storing = () => undefined;
  await bench.captions.produce(runtimeId, { approval });
  t.is((await bench.reads.productions(runtimeId)).captions.length, 1);
});

test('captions that are too large fail with their cause, three times at most', async (t) => {
  const cues = Array.from({ length: 65 }, (_, at) => ({ startMs: at * 10, endMs: at * 10 + 10, text: `${at}` }));
  const tracks = [{ ...koreanTrack, cues }];
  const { bench, runtimeId, approval, after } = await approvedStudy(t, {}, { tracks });
  const cause = 'too_large: 65 lines, at most 64 are allowed';
  for (let attempt = 0; attempt < 3; attempt += 1) {
    t.is(await refusal(bench.captions.produce(runtimeId, { approval })), `illegal_caption_transition: ${cause}`);
  }
  const said = await refusal(bench.captions.produce(runtimeId, { approval }));
  t.is(said, 'illegal_caption_transition: all attempts under this approval are used');
  const attempt = ['started', `failed ${cause}`];
  t.deepEqual(await bench.journal(runtimeId, after), [...attempt, ...attempt, ...attempt]);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
});

test('a check that fails leaves the captions as they are, and may be asked for again', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { captions, reads, hook } = bench;
  let stored = 0;
  hook.storing = () => {
    stored += 1;
    return stored === 1 ? undefined : Promise.reject(new Error('no space'));
  };
  await captions.produce(runtimeId, { approval });
  t.deepEqual(await bench.journal(runtimeId, after), made);
  t.is((await reads.productions(runtimeId)).captions.length, 1);
  t.deepEqual((await reads.qualityControls(runtimeId)).qualityControls, []);
  const candidate = await candidateIn(bench, runtimeId);
  startsWith(t, await refusal(captions.check(runtimeId, { candidate })), 'internal_failure');
  t.deepEqual(bench.reports, ['captions: no space', 'captions: no space']);
  t.deepEqual(await bench.journal(runtimeId, after), made);
  hook.storing = () => undefined;
  const wrong = { ...candidate, captionReceiptId: `caption-production-receipt:${'0'.repeat(64)}` };
  startsWith(t, await refusal(captions.check(runtimeId, { candidate: wrong })), 'illegal_caption_qc_transition');
  const answers = await Promise.all([1, 2, 3].map(() => refusal(captions.check(runtimeId, { candidate }))));
  t.is(answers.filter((answer) => answer === 'granted').length, 1);
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...checked]);
  startsWith(t, await refusal(captions.check(runtimeId, { candidate })), 'illegal_caption_qc_transition');
  t.is((await reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

test('a missing check outlives its host, and may still be made after a withdrawal', async (t) => {
  const { root, bench: first, runtimeId, approval } = await approvedStudy(t);
  let stored = 0;
  first.hook.storing = () => {
    stored += 1;
    return stored === 1 ? undefined : Promise.reject(new Error('no space'));
  };
  await first.captions.produce(runtimeId, { approval });
  await first.close();
  const bench = await openCaptionBench(t, root);
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [] });
  await bench.revoke(runtimeId, approval);
  await bench.captions.check(runtimeId, { candidate: await candidateIn(bench, runtimeId) });
  const { qualityControls } = await bench.reads.qualityControls(runtimeId);
  t.is(qualityControls[0]?.outcome, 'accepted');
  t.is(qualityControls[0]?.candidate.authorityState, 'revoked_after_completion');
});

test('captions over a journal that turns out to be damaged are answered as damage', async (t) => {
  const { bench, runtimeId, approval } = await approvedStudy(t);
  const { ledger, hook } = bench;
  const commit = ledger.commit.bind(ledger);
  let refuses = false;
  ledger.commit = (writes) => {
    const appends = refuses && writes.some((write) => 'append' in write);
    return appends ? Promise.reject(new LedgerError('malformed_journal', 'event 9 has changed')) : commit(writes);
  };
  hook.storing = () => {
    refuses = true;
  };
  const said = await refusal(bench.captions.produce(runtimeId, { approval }));
  startsWith(t, said, 'stored_content_inconsistent');
  t.deepEqual(bench.supervisor.liveRows('caption-production'), []);
  await quiet(bench);
});

test('captions whose study is damaged after they were asked for are answered as damage', async (t) => {
  const { root, bench, runtimeId, approval } = await approvedStudy(t);
  const hex = approval.receiptContentId.slice('sha256:'.length);
  const { ledger } = bench;
  const commit = ledger.commit.bind(ledger);
  ledger.commit = async (writes) => {
    await commit(writes);
    await rm(join(dataRootAt(root).objects, hex.slice(0, 2), hex), { force: true });
  };
  const said = await refusal(bench.captions.produce(runtimeId, { approval }));
  t.is(said, 'stored_content_inconsistent: damaged: what the captions rest on does not verify');
  t.is(bench.reports.length, 1);
});

test('a request whose row is damaged while it waits is answered, not left waiting', async (t) => {
  const { bench, runtimeId, approval } = await approvedStudy(t);
  const { ledger, hook } = bench;
  const get = ledger.get.bind(ledger);
  hook.storing = () => {
    ledger.get = (space, key) => {
      if (key.startsWith('caption-production:')) throw new LedgerError('damaged_row', key);
      return get(space, key);
    };
  };
  const said = await refusal(bench.captions.produce(runtimeId, { approval }));
  startsWith(t, said, 'stored_content_inconsistent');
});

test('captions that are not stored within a minute fail, and the approval is free again', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const storing = held();
  bench.hook.storing = storing.wait;
  const producing = bench.captions.produce(runtimeId, { approval });
  await storing.reached;
  bench.clock.advance(59_999);
  await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), ['started']);
  bench.clock.advance(1);
  t.is(await refusal(producing), 'illegal_caption_transition: timeout: not made within 60000 ms');
  bench.hook.storing = () => undefined;
  storing.release();
  await quiet(bench);
  const failed = ['started', 'failed timeout: not made within 60000 ms'];
  t.deepEqual(await bench.journal(runtimeId, after), failed);
  await bench.captions.produce(runtimeId, { approval });
  t.deepEqual(await bench.journal(runtimeId, after), [...failed, ...made, ...checked]);
  t.is(bench.clock.pending, 0);
  t.deepEqual(bench.reports, []);
});

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ActorDefinition } from '../../../actors/supervision/actor-definition.ts';
import { aloneDelayMs, deathLimit } from '../../../actors/supervision/recovery.ts';
import { spokenLanguage } from '../../../client/studies.ts';
import { type ErrorCode, ServiceError } from '../../../contract/base/errors.ts';
import {
  captionProductionResults,
  captionProductions,
  captionQualityControls,
} from '../../../contract/captions/caption-answers.ts';
import type { CaptionClassification } from '../../../contract/captions/caption-line.ts';
import type { RequestedMethod } from '../../../contract/captions/caption-method.ts';
import { runtimeOverview } from '../../../contract/overview.ts';
import type { ApprovalReference } from '../../../contract/review.ts';
import { sourceSessionList } from '../../../contract/sources/source-session.ts';
import { planWarnings } from '../../../contract/study/start.ts';
import { hashOf } from '../../../formats/canonical-json.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import { captionExecutors } from '../../../receipts/captions/executors.ts';
import { candidateOf } from '../../../receipts/captions/quality-control.ts';
import { approvedStudyOf } from '../../../receipts/published/captions.ts';
import { headKey, nameOf, rowKey } from '../../../storage/ledger/keys.ts';
import { LedgerError } from '../../../storage/ledger/ledger.ts';
import { decodeRow, encodeRow } from '../../../storage/ledger/row-codec.ts';
import { dataRootAt } from '../../../storage/objects/data-root.ts';
import { TestHost } from '../../host/test-host.ts';
import { type StudyShape, storedStudy } from '../../receipts/evidence/stored-study.ts';
import { koreanTrack, twoTracks } from '../../receipts/evidence/stored-tracks.ts';
import { withRawRows } from '../../storage/ledger/scratch.ts';
import { store } from '../reopening/stored-studies.ts';
import { quiet } from '../supervision/bench.ts';
import { approvedStudy, type CaptionBench, checked, held, made, openCaptionBench } from './caption-bench.ts';

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

/** Captions that are being made, and wait to be stored. */
async function heldProduction(bench: CaptionBench, runtimeId: string, approval: ApprovalReference) {
  const storing = held();
  bench.hook.storing = storing.wait;
  const producing = bench.captions.produce(runtimeId, { approval });
  await storing.reached;
  return { storing, producing };
}

test('captions are made under an approval and checked in one go', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { captions, reads } = bench;
  await captions.produce(runtimeId, { approval });
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...checked]);
  const listed = captionProductions.parse(await reads.productions(runtimeId));
  t.is(listed.journalHead, after + 6);
  t.like(listed.captions[0], { approval, authorityState: 'unrevoked' });
  t.deepEqual(listed.captions[0]?.result, {
    status: 'completed',
    lineCount: 3,
    sourceAvailableCount: 3,
    targetAvailableCount: 3,
    withheldCount: 0,
    unavailableCount: 0,
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

test('a plan, the production after it and every later read draft the lines of a study once', async (t) => {
  const classification = 'grouped_subtitle_tracks';
  const { bench, runtimeId, approval } = await approvedStudy(t, { classification });
  const drafted = async () => {
    const study = approvedStudyOf(await bench.runtimes.read(runtimeId), approval);
    if (study === null) throw new Error('the approval is not valid');
    return resultOfSteps(captionExecutors[classification].draft(study));
  };
  const planned = await drafted();
  await bench.captions.produce(runtimeId, { approval });
  t.is((await bench.reads.productions(runtimeId)).captions[0]?.result.lineCount, planned.length);
  t.is(await drafted(), planned);
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

test('a failed check leaves the captions as they are, and a client may request it again', async (t) => {
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
  t.deepEqual(await bench.recover(), { resumed: 0, waiting: 0, ended: [], damaged: [], unserved: [] });
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

test('captions whose study is damaged after their request are answered as damage', async (t) => {
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
  const { storing, producing } = await heldProduction(bench, runtimeId, approval);
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

const cut = 'failed interrupted: the attempt was cut short';

/** Lets a host begin to store something for the n-th time and die there, without any later result. */
async function diesAt(bench: CaptionBench, storing: number, begin: () => Promise<unknown>): Promise<void> {
  const gate = held();
  let stored = 0;
  bench.hook.storing = () => {
    stored += 1;
    return stored === storing ? gate.wait() : undefined;
  };
  begin().catch(() => undefined);
  await gate.reached;
  await bench.close();
}

/** An approved study whose host died when it stored something of its captions for the n-th time. */
async function deadAt(t: ExecutionContext, storing: number) {
  const study = await approvedStudy(t);
  const { bench, runtimeId, approval } = study;
  await diesAt(bench, storing, () => bench.captions.produce(runtimeId, { approval }));
  return study;
}

const jobIdsOf = async ({ store: { ledger } }: CaptionBench, runtimeId: string): Promise<string[]> => {
  const { events } = await ledger.journalPage(runtimeId, 0, 200);
  return events
    .map((bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')))
    .filter(({ type }) => type === 'caption.production_started')
    .map(({ data }) => data.jobId);
};

test('an attempt that its host did not survive is over, and said so once', async (t) => {
  const { root, runtimeId, after } = await deadAt(t, 1);
  for (const life of [1, 2]) {
    const next = await openCaptionBench(t, root);
    const { resumed, waiting, ended, damaged } = await next.recover();
    t.deepEqual([resumed, waiting, damaged], [0, 0, []]);
    t.is(ended.length, life === 1 ? 1 : 0);
    t.regex(ended[0] ?? ': what', /: what/);
    t.deepEqual(await next.journal(runtimeId, after), ['started', cut]);
    t.deepEqual((await next.reads.productions(runtimeId)).captions, []);
    t.deepEqual(next.supervisor.liveRows('caption-production'), []);
    await next.close();
  }
});

test('an attempt after one that was cut short has its number in its name, and three are all', async (t) => {
  const { root, runtimeId, approval, after } = await deadAt(t, 1);
  for (const attempt of [1, 2]) {
    const next = await openCaptionBench(t, root);
    await next.recover();
    t.is((await jobIdsOf(next, runtimeId)).length, attempt);
    await diesAt(next, 1, () => next.captions.produce(runtimeId, { approval }));
  }
  const last = await openCaptionBench(t, root);
  await last.recover();
  const attempts = ['started', cut];
  t.deepEqual(await last.journal(runtimeId, after), [...attempts, ...attempts, ...attempts]);
  await t.throwsAsync(last.captions.produce(runtimeId, { approval }), { message: /^all attempts/ });
  const [{ readiness } = { readiness: null }] = (await last.reviews.intakes(runtimeId)).intakes;
  const record = storedStudy({ version: 1, windows: 4, tracks: twoTracks }).steps.admit as { study: object };
  const named = { runId: runtimeId, approval, readiness, study: record.study };
  t.deepEqual(
    await jobIdsOf(last, runtimeId),
    [named, { ...named, attempt: 1 }, { ...named, attempt: 2 }].map((each) => `caption-production:${hashOf(each)}`),
  );
});

test('the approval of an attempt that was cut short is still good', async (t) => {
  const { root, runtimeId, approval, after } = await deadAt(t, 1);
  const next = await openCaptionBench(t, root);
  await next.recover();
  await next.captions.produce(runtimeId, { approval });
  t.deepEqual(await next.journal(runtimeId, after), ['started', cut, ...made, ...checked]);
  t.is((await next.reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

const recordedHost = { classification: 'recorded_real_pipeline_fixture' } as const;

test('an attempt by a method that its host did not survive leaves the approval for the same lines by that method', async (t) => {
  const method = 'grouped-subtitles';
  const linesBy = async (bench: CaptionBench, runtimeId: string) => {
    const [{ artifact } = { artifact: null }] = (await bench.reads.results(runtimeId)).results;
    return artifact?.lines.map(({ startMs, endMs, source, target }) => ({ startMs, endMs, source, target }));
  };
  const whole = await approvedStudy(t, recordedHost);
  await whole.bench.captions.produce(whole.runtimeId, { approval: whole.approval, method });
  const { root, bench, runtimeId, approval, after } = await approvedStudy(t, recordedHost);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval, method }));
  const next = await openCaptionBench(t, root, recordedHost);
  await next.recover();
  t.deepEqual(await next.journal(runtimeId, after), ['started', cut]);
  startsWith(
    t,
    await refusal(next.captions.produce(runtimeId, { approval })),
    'caption_current_run_causality_required',
  );
  await next.captions.produce(runtimeId, { approval, method: 'auto' });
  t.deepEqual(await next.journal(runtimeId, after), ['started', cut, ...made, ...checked]);
  t.deepEqual(await linesBy(next, runtimeId), await linesBy(whole.bench, whole.runtimeId));
});

test('captions by a method are those of a host with that caption executor, byte for byte', async (t) => {
  const recordOf = async (bench: CaptionBench, runtimeId: string) =>
    (await bench.reads.results(runtimeId)).results[0]?.artifact;
  const { bench, runtimeId, approval } = await approvedStudy(t);
  await bench.captions.produce(runtimeId, { approval });
  const other = await approvedStudy(t, recordedHost);
  await other.bench.captions.produce(other.runtimeId, { approval: other.approval, method: 'embedded-subtitles' });
  const [one, two] = [await recordOf(bench, runtimeId), await recordOf(other.bench, other.runtimeId)];
  const named = (record: typeof one): string =>
    JSON.stringify(record).replaceAll(
      /caption-production:[0-9a-f]{64}|publish-review[-\w]*:[0-9a-f]{64}|(artifact|sha256):[0-9a-f]{64}/g,
      '',
    );
  t.is(named(one), named(two));
});

test('a method is refused before its permission, and with one track alone if it does not translate', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, recordedHost, { tracks: [koreanTrack] });
  const said = (method: RequestedMethod) => refusal(bench.captions.produce(runtimeId, { approval, method }));
  startsWith(t, await said('deterministic-test'), 'permission_required');
  startsWith(t, await said('recognized'), 'permission_required');
  startsWith(t, await said('subtitles-translated'), 'engine_unavailable');
  t.regex(await said('grouped-subtitles'), /^caption_lines_unavailable: method_does_not_translate: /);
  t.deepEqual(await bench.journal(runtimeId, after), []);
  const unknown = { ...approval, receiptContentId: `sha256:${'0'.repeat(64)}` };
  const foreign = refusal(bench.captions.produce(runtimeId, { approval: unknown, method: 'auto' }));
  startsWith(t, await foreign, 'caption_authority_required');
});

test('a check that its host did not survive is made by the next one', async (t) => {
  const { root, runtimeId, after } = await deadAt(t, 2);
  const next = await openCaptionBench(t, root);
  t.is((await next.recover()).resumed, 1);
  await quiet(next);
  while (next.supervisor.liveRows('caption-production').length > 0) await quiet(next);
  t.deepEqual(await next.journal(runtimeId, after), [...made, ...checked]);
  t.is((await next.reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

test('a check that no host survives, though it runs alone, rests after the fifth death', async (t) => {
  const { root, runtimeId, after } = await deadAt(t, 2);
  for (let life = 0; life < 2; life += 1) {
    const next = await openCaptionBench(t, root);
    await diesAt(next, 1, () => next.recover());
  }
  for (let deaths = 0; deaths < deathLimit; deaths += 1) {
    const next = await openCaptionBench(t, root);
    await diesAt(next, 1, async () => {
      await next.recover();
      next.clock.advance(aloneDelayMs(deaths));
    });
  }
  const last = await openCaptionBench(t, root);
  t.regex((await last.recover()).ended[0] ?? '', /resumes exhausted/);
  t.deepEqual(await last.journal(runtimeId, after), made);
  await last.captions.check(runtimeId, { candidate: await candidateIn(last, runtimeId) });
  t.deepEqual(await last.journal(runtimeId, after), [...made, ...checked]);
});

test('an attempt of another version of its chart is over, and the approval good', async (t) => {
  const { root, runtimeId, approval, after } = await deadAt(t, 1);
  await withRawRows(dataRootAt(root).ledger, async (rows) => {
    for await (const [key, stored] of rows.iterator()) {
      const name = nameOf(key);
      if (!name.startsWith('caption-production:') || !key.equals(rowKey('snapshot', name))) continue;
      const row = decodeRow(key, stored) as Record<string, unknown>;
      await rows.put(key, encodeRow(key, { ...row, machineVersion: 0 }));
    }
  });
  const next = await openCaptionBench(t, root);
  await next.recover();
  const reason = 'interrupted: version 0 of caption-production can no longer be resumed';
  t.deepEqual(await next.journal(runtimeId, after), ['started', `failed ${reason}`]);
  await next.captions.produce(runtimeId, { approval });
  t.is((await next.reads.productions(runtimeId)).captions.length, 1);
});

test('an attempt over a journal that was damaged meanwhile ends without writing to it', async (t) => {
  const { root, bench, runtimeId, approval } = await approvedStudy(t);
  const other = await store(bench.store, storedStudy({ version: 1, windows: 4, tracks: twoTracks, attempt: 'other' }));
  const otherApproval = await bench.approve(other);
  await diesAt(bench, 1, () => bench.captions.produce(runtimeId, { approval }));
  await withRawRows(dataRootAt(root).ledger, (rows) => rows.put(headKey(runtimeId), Buffer.from('no head')));
  const next = await openCaptionBench(t, root);
  t.is((await next.recover()).ended.length, 1);
  t.deepEqual(next.supervisor.liveRows('caption-production'), []);
  await t.throwsAsync(next.reads.productions(runtimeId), { code: 'stored_content_inconsistent' });
  await t.throwsAsync(next.captions.produce(runtimeId, { approval }), { code: 'stored_content_inconsistent' });
  await next.captions.produce(other, { approval: otherApproval });
  t.is((await next.reads.productions(other)).captions.length, 1);
});

/** A kind that crashes when it is about to write captions down, this often. */
const crashing = (times: number) => {
  let crashes = 0;
  return ({ writes }: ActorDefinition<'caption-production'>): Partial<ActorDefinition<'caption-production'>> => ({
    writes: (change) => {
      if (change.before === 'producing' && change.after.value === 'checking' && crashes < times) {
        crashes += 1;
        throw new Error('its entries cannot be worked out');
      }
      return writes(change);
    },
  });
};

test('an attempt that crashed is not entered a second time, and the next has another name', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, { definition: crashing(1) });
  const { captions, clock } = bench;
  const producing = captions.produce(runtimeId, { approval });
  while (bench.reports.length === 0) await quiet(bench);
  clock.advance(100);
  await t.throwsAsync(producing, { code: 'illegal_caption_transition', message: /^interrupted: / });
  t.deepEqual(await bench.journal(runtimeId, after), ['started', cut]);
  t.is(clock.pending, 0);
  await captions.produce(runtimeId, { approval });
  t.deepEqual(await bench.journal(runtimeId, after), ['started', cut, ...made, ...checked]);
  t.is(new Set(await jobIdsOf(bench, runtimeId)).size, 2);
});

test('a second request while an attempt is down is refused, and disturbs nothing', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, { definition: crashing(1) });
  const { captions, clock } = bench;
  const producing = captions.produce(runtimeId, { approval });
  while (bench.reports.length === 0) await quiet(bench);
  await t.throwsAsync(captions.produce(runtimeId, { approval }), { message: 'the approval is used already' });
  t.deepEqual(await bench.journal(runtimeId, after), ['started']);
  clock.advance(100);
  await t.throwsAsync(producing);
  t.deepEqual(await bench.journal(runtimeId, after), ['started', cut]);
});

test('a check that crashed begins again by itself', async (t) => {
  let crashes = 0;
  const { bench, runtimeId, approval, after } = await approvedStudy(t, {
    definition: ({ writes }) => ({
      writes: (change) => {
        if (change.after.value === 'checked' && crashes === 0) {
          crashes += 1;
          throw new Error('its entries cannot be worked out');
        }
        return writes(change);
      },
    }),
  });
  const producing = bench.captions.produce(runtimeId, { approval });
  while (bench.reports.length === 0) await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), made);
  bench.clock.advance(100);
  await producing;
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...checked]);
});

const withdrawn = ['revocation_started', 'artifact.recorded', 'revocation_completed'];

test('a withdrawal that lands while captions are made stops them, and nothing comes after it', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { storing, producing } = await heldProduction(bench, runtimeId, approval);
  bench.hook.storing = () => undefined;
  const revoking = bench.revoke(runtimeId, approval);
  await t.throwsAsync(producing, {
    message: 'revoked: the approval was withdrawn',
    code: 'illegal_caption_transition',
  });
  await revoking;
  const expected = ['started', 'failed revoked: the approval was withdrawn', ...withdrawn];
  t.deepEqual(await bench.journal(runtimeId, after), expected);
  storing.release();
  await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), expected);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
  await t.throwsAsync(bench.captions.produce(runtimeId, { approval }), { code: 'caption_authority_required' });
  t.deepEqual(bench.reports, []);
});

test('a withdrawal that comes after the captions leaves them and their check', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const storing = held();
  let stored = 0;
  bench.hook.storing = () => {
    stored += 1;
    return stored === 2 ? storing.wait() : undefined;
  };
  const producing = bench.captions.produce(runtimeId, { approval });
  await storing.reached;
  await bench.revoke(runtimeId, approval);
  storing.release();
  await producing;
  t.deepEqual(await bench.journal(runtimeId, after), [...made, ...withdrawn, ...checked]);
  const { captions } = await bench.reads.productions(runtimeId);
  t.is(captions[0]?.authorityState, 'revoked_after_completion');
  t.is((await bench.reads.qualityControls(runtimeId)).qualityControls[0]?.outcome, 'accepted');
});

test('captions whose commit is on its way are on disk before the withdrawal is', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const { ledger } = bench;
  const { storing, producing } = await heldProduction(bench, runtimeId, approval);
  bench.hook.storing = () => undefined;
  const before = ledger.commits.length;
  ledger.shut();
  storing.release();
  while (ledger.commits.length === before) await new Promise((resolve) => setImmediate(resolve));
  const revoking = bench.revoke(runtimeId, approval);
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  t.is(ledger.commits.length, before + 1);
  ledger.open();
  await Promise.all([producing, revoking]);
  const said = await bench.journal(runtimeId, after);
  t.deepEqual(said.slice(0, 4), made);
  t.true(said.indexOf('completed') < said.indexOf('revocation_started'));
  t.is((await bench.reads.productions(runtimeId)).captions.length, 1);
});

test('nothing begins under an approval whose withdrawal is being written down', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  const storing = held();
  bench.hook.storing = storing.wait;
  const revoking = bench.revoke(runtimeId, approval);
  await storing.reached;
  // All of a withdrawal is on disk, or nothing of it.
  t.deepEqual(await bench.journal(runtimeId, after), []);
  const producing = bench.captions.produce(runtimeId, { approval });
  for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(await bench.journal(runtimeId, after), []);
  storing.release();
  await t.throwsAsync(producing, { code: 'caption_authority_required' });
  await revoking;
  t.deepEqual(await bench.journal(runtimeId, after), withdrawn);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
});

test('captions may be made again once a withdrawal could not be written down', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t);
  bench.hook.storing = () => Promise.reject(new Error('no space'));
  await t.throwsAsync(bench.revoke(runtimeId, approval), { code: 'internal_failure' });
  bench.hook.storing = () => undefined;
  await bench.captions.produce(runtimeId, { approval });
  const said = await bench.journal(runtimeId, after);
  t.deepEqual(said, ['revocation_started', 'revocation_failed', ...made, ...checked]);
});

test('an approval is withdrawn only when an attempt that is down has written its end', async (t) => {
  const { bench, runtimeId, approval, after } = await approvedStudy(t, {
    definition: ({ writes }) => ({
      writes: (change) => {
        if (change.emissions.some(({ type }) => type === 'commit')) throw new Error('its entries cannot be worked out');
        return writes(change);
      },
    }),
  });
  const crashed = new Promise<void>((resolve) => {
    const { push } = bench.reports;
    bench.reports.push = (...lines) => {
      resolve();
      return push.apply(bench.reports, lines);
    };
  });
  const producing = bench.captions.produce(runtimeId, { approval });
  await crashed;
  const revoking = bench.revoke(runtimeId, approval);
  await quiet(bench);
  t.deepEqual(await bench.journal(runtimeId, after), ['started']);
  bench.clock.advance(100);
  const interrupted = 'interrupted: the attempt was cut short';
  await t.throwsAsync(producing, { message: interrupted, code: 'illegal_caption_transition' });
  await revoking;
  t.deepEqual(await bench.journal(runtimeId, after), ['started', `failed ${interrupted}`, ...withdrawn]);
  t.deepEqual((await bench.reads.productions(runtimeId)).captions, []);
});

test('concurrent requests and withdrawals leave a runtime that reopens, in any order', async (t) => {
  for (const isRevokedFirst of [true, false]) {
    const { bench, runtimeId, approval, after } = await approvedStudy(t);
    const produce = () => bench.captions.produce(runtimeId, { approval });
    const revoke = () => bench.revoke(runtimeId, approval);
    const order = isRevokedFirst ? [revoke, produce, produce] : [produce, revoke, produce];
    await Promise.allSettled(order.map((run) => run()));
    const { captions } = await bench.reads.productions(runtimeId);
    const said = await bench.journal(runtimeId, after);
    t.is(said.filter((word) => word === 'revocation_completed').length, 1);
    t.is(said.filter((word) => word === 'started').length, isRevokedFirst ? 0 : 1);
    t.is(captions.length, said.includes('completed') ? 1 : 0);
  }
});

const grouped = ['--caption-executor', 'grouped-subtitles', '--allow-embedded-subtitle-captions'];
const off = /^this host does not make captions; restart it with --caption-executor grouped-subtitles /;

const overviewOf = async (t: ExecutionContext, host: TestHost, runtimeId: string) =>
  host.granted(t, await host.get(`/v1/runtimes/${runtimeId}/overview`), 200, runtimeOverview);

test('bug: a host without a caption executor let a person sign for captions that it never makes', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { twelveSeconds } = host.known.studies;
  const { captions, check, actions } = await overviewOf(t, host, twelveSeconds);
  t.is(captions.state, 'never');
  t.regex(captions.text, off);
  t.is(check.state, 'never');
  // The study can still be reviewed: another host may make its captions.
  t.is(actions[0]?.action, 'approve');
  await host.restart(grouped);
  const able = await overviewOf(t, host, twelveSeconds);
  t.is(able.captions.state, 'not_yet');
  t.is(able.captions.text, 'captions need an approval');
});

test('bug: captions that would have no line were said to be impossible only after the approval', async (t) => {
  const host = await TestHost.open(t, {
    life: 'studied',
    flags: ['--caption-executor', 'recognized', '--allow-recognized-captions'],
  });
  const { captions } = await overviewOf(t, host, host.known.studies.twelveSeconds);
  t.is(captions.state, 'never');
  t.regex(captions.text, /^captions would have no line: the study was accepted by a host without a recognizer/);
  t.true(
    captions.text.endsWith(
      '; its subtitle tracks give captions: restart the host with --caption-executor grouped-subtitles --allow-embedded-subtitle-captions',
    ),
    'bug: a host that recognizes speech did not mention the subtitle tracks of the film',
  );
});

test('bug: the refusal of a host without a caption executor spoke of causality', async (t) => {
  const host = await TestHost.open(t, { life: 'approved' });
  const path = `/v1/runtimes/${host.known.studies.twelveSeconds}/caption-productions`;
  const answer = await host.post(path, { approval: host.known.approval });
  t.is(host.refused(t, answer, 'caption_current_run_causality_required'), 'this host does not make captions');
  t.regex(answer.body.toString(), /; restart it with --caption-executor grouped-subtitles /);
});

/** Events of the journal before the captions of a study of the sample. */
async function captionWarnings(t: ExecutionContext, host: TestHost, endMs: number) {
  const { sourceSessions } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
  const [sample] = sourceSessions;
  const answer = await host.post('/v1/runtime-plan-warnings', {
    sourceSessionId: sample?.sourceSessionId,
    sourceRevisionId: sample?.sourceRevisionId,
    range: { startMs: 0, endMs },
    requestedSourceLanguage: spokenLanguage('ko'),
    targetLanguage: 'en',
    selectedLanguagePackId: null,
    outputDepth: 'captions',
  });
  const { warnings } = host.granted(t, answer, 200, planWarnings);
  return warnings.flatMap(({ code, text }) => (code === 'captions_not_possible' ? [text] : []));
}

test('a plan for captions on a host that makes none names the options that change it', async (t) => {
  const host = await TestHost.open(t);
  const [text] = await captionWarnings(t, host, 1000);
  t.regex(text ?? '', off);
  await host.restart(grouped);
  t.deepEqual(await captionWarnings(t, host, 1000), []);
});

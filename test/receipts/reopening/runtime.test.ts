import test from 'ava';
import { assessmentAudits, decisionReceipts } from '../../../contract/evidence/assessment.ts';
import { type JournalEvent, runtimeEvents } from '../../../contract/journal.ts';
import { runtimeEvidence } from '../../../contract/study/runtime-evidence.ts';
import { type Lifecycle, runtimeStatus } from '../../../contract/study/status.ts';
import { canonicalJson } from '../../../formats/canonical-json.ts';
import { operationFailed } from '../../../receipts/evidence/media-operation.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../../receipts/fold.ts';
import { draftEvent } from '../../../receipts/journal.ts';
import { assessmentAuditsOf, decisionReceiptsOf, runtimeEvidenceOf } from '../../../receipts/published/evidence.ts';
import { reviewQueueOf } from '../../../receipts/published/review.ts';
import { journalHeadField, runtimeEventsBytes, runtimeStatusOf } from '../../../receipts/published/runtime.ts';
import { stopStudy } from '../../../receipts/stages/admit.ts';
import { planStudy } from '../../../receipts/study/plan.ts';
import { acceptStudy } from '../../../receipts/study/start.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { fieldOf, fieldsOf } from '../../fields.ts';
import { captionedClip } from '../captions/captioned-studies.ts';
import { contentOf, storedEvents, storedRuntimeOf, writtenEvents } from '../core/stored-content-in-memory.ts';
import { endedAt, type StoredStudy, storedStudy } from '../evidence/stored-study.ts';
import { acceptedAt, clipRequest, koreanClip } from '../sources/korean-clip.ts';
import { placeOf, readEvents, reopened } from './reopened.ts';

const { study, review, steps, made, after } = await captionedClip();
const tail = [...made, steps.checked, review.revocationStarted, review.revoked];
const [captionedRuntime, content] = after(...tail);
const events = readEvents(captionedRuntime);
const ends = [...study.commits, ...tail].map((_, at, commits) => commits.slice(0, at + 1).flat().length);

const ports = { content, report: () => undefined, pause: () => undefined };

const spoken = storedStudy({ version: 3, windows: 8 });
const silent = storedStudy({ version: 1, windows: null });
const atTheLimits = storedStudy({ version: 1, windows: 1024 });

/** A study as far as its first commits. */
const cut = (study: StoredStudy, commits: number) => {
  const drafts = study.commits.slice(0, commits).flat();
  return { ...storedRuntimeOf(study), events: eventsOf(study, drafts), lifecycle: 'running' as const };
};

const eventsOf = ({ run }: StoredStudy, drafts: readonly EventDraft[]) =>
  storedEvents(writtenEvents(run.record.runtimeId, drafts));

const linksOf = (checked: readonly { readonly link: string }[]) => [...new Set(checked.map(({ link }) => link))];

test('a finished study is reopened link by link', async (t) => {
  const { runtime, checked } = await reopened(storedRuntimeOf(spoken), contentOf(spoken.files));
  t.deepEqual(linksOf(checked), [
    'start',
    'journal',
    'source',
    'opening',
    'evidence',
    'media_operation',
    'read',
    'assessment',
    'decision',
    'study_record',
    'execution',
    'readiness',
    'intake',
  ]);
  t.is(runtime.journalHead, spoken.commits.flat().length);
  const hashed = checked.map(({ contentId }) => contentId).filter((contentId) => contentId !== null);
  t.deepEqual(hashed.sort(), [...spoken.files.keys()].sort(), 'every stored file was read');
});

test('a reopened runtime answers as on the wire', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(spoken), contentOf(spoken.files));
  const audits = assessmentAudits.parse(assessmentAuditsOf(runtime));
  const { decisions } = decisionReceipts.parse(decisionReceiptsOf(runtime));
  t.is(audits.audits.length, 1);
  t.deepEqual(
    audits.audits[0]?.claims.map(({ kind, value, states }) => [kind, value, states]),
    [
      ['speech_activity', 'speech', ['supported']],
      ['speech_activity', 'non_speech', ['supported']],
      ['language_identity', 'ko', ['supported']],
      ['language_identity', null, ['unknown']],
    ],
  );
  t.is(decisions[0]?.outcome, 'withheld');
  t.deepEqual(decisions[0]?.reasonCodes, ['audited_claim_unknown']);
  t.like(decisions[0], { auditedAssessmentCount: 1, auditedClaimCount: 4 });
  t.deepEqual(
    decisions[0]?.inputs.map(({ operationId }) => operationId),
    audits.audits.map(({ operationId }) => operationId),
  );
  const { intakes } = reviewQueueOf(runtime);
  t.like(intakes[0], { outcome: 'rejected', reasonCodes: ['non_supported_root_coverage'] });
});

test('each citation of an audit leads through a read to evidence that can be read', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(spoken), contentOf(spoken.files));
  const { evidence } = runtimeEvidenceOf(runtime, null);
  const reads = runtime.execution?.study.findings.reads ?? [];
  const citations = assessmentAuditsOf(runtime).audits.flatMap(({ claims }) =>
    claims.flatMap((claim) => claim.citations),
  );
  t.is(citations.length, 4);
  for (const { readOperationId, evidenceArtifactId, factIndexes } of citations) {
    const read = reads.find(({ body }) => body.operationId === readOperationId)?.body;
    t.is(read?.input.artifactId, evidenceArtifactId);
    t.true(evidence.some(({ artifactId }) => artifactId === evidenceArtifactId));
    t.true(factIndexes.every((index) => read?.facts[index] !== undefined));
  }
});

test('the evidence of a study is its own in order, and then that of the source', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(spoken), contentOf(spoken.files));
  const { evidence } = runtimeEvidence.parse(runtimeEvidenceOf(runtime, null));
  t.deepEqual(
    evidence.map(({ kind, state, reasonCode, facts }) => [kind, state, reasonCode, facts.length]),
    [
      ['speech_activity', 'available', null, 8],
      ['silence', 'available', null, 1],
      ['loudness', 'available', null, 1],
      ['shot_changes', 'unavailable', 'no_frames_in_range', 0],
      ['subtitle_track', 'available', null, 1],
      ['text_language', 'available', null, 1],
      ['speech-activity-receipt', 'available', null, 3],
      ['language-ranges-receipt', 'available', null, 2],
    ],
  );
  t.deepEqual(evidence[0]?.parameters, { threshold: 0.5, signals: 'the mix of all channels' });
  t.is(evidence[0]?.tool?.name, 'silero-vad');
  t.deepEqual(evidence[6]?.facts[0], {
    kind: 'non_speech_window',
    index: 0,
    startSample: 0,
    endSample: 16000,
    startMs: 0,
    endMs: 1000,
  });
  const { evidence: cues } = runtimeEvidenceOf(runtime, 'subtitle_track');
  t.deepEqual(fieldOf(cues, 'facts'), [
    [{ kind: 'subtitle_cue', index: 0, startMs: 1000, endMs: 3000, text: '안녕하세요' }],
  ]);
});

test('a study without a claim is whole, with empty lists', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(silent), contentOf(silent.files));
  t.deepEqual(assessmentAudits.parse(assessmentAuditsOf(runtime)).audits, []);
  t.deepEqual(decisionReceipts.parse(decisionReceiptsOf(runtime)).decisions, []);
  t.deepEqual(fieldsOf(runtimeEvidenceOf(runtime, 'speech_activity').evidence, 'state', 'reasonCode'), [
    ['unavailable', 'no_audio_in_range'],
  ]);
  t.like(reviewQueueOf(runtime).intakes[0], { outcome: 'rejected' });
});

test('a study at all limits is whole: sixteen reads, 1,024 facts, 32 claims', async (t) => {
  const { runtime } = await reopened(storedRuntimeOf(atTheLimits), contentOf(atTheLimits.files));
  const { reads, assessments, decision } = runtime.execution?.study.findings ?? {};
  t.is(reads?.length, 16);
  t.is(
    reads?.reduce((sum, { body }) => sum + body.facts.length, 0),
    1024,
  );
  t.is(assessments?.length, 4);
  t.is(decision?.body.result.auditedClaimCount, 32);
});

test('a running study is reopened as far as it has come, after each of its commits', async (t) => {
  const come: number[][] = [];
  for (let commits = 0; commits < spoken.commits.length; commits += 1) {
    const stored = cut(spoken, commits);
    const lifecycle = commits === 0 ? ('accepted' as const) : stored.lifecycle;
    const { runtime } = await reopened({ ...stored, lifecycle }, contentOf(spoken.files));
    t.is(runtime.journalHead, stored.events.length);
    come.push([
      runtimeEvidenceOf(runtime, null).evidence.length,
      assessmentAuditsOf(runtime).audits.length,
      decisionReceiptsOf(runtime).decisions.length,
      reviewQueueOf(runtime).intakes.length,
    ]);
  }
  t.deepEqual(come, [
    [0, 0, 0, 0],
    [2, 0, 0, 0],
    [6, 0, 0, 0],
    [8, 0, 0, 0],
    [8, 0, 0, 0],
    [8, 1, 0, 0],
    [8, 1, 1, 0],
  ]);
});

test('a study that stopped after any of its commits is whole, with its results so far', async (t) => {
  const reason = { code: 'executor_failed', message: 'tool_exit: 1' } as const;
  const names = ['initialize', 'detect', 'subtitles', 'read', 'assess', 'decide'];
  for (const lifecycle of ['failed', 'interrupted'] as const) {
    for (let commits = 1; commits < spoken.commits.length; commits += 1) {
      const operationIds = names
        .slice(1, commits)
        .flatMap((step) => (spoken.steps[step] as { operationIds: string[] }).operationIds);
      const span = { startedAt: acceptedAt, finishedAt: endedAt, resumes: 2, operationIds };
      const begun = spoken.commits.slice(0, commits).flat();
      const closing = stopStudy(spoken.run, { lifecycle, reason, span });
      const { request } = (begun.at(-1)?.data ?? {}) as { request?: Parameters<typeof operationFailed>[1] };
      const capability = commits === 1 ? 'media.detect' : 'media.subtitles';
      const isOpen = commits < 3 && request !== undefined;
      const failed = isOpen ? [operationFailed(spoken.run, { ...request, capability }, reason)] : [];
      const events = eventsOf(spoken, [...begun, ...failed, ...closing]);
      const stored = { ...storedRuntimeOf(spoken), events, lifecycle, reason };
      const { runtime } = await reopened(stored, contentOf(spoken.files));
      t.is(runtime.execution?.study.stop?.lifecycle, lifecycle);
      t.is(runtime.journalHead, events.length);
      if (!isOpen) continue;
      const silentEnd = { ...stored, events: eventsOf(spoken, [...begun, ...closing]) };
      t.is(await placeOf(silentEnd, contentOf(spoken.files)), null, 'the open pass need not be closed');
    }
  }
});

test('a study that failed before its journal was opened is whole, and has nothing', async (t) => {
  const reason = { code: 'initialization_failed', message: 'no space' } as const;
  const stored = { ...storedRuntimeOf(spoken), events: [], lifecycle: 'failed', reason } as const;
  const { runtime } = await reopened(stored, contentOf(spoken.files));
  t.is(runtime.execution, null);
  t.deepEqual(runtimeEvidenceOf(runtime, null).evidence, []);
});

/** The runtime after each of these parts of its journal, one fold after the other. */
async function folded(parts: readonly (readonly JournalEvent[])[]): Promise<VerifiedRuntime> {
  let runtime = await reopenStartOf(captionedRuntime, events.length, ports);
  const seen = { ...captionedRuntime, lifecycle: 'accepted' } as const;
  for (const part of parts) runtime = await foldEvents(runtime, seen, part, ports);
  return runtime;
}

test('a fold that goes on after any commit comes to what a fold over the whole journal comes to', async (t) => {
  const whole = await folded([events]);
  t.is(whole.journalHead, events.length);
  for (const end of ends) t.deepEqual(await folded([events.slice(0, end), events.slice(end)]), whole, `after ${end}`);
  const commits = ends.map((end, at) => events.slice(ends[at - 1] ?? 0, end));
  t.deepEqual(await folded(commits), whole, 'commit by commit');
});

test('a fold does not change the state from which it continues', async (t) => {
  for (const [at, end] of ends.entries()) {
    const before = await folded([events.slice(0, end)]);
    const copy = structuredClone(before.execution);
    await foldEvents(before, { ...captionedRuntime, lifecycle: 'accepted' }, events.slice(end, ends[at + 1]), ports);
    t.deepEqual(before.execution, copy);
  }
});

test('a commit that comes a second time is found', async (t) => {
  for (const [at, end] of ends.entries()) {
    const begin = ends[at - 1] ?? 0;
    const runtime = await folded([events.slice(0, end)]);
    const again = events.slice(begin, end);
    const refolded = foldEvents(runtime, { ...captionedRuntime, lifecycle: 'accepted' }, again, ports);
    await t.throwsAsync(refolded, { instanceOf: EvidenceChainError }, `after ${end}`);
  }
});

const accepted = acceptStudy(planStudy(koreanClip, clipRequest), koreanClip, acceptedAt);
const { commandId, runtimeId } = accepted.record;
const reason = { code: 'executor_failed', message: 'tool_exit: 1' } as const;

const stateOf = (lifecycle: Lifecycle) => ({
  record: accepted.record,
  receiptContentId: accepted.receiptContentId,
  lifecycle,
  lastTransitionAt: acceptedAt,
  reason: lifecycle === 'failed' || lifecycle === 'interrupted' ? reason : null,
  journalHead: 3,
});

for (const lifecycle of ['accepted', 'initializing', 'running', 'terminal', 'failed', 'interrupted'] as const) {
  test(`the status of a run that is ${lifecycle} fits the wire`, (t) => {
    const answer = runtimeStatus.parse(runtimeStatusOf('studio.local-runtime-status.v1', stateOf(lifecycle)));
    t.is(answer.terminal, lifecycle === 'terminal' || lifecycle === 'failed' || lifecycle === 'interrupted');
    t.is(answer.runStartReceipt?.contentId, accepted.receiptContentId);
    t.is(answer.forecast?.frozenForecastId, accepted.frozenForecast.freezeId);
  });
}

test('the acknowledgement of a start is the status under its own name', (t) => {
  const ack = runtimeStatusOf('studio.local-runtime-start-ack.v1', stateOf('accepted'));
  const status = runtimeStatusOf('studio.local-runtime-status.v1', stateOf('accepted'));
  t.deepEqual({ ...ack, schema: status.schema }, status);
});

test('a status that contradicts itself is invalid', (t) => {
  const status = runtimeStatusOf('studio.local-runtime-status.v1', stateOf('running'));
  t.false(runtimeStatus.safeParse({ ...status, reason }).success);
  t.false(runtimeStatus.safeParse({ ...status, terminal: true }).success);
  t.false(runtimeStatus.safeParse({ ...status, forecast: null }).success);
  t.false(runtimeStatus.safeParse({ ...status, progress: 0.5 }).success);
});

const storedPage = [1, 2, 3].map((seq) =>
  Buffer.from(
    canonicalJson({
      schema: 'studio.runtime.event.v1',
      runId: runtimeId,
      seq,
      eventId: `event:${runtimeId}:${seq}`,
      recordedAt: acceptedAt,
      ...draftEvent(
        'task.transitioned',
        { taskId: 'task:1', agentId: 'agent:1', status: 'working', reason: null },
        { correlationId: commandId, causationId: null },
      ),
    }),
  ),
);
const head = { seq: 3, digest: 'f'.repeat(64), recordedAt: acceptedAt };
const pageOf = (after: number, limit: number, lifecycle: Lifecycle = 'running') =>
  runtimeEventsBytes({
    commandId,
    runtimeId,
    lifecycle,
    reason: null,
    after,
    page: { events: storedPage.slice(after, after + limit), head },
  });
const read = (bytes: Buffer) => runtimeEvents.parse(JSON.parse(bytes.toString('utf8')));

test('a page holds the stored events as they are and ends in a newline', (t) => {
  const bytes = pageOf(0, 2);
  t.is(bytes.at(-1), 0x0a);
  t.true(
    bytes.includes(
      Buffer.concat([storedPage[0] ?? Buffer.alloc(0), Buffer.from(','), storedPage[1] ?? Buffer.alloc(0)]),
    ),
  );
  t.like(read(bytes), { requestedCursor: 0, nextCursor: 2, journalHead: 3, reachedHead: false, terminal: false });
});

test('the page at the head says so, with events and without', (t) => {
  t.like(read(pageOf(2, 2)), { requestedCursor: 2, nextCursor: 3, reachedHead: true });
  const empty = read(pageOf(3, 100, 'terminal'));
  t.like(empty, { requestedCursor: 3, nextCursor: 3, reachedHead: true, terminal: true });
  t.deepEqual(empty.events, []);
});

test('a page with a gap, a false cursor or an early end is invalid', (t) => {
  const page = read(pageOf(0, 3));
  t.false(runtimeEvents.safeParse({ ...page, requestedCursor: 1, nextCursor: 4 }).success);
  t.false(runtimeEvents.safeParse({ ...page, nextCursor: 2 }).success);
  t.false(runtimeEvents.safeParse({ ...page, reachedHead: false }).success);
  t.false(runtimeEvents.safeParse({ ...page, terminal: true }).success);
  t.false(runtimeEvents.safeParse({ ...page, events: [], nextCursor: 0, reachedHead: false }).success);
});

test('the journal head field holds the count and the chain digest', (t) => {
  t.is(journalHeadField(head), `3;sha256=${'f'.repeat(64)}`);
});

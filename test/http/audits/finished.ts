import test from 'ava';
import type { KeyframeFact } from '../../../contract/evidence/evidence-object.ts';
import { passKinds } from '../../../contract/evidence/further-evidence.ts';
import type { EventData, EventType, JournalEvent } from '../../../contract/journal/journal-event.ts';
import { runtimeOverview } from '../../../contract/overview/runtime-overview.ts';
import { runtimeEvidence } from '../../../contract/study/runtime-evidence.ts';
import { evidenceKinds } from '../../../contract/study/study-record.ts';
import { readSampleGold } from '../../../fixtures/sample/gold.ts';
import { canonicalJson, contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import type { HostContract } from '../host/contract.ts';
import { eventsPage } from '../host/study-steps.ts';
import { concluded, listOf, lists, studiedSample } from './steps.ts';

const dataOf = <Type extends EventType>(events: readonly JournalEvent[], type: Type): EventData<Type>[] =>
  events.filter((event) => event.type === type).map(({ data }) => data as EventData<Type>);

const storedIdOf = (receipt: unknown): string => contentIdOfBytes(Buffer.from(`${canonicalJson(receipt)}\n`));

/** Nobody recognises speech on a host by default. */
const expectedKinds = evidenceKinds.filter((kind) => kind !== 'transcript');

/** What can be read of a study that came to its end. */
export function finished(contract: HostContract): void {
  let runtimeId: string;

  test.serial(contract.title('a finished study shows its assessments with citations that lead to reads'), async (t) => {
    runtimeId = await studiedSample(t, contract, 'finished');
    const { audits, decisions } = await concluded(t, contract, runtimeId);
    const { events, journalHead } = await eventsPage(t, contract, runtimeId, '?limit=200');
    t.is(audits.journalHead, journalHead);
    const assessed = dataOf(events, 'analysis.evidence.assessment_completed');
    t.deepEqual(
      audits.audits.map(({ operationId, artifactId, receiptContentId }) => [operationId, artifactId, receiptContentId]),
      assessed.map(({ operationId, outputArtifactId, receipt }) => [
        operationId,
        outputArtifactId,
        storedIdOf(receipt),
      ]),
    );
    const reads = dataOf(events, 'evidence.read_completed');
    const claims = audits.audits.flatMap((audit) => audit.claims);
    t.true(claims.some(({ kind, value }) => kind === 'speech_activity' && value === 'speech'));
    t.true(claims.some(({ kind, value }) => kind === 'language_identity' && value === 'ko'));
    for (const { readOperationId, receiptContentId, evidenceArtifactId } of claims.flatMap(
      (claim) => claim.citations,
    )) {
      const read = reads.find(({ operationId }) => operationId === readOperationId);
      t.is(storedIdOf(read?.receipt), receiptContentId);
      t.is(read?.receipt.input.artifactId, evidenceArtifactId);
    }
    const [decided] = dataOf(events, 'analysis.evidence.decision_completed');
    t.like(decisions.decisions[0], {
      receiptId: decided?.receipt.receiptId,
      receiptContentId: storedIdOf(decided?.receipt),
      auditedClaimCount: claims.length,
    });
    t.deepEqual(
      decisions.decisions[0]?.inputs.map(({ artifactId }) => artifactId),
      audits.audits.map(({ artifactId }) => artifactId),
    );
  });

  test.serial(contract.title('all evidence of a finished study can be read with its facts'), async (t) => {
    const { evidence } = await concluded(t, contract, runtimeId);
    t.deepEqual([...new Set(evidence.evidence.map(({ kind }) => kind))], expectedKinds);
    const gold = await readSampleGold();
    const cues = evidence.evidence.flatMap((row) => (row.kind === 'subtitle_track' ? row.facts : []));
    const spoken = gold.subtitleTracks.flatMap((track) => track.cues).filter(({ startMs }) => startMs < 10_000);
    t.deepEqual(
      cues.map((fact) => (fact.kind === 'subtitle_cue' ? fact.text : fact.kind)),
      spoken.map(({ text }) => text),
    );
    for (const { state, tool, kind, artifactId } of evidence.evidence) {
      t.is(state, 'available');
      t.is(tool === null, kind.endsWith('-receipt'));
      t.regex(artifactId ?? '', /^artifact:[a-f0-9]{64}$/);
    }
  });

  test.serial(contract.title('the overview of a finished study says what the lists say, in words'), async (t) => {
    const { audits, evidence } = await concluded(t, contract, runtimeId);
    const overview = contract.granted(t, await contract.get(listOf(runtimeId, 'overview')), 200, runtimeOverview);
    t.is(overview.journalHead, audits.journalHead);
    t.deepEqual(
      overview.findings.map(({ kind, artifactId }) => [kind, artifactId]),
      evidence.evidence.map(({ kind, artifactId }) => [kind, artifactId]),
    );
    t.true(overview.claims.some(({ text }) => /^speech in \d+ windows?, \d+\.\d s, between /.test(text)));
    const again = overview.actions.find(({ action }) => action === 'study_again');
    const request = { ...again?.body, clientRequestId: 'by-its-overview' };
    const started = await contract.post(again?.path ?? '', request);
    t.is(started.status, 202, started.body.toString('utf8'));
  });

  test.serial(contract.title('one kind of evidence is that part of the whole list'), async (t) => {
    const { evidence } = await concluded(t, contract, runtimeId);
    for (const kind of evidenceKinds) {
      const answer = await contract.get(`${listOf(runtimeId, 'evidence')}?kind=${kind}`);
      const part = contract.granted(t, answer, 200, runtimeEvidence);
      t.deepEqual(part, { ...evidence, evidence: evidence.evidence.filter((row) => row.kind === kind) });
      t.is(part.evidence.length > 0, kind !== 'transcript');
    }
  });

  test.serial(contract.title('the kinds that came later are answered only when they are asked for'), async (t) => {
    const { evidence } = await concluded(t, contract, runtimeId);
    const asked = async (kind: string) =>
      contract.granted(t, await contract.get(`${listOf(runtimeId, 'evidence')}?kind=${kind}`), 200, runtimeEvidence);
    const all = await asked('all');
    t.deepEqual(all.evidence.slice(0, evidence.evidence.length), evidence.evidence);
    const further = all.evidence.slice(evidence.evidence.length);
    t.deepEqual(
      further.map(({ kind, state }) => [kind, state]),
      passKinds.map((kind) => [kind, 'available']),
    );
    for (const row of further) t.deepEqual((await asked(row.kind)).evidence, [row]);
    // The journal records them, and no receipt names them.
    const { events } = await eventsPage(t, contract, runtimeId, '?limit=200');
    const [detected] = dataOf(events, 'media.operation_completed');
    const named = detected?.receipt.evidence.map(({ artifactId }) => artifactId) ?? [];
    for (const { artifactId } of further) {
      t.true(detected?.outputArtifactIds.includes(artifactId ?? ''));
      t.false(named.includes(artifactId));
    }
  });

  test.serial(
    contract.title('an object that a fact names is answered with its bytes, and no other object is'),
    async (t) => {
      const asked = `${listOf(runtimeId, 'evidence')}?kind=keyframes`;
      const { evidence } = contract.granted(t, await contract.get(asked), 200, runtimeEvidence);
      const facts = (evidence[0]?.facts ?? []) as KeyframeFact[];
      t.true(facts.length > 0);
      const objects = `${listOf(runtimeId, 'evidence')}/objects`;
      for (const { contentId, bytes } of facts) {
        const path = `${objects}/${contentId}`;
        const got = await contract.get(path);
        t.is(got.status, 200);
        t.is(contentIdOfBytes(got.body), contentId);
        t.is(got.body.length, bytes);
        t.is(got.headers['content-type'], 'image/jpeg');
        t.is(got.headers.etag, `"${contentId}"`);
        const known = await contract.get(path, { headers: { 'If-None-Match': `"${contentId}"` } });
        t.is(known.status, 304);
        t.is(known.body.length, 0);
      }
      const path = `${objects}/${facts[0]?.contentId}`;
      t.is((await contract.ask('HEAD', path)).headers['content-length'], String(facts[0]?.bytes));
      contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
      contract.refused(t, await contract.get(`${path}?kind=keyframes`), 'unknown_query');
      contract.refused(t, await contract.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
      contract.refused(
        t,
        await contract.get(`${listOf('x', 'evidence')}/objects/${facts[0]?.contentId}`),
        'unknown_runtime',
      );
      // The evidence itself and the media are objects of the host, too.
      const [row] = evidence;
      const others = [
        row?.contentId,
        row?.state === 'available' ? row.tool?.digest : null,
        `sha256:${'0'.repeat(64)}`,
        'x',
        '..',
        '%00',
      ];
      for (const other of others) contract.refused(t, await contract.get(`${objects}/${other}`), 'not_found');
      contract.refused(t, await contract.get(`${objects}/%FF`), 'invalid_identity');
    },
  );

  test.serial(contract.title('HEAD answers each list like GET, without a body'), async (t) => {
    for (const list of lists) {
      const [got, head] = [
        await contract.get(listOf(runtimeId, list)),
        await contract.ask('HEAD', listOf(runtimeId, list)),
      ];
      t.is(head.status, 200);
      t.is(head.body.length, 0);
      for (const field of ['content-type', 'content-length', 'cache-control'] as const) {
        t.is(head.headers[field], got.headers[field]);
      }
    }
    t.is((await contract.ask('HEAD', listOf('runtime:x', 'evidence'))).status, 404);
  });

  test.serial(contract.title('a list is asked for by GET, with nothing that it does not know'), async (t) => {
    for (const list of lists) {
      const path = listOf(runtimeId, list);
      contract.refused(t, await contract.ask('POST', path, { json: {} }), 'method_not_allowed', ['allow']);
      contract.refused(t, await contract.get(path, { token: null }), 'unauthorized', ['www-authenticate']);
      contract.refused(t, await contract.get(`${path}?after=1`), 'unknown_query');
      contract.refused(t, await contract.get(`${path}/`), 'not_found');
      t.is((await contract.get(`${path}?`)).status, 200);
    }
    for (const list of lists.slice(0, 2)) {
      contract.refused(t, await contract.get(`${listOf(runtimeId, list)}?kind=silence`), 'unknown_query');
    }
    const evidence = listOf(runtimeId, 'evidence');
    for (const kind of ['', 'Silence', 'claims', 'silence,loudness', '*']) {
      const message = contract.refused(t, await contract.get(`${evidence}?kind=${kind}`), 'unknown_query');
      t.true(message.includes('speech_activity'));
      // The rest has no room, and no name is cut.
      t.regex(message, / and \d+ more$/);
    }
    contract.refused(t, await contract.get(`${evidence}?kind=silence&kind=silence`), 'duplicate_query');
    contract.refused(t, await contract.get(`${evidence}?kind=%FF`), 'invalid_target');
  });

  test.serial(contract.title('a runtime that never was is unknown, whatever is asked of it'), async (t) => {
    const names = ['x', 'runtime:00000000-0000-4000-8000-000000000000', `${runtimeId}%00`, `${runtimeId}%2Fdetect`];
    for (const list of lists) {
      for (const name of names) contract.refused(t, await contract.get(listOf(name, list)), 'unknown_runtime');
      contract.refused(t, await contract.get(listOf('%E0%A4', list)), 'invalid_identity');
    }
    contract.refused(t, await contract.get(`${listOf('x', 'evidence')}?kind=claims`), 'unknown_query');
  });
}

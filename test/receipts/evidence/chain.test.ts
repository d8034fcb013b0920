import test from 'ava';
import type { StoredObject } from '../../../contract/base/stored-object.ts';
import type { EvidenceArtifact } from '../../../contract/evidence/evidence.ts';
import { evidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import { journalEvent } from '../../../contract/journal.ts';
import type { RegisteredSource } from '../../../contract/sources/source-session.ts';
import { canonicalJson, contentIdOfBytes, firstDifference } from '../../../formats/canonical-json.ts';
import { checkDelivered, type DeliveredPass } from '../../../receipts/evidence/delivered.ts';
import type { MediaOperation } from '../../../receipts/evidence/media-operation.ts';
import { checkEvidenceObjects, type ReadableEvidence } from '../../../receipts/evidence/readable-evidence.ts';
import { EvidenceChainError } from '../../../receipts/evidence-chain.ts';
import { admitStudy, executionFinished } from '../../../receipts/stages/admit.ts';
import { performDecision } from '../../../receipts/stages/decide.ts';
import { checkEvidence, type EvidenceOrigin } from '../../../receipts/stages/detect.ts';
import { reopenJson, storedJson } from '../../../receipts/stored-records.ts';
import { concludeStudy } from '../../../receipts/study/record.ts';
import { audioTrackOf } from '../../../rules/audio-track.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { contentOf } from '../core/stored-content-in-memory.ts';
import { failureOf } from '../reopening/fault-place.ts';
import { attachedClip, attachedTrack } from '../sources/attached-clip.ts';
import { acceptedAt, koreanClip } from '../sources/korean-clip.ts';
import { withSubtitles } from '../sources/sealed-clip.ts';
import { evidenceOf, furtherEvidenceOf } from './evidence-artifacts.ts';
import { reopenAssessment, reopenDecision, reopenRead } from './opened-records.ts';
import { performAssessments, performReads } from './performed.ts';
import { divided, inTurn, range, readsOf, run, runId, spoken, turns } from './spoken-study.ts';
import { storedStudy } from './stored-study.ts';

/** Carries a study from its reads to the queue, each step over nothing but what the earlier ones stored. */
function carriedOut(evidence: readonly ReadableEvidence[]) {
  const objectStore = new Map<string, Uint8Array>();
  const events: EventDraft[] = [];
  const kept = <References>(step: {
    objects: readonly StoredObject[];
    events: readonly EventDraft[];
    refs: References;
  }): References => {
    for (const { contentId, bytes } of step.objects) objectStore.set(contentId, bytes);
    events.push(...step.events);
    return step.refs;
  };
  const opened = (contentId: string): StoredObject => {
    const bytes = objectStore.get(contentId);
    if (bytes === undefined) throw new RangeError(`${contentId} was not stored`);
    return { contentId, bytes };
  };
  const readRefs = kept(performReads(run, evidence));
  const reads = () => readRefs.map(({ receiptContentId }) => reopenRead(opened(receiptContentId)));
  const assessmentRefs = kept(performAssessments(run, reads()));
  const assessments = () => assessmentRefs.map(({ receiptContentId }) => reopenAssessment(opened(receiptContentId)));
  const decisionRef = assessmentRefs.length === 0 ? null : kept(performDecision(run, assessments()));
  const decision = () => (decisionRef === null ? null : reopenDecision(opened(decisionRef.receiptContentId)));
  const study = kept(
    concludeStudy(run, { evidence: [], reads: reads(), assessments: assessments(), decision: decision() }),
  );
  const finished = executionFinished(
    run,
    { startedAt: acceptedAt, finishedAt: acceptedAt, resumes: 0, operationIds: [] },
    study,
  );
  events.push(finished.event);
  const { outcome } = kept(
    admitStudy(
      run,
      {
        ...study,
        executorReceiptId: finished.receipt.receiptId,
        executorReceiptContentId: finished.receiptContentId,
      },
      decision(),
    ),
  );
  return { objectStore, events, outcome };
}

const typesOf = (events: readonly EventDraft[]): string[] => events.map(({ type }) => type);

const admission = [
  'artifact.recorded',
  'executor.finished',
  'artifact.recorded',
  'publish.review.intake_started',
  'artifact.recorded',
  'publish.review.intake_completed',
];

test('a study goes from its reads to the review queue in the order of a default run', (t) => {
  const { events, outcome } = carriedOut([spoken(turns(divided(range, 3))), inTurn(['ko'])]);
  t.deepEqual(typesOf(events), [
    'evidence.read_started',
    'evidence.read_completed',
    'evidence.read_started',
    'evidence.read_completed',
    'analysis.evidence.assessment_started',
    'artifact.recorded',
    'analysis.evidence.assessment_completed',
    'analysis.evidence.decision_started',
    'artifact.recorded',
    'analysis.evidence.decision_completed',
    ...admission,
  ]);
  t.is(outcome, 'queued');
});

test('a study without a claim has neither assessment nor decision and is rejected', (t) => {
  const nothingRead = carriedOut([]);
  t.deepEqual(typesOf(nothingRead.events), admission);
  t.is(nothingRead.outcome, 'rejected');
  const nothingFound = carriedOut([spoken([])]);
  t.deepEqual(typesOf(nothingFound.events), ['evidence.read_started', 'evidence.read_completed', ...admission]);
  t.is(nothingFound.outcome, 'rejected');
});

test('an artifact is recorded before any event or artifact that names it', (t) => {
  const evidence = [spoken(turns(divided(range, 300))), inTurn(['ko', 'en'])];
  const { events } = carriedOut(evidence);
  const known = new Set([run.record.sourceArtifactId, ...evidence.map(({ artifact }) => artifact.id)]);
  for (const { type, data } of events) {
    const own = type === 'artifact.recorded' ? (data as { artifact: { id: string } }).artifact.id : null;
    const named = canonicalJson(data).match(/artifact:[a-f0-9]{64}/g) ?? [];
    t.deepEqual(
      named.filter((id) => id !== own && !known.has(id)),
      [],
      type,
    );
    if (own !== null) known.add(own);
  }
});

test('every event of the chain is one that a journal may hold, and everything it names is stored', (t) => {
  const { events, objectStore } = carriedOut([spoken(turns(divided(range, 300))), inTurn(['ko', 'unknown'])]);
  for (const [index, draft] of events.entries()) {
    const event = { schema: 'studio.runtime.event.v1', runId, seq: index + 1, eventId: `event:${runId}:${index + 1}` };
    t.notThrows(() => journalEvent.parse({ ...event, recordedAt: acceptedAt, ...draft }), draft.type);
  }
  const receipts = events.flatMap(({ type, data }) =>
    type.startsWith('evidence.') || type.startsWith('analysis.')
      ? [(data as { receiptContentId?: string }).receiptContentId].filter((id) => id !== undefined)
      : [],
  );
  t.true(receipts.length > 5);
  t.true(receipts.every((id) => objectStore.has(id)));
});

test('the same evidence gives the same journal and the same bytes', (t) => {
  const evidence = () => [spoken(turns(divided(range, 200))), inTurn(['ko', 'withheld', 'en'])];
  const one = carriedOut(evidence());
  const other = carriedOut(evidence());
  t.is(canonicalJson(one.events), canonicalJson(other.events));
  t.deepEqual([...one.objectStore.keys()], [...other.objectStore.keys()]);
});

test('a stored receipt is reopened whole or not at all', (t) => {
  const [read] = readsOf([inTurn(['ko'])]);
  if (read === undefined) throw new RangeError('no read');
  const place = (bytes: Uint8Array, contentId = contentIdOfBytes(bytes), maximumBytes = 4096) =>
    t.throws(() => reopenJson({ link: 'read', schema: evidenceReadReceipt, maximumBytes }, { contentId, bytes }), {
      instanceOf: EvidenceChainError,
    })?.place;
  const stored = storedJson(read);
  t.deepEqual(reopenRead(stored), read);
  t.is(place(stored.bytes, stored.contentId, stored.bytes.length - 1), 'size');
  t.is(place(stored.bytes, `sha256:${'0'.repeat(64)}`), 'content');
  t.is(place(stored.bytes.subarray(0, -3)), 'encoding');
  t.is(place(Buffer.from([0x22, 0xff, 0x22, 0x0a])), 'encoding');
  t.is(place(Buffer.from(JSON.stringify(read, null, 1))), 'canonical_form');
  t.is(place(stored.bytes.subarray(0, -1)), 'canonical_form');
  t.is(place(storedJson({ ...read, capability: 'media.seek' }).bytes), 'capability');
  t.is(place(storedJson({ ...read, extra: 1 }).bytes), 'extra');
});

test('an inconsistent record answers on the wire as inconsistent stored content', (t) => {
  const error = new EvidenceChainError('read', 'facts[0].endMs');
  t.is(error.code, 'stored_content_inconsistent');
  t.is(error.message, 'the read fails at: facts[0].endMs');
});

test('the first difference of two values is named by its path', (t) => {
  t.is(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }), null);
  t.is(firstDifference({ a: [1, { b: 2 }] }, { a: [1, { b: 3 }] }), 'a[1].b');
  t.is(firstDifference({ b: 1, a: 1 }, { b: 2, a: 2 }), 'a');
  t.is(firstDifference([1, 2], [1]), '[1]');
  t.is(firstDifference({ a: [] }, { a: {} }), 'a');
  t.is(firstDifference({ a: null }, {}), 'a');
  t.is(firstDifference(1, '1'), '');
});

const { chain, files } = attachedClip();
const attached = attachedTrack(4);
const { source: attachedSource } = withSubtitles(chain, [attached], files);
const { run: clipRun } = storedStudy({ version: 1, windows: 4 });
const reader = { name: 'ffmpeg', version: '5.1', digest: `sha256:${'5'.repeat(64)}` };
const attachedOrigin: EvidenceOrigin = {
  run: clipRun,
  source: attachedSource,
  operation: { tools: [reader], parameters: {} },
  kind: 'subtitle_track',
};
const { sourceContentId, range: clipSpan } = clipRun.record.analysisRequest;

const over = (trackIndex: number, cited: { subtitleContentId?: string }): EvidenceArtifact =>
  evidenceOf('subtitle_track', {
    input: { sourceContentId, range: clipSpan, trackIndex, derivedAudio: null, ...cited },
    tool: reader,
  });

test('evidence over an attached file names its text, evidence over a track of the media none', (t) => {
  const refusal = { instanceOf: EvidenceChainError, message: /fails at: input/ };
  const cited = { subtitleContentId: attached.text.content_id };
  t.notThrows(() => checkEvidence(over(4, cited), attachedOrigin));
  t.notThrows(() => checkEvidence(over(2, {}), attachedOrigin));
  t.throws(() => checkEvidence(over(4, {}), attachedOrigin), refusal);
  t.throws(() => checkEvidence(over(4, { subtitleContentId: attached.content_id }), attachedOrigin), refusal);
  t.throws(() => checkEvidence(over(2, cited), attachedOrigin), refusal);
});

/** The bytes before the first line of a JPEG of this size. */
const jpeg = (width: number, height: number): Buffer =>
  Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255]);

const drawing = (...header: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(24);
  for (const [place, value] of header.entries()) bytes.writeUInt32LE(value, 4 * place);
  return bytes;
};

/** Where further evidence fails of which this is the only object. */
async function fault(fact: object, bytes: Buffer): Promise<string | null> {
  const named = { ...fact, contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  const artifact = furtherEvidenceOf('keyframes', { facts: [named] });
  const content = contentOf(new Map([[named.contentId, bytes]]));
  return checkEvidenceObjects(artifact, content).then(
    () => null,
    ({ place }) => place,
  );
}

const keyframe = { kind: 'keyframe', index: 0, startMs: 0, endMs: 4000, atMs: 2000, width: 640, height: 360 };
const waveform = { kind: 'waveform', startMs: 0, endMs: 20, windowMs: 20, windows: 1 };

test('a keyframe is a picture of the size that its fact states', async (t) => {
  t.is(await fault(keyframe, jpeg(640, 360)), null);
  t.is(await fault(keyframe, jpeg(360, 640)), 'form');
  t.is(await fault(keyframe, Buffer.from('<script>alert(1)</script>')), 'form');
});

test('a waveform is a drawing of the windows that its fact states', async (t) => {
  t.is(await fault(waveform, drawing(1, 0, 16_000, 320, 1)), null);
  for (const header of [
    [2, 0, 16_000, 320, 1],
    [1, 1, 16_000, 320, 1],
    [1, 0, 48_000, 320, 1],
    [1, 0, 16_000, 160, 1],
    [1, 0, 16_000, 320, 2],
  ]) {
    t.is(await fault(waveform, drawing(...header)), 'form');
  }
  t.is(await fault(waveform, Buffer.from('no drawing')), 'form');
});

type PassParameters = MediaOperation['parameters'];

const mediaTrack = (index: number, kind: 'video' | 'audio'): RegisteredSource['tracks'][number] => ({
  id: `stream:${index}`,
  index,
  kind,
  codec: kind === 'audio' ? 'aac' : 'h264',
  durationMs: 1000,
});

const reasons = [
  ['speech_activity', 'no_audio_in_range'],
  ['silence', 'no_audio_in_range'],
  ['loudness', 'no_audio_in_range'],
  ['shot_changes', 'no_frames_in_range'],
] as const;

/** The result of a pass that finds nothing in a film with so many audio tracks, with these parameters. */
function passOver(audioTracks: number, parameters: PassParameters): string | null {
  const audio = Array.from({ length: audioTracks }, (_, at) => mediaTrack(at + 1, 'audio'));
  const pass: DeliveredPass = {
    source: { ...koreanClip, tracks: [mediaTrack(0, 'video'), ...audio], trackLanguages: [], defaultTracks: [2] },
    request: clipRun.record.analysisRequest,
    operation: { capability: 'media.detect', tools: [], parameters, limits: { maxWallMs: 1 } },
    evidence: reasons.map(([kind, reasonCode]) => ({
      delivered: { kind, state: 'unavailable', reasonCode, artifactId: null, contentId: null },
      artifact: null,
    })),
    further: [],
  };
  return failureOf(EvidenceChainError, () => checkDelivered(pass))?.place ?? null;
}

const later = [
  { 'speech_activity.signals': 'the mix' },
  { 'silence.belowProgrammeDb': 26 },
  { 'shot_changes.rule': 'the change of small pictures' },
  { 'waveform.windowMs': 20 },
];

test('a version that states what came later also states its rule for the audio track', (t) => {
  const place = 'parameters.speech_activity.audioTrackRule';
  for (const stated of later) t.is(passOver(2, { ...stated, audioTrackIndex: 1 }), place);
  const ruled = { 'speech_activity.audioTrackRule': 'default flag', 'speech_activity.otherAudioTracks': '1:aac:' };
  for (const stated of later) t.is(passOver(2, { ...stated, ...ruled, audioTrackIndex: 2 }), null);
});

test('the first version chose none, and with one track there is nothing to choose', (t) => {
  t.is(passOver(2, { 'silence.thresholdDb': -40, audioTrackIndex: 1 }), null);
  for (const stated of later) t.is(passOver(1, { ...stated, audioTrackIndex: 1 }), null);
});

type Requested = Parameters<typeof audioTrackOf>[1];

const automatic: Requested = { mode: 'automatic', languages: [], reason: null };
const declared = (language: string): Requested => ({ mode: 'declared', languages: [language], reason: null });

/** A film with these audio tracks from index 1 on: their languages, and which of them are flagged. */
const film = (languages: readonly (string | null)[], defaultTracks?: number[]) => ({
  tracks: [mediaTrack(0, 'video'), ...languages.map((_language, at) => mediaTrack(at + 1, 'audio'))],
  trackLanguages: languages.flatMap((language, at) => (language === null ? [] : [{ index: at + 1, language }])),
  ...(defaultTracks === undefined ? {} : { defaultTracks }),
});

test('without a choice there is nothing to report', (t) => {
  t.is(audioTrackOf(film([]), automatic), null);
  t.deepEqual(audioTrackOf(film(['ko'], [1]), declared('en')), { index: 1, choice: null });
});

test('the first track that the container flags as default is used, and the others are named', (t) => {
  t.deepEqual(audioTrackOf(film(['en', null, 'ko'], [2, 3]), automatic), {
    index: 2,
    choice: { rule: 'default flag', others: '1:aac:en,3:aac:ko' },
  });
});

test('without flags, as in sources of earlier versions, the first track is used', (t) => {
  t.deepEqual(audioTrackOf(film([null, 'en']), automatic), {
    index: 1,
    choice: { rule: 'first track', others: '2:aac:en' },
  });
});

test('a declared language that exactly one track has picks that track, however it is written', (t) => {
  for (const [stated, asked] of [
    ['kor', 'ko-KR'],
    ['ko', 'ko'],
    ['ger', 'de'],
  ] as const) {
    t.like(audioTrackOf(film(['en', 'fr', stated], [2]), declared(asked)), {
      index: 3,
      choice: { rule: 'only track of the declared language', others: '1:aac:en,2:aac:fr' },
    });
  }
});

test('bug: a track in a member of the declared macrolanguage was not the declared language', (t) => {
  const norwegian = film(['en', 'nob'], [1]);
  const others = '1:aac:en';
  const choice = { rule: 'only track of the declared macrolanguage', others };
  t.deepEqual(audioTrackOf(norwegian, declared('no')), { index: 2, choice });
  // A study of an earlier version listened to another track, and states another rule.
  t.like(audioTrackOf(norwegian, declared('no'), false), { index: 1, choice: { rule: 'default flag' } });
  t.like(audioTrackOf(film(['no', 'nb']), declared('no')), { choice: { rule: 'only track of the declared language' } });
});

test('a declared language that no track or several have leaves the choice to the flags', (t) => {
  t.like(audioTrackOf(film(['en', 'fr'], [2]), declared('ko')), { index: 2, choice: { rule: 'default flag' } });
  t.like(audioTrackOf(film(['en', 'en-GB', 'fr'], [3]), declared('en')), {
    index: 3,
    choice: { rule: 'default flag' },
  });
  t.like(audioTrackOf(film(['en', 'en']), declared('en')), { index: 1, choice: { rule: 'first track' } });
});

test('several languages, or an invalid language, pick no track', (t) => {
  const mixed: Requested = { mode: 'mixed', languages: ['ko', 'fr'], reason: null };
  t.like(audioTrackOf(film(['en', 'ko']), mixed), { index: 1 });
  t.like(audioTrackOf(film(['en', 'und']), declared('und')), { index: 1 });
});

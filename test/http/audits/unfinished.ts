import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SourceSessionRow } from '../../../contract/sources/source-session-list.ts';
import { ffmpeg } from '../../executors/evidence/media-for-tests.ts';
import { eventually } from '../../patience.ts';
import type { HostContract } from '../host/contract.ts';
import { ingest, storedFiles } from '../host/ingest-steps.ts';
import { humWav } from '../host/media.ts';
import { followed, runtimeOf, sampleRow, startStudy, studyRequest } from '../host/study-steps.ts';
import { concluded, damaged, lists } from './steps.ts';

/** Where the object store keeps the media of a source. */
async function mediaPath(contract: HostContract, { sourceContentId }: SourceSessionRow): Promise<string> {
  const file = (await storedFiles(contract)).find((each) => each.includes(sourceContentId.slice('sha256:'.length)));
  return file?.slice(0, file.lastIndexOf(' ')) ?? '';
}

/** Waits until a runtime has this many events. */
async function grownTo(t: ExecutionContext, contract: HostContract, runtimeId: string, events: number): Promise<void> {
  const isGrown = async () => (await runtimeOf(t, contract, runtimeId)).journalHead >= events;
  await eventually(`${events} events of ${runtimeId}`, isGrown, 50);
}

/** What can be read of a study that has not come to its end, or came to a bad one. */
export function unfinished(contract: HostContract): void {
  test.serial(contract.title('a study under way shows what it has, and nothing that is still to come'), async (t) => {
    const request = studyRequest(await sampleRow(t, contract), { clientRequestId: 'under-way' });
    await contract.gate.close();
    try {
      const { runtimeId } = await startStudy(t, contract, request);
      await grownTo(t, contract, runtimeId, 9);
      const early = await concluded(t, contract, runtimeId);
      t.deepEqual([early.audits.audits, early.decisions.decisions], [[], []]);
      t.deepEqual(
        early.evidence.evidence.map(({ kind }) => kind),
        ['speech-activity-receipt', 'language-ranges-receipt'],
      );
      t.is(early.evidence.journalHead, 9);
      await contract.gate.open();
      await followed(t, contract, runtimeId);
      const late = await concluded(t, contract, runtimeId);
      t.true(late.audits.audits.length > 0 && late.decisions.decisions.length === 1);
      t.true(late.evidence.evidence.length > early.evidence.evidence.length);
    } finally {
      await contract.gate.open();
    }
  });

  test.serial(
    contract.title('a study that could claim nothing has empty lists, and evidence with reasons'),
    async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'silent-film-'));
      t.teardown(() => rm(folder, { recursive: true, force: true }));
      const picture = ['-f', 'lavfi', '-i', 'testsrc=s=64x48:r=25:d=1'];
      await ffmpeg(folder, ...picture, '-c:v', 'libx264', '-preset', 'ultrafast', 'silent.mp4');
      const media = await readFile(join(folder, 'silent.mp4'));
      const { source } = await ingest(t, contract, media, { filename: 'silent.mp4' });
      if (source === null) throw new Error('not registered');
      const { runtimeId } = await startStudy(t, contract, studyRequest(source));
      t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'terminal');
      const { audits, decisions, evidence } = await concluded(t, contract, runtimeId);
      t.deepEqual([audits.audits, decisions.decisions], [[], []]);
      t.deepEqual(
        evidence.evidence.map(({ kind, state, reasonCode }) => [kind, state, reasonCode]),
        [
          ['speech_activity', 'unavailable', 'no_audio_track'],
          ['silence', 'unavailable', 'no_audio_track'],
          ['loudness', 'unavailable', 'no_audio_track'],
          ['shot_changes', 'available', null],
          ['subtitle_track', 'unavailable', 'no_text_subtitle_track'],
          ['text_language', 'unavailable', 'no_text_subtitle_track'],
        ],
      );
    },
  );

  test.serial(contract.title('a study that failed early shows what it had when it stopped'), async (t) => {
    const media = humWav(160, 2000);
    const { source } = await ingest(t, contract, media);
    if (source === null) throw new Error('not registered');
    const path = await mediaPath(contract, source);
    await contract.gate.close();
    const { runtimeId } = await startStudy(t, contract, studyRequest(source));
    try {
      await grownTo(t, contract, runtimeId, 7);
      await truncate(path, 20);
    } finally {
      await contract.gate.open();
    }
    t.is((await followed(t, contract, runtimeId)).last.lifecycle, 'failed');
    t.regex(await damaged(t, contract, runtimeId), /^the source sha256:[a-f0-9]{64} fails at: raw-media: content$/);
    await writeFile(path, media);
    const { audits, decisions, evidence } = await concluded(t, contract, runtimeId);
    t.deepEqual([audits.audits, decisions.decisions, evidence.evidence], [[], [], []]);
  });

  test.serial(contract.title('a study that ended before its journal began has nothing to show'), async (t) => {
    const media = humWav(161, 1000);
    const { source } = await ingest(t, contract, media);
    if (source === null) throw new Error('not registered');
    const path = await mediaPath(contract, source);
    const sample = await sampleRow(t, contract);
    await contract.gate.close();
    const waiting: string[] = [];
    // Ranges that nobody has measured before: each holds a worker for as long as the gate is closed.
    for (const startMs of [2100, 2200]) {
      const request = studyRequest(sample, { range: { startMs, endMs: startMs + 500 } });
      waiting.push((await startStudy(t, contract, request)).runtimeId);
    }
    for (const id of waiting) await grownTo(t, contract, id, 9);
    const { runtimeId } = await startStudy(t, contract, studyRequest(source));
    for (const list of lists) {
      const answer = await contract.get(`/v1/runtimes/${runtimeId}/${list}`);
      t.is(answer.status, 200, 'still waiting for a worker');
    }
    await truncate(path, 20);
    await contract.gate.open();
    for (const id of [...waiting, runtimeId]) await followed(t, contract, id);
    await writeFile(path, media);
    t.like(await runtimeOf(t, contract, runtimeId), { lifecycle: 'interrupted', journalHead: 0 });
    const { audits, decisions, evidence } = await concluded(t, contract, runtimeId);
    t.deepEqual([audits.audits, decisions.decisions, evidence.evidence], [[], [], []]);
    t.is(evidence.journalHead, 0);
  });
}

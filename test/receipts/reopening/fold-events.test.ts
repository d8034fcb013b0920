import test from 'ava';
import type { JournalEvent } from '../../../contract/journal/journal-event.ts';
import { EvidenceChainError } from '../../../receipts/core/evidence-chain-error.ts';
import { foldEvents, reopenStartOf, type VerifiedRuntime } from '../../../receipts/reopening/reopen-runtime.ts';
import type { EventDraft } from '../../../storage/ledger/ledger.ts';
import { captionedStudy, captionSteps, goingOn } from '../captions/captioned-studies.ts';
import { storedStudy } from '../evidence/stored-study.ts';
import { twoTracks } from '../evidence/stored-tracks.ts';
import { approval, reviewOf } from '../review/review-steps.ts';
import { readEvents } from './reopened.ts';

const study = storedStudy({ version: 1, windows: 4, tracks: twoTracks });
const review = reviewOf(study, approval);
const captions = captionSteps({
  study: await captionedStudy(study),
  attempt: 0,
  classification: 'embedded_subtitle_tracks',
});
const tail: readonly (readonly EventDraft[])[] = [
  review.started,
  review.recorded,
  captions.started,
  captions.recorded,
  captions.checked,
  review.revocationStarted,
  review.revoked,
];
const [stored, content] = goingOn(study, [...review.objects, ...captions.objects], ...tail);
const events = readEvents(stored);
const ends = [...study.commits, ...tail].map((_, at, commits) => commits.slice(0, at + 1).flat().length);

const ports = { content, report: () => undefined, pause: () => undefined };

/** The runtime after each of these parts of its journal, one fold after the other. */
async function folded(parts: readonly (readonly JournalEvent[])[]): Promise<VerifiedRuntime> {
  let runtime = await reopenStartOf(stored, events.length, ports);
  const seen = { ...stored, lifecycle: 'accepted' } as const;
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

test('a fold changes nothing of the state that it goes on from', async (t) => {
  for (const [at, end] of ends.entries()) {
    const before = await folded([events.slice(0, end)]);
    const copy = structuredClone(before.execution);
    await foldEvents(before, { ...stored, lifecycle: 'accepted' }, events.slice(end, ends[at + 1]), ports);
    t.deepEqual(before.execution, copy);
  }
});

test('a commit that comes a second time is found', async (t) => {
  for (const [at, end] of ends.entries()) {
    const begin = ends[at - 1] ?? 0;
    const runtime = await folded([events.slice(0, end)]);
    const again = events.slice(begin, end);
    const refolded = foldEvents(runtime, { ...stored, lifecycle: 'accepted' }, again, ports);
    await t.throwsAsync(refolded, { instanceOf: EvidenceChainError }, `after ${end}`);
  }
});

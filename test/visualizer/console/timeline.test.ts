import test from 'ava';
import type { EvidenceReadReceipt } from '../../../contract/evidence/evidence-read.ts';
import type { Finding } from '../../../contract/overview/runtime-overview.ts';
import type { AssessmentAudits } from '../../../contract/study/assessment-audits.ts';
import type { EvidenceRow } from '../../../contract/study/runtime-evidence.ts';
import { ticksOf } from '../../../visualizer/console/parts/ticks.ts';
import { drawnMarks, entryMark, longestOf } from '../../../visualizer/console/timeline/drawn-marks.ts';
import { claimLanes, evidenceLanes } from '../../../visualizer/console/timeline/lanes.ts';
import { panned, shortestViewMs, showing, within, zoomed } from '../../../visualizer/console/timeline/view.ts';

const hour = 3_600_000;
const whole = { startMs: 0, endMs: 4 * hour };

const available = (kind: string, facts: readonly object[]): EvidenceRow =>
  ({ kind, state: 'available', reasonCode: null, artifactId: `artifact:${kind}`, facts }) as unknown as EvidenceRow;

test('a ruler has round marks, from hours down to a frame', (t) => {
  t.deepEqual(
    ticksOf(whole, 8),
    [0, 30, 60, 90, 120, 150, 180, 210].map((minutes) => minutes * 60_000),
  );
  t.deepEqual(ticksOf({ startMs: 1_010, endMs: 1_110 }, 5), [1020, 1040, 1060, 1080, 1100]);
});

test('zoom keeps the time under the pointer in its place, and ends at a frame and at the whole', (t) => {
  const closer = zoomed(whole, whole, 0.5, hour);
  t.deepEqual(closer, { startMs: hour / 2, endMs: 2.5 * hour });
  t.is(zoomed(closer, whole, 1e-9, hour).endMs - zoomed(closer, whole, 1e-9, hour).startMs, shortestViewMs);
  t.deepEqual(zoomed(closer, whole, 1e9, hour), whole);
  const short = { startMs: 0, endMs: 40 };
  t.deepEqual(zoomed(short, short, 0.1, 20), short);
});

test('a view never leaves the whole', (t) => {
  t.deepEqual(within({ startMs: -5, endMs: 5 }, { startMs: 0, endMs: 100 }), { startMs: 0, endMs: 10 });
  t.deepEqual(panned({ startMs: 50, endMs: 100 }, { startMs: 0, endMs: 100 }, 3), { startMs: 50, endMs: 100 });
  const view = { startMs: 0, endMs: 1000 };
  t.is(showing(view, whole, { startMs: 10, endMs: 20 }), view);
  t.deepEqual(showing(view, whole, { startMs: 5000, endMs: 5100 }), { startMs: 4550, endMs: 5550 });
});

test('every kind of evidence gets a lane, also one that this page has no words for', (t) => {
  const rows = [
    available('silence', [{ kind: 'silence', index: 0, startMs: 10, endMs: 20 }]),
    available('colour_of_the_sky', [
      { kind: 'sky_sample', atMs: 5, blue: 3 },
      { kind: 'sky_note', words: 'without a place' },
    ]),
    { kind: 'loudness', state: 'unavailable', reasonCode: 'no_audio_track' } as unknown as EvidenceRow,
    available('shot_changes', []),
  ];
  const [silence, loudness, cuts, sky] = evidenceLanes(rows, []);
  t.deepEqual(
    silence?.marks.map(({ words, startMs, endMs }) => [words, startMs, endMs]),
    [['silence', 10, 20]],
  );
  t.deepEqual(
    sky?.marks.map(({ words, startMs, endMs }) => [words, startMs, endMs]),
    [['sky sample', 5, 5]],
  );
  t.deepEqual(loudness?.absence, { kind: 'unavailable', words: 'unavailable: no audio track' });
  t.deepEqual(cuts?.absence, { kind: 'empty', words: 'nothing found' });
});

test('a kind that is unavailable has the name and the reason that stand below the timeline', (t) => {
  const row = { kind: 'transcript', state: 'unavailable', reasonCode: 'language_not_recognised', artifactId: null };
  const text = 'unavailable: the recogniser does not serve the declared language (language_not_recognised)';
  const [lane] = evidenceLanes(
    [row as unknown as EvidenceRow],
    [{ ...row, title: 'recognised speech', text } as unknown as Finding],
  );
  t.is(lane?.title, 'Recognised speech');
  t.is(lane?.absence?.words, 'unavailable: the recogniser does not serve the declared language');
});

test('a claim over text says the text, and one without a value says its state once', (t) => {
  const claim = (kind: string, value: string | null, states: readonly string[], receiptId: string) => ({
    ...{ claimIndex: 0, kind, value, states, range: { startMs: 0, endMs: 9 } },
    citations: [{ receiptId, factIndexes: [0] }],
  });
  const claims = [
    claim('screen_text', 'recognised', ['supported'], 'read'),
    claim('language_identity', null, ['unknown'], 'other'),
  ];
  const read = { facts: [{ kind: 'recognised_text', startMs: 1, endMs: 2, text: 'Reading room' }] };
  const audits = { audits: [{ operationId: 'operation', claims }] } as unknown as AssessmentAudits;
  const lanes = claimLanes(audits, new Map([['read', read as unknown as EvidenceReadReceipt]]));
  t.deepEqual(
    lanes.map(({ marks }) => marks[0]?.words),
    ['“Reading room”: supported', 'language: unknown'],
  );
});

test('a lane draws what is in sight, and what would lie on the same pixels as one', (t) => {
  const facts = Array.from({ length: 100_000 }, (_, index) => ({
    kind: 'silence',
    startMs: index * 100,
    endMs: index * 100 + 40,
  }));
  const [lane] = evidenceLanes([available('silence', facts)], []);
  const marks = lane?.marks ?? [];
  const longest = longestOf(marks);
  t.is(longest, 40);
  const all = drawnMarks(marks, longest, { startMs: 0, endMs: 10_000_000 }, 1000);
  t.true(all.length <= 1000, String(all.length));
  t.is(
    all.reduce((sum, { count }) => sum + count, 0),
    100_000,
  );
  const few = drawnMarks(marks, longest, { startMs: 5_000_020, endMs: 5_000_240 }, 1000);
  t.deepEqual(
    few.map(({ mark, count }) => [mark.startMs, count]),
    [
      [5_000_000, 1],
      [5_000_100, 1],
      [5_000_200, 1],
    ],
  );
});

test('a lane in which speech and pauses take turns draws no more marks than its width allows', (t) => {
  const kinds = ['speech_window', 'non_speech_window'];
  const facts = Array.from({ length: 10_000 }, (_, at) => ({
    kind: kinds[at % 2],
    startMs: at * 100,
    endMs: at * 100 + 100,
  }));
  const marks = evidenceLanes([available('speech_activity', facts)], [])[0]?.marks ?? [];
  const all = drawnMarks(marks, longestOf(marks), { startMs: 0, endMs: 1_000_000 }, 1000);
  t.true(all.length <= 1000, String(all.length));
  t.is(
    all.reduce((sum, { count }) => sum + count, 0),
    10_000,
  );
});

test('cuts that lie closer than a person can press are drawn as one', (t) => {
  const facts = Array.from({ length: 600 }, (_, at) => ({ kind: 'shot_change', atMs: at * 7000 }));
  const marks = evidenceLanes([available('shot_changes', facts)], [])[0]?.marks ?? [];
  const drawn = drawnMarks(marks, longestOf(marks), { startMs: 0, endMs: 4_200_000 }, 1000);
  const gaps = drawn.slice(1).map(({ left }, at) => left - (drawn[at]?.left ?? 0));
  t.true(Math.min(...gaps) >= 7, String(Math.min(...gaps)));
  t.is(
    drawn.reduce((sum, { count }) => sum + count, 0),
    600,
  );
});

test('Tab reaches a mark wherever a timeline was zoomed to, and the chosen one where it is drawn', (t) => {
  const silence = (startMs: number) => ({ kind: 'silence', startMs, endMs: startMs + 10 });
  const rows = [available('silence', [silence(0), silence(20), silence(hour)]), available('black_frames', [])];
  const lanes = evidenceLanes(rows, []);
  const [first, second, last] = lanes[0]?.marks ?? [];
  const entry = (chosen: typeof first, view: { startMs: number; endMs: number }) =>
    entryMark(lanes, chosen?.key ?? null, view, 1000);
  t.is(entry(undefined, whole), first);
  t.is(entry(last, whole), last);
  t.is(entry(second, whole), first, 'drawn as one with the mark before it');
  t.is(entry(second, { startMs: 0, endMs: 100 }), second);
  t.is(entry(first, { startMs: hour - 500, endMs: hour + 500 }), last, 'the chosen one is out of sight');
  t.is(entry(first, { startMs: 2 * hour, endMs: 2 * hour + 500 }), undefined);
});

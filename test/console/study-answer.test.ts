import test from 'ava';
import { playback, pressed } from '../../console/player/playback.ts';
import { firstSteps } from '../../console/sources/first-steps.tsx';
import { foundSentences } from '../../console/study/answer.tsx';
import { measuredUntil } from '../../console/study/evidence-pane.tsx';
import { exportStates } from '../../console/study/exports-pane.tsx';
import { nameReviewer } from '../../console/study/sign-dialog.tsx';
import { wayStepsOf, wayWords } from '../../console/study/stepper.tsx';
import { languagesInWords, nextActionOf } from '../../console/study/study-view.tsx';
import type { Lane } from '../../console/timeline/lanes.ts';
import { foldedLanes } from '../../console/timeline/timeline.tsx';
import type { Cause } from '../../contract/causes/causes.ts';
import type { WorkProgress } from '../../contract/operation.ts';
import type { Finding, RuntimeOverview } from '../../contract/overview.ts';
import { kindsForPeople } from '../../kinds/kinds.ts';

const part = (state: string, text: string, reasonCodes: readonly string[] = [], causes: readonly Cause[] = []) => ({
  state,
  text,
  reasonCodes,
  causes,
});

/** An overview with the parts that a test needs. */
const overviewOf = (own: object): RuntimeOverview =>
  ({
    runtimeId: 'runtime:1',
    situation: { code: 'waiting_for_review' },
    findings: [],
    actions: [],
    decision: part('done', 'all claims are supported'),
    review: part('waiting', 'waiting for your review'),
    captions: part('not_yet', 'x', [], [{ code: 'approval_to_come', params: {} }]),
    check: part('not_yet', 'x', [], [{ code: 'captions_to_come', params: {} }]),
    ...own,
  }) as unknown as RuntimeOverview;

test('the steps of a study show their progress, and one of them is current', (t) => {
  const linesOf = (overview: RuntimeOverview) =>
    wayStepsOf(overview).map(({ name, state, text, isCurrent }) => `${isCurrent ? '> ' : ''}${name} ${state}: ${text}`);
  t.deepEqual(linesOf(overviewOf({})), [
    'decision done: All findings are supported',
    '> review waiting for you: Approve or reject the lines',
    'captions to come: Captions need an approval',
  ]);
  const live = overviewOf({ lifecycle: 'running', decision: part('not_yet', 'x'), review: part('not_yet', 'y') });
  t.deepEqual(linesOf(live).slice(0, 2), ['> decision under way: X', 'review to come: Y']);
  const ready = { review: part('done', 'approved'), captions: part('done', '9 lines with both texts') };
  const checked = overviewOf({ ...ready, check: part('done', 'accepted') });
  t.deepEqual(linesOf(checked).slice(2), ['captions done: Ready to download']);
  const waiting = overviewOf({ ...ready, check: part('waiting', 'x') });
  t.deepEqual(linesOf(waiting).slice(2), ['> captions waiting for you: Check the captions']);
  const partial = part('done', 'accepted', ['current_run_candidate_accepted_in_part']);
  t.deepEqual(linesOf(overviewOf({ ...ready, check: partial })).slice(2), ['captions done in part: Ready to download']);
});

test('bug: a new user read Add, Study, Approve, Download, and then Decision, Review, Captions, Check', (t) => {
  t.deepEqual(
    firstSteps.map(([name]) => name),
    ['Add', ...Object.values(wayWords)],
  );
});

test('bug: the step of captions cut its remedy off in the middle of a flag', (t) => {
  const params = { lengthMs: 600_000, limitMs: 120_000, mostMs: 14_400_000 };
  const captions = part('never', 'x', [], [{ code: 'range_too_long', params }]);
  t.is(
    wayStepsOf(overviewOf({ captions })).at(2)?.text,
    'Captions cover at most 2:00 on this host, and the study has 10:00',
  );
});

test('the step of a rejected study says so, and one that a decision withholds is withheld', (t) => {
  const stateFor = (code: string): string | undefined =>
    wayStepsOf(overviewOf({ situation: { code }, review: part('withheld', 'x') })).at(1)?.state;
  t.is(stateFor('rejected'), 'rejected');
  t.is(stateFor('withheld_from_review'), 'withheld');
});

test('a study is headed by its languages, and by none that was not declared', (t) => {
  const headOf = (languages: readonly string[], targetLanguage: string) =>
    languagesInWords({ sourceLanguage: { languages }, targetLanguage } as unknown as RuntimeOverview['study']);
  t.is(headOf(['ko'], 'en'), 'Korean to English');
  t.is(headOf(['en'], 'en'), 'English');
  t.is(headOf([], 'en'), 'Language to be detected, to English');
});

test('a study has one thing to do next', (t) => {
  const doing = (code: string, ...actions: string[]) =>
    nextActionOf(overviewOf({ situation: { code }, actions: actions.map((action) => ({ action })) }));
  const approved = overviewOf({ situation: { code: 'approved' }, captions: part('waiting', 'captions can be made') });
  t.is(doing('waiting_for_review', 'approve', 'reject', 'study_again'), 'review');
  t.is(nextActionOf(approved), 'produce');
  t.is(doing('waiting_for_check', 'check_captions'), 'check');
  t.is(doing('captions_accepted', 'read_captions', 'study_again'), 'download');
  t.is(doing('rejected', 'study_again'), 'again');
  t.is(doing('studying'), null);
});

const finding = (
  kind: string,
  title: string,
  text: string,
  measures: readonly object[] = [],
  trackIndex = 0,
  languages: Finding['languages'] = [],
): Finding => {
  const shown = { brief: text, languages, fieldOrders: [], placeCount: 0 };
  const found = { kind, title, text, measures, trackIndex, state: 'available', reasonCode: null, ...shown };
  return found as unknown as Finding;
};

test('findings are whole sentences; the timeline covers the missing kinds', (t) => {
  const [count, total] = [(value: number) => ({ name: 'count', value }), (value: number) => ({ name: 'total', value })];
  const findings = [
    finding('speech_activity', 'speech activity', 'x', [count(1), total(75.2), { name: 'share', value: 49 }]),
    finding('shot_changes', 'shot changes', 'x', [count(1)]),
    finding('black_frames', 'black pictures', 'none', [count(0), total(0)]),
    finding('letterbox', 'black bars', 'none'),
    finding('subtitle_track', 'subtitles of track 2', '9 cues', [count(9)], 2),
    finding('text_language', 'language of the subtitles of track 2', 'ko, tagged kor', [], 2, [
      { language: 'ko', totalMs: null },
    ]),
    finding('new_kind', 'something new', '3 of them', [count(3)]),
  ];
  t.deepEqual(foundSentences(findings, true, kindsForPeople.kinds), [
    'Speech: 1 passage, 1:15, 49 % of the range.',
    'Subtitles of track 2: 9 lines in Korean.',
  ]);
  t.deepEqual(foundSentences(findings, false, kindsForPeople.kinds), ['Cuts: 1.', 'Something new: 3 of them.']);
});

test('files are under Not available with the reason, as are captions until their acceptance', (t) => {
  const reasons = (overview: RuntimeOverview) =>
    Object.fromEntries(exportStates(overview).map(({ file, whyNot }) => [file.name, whyNot]));
  const waiting = reasons(overviewOf({}));
  t.is(waiting['captions.srt'], 'captions need an approval');
  t.is(waiting['transcript.srt'], 'no speech was recognized in this study');
  t.is(waiting['facts.csv'], null);
  const accepted = reasons(overviewOf({ situation: { code: 'captions_accepted' } }));
  t.is(accepted['captions.srt'], null);
});

test('a lane that shows no place in time is a line below the timeline; a claim keeps its lane', (t) => {
  const lane = (key: string, own: object): Lane => ({ key, backdrop: null, absence: null, marks: [], ...own }) as never;
  const mark = { key: 'm', startMs: 0, endMs: 1000 };
  const whole = { startMs: 0, endMs: 1000 };
  const folded = foldedLanes(
    [
      lane('speech', { marks: [mark, mark] }),
      lane('loudness', { marks: [mark] }),
      lane('claims speech_activity', { marks: [mark] }),
      lane('black', { absence: { kind: 'empty', words: 'none' } }),
      lane('language', { absence: { kind: 'unplaced', words: 'ko' } }),
    ],
    whole,
  );
  const keys = (lanes: readonly Lane[]) => lanes.map(({ key }) => key);
  t.deepEqual(keys(folded.shown), ['speech', 'claims speech_activity']);
  t.deepEqual([folded.whole.length, keys(folded.nothing), keys(folded.said)], [1, ['black'], ['language']]);
});

test('the ruler shows the progress of a pass, and of no other step', (t) => {
  const progress = { stage: 'detect', unit: 'milliseconds', completed: 700 } as WorkProgress;
  t.is(measuredUntil(progress, { startMs: 1000, endMs: 1500 }), 1500);
  t.is(measuredUntil(progress, { startMs: 1000, endMs: 9000 }), 1700);
  t.is(measuredUntil({ ...progress, stage: 'read' }, { startMs: 0, endMs: 9 }), null);
  t.is(measuredUntil(null, { startMs: 0, endMs: 9 }), null);
});

test('the name of a person is saved before the first signature; a host that takes it after a restart signs nothing', async (t) => {
  const asked: object[] = [];
  const hostThat = (afterRestart: readonly string[]) =>
    ({
      settings: {
        change: async (change: object) => {
          asked.push(change);
          return { afterRestart };
        },
      },
    }) as unknown as Parameters<typeof nameReviewer>[0];
  await nameReviewer(hostThat([]), 'Sua Kim');
  t.deepEqual(asked, [{ set: { 'reviewer-label': 'Sua Kim' } }]);
  await t.throwsAsync(nameReviewer(hostThat(['reviewer-label']), 'Sua Kim'), { message: /after a restart/ });
});

/** A media element whose playback begins when the test says so. */
function fakeMedia() {
  let refuse = (_: Error): void => undefined;
  const watched = new Set<number>();
  const element = {
    currentTime: 0,
    playbackRate: 1,
    volume: 1,
    muted: false,
    seeking: false,
    ended: false,
    play: () =>
      new Promise<void>((_, reject) => {
        refuse = reject;
      }),
    pause: () => refuse(new Error('interrupted by a pause')),
    requestVideoFrameCallback: () => {
      const id = watched.size + 1;
      watched.add(id);
      return id;
    },
    cancelVideoFrameCallback: (id: number) => watched.delete(id),
  };
  return { element: element as unknown as HTMLVideoElement, watched };
}

test.serial('bug: a play that a turn backwards interrupted stopped the turn', async (t) => {
  const frames = { requestAnimationFrame: () => 1, cancelAnimationFrame: () => undefined };
  Object.assign(globalThis, frames);
  t.teardown(() => {
    for (const name of Object.keys(frames)) Reflect.deleteProperty(globalThis, name);
  });
  const { element, watched } = fakeMedia();
  const control = playback();
  control.attach(element);
  control.shuttle(1);
  control.shuttle(-1);
  await new Promise((resolve) => setImmediate(resolve));
  t.is(control.store.getSnapshot().context.speed, -1);
  control.attach(null);
  t.is(watched.size, 0, 'an element that is gone is not watched any more');
  control.attach(element);
  control.attach(null);
  t.is(watched.size, 0);
});

test('the shuttle goes on from any speed of Play, and the keys change sound and captions', (t) => {
  const control = playback();
  const now = () => control.store.getSnapshot().context;
  control.setRate(1.25);
  control.toggle();
  t.is(now().speed, 1.25);
  control.shuttle(1);
  t.is(now().speed, 2);
  control.shuttle(-1);
  t.is(now().speed, -1);
  pressed('m', control);
  t.true(now().isMuted);
  const shown = [0, 1, 2].map(() => {
    pressed('c', control);
    return now().captions;
  });
  t.deepEqual(shown, ['source', 'off', 'target']);
  t.false(pressed('x', control));
});

import { readFile } from 'node:fs/promises';
import test from 'ava';
import { languagesOf } from '../../console/new-study/language-picker.tsx';
import { captionLimitOf, earlierWords } from '../../console/new-study/new-study-view.tsx';
import {
  executorPermissions,
  isChosen,
  savedWith,
  settingText,
  settingValueOf,
} from '../../console/operations/settings.tsx';
import { failuresOf } from '../../console/sources/ingest-list.tsx';
import { fittingSources, markedParts, shownStudy, sourceState } from '../../console/sources/library-model.ts';
import { describeState } from '../../console/study/study-view.tsx';
import { failureStory } from '../../console/words/failures.ts';
import type { Cause, PartCause } from '../../contract/causes/causes.ts';
import type { OwnedIngestRow } from '../../contract/ingest.ts';
import type { LibrarySource, LibraryStudy } from '../../contract/library.ts';
import { type OverviewPart, type RuntimeOverview, type SituationCode, situationCode } from '../../contract/overview.ts';
import type { MediaProbe } from '../../contract/sources/media-probe.ts';
import { cancellationMessage } from '../../contract/study/cancellation.ts';

const studyOf = (change: Partial<LibraryStudy> = {}): LibraryStudy => ({
  runtimeId: 'runtime:1',
  range: { startMs: 0, endMs: 50_000 },
  lifecycle: 'terminal',
  reason: null,
  acceptedAt: '2026-01-02T00:00:00.000Z',
  standing: null,
  fault: null,
  ...change,
});

const standingOf = (
  code: SituationCode,
  captions: Pick<OverviewPart, 'state' | 'causes'> = { state: 'not_yet', causes: [] },
): Partial<LibraryStudy> => ({
  standing: { situation: { code, text: `${code} in words` }, captions: { ...captions, text: 'x' }, journalHead: 9 },
});

const sourceOf = (label: string, durationMs: number, newest: LibraryStudy | null): LibrarySource => ({
  sourceSessionId: `source-session:${label}`,
  sourceRevisionId: 'source-revision:1',
  sourceContentId: `sha256:${'a'.repeat(64)}`,
  label,
  sourceKind: 'owned_local',
  rightsScope: 'local_processing',
  durationMs,
  trackCount: 1,
  preflightSchema: 'studio.preflight-bundle.v1',
  detectedLanguageEvidenceAvailable: false,
  tracks: ['video'],
  languages: [],
  studies: newest === null ? 0 : 1,
  newest,
});

test('a source shows the one state that matters, with a reason if needed', (t) => {
  const never: Pick<OverviewPart, 'state' | 'causes'> = {
    state: 'never',
    causes: [{ code: 'source_language_not_declared', params: { of: 'study' } }],
  };
  const off: typeof never = { state: 'never', causes: [{ code: 'no_caption_executor', params: {} }] };
  const need = 'the spoken language was not chosen; choose it in a new study';
  const cases: readonly (readonly [LibraryStudy | null, string, string | null])[] = [
    [null, 'Not studied yet', null],
    [studyOf(standingOf('waiting_for_review')), 'Waiting for your review', null],
    [studyOf(standingOf('waiting_for_review', off)), 'Waiting for your review', null],
    [studyOf(standingOf('waiting_for_review', never)), 'Waiting for your review', `captions need something: ${need}`],
    [studyOf(standingOf('approved', off)), 'Approved, captions can be made', null],
    [studyOf(standingOf('approved', never)), 'Captions need something', need],
    [studyOf(standingOf('captions_accepted')), 'Captions ready', null],
    [studyOf(standingOf('failed')), 'Study failed', 'failed in words'],
    [studyOf({ fault: 'stored_content_inconsistent' }), 'Cannot be read', 'Its stored files do not verify.'],
    [studyOf({ lifecycle: 'running' }), 'studying', null],
  ];
  for (const [newest, words, why] of cases) t.like(sourceState({ newest }), { words, why }, words);
  for (const code of situationCode.options) t.not(sourceState({ newest: studyOf(standingOf(code)) }).words, '', code);
});

test('bug: a newer study that ended without captions hid those that are ready', (t) => {
  const captioned = studyOf({ ...standingOf('captions_accepted'), runtimeId: 'runtime:captioned' });
  const interrupted = studyOf({ lifecycle: 'interrupted', ...standingOf('interrupted') });
  t.like(sourceState({ newest: interrupted, captioned }), {
    words: 'Captions ready',
    why: 'a newer study: interrupted',
    group: 'ready',
  });
  t.is(shownStudy({ newest: interrupted, captioned })?.runtimeId, 'runtime:captioned');
  t.is(sourceState({ newest: interrupted }).words, 'Study interrupted');
  t.is(sourceState({ newest: studyOf(standingOf('rejected')), captioned }).why, 'a newer study: rejected');
});

test('bug: a film with captions was called studied until the host had read its study', (t) => {
  t.like(sourceState({ newest: studyOf() }), { words: 'Checking', why: null, group: 'working' });
  t.like(sourceState({ newest: studyOf({ lifecycle: 'failed', reason: stopped }) }), {
    words: 'failed',
    group: 'problems',
  });
});

const stopped = { code: 'executor_interrupted', message: 'resumes exhausted: the host died' } as const;
const canceled = { code: 'executor_interrupted', message: cancellationMessage } as const;

test('bug: a study that a person canceled looked like a failure', (t) => {
  const ended = { lifecycle: 'interrupted', reason: canceled } as const;
  for (const standing of [{}, standingOf('interrupted')]) {
    const newest = studyOf({ ...ended, ...standing });
    t.like(sourceState({ newest }), { tone: 'kept', words: 'Canceled', why: null, group: 'closed' });
    const captioned = studyOf(standingOf('captions_accepted'));
    t.is(sourceState({ newest, captioned }).why, 'a newer study: canceled');
    t.is(earlierWords(newest).title, 'An earlier study was canceled');
  }
  // Another interruption is one.
  const interrupted = studyOf({ ...ended, reason: stopped, ...standingOf('interrupted') });
  t.like(sourceState({ newest: interrupted }), { words: 'Study interrupted', group: 'problems' });
  const overview = {
    situation: { code: 'interrupted', text: cancellationMessage },
    lifecycle: 'interrupted',
    check: { reasonCodes: [] },
    study: { reason: canceled },
  } as unknown as RuntimeOverview;
  t.deepEqual(describeState(overview, null), { state: 'interrupted', words: 'canceled' });
  t.true(failureStory(canceled, 'study').isCanceled);
  t.true(failureStory({ code: 'canceled', message: 'canceled by the client' }, 'file').isCanceled);
  t.false(failureStory(stopped, 'study').isCanceled);
});

test('a library is filtered by name and state, and sorted by what a person chose', (t) => {
  const sources = [
    sourceOf(
      'Harbour 10',
      90_000,
      studyOf({ ...standingOf('captions_accepted'), acceptedAt: '2026-01-01T00:00:00.000Z' }),
    ),
    sourceOf('Harbour 9', 30_000, studyOf(standingOf('waiting_for_review'))),
    sourceOf('Interview', 60_000, null),
  ];
  const labels = (asked: { find?: string; show?: string; sort?: string }) =>
    fittingSources(sources, { find: '', show: '', sort: '', ...asked }).map(({ label }) => label);
  t.deepEqual(labels({}), ['Interview', 'Harbour 9', 'Harbour 10']);
  t.deepEqual(labels({ sort: 'name' }), ['Harbour 9', 'Harbour 10', 'Interview']);
  t.deepEqual(labels({ sort: 'longest' }), ['Harbour 10', 'Interview', 'Harbour 9']);
  t.deepEqual(labels({ sort: 'state' }), ['Harbour 9', 'Harbour 10', 'Interview']);
  t.deepEqual(labels({ find: '9 HARB' }), ['Harbour 9']);
  t.deepEqual(labels({ show: 'ready' }), ['Harbour 10']);
  t.deepEqual(labels({ show: 'nonsense', sort: 'nonsense' }), ['Interview', 'Harbour 9', 'Harbour 10']);
});

test('bug: a source that was just added came after older ones without a study', (t) => {
  const sources = ['Sample', 'Older', 'New'].map((label) => sourceOf(label, 1000, null));
  const added = new Map([
    ['source-session:Older', '2026-01-01T00:00:00.000Z'],
    ['source-session:New', '2026-01-02T00:00:00.000Z'],
  ]);
  const shown = fittingSources(sources, { find: '', show: '', sort: '' }, added);
  t.deepEqual(
    shown.map(({ label }) => label),
    ['New', 'Older', 'Sample'],
  );
});

test('bug: the sample came first in a library, before everything that a person had studied', (t) => {
  const sample = { ...sourceOf('Sample', 1000, null), rightsScope: 'redistribution' as const };
  const sources = [sample, sourceOf('Studied', 1000, studyOf()), sourceOf('Waiting', 1000, null)];
  const labels = fittingSources(sources, { find: '', show: '', sort: '' }).map(({ label }) => label);
  t.deepEqual(labels, ['Waiting', 'Studied', 'Sample']);
});

test('bug: the library named the first of two languages and left the code of the other', (t) => {
  const cause: PartCause = { code: 'no_text_track', params: { languages: ['ko', 'en'] } };
  const { why } = sourceState({ newest: studyOf(standingOf('approved', { state: 'never', causes: [cause] })) });
  t.is(why, 'this film has no subtitles in Korean or English; attach a subtitle file, or have the speech recognized');
});

test('the words of a search are marked in a line, whatever signs they have', (t) => {
  const parts = (text: string, find: string) =>
    markedParts(text, find).map(({ text: part, isFound }) => (isFound ? `[${part}]` : part));
  t.deepEqual(parts('Good Morning (Room)', 'room) MORN'), ['Good ', '[Morn]', 'ing (', '[Room)]']);
  t.deepEqual(parts('a.b', '.'), ['a', '[.]', 'b']);
  t.deepEqual(parts('text', ' '), ['text']);
  t.deepEqual(parts('das Öl'.normalize('NFD'), 'öl'.normalize('NFC')), ['das ', '[Öl]'.normalize('NFC')]);
});

test('the languages of tracks come first, those of the sound before others, by tags of today', (t) => {
  const tracks = (...of: [string, string | undefined][]) =>
    languagesOf({ tracks: of.map(([type, language]) => ({ type, language })) } as unknown as Pick<
      MediaProbe,
      'tracks'
    >);
  t.deepEqual(tracks(['subtitle', 'eng'], ['audio', 'kor']), { spoken: 'ko', all: ['ko', 'en'] });
  t.deepEqual(tracks(['audio', 'kor'], ['audio', 'jpn']), { spoken: '', all: ['ko', 'ja'] });
  t.deepEqual(tracks(['audio', 'und'], ['audio', 'not a tag'], ['video', undefined]), { spoken: '', all: [] });
});

test('bug: a study that had failed was offered in the place of a new one', (t) => {
  const offered = (lifecycle: LibraryStudy['lifecycle']) => {
    const { title, open, isUsable } = earlierWords(studyOf({ lifecycle }));
    return [title, open, isUsable];
  };
  t.deepEqual(offered('terminal'), ['Studied before', 'Use that study', true]);
  t.deepEqual(offered('running'), ['Being studied', 'Open that study', true]);
  t.deepEqual(offered('failed'), ['An earlier study failed', 'Open that study', false]);
  t.deepEqual(offered('interrupted'), ['An earlier study was interrupted', 'Open that study', false]);
});

test('a range gets a button for the longest captions only if it is too long for every way', (t) => {
  const params = { lengthMs: 196_000, limitMs: 120_000, mostMs: 14_400_000 };
  const closed = (...obstacles: Cause[]) => ({ state: 'impossible', obstacles }) as const;
  const tooLong = closed({ code: 'range_too_long', params });
  const without = closed({ code: 'no_text_tracks', params: {} });
  t.is(captionLimitOf([without, tooLong]), 120_000);
  t.is(captionLimitOf([{ state: 'ready', obstacles: [] }, tooLong]), null);
  t.is(captionLimitOf([without]), null);
});

test('bug: captions could not be switched on: each of their two settings was refused without the other', (t) => {
  const executor = { name: 'caption-executor', form: 'single' } as const;
  t.deepEqual(savedWith(executor, 'grouped-subtitles'), {
    'caption-executor': 'grouped-subtitles',
    'allow-embedded-subtitle-captions': true,
  });
  t.deepEqual(savedWith(executor, 'recorded'), { 'caption-executor': 'recorded' });
  t.deepEqual(savedWith({ name: 'caption-translation-model', form: 'single' }, 'recognized'), {
    'caption-translation-model': 'recognized',
  });
});

test('a caption executor is saved with the permission that the options of the host name for it', async (t) => {
  const schema = await readFile(new URL('../../docs/settings.schema.json', import.meta.url), 'utf8');
  const { properties } = JSON.parse(schema) as { properties: Record<string, { enum?: string[]; description: string }> };
  const allows = Object.entries(properties).filter(([, { description }]) => /^allows --caption-ex/.test(description));
  const permissions = allows.flatMap(([permission, { description }]) => {
    const [, names = ''] = /^allows --caption-executor ([a-z -]+)/.exec(description) ?? [];
    return names.split(' or ').map((executor) => [executor, permission] as const);
  });
  t.deepEqual(executorPermissions, Object.fromEntries(permissions));
  const executors = properties['caption-executor']?.enum ?? [];
  t.deepEqual(['recorded', ...Object.keys(executorPermissions)].sort(), executors.toSorted());
});

test('a setting is read and written in the form that the wire has', (t) => {
  t.deepEqual([null, true, false, 12, 'a', ['a', 'b']].map(settingText), [null, 'on', 'off', '12', 'a', 'a, b']);
  const single = { name: 'port', form: 'single' } as const;
  t.is(settingValueOf({ name: 'x', form: 'switch' }, 'on'), true);
  t.is(settingValueOf(single, ' 1200000 '), 1_200_000);
  t.is(settingValueOf(single, '01'), '01');
  t.deepEqual(settingValueOf({ name: 'x', form: 'repeated' }, 'a\n\n b '), ['a', 'b']);
});

test('bug: the longest study was typed in milliseconds', (t) => {
  const longest = { name: 'maximum-study-range-ms', form: 'single' } as const;
  t.is(settingValueOf(longest, '10:00'), 600_000);
  t.is(settingValueOf(longest, '600000'), 600_000);
  t.is(settingValueOf({ ...longest, name: 'allowed-origin' }, '10:00'), '10:00');
});

test('bug: an engine that a person had switched on was still offered, with a clock, until a restart', (t) => {
  const use = { 'semantic-recognizer': 'pocketsphinx', 'allow-recognized-captions': true };
  const rowsOf = (next: readonly unknown[]) =>
    ({ settings: Object.keys(use).map((name, at) => ({ name, value: null, next: next[at] })) }) as never;
  t.true(isChosen({ use }, rowsOf(['pocketsphinx', true])));
  t.false(isChosen({ use }, rowsOf(['pocketsphinx', null])));
  t.false(isChosen({ use: {} }, rowsOf([])));
});

const ingestOf = (ingestId: string, label: string, message: string) =>
  ({
    ...{ ingestId, label, filename: `${label}.mp4`, declaredBytes: 9, status: 'failed', source: null },
    ...{ openedAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
    failure: { code: 'probe_failed', message },
  }) as unknown as OwnedIngestRow;

test('bug: a file that failed three times took three red boxes', (t) => {
  const failures = failuresOf([ingestOf('3', 'cut', 'c'), ingestOf('2', 'other', 'b'), ingestOf('1', 'cut', 'a')], []);
  t.deepEqual(
    failures.map(({ name, row, dismissals }) => [name, row?.ingestId, dismissals.length]),
    [
      ['cut', '3', 2],
      ['other', '2', 1],
    ],
  );
});

import { rm } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { diskUse } from '../../contract/deletion.ts';
import { type LibraryAnswer, type LibrarySearch, library, librarySearch, sourceLabel } from '../../contract/library.ts';
import { runtimeOverview } from '../../contract/overview.ts';
import { sourceSessionList } from '../../contract/sources/source-session.ts';
import { runtimeEvidence } from '../../contract/study/runtime-evidence.ts';
import { runtimes } from '../../contract/study/status.ts';
import { TestHost } from '../host/test-host.ts';
import { corrected, correctionsOf, newest } from './captions/correcting.ts';
import { openCaptioned } from './captions/steps.ts';
import { sampleRow, startStudy, studyRequest } from './host/study-steps.ts';

// The sources as a library: their names, the states of their studies, and the search through their words.

const sealedLabel = 'Reading room (sample)';
const renaming = (label: unknown) => ({ schema: 'studio.source-label-request.v1', label });
const labelAt = (sourceSessionId: string): string => `/v1/source-sessions/${sourceSessionId}/label`;

/** The whole library: a host that is slow answers it in parts. */
async function listed(t: ExecutionContext, host: TestHost): Promise<LibraryAnswer> {
  for (;;) {
    const answer = host.granted(t, await host.get('/v1/library'), 200, library);
    if (answer.isWhole) return answer;
  }
}

/** Every page of a search. */
async function searched(t: ExecutionContext, host: TestHost, query: string): Promise<LibrarySearch[]> {
  const pages: LibrarySearch[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const cursor: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const page: LibrarySearch = host.granted(t, await host.get(`/v1/search?${query}${cursor}`), 200, librarySearch);
    pages.push(page);
    after = page.nextCursor;
  }
  return pages;
}

const studiesOf = (pages: readonly LibrarySearch[]) => pages.flatMap(({ studies }) => studies);

test('a new name is in every list, and no identity, receipt or evidence changes', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const before = await sampleRow(t, host);
  const evidence = `/v1/runtimes/${host.known.studies.tenSeconds}/evidence`;
  const evidenceBefore = host.granted(t, await host.get(evidence), 200, runtimeEvidence);
  const answer = await host.post(labelAt(before.sourceSessionId), renaming('열람실, first cut'));
  const named = host.granted(t, answer, 200, sourceLabel);
  t.like(named, { label: '열람실, first cut', sealedLabel, sourceSessionId: before.sourceSessionId });
  t.not(named.renamedAt, null);
  const look = async () => {
    const { sourceSessions } = host.granted(t, await host.get('/v1/source-sessions'), 200, sourceSessionList);
    const list = host.granted(
      t,
      await host.get('/v1/runtimes?label=%EC%97%B4%EB%9E%8C%EC%8B%A4%2C+first+cut'),
      200,
      runtimes,
    );
    const overview = await host.get(`/v1/runtimes/${host.known.studies.tenSeconds}/overview`);
    const use = host.granted(t, await host.get('/v1/disk-use'), 200, diskUse);
    const isSame = (row: { sourceSessionId: string }) => row.sourceSessionId === before.sourceSessionId;
    t.deepEqual(sourceSessions.find(isSame), { ...before, label: named.label });
    t.is(list.runtimes.length, 3);
    t.is(host.granted(t, overview, 200, runtimeOverview).source.label, named.label);
    t.is(use.sources.find(isSame)?.label, named.label);
  };
  await look();
  await host.restart();
  await look();
  t.deepEqual(host.granted(t, await host.get(evidence), 200, runtimeEvidence), evidenceBefore);
  const back = await host.post(labelAt(before.sourceSessionId), renaming(null));
  t.like(host.granted(t, back, 200, sourceLabel), { label: sealedLabel, renamedAt: null });
  await host.restart();
  t.deepEqual(await sampleRow(t, host), before);
});

test('a name that no label may be is refused, and so is the name of a source that is not there', async (t) => {
  const host = await TestHost.open(t);
  const { sourceSessionId } = await sampleRow(t, host);
  for (const label of ['', ' x', 'a\nb', 'a\u202eb', 'x'.repeat(161), 7]) {
    host.refused(t, await host.post(labelAt(sourceSessionId), renaming(label)), 'invalid_source_label');
  }
  host.refused(t, await host.post(labelAt('source-session:none'), renaming('x')), 'unknown_source_session');
});

test('a library shows the state of the newest study of a source, as its overview does', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const source = (await listed(t, host)).sources.find(({ label }) => label === sealedLabel);
  t.like(source, { studies: 3, tracks: ['audio', 'subtitle', 'video'], languages: ['kor', 'eng'] });
  const newest = source?.newest;
  const path = `/v1/runtimes/${newest?.runtimeId}/overview`;
  const { situation, captions, journalHead } = host.granted(t, await host.get(path), 200, runtimeOverview);
  const { state, text, causes } = captions;
  t.deepEqual(newest?.standing, { situation, captions: { state, text, causes }, journalHead });
});

test('bug: a newer study that was canceled hid the captions of an earlier one', async (t) => {
  const host = await TestHost.open(t, { life: 'captioned' });
  const sampleOf = async () => (await listed(t, host)).sources.find(({ label }) => label === sealedLabel);
  const before = await sampleOf();
  t.is(before?.newest?.runtimeId, host.known.studies.twelveSeconds);
  t.is(before?.captioned, undefined, 'the newest study has captions itself');
  host.launcher.hold();
  const request = studyRequest(await sampleRow(t, host), { range: { startMs: 4000, endMs: 4900 } });
  const { runtimeId } = await startStudy(t, host, request);
  t.is((await sampleOf())?.captioned, undefined, 'a study at work may have captions yet');
  t.is((await host.post(`/v1/runtimes/${runtimeId}/cancellations`, {})).status, 202);
  const after = await sampleOf();
  t.like(after?.newest, { runtimeId, lifecycle: 'interrupted' });
  t.deepEqual(after?.captioned, before?.newest ?? undefined);
});

test('a source without a study, and one whose study is damaged, are in the library', async (t) => {
  const empty = await TestHost.open(t);
  t.like((await listed(t, empty)).sources[0], { studies: 0, newest: null });
  const host = await TestHost.open(t, { life: 'studied' });
  const sampleOf = async () => (await listed(t, host)).sources.find(({ label }) => label === sealedLabel);
  const newest = (await sampleOf())?.newest?.runtimeId ?? '';
  const { evidence } = host.granted(t, await host.get(`/v1/runtimes/${newest}/evidence`), 200, runtimeEvidence);
  const contentId = evidence.find(({ kind, state }) => kind === 'subtitle_track' && state === 'available')?.contentId;
  await rm(host.objectFile(contentId ?? ''));
  await host.restart();
  const damaged = { lifecycle: 'terminal', standing: null, fault: 'stored_content_inconsistent' } as const;
  t.like((await sampleOf())?.newest, { runtimeId: newest, ...damaged });
  const pages = await searched(t, host, 'q=reading');
  t.true(pages.flatMap(({ damaged }) => damaged).includes(newest));
});

test('a search finds lines by words in any order, with the fact that has each of them', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const pages = await searched(t, host, 'q=ROOM+welc%C3%B3me');
  t.is(
    pages.reduce((sum, page) => sum + page.searched, 0),
    3,
  );
  const [study] = studiesOf(pages);
  const [line] = study?.lines ?? [];
  t.like(line, { kind: 'subtitle_track', text: 'Good morning and welcome to the reading room.' });
  if (line === undefined || line.kind === 'captions') return t.fail();
  const path = `/v1/runtimes/${study?.runtimeId}/evidence`;
  const { evidence } = host.granted(t, await host.get(path), 200, runtimeEvidence);
  const row = evidence.find(({ contentId }) => contentId === line.contentId);
  const { startMs, endMs, text } = line;
  t.like(
    row?.facts.find((fact) => 'index' in fact && fact.index === line.factIndex),
    { startMs, endMs, text },
  );
  // Again, with what is remembered by now.
  t.deepEqual(studiesOf(await searched(t, host, 'q=ROOM+welc%C3%B3me'))[0], study);
  t.deepEqual(studiesOf(await searched(t, host, 'q=zebra')), []);
  const korean = studiesOf(await searched(t, host, 'q=%EC%97%B4%EB%9E%8C'));
  t.is(korean[0]?.sourceSessionId, study?.sourceSessionId);
});

test('a line that several studies of a source have is named once on a page', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  // Everything is remembered by the second search, which a page holds then.
  for (const _ of [1, 2]) {
    for (const { studies } of await searched(t, host, 'q=welcome')) {
      const places = studies.flatMap(({ lines }) =>
        lines.map(({ kind, startMs, text }) => `${kind} ${startMs} ${text}`),
      );
      t.is(new Set(places).size, places.length);
    }
  }
  t.true(studiesOf(await searched(t, host, 'q=welcome&limit=1')).length > 1, 'and of each study on a page of its own');
});

test('a line of evidence that was damaged after a search is not found any more', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const before = studiesOf(await searched(t, host, 'q=welcome'));
  const [line] = before[0]?.lines ?? [];
  await rm(host.objectFile(line?.contentId ?? ''));
  const after = await searched(t, host, 'q=welcome');
  t.false(studiesOf(after).some(({ runtimeId }) => runtimeId === before[0]?.runtimeId));
  t.true(after.some(({ damaged }) => damaged.includes(before[0]?.runtimeId ?? '')));
});

const first = 'embedded-subtitle-line-001';
const second = 'embedded-subtitle-line-002';

/** The lines of a study that a search finds, with their kinds. */
async function foundIn(t: ExecutionContext, host: TestHost, runtimeId: string, query: string): Promise<string[]> {
  const pages = await searched(t, host, `q=${encodeURIComponent(query)}`);
  return studiesOf(pages)
    .filter((study) => study.runtimeId === runtimeId)
    .flatMap(({ lines }) => lines.map(({ kind, startMs, text }) => `${kind} ${startMs} ${text}`));
}

test('bug: a search found what a person had corrected away, and not what replaced it', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const find = (query: string) => foundIn(t, host, runtimeId, query);
  const before = await find('reading room');
  t.deepEqual(before, ['subtitle_track 800 Good morning and welcome to the reading room.']);
  const change = { lineIds: [first], lines: [{ startMs: 900, endMs: 3372, target: 'Welcome to the leading room.' }] };
  const after = await corrected(t, host, runtimeId, { changes: [change] });
  t.deepEqual(await find('reading room'), []);
  const found = ['captions 900 Welcome to the leading room.'];
  t.deepEqual(await find('LEADING room'), found);
  // The other side of that line, and the lines without a change, are found as before.
  t.is((await find('열람실')).length, 1);
  t.deepEqual(await find('short story'), ['subtitle_track 4400 Today we will listen to a short story together.']);
  const [page] = await searched(t, host, 'q=leading');
  t.is(page?.schema, 'studio.library-search.v2');
  const [line] = page?.studies[0]?.lines ?? [];
  t.like(line, { side: 'target', contentId: after.corrections[0]?.receiptContentId });
  t.is((await searched(t, host, 'q=story'))[0]?.schema, 'studio.library-search.v1');
  await host.restart();
  t.deepEqual([await find('reading room'), await find('leading room')], [[], found]);
  await corrected(t, host, runtimeId, { reverts: newest(after) });
  t.deepEqual([await find('reading room'), await find('leading')], [before, []]);
});

test('a search finds added, split and merged lines, and no dropped ones; none of a study that is deleted', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const find = (query: string) => foundIn(t, host, runtimeId, query);
  const added = { lineIds: [], lines: [{ startMs: 3500, endMs: 4300, target: 'One moment.' }] };
  const parts = {
    lineIds: [second],
    lines: [
      { startMs: 4400, endMs: 6000, source: '오늘은', target: 'Today we will listen' },
      { startMs: 6000, endMs: 7966, source: '이야기', target: 'to a tall story.' },
    ],
  };
  const dropped = { lineIds: [first], lines: [] };
  await corrected(t, host, runtimeId, { changes: [added, parts, dropped] });
  t.deepEqual(await find('moment'), ['captions 3500 One moment.']);
  t.deepEqual(await find('story'), ['captions 6000 to a tall story.']);
  t.deepEqual(await find('welcome'), []);
  t.deepEqual(await find('열람실'), []);
  const { lines } = await correctionsOf(t, host, runtimeId);
  const [today, story] = lines.filter(({ target }) => /Today|story/.test(target.text ?? '')).map(({ id }) => id);
  const merged = { lineIds: [today ?? '', story ?? ''], lines: [{ startMs: 4400, endMs: 7966 }] };
  await corrected(t, host, runtimeId, { changes: [merged] });
  t.deepEqual(await find('tall today'), ['captions 4400 Today we will listen\nto a tall story.']);
  t.is((await host.ask('DELETE', `/v1/runtimes/${runtimeId}`)).status, 200);
  t.deepEqual(await find('moment'), []);
});

test('a search names sources by their labels on its first page, and goes on page by page', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { sourceSessionId } = await sampleRow(t, host);
  const [first, ...others] = await searched(t, host, 'q=sample&limit=1');
  t.deepEqual(first?.sources, [{ sourceSessionId, label: sealedLabel }]);
  for (const page of others) t.deepEqual(page.sources, []);
  const ids = studiesOf(await searched(t, host, 'q=room&limit=1')).map(({ runtimeId }) => runtimeId);
  t.true(ids.length >= 1);
  t.is(new Set(ids).size, ids.length);
});

test('a search without a word, with too many characters, or with no cursor of its list is refused', async (t) => {
  const host = await TestHost.open(t);
  for (const query of ['', '?q=', '?q=+', `?q=${'x'.repeat(201)}`]) {
    host.refused(t, await host.get(`/v1/search${query}`), 'invalid_search');
  }
  host.refused(t, await host.get('/v1/search?q=x&after=no'), 'invalid_cursor');
  for (const limit of ['0', 'x', '1.5']) {
    host.refused(t, await host.get(`/v1/search?q=x&limit=${limit}`), 'invalid_cursor');
  }
});

test('bug: a search took 1e1 for a limit, and a limit over its bound was refused with the code of a wrong cursor', async (t) => {
  const host = await TestHost.open(t);
  for (const limit of ['1e1', '0x10', '+1', '01', ' 1', '1.0', '']) {
    host.refused(t, await host.get(`/v1/search?q=x&limit=${encodeURIComponent(limit)}`), 'invalid_cursor');
  }
  host.refused(t, await host.get('/v1/search?q=x&limit=51'), 'invalid_limit');
  host.granted(t, await host.get('/v1/search?q=x&limit=50'), 200, librarySearch);
});

test('bug: a query with a typed label found no study of a label in the form of macOS', async (t) => {
  const host = await TestHost.open(t, { life: 'studied' });
  const { sourceSessionId } = await sampleRow(t, host);
  for (const name of ['Müller über Öl', '열람실', 'が']) {
    for (const [stored, asked] of [
      [name.normalize('NFD'), name.normalize('NFC')],
      [name.normalize('NFC'), name.normalize('NFD')],
    ] as const) {
      const renamed = host.granted(t, await host.post(labelAt(sourceSessionId), renaming(stored)), 200, sourceLabel);
      t.is(renamed.label, stored);
      const list = host.granted(t, await host.get(`/v1/runtimes?label=${encodeURIComponent(asked)}`), 200, runtimes);
      t.true(list.runtimes.length > 0);
      t.true(list.runtimes.every(({ label }) => label === stored));
      const [page] = await searched(t, host, `q=${encodeURIComponent(asked)}`);
      t.deepEqual(
        page?.sources.map((found) => found.label),
        [stored],
      );
    }
  }
});

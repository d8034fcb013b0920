import test from 'ava';
import {
  askBeforeLoss,
  discardDraft,
  draftLines,
  droppedLines,
  editedLines,
  lineMarks,
  reworded,
  unsavedChanges,
} from '../../console/study/caption-draft.ts';
import { keyAction, muxCommand } from '../../console/study/caption-editor.tsx';
import { edgeAt, isRightToLeft, movedLineEdge, snapped } from '../../console/study/caption-waveform.tsx';
import { captionsName } from '../../console/study/exports-pane.tsx';
import { currentFindings, findingsByLine } from '../../console/study/guidelines.tsx';
import type { CaptionCorrectionPreview, CaptionCorrections } from '../../contract/captions/correction.ts';
import type { RuntimeOverview } from '../../contract/overview.ts';

const line = (id: string, startMs: number, endMs: number) => ({
  id,
  startMs,
  endMs,
  source: { text: id },
  target: { text: id },
});
const lines = draftLines([line('a', 1000, 2000), line('b', 2000, 3000)]);

test('bug: Arabic was drawn on the waveform from left to right, with its full stop at the wrong end', (t) => {
  for (const text of ['كانت ساعة مطبخ (1974).', '1974: كانت', '«שלום»', '- ܫܠܡܐ']) t.true(isRightToLeft(text), text);
  for (const text of ['Clock كانت', '시계', '1974', '']) t.false(isRightToLeft(text), text);
});

test('bug: the file name of captions lost most of a long name, and a Korean one was near the limit of file systems', (t) => {
  const nameOf = (label: string) =>
    captionsName({ source: { label }, study: { targetLanguage: 'ar' } } as unknown as RuntimeOverview);
  const long = 'The Complete and Unabridged Conversations with the Clockmaker of the Harbor, Part One, Restored (2026)';
  t.is(nameOf(long), `${long}.ar.srt`);
  t.is(nameOf('시'.repeat(100)), `${'시'.repeat(66)}.ar.srt`);
  t.is(nameOf('🕰'.repeat(51)), `${'🕰'.repeat(50)}.ar.srt`);
});

test('of two lines that touch, the edge of the selected one is dragged', (t) => {
  t.deepEqual(edgeAt(lines, 2010, 50, 'a'), { key: 'a', side: 'endMs' });
  t.deepEqual(edgeAt(lines, 2010, 50, 'b'), { key: 'b', side: 'startMs' });
  t.deepEqual(edgeAt(lines, 1040, 50, null), { key: 'a', side: 'startMs' });
  t.is(edgeAt(lines, 1500, 50, 'a'), null);
});

test('an edge snaps to a cut nearby, and a line keeps a length when it is dragged over its other edge', (t) => {
  t.is(snapped(1980, [2000, 2500], 50), 2000);
  t.is(snapped(1900, [2000, 2500], 50), 1900);
  t.is(snapped(1900, [], 50), 1900);
  const [a] = lines;
  if (a === undefined) return t.fail();
  t.deepEqual(movedLineEdge(a, 'startMs', 5000), { startMs: 1900, endMs: 2000 });
  t.deepEqual(movedLineEdge(a, 'endMs', 0), { startMs: 1000, endMs: 1100 });
});

const keys: readonly (readonly [keys: string, isInText: boolean, action: string | undefined])[] = [
  ['Shift Enter', true, 'next'],
  ['Enter', true, undefined],
  ['Alt ArrowUp', true, 'previous'],
  ['F5', false, 'play'],
  ['F9', true, 'add'],
  ['F10', true, 'endAndNext'],
  ['Control Alt v', true, 'split'],
  ['Control Shift M', true, 'merge'],
  ['Control Shift Z', true, 'redo'],
  ['Control s', true, 'save'],
  ['Delete', true, undefined],
  ['Delete', false, 'drop'],
  ['Control c', true, undefined],
];

for (const [pressed, isInText, action] of keys) {
  test(`keys of the editor: ${pressed}${isInText ? ' in a text' : ''} is ${action ?? 'left to the browser'}`, (t) => {
    const parts = pressed.split(' ');
    const event = {
      key: parts.at(-1) ?? '',
      ctrlKey: parts.includes('Control'),
      shiftKey: parts.includes('Shift'),
      altKey: parts.includes('Alt'),
      metaKey: false,
    };
    t.is(keyAction(event, isInText), action as never);
  });
}

test('findings appear at their line of the draft; guidelines with one limit share a finding', (t) => {
  const report = (id: string, limit: number) => ({
    side: 'target',
    guideline: { id },
    limits: {},
    findings: [{ lineId: 'host-2', code: 'line_too_long', measured: 45_000, limit }],
  });
  const preview = {
    lines: [{ id: 'host-1' }, { id: 'host-2' }],
    written: [{ reports: [report('netflix', 42_000), report('ted', 42_000)] }],
  } as unknown as CaptionCorrectionPreview;
  const found = findingsByLine(lines, preview);
  t.deepEqual(found.get('b'), [
    { side: 'target', words: 'a row of 45 characters, at most 42', by: ['Netflix', 'TED'] },
  ]);
  t.is(found.get('a'), undefined);
  t.true(currentFindings(lines, lines, found).has('b'));
  const edited = lines.map((each) => (each.key === 'b' ? { ...each, target: 'shorter' } : each));
  t.false(currentFindings(edited, lines, found).has('b'), 'what was measured of the older text is not shown');
});

test('bug: a finding of captions in one language was counted twice', (t) => {
  const report = (side: string) => ({
    side,
    guideline: { id: 'bbc' },
    limits: {},
    findings: [{ lineId: 'host-2', code: 'line_too_long', measured: 45_000, limit: 37_000 }],
  });
  const preview = {
    lines: [{ id: 'host-1' }, { id: 'host-2' }],
    written: [{ reports: [report('target')] }, { reports: [report('source')] }],
  } as unknown as CaptionCorrectionPreview;
  t.is(findingsByLine(lines, preview, ['target']).get('b')?.length, 1);
  t.is(findingsByLine(lines, preview).get('b')?.length, 2, 'two languages have two texts');
});

test('bug: after saving, nothing marked the lines that were changed', (t) => {
  const host = (id: string, startMs: number) => ({
    ...{ id, startMs, endMs: startMs + 1000 },
    ...{ source: { text: id, reasonCode: null }, target: { text: id, reasonCode: null } },
  });
  const change = (id: string, revertedBy: string | null) => ({ revertedBy, changes: [{ after: [{ id }] }] });
  const corrections = {
    lines: [host('a', 1000), host('b', 2000), host('c', 3000)],
    corrections: [change('b', null), change('c', 'caption-correction:1')],
  } as unknown as CaptionCorrections;
  const drawn = draftLines(corrections.lines);
  t.deepEqual([...lineMarks(corrections, drawn)], [['b', 'edited']], 'what was taken back is as it was');
  const edited = drawn.map((each) => (each.key === 'a' ? { ...each, source: 'other' } : each));
  t.deepEqual(
    [...lineMarks(corrections, edited)],
    [
      ['a', 'unsaved'],
      ['b', 'edited'],
    ],
  );
  t.is(lineMarks(corrections, edited, ['target']).get('a'), undefined, 'the other text is not shown');
});

test('bug: unsaved changes of the lines were no part of a review, and nothing said so', (t) => {
  const text = { text: 'a', reasonCode: null };
  const corrections = {
    runtimeId: 'runtime:1',
    head: { base: 'captions:1', correction: null },
    languages: null,
    lines: [{ id: 'line:1', startMs: 0, endMs: 1000, source: text, target: text }],
  } as unknown as CaptionCorrections;
  t.is(unsavedChanges(corrections), 0);
  editedLines(corrections, 0).draft.edit((lines) => reworded(lines, 'line:1', 'target', 'b'));
  t.is(unsavedChanges(corrections), 1);
  discardDraft(corrections);
  t.is(unsavedChanges(corrections), 0);
});

const answered = (head: string, texts: Readonly<Record<string, string>>) =>
  ({
    runtimeId: 'runtime:2',
    head: { base: 'captions:1', correction: head },
    languages: null,
    lines: Object.entries(texts).map(([id, text], at) => ({
      ...{ id, startMs: at * 1000, endMs: (at + 1) * 1000 },
      ...{ source: { text, reasonCode: null }, target: { text, reasonCode: null } },
    })),
  }) as unknown as CaptionCorrections;

test('bug: what a person had not saved was gone when the host made the captions, or another person corrected a line', (t) => {
  const first = answered('1', { a: 'a', b: 'b', c: 'c' });
  const { draft } = editedLines(first, 0);
  draft.edit((lines) => droppedLines(reworded(lines, 'a', 'target', 'mine'), 'b'));
  const second = editedLines(answered('2', { a: 'a', b: 'b', c: 'by another' }), 0);
  const textsOf = (edited: typeof second) => edited.draft.store.getSnapshot().context.lines.map(({ target }) => target);
  t.deepEqual(textsOf(second), ['mine', 'by another']);
  t.is(unsavedChanges(first), 2);
  const third = editedLines(answered('3', { a: 'also by another', b: 'b', c: 'c' }), 0);
  t.is(third, second, 'of a line that both changed, the words of the person stay beside the older lines');
  discardDraft(first);
  t.deepEqual(textsOf(editedLines(answered('3', { a: 'also by another', b: 'b', c: 'c' }), 0)), [
    'also by another',
    'b',
    'c',
  ]);
});

test('bug: a page was left without a question from every view but that of the captions', (t) => {
  const event = { prevented: 0, preventDefault: () => (event.prevented += 1) };
  const corrections = answered('1', { a: 'a' });
  discardDraft(corrections);
  askBeforeLoss(event);
  editedLines(corrections, 0).draft.edit((lines) => reworded(lines, 'a', 'target', 'b'));
  askBeforeLoss(event);
  t.is(event.prevented, 1);
  discardDraft(corrections);
});

test('the command for the film quotes names, and takes Matroska for containers without captions as text', (t) => {
  const command = (origin: string, label: string) =>
    muxCommand({
      source: { label, ingest: { origin } },
      study: { targetLanguage: 'en' },
    } as unknown as RuntimeOverview);
  t.is(
    command("it's a film.mp4", "it's a film"),
    "ffmpeg -i 'it'\\''s a film.mp4' -i 'it'\\''s a film.en.srt' -map 0:v -map '0:a?' -map 1 -c copy -c:s mov_text 'it'\\''s a film.captioned.mp4'",
  );
  t.true(command('clip.avi', 'a/b').endsWith("-c:s srt 'clip.captioned.mkv'"));
  t.true(command('clip.avi', 'a/b').includes("-i 'a b.en.srt'"));
});

import test from 'ava';
import type { CorrectedText, OriginalLine } from '../../../contract/captions/correction.ts';
import { resultOfSteps } from '../../../formats/steps.ts';
import type { BaseLines, CurrentLine } from '../../../receipts/captions/corrected-lines.ts';
import type { VerifiedRuntime } from '../../../receipts/fold.ts';
import { foldedText, hasWords, searchedWords, wordLinesBySteps } from '../../../receipts/published/words.ts';

test('texts are compared without case, accents of Latin letters and runs of space', (t) => {
  t.is(foldedText('  Café\n\tNOËL '), 'cafe noel');
  t.is(foldedText('ＡＢＣ ﬁn'), 'abc fin');
  // A syllable does not match inside another one, and a sign without its mark does not match the sign with it.
  t.false(hasWords(foldedText('각'), searchedWords('가')));
  t.false(hasWords(foldedText('が'), searchedWords('か')));
});

test('a line has all words of a search, in any order and as parts of words', (t) => {
  const line = foldedText('Good morning and welcome to the reading room.');
  const cases: readonly (readonly [string, boolean])[] = [
    ['room welcome', true],
    ['READ', true],
    ['room zebra', false],
    ['', true],
  ];
  for (const [query, isFound] of cases) t.is(hasWords(line, searchedWords(query)), isFound, query);
  t.deepEqual(searchedWords(' a  A b '), ['a', 'b']);
});

const text = (value: string, by: CorrectedText['by'] = 'host'): CorrectedText => ({
  state: 'available',
  text: value,
  reasonCode: null,
  by,
});

const original = (at: number, words: string): OriginalLine => ({
  ...{ id: `line-${at}`, startMs: at * 1000, endMs: at * 1000 + 900 },
  ...{ source: text(words), target: text(words) },
});

type Facts = readonly { readonly kind: string; readonly text: string; readonly startMs: number }[];

/** The words that a search finds in a study with these facts, whose captions a person changed. */
function shownIn(
  facts: Facts,
  originals: readonly OriginalLine[],
  change: (lines: readonly CurrentLine[]) => CurrentLine[],
  transcriptLines: ReadonlyMap<string, readonly number[]> = new Map(),
): string[] {
  const input = { range: { startMs: 0, endMs: 60_000 }, sourceLanguage: 'en', targetLanguage: 'en' };
  const base = { contentId: 'captions', lines: originals, input, transcriptLines } as unknown as BaseLines;
  const lines = change(originals.map((line) => ({ ...line, originalLineIds: [line.id], correctionId: null })));
  const chain = [{ artifactId: 'artifact:c', receipt: { contentId: 'correction' } }];
  const evidence = {
    delivered: { state: 'available', artifactId: 'artifact:a', contentId: 'evidence' },
    artifact: {
      input: { trackIndex: 0 },
      facts: facts.map((fact, index) => ({ ...fact, index, endMs: fact.startMs + 900, outcome: 'passed', words: [] })),
    },
  };
  const silence = { ...evidence, artifact: { input: { trackIndex: 0 }, facts: [{ kind: 'silence', index: 0 }] } };
  const none = { ...evidence, artifact: { input: { trackIndex: 0 }, facts: [] } };
  const operations = [{ evidence: [silence, none, evidence] }];
  const findings = { operations, recognition: null, screenText: null };
  const tail = { corrections: { chain, base, lines, check: null } };
  const runtime = { execution: { study: { findings, tail } } } as unknown as VerifiedRuntime;
  return resultOfSteps(wordLinesBySteps(runtime)).map((line) => `${line.kind} ${line.startMs} ${line.text}`);
}

const cue = (startMs: number, words: string) => ({ kind: 'subtitle_cue', text: words, startMs });
const reworded = (id: string, words: string) => (lines: readonly CurrentLine[]) =>
  lines.map((line) =>
    line.id === id ? { ...line, source: text(words, 'person'), target: text(words, 'person') } : line,
  );

test('of cues with equal words only the one is replaced whose line a person changed, also on a track that lies apart', (t) => {
  const lines = [original(1, 'Yes.'), original(2, 'No.'), original(3, 'Yes.')];
  const cues = [cue(31_000, 'Yes.'), cue(32_000, 'No.'), cue(33_000, 'Yes.')];
  t.deepEqual(shownIn(cues, lines, reworded('line-3', 'Yeast.')), [
    'subtitle_track 31000 Yes.',
    'subtitle_track 32000 No.',
    'captions 3000 Yeast.',
  ]);
});

test('a line of several cues replaces all of them, with the dashes of two speakers', (t) => {
  const lines = [original(1, '- Who is there?\n- Only me.'), original(5, 'Come in.')];
  const cues = [cue(1000, 'Who is there?'), cue(1000, 'Only me.'), cue(5000, 'Come in.')];
  t.deepEqual(shownIn(cues, lines, reworded('line-1', 'Nobody.')), [
    'subtitle_track 5000 Come in.',
    'captions 1000 Nobody.',
  ]);
});

test('a cue that is in two lines leaves the words of the one without a change', (t) => {
  const lines = [original(1, 'first words'), original(2, 'second words')];
  t.deepEqual(shownIn([cue(1000, 'first words\nsecond words')], lines, reworded('line-1', 'other words')), [
    'captions 1000 other words',
    'captions 2000 second words',
  ]);
});

test('bug: a search found a corrected line of speech once for each kind of evidence of its study', (t) => {
  const spoken = ['one too', 'three', 'thank you'].map((words, at) => ({
    ...{ kind: 'transcript_line', text: words, startMs: at * 1000 },
  }));
  const lines = ['one too', 'three', 'thank you'].map((words, at) => original(at, words));
  const cited = new Map(lines.map(({ id }, at) => [id, [at]] as const));
  const added: CurrentLine = {
    ...{ id: 'correction-001-line-001', startMs: 9000, endMs: 9900, originalLineIds: [], correctionId: null },
    ...{ source: text('missed', 'person'), target: text('missed', 'person') },
  };
  const change = (current: readonly CurrentLine[]) => [...reworded('line-0', 'one two')(current).slice(0, 2), added];
  t.deepEqual(shownIn(spoken, lines, change, cited), [
    'captions 0 one two',
    'transcript 1000 three',
    'captions 9000 missed',
  ]);
});

import type { ProgramForm } from '../../contract/captions/caption-translation.ts';
import { contentIdOfJson } from '../../formats/canonical-json.ts';
import type { SourceLine } from './gates.ts';

/**
 * Lines in the stream format of Apertium (wiki.apertium.org/wiki/Apertium_stream_format). A backslash escapes a sign of the format.
 * Brackets hold a superblank, which goes through every part of a pipe as it is. In an answer `*`, `#` and `@` before a word are marks.
 * They mean that it is in no dictionary, has no such form, or has no translation.
 */
export const programFormContract: ProgramForm = {
  schema: 'studio.caption-translation.program-form.v1',
  version: '1',
  stream: 'apertium',
  // Markup of cues; and signs that come back without an escape, as if they were marks, or are lost (`~`).
  keptApart: '</?[A-Za-z][^<>]*>|\\{[^{}]*\\}|[*#~]',
  escaped: '[\\\\^$/<>{}\\[\\]@+|]',
  end: '[][\n]',
};

export const programFormContentId = contentIdOfJson(programFormContract);

const { end } = programFormContract;
const keptApart = new RegExp(programFormContract.keptApart, 'gu');
const escaped = new RegExp(programFormContract.escaped, 'gu');
const escapedInside = /[\\^$/<>{}[\]@+|*#~]/gu;

/** The most unknown words that are named of a line, and the most signs of each. */
const mostNamed = { words: 8, signs: 100 } as const;

/** A text as a program gets it: in one row, without control characters, of whole characters. */
const plainRow = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

interface StreamPart {
  readonly isKeptApart: boolean;
  readonly text: string;
}

/** The parts of a row: those that are translated, and those that are kept apart from it. */
function partsOf(row: string): StreamPart[] {
  const parts: StreamPart[] = [];
  let reached = 0;
  for (const { 0: text, index } of row.matchAll(keptApart)) {
    parts.push({ isKeptApart: false, text: row.slice(reached, index) }, { isKeptApart: true, text });
    reached = index + text.length;
  }
  return [...parts, { isKeptApart: false, text: row.slice(reached) }];
}

/** A line as it is sent to a program, without the NUL behind it. No text can end it, open a word of the format, or reach the next line. */
export const streamOf = (text: string): string =>
  partsOf(plainRow(text))
    .map((part) =>
      part.isKeptApart ? `[${part.text.replaceAll(escapedInside, '\\$&')}]` : part.text.replaceAll(escaped, '\\$&'),
    )
    .join('') + end;

/** The question to a program about some lines, for its digests. */
export const streamQuestion = (lines: readonly SourceLine[]) => ({
  system: programFormContentId,
  user: lines.map(({ text }) => streamOf(text)).join('\0'),
  schema: {},
});

/** An answer of a program as text. */
interface StreamLine {
  readonly text: string;
  /** Words with a mark, in their order, each once; of many the first ones. */
  readonly unknownWords: readonly string[];
}

/** An escaped sign, a superblank, a mark with its word, or any other sign. */
const token = /\\(?<sign>.)|\[(?<blank>(?:\\.|[^\\\]])*)\]|(?<mark>[*#@])(?<word>(?:\\.|[^\s[\\])*)|(?<other>.)/gsu;

const unescaped = (text: string): string => text.replaceAll(/\\(.)/gsu, '$1');

const withoutEdges = (word: string): string => word.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/**
 * Reads an answer. Null if it does not end as a line does, or if the parts that are kept apart did not come back in their order. Its
 * words are not to be trusted then.
 */
export function lineOfStream(answer: string, source: string): StreamLine | null {
  if (!answer.endsWith(end)) return null;
  const blanks: string[] = [];
  const unknown = new Set<string>();
  let text = '';
  for (const { groups = {} } of answer.slice(0, -end.length).matchAll(token)) {
    const { sign, blank, mark, word, other = '' } = groups;
    if (blank !== undefined) {
      blanks.push(unescaped(blank));
      text += unescaped(blank);
    } else if (mark !== undefined) {
      const named = unescaped(word ?? '');
      unknown.add([...(withoutEdges(named) || mark)].slice(0, mostNamed.signs).join(''));
      text += named;
    } else text += sign ?? other;
  }
  const sent = partsOf(plainRow(source)).flatMap((part) => (part.isKeptApart ? [part.text] : []));
  if (blanks.length !== sent.length || blanks.some((blank, at) => blank !== sent[at])) return null;
  return {
    text: text.replaceAll(/\s+/gu, ' ').trim(),
    unknownWords: [...unknown].slice(0, mostNamed.words),
  };
}

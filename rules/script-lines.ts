import type { Range } from '../contract/base/grammar.ts';
import type { ScriptStretch, ScriptUnheard } from '../contract/sources/derived-subtitles.ts';
import type { Steps } from '../formats/steps.ts';
import { alignedScript, type HeardWord, type ScriptAlignment } from './script-alignment.ts';
import type { Script, ScriptPhrase } from './script-text.ts';
import { type SegmentedCue, segmentedCues } from './segmentation.ts';
import { joined, sharedMs, spansAround } from './time-spans.ts';

/**
 * By so many ms a word moves to an edge of detected speech: later and earlier starts, and ends. A phrase whose first letters were not
 * heard may begin so much earlier for each.
 */
const EDGE = { laterMs: 600, earlierMs: 300, endMs: 600, unheardMs: 80 } as const;

/** A part of a script that has no time, and why. */
export interface WithheldText {
  /** The first line of the file. */
  readonly line: number;
  readonly text: string;
  readonly reason: ScriptUnheard;
}

/** Words that were heard and that the script does not have. */
export interface UnwrittenText extends Range {
  readonly text: string;
}

/** A script with the times of its lines. */
export interface ScriptLines {
  readonly lines: readonly SegmentedCue[];
  /** The lines of the file with the times of what is said, and those without; both in order. */
  readonly stretches: readonly ScriptStretch[];
  /** The number of phrases that were looked for, and of those with a time. */
  readonly phrases: number;
  readonly timed: number;
  /** Written, not said. Phrases that follow each other with one reason are together. */
  readonly withheld: readonly WithheldText[];
  /** Said, not written. */
  readonly unwritten: readonly UnwrittenText[];
}

interface PlacedWord extends Range {
  readonly word: number;
  /** So many letters before its own were not heard. */
  readonly unheard: number;
}

/** The stretch of speech that holds most of a word; the nearest within the reach of an edge; undefined for none. */
function stretchOf(word: Range, speech: readonly Range[]): Range | undefined {
  const near = spansAround({ startMs: word.startMs - EDGE.endMs, endMs: word.endMs + EDGE.earlierMs }, speech);
  return near.toSorted((one, other) => sharedMs(word, other) - sharedMs(word, one) || one.startMs - other.startMs)[0];
}

/** Words with the first and the last of each stretch of speech at its edges. `speech` is joined. */
function atEdges(words: readonly PlacedWord[], speech: readonly Range[]): PlacedWord[] {
  const stretches = words.map((word) => stretchOf(word, speech));
  let reached = 0;
  return words.map((word, at) => {
    const own = stretches[at];
    let { startMs, endMs } = word;
    if (own !== undefined && own !== stretches[at - 1]) {
      const late = startMs - own.startMs;
      if (late <= EDGE.laterMs + EDGE.unheardMs * word.unheard && late >= -EDGE.earlierMs) startMs = own.startMs;
    }
    if (own !== undefined && own !== stretches[at + 1] && Math.abs(own.endMs - endMs) <= EDGE.endMs) endMs = own.endMs;
    startMs = Math.max(startMs, reached);
    reached = Math.max(startMs, endMs);
    return { ...word, startMs, endMs: reached };
  });
}

const textOf = ({ words }: Script, { from, to }: Pick<ScriptPhrase, 'from' | 'to'>): string =>
  words
    .slice(from, to)
    .map(({ text, isSpaced }, at) => (at > 0 && isSpaced ? ` ${text}` : text))
    .join('');

/** Neighbors with one reason as one text, unless another paragraph begins. */
function withheldTexts(script: Script, withheld: ScriptAlignment['withheld']): WithheldText[] {
  const runs: { from: number; to: number; phrase: number; reason: ScriptUnheard }[] = [];
  for (const { phrase, reason } of withheld) {
    const own = script.phrases[phrase];
    const last = runs.at(-1);
    if (own === undefined) continue;
    const isApart = script.words[own.from]?.isApart === true;
    if (last !== undefined && last.phrase === phrase - 1 && last.reason === reason && !isApart) {
      last.to = own.to;
      last.phrase = phrase;
    } else runs.push({ from: own.from, to: own.to, phrase, reason });
  }
  return runs.map(({ from, to, reason }) => ({
    line: script.words[from]?.line ?? 1,
    text: textOf(script, { from, to }),
    reason,
  }));
}

/** Phrases in their order as stretches of lines of the file. Those that follow each other with one state, or one reason, are together. */
function stretchesOf(script: Script, { timed, withheld }: ScriptAlignment): ScriptStretch[] {
  const linesOf = ({ from, to }: ScriptPhrase) => ({
    from: script.words[from]?.line ?? 1,
    to: script.words[to - 1]?.line ?? 1,
  });
  const each = [
    ...timed.map(({ phrase, words }) => ({
      phrase,
      state: 'placed' as const,
      startMs: words[0]?.startMs ?? 0,
      endMs: words.at(-1)?.endMs ?? 0,
    })),
    ...withheld.map((text) => ({ ...text, state: 'withheld' as const })),
  ].sort((one, other) => one.phrase - other.phrase);
  const stretches: ScriptStretch[] = [];
  for (const { phrase, ...found } of each) {
    const own = script.phrases[phrase];
    if (own === undefined) continue;
    const lines = linesOf(own);
    const last = stretches.at(-1);
    const together = { from: last?.lines.from ?? lines.from, to: Math.max(last?.lines.to ?? 0, lines.to) };
    if (last?.state === 'placed' && found.state === 'placed') {
      stretches[stretches.length - 1] = { ...last, lines: together, endMs: found.endMs };
    } else if (last?.state === 'withheld' && found.state === 'withheld' && last.reason === found.reason) {
      stretches[stretches.length - 1] = { ...last, lines: together };
    } else stretches.push({ ...found, lines });
  }
  return stretches;
}

/**
 * The lines of a script: its text, with the times of the words that a recognizer heard (in order), and edges of detected speech. Lines
 * are cut as captions are, within `range`. Text that was not found has no line.
 */
export function* scriptLines(
  script: Script,
  heard: readonly HeardWord[],
  { speech, range, language }: { readonly speech: readonly Range[]; readonly range: Range; readonly language: string },
): Steps<ScriptLines> {
  const alignment = yield* alignedScript(script, heard, language);
  const { timed, withheld, unwritten } = alignment;
  const placed = timed.flatMap(({ phrase, unheard, words }) => {
    const first = script.phrases[phrase]?.from ?? 0;
    return words.map((span, at): PlacedWord => ({ ...span, word: first + at, unheard: at === 0 ? unheard : 0 }));
  });
  const units = atEdges(placed, joined(speech)).flatMap(({ word, startMs, endMs }) => {
    const own = script.words[word];
    if (own === undefined) return [];
    const { text, isSpaced, isLone } = own;
    return [{ text, isSpaced, isLone, startMs, endMs, lineIndex: word }];
  });
  const isWall = (before: { readonly lineIndex: number }, after: { readonly lineIndex: number }): boolean =>
    after.lineIndex !== before.lineIndex + 1 || script.words[after.lineIndex]?.isApart === true;
  const lines = yield* segmentedCues(units, { range, language, isWall });
  return {
    lines,
    stretches: stretchesOf(script, alignment),
    phrases: script.phrases.length,
    timed: timed.length,
    withheld: withheldTexts(script, withheld),
    unwritten: unwritten.map(({ from, to }) => {
      const words = heard.slice(from, to);
      return {
        startMs: words[0]?.startMs ?? 0,
        endMs: words.at(-1)?.endMs ?? 0,
        text: words.map(({ text }) => text.trim()).join(' '),
      };
    }),
  };
}

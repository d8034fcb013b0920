import { useMemo, useRef, useState } from 'preact/hooks';
import { doubtfulConfidence } from '../../contract/evidence/doubtful-confidence.ts';
import { useStore } from '../host/use-remote.ts';
import { DoubtfulText } from '../parts/doubtful-text.tsx';
import { useWidth, WindowList } from '../parts/window-list.tsx';
import type { Lane, Mark } from '../timeline/lanes.ts';
import { languageOfName } from '../words/language-name.ts';
import { clockTime } from '../words/numbers.ts';
import type { Playback } from './playback.ts';

/** Something to read along: what was recognized, or the subtitles of one track. */
interface Text {
  readonly key: string;
  readonly title: string;
  readonly lines: readonly Mark[];
}

/** The lanes of a study that hold words, what was recognized first. Among the lines are passages that were not recognized. */
export function textsOf(lanes: readonly Lane[]): readonly Text[] {
  const texts = lanes.flatMap(({ key, title, marks }) => {
    const lines = marks.filter(({ subject }) => {
      const fact = subject.kind === 'fact' ? subject.row.facts[subject.factIndex] : undefined;
      if (fact?.kind === 'recognised_region') return fact.cause !== undefined;
      return fact?.kind === 'transcript_line' || fact?.kind === 'subtitle_cue';
    });
    return lines.length === 0 ? [] : { key, title, lines };
  });
  const isRecognized = ({ key }: Text): boolean => key.startsWith('transcript');
  return [...texts.filter(isRecognized), ...texts.filter((text) => !isRecognized(text))];
}

/** The line that is spoken at a time, else the last one before it; -1 before the first. */
export function lineAt(lines: readonly Mark[], timeMs: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.startMs ?? 0) <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** In px: a line of words, the room above and below the words of a row, and what is beside them. */
const wordsLine = 18.2;
const aroundWords = 8;
const besideWords = 100;
/** The width of a letter that is not as wide as it is high, and of one that is, in px. */
const letter = { usual: 7.5, wide: 14 } as const;
const wideLetter = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const linesOfRow = { least: 2, most: 10 } as const;

/** The lines that the longest of these words take in a list of a width in px. */
function linesFor(lines: readonly Mark[], width: number): number {
  const widthOf = (words: string): number => {
    const wide = words.match(wideLetter)?.length ?? 0;
    return wide * letter.wide + (words.length - wide) * letter.usual;
  };
  const longest = lines.reduce((most, { words }) => Math.max(most, widthOf(words)), 0);
  const needed = Math.ceil(longest / Math.max(1, width - besideWords));
  return Math.min(linesOfRow.most, Math.max(linesOfRow.least, needed));
}

interface TranscriptProps {
  readonly lanes: readonly Lane[];
  readonly control: Playback;
  readonly onChoose: (line: Mark) => void;
}

/**
 * The words of a study beside the player. The current line stays visible, and the player jumps to a line that a person presses.
 */
export function Transcript({ lanes, control, onChoose }: TranscriptProps) {
  const texts = useMemo(() => textsOf(lanes), [lanes]);
  const [chosen, setChosen] = useState<string | null>(null);
  const text = texts.find(({ key }) => key === chosen) ?? texts[0];
  if (text === undefined) return null;
  return (
    <section class="transcript" aria-labelledby="transcript">
      <div class="transcript-head">
        <h2 id="transcript">Words</h2>
        <select
          aria-label="Which words"
          value={text.key}
          onChange={({ currentTarget: { value } }) => setChosen(value)}
          disabled={texts.length === 1}
        >
          {texts.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <Lines key={`${text.key} ${text.lines.length}`} text={text} control={control} onChoose={onChoose} />
    </section>
  );
}

/** The words of a line that its recognizer doubts. */
function doubtfulIn({ subject }: Mark): readonly string[] {
  const fact = subject.kind === 'fact' ? subject.row.facts[subject.factIndex] : undefined;
  if (fact?.kind !== 'transcript_line') return [];
  return fact.words
    .filter(({ confidence }) => confidence !== null && confidence < doubtfulConfidence)
    .map(({ text }) => text);
}

interface LinesProps extends Omit<TranscriptProps, 'lanes'> {
  readonly text: Text;
}

function Lines({ text: { title, lines }, control, onChoose }: LinesProps) {
  const said = useStore(control.store, ({ timeMs }) => lineAt(lines, timeMs));
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const shown = useMemo(() => linesFor(lines, width), [lines, width]);
  return (
    <div ref={box} class="transcript-lines" data-long={shown > linesOfRow.least} style={{ '--lines': String(shown) }}>
      <WindowList
        label={title}
        count={lines.length}
        rowHeight={Math.ceil(shown * wordsLine + aroundWords)}
        showing={said}
        row={(at, tabIndex) => {
          const line = lines[at];
          return line === undefined ? null : (
            <button
              type="button"
              class="transcript-line"
              tabIndex={tabIndex}
              data-tone={line.tone}
              aria-current={at === said}
              onClick={() => onChoose(line)}
            >
              <span class="mono quiet">{clockTime(line.startMs)}</span>
              <span class="transcript-words" lang={languageOfName(line.words)}>
                <DoubtfulText text={line.words} words={doubtfulIn(line)} />
              </span>
            </button>
          );
        }}
      />
    </div>
  );
}

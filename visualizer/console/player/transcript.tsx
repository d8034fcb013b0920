import { useMemo, useState } from 'preact/hooks';
import { useStore } from '../host/use-store.ts';
import { WindowList } from '../parts/window-list.tsx';
import type { Lane, Mark } from '../timeline/lanes.ts';
import { timeCode } from '../words/time-code.ts';
import type { Playback } from './playback.ts';
import { lineAt, type Text, textsOf } from './transcript-lines.ts';

const rowHeight = 44;

interface TranscriptProps {
  readonly lanes: readonly Lane[];
  readonly control: Playback;
  readonly onChoose: (line: Mark) => void;
}

/** The words of a study beside the player: the line that is said stays in sight, and the player goes to a line that is pressed. */
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

interface LinesProps extends Omit<TranscriptProps, 'lanes'> {
  readonly text: Text;
}

function Lines({ text: { title, lines }, control, onChoose }: LinesProps) {
  const said = useStore(control.store, ({ timeMs }) => lineAt(lines, timeMs));
  return (
    <WindowList
      label={title}
      count={lines.length}
      rowHeight={rowHeight}
      showing={said}
      row={(at) => {
        const line = lines[at];
        return line === undefined ? null : (
          <button
            type="button"
            class="transcript-line"
            data-tone={line.tone}
            aria-current={at === said}
            onClick={() => onChoose(line)}
          >
            <span class="mono quiet">{timeCode(line.startMs)}</span>
            <span class="transcript-words">{line.words}</span>
          </button>
        );
      }}
    />
  );
}

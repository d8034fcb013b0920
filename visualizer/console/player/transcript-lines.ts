import type { Lane, Mark } from '../timeline/lanes.ts';

/** Something to read along: what was recognised, or the subtitles of one track. */
export interface Text {
  readonly key: string;
  readonly title: string;
  readonly lines: readonly Mark[];
}

/** The lanes of a study that hold words, what was recognised first. */
export function textsOf(lanes: readonly Lane[]): readonly Text[] {
  const texts = lanes.flatMap(({ key, title, marks }) => {
    const lines = marks.filter(({ subject }) => {
      const kind = subject.kind === 'fact' ? subject.row.facts[subject.factIndex]?.kind : undefined;
      return kind === 'transcript_line' || kind === 'subtitle_cue';
    });
    return lines.length === 0 ? [] : { key, title, lines };
  });
  const isRecognised = ({ key }: Text): boolean => key.startsWith('transcript');
  return [...texts.filter(isRecognised), ...texts.filter((text) => !isRecognised(text))];
}

/** The line that is said at a time, else the last one before it; -1 before the first. */
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

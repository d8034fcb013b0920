import type { Range } from '../../contract/base/grammar.ts';
import { type StyledRun, type StyledText, styledText } from '../../contract/captions/styled-text.ts';
import type { CueFact } from '../../contract/evidence/evidence.ts';
import { textLinesOf } from '../../rules/caption-guidelines.ts';
import type { VerifiedFindings } from '../stages/run-stages.ts';

/** A row of a cue as its track shows it. */
interface TrackRow {
  readonly alignment: number | null;
  readonly runs: readonly StyledRun[];
}

interface TrackCue extends Range {
  /** By their text without styles. */
  readonly rows: ReadonlyMap<string, TrackRow>;
}

/** The dash of a speaker in front of a row. */
const dash = /^[-–—]\s*/;

/** The usual place of a text, below in the middle. */
const usualPlace = 2;

const textOf = (runs: readonly StyledRun[]): string => runs.map(({ text }) => text).join('');

/** The rows of a text in styles, of which one may begin in a row and end in another. */
function styledRowsOf(runs: readonly StyledRun[]): StyledRun[][] {
  const rows: StyledRun[][] = [[]];
  for (const { text, styles } of runs) {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) rows.push([]);
      if (part !== '') rows.at(-1)?.push({ text: part, styles });
    }
  }
  return rows;
}

function trackCue({ startMs, endMs, text, styled, placement }: CueFact): TrackCue {
  const alignment = placement?.alignment === usualPlace ? null : (placement?.alignment ?? null);
  const runs = styled === undefined ? [{ text, styles: [] }] : styledText(styled).runs;
  return {
    startMs,
    endMs,
    rows: new Map(styledRowsOf(runs).map((row) => [textOf(row).trim(), { alignment, runs: row }])),
  };
}

const isStyled = ({ styled, placement }: CueFact): boolean =>
  styled !== undefined || (placement?.alignment ?? usualPlace) !== usualPlace;

/**
 * The styles and places that the text tracks of a study have for the lines of captions. The words of a line stay plain text. A row of
 * a line has the style of a row of a cue that has the same words at the same time. The other rows of that cue do not matter.
 */
export class TrackStyles {
  /** In order of their begins. */
  readonly #cues: readonly TrackCue[];
  readonly #longestMs: number;

  constructor({ operations }: Pick<VerifiedFindings, 'operations'>) {
    const facts = operations.flatMap(({ evidence }) => evidence.flatMap(({ artifact }) => artifact?.facts ?? []));
    const cues = facts.filter((fact): fact is CueFact => fact.kind === 'subtitle_cue' && isStyled(fact));
    this.#cues = cues.map(trackCue).toSorted((one, other) => one.startMs - other.startMs);
    this.#longestMs = this.#cues.reduce((longest, { startMs, endMs }) => Math.max(longest, endMs - startMs), 0);
  }

  /** The cues with a style or a place that are shown within a time. */
  #cuesIn({ startMs, endMs }: Range): readonly TrackCue[] {
    let [low, high] = [0, this.#cues.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#cues[middle]?.startMs ?? 0) < startMs - this.#longestMs) low = middle + 1;
      else high = middle;
    }
    const found: TrackCue[] = [];
    for (let at = low; at < this.#cues.length; at += 1) {
      const cue = this.#cues[at];
      if (cue === undefined || cue.startMs >= endMs) break;
      if (cue.endMs > startMs) found.push(cue);
    }
    return found;
  }

  /** The text of the host for a line, with the styles of its rows, and with a place if all of its rows are there. */
  of(line: Range, text: string): StyledText {
    const cues = this.#cuesIn(line);
    if (cues.length === 0) return { alignment: null, runs: [{ text, styles: [] }] };
    const places: (number | null)[] = [];
    const runs: StyledRun[] = [];
    for (const row of textLinesOf(text)) {
      if (runs.length > 0) runs.push({ text: '\n', styles: [] });
      const [speaker = ''] = dash.exec(row) ?? [];
      const rowIn = (words: string) => cues.flatMap((cue) => cue.rows.get(words.trim()) ?? [])[0];
      const whole = rowIn(row);
      const found = whole ?? rowIn(row.slice(speaker.length));
      places.push(found?.alignment ?? null);
      if (found === undefined) runs.push({ text: row, styles: [] });
      else runs.push(...(whole === undefined ? [{ text: speaker, styles: [] }] : []), ...found.runs);
    }
    const [place = null] = places;
    return { alignment: places.every((each) => each === place) ? place : null, runs };
  }
}

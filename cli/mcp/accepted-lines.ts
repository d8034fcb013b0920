import type { StandingCaptions } from '../terminal/standing-captions.ts';

/** What an agent sees of the lines that the check accepted, as files have them: times and both texts. */
export function acceptedLines({ control, results }: StandingCaptions) {
  const accepted = new Set(control.acceptedLineIds);
  const [result] = results.results;
  const lines = (result?.artifact.lines ?? []).map(({ id: lineId, startMs, endMs, source, target }) => ({
    lineId,
    startMs,
    endMs,
    source: source.text,
    target: target.text,
  }));
  return lines.filter(({ lineId }) => accepted.has(lineId));
}

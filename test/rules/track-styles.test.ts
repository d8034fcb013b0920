import test from 'ava';
import type { CueFact } from '../../contract/evidence/evidence.ts';
import { subRipRow } from '../../formats/caption-markup.ts';
import { TrackStyles } from '../../receipts/captions/track-styles.ts';
import { captionRows } from '../../rules/caption-rows.ts';

const cue = (startMs: number, text: string, others: Partial<CueFact> = {}): CueFact => ({
  kind: 'subtitle_cue',
  index: 0,
  startMs,
  endMs: startMs + 2000,
  text,
  ...others,
});

const stylesOf = (...facts: readonly CueFact[]) =>
  new TrackStyles({ operations: [{ evidence: [{ artifact: { facts } }] }] } as unknown as ConstructorParameters<
    typeof TrackStyles
  >[0]);

const shownBy = (styles: TrackStyles, startMs: number, text: string) => {
  const styled = styles.of({ startMs, endMs: startMs + 1500 }, text);
  return [styled.alignment, ...captionRows(styled, 'en', 'author').map(subRipRow)];
};

test('a line has the italics and the place of the cue with its words at its time', (t) => {
  const styles = stylesOf(
    cue(0, 'Did you really see?', { styled: 'Did you <i>really</i> see?' }),
    cue(3000, 'The old\nhouse', { styled: '<i>The old\nhouse</i>', placement: { alignment: 8 } }),
    cue(6000, 'below', { placement: { alignment: 2 } }),
  );
  t.deepEqual(shownBy(styles, 100, 'Did you really see?'), [null, 'Did you <i>really</i> see?']);
  t.deepEqual(shownBy(styles, 3000, 'The old\nhouse'), [8, '<i>The old</i>', '<i>house</i>']);
  t.deepEqual(shownBy(styles, 6000, 'below'), [null, 'below']);
  // The same words at another time, and other words at the same.
  t.deepEqual(shownBy(styles, 9000, 'Did you really see?'), [null, 'Did you really see?']);
  t.deepEqual(shownBy(styles, 100, 'Did you see?'), [null, 'Did you see?']);
});

test('a row keeps its italics in a line of two cues, behind the dash of its speaker', (t) => {
  const styles = stylesOf(cue(0, 'Who is there?', { styled: '<i>Who is there?</i>', placement: { alignment: 8 } }));
  t.deepEqual(shownBy(styles, 0, '- Who is there?\n- Me.'), [null, '- <i>Who is there?</i>', '- Me.']);
});

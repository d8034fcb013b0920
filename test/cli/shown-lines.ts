import type { CorrectedText, ShownLine } from '../../contract/captions/correction.ts';

/** A text of the host. */
export const said = (text: string): CorrectedText => ({ state: 'available', text, reasonCode: null, by: 'host' });

export const withheld: CorrectedText = {
  state: 'withheld',
  text: null,
  reasonCode: 'translator_unavailable',
  by: 'host',
};

/** A line of the host that no one has changed, two seconds after the one before it, as the check of captions decides. */
export const lineOf = (at: number, target: CorrectedText): ShownLine => ({
  id: `line-${at}`,
  startMs: at * 2000,
  endMs: at * 2000 + 1500,
  originalLineIds: [`line-${at}`],
  source: said(`source ${at}`),
  target,
  changed: null,
  decision:
    target.text === null
      ? { outcome: 'withheld', reasonCode: 'line_unavailable_or_withheld' }
      : { outcome: 'accepted', reasonCode: 'line_structurally_complete' },
});

import test from 'ava';
import { filedCaptions } from '../../cli/commands/captions.ts';
import type { CaptionCorrections } from '../../contract/captions/correction.ts';
import { lineOf, said, withheld } from './shown-lines.ts';

const made = [lineOf(0, said('zero')), lineOf(1, withheld)];
const originals = made.map(({ id, startMs, endMs, source, target }) => ({ id, startMs, endMs, source, target }));
const changed = { correctionId: null, recordedAt: null, reviewer: { id: 'reviewer:me', label: 'Me' } };

type Check = NonNullable<CaptionCorrections['check']>;

const checked = (
  outcome: Check['outcome'],
  reasonCode: Check['reasonCode'],
  counts: readonly [number, number],
): Check => ({
  outcome,
  reasonCode,
  acceptedCount: counts[0],
  withheldCount: counts[1],
  recorded: null,
});

/** The check of the captions as the host made them, with one line of two. */
const controlOf = (outcome: 'accepted' | 'withheld'): Parameters<typeof filedCaptions>[0] => ({
  outcome,
  reasonCodes: ['candidate_has_unavailable_or_withheld_lines'],
  acceptedLineIds: ['line-0'],
  withheldLineIds: ['line-1'],
});

const idsOf = ({ lines }: ReturnType<typeof filedCaptions>) => lines.map(({ id }) => id);

test('captions without a correction are those that their own check accepted', (t) => {
  const check = checked('withheld', 'corrected_lines_withheld', [1, 1]);
  for (const outcome of ['accepted', 'withheld'] as const) {
    const filed = filedCaptions(controlOf(outcome), { lines: made, originals, check });
    t.like(filed, { outcome, reasonCodes: ['candidate_has_unavailable_or_withheld_lines'], withheldLines: 1 });
    t.deepEqual(idsOf(filed), ['line-0']);
  }
});

test('bug: captions were withheld although a person had given the missing text, and their files had it', (t) => {
  const lines = [...made.slice(0, 1), { ...lineOf(1, { ...said('one'), by: 'person' }), changed }];
  const check = checked('accepted', 'corrected_lines_complete', [2, 0]);
  const filed = filedCaptions(controlOf('withheld'), { lines, originals, check });
  t.like(filed, { outcome: 'accepted', reasonCodes: ['corrected_lines_complete'], withheldLines: 0 });
  t.deepEqual(idsOf(filed), ['line-0', 'line-1']);
});

test('captions of which a person dropped every line are withheld', (t) => {
  const check = checked('withheld', 'no_lines_left', [0, 0]);
  const filed = filedCaptions(controlOf('accepted'), { lines: [], originals, check });
  t.like(filed, { outcome: 'withheld', reasonCodes: ['no_lines_left'], lines: [], withheldLines: 0 });
});

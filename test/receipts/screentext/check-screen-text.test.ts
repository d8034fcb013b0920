import test from 'ava';
import type { FurtherArtifact } from '../../../contract/evidence/further-evidence.ts';
import { checkScreenText } from '../../../receipts/screentext/check-screen-text.ts';
import { judgedText, type SeenText } from '../../../receipts/screentext/text-gates.ts';

const seen: SeenText = {
  ...{ kind: 'screen_text', index: 0, startMs: 1000, endMs: 1002, text: 'EXIT' },
  box: { leftMilli: 100, topMilli: 100, rightMilli: 500, bottomMilli: 180 },
  ...{ confidenceMilli: 850, clearMilli: 500, secondLook: 'agrees', readings: 2, language: null },
};

/** A text as a forger judges it who changed it before. */
const textOf = (change: Partial<SeenText>, parameters: FurtherArtifact['parameters']): FurtherArtifact => ({
  schema: 'studio.further-evidence.v1',
  kind: 'screen_text',
  input: { sourceContentId: `sha256:${'1'.repeat(64)}`, range: { startMs: 0, endMs: 4000 }, trackIndex: 0 },
  tool: { name: 'tesseract', version: '1', digest: `sha256:${'2'.repeat(64)}` },
  parameters,
  facts: [judgedText({ ...seen, ...change })],
});

const twice = { secondLookFromMilli: 850 };
const { secondLook: _, ...once } = seen;

const forgeries: Readonly<Record<string, readonly [Partial<SeenText>, string]>> = {
  'in a box that ends before it begins': [{ box: { ...seen.box, rightMilli: 99 } }, 'box'],
  'in no time': [{ endMs: 1000 }, 'endMs'],
  'in more pictures than its time has': [{ readings: 3 }, 'readings'],
};

for (const [title, [change, place]] of Object.entries(forgeries)) {
  test(`text on the screen does not hold that was seen ${title}`, (t) => {
    t.like(
      t.throws(() => checkScreenText(textOf(change, twice))),
      { place: `texts[0].${place}` },
    );
  });
}

test('a surer text was looked at again where its version looks again', (t) => {
  const without = textOf({}, twice);
  const forged = { ...without, facts: [judgedText(once)] };
  t.like(
    t.throws(() => checkScreenText(forged)),
    { place: 'texts[0].secondLook' },
  );
  t.notThrows(() => checkScreenText(without));
  t.notThrows(() => checkScreenText({ ...forged, parameters: {} }));
  t.notThrows(() => checkScreenText({ ...forged, facts: [judgedText({ ...once, confidenceMilli: 849 })] }));
});

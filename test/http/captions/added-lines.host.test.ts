import test, { type ExecutionContext } from 'ava';
import { verifyBundle } from '../../../actors/exports/verify-bundle.ts';
import {
  type AskedChange,
  type CaptionCorrections,
  type CorrectionKind,
  captionCorrectionPreview,
} from '../../../contract/captions/correction.ts';
import { captionQualityReports } from '../../../contract/captions/quality-control.ts';
import { runtimeOverview } from '../../../contract/overview.ts';
import { readerOf } from '../../actors/exports/bundled-study.ts';
import { asked, corrected, correctionsOf, newest, send } from './correcting.ts';
import { approvedLife, captionFlags, captionsOf, openCaptioned, openCaptioning, pathOf } from './steps.ts';

// Lines that a person adds to captions, where the host has none. The sample has lines from 0.8 to 3.372, 4.4 to 7.966 and 8.6 to 10.661 s.

const second = 'embedded-subtitle-line-002';
const third = 'embedded-subtitle-line-003';

const added: AskedChange = {
  lineIds: [],
  lines: [{ startMs: 3500, endMs: 4300, source: '잠깐만요.', target: 'One moment.' }],
};
const plainAnswer = 'studio.local-runtime-caption-corrections.v1';
const answerWithAdded = 'studio.local-runtime-caption-corrections.v2';
const plainReceipt = 'studio.caption-correction.receipt.v1';
const receiptWithAdded = 'studio.caption-correction.receipt.v2';

const said = ({ lines }: Pick<CaptionCorrections, 'lines'>) =>
  lines.map(({ startMs, endMs, target }) => `${startMs} ${endMs} ${target.text}`);

/** The receipts of all corrections of a study, as the journal has them. */
async function receiptsOf(host: Awaited<ReturnType<typeof openCaptioned>>['host'], runtimeId: string) {
  const answer = await host.get(`/v1/runtimes/${runtimeId}/events?limit=200`);
  const { events } = JSON.parse(answer.body.toString('utf8'));
  return events.flatMap(({ type, data }: { type: string; data: { receipt: { schema: string } } }) =>
    type === 'caption.correction_recorded' ? [data.receipt.schema] : [],
  );
}

test('a person adds a line between two others: the record names its author, and no check calls it supported', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const before = await correctionsOf(t, host, runtimeId);
  t.is(before.schema, plainAnswer);
  const after = await corrected(t, host, runtimeId, { changes: [added] });
  t.is(after.schema, answerWithAdded);
  t.like(after.corrections[0], {
    changes: [{ kind: 'added', before: [] }],
    reviewer: { id: 'reviewer:local-operator' },
  });
  t.like(after.lines[1], {
    id: 'correction-001-line-001',
    startMs: 3500,
    endMs: 4300,
    originalLineIds: [],
    source: { state: 'available', text: '잠깐만요.', reasonCode: null, by: 'person' },
    target: { state: 'available', text: 'One moment.', reasonCode: null, by: 'person' },
    changed: { correctionId: newest(after) },
    decision: { outcome: 'accepted', reasonCode: 'line_attested_by_person' },
  });
  t.like(after.check, { outcome: 'accepted', acceptedCount: 4, withheldCount: 0 });
  t.deepEqual(after.originals, before.originals);
  t.deepEqual(await receiptsOf(host, runtimeId), [receiptWithAdded]);
  await host.restart();
  t.deepEqual(await correctionsOf(t, host, runtimeId), after);
});

test('an added line is in every file of the captions, in their reports and in a bundle, which is verified with it', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const after = await corrected(t, host, runtimeId, { changes: [added] });
  for (const name of ['captions.srt', 'captions.vtt', 'captions.ass']) {
    const path = pathOf(runtimeId, `exports/${name}`);
    for (const side of ['target', 'both']) {
      const text = (await host.get(`${path}?side=${side}`)).body.toString('utf8');
      t.true(text.includes('One moment.') && text.includes('잠깐만요.') === (side === 'both'), `${name} ${side}`);
    }
    t.false((await host.get(`${path}?corrections=original`)).body.toString('utf8').includes('One moment.'), name);
  }
  const preview = await host.post(pathOf(runtimeId, 'caption-correction-previews'), { head: after.head, changes: [] });
  const { reports } = host.granted(t, preview, 200, captionCorrectionPreview);
  const lineId = after.lines[1]?.id;
  t.true(reports.some(({ findings }) => findings.some((finding) => finding.lineId === lineId)));
  host.granted(t, await host.get(pathOf(runtimeId, 'caption-quality-reports')), 200, captionQualityReports);
  const overview = host.granted(t, await host.get(pathOf(runtimeId, 'overview')), 200, runtimeOverview);
  t.deepEqual(overview.situation, { code: 'captions_accepted', text: 'captions accepted: 4 lines with both texts' });
  const { body } = await host.get(pathOf(runtimeId, 'exports/bundle'));
  const links: string[] = [];
  await verifyBundle(readerOf(body), null, ({ link, contentId }) => links.push(`${link} ${contentId}`));
  t.true(links.includes(`caption_correction ${after.corrections[0]?.receiptContentId}`));
  const forged = Buffer.from(body);
  for (let at = forged.indexOf('One moment.'); at >= 0; at = forged.indexOf('One moment.', at)) {
    forged.write('One minute.', at);
  }
  await t.throwsAsync(verifyBundle(readerOf(forged), null, () => undefined));
});

test('an added line with a text on one side is in the files of that side, and withholds no others', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const change = { lineIds: [], lines: [{ startMs: 3500, endMs: 4300, target: 'One moment.' }] };
  const after = await corrected(t, host, runtimeId, { changes: [change] });
  t.like(after.lines[1], {
    source: { state: 'unavailable', text: null, reasonCode: null, by: 'person' },
    decision: { outcome: 'accepted' },
  });
  t.is(after.check?.outcome, 'accepted');
  const path = pathOf(runtimeId, 'exports/captions.srt');
  t.true((await host.get(path)).body.toString('utf8').includes('One moment.'));
  t.is((await host.get(`${path}?side=source`)).body.toString('utf8').match(/-->/g)?.length, 3);
  const written = { lineIds: [after.lines[1]?.id ?? ''], lines: [{ startMs: 3500, endMs: 4300, source: '잠깐만요.' }] };
  const both = await corrected(t, host, runtimeId, { changes: [written] });
  t.like(both.lines[1], { source: { text: '잠깐만요.' }, target: { text: 'One moment.' }, originalLineIds: [] });
  await host.restart();
  t.deepEqual(await correctionsOf(t, host, runtimeId), both);
});

const lineId = 'correction-001-line-001';
const later: readonly [name: string, change: AskedChange, kind: CorrectionKind, lines: readonly string[]][] = [
  [
    'reworded',
    { lineIds: [lineId], lines: [{ startMs: 3500, endMs: 4300, target: 'Wait.' }] },
    'reworded',
    ['3500 4300 Wait.'],
  ],
  ['moved', { lineIds: [lineId], lines: [{ startMs: 3400, endMs: 4200 }] }, 'retimed', ['3400 4200 One moment.']],
  ['dropped', { lineIds: [lineId], lines: [] }, 'dropped', []],
  [
    'split',
    {
      lineIds: [lineId],
      lines: [
        { startMs: 3500, endMs: 3900, source: '잠깐', target: 'One' },
        { startMs: 3900, endMs: 4300, source: '만요.', target: 'moment.' },
      ],
    },
    'split',
    ['3500 3900 One', '3900 4300 moment.'],
  ],
  [
    'merged with the next line',
    { lineIds: [lineId, second], lines: [{ startMs: 3500, endMs: 7966 }] },
    'merged',
    ['3500 7966 One moment.\nToday we will listen to a short story together.'],
  ],
];

for (const [name, change, kind, lines] of later) {
  test(`an added line can be ${name}; each step is taken back, also the addition itself`, async (t) => {
    const { host, study } = await openCaptioned(t);
    const { runtimeId } = study;
    const before = await correctionsOf(t, host, runtimeId);
    const first = await corrected(t, host, runtimeId, { changes: [added] });
    const changed = await corrected(t, host, runtimeId, { changes: [change] });
    t.is(changed.corrections[1]?.changes[0]?.kind, kind);
    t.deepEqual(
      said(changed).filter((line) => !said(before).includes(line)),
      [...lines],
    );
    const back = await corrected(t, host, runtimeId, { reverts: newest(changed) });
    t.deepEqual(said(back), said(first));
    t.like(back.lines[1], { id: lineId, originalLineIds: [] });
    const gone = await corrected(t, host, runtimeId, { reverts: newest(first) });
    t.deepEqual(gone.lines, before.lines);
    t.is(gone.corrections.at(-1)?.changes[0]?.kind, 'dropped');
    const again = await corrected(t, host, runtimeId, { reverts: newest(gone) });
    t.is(again.corrections.at(-1)?.changes[0]?.kind, 'restored');
    t.deepEqual(said(again), said(first));
    t.deepEqual(await receiptsOf(host, runtimeId), Array(5).fill(receiptWithAdded));
    await host.restart();
    t.deepEqual(await correctionsOf(t, host, runtimeId), again);
  });
}

test('a correction that touches no added line keeps the first version of its record, also behind an added one', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  await corrected(t, host, runtimeId, { changes: [added] });
  const plain = { lineIds: [third], lines: [{ startMs: 8700, endMs: 10_600 }] };
  const after = await corrected(t, host, runtimeId, { changes: [plain] });
  t.deepEqual(await receiptsOf(host, runtimeId), [receiptWithAdded, plainReceipt]);
  t.is(after.schema, answerWithAdded);
});

test('bug: a split was not taken back if another line lies between its parts', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const before = await correctionsOf(t, host, runtimeId);
  const parts = {
    lineIds: [third],
    lines: [
      { startMs: 8600, endMs: 9200, source: '강은', target: 'The river' },
      { startMs: 10_000, endMs: 10_600, source: '조용했다', target: 'was quiet.' },
    ],
  };
  const between = { lineIds: [], lines: [{ startMs: 9300, endMs: 9900, target: '(thunder)' }] };
  const after = await corrected(t, host, runtimeId, { changes: [parts, between] });
  t.deepEqual(said(after).slice(2), ['8600 9200 The river', '9300 9900 (thunder)', '10000 10600 was quiet.']);
  t.deepEqual((await corrected(t, host, runtimeId, { reverts: newest(after) })).lines, before.lines);
});

test('a gap that the same correction makes is free for an added line', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const shorter = { lineIds: [second], lines: [{ startMs: 6000, endMs: 7966 }] };
  const line = { lineIds: [], lines: [{ startMs: 4400, endMs: 6000, source: '네.', target: 'Yes.' }] };
  const after = await corrected(t, host, runtimeId, { changes: [shorter, line] });
  t.deepEqual(said(after).slice(1, 3), ['4400 6000 Yes.', '6000 7966 Today we will listen to a short story together.']);
});

const line = (startMs: number, endMs: number, texts: object = { source: '네.', target: 'Yes.' }) => ({
  changes: [{ lineIds: [], lines: [{ startMs, endMs, ...texts }] }],
});
const refused: readonly [name: string, body: object, message: RegExp][] = [
  [
    'over the end of another',
    line(3000, 4000),
    /added line at 0:03\.000 overlaps the line from 0:00\.800 to 0:03\.372/,
  ],
  ['over the begin of another', line(4000, 4401), /added line at 0:04\.000 overlaps the line from 0:04\.400/],
  ['inside another', line(5000, 6000), /overlaps the line from 0:04\.400 to 0:07\.966/],
  ['around another', line(4000, 8000), /added line at 0:04\.000 overlaps/],
  ['behind the end of the study', line(11_000, 12_001), /outside the range of the study/],
  ['without a text', line(3500, 4300, {}), /added line at 0:03\.500 needs a text/],
  [
    'over another added line',
    {
      changes: [
        { lineIds: [], lines: [{ startMs: 3400, endMs: 3900, target: 'One' }] },
        { lineIds: [], lines: [{ startMs: 3800, endMs: 4300, target: 'Two' }] },
      ],
    },
    /overlaps/,
  ],
];

for (const [name, body, message] of refused) {
  test(`an added line ${name} is refused, and nothing is written`, async (t) => {
    const { host, study } = await openCaptioned(t);
    const before = await correctionsOf(t, host, study.runtimeId);
    const answer = await send(host, study.runtimeId, await asked(t, host, study.runtimeId, body));
    t.regex(host.refused(t, answer, 'illegal_caption_correction'), message);
    t.deepEqual(await correctionsOf(t, host, study.runtimeId), before);
  });
}

test('a change without a line before it and after it is refused', async (t) => {
  const { host, study } = await openCaptioned(t);
  const body = { changes: [{ lineIds: [], lines: [] }] };
  const answer = await send(host, study.runtimeId, await asked(t, host, study.runtimeId, body));
  t.regex(host.refused(t, answer, 'invalid_caption_correction_request'), /names a line, or adds one/);
});

/** Adds a line before the production, and makes the captions. */
async function producedWithAdded(t: ExecutionContext) {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  await corrected(t, host, study.runtimeId, { changes: [added] });
  await captionsOf(t, host, study);
  return { host, runtimeId: study.runtimeId };
}

test('a line that was added before the production is a line of the captions, and checked with them', async (t) => {
  const { host, runtimeId } = await producedWithAdded(t);
  const after = await correctionsOf(t, host, runtimeId);
  t.is(after.base?.kind, 'captions');
  t.like(after.lines[1], { originalLineIds: [], target: { text: 'One moment.' } });
  t.like(after.check, { outcome: 'accepted', acceptedCount: 4 });
  t.not(after.check?.recorded ?? null, null);
  t.true((await host.get(pathOf(runtimeId, 'exports/captions.srt'))).body.toString('utf8').includes('One moment.'));
  await host.restart(captionFlags.embedded);
  t.deepEqual(await correctionsOf(t, host, runtimeId), after);
});

import test from 'ava';
import { verifyBundle } from '../../../actors/exports/verify-bundle.ts';
import type { ErrorCode } from '../../../contract/base/errors.ts';
import {
  type AskedChange,
  type CaptionCorrections,
  type CorrectionKind,
  type CorrectionObstacle,
  captionCorrectionPreview,
  captionCorrections,
} from '../../../contract/captions/correction.ts';
import { captionGuidelines } from '../../../contract/captions/guideline-report.ts';
import { runtimeEvents } from '../../../contract/journal.ts';
import { runtimeOverview } from '../../../contract/overview.ts';
import { readerOf } from '../../actors/exports/bundled-study.ts';
import { TestHost } from '../../host/test-host.ts';
import { asked, corrected, correctionsOf, newest, reviewer, send } from './correcting.ts';
import { approvedLife, captionFlags, captionsOf, openCaptioned, openCaptioning, pathOf, revoke } from './steps.ts';

// Corrections of captions by a person.

/** The lines of the sample, by their texts and times. */
const said = ({ lines }: Pick<CaptionCorrections, 'lines'>) =>
  lines.map(({ startMs, endMs, target }) => `${startMs} ${endMs} ${target.text}`);

const first = 'embedded-subtitle-line-001';
const second = 'embedded-subtitle-line-002';
const third = 'embedded-subtitle-line-003';

const reworded: AskedChange = { lineIds: [first], lines: [{ startMs: 800, endMs: 3372, target: 'Good evening.' }] };

test('before any correction the lines are those of the captions, and none is changed', async (t) => {
  const { host, study } = await openCaptioned(t);
  const found = await correctionsOf(t, host, study.runtimeId);
  t.is(found.obstacle, null);
  t.deepEqual(found.head, { base: study.caption.captionContentId, correction: null });
  t.deepEqual(
    found.lines.map(({ id, changed, decision }) => [id, changed, decision.reasonCode]),
    [first, second, third].map((id) => [id, null, 'line_structurally_complete']),
  );
  t.like(found.check, { outcome: 'accepted', reasonCode: 'corrected_lines_complete', recorded: null });
  t.deepEqual(found.corrections, []);
});

test('a correction records its author, its changes and their lines, checked, and in the journal', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const before = await correctionsOf(t, host, runtimeId);
  const after = await corrected(t, host, runtimeId, { changes: [reworded] });
  const [written] = after.corrections;
  t.like(written, { reviewer: { id: reviewer.id }, previous: null, reverts: null, revertedBy: null });
  t.like(written?.changes[0], {
    kind: 'reworded',
    before: [{ id: first, target: { text: 'Good morning and welcome to the reading room.', by: 'host' } }],
    after: [{ id: first, originalLineIds: [first], target: { text: 'Good evening.', by: 'person', reasonCode: null } }],
  });
  t.like(after.lines[0], {
    source: before.originals[0]?.source,
    changed: { correctionId: newest(after), reviewer: { id: reviewer.id } },
    decision: { outcome: 'accepted', reasonCode: 'line_attested_by_person' },
  });
  t.deepEqual(after.originals, before.originals);
  t.not(after.check?.recorded ?? null, null);
  const { events } = host.granted(
    t,
    await host.get(`/v1/runtimes/${runtimeId}/events?after=${before.journalHead}`),
    200,
    runtimeEvents,
    ['studio-journal-head', 'access-control-expose-headers'],
  );
  t.deepEqual(
    events.map(({ type }) => type),
    ['artifact.recorded', 'caption.correction_recorded', 'artifact.recorded', 'caption.correction_checked'],
  );
  await host.restart();
  t.deepEqual(await correctionsOf(t, host, runtimeId), after);
});

const shapes: readonly [name: string, change: AskedChange, kind: CorrectionKind, lines: readonly string[]][] = [
  [
    'a shift moves a line and keeps its texts',
    { lineIds: [third], lines: [{ startMs: 8700, endMs: 10_700 }] },
    'retimed',
    ['8700 10700 The river was quiet before the rain.'],
  ],
  [
    'a split gives each part its texts and names the line that it comes from',
    {
      lineIds: [third],
      lines: [
        { startMs: 8600, endMs: 9600, source: '강은', target: 'The river' },
        { startMs: 9600, endMs: 10_600, source: '조용했다', target: 'was quiet.' },
      ],
    },
    'split',
    ['8600 9600 The river', '9600 10600 was quiet.'],
  ],
  [
    'a merge joins the texts of its lines',
    { lineIds: [second, third], lines: [{ startMs: 4400, endMs: 10_661 }] },
    'merged',
    ['4400 10661 Today we will listen to a short story together.\nThe river was quiet before the rain.'],
  ],
  [
    'a dropped line is in no list any more, and its words stay on record',
    { lineIds: [third], lines: [] },
    'dropped',
    [],
  ],
];

for (const [name, change, kind, lines] of shapes) {
  test(`${name}; a revert puts everything back`, async (t) => {
    const { host, study } = await openCaptioned(t);
    const { runtimeId } = study;
    const before = await correctionsOf(t, host, runtimeId);
    const after = await corrected(t, host, runtimeId, { changes: [change] });
    t.is(after.corrections[0]?.changes[0]?.kind, kind);
    t.deepEqual(said(after).slice(before.lines.length - change.lineIds.length), [...lines]);
    t.true(after.lines.slice(-lines.length || undefined).every(({ originalLineIds }) => originalLineIds.length > 0));
    const back = await corrected(t, host, runtimeId, { reverts: newest(after) });
    t.deepEqual(back.lines, before.lines);
    t.deepEqual(
      back.corrections.map(({ reverts, revertedBy }) => [reverts, revertedBy]),
      [
        [null, newest(back)],
        [newest(after), null],
      ],
    );
    const again = await corrected(t, host, runtimeId, { reverts: newest(back) });
    t.deepEqual(said(again), said(after));
  });
}

test('a revert is refused while a newer correction has changed the same line', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const older = await corrected(t, host, runtimeId, { changes: [reworded] });
  const change = { lineIds: [first], lines: [{ startMs: 900, endMs: 3372 }] };
  const newer = await corrected(t, host, runtimeId, { changes: [change] });
  const refused = await send(host, runtimeId, await asked(t, host, runtimeId, { reverts: newest(older) }));
  t.regex(host.refused(t, refused, 'illegal_caption_correction'), /revert the newer correction first/);
  await corrected(t, host, runtimeId, { reverts: newest(newer) });
  const back = await corrected(t, host, runtimeId, { reverts: newest(older) });
  t.deepEqual(
    back.lines.map(({ changed }) => changed),
    [null, null, null],
  );
});

test('the same request twice writes one correction; another one under its id is refused', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const body = await asked(t, host, runtimeId, { changes: [reworded] });
  const once = host.granted(t, await send(host, runtimeId, body), 201, captionCorrections);
  const twice = host.granted(t, await send(host, runtimeId, body), 201, captionCorrections);
  t.deepEqual(twice, once);
  const other = { ...body, head: once.head, note: 'another one' };
  host.refused(t, await send(host, runtimeId, other), 'illegal_caption_correction');
});

test('of two corrections on the same lines the second is refused because they changed', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const body = await asked(t, host, runtimeId, { changes: [reworded] });
  const answers = await Promise.all([
    send(host, runtimeId, body),
    send(host, runtimeId, { ...body, clientRequestId: 'the-other' }),
  ]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [201, 409],
  );
  const [, conflict] = answers;
  if (conflict !== undefined) host.refused(t, conflict, 'caption_correction_conflict');
  const preview = { head: body.head, changes: [reworded] };
  host.refused(
    t,
    await host.post(pathOf(runtimeId, 'caption-correction-previews'), preview),
    'caption_correction_conflict',
  );
});

test('a preview shows the lines, the check and the findings, and writes nothing', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const before = await correctionsOf(t, host, runtimeId);
  const overlapping = { lineIds: [second], lines: [{ startMs: 3000, endMs: 7966, target: 'x'.repeat(90) }] };
  const answer = await host.post(pathOf(runtimeId, 'caption-correction-previews'), {
    head: before.head,
    changes: [overlapping],
  });
  const preview = host.granted(t, answer, 200, captionCorrectionPreview);
  t.like(preview.check, { outcome: 'withheld', reasonCode: 'corrected_lines_withheld', withheldCount: 1 });
  t.like(preview.lines[1], {
    changed: { correctionId: null, recordedAt: null },
    decision: { outcome: 'withheld', reasonCode: 'line_out_of_order' },
  });
  const codes = preview.reports.flatMap(({ side, profile, findings }) =>
    side === 'target' && profile.id === 'netflix' ? findings.map(({ lineId, code }) => `${lineId} ${code}`) : [],
  );
  t.true(codes.includes(`${second} overlap`) && codes.includes(`${second} line_too_long`), codes.join());
  t.deepEqual(await correctionsOf(t, host, runtimeId), before);
});

const wrong: readonly [name: string, body: object, code: ErrorCode, message: RegExp][] = [
  ['neither changes nor a revert', {}, 'invalid_caption_correction_request', /changes or reverts/],
  ['no change at all', { changes: [] }, 'invalid_caption_correction_request', /changes/],
  [
    'times that do not follow each other',
    { changes: [{ lineIds: [first], lines: [{ startMs: 5, endMs: 5 }] }] },
    'invalid_caption_correction_request',
    /startMs must be below endMs/,
  ],
  ['a line in two changes', { changes: [reworded, reworded] }, 'invalid_caption_correction_request', /in one change/],
  [
    'a text with control characters',
    { changes: [{ lineIds: [first], lines: [{ startMs: 1, endMs: 2, target: 'a\u0007b' }] }] },
    'invalid_caption_correction_request',
    /control characters/,
  ],
  [
    'another attestation',
    { changes: [reworded], reviewer: { ...reviewer, attestation: 'I attest.' } },
    'invalid_caption_correction_request',
    /attestation/,
  ],
  [
    'another reviewer',
    { changes: [reworded], reviewer: { ...reviewer, id: 'reviewer:other' } },
    'reviewer_identity_mismatch',
    /another reviewer/,
  ],
  [
    'a line that is not there',
    { changes: [{ lineIds: ['line-9'], lines: [] }] },
    'illegal_caption_correction',
    /there is no line line-9/,
  ],
  [
    'lines that do not follow each other',
    { changes: [{ lineIds: [first, third], lines: [{ startMs: 0, endMs: 9 }] }] },
    'illegal_caption_correction',
    /does not follow/,
  ],
  [
    'a time outside the range',
    { changes: [{ lineIds: [first], lines: [{ startMs: 0, endMs: 12_001 }] }] },
    'illegal_caption_correction',
    /outside the range/,
  ],
  [
    'a part without its text',
    {
      changes: [
        {
          lineIds: [first],
          lines: [
            { startMs: 0, endMs: 9, target: 'a' },
            { startMs: 9, endMs: 12, target: 'b' },
          ],
        },
      ],
    },
    'illegal_caption_correction',
    /needs its source text/,
  ],
  [
    'nothing that changes',
    { changes: [{ lineIds: [first], lines: [{ startMs: 800, endMs: 3372 }] }] },
    'illegal_caption_correction',
    /leaves everything as it is/,
  ],
  ['a revert of nothing', { reverts: `caption-correction:${'0'.repeat(64)}` }, 'illegal_caption_correction', /no such/],
];

for (const [name, body, code, message] of wrong) {
  test(`${name} is refused, and nothing is written`, async (t) => {
    const { host, study } = await openCaptioned(t);
    const before = await correctionsOf(t, host, study.runtimeId);
    const answer = await send(host, study.runtimeId, await asked(t, host, study.runtimeId, body));
    t.regex(host.refused(t, answer, code), message);
    t.deepEqual(await correctionsOf(t, host, study.runtimeId), before);
  });
}

const files = ['captions.srt', 'captions.vtt', 'captions.ass'] as const;

test('files give the corrected lines and name the correction; the original is there, byte for byte', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId, caption } = study;
  const vtt = pathOf(runtimeId, `caption-productions/${caption.jobId}.vtt`);
  const paths = [...files.map((name) => pathOf(runtimeId, `exports/${name}`)), vtt];
  const before = await Promise.all(paths.map((path) => host.get(path)));
  const after = await corrected(t, host, runtimeId, { changes: [reworded, { lineIds: [third], lines: [] }] });
  const [receipt, check] = [after.corrections[0]?.receiptContentId, after.check?.recorded?.receiptContentId];
  for (const [at, path] of paths.entries()) {
    const { body, headers } = await host.get(path);
    const text = body.toString('utf8');
    t.true(text.includes('Good evening.') && !text.includes('Good morning') && !text.includes('The river'), path);
    t.is(text.includes(after.corrections[0]?.receiptId ?? ''), !path.endsWith('srt'), path);
    if (path !== vtt) {
      t.true(String(headers['studio-export-of']).endsWith(`${receipt}, ${check}`), path);
      const both = await host.get(`${path}?side=both`);
      t.true(both.body.toString('utf8').includes('Good evening.') && both.body.length > body.length);
    }
    t.deepEqual((await host.get(`${path}?corrections=original`)).body, before[at]?.body, path);
    host.refused(t, await host.get(`${path}?corrections=some`), 'unknown_query');
  }
  await corrected(t, host, runtimeId, { reverts: newest(after) });
  for (const [at, path] of paths.entries()) t.deepEqual((await host.get(path)).body, before[at]?.body, path);
});

test('bug: captions whose corrected lines no check accepts gave no file, and the overview called them accepted', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  await corrected(t, host, runtimeId, { changes: [{ lineIds: [second], lines: [{ startMs: 3000, endMs: 7966 }] }] });
  const path = pathOf(runtimeId, 'exports/captions.srt');
  host.refused(t, await host.get(path), 'illegal_caption_qc_transition');
  t.is((await host.get(`${path}?corrections=original`)).status, 200);
  const overview = async () => host.granted(t, await host.get(pathOf(runtimeId, 'overview')), 200, runtimeOverview);
  const refused = await overview();
  t.deepEqual(refused.situation, { code: 'captions_withheld', text: 'captions withheld: some lines do not pass' });
  t.false(refused.actions.some(({ action }) => action === 'read_captions'));
  const { corrections } = await correctionsOf(t, host, runtimeId);
  await corrected(t, host, runtimeId, { reverts: corrections.at(-1)?.correctionId ?? '' });
  const after = await corrected(t, host, runtimeId, { changes: [{ lineIds: [third], lines: [] }] });
  const accepted = await overview();
  t.deepEqual(accepted.situation, { code: 'captions_accepted', text: 'captions accepted: 2 lines with both texts' });
  t.true(accepted.actions.some(({ action }) => action === 'read_captions'));
  t.deepEqual(accepted.check.receiptIds, [after.check?.recorded?.receiptId]);
});

test('a bundle has the corrections, and is verified with them; one that was forged is refused', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const after = await corrected(t, host, runtimeId, { changes: [reworded] });
  const { body } = await host.get(pathOf(runtimeId, 'exports/bundle'));
  const links: string[] = [];
  const reader = readerOf(body);
  const whole = await verifyBundle(reader, null, ({ link, contentId }) => links.push(`${link} ${contentId}`));
  t.is(whole.head.seq, after.journalHead);
  t.true(links.includes(`caption_correction ${after.corrections[0]?.receiptContentId}`));
  t.true(links.includes(`caption_correction_check ${after.check?.recorded?.receiptContentId}`));
  const forged = Buffer.from(body);
  for (let at = forged.indexOf('Good evening.'); at >= 0; at = forged.indexOf('Good evening.', at)) {
    forged.write('Good bye now.', at);
  }
  await t.throwsAsync(verifyBundle(readerOf(forged), null, () => undefined));
});

test('after a revocation nothing is corrected, and every correction stays readable', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  await corrected(t, host, runtimeId, { changes: [reworded] });
  const body = await asked(t, host, runtimeId, { changes: [{ lineIds: [second], lines: [] }] });
  await revoke(t, host, study);
  host.refused(t, await send(host, runtimeId, body), 'caption_authority_required');
  const after = await correctionsOf(t, host, runtimeId);
  t.is(after.obstacle?.code, 'caption_authority_required');
  t.is(after.corrections.length, 1);
});

test('lines that were corrected before the production are corrected lines of the captions, and checked with them', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  const { runtimeId } = study;
  const drafts = await correctionsOf(t, host, runtimeId);
  t.is(drafts.base?.kind, 'drafts');
  await corrected(t, host, runtimeId, { changes: [reworded, { lineIds: [third], lines: [] }] });
  const { caption } = await captionsOf(t, host, study);
  t.is(caption.result.lineCount, 3);
  const after = await correctionsOf(t, host, runtimeId);
  t.like(after.base, { kind: 'captions', captionContentId: caption.captionContentId });
  t.deepEqual(
    after.lines.map(({ id, target }) => [id, target.text]),
    [
      [first, 'Good evening.'],
      [second, 'Today we will listen to a short story together.'],
    ],
  );
  t.like(after.check, { outcome: 'accepted', acceptedCount: 2 });
  t.not(after.check?.recorded ?? null, null);
  const more = await corrected(t, host, runtimeId, { reverts: newest(after) });
  t.deepEqual(said(more), said(drafts));
  await host.restart();
  t.deepEqual(await correctionsOf(t, host, runtimeId), more);
});

test('a host with another caption executor produces nothing of lines that a person corrected', async (t) => {
  const host = await openCaptioning(t, 'approved');
  const study = approvedLife(host);
  const after = await corrected(t, host, study.runtimeId, { changes: [reworded] });
  await host.restart(captionFlags.seam);
  const answer = await host.post(pathOf(study.runtimeId, 'caption-productions'), { approval: study.approval });
  t.regex(host.refused(t, answer, 'illegal_caption_transition'), /corrected other lines/);
  await corrected(t, host, study.runtimeId, { reverts: newest(after) });
  t.is((await captionsOf(t, host, study)).caption.result.lineCount, 6);
  const lines = await correctionsOf(t, host, study.runtimeId);
  t.deepEqual([lines.lines.length, lines.corrections.length, lines.lines[0]?.changed], [6, 2, null]);
});

const nothing: readonly [name: string, flags: readonly string[], code: CorrectionObstacle['code']][] = [
  ['a host without a caption executor', [], 'caption_current_run_causality_required'],
  ['a host whose executor has no lines', captionFlags.recognized, 'caption_lines_unavailable'],
];

for (const [name, flags, code] of nothing) {
  test(`${name} has nothing to correct, and says why`, async (t) => {
    const host = await TestHost.open(t, { life: 'approved', flags });
    const { runtimeId } = approvedLife(host);
    const found = await correctionsOf(t, host, runtimeId);
    t.is(found.obstacle?.code, code);
    t.deepEqual([found.head, found.base, found.lines, found.check], [null, null, [], null]);
    const head = { base: `sha256:${'0'.repeat(64)}`, correction: null };
    const body = { clientRequestId: 'one', head, reviewer, note: null, changes: [reworded] };
    host.refused(t, await send(host, runtimeId, body), code);
  });
}

test('bug: italics and a place that a person wrote were shown as text in files', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const styled: AskedChange = {
    lineIds: [first],
    lines: [
      {
        startMs: 800,
        endMs: 3372,
        target: '{\\an8}<i>Good evening</i> & welcome to the reading room of the old house.',
      },
    ],
  };
  await corrected(t, host, runtimeId, { changes: [styled] });
  const file = async (name: string): Promise<string> => {
    const answer = await host.get(pathOf(runtimeId, `exports/${name}?lines=netflix.v2`));
    t.is(answer.status, 200);
    return answer.body.toString('utf8');
  };
  t.regex(
    await file('captions.srt'),
    /^1\n00:00:00,800 --> 00:00:03,372\n\{\\an8\}<i>Good evening<\/i> & welcome to the\nreading room of the old house\.\n/,
  );
  t.regex(
    await file('captions.vtt'),
    /\n00:00:00\.800 --> 00:00:03\.372 line:0\n<i>Good evening<\/i> &amp; welcome to the\nreading room of the old house\.\n/,
  );
  t.regex(
    await file('captions.ass'),
    /,Default,,0,0,0,,\{\\an8\}\{\\i1\}Good evening\{\\i0\} & welcome to the\\Nreading room of the old house\.\n/,
  );
});

test('a preview measures the files that a draft would give, if its request names the rows', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const { head } = await correctionsOf(t, host, runtimeId);
  const preview = async (others: object) => {
    const body = { head, changes: [reworded], ...others };
    const answer = await host.post(pathOf(runtimeId, 'caption-correction-previews'), body);
    return host.granted(t, answer, 200, captionCorrectionPreview);
  };
  const { written: none, ...plain } = await preview({});
  t.is(none, undefined);
  const { written, ...same } = await preview({ lines: 'netflix.v2' });
  t.deepEqual(same, plain);
  t.deepEqual(
    written?.map(({ file, reports }) => [file, reports.map(({ guideline }) => guideline.id)]),
    (['source', 'target'] as const).map((side) => [
      { side, lines: 'netflix.v2', cues: 3 },
      ['netflix', 'bbc', 'dcmp', 'ted'],
    ]),
  );
});

test('findings of the guidelines name the cues of a file', async (t) => {
  const { host, study } = await openCaptioned(t);
  const { runtimeId } = study;
  const long = 'Good morning and welcome to the reading room of the house. '.repeat(2).trim();
  await corrected(t, host, runtimeId, {
    changes: [{ lineIds: [second], lines: [{ startMs: 4000, endMs: 4500, target: long }] }],
  });
  const answer = await host.get(pathOf(runtimeId, 'caption-guidelines?lines=netflix.v2'));
  const { file, reports } = host.granted(t, answer, 200, captionGuidelines);
  t.deepEqual(file, { side: 'target', lines: 'netflix.v2', cues: 3 });
  t.deepEqual(
    reports[0]?.findings
      .filter(({ number }) => number === 2)
      .map(({ code, lineId, startMs }) => [code, lineId, startMs]),
    ['reading_speed_too_high', 'too_many_lines', 'duration_too_short'].map((code) => [code, second, 4000]),
  );
  const original = await host.get(pathOf(runtimeId, 'caption-guidelines?lines=netflix.v2&corrections=original'));
  t.deepEqual(host.granted(t, original, 200, captionGuidelines).reports[0]?.findings, []);
  for (const query of ['side=up', 'lines=netflix.v0', 'corrections=some'])
    host.refused(t, await host.get(pathOf(runtimeId, `caption-guidelines?${query}`)), 'unknown_query');
  await revoke(t, host, study);
  host.refused(t, await host.get(pathOf(runtimeId, 'caption-guidelines')), 'caption_authority_required');
});

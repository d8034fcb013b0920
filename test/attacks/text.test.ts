import test from 'ava';
import { z } from 'zod';
import { serveOptions } from '../../cli/options/serve-options.ts';
import { failureMessage } from '../../contract/base/errors.ts';
import { cutText, isWellFormed } from '../../contract/base/grammar.ts';
import {
  attestations,
  recordedDecisionRequest,
  reviewDecisionRequest,
  reviewRevocationRequest,
} from '../../contract/review.ts';
import { parseToolJson } from '../../executors/process/tools.ts';
import { ffprobeReport } from '../../executors/sources/ffprobe-report.ts';
import { canonicalJson, contentIdOfBytes, isCanonicalForm } from '../../formats/canonical-json.ts';
import { readPack } from '../../receipts/evaluation/receipt.ts';
import { journalStart, readEvent } from '../../receipts/journal.ts';
import { readSealedRecord } from '../../receipts/sources/sealed-record.ts';
import { reopenJson } from '../../receipts/stored-records.ts';
import { reopenRuntimeStart } from '../../receipts/study/start.ts';
import { decodeRow, encodeRow } from '../../storage/ledger/row-codec.ts';

const halves = ['\ud800', 'a\ud800b', 'a\udc00', '\udc00\ud800', '😀'.slice(0, 1), '😀😀'.slice(1, 3)];
const hidden = [
  '\u0000',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u2028',
  '\u2029',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
];

test('half of a surrogate pair has no canonical form and no row, at any place in a text', (t) => {
  for (const half of halves) {
    for (const value of [half, [half], { deep: [{ text: half }] }, { [half]: 1 }]) {
      t.throws(() => canonicalJson(value), { instanceOf: TypeError });
      t.throws(() => encodeRow(Buffer.from('r'), value), { instanceOf: TypeError });
      t.false(isCanonicalForm(value, JSON.stringify(value)));
    }
  }
  for (const value of ['😀', { 한글: ['\ufffd', '\\ud800', null, 1, Buffer.of(0xed, 0xa0, 0x80)] }]) {
    t.deepEqual(decodeRow(Buffer.from('r'), encodeRow(Buffer.from('r'), value)), value);
  }
});

const reviewer = (attestation: string) => ({ id: 'reviewer:one', attestation });
const hex = 'a'.repeat(64);
const named = (prefix: string) => ({
  artifactId: `artifact:${hex}`,
  receiptId: `${prefix}-receipt:${hex}`,
  receiptContentId: `sha256:${hex}`,
});
const decision = (note: string) => ({
  intake: { intakeId: `publish-review-intake:${hex}`, ...named('publish-review-intake') },
  reviewer: reviewer(attestations.decision),
  decision: { outcome: 'reject_with_reasons', reasonCodes: ['other_review_concern'], note },
});
const revocation = (note: string) => ({
  approval: { reviewId: `publish-review:${hex}`, ...named('publish-review-decision') },
  reviewer: reviewer(attestations.revocation),
  revocation: { reasonCodes: ['rights_or_policy_concern'], note },
});

test('a note of a review is one well-formed line; notes of earlier versions stay readable', (t) => {
  for (const text of [...halves, ...hidden.map((character) => `a${character}b`)]) {
    t.false(reviewDecisionRequest.safeParse(decision(text)).success, JSON.stringify(text));
    t.false(reviewRevocationRequest.safeParse(revocation(text)).success, JSON.stringify(text));
  }
  for (const text of ['fine', 'שלום\u200f!', '👩‍👩‍👧', 'e\u0301']) {
    t.true(reviewDecisionRequest.safeParse(decision(text)).success, text);
    t.true(reviewRevocationRequest.safeParse(revocation(text)).success, text);
  }
  for (const text of ['a\u0085b', 'a\u2028b', 'a\u202eb']) {
    t.true(recordedDecisionRequest.safeParse(decision(text)).success, JSON.stringify(text));
  }
});

test('the label of the reviewer on the command line is one well-formed line', (t) => {
  for (const text of [...halves, ...hidden.map((character) => `a${character}b`)]) {
    t.throws(() => serveOptions(['--reviewer-label', text]), { code: 'invalid_reviewer' }, JSON.stringify(text));
  }
  t.is(serveOptions(['--reviewer-label', 'Zoë 😀']).reviewer.label, 'Zoë 😀');
});

test('what tools call a thing becomes one well-formed line, and is never cut through a character', (t) => {
  const report = { streams: [{ index: 0, codec_name: 'c\ud800' }], format: { format_name: 'f\ud800' } };
  t.true(isWellFormed(ffprobeReport.parse(parseToolJson(JSON.stringify(report)))));
  const long = `${'x'.repeat(255)}😀`;
  t.is(failureMessage(long), 'x'.repeat(255));
  t.is(cutText(long, 256), 'x'.repeat(255));
  t.is(failureMessage('a\ud800b'), 'a\ufffdb');
});

const stored = (text: string) => ({ contentId: contentIdOfBytes(Buffer.from(text)), bytes: Buffer.from(text) });
const poison = '"a\\ud800b"';

test('stored text of earlier versions with half of a surrogate pair fails closed, nothing else', (t) => {
  const shape = { link: 'evidence', schema: z.strictObject({ note: z.string() }), maximumBytes: 100 } as const;
  const closed = { code: 'stored_content_inconsistent' };
  t.throws(() => reopenJson(shape, stored(`{"note":${poison}}\n`)), { ...closed, message: /canonical_form/ });
  t.throws(() => readEvent('run', journalStart, Buffer.from(`{"data":${poison}}`)), {
    ...closed,
    message: /canonical_form/,
  });
  t.throws(() => reopenRuntimeStart(Buffer.from(`{"note":${poison}}`)), closed);
  const record = Buffer.from(`{\n  "note": ${poison}\n}\n`);
  t.throws(() => readSealedRecord(shape.schema, record, 'record'), { code: 'record_malformed' });
  t.throws(() => readPack(Buffer.from(`{"schema":${poison}}`)), { code: 'pack_malformed' });
});

import test from 'ava';
import type { ErrorCode } from '../../../contract/base/error-codes.ts';
import { type HostContract, limits } from './contract.ts';
import { closedStatus, ingestRequest, ingests, openIngest, statusOf } from './ingest-steps.ts';

const texts = [
  '',
  ' a',
  'a ',
  'a\nb',
  'a\u0007',
  'a\u007f',
  'a\u0085b',
  'a\u2028b',
  'a\u202eb',
  'a\u2066b',
  'a\ud800b',
  '\udc00.wav',
  '-a',
  '/a',
  '\\a',
  '~a',
  'C:\\a',
  'x'.repeat(161),
  7,
  null,
];
const names = ['a/b.wav', 'a\\b.wav', 'wav', 'a.', 'a.w v', 'a.toolongextn', `${'x'.repeat(252)}.wav`];

/** Bad values by field, in the order in which the fields are checked. */
const wrong: readonly (readonly [field: string, code: ErrorCode, values: readonly unknown[]])[] = [
  ['filename', 'invalid_ingest_request', [...texts, ...names]],
  ['declaredBytes', 'invalid_ingest_request', [0, -1, 1.5, '5', null, 2 ** 53, true]],
  ['declaredBytes', 'ingest_body_too_large', [limits.mediaBytes + 1]],
  ['rightsScope', 'invalid_rights_attestation', ['redistribution', 'LOCAL_PROCESSING', null, undefined]],
  ['ownershipAttested', 'invalid_rights_attestation', [false, 'true', 1, undefined]],
  ['label', 'invalid_ingest_request', [...texts, undefined]],
  ['rightsHolder', 'invalid_ingest_request', [...texts, undefined]],
];

/** Opening an ingest. */
export function ingestFields(contract: HostContract): void {
  test.serial(contract.title('each field of an ingest is checked in its turn, before all that follow'), async (t) => {
    const bad = Object.fromEntries(wrong.map(([field, , values]) => [field, values[0]]));
    const fields = wrong.map(([field]) => field);
    const later = (field: string) =>
      Object.entries(bad).filter(([name]) => fields.indexOf(name) > fields.indexOf(field));
    for (const [field, code, values] of wrong) {
      for (const value of values) {
        const request = ingestRequest(5, { ...Object.fromEntries(later(field)), [field]: value, unknown: 1 });
        const message = contract.refused(t, await contract.post(ingests, request), code);
        const said = value === undefined ? `${field} is missing: ` : `${field}: `;
        if (code === 'invalid_ingest_request') t.true(message.startsWith(said), message);
      }
    }
    const unknown = await contract.post(ingests, ingestRequest(5, { unknown: 1 }));
    contract.refused(t, unknown, 'invalid_ingest_request');
    for (const [body, what] of [
      [[], 'array'],
      ['x', 'string'],
    ] as const) {
      const message = contract.refused(t, await contract.post(ingests, body), 'invalid_ingest_request');
      t.true(message.startsWith(`body: Invalid input: expected object, received ${what}`), message);
    }
  });

  test.serial(contract.title('odd but honest values open an ingest'), async (t) => {
    for (const others of [
      { filename: `${'x'.repeat(251)}.wav` },
      { filename: 'a.b.ABCDEFGHI0' },
      { filename: '$(reboot) `x` ../..wav'.replaceAll('/', '') },
      { filename: 'récit — 이야기 😀.mp4', label: 'récit — 이야기 😀', rightsHolder: 'O’Neil & Söhne' },
      { label: 'x'.repeat(160), rightsHolder: 'y'.repeat(160) },
      { label: 'שלום\u200f!', rightsHolder: '👩‍👩‍👧' },
    ]) {
      const ingestId = await openIngest(t, contract, ingestRequest(5, others));
      const { updatedAt, status } = await statusOf(t, contract, ingestId);
      t.is(status, 'queued');
      t.is((await statusOf(t, contract, ingestId)).updatedAt, updatedAt);
    }
  });

  test.serial(contract.title('equal requests open ingests of their own'), async (t) => {
    const ids = await Promise.all([1, 2, 3].map(() => openIngest(t, contract, ingestRequest(5))));
    t.is(new Set(ids).size, 3);
    const raw = await contract.get(`${ingests}/${ids[0]}`);
    t.deepEqual((await contract.get(`${ingests}/${ids[0]?.replace(':', '%3A')}`)).body, raw.body);
  });

  test.serial(contract.title('a file that the volume has no room for is refused'), async (t) => {
    const huge = await contract.post(ingests, ingestRequest(limits.mediaBytes));
    contract.refused(t, huge, 'insufficient_storage');
  });

  test.serial(contract.title('an ingest is canceled once, and unknown ones never'), async (t) => {
    const ingestId = await openIngest(t, contract, ingestRequest(5));
    const path = `${ingests}/${ingestId}/cancellations`;
    contract.refused(t, await contract.post(path, { reason: 'mine' }), 'invalid_ingest_request');
    const canceled = contract.granted(t, await contract.post(path, {}), 202, closedStatus);
    t.like(canceled, { status: 'failed', failure: { code: 'canceled' } });
    contract.refused(t, await contract.post(path, {}), 'ingest_already_terminal');
    t.deepEqual(await statusOf(t, contract, ingestId), canceled);
    const put = await contract.ask('PUT', `${ingests}/${ingestId}/media`, { body: Buffer.alloc(5) });
    contract.refused(t, put, 'ingest_upload_conflict');
  });
}

import test from 'ava';
import { mediaProbe } from '../../../contract/sources/media-probe.ts';
import { SourceInconsistent } from '../../../contract/sources/source-fault.ts';
import { sourceReceipt } from '../../../contract/sources/source-receipt.ts';
import { registeredSource } from '../../../contract/sources/source-session.ts';
import { sealOwnedIngest } from '../../../receipts/sources/seal-source.ts';
import { verifySource } from '../../../receipts/sources/verify-source.ts';
import { chainOf, clipIngest, edited, forged, recordOf, sealedClip } from './sealed-clip.ts';

const incomplete = { cause: 'ends_early', statedMs: 5000, measuredMs: 4000 } as const;

const cutClip = () => sealOwnedIngest({ ...clipIngest, probe: { ...clipIngest.probe, startOffsetMs: -7, incomplete } });

test('probe, receipt and registry of incomplete media carry the same note', (t) => {
  const sealed = cutClip();
  const { source } = sealed;
  t.deepEqual(source.incompleteMedia, incomplete);
  t.is(source.startOffsetMs, -7);
  t.is(source.session.source.durationMs, 4000);
  t.deepEqual(registeredSource.parse(source), source);
  const { records } = chainOf(sealed);
  const note = { cause: 'ends_early', stated: 5, measured: 4 };
  const probe = mediaProbe.parse(recordOf(records['container-probe']));
  t.deepEqual(probe.incomplete_media, note as typeof probe.incomplete_media);
  t.is(probe.start_offset, -0.007);
  const receipt = sourceReceipt.parse(recordOf(records['source-receipt']));
  t.deepEqual(receipt.incomplete_media, note as typeof receipt.incomplete_media);
  t.deepEqual(verifySource(chainOf(cutClip()), null), source);
});

test('media that is what it states has neither note nor offset in any record', (t) => {
  const { source, objects } = sealedClip(1);
  t.false('incompleteMedia' in source);
  t.false('startOffsetMs' in source);
  for (const { bytes } of objects) t.notRegex(Buffer.from(bytes).toString('utf8'), /incomplete_media|start_offset/);
});

test('a receipt that conceals the note of its probe, or makes one of its own, does not verify', (t) => {
  const cut = chainOf(cutClip());
  const receipt = recordOf(cut.records['source-receipt']);
  const concealed = edited(receipt, 'incomplete_media', undefined);
  const message = 'link_mismatch: source-receipt.incomplete_media';
  const verify = (record: unknown) => verifySource(forged(cut, 'source-receipt', record), null);
  t.throws(() => verify(concealed), { instanceOf: SourceInconsistent, message });
  t.throws(() => verify(edited(receipt, 'incomplete_media.stated', 6)), { instanceOf: SourceInconsistent, message });
});

test('a probe whose note and duration differ is malformed', (t) => {
  const cut = chainOf(cutClip());
  const record = edited(recordOf(cut.records['container-probe']), 'incomplete_media.measured', 3);
  t.throws(() => verifySource(forged(cut, 'container-probe', record), null), { message: /^record_malformed: / });
});

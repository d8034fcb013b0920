import test from 'ava';
import type { FurtherArtifact } from '../../../contract/evidence/further-evidence.ts';
import { contentIdOfBytes } from '../../../receipts/core/canonical-json.ts';
import { checkEvidenceObjects } from '../../../receipts/evidence/evidence-objects.ts';
import { contentOf } from '../core/stored-content-in-memory.ts';

/** What stands before the first line of a JPEG of this size. */
const jpeg = (width: number, height: number): Buffer =>
  Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, height >> 8, height & 255, width >> 8, width & 255]);

const drawing = (...header: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(24);
  for (const [place, value] of header.entries()) bytes.writeUInt32LE(value, 4 * place);
  return bytes;
};

/** Where further evidence fails of which this is the only object. */
async function fault(fact: object, bytes: Buffer): Promise<string | null> {
  const named = { ...fact, contentId: contentIdOfBytes(bytes), bytes: bytes.length };
  const artifact: FurtherArtifact = {
    schema: 'studio.further-evidence.v1',
    kind: 'keyframes',
    input: { sourceContentId: `sha256:${'1'.repeat(64)}`, range: { startMs: 0, endMs: 4000 }, trackIndex: 0 },
    tool: { name: 'ffmpeg', version: '1', digest: `sha256:${'2'.repeat(64)}` },
    parameters: {},
    facts: [named as FurtherArtifact['facts'][number]],
  };
  const content = contentOf(new Map([[named.contentId, bytes]]));
  return checkEvidenceObjects(artifact, content).then(
    () => null,
    ({ place }) => place,
  );
}

const keyframe = { kind: 'keyframe', index: 0, startMs: 0, endMs: 4000, atMs: 2000, width: 640, height: 360 };
const waveform = { kind: 'waveform', startMs: 0, endMs: 20, windowMs: 20, windows: 1 };

test('a keyframe is a picture of the size that its fact states', async (t) => {
  t.is(await fault(keyframe, jpeg(640, 360)), null);
  t.is(await fault(keyframe, jpeg(360, 640)), 'form');
  t.is(await fault(keyframe, Buffer.from('<script>alert(1)</script>')), 'form');
});

test('a waveform is a drawing of the windows that its fact states', async (t) => {
  t.is(await fault(waveform, drawing(1, 0, 16_000, 320, 1)), null);
  for (const header of [
    [2, 0, 16_000, 320, 1],
    [1, 1, 16_000, 320, 1],
    [1, 0, 48_000, 320, 1],
    [1, 0, 16_000, 160, 1],
    [1, 0, 16_000, 320, 2],
  ]) {
    t.is(await fault(waveform, drawing(...header)), 'form');
  }
  t.is(await fault(waveform, Buffer.from('no drawing')), 'form');
});

import type { MediaOperationReceipt } from '../../../contract/evidence/media-operation.ts';
import type { JournalEvent } from '../../../contract/journal.ts';
import type { Finding } from '../../../contract/overview.ts';
import type { AvailableRow } from '../timeline/lanes.ts';
import { counted } from '../words/counted.ts';
import { canonicalJson } from './canonical-json.ts';
import { type Check, equal, unchecked } from './check.ts';
import { bytesOf, contentIdOf, hexOf, receiptIdOf, sha256 } from './digests.ts';

/** The receipt of the operation that delivered an artifact; undefined for one that came with the source. */
export const operationOf = (events: readonly JournalEvent[], artifactId: string): MediaOperationReceipt | undefined =>
  events
    .flatMap((event) => (event.type === 'media.operation_completed' ? event.data.receipt : []))
    .find(({ evidence }) => evidence.some((each) => each.artifactId === artifactId));

/** What is stored of a detection, put together from the answers of the host; the samples behind it may be none. */
const storedEvidence = (
  row: AvailableRow,
  receipt: MediaOperationReceipt,
  trackIndex: number | null,
  hasAudio: boolean,
) => ({
  schema: 'studio.detected-evidence.v1',
  kind: row.kind,
  input: {
    sourceContentId: receipt.input.contentId,
    range: receipt.input.range,
    trackIndex,
    derivedAudio: hasAudio ? receipt.derivedAudio : null,
  },
  tool: row.tool,
  parameters: row.parameters,
  facts: row.facts,
});

/** What can be checked of evidence that no receipt of a pass over the media names; `recorded` is its content id in the journal. */
function unnamedChecks(row: AvailableRow, recorded: string | undefined): readonly Check[] {
  const bytes = 'Evidence against its content id';
  if (recorded === undefined) {
    return [unchecked(bytes, 'it came with the source, as a file that the host does not hand out whole')];
  }
  return [
    unchecked(bytes, 'this page does not put a record of this kind together; media-study verify does'),
    equal('Evidence in the journal', row.contentId, recorded, 'the journal records it under this content id'),
  ];
}

/** Holds the bytes of an object, such as a keyframe, against the content id that a fact names. */
export async function objectChecks(
  read: (contentId: string) => Promise<Blob>,
  fact: Readonly<Record<string, unknown>> | undefined,
): Promise<readonly Check[]> {
  const { contentId, bytes } = fact ?? {};
  if (typeof contentId !== 'string') return [];
  const object = await (await read(contentId)).arrayBuffer();
  return [
    equal(
      'Object against its content id',
      `sha256:${hexOf(await sha256(object))}, ${object.byteLength} bytes`,
      `${contentId}, ${bytes} bytes`,
      `SHA-256 of the ${object.byteLength} bytes that the fact names`,
    ),
  ];
}

/** Holds one evidence against the journal: its bytes, its id, and the receipt of the operation that delivered it. */
export async function evidenceChecks(
  row: AvailableRow,
  finding: Finding | undefined,
  events: readonly JournalEvent[],
): Promise<readonly Check[]> {
  const receipt = operationOf(events, row.artifactId);
  const recorded = events
    .flatMap((event) => (event.type === 'artifact.recorded' ? event.data.artifact : []))
    .find(({ id }) => id === row.artifactId);
  if (receipt === undefined) return unnamedChecks(row, recorded?.content.contentId);
  const track = finding?.trackIndex ?? null;
  const candidates = [true, false].map((hasAudio) => storedEvidence(row, receipt, track, hasAudio));
  const ids = await Promise.all(candidates.map(contentIdOf));
  const at = Math.max(0, ids.indexOf(row.contentId));
  const bytes = bytesOf(`${canonicalJson(candidates[at])}\n`).length;
  return [
    equal(
      'Evidence against its content id',
      ids[at] ?? '',
      row.contentId,
      `SHA-256 of the canonical JSON of ${counted(row.facts.length, 'fact')}, the tool, its parameters and its input`,
    ),
    recorded === undefined
      ? unchecked('Evidence in the journal', 'the journal of this study does not record it')
      : equal(
          'Evidence in the journal',
          `${row.contentId}, ${bytes} bytes`,
          `${recorded.content.contentId}, ${recorded.content.bytes} bytes`,
          `recorded with ${bytes} bytes`,
        ),
    equal(
      'Receipt of the operation',
      await receiptIdOf(receipt),
      receipt.receiptId,
      'its id is the digest of what it says',
    ),
    unchecked(
      'The measurement itself',
      'a page has no detector; evaluation packs and another study of the same range measure anew',
    ),
  ];
}

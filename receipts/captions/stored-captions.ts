import { captionLimits } from '../../contract/captions/caption-line.ts';
import {
  type CaptionArtifact,
  type LongCaptions,
  type StoredCaptionRecord,
  storedCaptionRecord,
} from '../../contract/captions/caption-production.ts';
import { type CaptionChunk, captionChunk } from '../../contract/captions/long-captions.ts';
import { contentIdOf } from '../core/canonical-json.ts';
import { checkObject, demandDerived } from '../core/evidence-chain-error.ts';
import { RunRecord } from '../core/record.ts';
import { inParts, RunParts } from '../core/record-parts.ts';
import type { StoredContent } from '../core/stored-content.ts';
import { readReceipt, type StoredReceipt } from '../core/stored-receipt.ts';

/** The record by which captions are named; their job names it, which is a digest of all that they are made of. */
export const storedCaptions = new RunRecord<StoredCaptionRecord>({
  link: 'caption',
  schema: storedCaptionRecord,
  maximumBytes: captionLimits.maxArtifactBytes,
  kind: 'caption-production-output',
  origin: ({ jobId }) => ({ kind: 'caption_production', jobId }),
  sources: (captions) => [
    captions.input.sourceArtifactId,
    captions.input.study.artifactId,
    ...('transcript' in captions && captions.transcript !== null ? [captions.transcript.artifactId] : []),
    ...('chunks' in captions ? captions.chunks.map(({ artifactId }) => artifactId) : []),
  ],
  producer: 'host',
  ownId: 'jobId',
});

/** The lines of long captions as a run stores them. */
export const storedChunks = new RunParts<CaptionChunk>(
  new RunRecord<CaptionChunk>({
    link: 'caption',
    schema: captionChunk,
    maximumBytes: captionLimits.maxArtifactBytes,
    kind: 'caption-production-chunk',
    origin: ({ jobId }) => ({ kind: 'caption_production', jobId }),
    sources: ({ study }) => [study.artifactId],
    producer: 'host',
    ownId: 'jobId',
  }),
  ({ lines }) => lines.length,
);

// What a chunk says beside its lines.
const headBytes = 2048;

function chunksOf({ jobId, runId, input: { study }, lines }: LongCaptions): CaptionChunk[] {
  const most = { items: captionLimits.maxLines, bytes: captionLimits.maxArtifactBytes - headBytes };
  return inParts(lines, most).map((part, index) => ({
    schema: 'studio.caption-production.chunk.v1',
    ...{ jobId, runId, study, index, lines: part },
  }));
}

/** Captions in the form in which they are stored. */
export interface StoredForm {
  readonly record: StoredCaptionRecord;
  /** Of long captions; else none. */
  readonly chunks: readonly CaptionChunk[];
}

export function storedFormOf(captions: CaptionArtifact): StoredForm {
  if (captions.schema !== 'studio.caption-production.artifact.v7') return { record: captions, chunks: [] };
  const { lines, ...head } = captions;
  const chunks = chunksOf(captions);
  return {
    record: {
      ...head,
      schema: 'studio.caption-production.chunked-artifact.v1',
      chunks: storedChunks.namesOf(captions.runId, chunks),
    },
    chunks,
  };
}

/** Reads captions back, with all chunks of long ones. Throws `EvidenceChainError`. */
export async function readCaptions(content: StoredContent, contentId: string): Promise<StoredReceipt<CaptionArtifact>> {
  const stored = await readReceipt(storedCaptions.shape, content, contentId);
  const { body } = stored;
  if (body.schema !== 'studio.caption-production.chunked-artifact.v1') return { ...stored, body };
  const { chunks, ...head } = body;
  const lines = (await storedChunks.read(content, chunks)).flatMap((chunk) => chunk.lines);
  const captions: LongCaptions = { ...head, schema: 'studio.caption-production.artifact.v7', lines };
  checkObject(contentId, () => demandDerived('caption', body, storedFormOf(captions).record, 'jobId'));
  return { ...stored, body: captions };
}

/** One chunk of long captions with the record that names it; null where these captions have no such chunk. */
export function chunkOf(captions: CaptionArtifact, index: number) {
  const { record, chunks } = storedFormOf(captions);
  const chunk = chunks[index];
  return chunk === undefined || !('chunks' in record) ? null : { captions: record, chunk };
}

/** The digest by which captions are named. */
export const captionContentIdOf = (captions: CaptionArtifact): string => contentIdOf(storedFormOf(captions).record);

import {
  type CaptionLine,
  captionLimits,
  type SharedLineage,
  type SharingQueue,
} from '../../contract/captions/caption-line.ts';
import {
  type CaptionArtifact,
  type CaptionChunk,
  type CaptionCitations,
  type ChunkedLine,
  captionChunk,
  captionCitations,
  type LongCaptionRecord,
  type LongCaptions,
  type StoredCaptionRecord,
  storedCaptionRecord,
} from '../../contract/captions/caption-production.ts';
import { storedBytes } from '../../formats/canonical-json.ts';
import { resultInSlices, resultOfSteps, type Steps } from '../../formats/steps.ts';
import { checkObject, demandDerived, EvidenceChainError } from '../evidence-chain.ts';
import { inParts, inPartsBySteps, RunParts, RunRecord } from '../record.ts';
import { readStoredReceipt, type StoredContent, type StoredReceipt } from '../stored-records.ts';

type SharedCitation = SharedLineage['study']['citations'][number];

/** Lines whose lineages share what they have in common. */
interface SharedLines {
  readonly sharedLineage: SharedLineage;
  readonly lines: SharingQueue[];
}

/** Takes what all lineages of one production have in common out of its lines. There is at least one line. */
export function* sharedLinesOf([first, ...rest]: readonly [CaptionLine, ...CaptionLine[]]): Steps<SharedLines> {
  const citations: SharedCitation[] = [];
  const places = new Map<string, number>();
  const indexOf = (citation: SharedCitation): number => {
    // A read has one assessment, so these two name all of it.
    const said = `${citation.semanticCitation.receiptContentId} ${citation.childReport.reportId}`;
    const known = places.get(said);
    if (known !== undefined) return known;
    places.set(said, citations.length);
    return citations.push(citation) - 1;
  };
  const lines: SharingQueue[] = [];
  for (const { lineage, ...line } of [first, ...rest]) {
    yield;
    const { coverage, claimIds, semanticCitations, childReports } = lineage.study;
    const cited = semanticCitations.flatMap(({ observations, ...semanticCitation }, at) => {
      const childReport = childReports[at];
      return childReport === undefined ? [] : [{ index: indexOf({ semanticCitation, childReport }), observations }];
    });
    lines.push({ ...line, lineage: { window: lineage.source.window, coverage, claimIds, citations: cited } });
  }
  const { derivation, source, study, readiness, approval, captionExecutor } = first.lineage;
  const { coverage, claimIds, semanticCitations, childReports, ...reference } = study;
  return {
    sharedLineage: {
      derivation,
      source: { artifactId: source.artifactId, contentId: source.contentId },
      study: { ...reference, citations },
      readiness,
      approval,
      captionExecutor,
    },
    lines,
  };
}

function wholeLine({ lineage, ...line }: SharingQueue, { source, study, ...shared }: SharedLineage): CaptionLine {
  const { citations, ...reference } = study;
  const cited = lineage.citations.map(({ index, observations }) => {
    const citation = citations[index];
    if (citation === undefined) throw new EvidenceChainError('caption', 'sharedLineage.study.citations');
    return { ...citation, observations };
  });
  return {
    ...line,
    lineage: {
      ...shared,
      source: { ...source, window: lineage.window },
      study: {
        ...reference,
        coverage: lineage.coverage,
        claimIds: lineage.claimIds,
        semanticCitations: cited.map(({ semanticCitation, observations }) => ({ ...semanticCitation, observations })),
        childReports: cited.map(({ childReport }) => childReport),
      },
    },
  };
}

/** Captions in the form that says everything with every line: what readers get, however they are stored. */
export type WholeCaptions = Extract<CaptionArtifact, { schema: 'studio.caption-production.artifact.v1' }>;

export const wholeCaptionsOf = (artifact: CaptionArtifact): WholeCaptions =>
  resultOfSteps(wholeCaptionsBySteps(artifact));

/** The same in steps, one for each line: a lineage has a dozen objects. */
export function* wholeCaptionsBySteps(artifact: CaptionArtifact): Steps<WholeCaptions> {
  if (artifact.schema === 'studio.caption-production.artifact.v1') return artifact;
  const { jobId, runId, input, executor, result, sharedLineage } = artifact;
  const lines: readonly SharingQueue[] =
    artifact.schema === 'studio.caption-production.artifact.v5'
      ? artifact.lines
      : artifact.lines.map(withoutTranscript);
  const whole: CaptionLine[] = [];
  for (const line of lines) {
    yield;
    whole.push(wholeLine(line, sharedLineage));
  }
  return { jobId, runId, input, executor, result, schema: 'studio.caption-production.artifact.v1', lines: whole };
}

const withoutTranscript = ({ transcriptLines, ...line }: ChunkedLine): SharingQueue => line;

type OfProduction = Pick<StoredCaptionRecord, 'jobId'>;

/** The common parts of all records of one production. */
const ofProduction = {
  link: 'caption',
  maximumBytes: captionLimits.maxArtifactBytes,
  origin: ({ jobId }: OfProduction) => ({ kind: 'caption_production', jobId }) as const,
  producer: 'host',
  ownId: 'jobId',
} as const;

const ofStudy = { sources: ({ study }: Pick<CaptionChunk, 'study'>) => [study.artifactId] };

/** The record by which captions are named; their job names it, which is a digest of all that they are made of. */
export const storedCaptions = new RunRecord<StoredCaptionRecord>({
  ...ofProduction,
  schema: storedCaptionRecord,
  kind: 'caption-production-output',
  sources: (captions) => [
    captions.input.sourceArtifactId,
    captions.input.study.artifactId,
    ...('transcript' in captions && captions.transcript !== null ? [captions.transcript.artifactId] : []),
    ...('citations' in captions ? captions.citations.map(({ artifactId }) => artifactId) : []),
    ...('chunks' in captions ? captions.chunks.map(({ artifactId }) => artifactId) : []),
  ],
});

/** The lines of long captions as a run stores them. */
export const storedChunks = new RunParts<CaptionChunk>(
  new RunRecord({ ...ofProduction, ...ofStudy, schema: captionChunk, kind: 'caption-production-chunk' }),
  ({ lines }) => lines.length,
);

/** The reads that the lines of long captions cite, as a run stores them where one record has no room for all. */
export const storedCitations = new RunParts<CaptionCitations>(
  new RunRecord({ ...ofProduction, ...ofStudy, schema: captionCitations, kind: 'caption-production-citations' }),
  ({ citations }) => citations.length,
);

// The size of a part without its items.
const headBytes = 2048;

/** How much a part of long captions has room for. */
const most = { items: captionLimits.maxLines, bytes: captionLimits.maxArtifactBytes - headBytes };

function* chunksOf({ jobId, runId, input: { study }, lines }: LongCaptions): Steps<CaptionChunk[]> {
  return (yield* inPartsBySteps(lines, most)).map((part, index) => ({
    schema: 'studio.caption-production.chunk.v1',
    jobId,
    runId,
    study,
    index,
    lines: part,
  }));
}

function citationsOf({ jobId, runId, input: { study }, sharedLineage }: LongCaptions): CaptionCitations[] {
  return inParts(sharedLineage.study.citations, most).map((citations, index) => ({
    schema: 'studio.caption-production.citations.v1',
    jobId,
    runId,
    study,
    index,
    citations,
  }));
}

/** Captions in the form in which they are stored. */
interface StoredForm {
  readonly record: StoredCaptionRecord;
  /** Of long captions; else none. */
  readonly chunks: readonly CaptionChunk[];
  /** Of long captions whose lines cite more reads than their record has room for; else none. */
  readonly citations: readonly CaptionCitations[];
}

/** The stored forms of captions that do not change: each is needed several times, and long ones take a second. */
const knownForms = new WeakMap<LongCaptions, StoredForm>();

export const storedFormOf = (captions: CaptionArtifact): StoredForm => resultOfSteps(storedFormBySteps(captions));

/** The same in steps; once it was done, `storedFormOf` only looks it up. */
export function* storedFormBySteps(captions: CaptionArtifact): Steps<StoredForm> {
  if (captions.schema !== 'studio.caption-production.artifact.v7')
    return { record: captions, chunks: [], citations: [] };
  const known = knownForms.get(captions);
  if (known !== undefined) return known;
  const form = yield* longFormOf(captions);
  knownForms.set(captions, form);
  return form;
}

function* longFormOf(captions: LongCaptions): Steps<StoredForm> {
  const { lines, ...head } = captions;
  const { runId, sharedLineage } = captions;
  const chunks = yield* chunksOf(captions);
  const names = yield* storedChunks.namesBySteps(runId, chunks);
  const record: StoredCaptionRecord = {
    ...head,
    schema: 'studio.caption-production.chunked-artifact.v1',
    chunks: names,
  };
  if (storedBytes(record).length <= captionLimits.maxArtifactBytes) return { record, chunks, citations: [] };
  const citations = citationsOf(captions);
  const { citations: _, ...study } = sharedLineage.study;
  return {
    record: {
      ...head,
      schema: 'studio.caption-production.chunked-artifact.v2',
      sharedLineage: { ...sharedLineage, study },
      citations: storedCitations.namesOf(runId, citations),
      chunks: names,
    },
    chunks,
    citations,
  };
}

/** Reads captions back, with all parts of long ones. Throws `EvidenceChainError`. */
export async function readCaptions(
  content: StoredContent,
  contentId: string,
  pause: () => Promise<void> | void,
): Promise<StoredReceipt<CaptionArtifact>> {
  const stored = await readStoredReceipt(storedCaptions.shape, content, contentId);
  const { body } = stored;
  if (!('chunks' in body)) return { ...stored, body };
  const lines = (await storedChunks.read(content, body.chunks)).flatMap((chunk) => chunk.lines);
  const head = await headOf(content, body);
  const captions: LongCaptions = { ...head, schema: 'studio.caption-production.artifact.v7', lines };
  const { record } = await resultInSlices(storedFormBySteps(captions), pause);
  checkObject(contentId, () => demandDerived('caption', body, record, 'jobId'));
  return { ...stored, body: captions };
}

/** The fields of long captions beside their lines, wherever the cited reads are stored. */
async function headOf(
  content: StoredContent,
  record: LongCaptionRecord,
): Promise<Omit<LongCaptions, 'schema' | 'lines'>> {
  if (record.schema === 'studio.caption-production.chunked-artifact.v1') {
    const { schema, chunks, ...head } = record;
    return head;
  }
  const { schema, chunks, citations: names, sharedLineage, ...head } = record;
  const citations = (await storedCitations.read(content, names)).flatMap((part) => part.citations);
  return { ...head, sharedLineage: { ...sharedLineage, study: { ...sharedLineage.study, citations } } };
}

/** One chunk of long captions with the records that it needs; null where these captions have no such chunk. */
export function chunkOf(captions: CaptionArtifact, index: number) {
  const { record, chunks, citations } = storedFormOf(captions);
  const chunk = chunks[index];
  if (chunk === undefined || !('chunks' in record)) return null;
  return { captions: record, chunk, ...(citations.length === 0 ? {} : { citations: citedBy(chunk, citations) }) };
}

/** The parts that have the reads which the lines of a chunk cite. */
function citedBy({ lines }: CaptionChunk, parts: readonly CaptionCitations[]): CaptionCitations[] {
  const cited = lines.flatMap(({ lineage }) => lineage.citations.map(({ index }) => index));
  let first = 0;
  return parts.filter(({ citations }) => {
    const from = first;
    first += citations.length;
    return cited.some((index) => from <= index && index < first);
  });
}

import type { CaptionLine, SharedLineage, SharingQueue } from '../../contract/captions/caption-line.ts';
import type { CaptionArtifact } from '../../contract/captions/caption-production.ts';
import type { ChunkedLine } from '../../contract/captions/long-captions.ts';
import { EvidenceChainError } from '../core/evidence-chain-error.ts';

type SharedCitation = SharedLineage['study']['citations'][number];

/** Lines whose lineages share what they have in common. */
export interface SharedLines {
  readonly sharedLineage: SharedLineage;
  readonly lines: SharingQueue[];
}

/** Takes what all lineages of one production have in common out of its lines. There is at least one line. */
export function sharedLinesOf([first, ...rest]: readonly [CaptionLine, ...CaptionLine[]]): SharedLines {
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
  const lines = [first, ...rest].map(({ lineage, ...line }): SharingQueue => {
    const { coverage, claimIds, semanticCitations, childReports } = lineage.study;
    const cited = semanticCitations.flatMap(({ observations, ...semanticCitation }, at) => {
      const childReport = childReports[at];
      return childReport === undefined ? [] : [{ index: indexOf({ semanticCitation, childReport }), observations }];
    });
    return { ...line, lineage: { window: lineage.source.window, coverage, claimIds, citations: cited } };
  });
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

export function wholeCaptionsOf(artifact: CaptionArtifact): WholeCaptions {
  if (artifact.schema === 'studio.caption-production.artifact.v1') return artifact;
  const { jobId, runId, input, executor, result, sharedLineage } = artifact;
  const lines: readonly SharingQueue[] =
    artifact.schema === 'studio.caption-production.artifact.v5'
      ? artifact.lines
      : artifact.lines.map(withoutTranscript);
  return {
    ...{ jobId, runId, input, executor, result },
    schema: 'studio.caption-production.artifact.v1',
    lines: lines.map((line) => wholeLine(line, sharedLineage)),
  };
}

const withoutTranscript = ({ transcriptLines, ...line }: ChunkedLine): SharingQueue => line;

import type { Artifact, ArtifactOrigin, ToolIdentity } from '../contract/base/artifact.ts';
import type { Range } from '../contract/base/grammar.ts';
import type { PinnedEvidence, RegisteredSource } from '../contract/sources/source-session.ts';
import { hashOf } from '../formats/canonical-json.ts';
import { hullOf } from '../rules/time-spans.ts';

/** The origin of an artifact that a run produces: any but that of the source's own artifacts. */
export type OutputOrigin = Exclude<ArtifactOrigin, { kind: 'source_ingest' | 'preflight_evidence' }>;

interface ArtifactIdentity {
  readonly runId: string;
  readonly kind: string;
  readonly contentId: string;
  readonly origin: ArtifactOrigin;
}

interface OutputArtifactInput {
  readonly runId: string;
  /** Names what the bytes are, such as `evidence-assessment-receipt`. */
  readonly kind: string;
  readonly origin: OutputOrigin;
  readonly contentId: string;
  /** Length of the stored bytes. */
  readonly bytes: number;
  readonly sourceArtifactIds: readonly string[];
  readonly producer: { readonly taskId: string; readonly agentId: string } | null;
}

/** The bare digest of a content id. */
export const digestOf = (contentId: string): string => contentId.slice('sha256:'.length);

/** The path of an object below the object store's root. */
export const storageKeyOf = (contentId: string): string =>
  `objects/sha256/${digestOf(contentId).slice(0, 2)}/${digestOf(contentId)}`;

export const contentDescriptorOf = (contentId: string, bytes: number): Artifact['content'] => ({
  algorithm: 'sha256',
  digest: digestOf(contentId),
  contentId,
  bytes,
});

/** The id of an output: `key` holds exactly one name, that of the thing which produced it (`operationId`, `studyId`…). */
export const outputArtifactId = (
  runId: string,
  key: Readonly<Record<string, string>>,
  kind: string,
  contentId: string,
): string => `artifact:${hashOf({ runId, ...key, kind, contentId })}`;

/** The one id that an artifact of this run, kind, content and origin can have. */
export function artifactIdOf({ runId, kind, contentId, origin }: ArtifactIdentity): string {
  const { kind: originKind, ...key } = origin;
  return originKind === 'source_ingest' || originKind === 'preflight_evidence'
    ? `artifact:${hashOf({ runId, contentId, ...key })}`
    : outputArtifactId(runId, key, kind, contentId);
}

const sourceIdentity = (runId: string, { session }: Pick<RegisteredSource, 'session'>) =>
  ({
    runId,
    kind: 'source-media',
    contentId: session.source.contentId,
    origin: {
      kind: 'source_ingest',
      adapterId: session.adapterId,
      sourceReceiptRef: session.sourceReceipt.receiptId,
    },
  }) as const satisfies ArtifactIdentity;

/** The id of a run's source artifact; a plan names it before the run exists. */
export const sourceArtifactIdOf = (runId: string, source: Pick<RegisteredSource, 'session'>): string =>
  artifactIdOf(sourceIdentity(runId, source));

/** The media of the source as the run's first artifact. */
export function sourceArtifact(runId: string, source: RegisteredSource): Artifact {
  const identity = sourceIdentity(runId, source);
  const { contentId, bytes, durationMs } = source.session.source;
  return {
    schema: 'studio.runtime.artifact.v1',
    id: artifactIdOf(identity),
    runId,
    kind: identity.kind,
    mediaClass: 'raw',
    publication: 'private',
    content: contentDescriptorOf(contentId, bytes),
    storageKey: storageKeyOf(contentId),
    durationMs,
    tracks: source.tracks,
    sourceArtifactIds: [],
    producerTaskId: null,
    producerAgentId: null,
    origin: identity.origin,
  };
}

const nonMedia = (
  identity: ArtifactIdentity,
  bytes: number,
  sourceArtifactIds: readonly string[],
  producer: OutputArtifactInput['producer'],
): Artifact => ({
  schema: 'studio.runtime.artifact.v1',
  id: artifactIdOf(identity),
  runId: identity.runId,
  kind: identity.kind,
  mediaClass: 'non_media',
  publication: 'private',
  content: contentDescriptorOf(identity.contentId, bytes),
  storageKey: storageKeyOf(identity.contentId),
  durationMs: null,
  tracks: [],
  sourceArtifactIds: [...sourceArtifactIds],
  producerTaskId: producer?.taskId ?? null,
  producerAgentId: producer?.agentId ?? null,
  origin: identity.origin,
});

/** A receipt that came with the source's preflight, derived from the source artifact of the same run. */
export function preflightEvidenceArtifact(runId: string, source: RegisteredSource, pinned: PinnedEvidence): Artifact {
  const origin = {
    kind: 'preflight_evidence',
    evidenceKind: pinned.kind,
    preflightContentId: source.session.preflight.contentId,
  } as const;
  const identity = { runId, kind: pinned.kind, contentId: pinned.contentId, origin };
  return nonMedia(identity, pinned.bytes, [sourceArtifactIdOf(runId, source)], null);
}

/** A receipt or JSON artifact that the run itself stored: private, no media, identified by what produced it. */
export const outputArtifact = ({ bytes, sourceArtifactIds, producer, ...identity }: OutputArtifactInput): Artifact =>
  nonMedia(identity, bytes, sourceArtifactIds, producer);

/** Everything that an operation's result depends on. */
export interface OperationInput {
  /** The name of the operation, such as `media.detect`; dots become hyphens in the operation's id. */
  readonly operation: string;
  readonly inputContentIds: readonly string[];
  readonly range: Range;
  readonly tools: readonly ToolIdentity[];
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Identifies the work itself, for any caller: equal keys mean equal results. 64 hex digits. */
export const operationKeyOf = ({ operation, inputContentIds, range, tools, parameters }: OperationInput): string =>
  hashOf({ operation, inputContentIds, range, tools, parameters });

/**
 * The name of an operation in every journal that holds it; unique within a run, whose operations differ in their input. `key` if
 * it is known already.
 */
export const operationIdOf = (input: OperationInput, key: string = operationKeyOf(input)): string =>
  `operation:${input.operation.replaceAll('.', '-')}:${key}`;

/** The same for one that judges the claims of receipts. */
export const claimOperationIdOf = (
  operation: string,
  receipts: readonly { readonly receiptContentId: string }[],
  claims: readonly { readonly range: Range }[],
  parameters: OperationInput['parameters'],
): string =>
  operationIdOf({
    operation,
    inputContentIds: receipts.map(({ receiptContentId }) => receiptContentId),
    range: hullOf(claims.map(({ range }) => range)),
    tools: [],
    parameters,
  });

import type { EvidenceArtifact, FurtherArtifact } from '../../../contract/evidence/evidence.ts';

const input = { sourceContentId: `sha256:${'1'.repeat(64)}`, range: { startMs: 0, endMs: 4000 }, trackIndex: 0 };
const tool = { name: 'ffmpeg', version: '1', digest: `sha256:${'2'.repeat(64)}` };

/** Evidence over four seconds of some media, by default without a fact. */
export const evidenceOf = (
  kind: EvidenceArtifact['kind'],
  { facts = [], ...more }: Partial<Omit<EvidenceArtifact, 'facts'>> & { readonly facts?: readonly object[] } = {},
): EvidenceArtifact => ({
  schema: 'studio.detected-evidence.v1',
  kind,
  input: { ...input, derivedAudio: null },
  tool,
  parameters: {},
  facts: facts as EvidenceArtifact['facts'],
  ...more,
});

/** The same of what later versions measure. */
export const furtherEvidenceOf = (
  kind: FurtherArtifact['kind'],
  { facts = [], ...more }: Partial<Omit<FurtherArtifact, 'facts'>> & { readonly facts?: readonly object[] } = {},
): FurtherArtifact => ({
  schema: 'studio.further-evidence.v1',
  kind,
  input,
  tool,
  parameters: {},
  facts: facts as FurtherArtifact['facts'],
  ...more,
});

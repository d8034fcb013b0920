import { z } from 'zod';
import { contentId } from '../contract/grammar.ts';
import { type ProbeResult, probeResult } from '../contract/probe-result.ts';
import type { RegisteredSource } from '../contract/source-session.ts';
import type { ToolIdentity } from '../contract/tool.ts';
import type { EffectOutcome } from '../machines/commit-fact.ts';
import type { MediaInput } from '../machines/ingest-effects.ts';
import { type PinnedFiles, sealOwnedIngest } from '../receipts/seal-source.ts';
import { localProcessingGrant } from '../receipts/source-receipt.ts';
import { verifySource } from '../receipts/verify-source.ts';
import type { Ledger } from '../storage/ledger.ts';
import type { Vault } from '../storage/vault.ts';
import { actorRow } from './actor-row.ts';
import { ownedIngestInput } from './owned-ingest-row.ts';
import { readSourceFile } from './source-files.ts';
import type { SourceRegistry } from './source-registry.ts';

export interface OwnedIngestEffectsOptions {
  readonly ledger: Ledger;
  readonly vault: Vault;
  readonly registry: SourceRegistry;
  /** Measures a media file; rejects with the reason why it is refused. */
  readonly probe: (path: string, signal: AbortSignal) => Promise<ProbeResult>;
  readonly probeTools: readonly ToolIdentity[];
}

const probeKey = (ingestId: string): string => `ingest/${ingestId}/probe`;
const sealedKey = (ingestId: string): string => `ingest/${ingestId}/sealed`;

const sealedRow = z.strictObject({
  preflight: contentId,
  records: z.strictObject({
    'source-receipt': contentId,
    'container-probe': contentId,
    'speech-activity': contentId.optional(),
    'language-ranges': contentId.optional(),
  }),
});

const maximumRecordBytes = 4 * 1024 * 1024;

/** What the chart of owned ingests has done for it: measuring, sealing, and reading the seal back. */
export class OwnedIngestEffects {
  readonly #options: OwnedIngestEffectsOptions;

  constructor(options: OwnedIngestEffectsOptions) {
    this.#options = options;
  }

  async probe({ ingestId, contentId: media }: MediaInput, signal: AbortSignal): Promise<EffectOutcome> {
    const { vault, probe } = this.#options;
    if ((await vault.verify(media)) !== 'intact') throw new Error('the media is gone or has changed');
    const value = await probe(vault.locate(media), signal);
    return { events: [], writes: [{ put: 'record', key: probeKey(ingestId), value }] };
  }

  /** Writes receipt, probe and preflight; evidence that is pinned to the same bytes is carried over. */
  async seal({ ingestId, contentId: media, bytes }: MediaInput): Promise<EffectOutcome> {
    const { ledger, vault, probeTools } = this.#options;
    const row = actorRow.parse(ledger.get('snapshot', ingestId));
    const { label, filename, rightsHolder, assertedAt } = ownedIngestInput.parse(row.input);
    const { objects, source } = sealOwnedIngest({
      media: { contentId: media, bytes },
      probe: probeResult.parse(ledger.get('record', probeKey(ingestId))),
      tools: probeTools,
      claim: { label, filename, rightsHolder, assertedAt, grant: localProcessingGrant },
      pinned: await this.#pinned(media),
    });
    await vault.putAll(objects);
    const pinned = (kind: string) => source.pinnedEvidence.find((each) => each.kind === kind)?.contentId;
    const { preflight, sourceReceipt, mediaProbe } = source.session;
    const value = {
      preflight: preflight.contentId,
      records: {
        'source-receipt': sourceReceipt.contentId,
        'container-probe': mediaProbe.contentId,
        'speech-activity': pinned('speech-activity-receipt'),
        'language-ranges': pinned('language-ranges-receipt'),
      },
    };
    return { events: [], writes: [{ put: 'record', key: sealedKey(ingestId), value }] };
  }

  /** Reads the sealed files back from disk and verifies them as a whole: only that makes a source. */
  async register({ ingestId, contentId: media, bytes }: MediaInput): Promise<RegisteredSource> {
    const { ledger, vault } = this.#options;
    const { preflight, records } = sealedRow.parse(ledger.get('record', sealedKey(ingestId)));
    if ((await vault.verify(media)) !== 'intact') throw new Error('the media is gone or has changed');
    const read: Record<string, Buffer> = {};
    for (const [kind, id] of Object.entries(records)) {
      if (id !== undefined) read[kind] = await vault.read(id, maximumRecordBytes);
    }
    const chain = {
      media: { contentId: media, bytes },
      preflight: await vault.read(preflight, maximumRecordBytes),
      records: read,
    };
    return verifySource(chain, null);
  }

  async #pinned(media: string): Promise<PinnedFiles | null> {
    const { registry, vault } = this.#options;
    const source = registry.withContent(media);
    if (source === undefined) return null;
    const bytesOf = (kind: string): Promise<Buffer> | null => {
      const pinned = source.pinnedEvidence.find((each) => each.kind === kind);
      return pinned === undefined ? null : readSourceFile(vault, source, pinned.contentId);
    };
    const speechActivity = await bytesOf('speech-activity-receipt');
    if (speechActivity === null) return null;
    return { speechActivity, languageRanges: await bytesOf('language-ranges-receipt') };
  }
}
